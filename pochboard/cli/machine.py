"""`doctor` and `status` of the machine; `firmware`, `card`, `wifi` and `mqtt` around the board."""

from __future__ import annotations

import logging
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import assert_never

import click

from pochboard.card import HOSTNAME, Card, joined_files, program_archive, user_data
from pochboard.cli.common import echo, folders, read_config, say
from pochboard.config_file import data_dir, load_config_file
from pochboard.errors import ConfigError, LedgerInUseError
from pochboard.text.allowed_values import quoted
from pochboard.text.encodings import written_text
from pochboard.text.lazy import os_reason
from pochboard.time_zone import is_zone, system_zone
from pochboard.wifi.service import WifiError


@click.command(short_help="Find problems, and how to fix them.")
@folders
def doctor(data: Path | None, settings: Path | None) -> None:
    """Check the machine, the board and the ledger, and say how to fix each problem.

    The exit status is 0 if everything is fine, 1 if there is something to fix. The page /build
    tests buttons, lights, display and sound, with a phone beside the board.
    """
    from pochboard.doctor.report import check_all

    # The boards would log these problems again.
    logging.getLogger("pochboard").addHandler(logging.NullHandler())
    problems = 0
    for check in check_all(settings, data):
        problems += not check.ok
        say(f"{check.state:<5} {check.name:<17} {check.found}")
        if check.fix:
            say(f"{'':<23} {check.fix}")
    echo("")
    if problems:
        say(f"{problems} {'problem' if problems == 1 else 'problems'} to fix.")
        sys.exit(1)
    say("Everything is fine.")


@click.command(short_help="Show the state of the daemon, the ledger and the backups.")
@folders
def status(data: Path | None, settings: Path | None) -> None:
    """Show the state of the daemon: night, board, phones, last backup, last fault.

    If no daemon runs, show what the ledger contains. A line that needs attention begins with an
    exclamation mark, and the exit status is then 1.
    """
    from pochboard.doctor.report import status_lines
    from pochboard.table.clock import now_ms

    well = True
    for line in status_lines(read_config(settings, data), now_ms()):
        well = well and line.ok
        say(f"{' ' if line.ok else '!'} {line.name + ':':<9}{line.text}")
    sys.exit(not well)


@click.command(short_help="Show the Wi-Fi that this machine opens, and how to join it.")
def wifi() -> None:
    """Show the network of this machine, and its own Wi-Fi with a QR code that phones can read.

    Print it and glue it to the board: phones join this Wi-Fi where no known network is found.
    """
    from pochboard.server.routes.pairing import terminal_code
    from pochboard.wifi import read_state

    state = read_state()
    if state is None:
        raise WifiError(
            "The service pochboard-wifi is not running, or this user may not read its state."
            " Try: sudo pochboard wifi, sudo systemctl status pochboard-wifi"
        )
    match state.mode:
        case "joined":
            network = f"Network:   connected to {state.network}"
        case "own":
            network = f"Network:   its own Wi-Fi is open; this machine is {state.address} there"
        case "none":
            network = "Network:   not connected yet"
        case _:
            assert_never(state.mode)
    say(network)
    say(f"Own Wi-Fi: {state.name}")
    if state.password:
        say(f"Password:  {state.password}")
    else:
        say("Password:  none; everybody nearby can join, and watch the table.")
    echo(terminal_code(state.qr_text))


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


@click.group(short_help="Manage what an MQTT broker knows of this board.")
def mqtt() -> None:
    """Look after what the MQTT broker of the home knows of this board."""


@mqtt.command()
@folders
def remove(data: Path | None, settings: Path | None) -> None:
    """Remove the board from the broker, and so from Home Assistant.

    Stop the daemon first, and empty mqtt.host in the configuration afterwards: a daemon that runs
    with it adds the board again.
    """
    from pochboard.mqtt import MqttTable
    from pochboard.mqtt import remove as remove_board
    from pochboard.runtime.process import find_daemon
    from pochboard.store import Store

    config = read_config(settings, data)
    broker = config.parts.get("mqtt") or MqttTable()
    if not broker.host:
        raise ConfigError("mqtt.host is empty, so there is no broker. Give it with --config.")
    if find_daemon(config.data) is not None:
        raise LedgerInUseError(
            "The daemon is running, and would add the board again. Stop it first."
        )
    with Store.open(config.ledger, readonly=True) as store:
        ledger = store.ledger_id()
    remove_board(broker, ledger)
    say(f"The broker {broker.host} has forgotten this board.")


@click.command(short_help="Make the files for a card that sets up a Pi.")
@click.option(
    "--config",
    "file",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    required=True,
    help="The config.toml to put onto the card; it says which board it is.",
)
@click.option("--hostname", default="pochboard", show_default=True, help="The name of the Pi.")
@click.option(
    "--timezone",
    help='Its time zone, such as Europe/Berlin; "" for none.  [default: that of this computer]',
)
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    default="card",
    show_default=True,
    help="The folder for the file.",
)
@click.option(
    "--drive",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="The drive bootfs of a card, to write to instead of a folder.",
)
def card(
    file: Path,
    hostname: str,
    timezone: str | None,
    out: Path,
    drive: Path | None,
) -> None:
    """Make the files that set up a Pi on its first boot.

    They hold the whole program and the configuration. With --drive, they are joined to what
    Raspberry Pi Imager has written on the card: its user, time zone and Wi-Fi stay. A configuration
    that cannot be used is refused, and nothing is written.
    """
    if not HOSTNAME.fullmatch(hostname):
        raise click.BadParameter(
            "A host name has letters, digits and hyphens.", param_hint="'--hostname'"
        )
    if timezone and not is_zone(timezone):
        raise click.BadParameter(
            f"{quoted(timezone)} is not a time zone such as Europe/Berlin.",
            param_hint="'--timezone'",
        )
    made = Card(
        program=program_archive(),
        config=_checked(file),
        hostname=hostname,
        timezone=system_zone() if timezone is None else timezone,
    )
    if drive:
        _write(drive, joined_files(drive, made))
        say("The card is ready. Put it into the Pi, and switch the Pi on.")
        return
    _write(out, {"user-data": user_data(made).encode()})
    say(f"Wrote {out / 'user-data'}. Copy it to the drive bootfs of the card (systemd/README.md).")


def _checked(file: Path) -> str:
    """The text of a configuration that the daemon will start with. Raises ConfigError."""
    from pochboard.boards import lights_of
    from pochboard.doctor.gpio import pins_check

    config = load_config_file(file, data_dir())
    try:
        lights = lights_of(config)
    except ConfigError as error:
        raise ConfigError(f"{file}: {error}") from None
    pins = pins_check(config.gpio, lights.places)
    if config.board == "gpio" and not pins.ok:
        raise ConfigError(f"{file}: {pins.found} {pins.fix}")
    return written_text(file.read_bytes())


def _write(folder: Path, files: Mapping[str, bytes]) -> None:
    """Writes each file whole or not at all, once all of them are on the disk. Raises OSError."""
    folder.mkdir(parents=True, exist_ok=True)
    parts = {folder / f"{name}.new": folder / name for name in files}
    try:
        for part, target in parts.items():
            part.write_bytes(files[target.name])
        for part, target in parts.items():
            part.replace(target)
    finally:
        for part in parts:
            part.unlink(missing_ok=True)
