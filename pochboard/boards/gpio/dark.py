"""Darkens the pixels and ends: what the service runs after the daemon, however that ended.

`python -m pochboard.boards.gpio.dark`. It never fails: with another board, or where there are no
pixels to reach, it says so and does nothing.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from pochboard.boards.gpio.strip import Strip
from pochboard.config import config_dir, load_config
from pochboard.lights.frame import RINGS


def main() -> None:
    """Darkens the pixels of the configured board, if it is the one on the header."""
    try:
        folder = os.environ.get("POCHBOARD_CONFIG")
        config = load_config(Path(folder) if folder else config_dir(), Path())
        if config.board == "gpio":
            pixels = RINGS * config.lights.pixels_per_ring + config.places
            strip = Strip(config.gpio, pixels)
            try:
                strip.write(bytes(3 * pixels))
            finally:
                strip.close()
    except Exception as error:  # noqa: BLE001 - the unit has ended, and this is a courtesy
        sys.stderr.write(f"pochboard: the pixels may still be lit: {error}\n")


if __name__ == "__main__":
    main()
