"""Which pin each button of a board hangs on."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from pochboard.config import Config
from pochboard.drive import button_pins


def pins_of(config: Config) -> Mapping[str, str]:
    """The pin of each button as it is written beside it; none for the simulated board."""
    if config.board == "gpio":
        pins = msgspec.structs.asdict(config.gpio.pins)
        return {button: f"GPIO {number}" for button, number in pins.items()}
    return button_pins() if config.board == "pico" else {}
