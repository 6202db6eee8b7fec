"""Plays thousands of nights of bots without a board, counts what happens, and reports it."""
