"""Darkens the pixels: `python -m pochboard.boards.gpio.dark`.

The service runs it after the daemon has ended, even if the daemon was killed. It does nothing for
other boards, and never fails: an error is only logged.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from pochboard.boards.gpio.strip import Strip
from pochboard.config_file import config_dir, load_config
from pochboard.lights.frame import RINGS
from pochboard.text.unicode_names import shown


def main() -> None:
    """Darkens the pixels if the configured board is the one on the header."""
    try:
        folder = os.environ.get("POCHBOARD_CONFIG")
        config = load_config(Path(folder) if folder else config_dir(), Path())
        if config.board == "gpio":
            pixels = RINGS * config.lights.pixels_per_ring + config.number_of_places
            strip = Strip(config.gpio, pixels)
            try:
                strip.write(bytes(3 * pixels))
            finally:
                strip.close()
    except Exception as error:  # noqa: BLE001 - must not make the unit fail
        sys.stderr.write(f"pochboard: the pixels may still be lit: {shown(str(error))}\n")


if __name__ == "__main__":
    main()
