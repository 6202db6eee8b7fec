"""Joins the first boot to what Raspberry Pi Imager has written on the drive of a card.

The Imager's user, time zone and Wi-Fi stay as they are. What kind of file it has written says which
program reads it on the first boot: cloud-init, or rpi-preseed.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Final

from pochboard.card.first_boot import SETUP, SETUP_COMMAND, Card, preseed_commands, setup_script
from pochboard.errors import PochboardError
from pochboard.text.encodings import written_text

_USER_DATA: Final = "user-data"
_PRESEED: Final = "rpi-preseed.toml"
_BOOT_FILES: Final = ("cmdline.txt", "config.txt")
_RUNCMD: Final = re.compile(r"^runcmd:[ \t]*\n(?:[ \t]*(?:#.*)?\n)*([ \t]*)- ", re.MULTILINE)
"""The beginning of the commands in user-data, with the indentation of the first."""


class DriveError(PochboardError):
    """A drive that cannot be made to set up a Pi."""


def joined_files(drive: Path, card: Card) -> dict[str, bytes]:
    """The files to write onto this drive, by name. Raises DriveError, and OSError."""
    if not all((drive / name).is_file() for name in _BOOT_FILES):
        raise DriveError(
            f"{drive} is not the drive of a card with Raspberry Pi OS: it has no"
            " cmdline.txt and config.txt."
        )
    for name, join in ((_PRESEED, _joined_preseed), (_USER_DATA, _joined_user_data)):
        if (drive / name).is_file():
            try:
                text = join(written_text((drive / name).read_bytes()), card)
            except ValueError:  # also a text that is not UTF-8
                raise DriveError(_not_joined(drive / name)) from None
            return {name: text.encode(), SETUP: setup_script(card).encode()}
    raise DriveError(
        f"{drive} has neither user-data nor rpi-preseed.toml. Write Raspberry Pi OS"
        " (trixie) to the card with Raspberry Pi Imager 2, and set the Wi-Fi there."
    )


def _not_joined(file: Path) -> str:
    return f"{file} is not as Raspberry Pi Imager writes it. Write the card again with the Imager."


def _joined_preseed(text: str, card: Card) -> str:
    """The Imager's rpi-preseed.toml with ours. Raises ValueError."""
    tables = tomllib.loads(text)
    if SETUP_COMMAND in tables.get("runcmd", {}).get("early", ()):
        return text  # it was joined before
    if "runcmd" in tables:
        raise ValueError
    added = "" if text.endswith("\n") or not text else "\n"
    if "system" not in tables:
        added += f'[system]\nhostname = "{card.hostname}"\n'
    if "locale" not in tables and card.timezone:
        added += f'[locale]\ntimezone = "{card.timezone}"\n'
    return text + added + preseed_commands()


def _joined_user_data(text: str, card: Card) -> str:
    """The Imager's user-data with ours. Raises ValueError."""
    if text.strip() and not text.startswith("#cloud-config"):
        raise ValueError
    if SETUP_COMMAND in text:
        return text
    if not text.strip():
        text = "#cloud-config\n"
    text = text if text.endswith("\n") else f"{text}\n"
    if not _has_key(text, "hostname"):
        text += f"hostname: {card.hostname}\nmanage_etc_hosts: localhost\n"
    if not _has_key(text, "timezone") and card.timezone:
        text += f"timezone: {card.timezone}\n"
    if not _has_key(text, "runcmd"):
        return f"{text}runcmd:\n  - {SETUP_COMMAND}\n"
    commands = _RUNCMD.search(text)
    if commands is None:
        raise ValueError
    # Before the first command of the Imager, with the same indentation.
    at = commands.start(1)
    return f"{text[:at]}{commands[1]}- {SETUP_COMMAND}\n{text[at:]}"


def _has_key(text: str, key: str) -> bool:
    return re.search(rf"^{key}:", text, re.MULTILINE) is not None
