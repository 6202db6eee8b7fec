"""Kills of a real daemon while it starts, records and stops: `make torture` does 2,000 of them."""

from __future__ import annotations

from pathlib import Path

from tests.torture.kills import run


def test_a_kill_at_any_moment_loses_nothing_and_records_nothing_twice(tmp_path: Path) -> None:
    assert set(run("of the tests", 4, tmp_path)) == {"starting", "recording", "stopping"}
