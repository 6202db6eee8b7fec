"""`pochboard club tournament`: who sits where, and how people stand."""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

import click
from msgspec.structs import replace

from pochboard.cli.club import club_options, opened_club
from pochboard.cli.common import no_ruleset, read_catalog, read_day
from pochboard.cli.language import (
    clear_progress,
    echo,
    padded,
    say,
    show_progress,
    terminal_translator,
)
from pochboard.cli.usage import BadParameter, FilePath, Group, IntRange, UsageError, argument
from pochboard.config import Config
from pochboard.errors import ClubError
from pochboard.rules.ruleset_files import find_ruleset
from pochboard.table.clock import evening_begins, evening_of, now_ms
from pochboard.text.encodings import written_text
from pochboard.text.lazy import lazy_gettext, lazy_ngettext, os_reason
from pochboard.text.visible import columns, sight

if TYPE_CHECKING:
    from pochboard.club.seating import Seating
    from pochboard.history.tournament import Round, Tournament, TournamentResults
    from pochboard.rules.ruleset import Ruleset

_MOST_SEED: Final = 2**31 - 1


@click.group(cls=Group, short_help="Rounds at several tables: seating, results, standings.")
def tournament() -> None:
    """Hold a tournament at the club's boards.

    \b
    Before:    new, sheet
    During:    show, reseat
    Any time:  list, remove
    """  # noqa: D301 - as in `commands`


@tournament.command()
@club_options
@click.option(
    "--players",
    "file",
    type=FilePath(path_type=Path, dir_okay=False),
    help="File with a name on each line, instead of NAMES.",
)
@click.option(
    "--rounds", type=IntRange(1, 100), default=4, show_default=True, help="How many rounds."
)
@click.option(
    "--deals",
    type=IntRange(1, 1000),
    default=8,
    show_default=True,
    help="How many deals of each night count.",
)
@click.option("--ruleset", default="modern", show_default=True, help="The ruleset of all tables.")
@click.option(
    "--tables",
    type=IntRange(1, 1000),
    help="How many tables; each has 3 to 6 players.  [default: tables of 4 and 3]",
)
@click.option("--from", "day", metavar="DATE", help="The first day that counts.  [default: today]")
@click.option("--seed", type=IntRange(0, _MOST_SEED), help="The same seed gives the same seating.")
@click.option("--dry-run", is_flag=True, help="Only print the seating. Needs no club.")
@argument("name")
@argument("names", nargs=-1)
def new(
    config: Config,
    file: Path | None,
    rounds: int,
    deals: int,
    ruleset: str,
    tables: int | None,
    day: str | None,
    seed: int | None,
    dry_run: bool,
    name: str,
    names: tuple[str, ...],
) -> None:
    """Begin a tournament: search who sits where, store that, and print the sheet.

    Everybody meets as many others as possible. The same players, rounds, tables and seed give the
    same seating.
    """
    from pochboard.club.seating import table_sizes
    from pochboard.club.tournaments import add, checked_name, checked_players
    from pochboard.history.tournament import Tournament

    name = checked_name(name)
    players = checked_players(_players(file, names))
    sizes = table_sizes(len(players), tables)
    _check_sizes(_ruleset(ruleset), sizes)
    begins = evening_begins(read_day(day) or evening_of(now_ms()))
    seed = secrets.randbelow(_MOST_SEED) if seed is None else seed
    seating = _search(players, sizes, rounds, seed)
    seated = _named_rounds(seating, players)
    if not dry_run:
        with opened_club(config.club) as reached, reached.work() as connection:
            add(connection, name, ruleset, deals, begins, seated)
    _print_sheet(Tournament(0, name, ruleset, deals, 0, seated))
    _say_meetings(seating)
    say(lazy_gettext("The seed is {seed}.", seed=seed))


def _search(
    players: Sequence[str],
    sizes: Sequence[int],
    rounds: int,
    seed: int,
    before: Sequence[Round] = (),
) -> Seating:
    """Searches a seating for players who have met in the rounds before. Shows the progress."""
    from pochboard.club.seating import search_seating

    numbers = {sight(name): number for number, name in enumerate(players)}
    met = Counter(
        pair
        for tables in before
        for table in tables
        for pair in combinations(
            sorted(numbers[sight(name)] for name in table if sight(name) in numbers), 2
        )
    )
    word = terminal_translator().gettext("seating")
    try:
        return search_seating(sizes, rounds, seed, met, lambda done: show_progress(word, done))
    finally:
        clear_progress()


def _named_rounds(seating: Seating, players: Sequence[str]) -> tuple[Round, ...]:
    return tuple(
        tuple(tuple(players[player] for player in table) for table in tables)
        for tables in seating.rounds
    )


def _players(file: Path | None, names: Sequence[str]) -> Sequence[str]:
    """The names of the players, as they were given."""
    if file is None:
        return names
    if names:
        raise UsageError(lazy_gettext("Use --players or NAMES, not both."))
    try:
        text = written_text(file.read_bytes())
    except (OSError, UnicodeDecodeError) as error:
        reason = os_reason(error) if isinstance(error, OSError) else "UTF-8"
        raise ClubError(
            lazy_gettext("{file} cannot be read: {reason}.", file=file, reason=reason)
        ) from None
    return [line for line in text.splitlines() if sight(line)]


def _ruleset(name: str) -> Ruleset:
    known = read_catalog(None).rulesets
    rules = find_ruleset(known, name)
    if rules is None:
        raise BadParameter(no_ruleset(name, known), param_hint="'--ruleset'")
    return rules


def _check_sizes(rules: Ruleset, sizes: Sequence[int]) -> None:
    """Raises ClubError if a table would be too small or too large for the rules."""
    least, most = rules.players
    for size in sizes:
        if not least <= size <= most:
            raise ClubError(
                lazy_gettext(
                    "{ruleset} is for {least} to {most} players, but a table would have {players}."
                    " Choose another number with --tables.",
                    ruleset=rules.name,
                    least=least,
                    most=most,
                    players=size,
                )
            )


@tournament.command("list")
@club_options
def list_(config: Config) -> None:
    """List the tournaments, the newest first."""
    from pochboard.views.tournament import headline, tournament_facts

    t = terminal_translator()
    listed = _results(config)
    for results in listed:
        echo(
            " · ".join(
                (results.tournament.name, tournament_facts(results, t), headline(results, t))
            )
        )
    if not listed:
        say(lazy_gettext("There is no tournament yet: pochboard club tournament new"))


@tournament.command()
@club_options
@argument("name")
def show(config: Config, name: str) -> None:
    """Show the standings, and the tables of the round in progress."""
    from pochboard.views.tournament import tournament_answer

    t = terminal_translator()
    answer = tournament_answer(_named(config, name), t)
    echo(f"{answer.name} · {answer.headline}")
    echo(answer.facts)
    wide = max(columns(row.name) for row in answer.rows)
    for row in answer.rows:
        rank = f"{row.rank}." if row.played else ""
        nets = "".join(f"{net:>6}" for net in row.nets)
        echo(f"{rank:>4} {padded(row.name, wide)}  {row.net_text:>6}  {nets}".rstrip())
    for round_ in answer.rounds:
        if round_.number == answer.current:
            for table in round_.tables:
                people = ", ".join(
                    f"{player.name} {player.net_text}".rstrip() for player in table.players
                )
                place = t.gettext("Table {number}", number=table.number)
                echo(f"{place}: {people} ({table.status_text})")


@tournament.command()
@club_options
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "csv"]),
    default="text",
    help="text for the wall, csv for a spreadsheet.  [default: text]",
)
@argument("name")
def sheet(config: Config, form: Literal["text", "csv"], name: str) -> None:
    """Print who sits where, to pin to the wall.

    The page /tournament prints the same, a section for each round.
    """
    from pochboard.club.tournaments import find
    from pochboard.exports.tabular import write_seating

    with opened_club(config.club) as reached, reached.work() as connection:
        stored = find(connection, name)
    if form == "text":
        _print_sheet(stored)
        return
    # Where decimals have a comma, spreadsheets expect semicolons.
    separator = ";" if terminal_translator().decimal_mark == "," else ","
    click.echo(write_seating(stored.rounds, separator).encode(), nl=False)  # noqa: TID251 - escaped


def _print_sheet(seated: Tournament) -> None:
    """The rounds with their tables, in columns as wide as the names need."""
    t = terminal_translator()
    echo(seated.name)
    say(
        lazy_ngettext(
            "{ruleset}, {count} deal in each round.",
            "{ruleset}, {count} deals in each round.",
            seated.deals,
            ruleset=seated.ruleset,
        )
    )
    say(lazy_gettext("Whoever is named first at a table deals first."))
    wide = max(columns(name) for name in seated.players)
    for number, tables in enumerate(seated.rounds, 1):
        echo("\n" + t.gettext("Round {number}", number=number))
        for place, table in enumerate(tables, 1):
            names = "  ".join(padded(name, wide) for name in table)
            label = t.gettext("Table {number}", number=place)
            echo(f"  {label}  {names}".rstrip())
    echo("\n" + t.gettext("The table of each player, by round"))
    for name, numbers in sorted(seated.tables.items()):
        echo(f"  {padded(name, wide)}" + "".join(f"{number or '–':>4}" for number in numbers))
    echo("")


def _say_meetings(seating: Seating) -> None:
    if not seating.repeats:
        say(lazy_gettext("Nobody meets anybody twice."))
        return
    if not seating.least:
        say(
            lazy_ngettext(
                "{count} meeting is a repeat.", "{count} meetings are repeats.", seating.repeats
            )
        )
        return
    say(
        lazy_ngettext(
            "{count} meeting is a repeat. No seating has fewer than {least}.",
            "{count} meetings are repeats. No seating has fewer than {least}.",
            seating.repeats,
            least=seating.least,
        )
    )


def _results(config: Config) -> Sequence[TournamentResults]:
    """The tournaments as they stand, the newest first, with what has just been sent."""
    with opened_club(config.club) as reached:
        from pochboard.club.archive import ClubArchive
        from pochboard.club.keeper import keep_up

        keep_up(reached)
    archive = ClubArchive(config.club)
    try:
        return archive.tournaments()
    finally:
        archive.close()


def _named(config: Config, name: str) -> TournamentResults:
    from pochboard.club.tournaments import unknown

    for results in _results(config):
        if sight(results.tournament.name) == sight(name):
            return results
    raise unknown(name)


@tournament.command()
@club_options
@click.option("--leaves", multiple=True, metavar="NAME", help="A player who leaves.")
@click.option("--joins", multiple=True, metavar="NAME", help="A player who joins.")
@click.option(
    "--from",
    "first",
    type=IntRange(1, 100),
    help="The first round to be seated again.  [default: the first that has not begun]",
)
@click.option("--seed", type=IntRange(0, _MOST_SEED), help="The same seed gives the same seating.")
@argument("name")
def reseat(
    config: Config,
    leaves: tuple[str, ...],
    joins: tuple[str, ...],
    first: int | None,
    seed: int | None,
    name: str,
) -> None:
    """Seat the rounds to come again, because somebody leaves or joins.

    Rounds that have begun stay, with what was won in them. People who have met there meet again as
    rarely as possible.
    """
    from pochboard.club import tournaments
    from pochboard.club.seating import fitting_tables, table_sizes

    results = _named(config, name)
    begun = max(
        (n for n, tables in enumerate(results.rounds, 1) if any(table.night for table in tables)),
        default=0,
    )
    first = begun + 1 if first is None else first
    if first <= begun:
        raise ClubError(lazy_gettext("Round {number} has begun already.", number=begun))
    if first > len(results.rounds):
        raise ClubError(lazy_gettext("All rounds have begun already."))
    with opened_club(config.club) as reached:
        with reached.work() as connection:
            known = tournaments.find(connection, name)
        before, after = known.rounds[: first - 1], known.rounds[first - 1 :]
        players = _changed([name for table in after[0] for name in table], leaves, joins)
        sizes = table_sizes(len(players), fitting_tables(len(players), len(after[0])))
        _check_sizes(_ruleset(known.ruleset), sizes)
        seed = secrets.randbelow(_MOST_SEED) if seed is None else seed
        seating = _search(players, sizes, len(after), seed, before)
        seated = _named_rounds(seating, players)
        with reached.work() as connection:
            tournaments.reseat(connection, known.number, first, seated)
    _print_sheet(replace(known, rounds=(*before, *seated)))
    _say_meetings(seating)
    say(lazy_gettext("The seed is {seed}.", seed=seed))


def _changed(players: Sequence[str], leaves: Sequence[str], joins: Sequence[str]) -> list[str]:
    """The players without those who leave, and with those who join. Raises ClubError."""
    from pochboard.club.tournaments import checked_players

    gone = {sight(name) for name in leaves}
    for name in leaves:
        if sight(name) not in map(sight, players):
            raise ClubError(lazy_gettext("{name} does not play in this round.", name=name))
    return checked_players([*(name for name in players if sight(name) not in gone), *joins])


@tournament.command()
@club_options
@argument("name")
def remove(config: Config, name: str) -> None:
    """Remove a tournament. The nights that were played stay."""
    from pochboard.club import tournaments

    with opened_club(config.club) as reached, reached.work() as connection:
        tournaments.remove(connection, tournaments.find(connection, name).number)
    say(lazy_gettext("The tournament is removed. Its nights stay."))
