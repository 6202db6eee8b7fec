"""What the board's display shows, as a bitmap (docs/BOARD.md 6)."""
