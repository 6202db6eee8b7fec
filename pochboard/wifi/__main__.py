"""Runs the service, in the folders that systemd gives it."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from pochboard.config_file import config_dir, data_dir, load_config
from pochboard.errors import PochboardError
from pochboard.text.unicode_names import shown
from pochboard.wifi.service import Nmcli, WifiService, page_is_open
from pochboard.wifi.wifi_state import FOLDER


def main() -> None:
    """Runs until NetworkManager ends; the unit then starts it again."""
    try:
        config = load_config(config_dir(), data_dir())
        WifiService(
            config.wifi,
            nmcli=Nmcli(),
            state=Path(os.environ.get("RUNTIME_DIRECTORY", str(FOLDER))),
            kept=Path(os.environ.get("STATE_DIRECTORY", "/var/lib/pochboard-wifi")),
            used=lambda: page_is_open(config.port),
            say=lambda text: print(shown(text)),  # noqa: T201 - the journal reads it
        ).run()
    except (PochboardError, OSError) as error:
        print(f"pochboard-wifi: {shown(str(error))}", file=sys.stderr)  # noqa: T201 - it has no other output
        sys.exit(1)


if __name__ == "__main__":
    main()
