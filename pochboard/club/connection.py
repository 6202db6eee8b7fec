"""Connections to a club, none of which can keep a caller waiting for ever."""

from __future__ import annotations

import contextlib
import os
import socket
import stat
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from ipaddress import ip_address
from pathlib import Path
from typing import Any, Final, Self

import psycopg
from psycopg import Connection
from psycopg.conninfo import conninfo_to_dict

from pochboard.config import ClubTable
from pochboard.errors import ClubError, ConfigError
from pochboard.text.lazy import LazyText, lazy_gettext, os_reason

ANSWER_S: Final = 5
"""How long the club may take to accept a connection."""
WORK_S: Final = 20.0
"""How long it may take for one piece of work, such as a batch of entries."""
_AUTHORITIES: Final = "/etc/ssl/certs/ca-certificates.crt"
"""The authorities that the machine trusts, where Debian keeps them."""
_SOCKETS: Final = Path("/var/run/postgresql")
"""Where Debian's PostgreSQL listens on its own machine; the one in psycopg looks elsewhere."""
_REFUSALS: Final = {
    "PB001": lazy_gettext("what was sent does not follow what the club has"),
    "PB002": lazy_gettext("the chain of what was sent does not hold"),
    "PB003": lazy_gettext("another board has this ledger already. Was its card copied?"),
    "3F000": lazy_gettext("there is no club in this database. Make one with: pochboard club init"),
    "42P01": lazy_gettext("there is no club in this database. Make one with: pochboard club init"),
    "42501": lazy_gettext("this user may not do that"),
    "53100": lazy_gettext("its disk is full"),
    "57P01": lazy_gettext("it is being stopped"),
}
"""Why PostgreSQL refuses something, by its error code (`schema` has those with PB)."""
_AT_THE_DOOR: Final = (
    ("password authentication failed", lazy_gettext("it refuses the user or the password")),
    ("no password supplied", lazy_gettext("it wants a password: name a club.password_file")),
    ("certificate verify failed", lazy_gettext("its certificate is refused")),
    ("server certificate for", lazy_gettext("its certificate is for another name")),
    ("server does not support SSL", lazy_gettext("it does not speak TLS")),
    ("connection timeout expired", lazy_gettext("it does not answer")),
    ("Connection refused", lazy_gettext("nothing listens there")),
    ("failed to resolve host", lazy_gettext("its name cannot be resolved")),
)
"""Parts of what libpq says when a connection fails. It has no codes for that."""


class Club:
    """An open connection to a club. Close it when done; `hang_up` may be called by any thread."""

    def __init__(self, connection: Connection, host: str) -> None:
        self.connection = connection
        self.host = host
        # A copy of libpq's descriptor, which libpq may close at any moment.
        self._line = socket.socket(fileno=os.dup(connection.fileno()))
        self._is_late = False

    @contextmanager
    def work(self, seconds: float | None = None) -> Iterator[Connection]:
        """A transaction, which is given up if it takes longer. Raises ClubError.

        A statement timeout would not help: a server that hangs does not enforce it.
        """
        watchdog = threading.Timer(seconds or WORK_S, self._end_late)
        watchdog.daemon = True
        watchdog.start()
        try:
            with club_errors(self.host), self.connection.transaction():
                yield self.connection
        except ClubError:
            if self._is_late:
                raise _error(self.host, lazy_gettext("it does not answer")) from None
            raise
        finally:
            watchdog.cancel()
            watchdog.join()

    def _end_late(self) -> None:
        self._is_late = True
        self.hang_up()

    def hang_up(self) -> None:
        """Ends whatever waits for the club, from outside: shuts its socket down."""
        with contextlib.suppress(OSError):
            self._line.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Closes the connection. May be called again."""
        self.connection.close()
        self._line.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def open_club(config: ClubTable) -> Club:
    """Connects to a club. Raises ClubError, or ConfigError if there is no address or password."""
    settings = _settings(config)
    host = _host(settings)
    with club_errors(host):
        return Club(psycopg.connect(**settings), host)


@contextmanager
def club_errors(host: str) -> Iterator[None]:
    """Turns PostgreSQL's errors into ClubError."""
    try:
        yield
    except psycopg.Error as error:
        raise _error(host, _reason(error)) from None


def _error(host: str, reason: LazyText) -> ClubError:
    return ClubError(
        lazy_gettext("The club at {host} cannot be used: {reason}.", host=host, reason=reason)
    )


def _reason(error: psycopg.Error) -> LazyText:
    if error.sqlstate in _REFUSALS:
        return _REFUSALS[error.sqlstate]
    text = (error.diag.message_primary or str(error)).splitlines()
    first = text[0] if text else type(error).__name__
    if error.sqlstate is None:
        for part, reason in _AT_THE_DOOR:
            if part in str(error):
                return reason
        if not first.startswith("connection "):
            return lazy_gettext("the connection is lost")
        first = first.rpartition("failed: ")[2].removeprefix("FATAL:").strip()
    return LazyText("{text}", text=first)


def _settings(config: ClubTable) -> dict[str, Any]:
    """What psycopg is told. Raises ConfigError."""
    if not config.url:
        raise ConfigError(
            lazy_gettext("club.url is empty, so there is no club. Give it, or use --url.")
        )
    known: dict[str, Any] = conninfo_to_dict(config.url)
    if not known.get("host") and _SOCKETS.is_dir():
        known["host"] = str(_SOCKETS)
    known |= {
        "application_name": "pochboard",
        "connect_timeout": ANSWER_S,
        "gssencmode": "disable",
        "sslmode": "prefer",
        # A peer that vanishes is noticed without a packet of ours, too.
        "keepalives_idle": 30,
        "keepalives_interval": 10,
        "keepalives_count": 3,
        "autocommit": True,
    }
    if config.password_file:
        known["password"] = _password(Path(config.password_file))
    if not _is_near(known.get("host")):
        known |= {"sslmode": "verify-full", "sslrootcert": config.ca or _AUTHORITIES}
        # From anybody who is not the club.
        known["channel_binding"] = "prefer"
    return known


def _is_near(host: str | None) -> bool:
    """Whether nothing leaves this machine on the way to a host."""
    if not host or host.startswith("/") or host == "localhost":
        return True
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def _host(settings: dict[str, Any]) -> str:
    host = settings.get("host") or "localhost"
    return f"{host}:{settings['port']}" if settings.get("port") else host


def _password(file: Path) -> str:
    """The password in a file that only its owner may read. Raises ConfigError."""
    try:
        with file.open(encoding="utf-8") as opened:
            mode = os.fstat(opened.fileno()).st_mode
            password = opened.read(1000).rstrip("\r\n")
    except (OSError, UnicodeDecodeError) as error:
        reason = os_reason(error) if isinstance(error, OSError) else "UTF-8"
        raise ConfigError(
            lazy_gettext("{file} cannot be read: {reason}.", file=file, reason=reason)
        ) from None
    if mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise ConfigError(
            lazy_gettext(
                "Others may read the password in {file}. Change that with: chmod 600 {file}",
                file=file,
            )
        )
    return password
