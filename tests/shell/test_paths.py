"""Where files are, what stands in the place of one, and how one is replaced as a whole."""

from __future__ import annotations

import os
import resource
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from pochboard.store import write_durably
from tests.shell.daemons import Home

NIGHT = Path(__file__).parents[1] / "nights" / "modern-b.jsonl"
SMALL_FILES = ("ledger.revision", "ledger.db-head", "ledger.board")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    """A home whose folder is the current one."""
    home = Home(tmp_path)
    home.configure("places = 6\n")
    assert home.here("import", NIGHT).status == 0
    monkeypatch.chdir(tmp_path)
    shutil.copy(NIGHT, "night.jsonl")
    return home


RELATIVE = {
    "backup": ["backup"],
    "backup to a file": ["backup", "b.zip"],
    "backup to a folder": ["backup", "--to", "."],
    "check": ["check", "night.jsonl"],
    "export": ["export", "2", "-o", "2.jsonl"],
    "firmware": ["firmware", "build", "firmware"],
    "import": ["import", "--again", "night.jsonl"],
    "nights": ["nights"],
    "repair": ["repair"],
    "repair to a file": ["repair", "new.db"],
    "restore": ["restore", "share/pochboard/ledger.db"],
    "rulesets": ["rulesets"],
    "settle": ["settle", "2"],
    "show": ["show", "2"],
    "simulate": ["simulate", "--nights", "1", "--jobs", "1"],
    "stats": ["stats"],
    "status": ["status"],
    "verify": ["verify"],
}
WITHOUT_DATA = {"check", "firmware", "rulesets", "simulate"}
WITHOUT_SETTINGS = {"firmware"}


@pytest.mark.parametrize("name", RELATIVE)
def test_every_command_takes_relative_paths(home: Home, name: str) -> None:
    words = [*RELATIVE[name]]
    if name not in WITHOUT_DATA:
        words += ["--data", "share/pochboard"]
    if name not in WITHOUT_SETTINGS:
        words += ["--config", "config/pochboard"]
    ran = home.here(*words)
    assert ran.status == 0, ran
    assert {path.name for path in home.folder.iterdir()} <= {
        *("share", "config", "night.jsonl", "b.zip", "2.jsonl", "firmware", "new.db"),
        *(path.name for path in home.folder.glob("pochboard-*.zip")),
    }


@pytest.mark.parametrize("kind", ["folder", "link to a pipe", "endless"])
@pytest.mark.parametrize("name", SMALL_FILES)
def test_what_stands_in_the_place_of_a_small_file_does_not_hang_the_start(
    home: Home, name: str, kind: str
) -> None:
    path = home.data / name
    path.unlink(missing_ok=True)
    if kind == "folder":
        path.mkdir()
    elif kind == "endless":
        path.symlink_to("/dev/zero")
    else:
        os.mkfifo(home.folder / "pipe")
        path.symlink_to(home.folder / "pipe")
    for words in (["nights"], ["stats"], ["verify"], ["status"]):
        assert home.cli(*words).status in (0, 1)
    if name == "ledger.db-head":
        started = home.cli("run", "--port", "0")
        assert started.status == 1
        assert f"{path} cannot be written" in started.said
        return
    with home.daemon() as daemon:
        assert daemon.state["fault"] is None
        assert daemon.stop()[0] == 0


@pytest.mark.parametrize("kind", ["pipe", "folder"])
@pytest.mark.parametrize("name", ["ledger.db-wal", "ledger.db-shm", "ledger.db-journal"])
def test_what_stands_in_the_place_of_a_log_is_named_and_stays(
    home: Home, name: str, kind: str
) -> None:
    path = home.data / name
    if kind == "pipe":
        os.mkfifo(path)
    else:
        path.mkdir()
    for words in (["nights"], ["import", NIGHT], ["run", "--port", "0"]):
        refused = home.cli(*words)
        assert refused.status == 1
        assert refused.said == (
            f"{path} is not a regular file. Move it away, or name another data folder."
        )
    assert path.exists()


OLD, NEW = b"old", bytes(100_000)


@pytest.fixture
def little_room() -> Iterator[None]:
    """Lets files grow to 50,000 bytes only, as on a disk that is nearly full."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.usefixtures("little_room")
def test_a_full_disk_leaves_the_old_file_and_nothing_beside_it(tmp_path: Path) -> None:
    file = tmp_path / "file"
    write_durably(file, OLD)
    with pytest.raises(OSError, match="File too large"):
        write_durably(file, NEW)
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("file", OLD)]


def test_a_file_is_replaced_with_the_permissions_that_it_should_have(tmp_path: Path) -> None:
    file = tmp_path / "file"
    write_durably(file, OLD, mode=0o640)
    assert (file.read_bytes(), file.stat().st_mode & 0o777) == (OLD, 0o640)
    write_durably(file, NEW, mode=0o600)
    assert (file.read_bytes(), file.stat().st_mode & 0o777) == (NEW, 0o600)
