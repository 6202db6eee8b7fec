"""The statistics of many nights, in sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from pochboard.history.people import HeadToHead, Luck, NetPoint, Overview, Person
from pochboard.messages.labels import decimal, interval_text, pool_name, signed
from pochboard.text.translator import Translator
from pochboard.text.unicode_names import sight


class PoolRow(msgspec.Struct, frozen=True):
    """How often somebody has won a pool, in words."""

    pool: str
    name: str
    wins: int
    chips: int
    expected: str | None
    """How often by the cards alone, and its 95 % interval: `27.4 (19.0 to 35.8)`."""


class PersonRow(msgspec.Struct, frozen=True):
    """Somebody's nights in words."""

    name: str
    net: int
    net_text: str
    nights: int
    nights_won: int
    facts: tuple[str, ...]
    luck: str
    pools: tuple[PoolRow, ...]


class HeadRow(msgspec.Struct, frozen=True):
    """What two people have won from each other, in words."""

    winner: str
    loser: str
    chips: int
    text: str


class Course(msgspec.Struct, frozen=True):
    """Somebody's net from night to night."""

    name: str
    points: tuple[NetPoint, ...]


class MergedName(msgspec.Struct, frozen=True):
    """A name that counts as that of somebody else. A remark with `name` twice separates them."""

    name: str
    text: str
    separate_label: str
    """The label of the button that takes it back."""


class StatisticsText(msgspec.Struct, frozen=True):
    """Everything over the years."""

    summary: str
    pending: int
    """Nights that have not been counted yet: ask again."""
    people: tuple[PersonRow, ...]
    """The highest net first."""
    heads: tuple[HeadRow, ...]
    """The largest amount first."""
    courses: tuple[Course, ...]
    """In the order of `people`."""
    merged: tuple[MergedName, ...]
    """In the order of the persons' names."""
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
        _person_row(person, [name for name, now in merged if sight(now) == sight(person.name)], t)
        for person in overview.people
    )
    return StatisticsText(
        _summary(overview, t),
        pending,
        people,
        tuple(_head_row(head, t) for head in overview.heads),
        tuple(Course(person.name, overview.courses[person.name]) for person in overview.people),
        tuple(
            MergedName(
                name,
                t.gettext("{name} counts as {called}.", name=name, called=now),
                t.gettext("Separate {name} from {called}", name=name, called=now),
            )
            for name, now in merged
        ),
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


def _person_row(person: Person, aliases: Sequence[str], t: Translator) -> PersonRow:
    return PersonRow(
        name=person.name,
        net=person.net,
        net_text=signed(person.net),
        nights=person.nights,
        nights_won=person.nights_won,
        facts=tuple(_facts(person, aliases, t)),
        luck=_luck_text(person.luck, t),
        pools=tuple(
            PoolRow(
                row.pool,
                pool_name(row.pool, t),
                row.wins,
                row.chips,
                None
                if row.expected is None or row.expected_interval is None
                else f"{decimal(row.expected, t)} ({interval_text(row.expected_interval, t)})",
            )
            for row in person.pools
        ),
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


def _facts(person: Person, aliases: Sequence[str], t: Translator) -> list[str]:
    facts = [
        t.ngettext(
            "{won} of {count} night won.", "{won} of {count} nights won.", person.nights,
            won=person.nights_won,
        )
    ]  # fmt: skip
    if person.net_interval is None:
        facts.append(t.gettext("Net: {net}.", net=signed(person.net)))
    else:
        facts.append(
            t.gettext(
                "Net: {net}, {mean} a night (95 % interval: {interval}).",
                net=signed(person.net),
                mean=decimal(person.net_each, t),
                interval=interval_text(person.net_interval, t),
            )
        )
    facts.append(
        t.gettext("Best night: {net}, night {night}.",
                  net=signed(person.best_net), night=person.best_night)
    )  # fmt: skip
    if person.largest_poch_night is not None:
        facts.append(
            t.ngettext(
                "Largest Poch: {count} chip, night {night}.",
                "Largest Poch: {count} chips, night {night}.",
                person.largest_poch,
                night=person.largest_poch_night,
            )
        )
    if person.knocks:
        facts.append(
            t.ngettext(
                "{count} knock, {won} won, {unseen} of them without a showdown.",
                "{count} knocks, {won} won, {unseen} of them without a showdown.",
                person.knocks,
                won=person.knocks_won,
                unseen=person.knocks_unseen,
            )
        )
    if person.showdowns:
        facts.append(
            t.ngettext(
                "{won} of {count} showdown won.",
                "{won} of {count} showdowns won.",
                person.showdowns,
                won=person.showdowns_won,
            )
        )
    if person.deals:
        facts.append(
            t.ngettext(
                "Out first in {outs} of {count} deal.",
                "Out first in {outs} of {count} deals.",
                person.deals,
                outs=person.outs,
            )
        )
    if person.cards_left_each is not None:
        facts.append(
            t.gettext(
                "Cards left when somebody else goes out: {cards} on average.",
                cards=decimal(person.cards_left_each, t),
            )
        )
    if aliases:
        facts.append(t.gettext("Also written {names}.", names=t.listed(aliases)))
    return facts


def _head_row(head: HeadToHead, t: Translator) -> HeadRow:
    nights = t.ngettext("{count} night", "{count} nights", head.nights)
    if head.chips:
        text = t.ngettext(
            "{winner} has won {count} chip from {loser} in {nights}.",
            "{winner} has won {count} chips from {loser} in {nights}.",
            head.chips,
            winner=head.winner,
            loser=head.loser,
            nights=nights,
        )
    else:
        text = t.gettext(
            "{winner} and {loser} are even after {nights}.",
            winner=head.winner,
            loser=head.loser,
            nights=nights,
        )
    return HeadRow(head.winner, head.loser, head.chips, text)
