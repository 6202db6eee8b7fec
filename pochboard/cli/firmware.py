"""`pochboard firmware`: installs the program for a Pico that drives the board."""

from __future__ import annotations

from pathlib import Path

import click

from pochboard.cli.usage import Group, say
from pochboard.text.lazy import os_reason


@click.group(cls=Group, short_help="Install the program for a Pico.")
def firmware() -> None:
    """Install the program for a Raspberry Pi Pico that drives the board."""


@firmware.command()
@click.option(
    "--drive",
    type=click.Path(path_type=Path, file_okay=False),
    help="Mount point of the CIRCUITPY drive.  [default: found automatically]",
)
def install(drive: Path | None) -> None:
    """Install the firmware on the CIRCUITPY drive of a Pico.

    Files that differ are copied and read back. settings.py and all other files on the drive stay
    unchanged.
    """
    from pochboard.boards.pico.firmware_installer import SETTINGS, find_drive, mounted
    from pochboard.boards.pico.firmware_installer import install as put

    drive = drive or find_drive(mounted())
    done = put(drive)
    if done.kept_settings:
        say(f"Kept the {SETTINGS} that is on the drive.")
    if not done.written:
        say(f"The firmware on {drive} is up to date ({done.system}).")
        return
    say(
        f"Copied {len(done.written)} file to {drive} ({done.system}) and verified it."
        if len(done.written) == 1
        else f"Copied {len(done.written)} files to {drive} ({done.system}) and verified them."
    )
    say("Unplug the board and plug it in again to start the new firmware.")


@firmware.command()
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
def build(folder: Path) -> None:
    """Write the files to a folder, to copy them to the drive by hand."""
    from pochboard.boards.pico.firmware_installer import FirmwareError, write_firmware

    try:
        names = write_firmware(folder)
    except OSError as error:
        raise FirmwareError(f"{folder} cannot be written: {os_reason(error)}.") from None
    say(f"Wrote {len(names)} files to {folder}. Copy all of them to the CIRCUITPY drive.")
