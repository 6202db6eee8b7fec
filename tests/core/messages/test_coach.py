"""Tips for beginners: one for each moment of a night, short enough for a small phone."""

from __future__ import annotations

import pytest

from pochboard.messages.coach import coach_text
from pochboard.text.catalogues import translator
from pochboard.text.translator import ENGLISH
from tests.core.play import RULESETS, Night

LONGEST = 110
"""Three lines of a phone that is 360 px wide."""


@pytest.mark.parametrize("ruleset", RULESETS)
def test_every_moment_has_a_short_tip_in_each_language(ruleset: str) -> None:
    night = Night(ruleset, players=3)
    state = night.book.state
    moments = [state]
    for step in ("deal", "next"):
        night.do(step)
        moments.append(night.book.state)
    night.do("stake", seat=night["to_act"], chips=1)
    moments.append(night.book.state)
    night.do("stake", seat=night["to_act"], chips=1)
    night.do("pass", seat=night["to_act"])
    moments.append(night.book.state)
    night.do(
        "showdown", ranking=[seat for seat in (1, 2, 3) if seat not in night.book.state.passed]
    )
    moments.append(night.book.state)
    night.do("out", seat=1)
    moments.append(night.book.state)
    assert len({moment.phase for moment in moments}) == 5
    for t in (ENGLISH, translator("de")):
        tips = [coach_text(moment, t) for moment in moments]
        assert len(set(tips)) == len(moments)
        assert all(0 < len(tip) <= LONGEST for tip in tips), tips


def test_between_nights_there_is_none() -> None:
    assert coach_text(Night(None).book.state, ENGLISH) == ""


def test_where_a_stake_needs_a_set_the_tip_says_so() -> None:
    tips = {}
    for ruleset in ("modern", "pagat"):
        night = Night(ruleset)
        night.do("deal")
        night.do("next")
        tips[ruleset] = coach_text(night.book.state, ENGLISH)
    assert "may knock" in tips["pagat"]
    assert "may knock" not in tips["modern"]
