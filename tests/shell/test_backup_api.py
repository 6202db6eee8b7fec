"""Backups on paired phones: downloaded, or uploaded, checked and kept for the next start."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from pathlib import Path

import pytest

from pochboard.backup.archive import check_archive
from pochboard.store import Store
from tests.shell.daemons import Home
from tests.shell.server_kit import Answer, House, running_house
from tests.shell.test_server_pairing import PROXIED
from tests.torture.faulty_home import faulty_home
from tests.torture.shim import ALL_FILES, Kind

ZIP = {"Content-Type": "application/zip"}


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    with running_house(tmp_path) as running:
        running.start_night()
        yield running


def upload(house: House, body: bytes) -> Answer:
    return house.ask("POST", "/api/restore", body, ZIP)


def test_a_download_is_a_whole_backup(house: House, tmp_path: Path) -> None:
    answer = house.get("/api/backup")
    assert answer.status == 200
    assert answer.headers["content-disposition"].startswith("attachment; filename=")
    assert answer.headers["cache-control"] == "no-store"
    (tmp_path / "b.zip").write_bytes(answer.body)
    assert int(answer.headers["content-length"]) == len(answer.body)
    manifest = check_archive(tmp_path / "b.zip", tmp_path / "into")
    assert (manifest.nights, manifest.entries) == (1, 1)
    assert not (tmp_path / "download.zip").exists()


def test_only_paired_phones_get_or_send_backups(house: House) -> None:
    assert house.get("/api/backup", PROXIED).code == "not-paired"
    answer = house.ask("POST", "/api/restore", b"PK", {**ZIP, **PROXIED})
    assert (answer.status, answer.code) == (401, "not-paired")


def test_an_upload_counts_at_the_next_start(home: Home) -> None:
    with home.daemon() as daemon:
        daemon.do(do="start", ruleset="modern", players=["Anna", "Ben", "Clara"])
        saved = daemon.ask("GET", "/api/backup").body
        daemon.do(do="end")
        answer = daemon.ask("POST", "/api/restore", saved, ZIP)
        assert (answer.status, answer.json) == (200, {"nights": 1, "entries": 1})
        assert daemon.state["phase"] == "closed", "nothing changes before the start"
        daemon.do(do="undo")
        daemon.kill()
    with home.daemon() as daemon:
        assert len(daemon.get("/api/nights/1/entries")) == 1
    (replaced,) = home.data.glob("replaced-*")
    with Store.open(replaced / "ledger.db", readonly=True) as store:
        assert len(store.entries(1)) == 3


def test_a_full_disk_is_not_blamed_on_a_backup_and_shows_no_folders(tmp_path: Path) -> None:
    with faulty_home(tmp_path) as house, house.daemon() as daemon:
        daemon.do(do="start", ruleset="modern", players=["Anna", "Ben", "Clara"])
        saved = daemon.ask("GET", "/api/backup").body
        house.control.fail(Kind.WRITE, ALL_FILES, errno.ENOSPC)
        answers = [
            daemon.ask("GET", "/api/backup"),
            daemon.ask("POST", "/api/restore", saved, ZIP),
        ]
        house.control.heal()
        for answer in answers:
            assert (answer.status, answer.json["message"]) == (
                503,
                "There is no room for the backup: the disk is full. Make room and try again.",
            )
        assert daemon.ask("POST", "/api/restore", saved, ZIP).status == 200


def test_one_backup_at_a_time(house: House) -> None:
    backups = house.server.backups
    with backups.one_at_a_time() as free:
        assert free
        for answer in (house.get("/api/backup"), upload(house, b"PK")):
            assert (answer.status, answer.code) == (503, "busy")
    assert house.get("/api/backup").status == 200
