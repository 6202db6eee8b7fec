"""What people at the table and on phones see when a disk or a clock fails."""

from __future__ import annotations

import errno
import threading
from typing import Any

import pytest

from pochboard.store.opening import companion
from tests.shell.server_kit import Answer, wait_until
from tests.torture.faulty_home import FaultyHome
from tests.torture.shim import ALL_FILES, File, Kind

START: dict[str, Any] = {"do": "start", "ruleset": "modern", "players": ["Anna", "Jörg", "Clara"]}
CHANGING = Kind.WRITE | Kind.SYNC | Kind.TRUNCATE | Kind.NAME
FULL = "There is no room for {path}: the disk is full. Make room and try again."
FAILED = "The disk failed while {path} was in use (disk I/O error). Check the disk."
FAULTS = {
    "full disk": (errno.ENOSPC, Kind.WRITE, FULL),
    "failed disk": (errno.EIO, CHANGING, FAILED),
    "read-only disk": (errno.EROFS, CHANGING | Kind.OPEN, FAILED),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_what_cannot_be_stored_is_refused_with_a_flash_and_works_again_with_the_disk(
    faulty: FaultyHome, fault: str
) -> None:
    error, kinds, sentence = FAULTS[fault]
    reason = sentence.format(path="the record of the nights")
    says = f"{reason} Nothing was recorded."
    # A full disk refuses the write. After another error, the commit may be on the disk.
    code, first = "not-stored", says
    if error != errno.ENOSPC:
        code = "unknown"
        first = (
            f"{reason} It is not yet known whether this was recorded. Check before you repeat it."
        )
    with faulty.daemon() as daemon:
        daemon.do(**START)
        before = daemon.state
        pixels = daemon.get("/api/board")["pixels"]
        with daemon.stream() as stream:
            stream.next("state")
            faulty.control.fail(kinds, ALL_FILES, error)
            (refused,) = daemon.press("next")
            assert (refused["code"], refused["message"]) == (code, first)
            assert stream.next("refused").data == refused, "phones say it too"
            stream.next("frame")  # the lights flash
        answer = daemon.send(do="rename", seat=1, name="Ida", id="rename")
        assert (answer.status, answer.code, answer.json["message"]) == (503, "not-stored", says)
        state = daemon.state
        assert (state.pop("fault") is None) == (code == "not-stored")
        assert {**state, "fault": None, "revision": before["revision"]} == before
        if code == "not-stored":
            wait_until("the flash is over", lambda: daemon.get("/api/board")["pixels"] == pixels)
        faulty.control.heal()
        assert daemon.press("next") == []
        dealt = daemon.state
        assert (dealt["phase"], dealt["entry"]) == ("meld", 2)
        assert "Traceback" not in daemon.errors
        daemon.kill()
    assert faulty.night() == (2, "meld")


def test_a_daemon_ends_on_a_disk_that_became_read_only_and_leaves_the_log(
    faulty: FaultyHome,
) -> None:
    error, kinds, _ = FAULTS["read-only disk"]
    with faulty.daemon() as daemon:
        daemon.do(**START)
        faulty.control.fail(kinds, ALL_FILES, error)
        assert daemon.stop() == (0, "Good night.\n")
    assert companion(faulty.ledger, "-wal").stat().st_size > 0
    faulty.control.heal()
    assert faulty.night() == (1, "idle")


@pytest.mark.parametrize("fault", FAULTS)
def test_a_daemon_that_cannot_start_on_its_disk_says_so_and_changes_nothing(
    faulty: FaultyHome, fault: str
) -> None:
    error, kinds, _ = FAULTS[fault]
    faulty.book(START, killed=True)
    faulty.control.fail(kinds, File.LEDGER | File.LOG | File.SHARED, error)
    ran = faulty.cli("run", "--port", "0")
    assert ran.status == 1
    assert str(faulty.ledger) in ran.said
    faulty.control.heal()
    assert faulty.night() == (1, "idle")


def test_a_disk_that_hangs_delays_only_the_command(faulty: FaultyHome) -> None:
    with faulty.daemon() as daemon:
        daemon.do(**START)
        answers: list[Answer] = []
        faulty.control.fail(Kind.SYNC, File.LOG, 0)
        sent = threading.Thread(target=lambda: answers.append(daemon.send(do="deal", id="one")))
        sent.start()
        try:
            wait_until("the commit waits", lambda: faulty.control.failed)
            assert daemon.state["phase"] == "idle"
            assert daemon.ask("GET", "/").status == 200
            assert daemon.get("/api/nights") is not None
            assert not answers
        finally:
            faulty.control.heal()
            sent.join()
        assert answers[0].status == 200
        assert daemon.do(do="deal", id="one") == answers[0].json["entry"]
        assert daemon.errors == ""


@pytest.mark.parametrize("days", [-20_000, -1, 1, 3650], ids=lambda days: f"{days:+} days")
def test_a_clock_that_jumps_disturbs_no_night(faulty: FaultyHome, days: int) -> None:
    with faulty.daemon() as daemon:
        daemon.do(**START)
        before = daemon.state
        with daemon.stream() as stream:
            stream.next("state")
            faulty.control.shift_clock(days * 86_400.0)
            assert daemon.press("next") == []
            assert stream.next("state").data["phase"] == "meld"
        daemon.do(do="claim", seat=1, pool="ten")
        after = daemon.state
        assert after["entry"] == 3
        assert after["revision"] > before["revision"]
        daemon.kill()
    with faulty.daemon() as daemon:
        again = daemon.state
        assert {**again, "revision": 0} == {**after, "revision": 0}
        assert again["revision"] > after["revision"]
        daemon.do(do="undo")
        assert daemon.errors == ""


def test_a_commit_that_fails_while_it_is_synced_is_reported_as_unknown_and_recorded_once(
    faulty: FaultyHome,
) -> None:
    with faulty.daemon() as daemon:
        daemon.do(**START)
        faulty.control.fail(Kind.SYNC, ALL_FILES, errno.EIO)
        answer = daemon.send(do="deal", id="deal")
        assert (answer.status, answer.code) == (503, "unknown")
        failed = FAILED.format(path="the record of the nights")
        assert answer.json["message"] == (
            f"{failed} It is not yet known whether this was recorded. Check before you repeat it."
        )
        (refused,) = daemon.press("next")
        assert refused["message"].startswith(failed)
        assert daemon.state["entry"] == 1
        daemon.kill()
        faulty.control.heal()
    with faulty.daemon() as daemon:
        assert daemon.state["fault"] is None
        assert daemon.do(do="deal", id="deal") == 2
        assert (daemon.state["phase"], daemon.state["entry"]) == ("meld", 2)
