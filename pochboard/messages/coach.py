"""What a friend says to a beginner at each moment of a night: why it matters, what may be wise."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pochboard.messages.labels import pool_name
from pochboard.rules.state import State
from pochboard.text.translator import Translator, gettext_noop

_PLAY: Final[Mapping[str, str]] = {
    "sequence": gettext_noop(
        "Lead low in a suit that you can end: whoever plays last in a run leads again."
    ),
    "rising": gettext_noop(
        "Lead low in a suit in which you hold the highest: whoever plays last leads again."
    ),
    "tricks": gettext_noop(
        "Lead a card that is hard to beat: whoever takes the trick leads again."
    ),
    "thirty-one": gettext_noop(
        "Watch the count: whoever plays the last card up to 31 begins again."
    ),
}


def coach_text(state: State, t: Translator) -> str:
    """What a friend beside a beginner would say now; empty between nights.

    A small phone shows it above the controls, so it is short.
    """
    match state.phase:
        case "idle":
            return t.gettext(
                "This deal is played for the chips in the pools. What nobody wins stays there."
            )
        case "meld":
            return t.gettext(
                "Look at your trumps: whoever shows a card that a pool is named after takes it."
            )
        case "pochen":
            return _betting(state, t)
        case "showdown":
            return t.gettext(
                "Four cards of a rank beat three, three beat two; then the higher rank wins."
            )
        case "shed" if state.winner is None:
            return t.gettext(_PLAY[_shedding(state)])
        case "shed":
            return t.gettext("Each card that is left costs its player one chip.")
        case _:
            return ""


def _shedding(state: State) -> str:
    """The way of playing the cards; `domino` is another name for `sequence`."""
    name = state.rules.shedding
    return "sequence" if name == "domino" else name


def _betting(state: State, t: Translator) -> str:
    if state.highest:
        return t.gettext("Is your set the best? Then stay in, otherwise pass.")
    pool = pool_name(state.rules.bet_pool, t)
    if state.rules.bet_needs_set:
        return t.gettext(
            "A pair or better? Then you may knock: the best set wins {pool}.", pool=pool
        )
    return t.gettext("A pair or better? Then knock: the best set wins {pool}.", pool=pool)
