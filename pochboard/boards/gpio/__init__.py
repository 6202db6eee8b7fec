"""The board on a Pi's own header: buttons through gpiozero, pixels through Blinka.

The hardware's libraries are loaded only when there is a board to use (BOARD.md 6).
"""
