"""Backups that are no backups: every archive is refused with a sentence, or restored as it was."""

from __future__ import annotations

import json
import random
import re
import shutil
import sqlite3
import struct
import subprocess
import sys
import zipfile
import zlib
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from pochboard.backup import back_up, prepare_restore
from pochboard.backup.archive import write_archive
from pochboard.errors import BackupError, LedgerError
from pochboard.store import Store
from pochboard.store.rows import link
from tests.shell.daemons import Home
from tests.shell.test_backup import entries_of, files_in
from tests.shell.unguarded import unguarded

NIGHT = Path(__file__).parents[1] / "nights" / "modern-b.jsonl"
SEED = 2611


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A backup with a night, a configuration and a ruleset."""
    home = Home(tmp_path_factory.mktemp("home"))
    home.configure("places = 6\n")
    home.house_ruleset("höhle.toml", 'name = "haus"\nbase = "modern"\n')
    assert home.here("import", NIGHT).status == 0
    with Store.open(home.ledger, readonly=True) as store:
        back_up(store, home.settings, home.folder / "b.zip", made_ms=1_700_000_000_000)
    return (home.folder / "b.zip").read_bytes()


def members_of(archive: bytes, folder: Path) -> dict[str, bytes]:
    path = folder / "members.zip"
    path.write_bytes(archive)
    with zipfile.ZipFile(path) as opened:
        return {name: opened.read(name) for name in opened.namelist()}


def zipped(path: Path, members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path.read_bytes()


Manifest = dict[str, Any]


def with_manifest(change: Callable[[Manifest], object]) -> Callable[[bytes, Path], bytes]:
    def forge(good: bytes, folder: Path) -> bytes:
        members = members_of(good, folder)
        manifest = json.loads(members["manifest.json"])
        change(manifest)
        members["manifest.json"] = json.dumps(manifest).encode()
        return zipped(folder / "new.zip", members)

    return forge


def with_text(change: Callable[[bytes], bytes]) -> Callable[[bytes, Path], bytes]:
    def forge(good: bytes, folder: Path) -> bytes:
        members = members_of(good, folder)
        members["manifest.json"] = change(members["manifest.json"])
        return zipped(folder / "new.zip", members)

    return forge


def with_file(name: str, content: bytes) -> Callable[[bytes, Path], bytes]:
    """One more file, which the manifest names too."""

    def forge(good: bytes, folder: Path) -> bytes:
        members = members_of(good, folder)
        manifest = json.loads(members["manifest.json"])
        manifest["files"][name] = len(content)
        members["manifest.json"] = json.dumps(manifest).encode()
        return zipped(folder / "new.zip", {**members, name: content})

    return forge


def compressed(method: int) -> Callable[[bytes, Path], bytes]:
    return lambda good, folder: zipped(folder / "new.zip", members_of(good, folder), method)


def listed(offset: int, form: str, value: int) -> Callable[[bytes, Path], bytes]:
    """Changes a field of the last member, in the list at the end and in the header before it."""

    def forge(good: bytes, _: Path) -> bytes:
        bad = bytearray(good)
        struct.pack_into(form, bad, good.rindex(b"PK\x01\x02") + offset, value)
        if offset < 28:
            struct.pack_into(form, bad, good.rindex(b"PK\x03\x04") + offset - 2, value)
        return bytes(bad)

    return forge


def longer_than_declared(good: bytes, folder: Path) -> bytes:
    """A ledger that inflates to more than its size."""
    content = members_of(good, folder)["ledger.db"]
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = packer.compress(content + bytes(50_000_000)) + packer.flush()
    start = good.rindex(b"PK\x03\x04")
    at = good.index(b"PK\x01\x02")
    head = bytearray(good[start : start + 30 + len("ledger.db")])
    struct.pack_into("<L", head, 18, len(packed))
    listing = bytearray(good[at:-22])
    struct.pack_into("<L", listing, listing.rindex(b"PK\x01\x02") + 20, len(packed))
    end = bytearray(good[-22:])
    struct.pack_into("<L", end, 16, start + len(head) + len(packed))
    return good[:start] + bytes(head) + packed + bytes(listing) + bytes(end)


def twice(good: bytes, _: Path) -> bytes:
    """The list at the end names the ledger twice."""
    listing = good[good.rindex(b"PK\x01\x02") : -22]
    end = bytearray(good[-22:])
    counts = struct.unpack_from("<2HL", end, 8)
    struct.pack_into("<2HL", end, 8, counts[0] + 1, counts[1] + 1, counts[2] + len(listing))
    return good[:-22] + listing + bytes(end)


def overlapping(good: bytes, _: Path) -> bytes:
    """The last member begins where the one before it does."""
    bad = bytearray(good)
    last = good.rindex(b"PK\x01\x02")
    before = good.rindex(b"PK\x01\x02", 0, last)
    bad[last + 42 : last + 46] = good[before + 42 : before + 46]
    return bytes(bad)


def many(good: bytes, folder: Path) -> bytes:
    return zipped(
        folder / "n.zip", {**members_of(good, folder), **{f"{n}": b"" for n in range(1200)}}
    )


UNREADABLE = "manifest.json cannot be read"
FORGED: dict[str, tuple[Callable[[bytes, Path], bytes], str]] = {
    "nothing": (lambda _good, _: b"", "not a backup"),
    "cut off": (lambda good, _: good[:-30], "not a backup, or it is cut off"),
    "encrypted": (listed(8, "<H", 1), "ledger.db is encrypted, or packed in an unusual way"),
    "strongly encrypted": (listed(8, "<H", 0x41), "encrypted"),
    "bzip2": (compressed(zipfile.ZIP_BZIP2), "unusual way"),
    "lzma": (compressed(zipfile.ZIP_LZMA), "unusual way"),
    "an unknown method": (listed(10, "<H", 99), "unusual way"),
    "no size": (listed(24, "<L", 0), "is damaged"),
    "beyond the file": (listed(42, "<L", 2**31), "is damaged"),
    "overlapping": (overlapping, "is damaged"),
    "twice": (twice, "too many files, or one twice"),
    "too many": (many, "too many files"),
    "a path out": (with_file("../../etc/passwd", b"x"), "does not belong"),
    "an absolute path": (with_file("/etc/passwd", b"x"), "does not belong"),
    "a long name": (with_file(f"config/rulesets/{'x' * 300}.toml", b"x"), "does not belong"),
    "a name with an escape": (with_file("config/rulesets/\x9bx.toml", b"x"), "does not belong"),
    "a hidden name": (with_file("config/rulesets/.x.toml", b"x"), "does not belong"),
    "a huge ruleset": (with_file("config/rulesets/x.toml", bytes(2**21)), "x.toml is too large"),
    "a bomb": (
        with_manifest(lambda m: m["files"].update({"ledger.db": 2**40})),
        "ledger.db is too large",
    ),
    "fewer bytes": (
        with_manifest(lambda m: m["files"].update({"ledger.db": 7})),
        "ledger.db has another size",
    ),
    "more bytes": (
        with_manifest(lambda m: m["files"].update({"ledger.db": 2**24})),
        "ledger.db has another size",
    ),
    "negative bytes": (with_manifest(lambda m: m["files"].update({"ledger.db": -1})), UNREADABLE),
    **{
        f"made at {made}": (
            with_manifest(lambda m, made=made: m.update(made_ms=made)),  # type: ignore[misc]
            UNREADABLE,
        )
        for made in (2**62, -(2**62), "x", None)
    },
    "no format": (with_manifest(lambda m: m.pop("format")), UNREADABLE),
    "a newer format": (with_manifest(lambda m: m.update(format=2)), "newer pochboard"),
    "no ledger": (with_manifest(lambda m: m["files"].pop("ledger.db")), "lacks ledger.db"),
    "a missing file": (
        with_manifest(lambda m: m["files"].update({"config/rulesets/y.toml": 0})),
        "it lacks config/rulesets/y.toml",
    ),
    "a list": (with_text(lambda _: b"[]"), UNREADABLE),
    "deep": (with_text(lambda _: b"[" * 100_000), UNREADABLE),
    "a long number": (with_text(lambda text: text.replace(b"1", b"1" * 9999, 1)), UNREADABLE),
    "not UTF-8": (with_text(lambda _: b'{"format": "\xff"}'), UNREADABLE),
    "a huge manifest": (with_text(lambda text: text + b" " * 2**20), "too large"),
    "a huge size": (listed(24, "<L", 2**32 - 2), "another size"),
}


@pytest.mark.parametrize("name", FORGED)
def test_what_is_no_backup_is_refused_with_a_sentence(
    good: bytes, tmp_path: Path, name: str
) -> None:
    forge, says = FORGED[name]
    home = Home(tmp_path)
    (tmp_path / "bad.zip").write_bytes(forge(good, tmp_path))
    refused = home.here("restore", tmp_path / "bad.zip")
    assert refused.status == 1
    assert re.search(says, refused.said), refused.said
    assert files_in(home.data) == {}
    assert not list(home.data.glob(".*"))


AS_IT_WAS: dict[str, Callable[[bytes, Path], bytes]] = {
    "more than its size": longer_than_declared,
    "a link": listed(38, "<L", 0o120777 << 16),
    "a device": listed(38, "<L", 0o060600 << 16),
    "prefixed": lambda good, _: b"MZ" + good,
    "in the order of names": lambda good, folder: zipped(
        folder / "n.zip", dict(sorted(members_of(good, folder).items()))
    ),
    "with what macOS adds": lambda good, folder: zipped(
        folder / "n.zip",
        {
            **members_of(good, folder),
            **dict.fromkeys(("config/", "config/rulesets/"), b""),
            "__MACOSX/._manifest.json": b"\0\5\x16\7",
            "../../etc/passwd": b"x",
        },
    ),
}


@pytest.mark.parametrize("name", AS_IT_WAS)
def test_only_what_the_manifest_names_is_restored_and_as_plain_files(
    good: bytes, home: Home, tmp_path: Path, name: str
) -> None:
    (tmp_path / "b.zip").write_bytes(AS_IT_WAS[name](good, tmp_path))
    assert home.here("restore", tmp_path / "b.zip").status == 0
    assert home.ledger.is_file()
    assert not home.ledger.is_symlink()
    assert len(entries_of(home.ledger)) == 24
    assert set(files_in(home.settings)) == {"config.toml", "rulesets/höhle.toml"}


@pytest.mark.parametrize(
    "rename", [lambda name: f"backup/{name}", lambda name: name.replace("manifest", "m")]
)
def test_what_another_program_has_packed_in_another_way_is_refused_with_a_remedy_that_works(
    good: bytes, home: Home, tmp_path: Path, rename: Callable[[str], str]
) -> None:
    again, members = tmp_path / "again.zip", members_of(good, tmp_path)
    again.write_bytes(zipped(again, {rename(name): members[name] for name in members}))
    refused = home.here("restore", again)
    assert (refused.status, refused.said) == (
        1,
        (
            f"{again} is not a backup of pochboard: it has no manifest.json. If another program has"
            " packed it again, unpack it, and restore its ledger.db on the command line."
        ),
    )
    with zipfile.ZipFile(again) as opened:
        (ledger,) = [name for name in opened.namelist() if name.endswith("ledger.db")]
        assert home.here("restore", opened.extract(ledger, tmp_path / "unpacked")).status == 0
    assert home.here("verify").status == 0


def mutated(archive: bytes, chance: random.Random) -> bytes:
    """The archive with a few bytes changed, cut out, repeated or exchanged for interesting ones."""
    bad = bytearray(archive)
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(bad))
        if chance.random() < 0.5:  # a header, rather than what is compressed
            signatures = [m.start() for m in re.finditer(rb"PK[\x01\x03\x05]", bytes(bad))]
            at = min(
                len(bad) - 1,
                (chance.choice(signatures) if signatures else 0) + chance.randrange(46),
            )
        size = chance.choice((1, 1, 1, 2, 4, 200))
        change = chance.randrange(4)
        if change == 0:
            bad[at : at + size] = chance.randbytes(size)
        elif change == 1:
            bad[at : at + size] = chance.choice((b"\xff", b"\0", b"\x7f", b"\x80")) * size
        elif change == 2:
            del bad[at : at + size]
        else:
            bad[at:at] = bad[at : at + size]
    return bytes(bad)


def restored(archive: Path, data: Path) -> list[Any] | None:
    """The entries after a restore; None if it was refused."""
    shutil.rmtree(data, ignore_errors=True)
    try:
        prepare_restore(archive, data, uploaded=True)
    except (BackupError, LedgerError):
        assert [path.name for path in data.iterdir()] == []
        return None
    assert [path.name for path in data.iterdir()] == ["ledger.restored"]
    return list(entries_of(data / "ledger.restored"))


def test_a_changed_archive_is_refused_or_restored_as_it_was(good: bytes, tmp_path: Path) -> None:
    archive, data = tmp_path / "b.zip", tmp_path / "data"
    archive.write_bytes(good)
    expected = restored(archive, data)
    assert expected
    refused = 0
    for number in range(150):
        archive.write_bytes(mutated(good, random.Random(SEED + number)))
        entries = restored(archive, data)
        assert entries in (None, expected), f"seed {SEED + number}"
        refused += entries is None
    assert refused > 60


def test_a_changed_ledger_in_a_sound_archive_is_refused_or_restored_as_it_was(
    good: bytes, tmp_path: Path
) -> None:
    archive, data, ledger = tmp_path / "b.zip", tmp_path / "data", tmp_path / "ledger.db"
    ledger.write_bytes(members_of(good, tmp_path)["ledger.db"])
    original, expected = ledger.read_bytes(), entries_of(ledger)
    refused = 0
    for number in range(60):
        chance = random.Random(SEED + number)
        bad = bytearray(original)
        for _ in range(chance.choice((1, 1, 3, 30))):
            # Half of the changes hit the header or the schema.
            at = chance.randrange(len(bad) if chance.random() < 0.5 else 100)
            bad[at] = chance.choice((chance.randrange(256), bad[at] ^ 1 << chance.randrange(8)))
        ledger.write_bytes(bad)
        archive.unlink(missing_ok=True)
        write_archive(
            archive, {"ledger.db": ledger}, made_ms=1, nights=2, entries=24, ledger="0" * 64
        )
        entries = restored(archive, data)
        assert entries in (None, expected), f"seed {SEED + number}"
        refused += entries is None
    assert refused > 20


# Memory

MEASURE = """
import sys
from pathlib import Path
from pochboard.backup import prepare_restore
from pochboard.errors import BackupError, LedgerError

def most() -> int:
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0])

folder = Path(sys.argv[1])
prepare_restore(folder / "small.zip", folder / "data", uploaded=True)
for archive in sorted(folder.glob("large-*.zip")):
    before = most()
    try:
        prepare_restore(archive, folder / "data", uploaded=True)
    except (BackupError, LedgerError):
        pass
    print(archive.name, most() - before)
"""
"""Prints by how many kB the memory grows with each archive."""


def with_large_schema(ledger: Path) -> None:
    Store.open(ledger).close()
    with closing(sqlite3.connect(ledger)) as connection, connection:
        connection.execute("PRAGMA writable_schema = ON")
        connection.executemany(
            "INSERT INTO sqlite_schema VALUES ('table', ?, ?, 2, ?)",
            ((f"t{n}", f"t{n}", f"CREATE TABLE t{n} (a)--{'x' * 2500}") for n in range(8_000)),
        )


def with_many_postings(ledger: Path) -> None:
    """A sound chain of entries whose postings are all different, and long."""
    Store.open(ledger).close()
    with unguarded(ledger) as connection:
        ((before,),) = connection.execute("SELECT id FROM identity")
        night = (1, 1, b"{}", b"{}", 1, None)
        connection.execute("BEGIN")
        connection.execute("INSERT INTO nights VALUES (1, 1, '{}', '{}', 1, NULL)")
        for n in range(1, 3000):
            postings = json.dumps([(f"seat:{(n * 7 + k) % 999 + 1}", 0) for k in range(200)])
            columns = (n, 1, n, 1, b"{}", None, None, postings.encode())
            before = link(before, columns, night if n == 1 else None)
            connection.execute(
                "INSERT INTO entries VALUES (?, 1, ?, 1, '{}', NULL, NULL, ?, ?)",
                (n, n, postings, before),
            )
        connection.execute("COMMIT")


def zeros(ledger: Path) -> None:
    ledger.write_bytes(bytes(30_000_000))


@pytest.mark.parametrize("make", [with_large_schema, with_many_postings, zeros])
def test_the_worst_files_take_little_memory(
    good: bytes, tmp_path: Path, make: Callable[[Path], None]
) -> None:
    ledger = tmp_path / "ledger.db"
    make(ledger)
    (tmp_path / "small.zip").write_bytes(good)
    write_archive(
        tmp_path / "large-1.zip",
        {"ledger.db": ledger},
        made_ms=1,
        nights=1,
        entries=1,
        ledger="0" * 64,
    )
    measured = subprocess.run(
        [sys.executable, "-c", MEASURE, tmp_path], check=True, capture_output=True, text=True
    ).stdout
    name, grown = measured.split()
    assert name == "large-1.zip"
    assert ledger.stat().st_size > 6_000_000
    assert int(grown) < 40_000, "kB"
