"""`pochboard`, whose rings count and places brighten in a moment.

Tests wait for the final state of the lights.
"""

from __future__ import annotations

from typing import Final
from unittest.mock import patch

from pochboard.cli import main

_EFFECT_US: Final = 40_000
"""How long rings count and places brighten."""
_PULSE_STEP_US: Final = 400_000
"""How long a pulsing light keeps each level. Pages draw every new one."""


def run() -> None:
    """Runs the command line with these lights."""
    with (
        patch("pochboard.lights.animation.ANTE_US", _EFFECT_US),
        patch("pochboard.lights.animation.DRAIN_US", _EFFECT_US),
        patch("pochboard.lights.animation.SLOW_STEP_US", _PULSE_STEP_US),
    ):
        main()
