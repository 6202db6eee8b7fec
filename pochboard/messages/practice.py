"""What the coach says in a practice deal, stage by stage, made from the rules and the cards.

The sentences about the rules are those of the rules to read, so they follow the ruleset.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final, Literal

import msgspec

from pochboard.cards.card import Card
from pochboard.cards.hands import HandValue, Ranking
from pochboard.messages.labels import pool_name, pool_names
from pochboard.messages.parameters import hand_text
from pochboard.messages.rules_text import (
    CARDS_LEFT,
    IN_SHORT,
    UNCLAIMED,
    RulesLine,
    ante_text,
    end_texts,
    knock_text,
    play_texts,
    pool_lines,
    set_texts,
    short_text,
    trump_text,
    value_text,
)
from pochboard.messages.verdicts import Words, hand_phrase, why_ranked
from pochboard.rules.state import State
from pochboard.text.names import card_name_in, card_names
from pochboard.text.translator import N_, Translator

LessonName = Literal[
    "welcome",
    "board",
    "trump",
    "meld",
    "left",
    "poch",
    "stakes",
    "raise",
    "bet",
    "showdown",
    "shed",
    "lead",
    "follow",
    "watch",
    "out",
    "broke",
    "table",
    "night",
]
"""The lessons of a practice deal, in the order of a deal."""


class ShownHand(msgspec.Struct, frozen=True):
    """Cards in the coach's picture, and the seat that they belong to."""

    seat: int
    cards: tuple[Card, ...]


class Lesson(msgspec.Struct, frozen=True, kw_only=True):
    """What the coach speaks of at one moment: the lesson, and the cards and chips for it."""

    name: LessonName
    seat: int
    """The learner's seat."""
    waits: bool = False
    """Whether the table waits until it has been read."""
    pools: tuple[str, ...] = ()
    """The pools that it is about."""
    shown: tuple[ShownHand, ...] = ()
    """The cards of its picture."""
    marked: tuple[Card, ...] = ()
    """The cards of the learner's hand that it is about."""
    value: HandValue | None = None
    """What the learner's hand is worth in the betting."""
    ranking: Ranking | None = None
    """How the showdown ends."""
    left: Mapping[int, int] = {}
    """How many cards each seat has left once somebody is out."""


class LessonText(msgspec.Struct, frozen=True):
    """A lesson in words."""

    title: str
    lines: tuple[RulesLine, ...]
    button: str
    """What the learner taps after reading."""


def lesson_text(lesson: Lesson, state: State, t: Translator) -> LessonText:
    """A lesson in words."""
    words = LESSONS[lesson.name]
    need = state.need(lesson.seat) if lesson.name == "bet" else 0
    title = (
        t.ngettext(
            "Your turn: {count} chip to stay in.", "Your turn: {count} chips to stay in.", need
        )
        if need
        else t.gettext(words.title, name=state.name_of(state.winner) if state.winner else "")
    )
    card = card_name_in(t, lesson.marked[0]) if lesson.marked else ""
    lines = (
        (t.gettext(words.lines, card=card),)
        if isinstance(words.lines, str)
        else words.lines(lesson, state, t)
    )
    return LessonText(
        title,
        tuple(RulesLine(line) if isinstance(line, str) else line for line in lines),
        t.gettext(words.button),
    )


_Lines = Iterator[str | RulesLine]


def _welcome(_: Lesson, __: State, t: Translator) -> _Lines:
    yield from map(t.gettext, IN_SHORT)
    yield t.gettext("You play one deal against computer players. It counts in no statistics.")


def _board(_: Lesson, state: State, t: Translator) -> _Lines:
    rules = state.rules
    yield t.ngettext(
        "The board has {count} pool.", "The board has {count} pools.", len(rules.pools)
    )
    yield ante_text(rules, t)
    if rules.bet_pool == "pinke" and "pinke" not in rules.ante_pools:
        yield t.gettext(
            "{pool}, the pool in the middle, stays empty for now: the bets go there.",
            pool=pool_name("pinke", t, rules),
        )


def _trump(_: Lesson, state: State, t: Translator) -> _Lines:
    yield hand_text(state.rules, t)
    yield trump_text(state.rules, t)
    if state.turned is not None and state.rules.turned_is_held:
        yield t.gettext(
            "The last card dealt is the {card}, so {suit} are trumps.",
            card=card_name_in(t, state.turned),
            suit=card_name_in(t, state.turned[1]),
        )


def _meld(lesson: Lesson, state: State, t: Translator) -> _Lines:
    singles = [pool for pool in state.rules.meld_pools if state.rules.cards_shown(pool) == 1]
    yield t.gettext(
        "{pools}: each goes to whoever shows that card of the trump suit.",
        pools=pool_names(singles, t, state.rules),
    )
    if "marriage" in state.rules.pools:
        yield from pool_lines(["marriage"], state.rules, t)
    cards = t.listed(t.gettext("the {card}", card=card_name_in(t, card)) for card in lesson.marked)
    if lesson.marked:
        yield t.ngettext(
            "You hold {cards}. Tap each pool that it wins.",
            "You hold {cards}. Tap each pool that they win.",
            len(lesson.marked),
            cards=cards,
        )


def _left(lesson: Lesson, state: State, t: Translator) -> _Lines:
    yield from pool_lines(lesson.pools, state.rules, t)
    if lesson.pools:
        yield t.gettext(
            "Nobody can win {pools} in this deal.", pools=pool_names(lesson.pools, t, state.rules)
        )
    yield t.gettext(UNCLAIMED)
    yield t.gettext("Tap next to begin the betting.")


def _poch(lesson: Lesson, state: State, t: Translator) -> _Lines:
    yield from set_texts(state.rules, t)
    if hand := _hand(lesson, state, t):
        yield t.gettext("You hold {hand}.", hand=hand)


def _stakes(_: Lesson, state: State, t: Translator) -> _Lines:
    yield t.gettext(
        "You deal, so {name} is forehand and begins.",
        name=state.name_of(state.forehand),
    )
    yield knock_text(state.rules, t)
    yield t.gettext(
        "The betting ends when all who are still in have put in the same. Then they show their"
        " cards."
    )
    yield value_text("prove_set", state.rules, t)


def _raise(_: Lesson, state: State, t: Translator) -> _Lines:
    yield value_text("raises", state.rules, t)
    yield value_text("all_in", state.rules, t)
    if state.rules.raises != "none":
        yield t.gettext("The others then put in as much, raise again, or pass.")


def _hand(lesson: Lesson, state: State, t: Translator) -> str:
    """The learner's set; empty without one."""
    if lesson.value is None or not lesson.value.count:
        return ""
    return hand_phrase(lesson.value, state.rules, _words(state, t))


def _bet(lesson: Lesson, state: State, t: Translator) -> _Lines:
    rules = state.rules
    if hand := _hand(lesson, state, t):
        yield t.gettext("You hold {hand}. That is a good hand: stay in.", hand=hand)
    pools = (rules.bet_pool, *(pool for pool in ("poch", "pinke") if pool in rules.pools))
    yield from pool_lines(dict.fromkeys(pools), rules, t)
    yield value_text("bet_needs_set", rules, t)


def _showdown(lesson: Lesson, state: State, t: Translator) -> _Lines:
    yield t.gettext("All who are still in have put in the same, so the betting is over.")
    if lesson.ranking is not None:
        yield why_ranked(lesson.ranking, state.rules, _words(state, t))


def _out(lesson: Lesson, state: State, t: Translator) -> _Lines:
    yield t.gettext(CARDS_LEFT)
    for seat, cards in lesson.left.items():
        yield t.ngettext(
            "{name} pays {count} chip.",
            "{name} pays {count} chips.",
            cards,
            name=state.name_of(seat),
        )


def _broke(_: Lesson, state: State, t: Translator) -> _Lines:
    yield t.gettext(
        "Without chips you still meld and play your cards, but you are out of the betting. At the"
        " end of a deal you pay only what you have."
    )
    yield short_text(state.rules, t)
    yield t.ngettext(
        "The bank gives {count} chip to whoever buys in. In the end it counts as lost.",
        "The bank gives {count} chips to whoever buys in. In the end they count as lost.",
        state.stack,
    )


def _table(_: Lesson, __: State, t: Translator) -> _Lines:
    yield t.gettext(
        "There you hold the cards. The phone is told what happens: who shows a card, who stakes how"
        " much or passes, who is out."
    )
    yield t.gettext("Every phone may do that for everybody, and Undo takes the last step back.")
    yield t.gettext("Without a phone you press the board: your place, then the pool.")


def _night(lesson: Lesson, state: State, t: Translator) -> _Lines:
    if lesson.pools:
        yield t.gettext(
            "The chips in {pools} wait for the next deal, and everybody adds to them.",
            pools=pool_names(lesson.pools, t, state.rules),
        )
    yield from end_texts(state.rules, t)
    net = state.stack_of(lesson.seat) - state.bought[lesson.seat - 1]
    if net > 0:
        yield t.ngettext(
            "You have won {count} chip in this deal.",
            "You have won {count} chips in this deal.",
            net,
        )
    elif net < 0:
        yield t.ngettext(
            "You have lost {count} chip in this deal.",
            "You have lost {count} chips in this deal.",
            -net,
        )


class _Words(msgspec.Struct, frozen=True):
    """The words of a lesson, and when it is taught."""

    stage: int
    """Learners are counted through the stages."""
    title: str
    """`{name}` is who is out of cards."""
    lines: str | Callable[[Lesson, State, Translator], _Lines]
    """`{card}` is the card that it is about."""
    waits: bool = False
    """Whether the table waits until it has been read."""
    button: str = N_("Continue")
    """What the learner taps after reading."""


LESSONS: Final[Mapping[LessonName, _Words]] = {
    "welcome": _Words(1, N_("Poch in three minutes"), _welcome, waits=True),
    "board": _Words(1, N_("Chips on the board"), _board, waits=True, button=N_("Put in the chips")),
    "trump": _Words(2, N_("Cards and trumps"), _trump, waits=True),
    "meld": _Words(3, N_("Melding: show your cards"), _meld),
    "left": _Words(3, N_("What nobody wins stays"), _left),
    "poch": _Words(4, N_("Pochen: who has the best set?"), _poch, waits=True),
    "stakes": _Words(4, N_("How the betting goes"), _stakes, waits=True),
    "raise": _Words(4, N_("Raising, and all in"), _raise, waits=True),
    "bet": _Words(4, N_("Pochen: the betting goes on"), _bet),
    "showdown": _Words(4, N_("Show your hands"), _showdown, waits=True),
    "shed": _Words(
        5, N_("Playing the cards"), lambda _, state, t: play_texts(state.rules, t), waits=True
    ),
    "lead": _Words(5, N_("You lead"), N_("You may play any card. A good one is the {card}.")),
    "follow": _Words(
        5, N_("You hold the next card"), N_("It is the {card}. Tap it: it must be played.")
    ),
    "watch": _Words(
        5, N_("The others play"), N_("When one of your cards comes next, it is your turn.")
    ),
    "out": _Words(6, N_("{name} is out of cards"), _out, waits=True),
    "broke": _Words(6, N_("When the chips run out"), _broke, waits=True),
    "table": _Words(6, N_("At a table with real cards"), _table, waits=True),
    "night": _Words(6, N_("The deal is over"), _night, waits=True, button=N_("Finish")),
}
"""The lessons in the order of a deal."""


def _words(state: State, t: Translator) -> Words:
    return Words(state.name_of, card_names(t), t)
