"""`pochboard firmware`: installs the program for a Pico that drives the board."""

from __future__ import annotations

from pathlib import Path

import click

from pochboard.cli.common import folders, read_config
from pochboard.cli.language import echo, say
from pochboard.cli.usage import FilePath, Group, argument
from pochboard.text.lazy import lazy_gettext, lazy_ngettext, os_reason


@click.group(cls=Group, short_help="Install the program for a Pico.")
def firmware() -> None:
    """Install the program for a Raspberry Pi Pico that drives the board."""


@firmware.command()
@click.option(
    "--drive",
    type=FilePath(path_type=Path, file_okay=False),
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
        say(lazy_gettext("Kept the {settings} that is on the drive.", settings=SETTINGS))
    if not done.written:
        say(
            lazy_gettext(
                "The firmware on {drive} is up to date ({system}).", drive=drive, system=done.system
            )
        )
        return
    say(
        lazy_ngettext(
            "Copied {count} file to {drive} ({system}) and verified it.",
            "Copied {count} files to {drive} ({system}) and verified them.",
            len(done.written),
            drive=drive,
            system=done.system,
        )
    )
    say(lazy_gettext("Unplug the board and plug it in again to start the new firmware."))


@firmware.command()
@folders
@click.option("--force", is_flag=True, help="Send the files even if the version is the same.")
def update(data: Path | None, settings: Path | None, force: bool) -> None:
    """Update the firmware of the board over its cable or Wi-Fi.

    The board keeps its old firmware, and returns to it if the new one does not start. Stop the
    daemon first. settings.py stays unchanged.
    """
    from pochboard.boards.choose import lights_of
    from pochboard.boards.pico.firmware_installer import (
        LAST_FILE,
        firmware_version,
        replaceable_files,
    )
    from pochboard.doctor.check import require
    from pochboard.doctor.daemon_checks import board_in_use
    from pochboard.doctor.pico import key_check, library_check
    from pochboard.errors import BoardError

    config = read_config(settings, data)
    problem = board_in_use(config)
    if problem is not None:
        raise BoardError(problem.text)
    require([library_check(), key_check(config.pico)])
    from pochboard.boards.pico.pico import layout_of
    from pochboard.boards.pico.ports import ports_of
    from pochboard.boards.pico.updating import update_firmware

    lights = lights_of(config)
    version = firmware_version()
    done = update_firmware(
        ports_of(config.pico),
        layout_of(config.pico, lights),
        replaceable_files(),
        version,
        last=LAST_FILE,
        force=force,
    )
    now = ".".join(map(str, version))
    if not done.files:
        say(lazy_gettext("The board already has version {version} of the firmware.", version=now))
        return
    say(
        lazy_gettext(
            "Sent {files} files. The board now runs version {version} of the firmware.",
            files=done.files,
            version=now,
        )
    )


@firmware.command()
def key() -> None:
    """Make a key for a Pico W that is connected over Wi-Fi.

    Prints the lines for both ends. Nothing is sent or stored.
    """
    import secrets

    from pochboard.secure_line import KEY_SIZE

    made = secrets.token_hex(KEY_SIZE)
    say(
        lazy_gettext(
            "In settings.py on the drive of the Pico, with the name and password of your Wi-Fi:"
        )
    )
    echo(f'    WIFI_NAME = "…"\n    WIFI_PASSWORD = "…"\n    WIFI_KEY = "{made}"')
    say(lazy_gettext("In config.toml, with the address that the console of the Pico shows:"))
    echo(f'    [pico]\n    address = "…"\n    key = "{made}"')


@firmware.command()
@argument("folder", type=FilePath(path_type=Path, file_okay=False))
def build(folder: Path) -> None:
    """Write the files to a folder, to copy them to the drive by hand."""
    from pochboard.boards.pico.firmware_installer import FirmwareError, write_firmware

    try:
        names = write_firmware(folder)
    except OSError as error:
        raise FirmwareError(
            lazy_gettext(
                "{folder} cannot be written: {reason}.", folder=folder, reason=os_reason(error)
            )
        ) from None
    say(
        lazy_gettext(
            "Wrote {count} files to {folder}. Copy all of them to the CIRCUITPY drive.",
            count=len(names),
            folder=folder,
        )
    )
