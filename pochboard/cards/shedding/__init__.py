"""The shedding: five ways to get rid of one's cards, one module each (RULES.md 10)."""
