"""`pochboard club`: several boards and their ledgers in one place."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pochboard.cli.common import folders, listening, listening_at, read_config
from pochboard.cli.language import (
    clear_progress,
    echo_toml,
    print_line,
    say,
    show_progress,
    terminal_translator,
)
from pochboard.cli.usage import FilePath, Group, UsageError, argument
from pochboard.config import ClubTable, ClubUrl, Config, config_dir
from pochboard.errors import ClubError, ConfigError
from pochboard.rulesets.catalog import load_catalog
from pochboard.runtime.packages import missing_package
from pochboard.runtime.process import stop_event
from pochboard.table.clock import local_time
from pochboard.text.lazy import lazy_gettext, lazy_ngettext

if TYPE_CHECKING:
    from pochboard.club.admin import BoardBranch
    from pochboard.club.connection import Club


@click.group(
    cls=Group,
    later={"tournament": "pochboard.cli.tournament"},
    short_help="Several boards: send, fetch, look at all of them.",
)
def club() -> None:
    """Keep the ledgers of several boards in one place, a PostgreSQL database.

    \b
    For its owner:  init, add-board, check, people, tournament, serve
    For a board:    push, fetch
    For both:       status
    """  # noqa: D301 - as in `commands`


def club_options(command: Callable[..., None]) -> Callable[..., None]:
    """The options for the folders, and for a club that is not the one of the configuration.

    The command gets the configuration with that club.
    """

    @wraps(command)
    def with_config(
        data: Path | None,
        settings: Path | None,
        url: str | None,
        password_file: Path | None,
        **more: Any,
    ) -> None:
        command(_config(data, settings, url, password_file), **more)

    named = click.option(
        "--password-file",
        type=FilePath(path_type=Path, dir_okay=False),
        help="File with the password for --url.  [default: ~/.pgpass]",
    )(with_config)
    return click.option(
        "--url",
        help="The club, such as postgresql:///club on its own machine.  [default: club.url]",
    )(folders(named))


def _config(
    data: Path | None, settings: Path | None, url: str | None, password_file: Path | None
) -> Config:
    """The configuration with the club that the options name. Raises ConfigError."""
    import msgspec

    from pochboard.text.allowed_values import why_refused

    config = read_config(settings, data)
    if url is None:
        if password_file is not None:
            raise UsageError(lazy_gettext("--password-file is for --url."))
        return config
    file = "" if password_file is None else str(password_file.absolute())
    values = {"url": url, "password_file": file, "ca": config.club.ca}
    try:
        chosen = msgspec.convert(values, ClubTable)
    except msgspec.ValidationError:
        raise ConfigError(why_refused(ClubUrl, url, "--url", bare=True)) from None
    return msgspec.structs.replace(config, club=chosen)


@contextmanager
def opened_club(config: ClubTable) -> Iterator[Club]:
    """A connection to the club. Raises ConfigError without the package for it."""
    _require_psycopg()
    from pochboard.club.connection import open_club

    with open_club(config) as club:
        yield club


def _require_psycopg() -> None:
    try:
        import psycopg  # noqa: F401 - only to find out
    except ImportError as error:
        raise ConfigError(missing_package(error, "club.url", "psycopg[binary]")) from None


@club.command()
@club_options
def init(config: Config) -> None:
    """Make a club in an empty database, or update it after an update of pochboard.

    The user owns the database and may create roles.
    """
    with opened_club(config.club) as club:
        from pochboard.club import schema

        with club.work() as connection:
            before = schema.migrate(connection)
    if before == 0:
        say(lazy_gettext("The club is ready. Add its boards: pochboard club add-board NAME"))
    elif before < schema.NEWEST:
        say(lazy_gettext("The club was updated."))
    else:
        say(lazy_gettext("The club is ready, and up to date."))


@club.command()
@club_options
@click.option("--renew", is_flag=True, help="The board is there already: a new password for it.")
@click.option(
    "--branch",
    is_flag=True,
    help="The board is there already: let it start over with the ledger it has now.",
)
@click.option(
    "--to",
    "file",
    type=FilePath(path_type=Path, dir_okay=False),
    help="Where to write the password.  [default: NAME.password]",
)
@argument("name")
def add_board(
    config: Config,
    renew: bool,
    branch: bool,
    file: Path | None,
    name: str,
) -> None:
    """Add a board: a user for it, whose password is written to a file.

    With --branch nothing that the club has is lost: the nights of both branches are shown, those
    that are in both once.
    """
    if renew and branch:
        raise UsageError(lazy_gettext("Use --renew or --branch, not both."))
    with opened_club(config.club) as club:
        from pochboard.club import admin

        if branch:
            with club.work() as connection:
                admin.open_branch(connection, name)
            say(lazy_gettext("{board} may send its ledger from the beginning.", board=name))
            return
        target = (file or Path(f"{name}.password")).absolute()
        with _new_file(target) as written, club.work() as connection:
            change = admin.renew_password if renew else admin.add_board
            role, password = change(connection, name)
            written.write(f"{password}\n".encode())
            written.flush()
            os.fsync(written.fileno())
    say(lazy_gettext("The password is in {file}. Take it to the board, and write:", file=target))
    host, _, database = config.club.url.partition("://")[2].rpartition("/")
    host = host.rpartition("@")[2] or "CLUB"
    echo_toml(
        "[club]\n"
        f'url = "postgresql://{role}@{host}/{database}"\n'
        f'password_file = "/etc/pochboard/{target.name}"'
    )


@contextmanager
def _new_file(path: Path) -> Iterator[Any]:
    """A new file that only this user may read; it is removed again if something fails."""
    try:
        opened = os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb")
    except FileExistsError:
        raise ClubError(
            lazy_gettext("{file} exists already. Name another one with --to.", file=path)
        ) from None
    with opened:
        try:
            yield opened
        except BaseException:
            path.unlink()
            raise


@club.command()
@club_options
def status(config: Config) -> None:
    """Compare this board's ledger with the club, or list the boards of a club of your own.

    Exits with 1 if the club has more than the ledger, or something else.
    """
    with opened_club(config.club) as club:
        from pochboard.club import admin, exchange

        with club.work() as connection:
            is_board = exchange.is_board(connection)
            listed = admin.branches(connection)
        if not is_board:
            for line in listed:
                _say_branch(line)
            if not listed:
                say(lazy_gettext("The club has no boards yet: pochboard club add-board NAME"))
            return
    say(exchange.compare_with_club(config).sentence)


def _say_branch(line: BoardBranch) -> None:
    branch = line.branch
    if line.received is None:
        say(lazy_gettext("{board}: nothing yet", board=branch.board))
        return
    when = local_time(int(line.received.timestamp() * 1000))
    say(
        lazy_ngettext(
            "{board}: {count} entry, the last one received on {time} (branch {branch})",
            "{board}: {count} entries, the last one received on {time} (branch {branch})",
            branch.end.position,
            board=branch.board,
            time=when.replace(tzinfo=None).isoformat(" ", "minutes"),
            branch=branch.number,
        )
    )


@club.command()
@club_options
def push(config: Config) -> None:
    """Send the club what it lacks of this ledger. The daemon does that by itself.

    The daemon may be running. Nothing is sent twice.
    """
    from pochboard.store import Store

    name = terminal_translator().gettext("entries")
    with opened_club(config.club) as club:
        from pochboard.club import exchange

        with (
            Store.open(config.ledger, readonly=True) as store,
            store.outbox() as outbox,
        ):
            count = exchange.push(club, outbox, lambda done: show_progress(name, done))
    clear_progress()
    say(
        lazy_ngettext("{count} entry was sent.", "{count} entries were sent.", count)
        if count
        else lazy_gettext("The club has everything already.")
    )


@club.command()
@club_options
def fetch(config: Config) -> None:
    """Fetch what the club has of this board beyond its ledger, as after an older backup.

    The daemon must not be running. An empty data folder gets the whole ledger: the club is a backup
    too. Every entry is checked before it is stored.
    """
    from pochboard.runtime.lock import DaemonInfo, DaemonLock
    from pochboard.store import Store

    with opened_club(config.club) as club:
        from pochboard.club import exchange

        with (
            DaemonLock.acquire(config.data, DaemonInfo(os.getpid())),
            Store.open(config.ledger) as store,
        ):
            with store.outbox() as outbox, club.work() as connection:
                branch = exchange.find_branch(connection, None)
                compared = exchange.compare(connection, outbox)
                compared.require_same()
                known = outbox.ledger == branch.ledger
            end = compared.end if known else branch.beginning
            count = store.take(branch.ledger, exchange.fetch(club, branch, end))
    say(
        lazy_ngettext("{count} entry was fetched.", "{count} entries were fetched.", count)
        if count
        else lazy_gettext("The club has no more than this ledger.")
    )


@club.command()
@club_options
def check(config: Config) -> None:
    """Check everything that the club has, independently of the database.

    Each entry is read, and its chain is computed again. A board checks its own.
    """
    with opened_club(config.club) as club:
        from pochboard.club import admin

        with club.work() as connection:
            listed = admin.branches(connection)
        total = sum(line.branch.end.position for line in listed)
        name = terminal_translator().gettext("entries")
        done = 0
        for line in listed:
            for count in admin.check(club, line.branch):
                show_progress(name, (done + count) / max(1, total))
            done += line.branch.end.position
    clear_progress()
    say(
        lazy_ngettext(
            "The club is sound: {count} entry.", "The club is sound: {count} entries.", total
        )
    )


@club.command()
@listening
@club_options
def serve(config: Config, lan: bool, host: str | None, port: int | None) -> None:
    """Serve the nights of all boards: league, tournaments, nights, replays, statistics.

    Without a club in the configuration, those of this machine's own ledger. Nothing can be changed
    on these pages. Ctrl-C stops it.
    """
    with stop_event() as stop:
        if config.club.url:
            _require_psycopg()
        from pochboard.club.serving import club_server

        config = listening_at(config, lan=lan, host=host, port=port)
        with club_server(config, load_catalog(config_dir())) as server:
            for url in server.urls():
                print_line(url)
            print_line(lazy_gettext("The club is open. Ctrl-C stops it."))
            stop.wait()


@club.command()
@club_options
@click.option("--board", help="Only at this board, where somebody else may have the same name.")
@argument("name", required=False)
@argument("called", metavar="[NAME]", required=False)
def people(config: Config, board: str | None, name: str | None, called: str | None) -> None:
    """Say what somebody is called on all pages of the club; without names, list what is said.

    The first NAME is that at the boards, the second is shown instead. So two names become one
    person, a person gets another name, or somebody who does not want to be named gets one that
    says nothing. The same NAME twice takes that back. The ledgers keep every name.
    """
    if name is not None and called is None:
        raise UsageError(lazy_gettext("Give both names, or none."))
    with opened_club(config.club) as club:
        from pochboard.club import admin

        with club.work() as connection:
            if name is not None and called is not None:
                admin.call(connection, board, name, called)
            said = admin.people(connection)
    for where, known, shown in said:
        if where is None:
            say(lazy_gettext("{name} is shown as {called}.", name=known, called=shown))
        else:
            say(
                lazy_gettext(
                    "{name} is shown as {called} at {board}.", name=known, called=shown, board=where
                )
            )
