"""The table of computer players, and the hand of a person among them."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from pochboard.bots.bot_table import AwaitPerson, OpenCards
from pochboard.messages.labels import pool_name, pool_names, short_name
from pochboard.messages.practice import LESSONS, Lesson, LessonName, ShownHand, lesson_text
from pochboard.messages.rules_text import RulesLine
from pochboard.rules.commands import Claim, Next, Pass, Stake
from pochboard.rules.state import State
from pochboard.table.snapshot import Bots, Hand, Snapshot
from pochboard.text.translator import ENGLISH, Translator
from pochboard.views.actions import stake_steps
from pochboard.views.seats import stake_words


class BotsState(OpenCards, frozen=True, kw_only=True):
    """Bots at the table, and all open cards."""

    speed: float
    stuck: str | None
    """Why the bots cannot continue until somebody does something."""
    short_names: dict[int, str]
    """The names of the seats that play; those of bots without their strategy."""
    practice: bool
    """Whether it is a practice deal for the person among them."""
    session: str
    """Tells these bots from others: a phone that has not asked for them asks before it follows."""


class HandAction(msgspec.Struct, frozen=True, kw_only=True):
    """A command that a person may send from their hand."""

    label: str
    command: Claim | Next | Stake | Pass
    main: bool
    """Whether it is the usual thing to do."""


class LessonAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """What the coach of a practice deal says now."""

    name: LessonName
    stage: int
    stages: int
    title: str
    lines: tuple[RulesLine, ...]
    button: str | None
    """What the learner taps after reading; null if the lesson ends with something else."""
    pools: tuple[str, ...]
    """The pools that it is about."""
    shown: tuple[ShownHand, ...]
    """The cards of its picture."""
    marked: tuple[str, ...]
    """The cards of the learner's hand that it is about."""


class HandAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The cards of a person who has taken a seat, and what they may do, in words."""

    cards: tuple[str, ...]
    """The cards in hand, sorted."""
    playable: tuple[str, ...]
    """Those that may be played now; empty when it is another seat's turn."""
    due: tuple[str, ...]
    """The pools that the hand may claim now."""
    lesson: LessonAnswer | None
    """What the coach says in a practice deal."""
    prompt: str
    """What to do now, in a sentence."""
    actions: tuple[HandAction, ...]
    """What may be sent without the board's buttons."""


def bots_state(bots: Bots, state: State, t: Translator = ENGLISH) -> BotsState:
    """The bots and the open cards."""
    seats = bot_seats(bots)
    return BotsState(
        **msgspec.structs.asdict(bots.cards),
        speed=bots.speed,
        stuck=bots.stuck.sentence.in_language(t) if bots.stuck else None,
        short_names={seat: short_name(state, seat, seats) for seat in bots.cards.players},
        practice=bots.practice,
        session=bots.session,
    )


def bot_seats(bots: Bots | None) -> list[int]:
    """The seats that computer players play."""
    players = bots.cards.players if bots else {}
    return [seat for seat, name in players.items() if name != "person"]


def hand_answer(hand: Hand, snapshot: Snapshot, t: Translator = ENGLISH) -> HandAnswer:
    """The hand of a person who has taken a seat, and what to do with it."""
    awaited = snapshot.bots.cards.waits if snapshot.bots else None
    return HandAnswer(
        cards=hand.cards,
        playable=hand.playable,
        due=hand.due,
        lesson=_lesson(hand.lesson, awaited, snapshot.state, t) if hand.lesson else None,
        prompt=_prompt(hand, awaited, snapshot, t),
        actions=tuple(_hand_actions(hand, awaited, snapshot, t)),
    )


def _lesson(
    lesson: Lesson, awaited: AwaitPerson | None, state: State, t: Translator
) -> LessonAnswer:
    text = lesson_text(lesson, state, t)
    waits = lesson.waits and awaited is not None and awaited.what == "read"
    return LessonAnswer(
        name=lesson.name,
        stage=LESSONS[lesson.name].stage,
        stages=LESSONS["night"].stage,
        title=text.title,
        lines=text.lines,
        button=text.button if waits else None,
        pools=lesson.pools,
        shown=lesson.shown,
        marked=lesson.marked,
    )


def _prompt(hand: Hand, awaited: AwaitPerson | None, snapshot: Snapshot, t: Translator) -> str:
    """What this person should do now."""
    state = snapshot.state
    if hand.seat not in state.live:
        return t.gettext("Your seat is not playing now.")
    if awaited is not None and awaited.what == "read":
        return t.gettext("Read what the coach says.")
    if state.phase == "idle":
        return t.gettext("The next deal brings you new cards.")
    if awaited is not None and awaited.seat == hand.seat:
        return _awaited(hand, awaited, state, t)
    if hand.due:
        return t.gettext(
            "Claim what you hold: {pools}.", pools=pool_names(hand.due, t, state.rules)
        )
    if awaited is not None:
        name = short_name(state, awaited.seat, bot_seats(snapshot.bots))
        return t.gettext("Waiting for {name}.", name=name)
    if hand.cards:
        return t.gettext("You play this seat.")
    return t.gettext("You are out of cards.")


def _awaited(hand: Hand, awaited: AwaitPerson, state: State, t: Translator) -> str:
    need = state.need(hand.seat) if state.committed else 0
    match awaited.what:
        case "meld" if hand.due:
            return t.gettext(
                "Claim what you hold: {pools}. Then press next.",
                pools=pool_names(hand.due, t, state.rules),
            )
        case "meld":
            return t.gettext("You have nothing more to claim. Press next.")
        case "bet" if need:
            return t.gettext("Your turn: {what}", what=stake_words(state, hand.seat, t))
        case "bet":
            return t.gettext("Who’s betting? Your turn")
        case _ if hand.playable:
            return t.gettext("Your turn: play a card.")
        case _:
            return t.gettext("Your turn.")


def _hand_actions(
    hand: Hand, awaited: AwaitPerson | None, snapshot: Snapshot, t: Translator
) -> Iterator[HandAction]:
    """What this person may send without the board's buttons."""
    seat, rules, legal = hand.seat, snapshot.state.rules, snapshot.legal
    for pool in hand.due:
        if any(pool in rules.comes_with(other) for other in hand.due):
            continue  # another claim takes it too (RULES.md 3)
        yield HandAction(
            label=t.gettext("Claim {pool}", pool=pool_name(pool, t, rules)),
            command=Claim(seat=seat, pool=pool),
            main=True,
        )
    if awaited is None or awaited.seat != seat:
        return
    if awaited.what == "meld" and "next" in legal.commands:
        yield HandAction(label=t.gettext("next"), command=Next(), main=not hand.due)
    stakes = legal.stakes
    if awaited.what == "bet" and stakes is not None and stakes.seat == seat:
        smallest = next(stake_steps(stakes, t))
        yield HandAction(
            label=smallest.label.format(chips=stakes.least),
            command=Stake(seat=seat, chips=stakes.least),
            main=True,
        )
    if awaited.what == "bet" and seat in legal.seats.get("pass", ()):
        yield HandAction(label=t.gettext("Pass"), command=Pass(seat=seat), main=False)
