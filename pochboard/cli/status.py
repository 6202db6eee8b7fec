"""`pochboard status` and `bundle`."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from pochboard.cli.common import folders, one_line, read_config
from pochboard.config import Config, config_dir, data_dir
from pochboard.errors import ConfigError
from pochboard.wifi.nmcli import WifiError


@click.command(short_help="Show the state of the daemon, the ledger and the backups.")
@folders
def status(data: Path | None, settings: Path | None) -> None:
    """Show the state of the daemon: night, board, phones, last backup, last fault.

    If no daemon runs, show what the ledger contains. A line that needs attention begins with an
    exclamation mark, and the exit status is then 1.
    """
    from pochboard.status import status_lines
    from pochboard.table.clock import now_ms

    well = True
    for line in status_lines(read_config(settings, data), now_ms()):
        well = well and line.ok
        click.echo(one_line(f"{' ' if line.ok else '!'} {line.name + ':':<9}{line.text}"))
    sys.exit(not well)


@click.command(short_help="Show the Wi-Fi that this machine opens, and how to join it.")
def wifi() -> None:
    """Show the network of this machine, and its own Wi-Fi with a QR code that phones can read.

    Print it and glue it to the board: phones join this Wi-Fi where no known network is found.
    """
    from pochboard.qr_code import terminal_code
    from pochboard.wifi.state import read_state

    state = read_state()
    if state is None:
        raise WifiError(
            "The service pochboard-wifi does not run, or this user may not read its state."
            " Try: sudo pochboard wifi, sudo systemctl status pochboard-wifi"
        )
    network = {
        "joined": f"connected to {state.network}",
        "own": f"its own Wi-Fi is open, in which this machine is {state.address}",
        "none": "not connected yet",
    }[state.mode]
    click.echo(one_line(f"Network:   {network}"))
    click.echo(one_line(f"Own Wi-Fi: {state.name}"))
    click.echo(one_line(f"Password:  {state.password}"))
    click.echo(terminal_code(state.qr_text))


@click.command(short_help="Collect information for finding a fault, in one file.")
@folders
@click.argument("file", required=False, type=click.Path(path_type=Path, dir_okay=False))
def bundle(data: Path | None, settings: Path | None, file: Path | None) -> None:
    """Collect information for finding a fault, in one file that you can send to somebody.

    It contains versions, settings, the reports of doctor, status and verify, and the last lines of
    the service's log. It contains neither the ledger nor players' names, tokens or phones'
    addresses.
    """
    from pochboard.bundle import write_bundle

    try:
        config = read_config(settings, data)
    except ConfigError:
        # The doctor's report says what is wrong with it.
        config = Config(data=data or data_dir())
    target = file or Path("pochboard-bundle.zip")
    made = write_bundle(config, settings or config_dir(), target)
    click.echo(one_line(f"Wrote {made}, a ZIP file of text files. Read it before you send it."))
