"""From edges to presses, from presses to commands (docs/BOARD.md 2 and 3)."""
