"""What the practice deal teaches: questions on the rules, and the lesson that answers each.

The answers are those of RULES.md 2 to 8; their numbers come from the ruleset of the practice.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

import pytest

from pochboard.bots.practice import HANDS, LEARNER
from pochboard.messages.labels import pool_name
from pochboard.messages.practice import LESSONS, LessonName, lesson_text
from pochboard.rules.ruleset_files import shipped_rulesets
from pochboard.text.translator import ENGLISH, translator
from tests.core.bots.practice import Taught, practise

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
        stages.append(LESSONS[lesson.name].stage)
        text, english = lesson_text(lesson, state, german), lesson_text(lesson, state, ENGLISH)
        assert len(text.lines) == len(english.lines)
    assert stages == sorted(stages)
    assert set(stages) == set(range(1, LESSONS["night"].stage + 1))
