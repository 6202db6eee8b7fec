"""Nights of bots without a board: played by the thousand, counted and reported."""
