"""`pochboard doctor`: checks of machine, board and ledger."""

from __future__ import annotations

import contextlib
import json
import logging
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from pochboard.cli.common import folders
from pochboard.cli.usage import Command, echo, echo_json, say

if TYPE_CHECKING:
    from pochboard.doctor.check import Check


@click.command(cls=Command, short_help="Find problems, and how to fix them.")
@folders
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
def doctor(data: Path | None, settings: Path | None, as_json: bool) -> None:
    """Check the machine, the board and the ledger, and say how to fix each problem.

    The exit status is 0 if everything is fine, 1 if there is something to fix. The page /build
    tests buttons, lights, display and sound, with a phone beside the board.
    """
    with _logging_off():
        sys.exit(_report(settings, data, as_json=as_json))


@contextlib.contextmanager
def _logging_off() -> Iterator[None]:
    """Keeps the log of the boards off the terminal, where the doctor prints the same problems."""
    log, nowhere = logging.getLogger("pochboard"), logging.NullHandler()
    log.addHandler(nowhere)
    try:
        yield
    finally:
        log.removeHandler(nowhere)


def _report(settings: Path | None, data: Path | None, *, as_json: bool) -> int:
    """Prints the report; returns the exit status."""
    from pochboard.doctor.report import check_all, report_lines, summary

    checks = []
    for check in check_all(settings, data):
        checks.append(check)
        if not as_json:
            for line in report_lines([check]):
                say(line)
    all_ok = all(check.ok for check in checks)
    if as_json:
        report = {"ok": all_ok, "checks": list(map(_as_json, checks))}
        echo_json(json.dumps(msgspec.to_builtins(report), ensure_ascii=False, indent=2))
    else:
        echo("")
        say(summary(checks))
    return 0 if all_ok else 1


def _as_json(check: Check) -> dict[str, Any]:
    fields = {
        key: str(value) if isinstance(value, str) else value
        for key, value in msgspec.structs.asdict(check).items()
    }
    return {"state": check.state, **fields}
