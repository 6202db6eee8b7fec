"""The referee: what it asks for, and what it answers."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal

import msgspec

from pochboard.cards.card import SUIT_ORDER, deck_of
from pochboard.cards.hands import Ranking, SequenceHolder
from pochboard.messages.labels import pool_cards, pool_name, seat_names
from pochboard.messages.verdicts import Words, shown_without_set, why_held, why_ranked
from pochboard.rules.commands import RANKS, Claim, Showdown
from pochboard.rules.melding import can_be_won
from pochboard.rules.ruleset import RUN
from pochboard.rules.state import State
from pochboard.text.translator import Translator

Question = Literal["showdown", "sequence"]


class CardGrid(msgspec.Struct, frozen=True):
    """The cards that matter, in rows."""

    hint: str
    """What to do; the page fills `{suit}` with its own name of the trump suit."""
    rows: tuple[tuple[str, ...], ...]


class RefereeQuestion(msgspec.Struct, frozen=True, kw_only=True):
    """What the cards could settle now, and which of them."""

    question: Question
    label: str
    """The label of the button that opens the referee, and the title of its panel."""
    seats: tuple[int, ...]
    """The seats whose cards count, in the order of the places."""
    trump: str | None
    """The trump suit, if it is known."""
    asks_trump: bool
    """True if the trump suit must be chosen: it is unknown, and the answer depends on it."""
    unheld: str | None
    """The card turned up, if nobody holds it: no hand can show it."""
    grids: dict[str, CardGrid]
    """By trump suit. The empty name is for all other suits, and for when none is chosen yet."""


def referee_question(state: State, t: Translator) -> RefereeQuestion | None:
    """What the cards could settle now, if anything."""
    if state.phase == "showdown":
        hint = t.gettext("Choose who shows, then tap the set.")
        if state.rules.tie_break == "side-cards":
            hint = t.gettext(
                "Choose who shows, then tap the set. Between equal pairs, tap the other cards too."
            )
        grids = {"": CardGrid(hint, _deck(state))}
        return _question(state, "showdown", t.gettext("Decide by the cards"), grids)
    if state.phase == "meld" and RUN in state.rules.meld_pools and can_be_won(state, RUN):
        label = t.gettext("Who takes {pool}?", pool=pool_name(RUN, t, state.rules))
        return _question(state, "sequence", label, _sequence_grids(state, t))
    return None


def _question(
    state: State, question: Question, label: str, grids: dict[str, CardGrid]
) -> RefereeQuestion:
    asked = state.still_in if question == "showdown" else state.live
    rules = state.rules
    trump_counts = (
        rules.tie_break == "trump"
        if question == "showdown"
        else rules.run_needs_trump or not rules.cards_of_pools[RUN]
    )
    return RefereeQuestion(
        question=question,
        label=label,
        seats=tuple(sorted(asked, key=lambda seat: state.places[seat - 1])),
        trump=state.trump,
        asks_trump=state.trump is None and trump_counts,
        unheld=None if state.rules.turned_is_held else state.turned,
        grids=grids,
    )


def _sequence_grids(state: State, t: Translator) -> dict[str, CardGrid]:
    needed = state.rules.cards_of_pools[RUN]
    if not needed:
        return {"": CardGrid(t.gettext("Choose who shows, then tap the run."), _deck(state))}
    rules, trump, cards = state.rules, state.trump, pool_cards(needed, t)
    hint = t.gettext("Choose who shows {cards} in one hand, then tap the cards.", cards=cards)
    asks_first = trump is None and rules.run_needs_trump
    grids = {
        suit: CardGrid(hint, (tuple(card.replace("*", suit) for card in needed),))
        for suit in (SUIT_ORDER if asks_first else (trump or "",))
    }
    if asks_first:
        choose = t.gettext("Choose the trump suit first: {cards} in one hand take it.", cards=cards)
        grids[""] = CardGrid(choose, ())
    return grids


def _deck(state: State) -> tuple[tuple[str, ...], ...]:
    """This deal's deck, suit by suit, each from the ace down."""
    deck = deck_of(state.deck)
    return tuple(
        tuple(rank + suit for rank in reversed(RANKS) if rank + suit in deck) for suit in SUIT_ORDER
    )


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """A verdict, and the command that records it, which is null if nobody takes the sequence."""

    why: str
    command: Showdown | Claim | None
    label: str | None
    """The label of the button that records it."""
    ranking: tuple[tuple[int, ...], ...] = ()
    """Seats at the showdown, best first; several are a tie. Empty if nobody has shown a set."""
    missing: tuple[str, ...] = ()
    """Sentences that name who staked but has shown no set, and who has shown nothing."""


def showdown_verdict(
    state: State, shown: Collection[int], showdown: Ranking, words: Words
) -> Verdict:
    """Who wins the showdown. `shown` are the seats that have shown any cards."""
    t, best = words.t, showdown.ranking[:1]
    silent = [seat for seat in state.still_in if seat not in shown]
    missing = [shown_without_set(showdown.without_set, words)]
    if silent:
        names = seat_names(state, silent, t)
        missing.append(
            t.ngettext(
                "{names} has shown nothing.",
                "{names} have shown nothing.",
                len(silent),
                names=names,
            )
        )
    label = best and t.ngettext(
        "Record: {names} wins",
        "Record: {names} tie",
        len(best[0]),
        names=seat_names(state, best[0], t),
    )
    return Verdict(
        why=why_ranked(showdown, state.rules, words),
        command=Showdown(ranking=[tied if len(tied) > 1 else tied[0] for tied in showdown.ranking]),
        label=label or t.gettext("Record: nobody has a set"),
        ranking=showdown.ranking,
        missing=tuple(filter(None, missing)),
    )


def sequence_verdict(
    state: State, sequence: SequenceHolder, trump: str | None, words: Words
) -> Verdict:
    """Who takes the sequence pool."""
    why, seat = why_held(sequence, state.rules, trump, words), sequence.seat
    if seat is None:
        return Verdict(why=why, command=None, label=None)
    label = words.t.gettext("Record: {name} takes it", name=state.name_of(seat))
    return Verdict(why=why, command=Claim(seat=seat, pool=RUN), label=label)
