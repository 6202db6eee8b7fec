"""Score sheets: nights on paper, read, played and written (RULES.md 9)."""
