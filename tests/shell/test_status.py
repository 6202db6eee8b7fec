"""`status`: information for the people at home and for those who help them."""

from __future__ import annotations

import logging
import re
from datetime import UTC, datetime
from pathlib import Path

from pochboard.backup import BackupRecord, write_record
from pochboard.config import Config
from pochboard.doctor.report import status_lines
from pochboard.table.clock import now_ms
from tests.shell.daemons import Home
from tests.shell.server_kit import running_house
from tests.shell.test_server_pairing import PROXIED

NIGHT = Path(__file__).parents[1] / "nights" / "modern-b.jsonl"


def test_without_a_daemon_it_shows_what_the_ledger_contains(home: Home) -> None:
    ran = home.here("status")
    assert (ran.status, ran.err) == (0, "")
    assert ran.out == (
        "  Daemon:  not running\n"
        f"  Ledger:  none yet in {home.data}\n"
        "  Backup:  no daily backup has been made yet\n"
    )
    home.here("import", NIGHT)
    today = datetime.now(UTC).astimezone()
    assert re.search(
        rf"\n  Ledger:  2 nights; the last one is over, {today:%Y-%m-}\d\d \d\d:\d\d\n",
        home.here("status").out,
    )


def test_it_shows_what_the_daemon_is_doing(home: Home) -> None:
    with home.daemon() as daemon:
        assert "\n  Night:   none yet\n" in home.cli("status").out
        daemon.do(do="start", ruleset="modern", players=["Anna", "Ben", "Clara"])
        daemon.do(do="deal")
        assert home.cli("backup").status == 0
        ran = home.cli("status")
        assert (ran.status, ran.err) == (0, "")
        when = r"\d{4}-\d\d-\d\d \d\d:\d\d"
        assert re.fullmatch(
            rf"  Daemon:  running at http://127.0.0.1:{daemon.port}, process {daemon.process.pid}\n"
            f"  Page:    http://localhost:{daemon.port}\n"
            "  Health:  every part responds\n"
            "  Night:   1, deal 1, Melding: Anna, Ben, Clara\n"
            "  Board:   simulator, connected\n"
            "  Phones:  0 paired\n"
            rf"  Clock:   {when} CES?T \(Europe/Berlin\)(?:; no network has set it)?\n"
            "  Fault:   none since it started\n"
            rf"  Backup:  {when}, {home.data}/backups/pochboard-[0-9a-f-]+\.zip\n",
            ran.out,
        ), ran.out


def test_the_last_fault_is_sent_to_paired_clients(tmp_path: Path) -> None:
    with running_house(tmp_path) as running:
        assert running.get("/api/fault").json == {"time_ms": None, "text": None}
        for text in ("the first", "the disk %s is full"):
            logging.getLogger("pochboard.table.journal").warning(text, *["sda"][: text.count("%")])
        fault = running.get("/api/fault").json
        assert fault["text"] == "the disk sda is full"
        assert abs(fault["time_ms"] - now_ms()) < 600_000
        assert running.get("/api/fault", PROXIED).status == 401


def lines(home: Home, record: BackupRecord) -> dict[str, tuple[bool, str]]:
    (home.data / "backups").mkdir(parents=True, exist_ok=True)
    write_record(home.data, record)
    status = status_lines(Config(data=home.data), now_ms())
    return {line.name: (line.ok, line.text) for line in status}


def test_a_backup_that_failed_or_is_late_needs_attention(home: Home) -> None:
    now = now_ms()
    assert lines(home, BackupRecord(now, "b.zip", second_file="/mnt/b.zip"))["Copy"] == (
        True,
        "/mnt/b.zip",
    )
    assert lines(home, BackupRecord(now, "b.zip", second_problem="/mnt is missing."))["Copy"] == (
        False,
        "/mnt is missing.",
    )
    assert not lines(home, BackupRecord(now - 3 * 24 * 3600 * 1000, "b.zip"))["Backup"][0]
    backup = lines(home, BackupRecord(now, problem="The disk is full."))["Backup"]
    assert not backup[0]
    assert backup[1].endswith(": The disk is full.")
    ran = home.here("status")
    assert ran.status == 1
    assert "\n! Backup:  failed " in ran.out
