"""Tests with programs that nobody here wrote: servers, office programs, accounting tools.

`.ci/setup test` installs them, so a test may expect them to be there.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pochboard.club.serving import club_server
from pochboard.config import Config
from pochboard.rulesets.catalog import load_catalog
from pochboard.server.server import Server
from tests.browser.conftest import chromium, make_daemon, open_window, watch
from tests.forked import share_fork_server
from tests.leak_check import leak_check
from tests.outside.postgres import ClubDatabase, Postgres

__all__ = ["chromium", "leak_check", "make_daemon", "open_window", "share_fork_server", "watch"]


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """A server that the tests share."""
    server = Postgres()
    with server:
        yield server
    server.remove()


@pytest.fixture
def club(postgres: Postgres, tmp_path: Path) -> ClubDatabase:
    """An empty club."""
    club = postgres.make_club(tmp_path)
    club.init()
    return club


@pytest.fixture
def server(club: ClubDatabase, tmp_path: Path) -> Iterator[Server]:
    """The pages of a club, without a ledger of their own."""
    config = Config(data=tmp_path / "nothing", port=0, club=club.owner)
    with club_server(config, load_catalog(tmp_path)) as running:
        yield running
