"""A companion for playing Poch with real cards round a real board."""

__version__ = "0.1.0"
