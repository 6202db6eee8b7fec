"""`pochboard firmware`: installs the program for a Pico that drives the board."""

from __future__ import annotations

from pathlib import Path

import click

from pochboard.cli.common import folders, read_config


@click.group(short_help="Install the program for a Pico.")
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
    from pochboard.firmware_installer import SETTINGS, find_drive, mounted
    from pochboard.firmware_installer import install as put

    drive = drive or find_drive(mounted())
    done = put(drive)
    if done.kept_settings:
        click.echo(f"Kept the {SETTINGS} that is on the drive.")
    if not done.written:
        click.echo(f"The firmware on {drive} is up to date ({done.system}).")
        return
    count = len(done.written)
    files = "1 file" if count == 1 else f"{count} files"
    click.echo(f"Copied {files} to {drive} ({done.system}) and verified them.")
    click.echo("Unplug the board and plug it in again to start the new firmware.")


@firmware.command()
@folders
@click.option("--force", is_flag=True, help="Send the files even if the version is the same.")
def update(data: Path | None, settings: Path | None, force: bool) -> None:
    """Update the firmware of the board over its cable or Wi-Fi.

    The board keeps its old firmware, and returns to it if the new one does not start. Stop the
    daemon first. settings.py stays unchanged.
    """
    from pochboard.boards.choose import make_display
    from pochboard.doctor.check import require
    from pochboard.doctor.daemon import board_in_use
    from pochboard.doctor.pico import key_check, library_check
    from pochboard.errors import BoardError
    from pochboard.firmware_installer import LAST_FILE, firmware_version, replaceable_files

    config = read_config(settings, data)
    problem = board_in_use(config)
    if problem is not None:
        raise BoardError(str(problem))
    require([library_check(), key_check(config.pico)])
    from pochboard.boards.pico.board import layout_of
    from pochboard.boards.pico.ports import ports_of
    from pochboard.boards.pico.updating import update_firmware

    display = make_display(config)
    version = firmware_version()
    done = update_firmware(
        ports_of(config.pico),
        layout_of(config.pico, display),
        replaceable_files(),
        version,
        last=LAST_FILE,
        force=force,
    )
    now = ".".join(map(str, version))
    if not done.files:
        click.echo(f"The board already has version {now} of the firmware.")
        return
    click.echo(f"Sent {done.files} files. The board now runs version {now} of the firmware.")


@firmware.command()
def key() -> None:
    """Make a key for a Pico W that is connected over Wi-Fi.

    Prints the lines for both ends. Nothing is sent or stored.
    """
    import secrets

    from pochboard.secure_line import KEY_SIZE

    made = secrets.token_hex(KEY_SIZE)
    click.echo("In settings.py on the drive of the Pico, with the name and password of your Wi-Fi:")
    click.echo(f'    WIFI_NAME = "…"\n    WIFI_PASSWORD = "…"\n    WIFI_KEY = "{made}"')
    click.echo("In config.toml, with the address that the console of the Pico shows:")
    click.echo(f'    [pico]\n    address = "…"\n    key = "{made}"')


@firmware.command()
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
def build(folder: Path) -> None:
    """Write the files to a folder, to copy them to the drive by hand."""
    from pochboard.firmware_installer import FirmwareError, write_firmware

    try:
        names = write_firmware(folder)
    except OSError as error:
        raise FirmwareError(f"{folder} cannot be written: {error.strerror or error}.") from None
    click.echo(f"Wrote {len(names)} files to {folder}. Copy all of them to the CIRCUITPY drive.")
