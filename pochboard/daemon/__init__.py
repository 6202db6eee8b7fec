"""The daemon: what it starts, and what drives the board while nobody presses."""
