"""Files that are replaced as a whole: a disk that fills up meanwhile leaves the old one."""

import resource
from collections.abc import Iterator
from pathlib import Path

import pytest

from pochboard.store import write_durably

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
