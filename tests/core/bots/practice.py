"""Plays the practice deal as a learner who does what the coach says."""

from __future__ import annotations

from collections.abc import Callable

from pochboard.bots.betting import SENSIBLE
from pochboard.bots.bot_table import AwaitPerson, PlayCard
from pochboard.bots.practice import LEARNER, PLAYERS, PracticeTable
from pochboard.messages.practice import Lesson
from pochboard.rules.commands import AnyCommand, Claim, Next, Stake, Start
from pochboard.rules.registry import play
from pochboard.rules.state import State
from tests.core.play import resolve

Taught = tuple[State, Lesson]
Bet = Callable[[State], AnyCommand]

NAMES = ("Lena", "Bruno", "Clara", "Simon")


def hold(state: State) -> AnyCommand:
    """What the coach advises in the betting."""
    return Stake(LEARNER, state.need(LEARNER) or 1)


def practise(bet: Bet = hold) -> list[Taught]:
    """Each moment of the practice: the state and the lesson, the last state with none."""
    table = PracticeTable(dict.fromkeys(range(2, PLAYERS + 1), SENSIBLE), "")
    state = State()
    state = _played(state, Start(ruleset="family", players=NAMES, dealer=LEARNER))
    taught: list[Taught] = []
    while (action := table.next_action(state)) is not None:
        lesson = table.lesson(state)
        assert lesson is not None
        if not taught or taught[-1][1] != lesson:
            taught.append((state, lesson))
        match action:
            case PlayCard():
                table.carried_out(action)
            case AwaitPerson(_, "read"):
                assert lesson.waits
                table.read(lesson.name)
            case AwaitPerson(_, "meld"):
                command = Claim(LEARNER, lesson.pools[0]) if lesson.name == "meld" else Next()
                state = _played(state, command)
            case AwaitPerson(_, "bet"):
                state = _played(state, bet(state))
            case AwaitPerson():
                table.play_card(state, LEARNER, lesson.marked[0])
            case _:
                state = _played(state, action)
    taught.append((state, taught[-1][1]))
    return taught


def _played(state: State, command: AnyCommand) -> State:
    after = play(state, command, resolve())
    assert isinstance(after, State), after
    return after
