"""The commands, and how their errors are reported."""

from __future__ import annotations

import io
import os
import sys
from datetime import date, datetime
from http import HTTPStatus
from http.client import HTTPException
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import urlencode

import click
from msgspec.structs import replace

from pochboard import __version__
from pochboard.cli import loading_modules
from pochboard.cli.common import (
    WRONG_USE,
    config_option,
    echo,
    echo_toml,
    folders,
    no_ruleset,
    padded,
    read_catalog,
    read_config,
    say,
    say_problem,
)
from pochboard.errors import (
    CardError,
    ConfigError,
    KnownNightError,
    NightError,
    NotASheetError,
    PochboardError,
    SheetError,
    UnknownNightError,
)
from pochboard.rules.ruleset_files import as_toml, find_ruleset
from pochboard.rules.seating import Resolve, resolve_among
from pochboard.runtime.process import (
    SWITCHED_OFF,
    DaemonInfo,
    DaemonLock,
    find_daemon,
    format_log,
    stop_event,
)
from pochboard.sheets import NO_NIGHT, Sheet, SheetPlayer, run_sheet
from pochboard.text.lazy import os_reason
from pochboard.text.unicode_names import columns, shown

if TYPE_CHECKING:
    from pochboard.config import Config
    from pochboard.table.snapshot import Imported


# Commands import what they need: loading the web server takes longer than checking a sheet.

_LATER: Final = {
    command: f"pochboard.cli.{module}"
    for module, commands in (
        ("backup", ("backup", "repair", "restore", "verify")),
        ("machine", ("card", "doctor", "firmware", "mqtt", "status", "wifi")),
        ("nights", ("export", "nights", "settle", "show", "stats")),
        ("referee", ("referee",)),
        ("simulate", ("simulate",)),
    )
    for command in commands
}
"""The modules whose commands, functions of the same name, are imported once they are wanted."""


class Program(click.Group):
    """The whole program."""

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """A command. If there is none, click compares the name with those of all others."""
        if cmd_name not in self.commands:
            for name in (cmd_name,) if cmd_name in _LATER else _LATER:
                self.add_command(getattr(import_module(_LATER[name]), name))
        return super().get_command(ctx, cmd_name)

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - as in click
        """The names of all commands."""
        return sorted({*self.commands, *_LATER})


def run_command() -> None:
    """Runs the command of `sys.argv`; an error that a user can fix is one sentence."""
    format_log()
    for stream in (sys.stdout, sys.stderr):
        # A name may have a letter that the terminal's encoding lacks: print its code instead.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        # Without the name, usage messages would say `python -m …`.
        sys.exit(cli(prog_name="pochboard", standalone_mode=False) or 0)
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        sys.exit(WRONG_USE)
    except click.UsageError as error:
        # It quotes arguments, which must not steer the terminal.
        click.UsageError(shown(error.format_message()), error.ctx).show()
        sys.exit(WRONG_USE)
    except (CardError, ConfigError, NightError, NotASheetError, UnknownNightError) as error:
        say_problem(error)
        sys.exit(WRONG_USE)
    except PochboardError as error:
        say_problem(error)
        sys.exit(1)
    except BrokenPipeError:
        # The reader has closed our output; flushing it at exit would fail again.
        sys.stdout = None
        sys.exit(1)
    except OSError as error:
        # For example a full disk; flushing the output at exit would fail again.
        sys.stdout = None
        say_problem(f"{os_reason(error)}.")
        sys.exit(1)


@click.group(
    cls=Program,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__, prog_name="pochboard")
def cli() -> None:
    """A companion for playing Poch with real cards round a real board.

    \b
    Play:        pochboard run            start the table, then open the address it prints
                 pochboard run --lan      the same, and let phones connect
    Look back:   pochboard nights         list all nights
                 pochboard show           standings and ledger of the last night
                 pochboard settle         who pays whom after the last night
                 pochboard export         write the last night to a file
                 pochboard stats          people across all nights
    On paper:    pochboard check FILE     check a score sheet
                 pochboard import FILE    add a night kept on paper to the ledger
    Maintain:    pochboard backup         back up the ledger and the configuration
                 pochboard restore FILE   restore a backup
                 pochboard verify         check the whole ledger
                 pochboard repair         save what is sound in a damaged ledger
    Rules:       pochboard rulesets       list the rulesets, your own included
    Cards:       pochboard referee        who wins a showdown, what a hand may claim
    Statistics:  pochboard simulate       let bots play many nights, and count the results
    Trouble:     pochboard status         the night, board and phones, the last backup and fault
    Hardware:    pochboard card           make the files for a card that sets up a Pi
                 pochboard doctor         find problems, and how to fix them
                 pochboard firmware       install the program for a Pico
                 pochboard wifi           the Wi-Fi of this machine, with a QR code
                 pochboard mqtt remove    take this board off the MQTT broker of the home
    """  # noqa: D301 - to click a backspace, not a backslash, keeps a paragraph's lines apart


@cli.command()
@folders
@click.option("--lan", is_flag=True, help="Listen on the LAN, so that phones can connect.")
@click.option("--host", help="Address to listen on.  [default: 127.0.0.1]")
@click.option("--port", type=click.IntRange(0, 65535), help="Port to listen on.  [default: 8441]")
@click.option(
    "--switch-off",
    is_flag=True,
    help="Let the board's buttons end the daemon with status 83, so that a service powers off.",
)
def run(
    data: Path | None,
    settings: Path | None,
    lan: bool,
    host: str | None,
    port: int | None,
    switch_off: bool,
) -> None:
    """Start the daemon: the board, the ledger and the page.

    A night in progress continues exactly where it was. Ctrl-C stops the daemon.
    """
    if lan and host:
        raise click.UsageError("Use --lan or --host, not both.")
    with stop_event() as stop:
        with loading_modules():
            from pochboard.daemon.daemon import run_daemon
            from pochboard.doctor import checked_board

        config = read_config(settings, data)
        config = replace(
            config,
            host="0.0.0.0" if lan else host or config.host,  # noqa: S104 - what --lan asks for
            port=config.port if port is None else port,
        )
        if run_daemon(
            config,
            read_catalog(settings),
            _print_line,
            stop,
            make_board=checked_board,
            may_switch_off=switch_off,
        ):
            sys.exit(SWITCHED_OFF)


def _print_line(text: str) -> None:
    """Prints a message of the daemon, which keeps running even if nobody reads its output."""
    try:
        echo(text)  # a QR code has several lines
    except OSError:
        sys.stdout = None


@cli.command(short_help="Check score sheets.")
@config_option
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
def check(settings: Path | None, files: tuple[Path, ...]) -> None:
    """Check score sheets: play each one, and compare the results with what it expects.

    The exit status is 0 if all are correct, 1 if one has an error, 2 if one is not a score sheet.
    """
    resolve = resolve_among(read_catalog(settings).rulesets)
    status = 0
    for path in files:
        try:
            player = SheetPlayer(resolve)
            sheet = Sheet(_content(path))
            failure = run_sheet(sheet, player)
        except NotASheetError as error:
            say(f"{path}: not a score sheet: {error}")
            status = WRONG_USE
            continue
        wrong = str(failure) if failure else NO_NIGHT if sheet.is_empty else None
        say(f"{path}: {wrong or 'ok'}")
        if wrong and not status:
            status = 1
    sys.exit(status)


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise NotASheetError(f"cannot be read: {os_reason(error)}") from None


@cli.command("import")
@folders
@click.option(
    "--date",
    "day",
    type=click.DateTime(["%Y-%m-%d"]),
    metavar="DATE",
    help="When the nights were played, such as 2026-11-15.  [default: as the sheet says, or today]",
)
@click.option("--again", is_flag=True, help="Import nights that are in the ledger already, too.")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
def import_(
    data: Path | None,
    settings: Path | None,
    day: datetime | None,
    again: bool,
    files: tuple[Path, ...],
) -> None:
    """Add nights that were kept on paper to the ledger.

    Each file is a score sheet. Several files are checked first, and nothing is imported if one has
    an error. The nights are added as closed nights, so a night in progress stays as it is. Nights
    that are in the ledger already are left out. The daemon may be running. The exit status is 1 if
    a sheet has an error, 2 if a file is not a sheet.
    """
    config = read_config(settings, data)
    resolve = resolve_among(read_catalog(settings).rulesets)
    contents = _contents(resolve, files)
    all_known = True
    for file, content in contents.items():
        start = f"{file}: " if len(contents) > 1 else ""
        try:
            done = _imported(config, resolve, content, day and day.date(), again=again)
        except KnownNightError as error:
            say(f"{start}{error}")
            continue
        except SheetError as error:
            raise type(error)(f"{file}: {error}") from None
        all_known = False
        for remark in done.remarks:
            say(f"{file}: {remark}")
        night = "night" if len(done.nights) == 1 else "nights"
        say(f"{start}Imported as {night} {', '.join(map(str, done.nights))}.")
    if all_known:
        say("To import a night again all the same: --again")
        sys.exit(1)


def _contents(resolve: Resolve, files: tuple[Path, ...]) -> dict[Path, bytes]:
    """The contents of score sheets; several are checked. On errors, prints all and exits."""
    from pochboard.table.ledger_nights import check_nights

    twice = next((file for file in files if files.count(file) > 1), None)
    if twice is not None:
        raise click.UsageError(f"{twice} is named twice.")
    contents: dict[Path, bytes] = {}
    statuses = []
    for file in files:
        try:
            contents[file] = _content(file)
            if len(files) > 1:
                check_nights(contents[file], resolve)
        except SheetError as error:
            say_problem(f"{file}: {error}")
            statuses.append(WRONG_USE if isinstance(error, NotASheetError) else 1)
    if statuses:
        sys.exit(max(statuses))
    return contents


def _imported(
    config: Config, resolve: Resolve, content: bytes, day: date | None, *, again: bool
) -> Imported:
    """Imports a sheet through the running daemon, or straight into the ledger file.

    Raises NotASheetError, SheetError, KnownNightError, LedgerError.
    """
    from pochboard.backup import apply_restore
    from pochboard.doctor.daemon_checks import ask_daemon
    from pochboard.store import Store
    from pochboard.table.clock import begun_ms
    from pochboard.table.ledger_nights import check_nights, import_nights
    from pochboard.table.snapshot import Imported

    daemon = find_daemon(config.data)
    if daemon is not None and daemon.url:
        # Fail here if this is not a score sheet, with the same error as without a daemon.
        Sheet(content)
        query = urlencode({"again": int(again)} | ({"day": day.isoformat()} if day else {}))
        try:
            status, answer = ask_daemon(daemon, daemon.url, f"/api/nights?{query}", content)
        except (OSError, HTTPException, ValueError) as error:
            raise PochboardError(
                f"The daemon {daemon.pid} at {daemon.url} does not answer ({error}); nothing was"
                " imported."
            ) from None
        if status == HTTPStatus.CREATED:
            return Imported(answer["nights"], answer["remarks"])
        raise (KnownNightError if status == HTTPStatus.CONFLICT else SheetError)(answer["message"])
    check_nights(content, resolve)
    played_ms = begun_ms(day) if day else None
    with DaemonLock(config.data, DaemonInfo(os.getpid())):
        apply_restore(config.data)
        with Store.open(config.ledger) as store:
            return import_nights(content, store, resolve, played_ms=played_ms, again=again)


@cli.command()
@config_option
@click.argument("name", required=False)
def rulesets(settings: Path | None, name: str | None) -> None:
    """List the rulesets, or the parameters of one.

    Put your own rulesets, as TOML files, in the subfolder rulesets of the configuration folder.
    """
    catalog = read_catalog(settings)
    if name is None:
        width = max(map(columns, catalog.rulesets))
        for known in catalog.rulesets.values():
            least, most = known.players
            players = f"{least} to {most} players"
            echo(f"{padded(known.name, width)}  {players}  {known.source}")
        return
    ruleset = find_ruleset(catalog.rulesets, name)
    if ruleset is None:
        raise click.BadParameter(no_ruleset(name, catalog.rulesets))
    for row in as_toml({"name": ruleset.name, **ruleset.parameters()}):
        echo_toml(row)
