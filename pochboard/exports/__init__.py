"""A night in the formats of other programs."""
