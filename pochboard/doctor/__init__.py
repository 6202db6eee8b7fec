"""Looks whether machine and board are as they should be, and tries the board out."""
