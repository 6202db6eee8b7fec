"""`pochboard doctor`, `status` and `wifi`: what is wrong, and how the machine does."""

from __future__ import annotations

import contextlib
import logging
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import assert_never

import click

from pochboard.cli.common import Command, echo, folders, read_config, say
from pochboard.wifi.service import WifiError


@click.command(cls=Command, short_help="Find problems, and how to fix them.")
@folders
def doctor(data: Path | None, settings: Path | None) -> None:
    """Check the machine, the board and the ledger, and say how to fix each problem.

    The exit status is 0 if everything is fine, 1 if there is something to fix. The page /build
    tests buttons, lights, display and sound, with a phone beside the board.
    """
    with _logging_off():
        sys.exit(_report(settings, data))


@contextlib.contextmanager
def _logging_off() -> Iterator[None]:
    """Keeps the log of the boards off the terminal, where the doctor prints the same problems."""
    log, nowhere = logging.getLogger("pochboard"), logging.NullHandler()
    log.addHandler(nowhere)
    try:
        yield
    finally:
        log.removeHandler(nowhere)


def _report(settings: Path | None, data: Path | None) -> int:
    """Prints the report; returns the exit status."""
    from pochboard.doctor.report import check_all, report_lines, summary

    checks = []
    for check in check_all(settings, data):
        checks.append(check)
        for line in report_lines([check]):
            say(line)
    echo("")
    say(summary(checks))
    return 0 if all(check.ok for check in checks) else 1


@click.command(cls=Command, short_help="Show the state of the daemon, the ledger and the backups.")
@folders
def status(data: Path | None, settings: Path | None) -> None:
    """Show the state of the daemon: night, board, phones, last backup, last fault.

    If no daemon runs, show what the ledger contains. A line that needs attention begins with an
    exclamation mark, and the exit status is then 1.
    """
    from pochboard.doctor.report import printed_lines, status_lines
    from pochboard.table.clock import now_ms

    well = True
    lines = status_lines(read_config(settings, data), now_ms())
    for text, ok in printed_lines(lines):
        well = well and ok
        say(text)
    sys.exit(not well)


@click.command(
    cls=Command, short_help="Show the Wi-Fi that this machine opens, and how to join it."
)
def wifi() -> None:
    """Show the network of this machine, and its own Wi-Fi with a QR code that phones can read.

    Print it and glue it to the board: phones join this Wi-Fi where no known network is found.
    """
    from pochboard.server.routes.pairing import terminal_code
    from pochboard.wifi.wifi_state import read_state

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
