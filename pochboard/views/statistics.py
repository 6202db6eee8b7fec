"""The statistics of many nights, in sentences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from pochboard.history import HeadToHead, Luck, NetPoint, Overview, Person
from pochboard.messages.labels import decimal, interval_text, pool_name, signed
from pochboard.text.translator import Translator
from pochboard.text.unicode_names import sight


class PoolRow(msgspec.Struct, frozen=True):
    """How often somebody has won a pool, in words."""

    name: str
    wins: int
    chips: int
    expected: str | None
    """How often by the cards alone, and its 95 % interval: `27.4 (19.0 to 35.8)`."""


class PersonRow(msgspec.Struct, frozen=True):
    """Somebody's nights in words."""

    name: str
    net_text: str
    nights: int
    nights_won: int
    facts: tuple[str, ...]
    luck: str
    pools: tuple[PoolRow, ...]
    points: tuple[NetPoint, ...]
    """The net from night to night."""


class StatisticsText(msgspec.Struct, frozen=True):
    """Everything over the years."""

    summary: str
    pending: int
    """Nights that have not been counted yet: ask again."""
    people: tuple[PersonRow, ...]
    """The highest net first."""
    heads: tuple[str, ...]
    """The wins of each two from each other, the largest first."""
    merged: tuple[tuple[str, str], ...]
    """Names that count as those of others, in the order of these. A remark with the name twice
    separates them."""
    years: tuple[int, ...]
    """The years with nights that count, the newest first."""


def statistics_text(
    overview: Overview,
    pending: int,
    aliases: Mapping[str, str],
    t: Translator,
    years: Sequence[int] = (),
) -> StatisticsText:
    """The statistics in words; `aliases` is that of the remarks. Pages offer the `years`."""
    merged = sorted(aliases.items(), key=lambda names: names[::-1])
    people = tuple(
        _person_row(
            person,
            overview.courses[person.name],
            [name for name, now in merged if sight(now) == sight(person.name)],
            t,
        )
        for person in overview.people
    )
    return StatisticsText(
        _summary(overview, t),
        pending,
        people,
        tuple(head_text(head, t) for head in overview.heads),
        tuple(merged),
        tuple(years),
    )


def _summary(overview: Overview, t: Translator) -> str:
    if not overview.nights:
        return t.gettext(
            "There are no statistics yet. They begin with the first finished night in which cards"
            " were dealt."
        )
    nights = t.ngettext("{count} night", "{count} nights", overview.nights)
    deals = t.ngettext("{count} deal", "{count} deals", overview.deals)
    people = t.ngettext("{count} person", "{count} people", len(overview.people))
    return t.gettext("{nights}, {deals}, {people}.", nights=nights, deals=deals, people=people)


def _person_row(
    person: Person, points: tuple[NetPoint, ...], aliases: Sequence[str], t: Translator
) -> PersonRow:
    return PersonRow(
        name=person.name,
        net_text=signed(person.net),
        nights=person.nights,
        nights_won=person.nights_won,
        facts=tuple(_facts(person, aliases, t)),
        luck=_luck_text(person.luck, t),
        pools=tuple(
            PoolRow(
                pool_name(row.pool, t),
                row.wins,
                row.chips,
                None
                if row.expected is None or row.expected_interval is None
                else f"{decimal(row.expected, t)} ({interval_text(row.expected_interval, t)})",
            )
            for row in person.pools
        ),
        points=points,
    )


def _luck_text(luck: Luck, t: Translator) -> str:
    return t.ngettext(
        "Luck: {count} pool won with cards, where {expected} are expected. In 95 of 100 cases"
        " chance alone gives {interval}.",
        "Luck: {count} pools won with cards, where {expected} are expected. In 95 of 100 cases"
        " chance alone gives {interval}.",
        round(luck.wins),
        expected=decimal(luck.expected, t),
        interval=interval_text(luck.interval, t),
    )


def _facts(person: Person, aliases: Sequence[str], t: Translator) -> Iterator[str]:
    yield t.ngettext(
        "{won} of {count} night won.",
        "{won} of {count} nights won.",
        person.nights,
        won=person.nights_won,
    )
    if person.net_interval is None:
        yield t.gettext("Net: {net}.", net=signed(person.net))
    else:
        yield t.gettext(
            "Net: {net}, {mean} a night (95 % interval: {interval}).",
            net=signed(person.net),
            mean=decimal(person.net_each, t),
            interval=interval_text(person.net_interval, t),
        )
    yield t.gettext(
        "Best night: {net}, night {night}.", net=signed(person.best_net), night=person.best_night
    )
    if person.largest_poch_night is not None:
        yield t.ngettext(
            "Largest Poch: {count} chip, night {night}.",
            "Largest Poch: {count} chips, night {night}.",
            person.largest_poch,
            night=person.largest_poch_night,
        )
    if person.knocks:
        yield t.ngettext(
            "{count} knock, {won} won, {unseen} of them without a showdown.",
            "{count} knocks, {won} won, {unseen} of them without a showdown.",
            person.knocks,
            won=person.knocks_won,
            unseen=person.knocks_unseen,
        )
    if person.showdowns:
        yield t.ngettext(
            "{won} of {count} showdown won.",
            "{won} of {count} showdowns won.",
            person.showdowns,
            won=person.showdowns_won,
        )
    if person.deals:
        yield t.ngettext(
            "Out first in {outs} of {count} deal.",
            "Out first in {outs} of {count} deals.",
            person.deals,
            outs=person.outs,
        )
    if person.cards_left_each is not None:
        yield t.gettext(
            "Cards left when somebody else goes out: {cards} on average.",
            cards=decimal(person.cards_left_each, t),
        )
    if aliases:
        yield t.gettext("Also written {names}.", names=t.listed(aliases))


def head_text(head: HeadToHead, t: Translator) -> str:
    """What two people have won from each other."""
    nights = t.ngettext("{count} night", "{count} nights", head.nights)
    if not head.chips:
        return t.gettext(
            "{winner} and {loser} are even after {nights}.",
            winner=head.winner,
            loser=head.loser,
            nights=nights,
        )
    return t.ngettext(
        "{winner} has won {count} chip from {loser} in {nights}.",
        "{winner} has won {count} chips from {loser} in {nights}.",
        head.chips,
        winner=head.winner,
        loser=head.loser,
        nights=nights,
    )
