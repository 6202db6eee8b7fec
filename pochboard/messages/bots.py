"""Computer players in words: what happens at their table, and what a person there may do."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal

import msgspec

from pochboard.ledger.legal import LegalActions
from pochboard.messages.actions import stake_steps
from pochboard.messages.labels import pool_name, pool_names
from pochboard.rules.commands import Claim, Next, Pass, Stake
from pochboard.rules.state import State
from pochboard.text.translator import Translator

AwaitedMove = Literal["meld", "bet", "lay"]
"""What a person has to do before the computer players continue."""


class HandAction(msgspec.Struct, frozen=True, kw_only=True):
    """A command that a person may send from their hand."""

    label: str
    command: Claim | Next | Stake | Pass
    main: bool
    """Whether it is the usual thing to do."""


class HandContext(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that the words to a person who has taken a seat depend on."""

    seat: int
    has_cards: bool
    may_lay: bool
    due: tuple[str, ...]
    """The pools that the hand may claim now."""
    awaited_seat: int | None
    """The person who has to do something, if any."""
    awaited: AwaitedMove | None


def table_message(state: State, bots: Collection[int], *, dealt: bool, t: Translator) -> str:
    """What the page says while there is no card on the table."""
    match state.phase:
        case "meld":
            if dealt:
                return t.gettext("Players show the cards that win pools.")
            return t.gettext("The cards are being dealt.")
        case "pochen":
            return t.gettext("The players bet on their sets.")
        case "showdown":
            return t.gettext("The hands are compared.")
        case "shed" if state.winner is not None:
            return t.gettext("{name} is out of cards.", name=short_name(state, state.winner, bots))
        case "shed" if state.leader is not None:
            return t.gettext("{name} leads.", name=short_name(state, state.leader, bots))
        case _ if state.dealer is not None:
            return t.gettext("{name} deals next.", name=short_name(state, state.dealer, bots))
        case _:
            return ""


def short_name(state: State, seat: int, bots: Collection[int]) -> str:
    """A seat's name; for a bot, without its strategy: `Anna` for `Bold Anna`."""
    name = state.name_of(seat)
    return name.split(" ")[-1] if seat in bots else name


def hand_prompt(state: State, hand: HandContext, bots: Collection[int], t: Translator) -> str:
    """What a person who has taken a seat should do now."""
    if hand.seat not in state.live:
        return t.gettext("Your seat is not playing now.")
    if state.phase == "idle":
        return t.gettext("The next deal brings you new cards.")
    if hand.awaited_seat == hand.seat:
        return _awaited(state, hand, t)
    if hand.due:
        return t.gettext("Claim what you hold: {pools}.", pools=pool_names(hand.due, t))
    if hand.awaited_seat is not None:
        name = short_name(state, hand.awaited_seat, bots)
        return t.gettext("Waiting for {name}.", name=name)
    if hand.has_cards:
        return t.gettext("You play this seat.")
    return t.gettext("You are out of cards.")


def _awaited(state: State, hand: HandContext, t: Translator) -> str:
    need = state.need(hand.seat) if state.committed else 0
    match hand.awaited:
        case "meld" if hand.due:
            return t.gettext(
                "Claim what you hold: {pools}. Then press next.", pools=pool_names(hand.due, t)
            )
        case "meld":
            return t.gettext("You have nothing more to claim. Press next.")
        case "bet" if need:
            return t.ngettext(
                "Your turn: {count} chip to stay in.",
                "Your turn: {count} chips to stay in.",
                need,
            )
        case "bet":
            return t.gettext("Your turn: nobody has knocked yet.")
        case _ if hand.may_lay:
            return t.gettext("Your turn: play a card.")
        case _:
            return t.gettext("Your turn.")


def hand_actions(hand: HandContext, legal: LegalActions, t: Translator) -> tuple[HandAction, ...]:
    """What a person who has taken a seat may send without the board's buttons."""
    seat = hand.seat
    actions = [
        HandAction(
            label=t.gettext("Claim {pool}", pool=pool_name(pool, t)),
            command=Claim(seat=seat, pool=pool),
            main=True,
        )
        for pool in hand.due
    ]
    if hand.awaited_seat != seat:
        return tuple(actions)
    if hand.awaited == "meld" and "next" in legal.commands:
        actions.append(HandAction(label=t.gettext("next"), command=Next(), main=not actions))
    stakes = legal.stakes
    if hand.awaited == "bet" and stakes is not None and stakes.seat == seat:
        smallest = next(stake_steps(stakes, t))
        actions.append(
            HandAction(
                label=smallest.label.format(chips=stakes.least),
                command=Stake(seat=seat, chips=stakes.least),
                main=True,
            )
        )
    if hand.awaited == "bet" and seat in legal.seats.get("pass", ()):
        actions.append(HandAction(label=t.gettext("Pass"), command=Pass(seat=seat), main=False))
    return tuple(actions)
