"""What the practice deal teaches: questions on the rules, and the lesson that answers each.

The answers are those of RULES.md 2 to 8; their numbers come from the ruleset of the practice.
"""

from __future__ import annotations

import re
from functools import cache
from random import Random
from typing import Final

import pytest

from pochboard.bots.practice import HANDS, LEARNER, ArrangedCards
from pochboard.cards.card import deck_of
from pochboard.messages.labels import pool_name
from pochboard.messages.practice import STAGES, LessonName, lesson_text, stage_of
from pochboard.rules.ruleset_files import shipped_rulesets
from pochboard.text.translator import ENGLISH, translator
from tests.core.bots.practice import Taught, practise
from tests.core.play import Night

RULES: Final = shipped_rulesets()["family"]

# The words with which a person would answer; each is looked for in the lessons named.
QUESTIONS: Final[dict[str, tuple[tuple[LessonName, ...], tuple[str, ...]]]] = {
    "Which pools are there, and what goes into them before a deal?": (
        ("board",),
        (
            *(pool_name(pool, ENGLISH) for pool in RULES.pools),
            rf"\b{len(RULES.pools)} pools",
            rf"\b{RULES.ante} chip into each",
        ),
    ),
    "What is trump, and how is it chosen?": (("trump",), ("last card dealt", "its suit is trumps")),
    "Who wins a pool with a card's name?": (("meld",), ("shows that card of the trump suit",)),
    "What wins Marriage?": (("meld",), ("Marriage.*king and queen of trumps",)),
    "What wins Sequence, and what if nobody can win a pool?": (
        ("left",),
        ("Sequence.*the 7, 8 and 9 of trumps", "stay where they are for the next deal"),
    ),
    "What beats what in the betting, and what if two hands are equal?": (
        ("poch",),
        ("Four beat three, and three beat two", "higher rank wins", "equal pairs.*trump suit wins"),
    ),
    "Who may bet, and when does the betting end?": (
        ("stakes", "bet"),
        ("stake with any hand", "put in the same", "all others pass.*wins"),
    ),
    "What does the betting win?": (
        ("bet",),
        (r"Poch.*wins the betting", r"Pinke.*wins the betting.*all stakes"),
    ),
    "May one raise, and what if the chips do not suffice?": (
        ("raise",),
        ("raise by any number", "put in all you have", "only win what your stake covers"),
    ),
    "What if the chips run out?": (
        ("broke",),
        ("out of the betting", "pay only what you have", "buys in", rf"gives {RULES.stack} chips"),
    ),
    "What does one do at a real table?": (
        ("table",),
        ("The phone is told", "Undo takes the last step back", "your place, then the pool"),
    ),
    "How are the cards played, and what do the losers pay?": (
        ("shed", "out"),
        ("won the betting leads", "next higher card of the suit", "one chip for each card"),
    ),
    "Who wins the night?": (("night",), ("won the most chips wins the night",)),
}


@cache
def taught() -> tuple[Taught, ...]:
    """The practice of a learner who does as told."""
    return tuple(practise())


def said(moments: tuple[Taught, ...], *names: LessonName) -> str:
    """All that these lessons say."""
    lines: list[str] = []
    for state, lesson in moments:
        if lesson.name in names:
            text = lesson_text(lesson, state, ENGLISH)
            lines += [f"{line.term} {line.text}" for line in text.lines]
    return "\n".join(lines)


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_lesson_answers(question: str) -> None:
    names, answers = QUESTIONS[question]
    words = said(taught(), *names)
    for answer in answers:
        assert re.search(answer, words), f"{answer!r} is not in:\n{words}"


def test_the_hands_are_one_deck_dealt_in_full() -> None:
    cards = [card for hand in HANDS.values() for card in hand.split()]
    assert sorted(cards) == sorted(deck_of(RULES.deck_for(len(HANDS))))


@pytest.mark.parametrize("players", [3, 5])
def test_others_than_the_seats_of_the_practice_get_hands_too(players: int) -> None:
    night = Night("family", players)
    night.do("deal")
    cards = ArrangedCards(Random(1))
    cards.deal(night.book.state)
    assert sorted(map(len, cards.dealt.hands.values())) == sorted(
        night.book.state.hand_sizes.values()
    )


def test_the_learner_claims_meets_an_equal_pair_and_goes_out() -> None:
    by_name = {lesson.name: (state, lesson) for state, lesson in taught()[:-1]}
    assert {"marriage", "king", "queen"} <= set(
        next(lesson.pools for _, lesson in taught() if lesson.name == "meld")
    )
    state, lesson = by_name["showdown"]
    first, second = lesson.shown
    assert {card[0] for card in (*first.cards, *second.cards)} == {first.cards[0][0]}
    assert lesson.ranking is not None
    assert lesson.ranking.ranking[0] == (LEARNER,)
    # Nobody could win Sequence, so its antes are still there.
    state, lesson = by_name["night"]
    assert lesson.pools == ("sequence",)
    assert state.pool("sequence") == RULES.ante * len(HANDS)
    state, lesson = by_name["out"]
    assert state.winner == LEARNER
    before, after = state, by_name["night"][0]
    for seat, left in lesson.left.items():
        assert before.stack_of(seat) - after.stack_of(seat) == left > 0


def test_every_lesson_has_a_stage_and_is_said_in_german() -> None:
    german = translator("de")
    stages = []
    for state, lesson in taught():
        stages.append(stage_of(lesson.name))
        text, english = lesson_text(lesson, state, german), lesson_text(lesson, state, ENGLISH)
        assert len(text.lines) == len(english.lines)
    assert stages == sorted(stages)
    assert set(stages) == set(range(1, len(STAGES) + 1))
