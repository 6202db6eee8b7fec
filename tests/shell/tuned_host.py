"""`pochboard` as tests need it: patient with a board on USB, and quick with folders of sheets.

On a busy machine the board's process may be silent for seconds, and its edges may take as long to
arrive. It must not seem lost for that, and its edges must still count. Folders are looked at often,
and one that hangs is reported soon.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pochboard.boards.pico import link
from pochboard.boards.pico import pico as board
from pochboard.cli import main
from pochboard.daemon import sheet_folders

ANSWER_S: Final = 4.5
"""How long the host waits to hear from the board.

This is three times the default. It is less than the time for which the board waits to hear from
the host.
"""
LIMITS_US: Final[Mapping[tuple[object, str], int]] = {
    (link, "LOST_US"): round(ANSWER_S * 1_000_000),
    (board, "_ANSWER_US"): round(ANSWER_S * 1_000_000),
}
LATE_US: Final = 60_000_000


def run() -> None:
    """Runs the command line with these limits."""
    for (module, name), limit_us in LIMITS_US.items():
        setattr(module, name, limit_us)
    link.LATE_US = LATE_US  # type: ignore[misc]
    sheet_folders._LOOK_S = 0.2  # type: ignore[misc]
    sheet_folders._SILENT_S = 2.0  # type: ignore[misc]
    main()


if __name__ == "__main__":
    run()
