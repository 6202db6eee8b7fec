"""The commands that look back: nights, settling, statistics and exports."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import Final

import click

from pochboard.cli.common import (
    echo,
    folders,
    padded,
    progress,
    read_config,
    say,
    say_problem,
)
from pochboard.config import Config
from pochboard.errors import NightError, SheetError, UnknownNightError
from pochboard.exports import FORMATS, ExportedNight
from pochboard.history import overview
from pochboard.ledger.replay import StoredNight, replay
from pochboard.ledger.results import results_of, summary_results
from pochboard.ledger.settling import read_worth, settle_night
from pochboard.messages.entries import entry_contexts, sentence
from pochboard.messages.labels import signed
from pochboard.store import Store
from pochboard.table.clock import local_time
from pochboard.text.allowed_values import quoted
from pochboard.text.lazy import os_reason
from pochboard.text.translator import ENGLISH
from pochboard.text.unicode_names import columns, sight
from pochboard.views.nights import ChipWorth, settlement_text
from pochboard.views.statistics import head_text, statistics_text

_NO_NIGHT: Final = "No night has been played yet. Start the table with: pochboard run"


@click.command()
@folders
def nights(data: Path | None, settings: Path | None) -> None:
    """List the nights of the ledger, the newest first."""
    with _store(read_config(settings, data)) as store:
        remarks = store.remarks()
        rows = [row for row in store.all_nights() if remarks.counts(row.number)]
    if not rows:
        say(_NO_NIGHT)
        return
    echo(f"night  {'date':<10}  {'ruleset':<18} deals  result")
    for row in rows:
        results = summary_results(row, remarks.aliases)
        nets = ", ".join(f"{person.name} {signed(person.net)}" for person in results)
        start = f"{row.number:>5}  {_day(row.started_ms)}  {padded(row.ruleset, 18)}"
        name = f"{remarks.names[row.number]}: " if row.number in remarks.names else ""
        say(f"{start} {row.deals:>5}  {name}{nets or 'in progress'}")


@click.command(short_help="Show the standings and the ledger of a night.")
@folders
@click.argument("night", required=False, type=click.IntRange(1))
def show(data: Path | None, settings: Path | None, night: int | None) -> None:
    """Show the standings and the ledger of a night; without a number, of the last night."""
    with _night(read_config(settings, data), night) as (stored, aliases, _):
        book = replay(stored)
        echo(_title(stored, closed=book.state.phase == "closed") + "\n")
        people = results_of(book.state, aliases)
        width = max(columns(person.name) for person in people)
        echo(f"  {'':<{width}}  chips    net")
        for person in people:
            net = f"{signed(person.net):>5}"
            say(f"  {padded(person.name, width)}  {person.stack:>5}  {net}")
        echo("")
        for context in entry_contexts(book.entries, book.states):
            entry, text = context.entry, sentence(context, ENGLISH)
            say(f"  {entry.number:>4}  {local_time(entry.time_ms):%H:%M:%S}  {text}")


@click.command(short_help="Write a night to a file.")
@folders
@click.option(
    "--format",
    "form",
    type=click.Choice(list(FORMATS)),
    default="sheet",
    show_default=True,
    help="The format of the file.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    help="File to write; an existing file is replaced.  [default: standard output]",
)
@click.argument("night", required=False, type=click.IntRange(1))
def export(
    data: Path | None,
    settings: Path | None,
    form: str,
    output: Path | None,
    night: int | None,
) -> None:
    """Write a night to a file; without a number, the last night.

    \b
    sheet          score sheet: `pochboard check` accepts it, `pochboard import` reads it
    csv            for spreadsheets: a row for each movement of chips
    csv-semicolon  the same with semicolons, as German Excel expects
    json           everything that the ledger knows of the night
    """  # noqa: D301 - to click a backspace, not a backslash, keeps lines apart
    with _night(read_config(settings, data), night) as (stored, aliases, identity):
        exported = ExportedNight(stored, replay(stored).states, local_time, aliases, identity)
        # Every format is UTF-8, whatever the terminal's encoding; the line ends of CSV are its own.
        pieces = (piece.encode() for piece in FORMATS[form].write(exported, ENGLISH))
        if output is None:
            for piece in pieces:
                click.echo(piece, nl=False)  # noqa: TID251 - escaped by its writer
            return
        try:
            with output.open("wb") as file:
                file.writelines(pieces)
        except OSError as error:
            raise SheetError(f"{output} cannot be written: {os_reason(error)}") from None


def _worth(_: click.Context, __: click.Parameter, text: str | None) -> Fraction | None:
    """The worth of a chip in hundredths of the currency."""
    if text is None:
        return None
    worth = read_worth(text)
    if worth is None:
        raise click.BadParameter(
            f"The worth of a chip must be an amount above 0, such as 0.05, not {quoted(text)}."
        )
    return worth


@click.command(short_help="Show who pays whom after a night.")
@folders
@click.option(
    "--chip",
    "worth",
    callback=_worth,
    metavar="AMOUNT",
    help="What a chip is worth, such as 0.05.  [default: settle in chips]",
)
@click.option("--currency", default="€", show_default=True, help="The sign of the currency.")
@click.option(
    "--pairwise",
    is_flag=True,
    help="Settle pairwise between the players, instead of with the fewest payments.",
)
@click.option(
    "--bank",
    "keep_bank",
    is_flag=True,
    help="Let the bank pay and be paid. Otherwise the players share what it has won or lost.",
)
@click.argument("night", required=False, type=click.IntRange(1))
def settle(
    data: Path | None,
    settings: Path | None,
    worth: Fraction | None,
    currency: str,
    pairwise: bool,
    keep_bank: bool,
    night: int | None,
) -> None:
    """Show who pays whom after a night; without a number, after the last night."""
    with _night(read_config(settings, data), night) as (stored, aliases, _):
        book = replay(stored)
        state = book.state
        if state.phase != "closed":
            raise NightError(
                f"Night {stored.number} is not over yet. It can be settled when it is."
            )
        settlement = settle_night(
            book.entries,
            book.states,
            "pairwise" if pairwise else "fewest",
            share_bank=not keep_bank,
            worth=worth or Fraction(1),
            aliases=aliases,
        )
    text = settlement_text(
        settlement, state, ChipWorth(worth, currency) if worth else None, ENGLISH
    )
    echo(_title(stored, closed=True) + "\n")
    width = max(columns(party.name) for party in text.parties)
    for party in text.parties:
        money = f"  {party.amount_text:>12}" if worth else ""
        say(f"  {padded(party.name, width)}  {party.chips_text:>6}{money}")
    echo("")
    for transfer in text.transfers:
        say(f"  {transfer.text}  ({transfer.why})")
    if text.note:
        echo(f"  {text.note}")


@click.command(short_help="Show how people did over all nights.")
@folders
@click.argument("name", required=False)
def stats(data: Path | None, settings: Path | None, name: str | None) -> None:
    """Show how people did over all finished nights, or everything about one person."""
    with _store(read_config(settings, data)) as store:
        remarks = store.remarks()
        with progress("stats") as show:
            counted = store.statistics(progress=show)
        nights = [night for night in counted.nights if remarks.counts(night.number)]
    statistics = overview(nights, remarks.aliases)
    text = statistics_text(statistics, 0, remarks.aliases, ENGLISH)
    if name is not None:
        seen = sight(remarks.aliases.get(sight(name), name))
        person = next((person for person in text.people if sight(person.name) == seen), None)
        if person is None:
            raise click.BadParameter(
                f"Nobody called {quoted(name)} has finished a night in which cards were dealt."
            )
        for fact in (*person.facts, person.luck):
            say(fact)
        for head in statistics.heads:
            if person.name in (head.winner, head.loser):
                say(head_text(head, ENGLISH))
        return
    echo(text.summary)
    if not text.people:
        return
    width = max(columns(person.name) for person in text.people)
    echo(f"\n  {'':<{width}}  {'nights':>7}  {'won':>7}  {'net':>7}")
    for person in text.people:
        counts = f"{person.nights:>7}  {person.nights_won:>7}  {person.net_text:>7}"
        say(f"  {padded(person.name, width)}  {counts}")
    echo("")
    for line in text.heads:
        say(f"  {line}")


def _store(config: Config) -> Store:
    """The ledger. A damaged one is read as far as possible, after a message."""
    store = Store.open_readable(config.ledger)
    if store.damage:
        say_problem(store.damage)
    return store


@contextmanager
def _night(
    config: Config, number: int | None
) -> Iterator[tuple[StoredNight, Mapping[str, str], str]]:
    """The night of this number, or the last one; merged names; the night's identity.

    The entries of a long night are read as long as the context is open. Raises UnknownNightError.
    """
    with _store(config) as store:
        if number is None:
            number = store.next_number() - 1
        if not number:
            raise UnknownNightError(_NO_NIGHT)
        yield store.night(number), store.remarks().aliases, store.identity(number)


def _title(stored: StoredNight, *, closed: bool) -> str:
    """The first line about a night."""
    day = _day(stored.entries[0].time_ms)
    progress = "" if closed else ", in progress"
    return f"Night {stored.number}, {day}: {stored.ruleset.name}{progress}"


def _day(time_ms: int) -> str:
    return local_time(time_ms).date().isoformat()
