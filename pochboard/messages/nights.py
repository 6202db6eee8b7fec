"""Nights in sentences: who won, how a list describes a night, and its records."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Final

from pochboard.history import Award, AwardKind, NightStatistics, PersonNight
from pochboard.ledger.replay import NightSummary
from pochboard.ledger.results import Result, winners
from pochboard.messages.labels import decimal, pool_name, ruleset_name, signed
from pochboard.rules.ruleset import Ruleset
from pochboard.rules.ruleset_files import lazy_ruleset
from pochboard.rules.state import State
from pochboard.text.translator import ENGLISH, N_, Translator, ngettext_noop

FORMAT_NAMES: Final[Mapping[str, str]] = {
    "sheet": N_("Score sheet"),
    "csv": N_("Spreadsheet (CSV)"),
    "csv-semicolon": N_("Spreadsheet (CSV with semicolons)"),
    "json": N_("Data (JSON)"),
}


def headline(state: State, night: int | None, t: Translator) -> str:
    """What night this is: `Night 3 · modern · deal 2`; empty before the first one."""
    if night is None or state.ruleset is None:
        return ""
    parts = [t.gettext("Night {number}", number=night), ruleset_name(state.ruleset.name, t)]
    return " · ".join(
        [*parts, *([t.gettext("deal {number}", number=state.deal)] if state.deal else [])]
    )


def night_title(night: NightSummary, name: str | None, t: Translator) -> str:
    """The headline of a night in the list, after its name: `Final · Night 3 · modern`."""
    parts = [t.gettext("Night {number}", number=night.number), ruleset_name(night.ruleset, t)]
    paper = [t.gettext("from paper")] if night.on_paper else []
    return " · ".join([*([name] if name else []), *parts, *paper])


def listed_winners(results: Sequence[Result], t: Translator) -> str | None:
    """The names of those who won, or None while the night is open."""
    return t.listed(winner.name for winner in winners(results)) if results else None


def listed_result(night: NightSummary, results: Sequence[Result], t: Translator) -> str:
    """How a night in the list ended. There are no results while it is open."""
    if night.status == "damaged":
        return t.gettext("This night is damaged and cannot be shown.")
    if not results:
        return t.gettext("Still open")
    first, *others = winners(results)
    if others:
        names = t.listed(winner.name for winner in (first, *others))
        if len({winner.net for winner in (first, *others)}) > 1:
            return t.gettext(
                "{names} shared the win with {chips} chips each.", names=names, chips=first.stack
            )
        return t.gettext(
            "{names} shared the win with a net of {net} each.", names=names, net=signed(first.net)
        )
    return t.ngettext(
        "{name} won with {count} chip, a net of {net}.",
        "{name} won with {count} chips, a net of {net}.",
        first.stack,
        name=first.name,
        net=signed(first.net),
    )


def listed_summary(night: NightSummary, t: Translator) -> str:
    """A night in the list: its number, ruleset, players, deals and entries."""
    if night.status == "damaged":
        return t.gettext("Night {number} is damaged.", number=night.number)
    sentences = [
        t.gettext(
            "Night {number}, {ruleset}: {names}.",
            number=night.number,
            ruleset=lazy_ruleset(night.ruleset),
            names=t.listed(night.players),
        ),
        t.ngettext("{count} deal.", "{count} deals.", night.deals),
        t.ngettext("{count} entry.", "{count} entries.", night.entries),
    ]
    if night.on_paper:
        sentences.append(t.gettext("Kept on paper."))
    return " ".join(sentences)


AWARDS: Final[Mapping[AwardKind, tuple[str, tuple[str, str]]]] = {
    "comeback": (N_("Comeback of the night"), ("", "")),
    "poch": (
        N_("Biggest Poch"),
        ngettext_noop(
            "{name} won {count} chip in one betting.", "{name} won {count} chips in one betting."
        ),
    ),
    "treasure": (
        N_("Treasure trove"),
        ngettext_noop(
            "{name} took {pool}, which had been filled for {count} deal.",
            "{name} took {pool}, which had been filled for {count} deals.",
        ),
    ),
    "pools": (
        N_("Full hands"),
        ngettext_noop(
            "{name} took {count} pool with cards.", "{name} took {count} pools with cards."
        ),
    ),
    "unseen": (
        N_("Poker face"),
        ngettext_noop(
            "{count} knock of {name} won because all others passed.",
            "{count} knocks of {name} won because all others passed.",
        ),
    ),
    "courage": (
        N_("Boldest stake"),
        ngettext_noop(
            "A betting that somebody else won cost {name} {count} chip.",
            "A betting that somebody else won cost {name} {count} chips.",
        ),
    ),
    "outs": (
        N_("Quickest hand"),
        ngettext_noop(
            "{name} was the first without cards in {count} deal.",
            "{name} was the first without cards in {count} deals.",
        ),
    ),
    "patience": (
        N_("Patience"),
        ngettext_noop(
            "{name} passed in {count} deal without a stake.",
            "{name} passed in {count} deals without a stake.",
        ),
    ),
}
"""The title of each award, and the sentence about its winner."""


def award_title(award: Award, t: Translator = ENGLISH) -> str:
    """What an award is called."""
    return t.gettext(AWARDS[award.kind][0])


def award_sentence(award: Award, t: Translator = ENGLISH, rules: Ruleset | None = None) -> str:
    """What somebody gets an award for."""
    if award.kind == "comeback":
        return t.gettext(
            "{name} was at {lowest}, and finished at {net}.",
            name=award.name,
            lowest=signed(award.lowest),
            net=signed(award.lowest + award.number),
        )
    pool = pool_name(award.pool, t, rules) if award.pool else ""
    return t.ngettext(*AWARDS[award.kind][1], award.number, name=award.name, pool=pool)


_MOST: Final[tuple[tuple[AwardKind | None, Callable[[PersonNight], int], str], ...]] = (
    ("poch", lambda person: person.largest_poch, N_("Largest Poch: {names}, {count}.")),
    ("pools", lambda person: person.claims, N_("Most pools with cards: {names}, {count}.")),
    (None, lambda person: person.knocks, N_("Most knocks: {names}, {count}.")),
    ("outs", lambda person: person.outs, N_("Out first most often: {names}, {count}.")),
)
"""Records that name who had most of something, each with the award that says so too."""


def night_records(
    night: NightStatistics,
    left: Mapping[str, int],
    t: Translator,
    awarded: Collection[AwardKind] = (),
    rules: Ruleset | None = None,
) -> tuple[str, ...]:
    """The records of a night that is over, without what its awards say.

    `left` is what lay in the pools at its end.
    """
    if not night.deals:
        return ()
    pools = ", ".join(f"{pool_name(pool, t, rules)} {chips}" for pool, chips in left.items())
    records = [
        t.gettext("Left on the board: {pools}.", pools=pools)
        if pools
        else t.gettext("Nothing was left on the board.")
    ]
    for award, number, sentence in _MOST:
        count = max(map(number, night.people))
        if count and award not in awarded:
            names = t.listed(one.name for one in night.people if number(one) == count)
            records.append(t.gettext(sentence, names=names, count=count))
    luckiest = max(night.people, key=lambda person: person.luck)
    if luckiest.luck > 0:
        expected = sum(luckiest.expected)
        records.append(
            t.gettext(
                "Luckiest with the cards: {name}. Pools won: {wins}, expected: {expected}.",
                name=luckiest.name,
                wins=f"{expected + luckiest.luck:.0f}",
                expected=decimal(expected, t),
            )
        )
    return tuple(records)
