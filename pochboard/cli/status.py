"""`pochboard status` and `bundle`."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from pochboard.cli.common import folders, one_line, read_config
from pochboard.config import Config, config_dir, data_dir
from pochboard.errors import ConfigError


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
