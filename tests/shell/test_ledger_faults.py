"""What people see when a real daemon's ledger is damaged, missing or unreliable."""

from __future__ import annotations

import errno
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.shell.daemons import Daemon, Home
from tests.shell.server_kit import wait_until
from tests.shell.test_store_files import traces
from tests.torture.faulty_home import FaultyHome
from tests.torture.shim import File, Kind

START: dict[str, Any] = {"do": "start", "ruleset": "modern", "players": ["Anna", "Ben", "Clara"]}
ELSEWHERE = {"X-Forwarded-For": "192.0.2.7"}
"""Marks a request as coming from a client that is not on this machine."""


def places(daemon: Daemon) -> set[str]:
    """The colours of the places."""
    return set(daemon.get("/api/board")["pixels"][-8:])


def only_red(colours: set[str]) -> bool:
    return all(colour[3:] == "0000" and colour != "#000000" for colour in colours)


def damage_last_entry(path: Path) -> None:
    """Changes one bit of a name in the newest entry."""
    data = bytearray(path.read_bytes())
    data[data.rindex(b"Berta")] ^= 2
    path.write_bytes(data)


def test_a_damaged_night_starts_a_daemon_that_says_so_and_records_nothing(home: Home) -> None:
    home.book(START, {"do": "end"}, START, {"do": "rename", "seat": 2, "name": "Berta"})
    damage_last_entry(home.ledger)
    home.configure("[times]\ntoo_soon_s = 0\n")
    before = home.ledger.read_bytes()
    with home.daemon() as daemon:
        fault = daemon.state["fault"]
        says = (
            "The record of the nights is damaged (Night 2, entry 2 is damaged: it is not what was"
            " stored). Stop pochboard, then restore a backup with `pochboard restore`, or save what"
            " is sound with `pochboard repair`."
        )
        assert fault == {
            "code": "damaged",
            "message": f"{says} Nothing can be recorded until then. A paired phone can also restore"
            " a backup: see Nights.",
        }
        assert only_red(places(daemon))
        answer = daemon.send(**START)
        assert (answer.status, answer.code) == (409, "damaged")
        assert answer.json["message"] == f"{says} Nothing was recorded."
        for place in (1, 2, 3):
            assert daemon.press(f"seat{place}") == []
        refused = [*daemon.press("next"), *daemon.press("next")]
        assert refused[-1]["code"] == "damaged"
        listed = daemon.get("/api/nights")
        assert [(night["number"], night["status"]) for night in listed] == [
            (2, "damaged"),
            (1, "over"),
        ]
        assert len(daemon.get("/api/nights/1/entries")) == 2
        assert daemon.ask("GET", "/api/nights/2").json["message"] == (
            "Night 2, entry 2 is damaged: it is not what was stored."
        )
    assert home.ledger.read_bytes() == before
    assert "Traceback" not in daemon.errors


UNREADABLE: dict[str, Callable[[bytes], bytes]] = {
    "no header": lambda ledger: bytes(512) + ledger[512:],
    "no schema": lambda ledger: ledger[:100] + bytes(924) + ledger[1024:],
    "cut off": lambda ledger: ledger[: len(ledger) // 2048 * 1024],
    "empty": lambda _: b"",
}


@pytest.mark.parametrize("what", UNREADABLE)
def test_a_ledger_that_cannot_be_read_can_be_restored_from_a_phone(home: Home, what: str) -> None:
    home.book(START)
    assert home.here("backup", home.folder / "backup.zip").status == 0
    saved = (home.folder / "backup.zip").read_bytes()
    spoilt = UNREADABLE[what](home.ledger.read_bytes())
    home.ledger.write_bytes(spoilt)
    status = home.here("status")
    assert status.status == 1
    assert "\n! Ledger:  " in status.out
    with home.daemon() as daemon:
        state = daemon.state
        assert (state["fault"]["code"], state["entry"]) == ("damaged", 0)
        assert str(home.folder) not in state["fault"]["message"]
        assert only_red(places(daemon))
        assert daemon.get("/api/nights") == []
        assert daemon.send(**START).code == "damaged"
        assert "\n! Night:   not known\n" in home.here("status").out
        answer = daemon.ask("POST", "/api/restore", saved, {"Content-Type": "application/zip"})
        assert answer.status == 200, answer
        assert home.ledger.read_bytes() == spoilt
        assert daemon.stop()[0] == 0
    with home.daemon() as daemon:
        assert (daemon.state["fault"], daemon.state["entry"]) == (None, 1)


def test_a_phone_can_be_paired_to_restore_a_ledger_that_cannot_be_read(home: Home) -> None:
    home.configure("[times]\ntoo_soon_s = 0\nlong_s = 3\n")
    home.book(START)
    assert home.here("backup", home.folder / "backup.zip").status == 0
    saved = (home.folder / "backup.zip").read_bytes()
    home.ledger.write_bytes(UNREADABLE["no schema"](home.ledger.read_bytes()))
    with home.daemon() as daemon:
        cookies = [pair_phone(daemon) for _ in range(2)]
        first, second = ({**ELSEWHERE, "Cookie": cookie} for cookie in cookies)
        listed = daemon.ask("GET", "/api/pairings", headers=second).json
        assert [(pairing["number"], pairing["this"]) for pairing in listed] == [
            (1, False),
            (2, True),
        ]
        assert daemon.ask("DELETE", "/api/pairings/1", headers=second).status == 204
        backup = {"Content-Type": "application/zip"}
        assert daemon.ask("POST", "/api/restore", saved, {**first, **backup}).status == 401
        assert daemon.ask("POST", "/api/restore", saved, {**second, **backup}).status == 200
        assert daemon.stop()[0] == 0
    with home.daemon() as daemon:
        assert (daemon.state["fault"], daemon.state["entry"]) == (None, 1)
        assert daemon.ask("GET", "/api/pairings", headers=second).status == 401


def pair_phone(daemon: Daemon) -> str:
    """Opens pairing at the board, and pairs a phone with the code. Returns its cookie."""
    assert daemon.press("next", 3_100) == []
    code = {"code": daemon.state["pairing"]["code"]}
    answer = daemon.ask("POST", "/api/pair", code, ELSEWHERE)
    assert answer.status == 200, answer
    return answer.cookie


@pytest.mark.parametrize("what", ["ledger", "folder"])
def test_a_ledger_that_is_moved_away_is_reported_and_used_again_once_it_is_back(
    home: Home, what: str
) -> None:
    with home.daemon() as daemon:
        daemon.do(**START)
        moved = home.ledger if what == "ledger" else home.data
        away = moved.with_name("away")
        moved.rename(away)
        (refused,) = daemon.press("next")
        says = (
            "The record of the nights is missing: it was deleted or moved away while pochboard was"
            " running. Put it back, or stop pochboard and restore a backup with `pochboard"
            " restore`."
        )
        assert (refused["code"], refused["message"]) == (
            "ledger-gone",
            f"{says} Nothing was recorded.",
        )
        answer = daemon.send(do="deal", id="deal")
        assert (answer.status, answer.code) == (503, "ledger-gone")
        assert daemon.state["fault"]["message"] == f"{says} Nothing can be recorded until then."
        assert daemon.state["entry"] == 1
        wait_until("the places are red", lambda: only_red(places(daemon)))
        away.rename(moved)
        wait_until("it is noticed", lambda: daemon.state["fault"] is None)
        assert daemon.do(do="deal", id="deal") == 2
        daemon.kill()
    assert home.night() == (2, "meld")


# Commits that fail


def test_a_commit_whose_outcome_is_unknown_is_not_reported_as_unrecorded(
    faulty: FaultyHome,
) -> None:
    with faulty.daemon() as daemon:
        daemon.do(**START)
        faulty.control.fail(Kind.SYNC, File.LOG | File.LEDGER | File.JOURNAL, errno.EIO)
        answer = daemon.send(do="deal", id="deal")
        failed = "The disk failed while the record of the nights was in use (disk I/O error)."
        assert (answer.status, answer.code) == (503, "unknown")
        assert answer.json["message"] == (
            f"{failed} Check the disk. It is not yet known whether this was recorded."
            " Check before you repeat it."
        )
        other = daemon.send(do="rename", seat=1, name="Ida", id="other")
        assert (other.status, other.code) == (503, "not-stored")
        assert daemon.state["fault"]["code"] == "unknown"
        assert daemon.send(do="deal", id="deal").code == "unknown"
        faulty.control.heal()
        wait_until("it is cleared up", lambda: daemon.state["fault"] is None)
        assert daemon.do(do="deal", id="deal") == 2
        assert daemon.state["entry"] == 2
        daemon.kill()
    assert faulty.night() == (2, "meld")


def test_a_read_that_fails_once_is_not_reported_as_damage(faulty: FaultyHome) -> None:
    faulty.book(START, {"do": "end"}, START)
    for first in range(1, 12, 2):
        faulty.control.fail(Kind.READ, File.LEDGER, errno.EIO, first=first, last=first)
        ran = faulty.cli("nights")
        faulty.control.heal()
        assert "damaged" not in ran.err, ran.err
        if ran.status:
            assert "The disk failed" in ran.err or "cannot be read" in ran.err
    assert "ledger.db-wal" not in traces(faulty.data)
