"""The command line."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pochboard import __version__
from pochboard.cli.common import (
    WRONG_USE,
    config_option,
    configured,
    folders,
    listening,
    listening_at,
    one_line,
    read_catalog,
    tell,
)
from pochboard.cli.demo import demo
from pochboard.cli.doctor import doctor
from pochboard.cli.firmware import firmware
from pochboard.cli.referee import referee
from pochboard.cli.simulate import simulate
from pochboard.config import Config
from pochboard.errors import (
    CardError,
    ConfigError,
    NightError,
    NoSheetError,
    PochboardError,
    SheetError,
    UnknownNightError,
)
from pochboard.rules.ruleset import Ruleset
from pochboard.rules.seating import resolve_among
from pochboard.sheets.lines import read_sheet
from pochboard.sheets.play import SheetPlayer, run_sheet

if TYPE_CHECKING:
    from pochboard.store import Store

# Commands import what they need: the daemon's modules take longer to load than a sheet to check.


def main() -> None:
    """The entry point: an error becomes one sentence, never a traceback."""
    for stream in (sys.stdout, sys.stderr):
        # A terminal that lacks a letter of somebody's name is shown its number.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        # Said by name: started by Python itself it would be called after that.
        cli(prog_name="pochboard")
    except (CardError, ConfigError, NightError, NoSheetError, UnknownNightError) as error:
        click.echo(f"pochboard: {error}", err=True)
        sys.exit(WRONG_USE)
    except PochboardError as error:
        click.echo(f"pochboard: {error}", err=True)
        sys.exit(1)
    except BrokenPipeError:
        # Whoever read our output has enough of it; nothing more can be said, not even at exit.
        sys.stdout = None
        sys.exit(1)
    except OSError as error:
        # As a full disk under the file that the output goes to, which is then full at exit too.
        sys.stdout = None
        click.echo(f"pochboard: {error.strerror or error}.", err=True)
        sys.exit(1)


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="pochboard")
def cli() -> None:
    """A companion for playing Poch with real cards round a real board.

    \b
    Play:        pochboard run            then open the address it prints
                 pochboard run --lan      and let the phones in the house watch
                 pochboard demo           watch house players play at the simulated board
    Look back:   pochboard nights         all nights of the ledger
                 pochboard show 3         standings and ledger of night 3
    On paper:    pochboard export 3       night 3 as a score sheet
                 pochboard check FILE     does a score sheet hold?
                 pochboard import FILE    a night kept on paper enters the ledger
    Rules:       pochboard rulesets       all rulesets, your own among them
    Cards:       pochboard referee        who wins a showdown, what a hand may claim
    Practise:    pochboard simulate       nights of house players, played and counted
    Hardware:    pochboard doctor         is everything there? what mends it?
                 pochboard firmware       the program of a Pico that drives the board
    """  # noqa: D301 - to click a backspace, not a backslash, keeps a paragraph's lines apart


cli.add_command(demo)
cli.add_command(doctor)
cli.add_command(firmware)
cli.add_command(referee)
cli.add_command(simulate)


@cli.command()
@folders
@listening
def run(
    data: Path | None, settings: Path | None, lan: bool, host: str | None, port: int | None
) -> None:
    """Start the daemon: the board, the ledger and the page.

    It resumes the night in progress exactly where it was. Stop it with Ctrl-C.
    """
    from pochboard.daemon import run_daemon

    config = listening_at(configured(settings, data), lan=lan, host=host, port=port)
    run_daemon(config, read_catalog(settings), tell)


@cli.command()
@config_option
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
def check(settings: Path | None, files: tuple[Path, ...]) -> None:
    """Run score sheets and say for each whether it holds.

    Exit status 0 if all hold, 1 if one failed, 2 if one is not a score sheet.
    """
    resolve = resolve_among(read_catalog(settings).rulesets)
    status = 0
    for path in files:
        try:
            failure = run_sheet(read_sheet(_content(path)), SheetPlayer(resolve))
        except NoSheetError as error:
            click.echo(one_line(f"{path}: no score sheet: {error}"))
            status = WRONG_USE
            continue
        click.echo(one_line(f"{path}: {failure or 'ok'}"))
        if failure and not status:
            status = 1
    sys.exit(status)


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise NoSheetError(f"cannot be read: {error.strerror}") from None


@cli.command("import")
@folders
@click.option(
    "--date",
    "day",
    type=click.DateTime(["%Y-%m-%d"]),
    help="The day of the night, as 2026-11-15.  [default: today]",
)
@click.argument("file", type=click.Path(path_type=Path))
def import_(data: Path | None, settings: Path | None, day: datetime | None, file: Path) -> None:
    """Enter a night that was kept on paper into the ledger.

    It becomes a closed night of its own; a night in progress stays as it is. Beside a running
    daemon it goes through the daemon. Exit status 1 if the sheet does not hold, 2 if it is none.
    """
    from pochboard.importing import import_night

    config = configured(settings, data)
    if day is not None and not _has_time(day):
        raise click.BadParameter("no clock reaches back so far", param_hint="'--date'")
    try:
        content = _content(file)
        done = import_night(config, read_catalog(settings), content, day.date() if day else None)
    except SheetError as error:
        raise type(error)(f"{file}: {error}") from None
    for remark in done.remarks:
        click.echo(remark)
    numbers = ", ".join(map(str, done.nights))
    click.echo(f"Imported as night{'s' if len(done.nights) > 1 else ''} {numbers}.")


@cli.command()
@folders
@click.option(
    "--format",
    "form",
    type=click.Choice(["sheet"]),
    default="sheet",
    show_default=True,
    help="What to write: a score sheet.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    help="File to write, replaced if it is there.  [default: standard output]",
)
@click.argument("night", type=click.IntRange(1))
def export(
    data: Path | None, settings: Path | None, form: str, output: Path | None, night: int
) -> None:
    """Write a night as a score sheet that `check` accepts."""
    from pochboard.ledger.replay import replay
    from pochboard.sheets.write import write_sheet

    assert form == "sheet", "click lets nothing else pass"
    with _store(configured(settings, data)) as store:
        stored = store.night(night)
    book = replay(stored)
    text = write_sheet(
        book.entries, book.state, f"night {night}, {_day(stored.entries[0].time_ms)}"
    )
    if output is None:
        # A sheet is UTF-8, whatever the terminal is.
        click.echo(text.encode(), nl=False)
        return
    try:
        output.write_text(text, "utf-8")
    except OSError as error:
        raise SheetError(f"{output} cannot be written: {error.strerror}") from None


@cli.command()
@folders
def nights(data: Path | None, settings: Path | None) -> None:
    """List the nights of the ledger, the newest first."""
    with _store(configured(settings, data)) as store:
        rows = store.all_nights()
    if not rows:
        click.echo("No night has been played yet. Start the table with: pochboard run")
        return
    click.echo(f"{'night':>5}  {'date':<10}  {'ruleset':<18} {'deals':>5}  result")
    for row in rows:
        result = _result(row.standings, row.players) if row.standings else "in progress"
        day = _day(row.started_ms)
        click.echo(one_line(f"{row.number:>5}  {day}  {row.ruleset:<18} {row.deals:>5}  {result}"))


@cli.command()
@folders
@click.argument("night", type=click.IntRange(1))
def show(data: Path | None, settings: Path | None, night: int) -> None:
    """Standings and ledger of a night."""
    from pochboard.ledger.replay import replay
    from pochboard.messages.entries import sentences

    with _store(configured(settings, data)) as store:
        stored = store.night(night)
    book = replay(stored)
    state = book.state
    open_ = "" if state.phase == "closed" else ", in progress"
    click.echo(f"Night {night}, {_day(stored.entries[0].time_ms)}: {state.rules.name}{open_}\n")
    width = max(len(name) for name in state.names)
    click.echo(f"  {'':<{width}}  chips    net")
    for seat, stack, net in state.standings:
        click.echo(one_line(f"  {state.name_of(seat):<{width}}  {stack:>5}  {net:>+5}"))
    click.echo("")
    for entry, said in zip(book.entries, sentences(book.entries, book.states), strict=True):
        click.echo(one_line(f"  {entry.number:>4}  {_clock(entry.time_ms)}  {said}"))


@cli.command()
@config_option
@click.argument("name", required=False)
def rulesets(settings: Path | None, name: str | None) -> None:
    """List the rulesets, or the parameters of one.

    Your own are TOML files in the folder rulesets of the configuration folder.
    """
    catalog = read_catalog(settings)
    if name is None:
        width = max(map(len, catalog.rulesets))
        for known in catalog.rulesets.values():
            least, most = known.players
            click.echo(f"{known.name:<{width}}  {least} to {most} players  {known.source}")
        return
    ruleset = catalog.rulesets.get(name)
    if ruleset is None:
        known_names = ", ".join(catalog.rulesets)
        raise click.BadParameter(f"there is no ruleset {name!r}; known are {known_names}")
    for row in _as_toml(ruleset):
        # TOML is UTF-8, whatever the terminal is.
        click.echo(row.encode())


def _as_toml(ruleset: Ruleset) -> Iterator[str]:
    """A ruleset as the file that would make it."""
    for key, value in {"name": ruleset.name, **ruleset.parameters()}.items():
        # Of texts, numbers, truth values and lists, JSON is TOML.
        yield f"{key} = {json.dumps(value, ensure_ascii=False)}"


def _store(config: Config) -> Store:
    from pochboard.store import Store

    return Store.open(config.ledger, readonly=True)


def _has_time(day: datetime) -> bool:
    try:
        day.timestamp()
    except (ValueError, OverflowError):
        return False
    return True


def _day(time_ms: int) -> str:
    return datetime.fromtimestamp(time_ms / 1000, UTC).astimezone().strftime("%Y-%m-%d")


def _clock(time_ms: int) -> str:
    return datetime.fromtimestamp(time_ms / 1000, UTC).astimezone().strftime("%H:%M:%S")


def _result(standings: list[tuple[int, int, int]], players: list[str]) -> str:
    return ", ".join(f"{players[seat - 1]} {net:+d}" for seat, _, net in standings)
