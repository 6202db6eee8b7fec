"""Checks whether machine and board are as they should be, and tests the board."""
