"""Backups and restores: complete or absent, never overwriting, and restored unchanged."""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import sqlite3
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from pochboard.backup import (
    BACKUPS,
    BackupRecord,
    apply_restore,
    back_up,
    dated_backups,
    delete_old,
    prepare_restore,
    read_record,
)
from pochboard.backup.archive import check_archive, write_archive
from pochboard.ledger.entry import Entry
from pochboard.rulesets import load_catalog
from pochboard.store import Store
from tests.shell.daemons import Home
from tests.shell.server_kit import Answer, House, running_house
from tests.shell.test_server_pairing import PROXIED
from tests.torture.backups import ACTS, run
from tests.torture.faulty_home import faulty_home
from tests.torture.shim import ALL_FILES, Kind

NOBODY = 65_534
NIGHT = Path(__file__).parents[1] / "nights" / "modern-b.jsonl"


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = Home(tmp_path)
    home.configure("places = 6\n")
    home.house_ruleset("haus.toml", 'name = "haus"\nbase = "modern"\n')
    assert home.here("import", NIGHT).status == 0
    return home


def entries_of(ledger: Path) -> list[Entry]:
    with Store.open(ledger, readonly=True) as store:
        return [
            entry for night in store.all_nights() for entry in store.night(night.number).entries
        ]


def backed_up(home: Home, name: str = "backup.zip") -> Path:
    target = home.folder / name
    with Store.open(home.ledger, readonly=True) as store:
        back_up(store, home.settings, target, made_ms=1_700_000_000_000)
    return target


def files_in(folder: Path) -> dict[str, bytes]:
    """The files of a folder; the lock and what SQLite keeps beside a ledger may come and go."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.suffix not in (".lock", ".db-shm", ".db-wal")
    }


# Making one


def test_a_backup_has_the_ledger_the_configuration_and_the_rulesets(home: Home) -> None:
    ran = home.here("backup", home.folder / "b.zip")
    assert (ran.status, ran.err) == (0, "")
    assert ran.out == f"Backed up 2 nights with 24 entries to {home.folder / 'b.zip'}.\n"
    with zipfile.ZipFile(home.folder / "b.zip") as archive:
        assert archive.namelist() == [
            "manifest.json",
            "config/config.toml",
            "config/rulesets/haus.toml",
            "ledger.db",
        ]
        assert archive.read("config/config.toml") == b"places = 6\n"
    manifest = check_archive(home.folder / "b.zip", home.folder / "unpacked")
    assert (manifest.nights, manifest.entries) == (2, 24)
    assert entries_of(home.folder / "unpacked/ledger.db") == entries_of(home.ledger)


def test_a_backup_that_no_phone_can_send_says_so(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pochboard.cli.backup.UPLOAD_BYTES", 1000)
    assert home.here("backup", home.folder / "b.zip").out.endswith(
        "It is too large for a phone to send: restore it with `pochboard restore`.\n"
    )


def test_a_backup_is_made_beside_a_running_daemon(home: Home) -> None:
    with home.daemon() as daemon:
        daemon.do(do="start", ruleset="modern", players=["Anna", "Ben", "Clara"])
        for number in range(1, 4):
            recorded = daemon.do(do="dealer", seat=number)
            made = home.cli("backup", home.folder / f"{number}.zip")
            assert (made.status, made.err) == (0, "")
            assert f"3 nights with {24 + recorded} entries" in made.out
            into = home.folder / str(number)
            check_archive(home.folder / f"{number}.zip", into)
            assert entries_of(into / "ledger.db") == entries_of(home.ledger)


def test_nothing_is_overwritten_unless_asked(home: Home) -> None:
    target = home.folder / "b.zip"
    target.write_text("precious")
    ran = home.here("backup", target)
    assert ran.status == 1
    assert ran.said == f"{target} exists already. Choose another name, or use --force."
    assert target.read_text() == "precious"
    assert home.here("backup", "--force", target).status == 0
    check_archive(target)


def test_a_damaged_ledger_replaces_no_backup(home: Home) -> None:
    target = backed_up(home)
    good = target.read_bytes()
    with closing(sqlite3.connect(home.ledger)) as connection:
        connection.execute("DROP TRIGGER entries_update")
        connection.execute("UPDATE entries SET postings = '[]' WHERE number = 3")
        connection.commit()
        connection.execute(
            "CREATE TRIGGER entries_update BEFORE UPDATE ON entries\n"
            "BEGIN SELECT RAISE(ABORT, 'entries: what is stored is never changed'); END"
        )
    assert home.here("backup", "--force", target).status == 1
    assert target.read_bytes() == good
    assert home.here("backup").status == 1
    record = read_record(home.data)
    assert record is not None
    assert record.problem


def test_the_tokens_of_phones_are_not_in_a_backup(home: Home) -> None:
    digest = hashlib.sha256(b"token").digest()
    with Store.open(home.ledger) as store:
        store.pair(digest, "iPhone, Safari", 1)
    check_archive(backed_up(home), home.folder / "unpacked")
    copy = (home.folder / "unpacked/ledger.db").read_bytes()
    assert digest in home.ledger.read_bytes()
    assert digest not in copy
    assert b"iPhone" not in copy


def test_kills_leave_whole_backups_and_ledgers() -> None:
    results = run(every=20, offset=0)
    assert [result.problem for result in results] == [""] * len(ACTS)
    assert min(result.kills for result in results) > 2


# Restoring


def test_a_backup_restores_everything_on_a_new_machine(home: Home, tmp_path: Path) -> None:
    target = backed_up(home)
    other = Home(tmp_path / "other")
    ran = other.here("restore", target)
    assert (ran.status, ran.err) == (0, "")
    first, _, rest = ran.out.partition("\n")
    assert first.startswith(f"Restored 2 nights with 24 entries from {target}, made on 2023-11-14 ")
    assert rest == (
        "Phones have to be paired again.\n"
        f"Restored {other.settings / 'config.toml'}.\n"
        f"Restored {other.settings / 'rulesets/haus.toml'}.\n"
    )
    assert entries_of(other.ledger) == entries_of(home.ledger)
    assert files_in(other.settings) == files_in(home.settings)
    with other.daemon() as daemon:
        assert len(daemon.get("/api/nights")) == 2


@pytest.mark.parametrize(
    "name", ["\N{MAN}\u200d\N{WOMAN}", "x\x1b", "ü" * 120, os.fsdecode(b"a\xff")]
)
def test_a_ruleset_is_backed_up_and_restored_whatever_its_file_is_called(
    home: Home, tmp_path: Path, name: str
) -> None:
    (home.settings / f"rulesets/{name}.toml").write_text('name = "odd"\nbase = "modern"\n')
    other = Home(tmp_path / "other")
    assert other.here("restore", backed_up(home)).status == 0
    assert {"odd", "haus"} <= set(load_catalog(other.settings).rulesets)


def test_the_replaced_ledger_is_kept(home: Home) -> None:
    target = backed_up(home)
    assert home.here("import", "--again", NIGHT).status == 0
    newer = entries_of(home.ledger)
    ran = home.here("restore", target)
    (replaced,) = home.data.glob("replaced-*")
    assert f"The replaced ledger is in {replaced}.\n" in ran.out
    assert entries_of(replaced / "ledger.db") == newer
    assert len(entries_of(home.ledger)) == 24
    # It can be restored in turn.
    assert home.here("restore", replaced / "ledger.db").status == 0
    assert entries_of(home.ledger) == newer


def test_configuration_files_that_differ_are_kept(home: Home) -> None:
    target = backed_up(home)
    home.configure("places = 8\n")
    config = home.settings / "config.toml"
    ran = home.here("restore", target)
    assert ran.out.endswith(f"Kept {config}, which differs from the backup.\n")
    assert config.read_text() == "places = 8\n"


def test_a_restore_is_refused_while_a_daemon_runs(home: Home) -> None:
    target = backed_up(home)
    with home.daemon() as daemon:
        before = files_in(home.data)
        ran = home.cli("restore", target)
        assert ran.status == 1
        assert f"is in use by the pochboard daemon with process id {daemon.process.pid}" in ran.said
        after = files_in(home.data)
        # The running daemon itself may write this one again when it checks its ledger.
        del before["ledger.db-head"], after["ledger.db-head"]
        assert after == before
        daemon.do(do="start", ruleset="modern", players=["Anna", "Ben", "Clara"])


def test_a_restore_pairs_no_phone_whatever_the_file_says(home: Home) -> None:
    with Store.open(home.ledger) as store:
        store.pair(hashlib.sha256(b"token").digest(), "Anna's phone", 1)
    target = backed_up(home)
    aside = home.folder / "aside.db"
    shutil.copyfile(home.ledger, aside)
    for file in (target, aside):
        assert "Phones have to be paired again.\n" in home.here("restore", file).out
        with Store.open(home.ledger, readonly=True) as store:
            assert store.pairings() == []
        assert b"Anna's phone" not in home.ledger.read_bytes()


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-30])


def test_a_prepared_restore_is_applied_when_the_daemon_starts(home: Home) -> None:
    target = backed_up(home)
    assert home.here("import", "--again", NIGHT).status == 0
    with home.daemon() as daemon:
        prepare_restore(target, home.data)
        assert len(daemon.get("/api/nights")) == 4
    with home.daemon() as daemon:
        assert len(daemon.get("/api/nights")) == 2
        assert "the ledger was restored from a backup; the earlier one is in" in daemon.errors
    assert not (home.data / "ledger.restored").exists()


def test_a_folder_in_the_way_of_a_restore_is_left_alone(home: Home) -> None:
    target, before = backed_up(home), entries_of(home.ledger)
    theirs = home.data / "ledger.restored"
    theirs.mkdir()
    shutil.copyfile(target, theirs / "christmas.zip")
    shutil.copyfile(home.ledger, theirs / "ledger.db")
    kept = files_in(theirs)
    assert home.here("status").out.count("Restore") == 0
    assert apply_restore(home.data) is None
    ran = home.here("restore", target)
    assert (ran.status, ran.said) == (
        1,
        f"{theirs} is in the way. Rename it, and try again.",
    )
    assert files_in(theirs) == kept
    assert entries_of(home.ledger) == before


def test_the_second_of_two_prepared_restores_counts(home: Home) -> None:
    first = backed_up(home, "first.zip")
    assert home.here("import", "--again", NIGHT).status == 0
    second = backed_up(home, "second.zip")
    prepare_restore(second, home.data)
    prepare_restore(first, home.data)
    apply_restore(home.data)
    assert len(entries_of(home.ledger)) == 24
    assert apply_restore(home.data) is None


def test_what_root_restores_belongs_to_the_owner_of_the_folder(home: Home) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give files to others")
    target = backed_up(home)
    os.chown(home.data, NOBODY, NOBODY)
    assert home.here("restore", target).status == 0
    (replaced,) = home.data.glob("replaced-*")
    for path in (home.ledger, replaced):
        assert (path.stat().st_uid, path.stat().st_gid) == (NOBODY, NOBODY)


# Every day


@pytest.fixture
def stick(tmp_path: Path) -> Iterator[Path]:
    """A folder on another file system."""
    with tempfile.TemporaryDirectory(dir="/dev/shm") as name:
        folder = Path(name)
        assert folder.stat().st_dev != tmp_path.stat().st_dev
        yield folder


def test_a_spoiled_record_of_backups_is_none(tmp_path: Path) -> None:
    (tmp_path / BACKUPS).mkdir()
    for content in (b"{", b"{}", b'{"problem":"\xe9"}'):
        (tmp_path / BACKUPS / "last.json").write_bytes(content)
        assert read_record(tmp_path) is None


def recorded(home: Home) -> BackupRecord:
    record = read_record(home.data)
    assert record is not None
    return record


def test_the_daily_backup_goes_to_two_places(home: Home, stick: Path) -> None:
    home.configure(f'backup_to = "{stick}"\n')
    ran = home.here("backup")
    assert (ran.status, ran.err) == (0, "")
    (first,), (second,) = dated_backups(home.data / "backups"), dated_backups(stick)
    assert ran.out == f"Backed up to {first}.\nA copy is in {second}.\n"
    assert first.read_bytes() == second.read_bytes()
    check_archive(second)
    assert (recorded(home).file, recorded(home).second_file) == (str(first), str(second))


def test_a_copy_that_a_bad_stick_spoils_does_not_count(
    home: Home, stick: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.configure(f'backup_to = "{stick}"\n')
    assert home.here("backup").status == 0
    honest = shutil.copyfile

    def spoiled(source: Path, target: Path) -> Path:
        honest(source, target)
        content = bytearray(target.read_bytes())
        content[len(content) // 2] ^= 1
        target.write_bytes(content)
        return target

    (earlier,) = dated_backups(stick)
    monkeypatch.setattr(shutil, "copyfile", spoiled)
    ran = home.here("backup")
    assert ran.status == 0
    assert "damaged" in ran.err
    assert dated_backups(stick) == [earlier]


def test_a_missing_second_place_does_not_stop_the_first(home: Home, tmp_path: Path) -> None:
    home.configure(f'backup_to = "{tmp_path}/stick"\n')
    missing = f"{tmp_path}/stick is missing. Is the USB stick or disk plugged in and mounted?"
    ran = home.here("backup")
    assert (ran.status, ran.err) == (0, f"pochboard: no second copy: {missing}\n")
    (tmp_path / "stick").mkdir()
    same = (
        f"{tmp_path}/stick is on the same disk as the ledger. Is the USB stick or disk mounted"
        " there?"
    )
    ran = home.here("backup")
    assert (ran.status, ran.err) == (0, f"pochboard: no second copy: {same}\n")
    assert recorded(home).second_problem == same
    assert recorded(home).problem == ""


def series_of(home: Home) -> str:
    with Store.open(home.ledger, readonly=True) as store:
        return store.ledger_id()[:8]


def leftover(folder: Path) -> Path:
    """The working folder of a daily backup that was killed."""
    left = folder / ".daily.partial"
    left.mkdir(parents=True)
    (left / "ledger.db").write_text("half")
    (left / "config").mkdir()
    (left / "config" / "config.toml").write_text("half")
    return left


def test_leftovers_of_killed_backups_are_deleted(home: Home) -> None:
    left = leftover(home.data / "backups")
    assert home.here("backup").status == 0
    assert not left.exists()


@pytest.mark.parametrize(
    "name", [".holiday.zip.partial", ".pochboard-2026-01-01-000000.zip.partial"]
)
def test_folders_of_others_in_the_second_place_stay(home: Home, stick: Path, name: str) -> None:
    home.configure(f'backup_to = "{stick}"\n')
    victim = stick / "victim"
    victim.mkdir()
    (victim / "photo.jpg").write_text("precious")
    (stick / name).symlink_to(victim)
    (stick / ".letters.zip.partial").mkdir()
    (stick / ".letters.zip.partial" / "letter.txt").write_text("precious")
    linked = stick / f".pochboard-{series_of(home)}-2026-01-01-000001.zip.partial"
    linked.symlink_to(victim)
    before = files_in(stick)
    assert home.here("backup").status == 0
    assert recorded(home).second_problem == ""
    after = files_in(stick)
    (made,) = after.keys() - before.keys()
    assert {name: after[name] for name in before} == before
    assert made.startswith(f"pochboard-{series_of(home)}-")
    assert linked.is_symlink()


@pytest.mark.parametrize("make", [Path.touch, lambda way: way.symlink_to(way.parent / "victim")])
def test_what_is_in_the_way_of_a_backup_is_named_and_stays(
    home: Home, make: Callable[[Path], None]
) -> None:
    victim = home.folder / "victim"
    victim.mkdir()
    (victim / "photo.jpg").write_text("precious")
    way = home.folder / ".b.zip.partial"
    make(way)
    ran = home.here("backup", home.folder / "b.zip")
    assert (ran.status, ran.said) == (1, f"{way} is in the way. Rename it, and try again.")
    assert way.exists()
    assert (victim / "photo.jpg").read_text() == "precious"


def test_a_link_in_a_leftover_is_deleted_and_not_what_it_leads_to(home: Home) -> None:
    victim = home.folder / "victim"
    victim.mkdir()
    (victim / "photo.jpg").write_text("precious")
    left = leftover(home.data / "backups")
    (left / "link").symlink_to(victim)
    (left / "config" / "link").symlink_to(victim)
    (left / "file").symlink_to(victim / "photo.jpg")
    assert home.here("backup").status == 0
    assert not left.exists()
    assert (victim / "photo.jpg").read_text() == "precious"


LEDGER_ID = "0123456789abcdef" * 4


def small_backup(folder: Path, ledger: str = LEDGER_ID, entries: int = 1) -> Path:
    """A backup as far as its manifest goes."""
    path, content = folder / f"{ledger}-{entries}", folder / "content"
    content.touch()
    write_archive(path, {"ledger.db": content}, made_ms=1, nights=1, entries=entries, ledger=ledger)
    return path


def made_as(backup: Path, target: Path) -> Path:
    """This backup under the name of a daily one."""
    os.link(backup, target)
    return target


def daily(folder: Path, day: str, series: str = LEDGER_ID[:8]) -> Path:
    return folder / f"pochboard-{series}-{day}-050000.zip"


def test_the_newest_backups_are_kept(tmp_path: Path) -> None:
    backup, place = small_backup(tmp_path), tmp_path / "place"
    place.mkdir()
    days = [daily(place, f"2026-11-{number:02}") for number in range(1, 29)]
    for path in days:
        delete_old(place, made_as(backup, path), 5)
    assert dated_backups(place) == days[:-6:-1]


def test_other_files_are_left_alone_and_a_wrong_clock_deletes_little(tmp_path: Path) -> None:
    backup, place = small_backup(tmp_path), tmp_path / "place"
    place.mkdir()
    names = ("pochboard.zip", "pochboard-mine.zip", "notes.txt", "pochboard-2026-11-01-050000.zip")
    others = {place / name for name in names}
    for path in others:
        os.link(backup, path)
    days = [daily(place, f"2026-11-{number:02}") for number in range(1, 8)]
    for path in days:
        made_as(backup, path)
    ahead, behind = (daily(place, f"{year}-01-01") for year in (2099, 1970))
    assert delete_old(place, made_as(backup, ahead), 7) == days[:1]
    assert delete_old(place, made_as(backup, behind), 7) == []
    assert set(place.iterdir()) == {*others, *days[1:], ahead, behind}


def test_no_backup_of_another_ledger_is_deleted_and_none_that_holds_more(
    tmp_path: Path,
) -> None:
    place = tmp_path / "place"
    place.mkdir()
    other = small_backup(tmp_path, LEDGER_ID[::-1])
    alike = small_backup(tmp_path, LEDGER_ID[:8] + "0" * 56)
    more, less = small_backup(tmp_path, entries=9), small_backup(tmp_path, entries=8)
    days = {
        "another ledger": (other, daily(place, "2026-11-22", other.name[:8])),
        "of another ledger under our name": (alike, daily(place, "2026-11-22")),
        "with more entries": (more, place / f"pochboard-{LEDGER_ID[:8]}-2026-11-22-060000.zip"),
        "made by hand": (less, place / "pochboard-2026-11-22-070000.zip"),
    }
    for backup, path in days.values():
        made_as(backup, path)
    outdated = place / f"pochboard-{LEDGER_ID[:8]}-2026-11-22-080000.zip"
    made_as(less, outdated)
    cut_off = place / f"pochboard-{LEDGER_ID[:8]}-2026-11-22-080001.zip"
    cut_off.write_bytes(less.read_bytes()[:-1])
    link = place / f"pochboard-{LEDGER_ID[:8]}-2026-11-22-080002.zip"
    link.symlink_to(less)
    newest = made_as(less, place / f"pochboard-{LEDGER_ID[:8]}-2026-11-22-090000.zip")
    assert delete_old(place, newest, 1) == [outdated]
    kept = {newest, cut_off, link, *(path for _, path in days.values())}
    assert set(place.iterdir()) == kept


def test_boards_that_share_a_second_place_keep_their_backups(
    home: Home, stick: Path, tmp_path: Path
) -> None:
    """Another board, and this one after it was set up again, with an empty ledger."""
    home.configure(f'backup_to = "{stick}"\n')
    assert home.here("backup").status == 0
    (morning,) = dated_backups(stick)
    other = Home(tmp_path / "other")
    other.configure(f'backup_to = "{stick}"\n')
    Store.open(other.ledger).close()
    for _ in range(2):
        assert other.here("backup").status == 0
    assert dated_backups(stick, series_of(home)) == [morning]
    theirs = dated_backups(stick, series_of(other))
    assert len(theirs) == 2
    # The same ledger again goes on with its series.
    assert other.here("restore", morning).status == 0
    assert series_of(other) == series_of(home)
    assert other.here("backup").status == 0
    assert set(theirs) <= set(dated_backups(stick))
    assert len(dated_backups(stick, series_of(home))) == 2


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
        assert (answer.status, answer.json) == (200, {"nights": 3, "entries": 25})
        assert daemon.state["phase"] == "closed", "nothing changes before the start"
        daemon.do(do="undo")
        daemon.kill()
    with home.daemon() as daemon:
        assert len(daemon.get("/api/nights/3/entries")) == 1
    (replaced,) = home.data.glob("replaced-*")
    with Store.open(replaced / "ledger.db", readonly=True) as store:
        assert len(store.night(3).entries) == 3


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
    with house.server.context.backups.busy:
        for answer in (house.get("/api/backup"), upload(house, b"PK")):
            assert (answer.status, answer.code) == (503, "busy")
    assert house.get("/api/backup").status == 200
