"""The table: the one writer of the night, and what it shows to lights and phones."""
