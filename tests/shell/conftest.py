"""Tests of the shell open files and sockets and start threads and processes."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.forked import running_fork_server, share_fork_server
from tests.leak_check import leak_check
from tests.shell.daemons import Home
from tests.shell.server_kit import House, running_house
from tests.torture.faulty_home import FaultyHome, faulty_home
from tests.torture.shim import library

__all__ = ["leak_check", "share_fork_server"]


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """The folders in which commands and daemons run."""
    return Home(tmp_path)


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    """A server that runs in the test's process."""
    with running_house(tmp_path) as running:
        yield running


@pytest.fixture
def real(tmp_path: Path) -> Iterator[House]:
    """A server whose board is not a simulated one."""
    with running_house(tmp_path, simulated=False) as running:
        yield running


@pytest.fixture(scope="session")
def forked_with_shim() -> Iterator[None]:
    """Lets programs whose disk and clock can fail be forked, too."""
    with running_fork_server(str(library())):
        yield


@pytest.fixture
def faulty(forked_with_shim: None, tmp_path: Path) -> Iterator[FaultyHome]:
    """Folders in which programs run whose disk and clock can fail."""
    with faulty_home(tmp_path) as home:
        yield home
