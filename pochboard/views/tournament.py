"""A tournament in words: its rounds with their tables, and the standings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import msgspec

from pochboard.messages.labels import ruleset_name, signed
from pochboard.text.translator import Translator

if TYPE_CHECKING:
    # A table has no tournaments, and starts sooner without the module.
    from pochboard.history.tournament import TableResult, TournamentResults


class SeatedPlayer(msgspec.Struct, frozen=True):
    """Somebody at a table of a round."""

    name: str
    net: int | None
    """So far; null before the first deal, and for somebody who is missing."""
    net_text: str


class TournamentTable(msgspec.Struct, frozen=True):
    """A table of a round."""

    number: int
    status: Literal["waiting", "playing", "short", "done"]
    """As `TableStatus`."""
    status_text: str
    night: int | None
    deals: int
    players: list[SeatedPlayer]
    """The first one deals first."""


class TournamentRound(msgspec.Struct, frozen=True):
    """A round and its tables."""

    number: int
    tables: list[TournamentTable]


class TournamentRow(msgspec.Struct, frozen=True):
    """How somebody stands."""

    rank: int
    name: str
    net: int
    net_text: str
    played: int
    """In how many rounds."""
    nets: list[str]
    """By round; empty where there is none."""


class TournamentSeats(msgspec.Struct, frozen=True):
    """Where somebody sits."""

    name: str
    tables: list[int | None]
    """By round; null where somebody does not play."""


class TournamentLine(msgspec.Struct, frozen=True):
    """A tournament in the list of all."""

    number: int
    name: str
    current: int | None
    """The round that is being played or is next; null after the last one."""


class TournamentAnswer(msgspec.Struct, frozen=True):
    """A tournament as it stands."""

    number: int
    name: str
    facts: str
    """How it is played."""
    meetings: str
    """How people meet."""
    current: int | None
    """The round that is being played or is next; null after the last one."""
    headline: str
    """Which round that is, or who has won."""
    rounds: list[TournamentRound]
    rows: list[TournamentRow]
    seats: list[TournamentSeats]
    """By name."""


def tournament_line(results: TournamentResults) -> TournamentLine:
    """A tournament in the list of all."""
    return TournamentLine(results.tournament.number, results.tournament.name, results.current)


def tournament_answer(results: TournamentResults, t: Translator) -> TournamentAnswer:
    """A tournament as it stands."""
    tournament = results.tournament
    return TournamentAnswer(
        tournament.number,
        tournament.name,
        tournament_facts(results, t),
        meetings_text(results, t),
        results.current,
        headline(results, t),
        [
            TournamentRound(
                number,
                [
                    _table(place, table, tournament.deals, t)
                    for place, table in enumerate(tables, 1)
                ],
            )
            for number, tables in enumerate(results.rounds, 1)
        ],
        [
            TournamentRow(
                row.rank,
                row.name,
                row.net,
                signed(row.net),
                row.played,
                ["" if net is None else signed(net) for net in row.nets],
            )
            for row in results.rows
        ],
        [TournamentSeats(*seats) for seats in sorted(tournament.tables.items())],
    )


def tournament_facts(results: TournamentResults, t: Translator) -> str:
    """How many people play, how much, and by which rules."""
    tournament = results.tournament
    players = t.ngettext("{count} player", "{count} players", len(tournament.players))
    rounds = t.ngettext("{count} round", "{count} rounds", len(tournament.rounds))
    deals = t.ngettext("{count} deal each", "{count} deals each", tournament.deals)
    return " · ".join((players, rounds, deals, ruleset_name(tournament.ruleset, t)))


def meetings_text(results: TournamentResults, t: Translator) -> str:
    """How people meet."""
    meet = results.tournament.meetings
    repeats = (
        t.ngettext("{count} meeting is a repeat.", "{count} meetings are repeats.", meet.repeats)
        if meet.repeats
        else t.gettext("Nobody meets anybody twice.")
    )
    never = (
        t.ngettext("{count} pair never meets.", "{count} pairs never meet.", meet.never)
        if meet.never
        else t.gettext("Everybody meets everybody.")
    )
    return f"{repeats} {never}"


def headline(results: TournamentResults, t: Translator) -> str:
    """Which round is being played, or who has won."""
    count = len(results.rounds)
    if results.current is not None:
        return t.gettext("Round {number} of {count}", number=results.current, count=count)
    first = [row for row in results.rows if row.rank == 1]
    if len(first) == 1:
        return t.gettext("{name} wins {tournament}", name=first[0].name,
                         tournament=results.tournament.name)  # fmt: skip
    return t.gettext(
        "{names} share the win: {tournament}",
        names=t.listed(row.name for row in first),
        tournament=results.tournament.name,
    )


def _table(number: int, table: TableResult, deals: int, t: Translator) -> TournamentTable:
    nets = table.nets or (None,) * len(table.names)
    return TournamentTable(
        number,
        table.status,
        _status(table, deals, t),
        table.night,
        table.deals,
        [
            SeatedPlayer(name, net, "" if net is None else signed(net))
            for name, net in zip(table.names, nets, strict=True)
        ],
    )


def _status(table: TableResult, deals: int, t: Translator) -> str:
    match table.status:
        case "waiting":
            return t.gettext("not begun")
        case "playing":
            return t.gettext("{deals} of {most} deals", deals=table.deals, most=deals)
        case "short":
            return t.gettext("{deals} of {most} deals, ended early", deals=table.deals, most=deals)
        case "done":
            return t.gettext("done")
