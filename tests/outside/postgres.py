"""A real PostgreSQL of Debian's, and clubs in it."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final, Self

import psycopg
from psycopg import Connection

from pochboard.club import admin, schema
from pochboard.club.connection import open_club
from pochboard.config import ClubTable
from pochboard.store import End, Store
from tests.outside.nginx import LOOPBACK, free_port, listens, make_certificate
from tests.shell.daemons import Home
from tests.shell.server_kit import wait_until

PROGRAMS: Final = max(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda at: int(at.parent.name))
OWNER: Final = "owner"
SECRET: Final = "secret of the owner"
_SETTINGS: Final = """
listen_addresses = '127.0.0.1,127.0.0.2'
port = {port}
unix_socket_directories = ''
fsync = off
shared_buffers = 16MB
log_statement = all
ssl = on
ssl_cert_file = '{folder}/certificate'
ssl_key_file = '{folder}/key'
"""
_RIGHTS: Final = "host all all 127.0.0.0/8 scram-sha-256\n"
_AS_OWNER: Final = f"CREATE ROLE {OWNER} LOGIN CREATEROLE CREATEDB PASSWORD '{SECRET}'"

NIGHT: list[dict[str, Any]] = [
    {"do": "start", "ruleset": "modern", "players": ["Anna", "Jörg", "Clara"]},
    {"do": "deal"},
    {"do": "claim", "seat": 2, "pool": "ace"},
    {"do": "next"},
    {"do": "stake", "seat": 2, "chips": 2},
    {"do": "pass", "seat": 3},
    {"do": "pass", "seat": 1},
]


class Postgres:
    """A server that can be killed, started again on its port, and made to hang."""

    def __init__(self, more: str = "") -> None:
        """`more` are settings that replace those of the tests."""
        # Not below pytest's folders, which nobody but their owner may enter: PostgreSQL refuses to
        # be started by root.
        self.folder = Path(tempfile.mkdtemp(prefix="club-"))
        self.port = free_port()
        self._user: dict[str, Any] = {}
        if os.geteuid() == 0:
            account = pwd.getpwnam("postgres")
            self._user = {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}
        make_certificate(self.folder)
        (self.folder / "password").write_text(SECRET)
        self._own()
        self._run("initdb", "-U", "root", "-E", "UTF8", "--locale=C", "-N", "-A", "scram-sha-256",
                  f"--pwfile={self.folder}/password")  # fmt: skip
        settings = _SETTINGS.format(port=self.port, folder=self.folder) + more
        with (self.data / "postgresql.conf").open("a") as file:
            file.write(settings)
        (self.data / "pg_hba.conf").write_text(_RIGHTS)
        self._process: subprocess.Popen[bytes] | None = None
        self._count = 0

    @property
    def data(self) -> Path:
        return self.folder / "data"

    @property
    def log(self) -> str:
        """All that it has logged, every statement included."""
        return (self.folder / "log").read_text("utf-8", "replace")

    def _own(self) -> None:
        if self._user:
            for path in (self.folder, *self.folder.iterdir()):
                os.chown(path, self._user["user"], self._user["group"])

    def _run(self, program: str, *words: str) -> None:
        command = [str(PROGRAMS / program), "-D", str(self.data), *words]
        subprocess.run(command, check=True, capture_output=True, cwd=self.folder, **self._user)

    def __enter__(self) -> Self:
        """Starts it."""
        with (self.folder / "log").open("ab") as log:
            command = [str(PROGRAMS / "postgres"), "-D", str(self.data)]
            self._process = subprocess.Popen(
                command, stdout=log, stderr=log, cwd=self.folder, **self._user
            )
        assert listens(self._process, self.port), self.log
        ready = [str(PROGRAMS / "pg_isready"), "-q", "-h", LOOPBACK, "-p", str(self.port)]
        wait_until("it is ready", lambda: subprocess.run(ready, check=False).returncode == 0)
        return self

    def __exit__(self, *_: object) -> None:
        """Kills it, as if the plug was pulled."""
        assert self._process is not None
        self._process.send_signal(signal.SIGQUIT)
        self._process.wait()

    def remove(self) -> None:
        shutil.rmtree(self.folder)

    @contextmanager
    def hanging(self) -> Iterator[None]:
        """It does nothing, and keeps its connections."""
        assert self._process is not None
        children = Path(f"/proc/{self._process.pid}/task/{self._process.pid}/children")
        pids = [self._process.pid, *map(int, children.read_text().split())]
        _signal_all(pids, signal.SIGSTOP)
        try:
            yield
        finally:
            _signal_all(pids, signal.SIGCONT)

    def connect(self, database: str, user: str = "root", password: str = SECRET) -> Connection:
        """A connection of its own kind, as strangers make one."""
        return psycopg.connect(
            host=LOOPBACK, port=self.port, dbname=database, user=user, password=password,
            autocommit=True, connect_timeout=60,
        )  # fmt: skip

    def make_club(self, folder: Path) -> ClubDatabase:
        """A database with an empty club. Its owner is no superuser."""
        self._count += 1
        name = f"club_{self._count}"
        with self.connect("postgres") as connection:
            if not connection.execute(
                "SELECT 1 FROM pg_roles WHERE rolname = %s", (OWNER,)
            ).rowcount:
                connection.execute(_AS_OWNER)
            connection.execute(f"CREATE DATABASE {name} OWNER {OWNER}")
        return ClubDatabase(self, name, folder)


def _signal_all(pids: list[int], number: signal.Signals) -> None:
    for pid in pids:
        with suppress(ProcessLookupError):  # a child that has ended since
            os.kill(pid, number)


class ClubDatabase:
    """A club, and how its owner and its boards reach it."""

    def __init__(self, server: Postgres, name: str, folder: Path) -> None:
        self.server = server
        self.name = name
        self.folder = folder
        self.owner = self.table(OWNER, SECRET)

    def table(self, user: str, password: str) -> ClubTable:
        """The part of a configuration with which a user reaches it."""
        file = self.folder / f"{self.name}-{user}.password"
        file.write_text(f"{password}\n")
        file.chmod(0o600)
        url = f"postgresql://{user}@{LOOPBACK}:{self.server.port}/{self.name}"
        return ClubTable(url=url, password_file=str(file))

    def words(self, table: ClubTable) -> list[str]:
        """The options of a command that reaches it so."""
        return ["--url", table.url, "--password-file", table.password_file]

    def init(self) -> None:
        with open_club(self.owner) as club, club.work() as connection:
            schema.migrate(connection)

    def add(self, board: str) -> ClubTable:
        """Adds a board, and returns how it reaches the club."""
        with open_club(self.owner) as club, club.work() as connection:
            return self.table(*admin.add_board(connection, board))

    def connect(self, table: ClubTable) -> Connection:
        """A connection that is not ours, with a user's password."""
        user = table.url.partition("://")[2].partition("@")[0]
        return self.server.connect(self.name, user, Path(table.password_file).read_text().strip())


class Board:
    """A board of a club, with its own folders."""

    def __init__(self, club: ClubDatabase, name: str) -> None:
        self.table = club.add(name)
        self.home = Home(club.folder / name)
        self.home.configure(
            f'[club]\nurl = "{self.table.url}"\npassword_file = "{self.table.password_file}"\n'
        )

    def says(self, *words: str) -> str:
        """What `pochboard club` says."""
        ran = self.home.here("club", *words)
        assert (ran.status, ran.err) == (0, ""), ran
        return ran.out

    def refuses(self, *words: str) -> str:
        return self.home.here("club", *words).said

    def entries(self) -> list[tuple[Any, ...]]:
        """All rows of the ledger."""
        with Store.open(self.home.ledger, readonly=True) as store, store.outbox() as outbox:
            piece = outbox.after(End(0, outbox.ledger, 0, outbox.ledger), 10_000)
        return [*piece.nights, *piece.entries, *piece.remarks]
