"""The referee's verdicts in sentences: who wins by the cards, and why."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Final

import msgspec

from pochboard.cards.card import SUIT_ORDER
from pochboard.cards.hands import HandValue, Ranking, Run, SequenceHolder, run_value
from pochboard.messages.labels import pool_cards
from pochboard.rules.commands import RANKS
from pochboard.rules.ruleset import RUN, Ruleset
from pochboard.text.names import CardNaming, card_name, rank_name, rank_plural, suit_name
from pochboard.text.translator import ENGLISH, N_, Translator

_SETS: Final = {
    2: N_("a pair of {ranks}"),
    3: N_("three {ranks}"),
    4: N_("four {ranks}"),
}


def seat_phrase(seat: int, t: Translator = ENGLISH) -> str:
    """What a seat is called if its player has no name."""
    return t.gettext("Seat {seat}", seat=seat)


class Words(msgspec.Struct, frozen=True):
    """How a sentence names seats and cards."""

    name_of: Callable[[int], str] = seat_phrase
    names: CardNaming = "english"
    t: Translator = ENGLISH

    def seats(self, seats: Iterable[int]) -> str:
        """The names of seats as a list. There must be at least one."""
        return self.t.listed(map(self.name_of, seats))

    def hand(self, value: HandValue) -> str:
        """The set of a hand, or that it has none."""
        if value.count:
            return self.t.gettext(_SETS[value.count], ranks=rank_plural(value.rank, self.names))
        return self.t.gettext("no set") if value.others else self.t.gettext("nothing")

    def rank(self, height: int) -> str:
        """The name of a rank by its height: `ace`, `10`."""
        return rank_name(RANKS[height - 2], self.names)

    def high_card(self, height: int) -> str:
        """A rank with its article: `an ace`, `a 10`."""
        name = self.rank(height)
        if name[0] in "aAOU8":
            return self.t.gettext("an {rank}", rank=name)
        return self.t.gettext("a {rank}", rank=name)

    def run(self, run: Run, trump: str | None) -> str:
        """The cards of a run: `7 8 9 of hearts, the trump suit`."""
        suit = suit_name(run.suit, self.names)
        ranks = " ".join(rank_name(card[0], self.names) for card in run.cards)
        if self.names == "english":
            cards = self.t.gettext("{ranks} of {suit}", ranks=ranks, suit=suit)
        else:
            cards = f"{suit} {ranks}"
        if run.suit == trump:
            return self.t.gettext("{cards}, the trump suit", cards=cards)
        return cards


def hand_phrase(value: HandValue, rules: Ruleset, words: Words) -> str:
    """What a hand shows: `three queens`, `a pair of kings with the trump`, `an ace and no set`."""
    t = words.t
    if value.others:
        card = words.high_card(value.others[0])
        if not value.count:
            return t.gettext("{card} and no set", card=card)
        return t.gettext("{hand} with {card}", hand=words.hand(value), card=card)
    if rules.tie_break == "trump" and value.suit:
        return t.gettext("{hand} with the trump", hand=words.hand(value))
    return words.hand(value)


def why_ranked(found: Ranking, rules: Ruleset, words: Words) -> str:
    """Why the best hand of a showdown wins."""
    t = words.t
    if not found.ranking:
        return t.gettext("Nobody has shown a set, so the chips stay where they are.")
    if not found.split:
        return _why_best(found.ranking, found.values, rules, words)
    best = _why_best(found.ranking[:-1], found.values, rules, words)
    return f"{best} {_why_split(found.split, words)}"


def _why_best(
    ranking: Sequence[tuple[int, ...]],
    values: Mapping[int, HandValue],
    rules: Ruleset,
    words: Words,
) -> str:
    t = words.t
    first = ranking[0]
    best = values[first[0]]
    if len(first) > 1:
        return _why_tied(first, best, rules, words)
    name = words.name_of(first[0])
    if len(ranking) > 1:
        others = ranking[1]
        return _why_better(name, best, others, values[others[0]], rules, words)
    rest = [seat for seat in values if seat != first[0]]
    if not best.count:
        return t.gettext(
            "{name} has {card} and no set, and nobody else shows a hand.",
            name=name,
            card=words.high_card(best.others[0]),
        )
    if not rest:
        return t.gettext("{name} shows {hand}.", name=name, hand=words.hand(best))
    return t.ngettext(
        "{name} wins with {hand}; {others} has no set.",
        "{name} wins with {hand}; {others} have no set.",
        len(rest),
        name=name,
        hand=words.hand(best),
        others=words.seats(rest),
    )


def _why_tied(seats: tuple[int, ...], value: HandValue, rules: Ruleset, words: Words) -> str:
    """Why the best hands are equal."""
    t, names = words.t, words.seats(seats)
    if not value.count:
        return t.gettext(
            "Nobody has a set, and {names} tie: their cards are equally high.", names=names
        )
    if rules.tie_break != "side-cards" or value.count > 2:
        return t.gettext("{names} tie with {hand} each.", names=names, hand=words.hand(value))
    if value.others:
        return t.gettext(
            "{names} tie with {hand} each: their other cards are equally high.",
            names=names,
            hand=words.hand(value),
        )
    return t.gettext(
        "{names} tie with {hand} each: they have shown no other cards.",
        names=names,
        hand=words.hand(value),
    )


def _why_better(
    name: str,
    best: HandValue,
    others: tuple[int, ...],
    second: HandValue,
    rules: Ruleset,
    words: Words,
) -> str:
    """Why one hand beats the next ones, which are equal to each other."""
    t, other, hand = words.t, words.seats(others), words.hand(best)
    if (best.count, best.height) != (second.count, second.height):
        return t.ngettext(
            "{name} wins with {hand}; {other} has {second}.",
            "{name} wins with {hand}; {other} have {second} each.",
            len(others),
            name=name,
            hand=hand,
            other=other,
            second=words.hand(second),
        )
    if best.count and rules.tie_break == "trump":
        return t.gettext(
            "{name} and {other} have {hand} each; {name}’s holds the {rank} of trumps.",
            name=name,
            other=other,
            hand=hand,
            rank=words.rank(best.height),
        )
    if best.count and rules.tie_break == "suits":
        return t.gettext(
            "{name} and {other} have {hand} each; the {card} outranks the {second}.",
            name=name,
            other=other,
            hand=hand,
            card=_best_card(best, words),
            second=_best_card(second, words),
        )
    pairs = enumerate(zip(best.others, second.others, strict=False))
    depth = next((depth for depth, (one, two) in pairs if one != two), len(second.others))
    if depth == len(second.others):
        return t.gettext(_MORE[best.count > 0, depth > 0], name=name, other=other, hand=hand)
    rank = words.rank if best.count else words.high_card
    return t.gettext(
        _HIGHER[best.count > 0, depth > 0],
        name=name,
        other=other,
        hand=hand,
        card=rank(best.others[depth]),
        second=rank(second.others[depth]),
    )


_MORE: Final = {
    (False, True): N_(
        "Nobody has a set; {name} has one more card than {other}, and the rest are equal."
    ),
    (True, False): N_(
        "{name} and {other} have {hand} each, and only {name} has shown another card."
    ),
    (True, True): N_(
        "{name} and {other} have {hand} each; {name} has more cards, and the rest are equal."
    ),
}
_HIGHER: Final = {
    (False, False): N_("Nobody has a set; {name} has {card}, {other} {second}."),
    (False, True): N_("Nobody has a set; after equal cards, {name} has {card}, {other} {second}."),
    (True, False): N_(
        "{name} and {other} have {hand} each; {name}’s {card} beats {other}’s {second}."
    ),
    (True, True): N_(
        "{name} and {other} have {hand} each; after equal cards, {name}’s {card} beats {other}’s"
        " {second}."
    ),
}
"""Of two hands by whether they have the same set, and whether other cards were equal first."""


def _best_card(pair: HandValue, words: Words) -> str:
    """The card of a pair whose suit counts with `tie_break = "suits"`."""
    return card_name(pair.rank + SUIT_ORDER[len(SUIT_ORDER) - pair.suit], words.names)


def shown_without_set(seats: Collection[int], words: Words) -> str | None:
    """A sentence that names who has shown no set although a set is needed to stake."""
    if not seats:
        return None
    return words.t.ngettext(
        "{names} has shown no set, but a set is needed to stake.",
        "{names} have shown no set, but a set is needed to stake.",
        len(seats),
        names=words.seats(seats),
    )


def _why_split(seats: tuple[int, ...], words: Words) -> str:
    return words.t.gettext(
        "{names} share what only they can win: none of them has shown a hand that counts.",
        names=words.seats(seats),
    )


_BETTER_RUN: Final = {
    "equal": N_(
        "{name} holds {run}; {rival} has {second}:"
        " equal runs, so the first seat from forehand takes it."
    ),
    "longer": N_("{name} holds {run}; {rival} has {second}: the longer run wins."),
    "higher": N_("{name} holds {run}; {rival} has {second}: the higher run wins."),
    "trump": N_("{name} holds {run}; {rival} has {second}: trumps win."),
}


def why_held(found: SequenceHolder, rules: Ruleset, trump: str | None, words: Words) -> str:
    """Why a seat takes the sequence pool, or nobody."""
    t = words.t
    if found.seat is None or found.run is None:
        if cards := rules.cards_of_pools.get(RUN):
            return t.gettext(
                "Nobody holds {cards} in one hand, so the chips stay where they are.",
                cards=pool_cards(cards, t),
            )
        return t.gettext(
            "Nobody holds three cards of a suit in a row, so the chips stay where they are."
        )
    name, run = words.name_of(found.seat), words.run(found.run, trump)
    if found.rival is None:
        return t.gettext("{name} holds {run}.", name=name, run=run)
    rival, second = found.rival
    why = t.gettext(
        _BETTER_RUN[_criterion(found.run, second, trump, rules)],
        name=name,
        run=run,
        rival=words.name_of(rival),
        second=words.run(second, trump),
    )
    if trump is not None:
        return why
    # Every rule that compares runs prefers trumps at some point.
    warning = t.gettext("No trump suit was given, so no suit is preferred.")
    return f"{why} {warning}"


_CRITERIA: Final = {
    "best-run-trump-first": ("trump", "higher"),
    "best-run-height-first": ("higher", "trump"),
    "longest-run": ("longer", "higher", "trump"),
}
"""What `run_value` compares."""


def _criterion(run: Run, other: Run, trump: str | None, rules: Ruleset) -> str:
    """The first criterion in which the better of two runs differs."""
    values = (run_value(one, trump, rules) for one in (run, other))
    compared = zip(_CRITERIA[rules.sequence], *values, strict=True)
    return next((criterion for criterion, one, two in compared if one != two), "equal")
