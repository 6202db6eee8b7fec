"""The board as an object: its dimensions, and where everything on its face is."""
