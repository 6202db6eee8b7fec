"""`pochboard` that looks at its folders of sheets often, and says soon that one hangs."""

from __future__ import annotations

from pochboard.cli import main
from pochboard.daemon import sheet_folders


def run() -> None:
    """Runs the command line with these times."""
    sheet_folders._LOOK_S = 0.2  # type: ignore[misc]
    sheet_folders._SILENT_S = 2.0  # type: ignore[misc]
    main()


if __name__ == "__main__":
    run()
