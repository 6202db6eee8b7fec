"""Tests of the shell open files and sockets and start threads and processes."""

from collections.abc import Iterator

import pytest

from tests.forked import running_fork_server, share_fork_server
from tests.leak_check import leak_check
from tests.torture.shim import library

__all__ = ["leak_check", "share_fork_server"]


@pytest.fixture(scope="session")
def forked_with_shim() -> Iterator[None]:
    """Lets programs whose disk and clock can fail be forked, too."""
    with running_fork_server(str(library())):
        yield
