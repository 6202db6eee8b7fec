"""Nights of house players without a board: played by the thousand, counted and reported."""
