"""`pochboard status` and `bundle`."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from pochboard.cli.common import folders, one_line, read_config
from pochboard.config import Config, config_dir, data_dir
from pochboard.errors import ConfigError


@click.command(short_help="Say what the daemon, the ledger and the backups do.")
@folders
def status(data: Path | None, settings: Path | None) -> None:
    """Say what the daemon does: night, board, phones, last backup, last fault.

    Without a running daemon it says what the ledger holds. The exit status is 1 if a line begins
    with an exclamation mark, because something needs attention.
    """
    from pochboard.status import status_lines
    from pochboard.table.clock import now_ms

    well = True
    for line in status_lines(read_config(settings, data), now_ms()):
        well = well and line.ok
        click.echo(one_line(f"{' ' if line.ok else '!'} {line.name + ':':<9}{line.text}"))
    sys.exit(not well)


@click.command(short_help="Collect what helps to find a fault, in one file.")
@folders
@click.argument("file", required=False, type=click.Path(path_type=Path, dir_okay=False))
def bundle(data: Path | None, settings: Path | None, file: Path | None) -> None:
    """Collect what helps to find a fault, in one file that can be sent to somebody.

    It has versions, settings, the reports of doctor, status and verify, and the last lines of the
    service's log. It has neither the ledger nor names of players, tokens, or addresses of phones.
    """
    from pochboard.bundle import write_bundle

    try:
        config = read_config(settings, data)
    except ConfigError:
        # The report of the doctor says what is wrong with it.
        config = Config(data=data or data_dir())
    target = file or Path("pochboard-bundle.zip")
    made = write_bundle(config, settings or config_dir(), target)
    click.echo(one_line(f"Collected in {made}, a ZIP file of texts. Read it before you send it."))
