"""How bright things are shown, as parts of full brightness."""

from __future__ import annotations

from typing import Final

FULL: Final = 1.0
"""What may be pressed next: pools that can be claimed, and the places the board leads to."""

NORMAL: Final = 0.5
"""Counts, and lights that only tell."""

QUARTER: Final = 0.25
"""What a blocked pool keeps of the brightness it would have."""

SOFT: Final = 0.15
"""A place whose seat takes part and is not asked for anything."""

BREATH_FLOOR: Final = 0.5
"""The least a breathing ring keeps, so that its count stays readable."""

PULSE_FLOOR: Final = 0.08
"""The least a pulsing place keeps: less than a soft one, so that it stands out among them."""
