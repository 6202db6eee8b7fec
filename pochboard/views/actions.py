"""The controls that a phone shows: what each accepted command is called, and what it may name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any, Final, get_args

import msgspec
from msgspec import UNSET, UnsetType, field

from pochboard.cards.card import deck_of
from pochboard.errors import Attempt, directly
from pochboard.messages.entries import EntryContext, sentence
from pochboard.messages.labels import account_label, pool_name
from pochboard.rules.accounts import POOLS
from pochboard.rules.betting import StakeRange, pots, return_unmatched
from pochboard.rules.commands import SUITS, CommandName
from pochboard.rules.melding import can_be_won
from pochboard.rules.state import State
from pochboard.table.snapshot import Snapshot
from pochboard.text.names import COMMANDS, CommandWords
from pochboard.text.translator import N_, Translator


class Choice(msgspec.Struct, frozen=True):
    """One of several things to choose from: what is sent, and what it is called."""

    value: str
    label: str


class Action(msgspec.Struct, frozen=True, kw_only=True):
    """A command that would be accepted now, in the words of `CommandWords`."""

    label: str
    title: str = ""
    hint: str = ""
    """For `undo` and `redo`, the sentence of the entry concerned."""
    named: str = ""
    own: str = ""
    confirm: str = ""
    seats: tuple[int, ...] = ()
    """The seats that may be named, in the order to list them."""


class ClaimAction(Action, frozen=True, kw_only=True):
    """All live seats, also those that may claim nothing, so that controls stay in their places."""

    claims: dict[str, tuple[str, ...]]
    """The pools that each seat may claim; seats are keys."""
    pools: tuple[str, ...]
    """All meld pools of the ruleset in board order, also those that are taken or blocked."""
    others: dict[str, tuple[str, ...]]
    """For pools that others come with, the names of those that come with it now."""


class TurnAction(Action, frozen=True, kw_only=True):
    """The trump suit, which is all that has to be said; then perhaps the rank that was turned up.

    A card is a rank with the suit, as in `TH`.
    """

    suits: tuple[str, ...]
    """Empty once the suit is known."""
    ranks: tuple[str, ...]
    """Those that block a pool or pay the dealer, while they can."""


class StakeStep(msgspec.Struct, frozen=True):
    """The text of the button for stakes from `least` up to the next step.

    `{chips}` is the stake, `{more}` its excess over the need.
    """

    least: int
    label: str


class StakeAction(Action, frozen=True, kw_only=True):
    """What the seat to act may stake: any number of chips from `least` to `most`."""

    least: int
    most: int
    most_label: str
    steps: tuple[StakeStep, ...]


class PotRow(msgspec.Struct, frozen=True):
    """One of the pots of a showdown (RULES.md 6)."""

    chips: int
    seats: tuple[int, ...]
    """Those who can win it. If there are several, a ranking must name at least one of them."""
    label: str
    """Whose it may be, as in `without Ben`."""


class ShowdownAction(Action, frozen=True, kw_only=True):
    """The seats still in, to be ranked."""

    pots: tuple[PotRow, ...]
    """The pots from the first one on; chips that nobody has matched are in none."""
    nobody: bool
    """Whether nobody may win. Where high cards win, somebody always does."""


class CardCount(msgspec.Struct, frozen=True):
    """A seat whose cards have to be counted."""

    seat: int
    most: int
    """Its hand size."""
    cards: int | None
    """The cards counted so far, on phones or by presses."""
    unpaid: str | None
    """That the seat cannot pay for all of them, in a sentence."""


class SettleAction(Action, frozen=True, kw_only=True):
    """The seats that still hold cards."""

    counts: tuple[CardCount, ...]


class RebuyAction(Action, frozen=True, kw_only=True):
    """The seats that may buy in, the poorest first."""

    chips: int
    """The usual number of chips to buy."""
    short: dict[str, str]
    """By seat that is short of the ante, the label of the button that buys chips for it. Until it
    buys, it is not dealt in."""


class JoinAction(Action, frozen=True, kw_only=True):
    """The places that are free."""

    places: tuple[int, ...]


class AdjustAction(Action, frozen=True, kw_only=True):
    """The accounts that chips may be moved between, the bank first."""

    accounts: tuple[Choice, ...]


class Actions(msgspec.Struct, frozen=True, kw_only=True):
    """The commands that would be accepted now, by name; all others are unset."""

    start: Action | UnsetType = UNSET
    deal: Action | UnsetType = UNSET
    turn: TurnAction | UnsetType = UNSET
    claim: ClaimAction | UnsetType = UNSET
    next: Action | UnsetType = UNSET
    stake: StakeAction | UnsetType = UNSET
    pass_: Action | UnsetType = field(name="pass", default=UNSET)
    showdown: ShowdownAction | UnsetType = UNSET
    go: Action | UnsetType = UNSET
    out: Action | UnsetType = UNSET
    settle: SettleAction | UnsetType = UNSET
    void: Action | UnsetType = UNSET
    rebuy: RebuyAction | UnsetType = UNSET
    join: JoinAction | UnsetType = UNSET
    leave: Action | UnsetType = UNSET
    sit_out: Action | UnsetType = UNSET
    sit_in: Action | UnsetType = UNSET
    rename: Action | UnsetType = UNSET
    dealer: Action | UnsetType = UNSET
    banker: Action | UnsetType = UNSET
    adjust: AdjustAction | UnsetType = UNSET
    undo: Action | UnsetType = UNSET
    redo: Action | UnsetType = UNSET
    end: Action | UnsetType = UNSET


assert Actions.__struct_encode_fields__ == get_args(CommandName)


def actions(snapshot: Snapshot, t: Translator, attempt: Attempt = directly) -> Actions:
    """The controls of the commands that would be accepted now, without those that fail."""
    made: dict[str, Any] = {}
    for command in snapshot.legal.commands:
        name = "pass_" if command == "pass" else command
        words = COMMANDS[command].in_language(t)
        bare = Action(label=words.label) if command in ("undo", "redo") else UNSET
        control = _CONTROLS.get(command) or partial(_plain, command)
        made[name] = attempt(f"actions.{command}", partial(control, snapshot, words, t), bare)
    return Actions(**made)


def _plain(command: CommandName, snapshot: Snapshot, words: CommandWords, _: Translator) -> Action:
    """The control of a command that names at most a seat."""
    return Action(
        label=words.label,
        title=words.title,
        hint=words.hint,
        named=words.named,
        own=words.own,
        confirm=words.confirm,
        seats=snapshot.legal.seats.get(command, ()),
    )


def _turn(snapshot: Snapshot, words: CommandWords, _: Translator) -> TurnAction:
    state = snapshot.state
    counting = state.rules.turned_cards_that_count if state.phase == "meld" else ()
    return TurnAction(
        label=words.label,
        title=words.title,
        suits=() if state.trump else tuple(SUITS),
        ranks=tuple(rank for rank in counting if f"{rank}{SUITS[0]}" in deck_of(state.deck)),
    )


def _claim(snapshot: Snapshot, words: CommandWords, t: Translator) -> ClaimAction:
    state, rules = snapshot.state, snapshot.state.rules
    others = {
        pool: tuple(
            pool_name(one, t, rules) for one in rules.comes_with(pool) if can_be_won(state, one)
        )
        for pool in rules.meld_pools
        if rules.comes_with(pool)
    }
    return ClaimAction(
        label=words.label,
        seats=state.live,
        claims={str(seat): pools for seat, pools in snapshot.legal.claims.items()},
        pools=rules.meld_pools,
        others=others,
    )


def _stake(snapshot: Snapshot, words: CommandWords, t: Translator) -> StakeAction:
    stakes = snapshot.legal.stakes
    assert stakes is not None, "a stake would be accepted"
    return StakeAction(
        label=words.label,
        least=stakes.least,
        most=stakes.most,
        most_label=(
            t.gettext("All {chips}", chips=stakes.most)
            if stakes.most == stakes.stack
            else t.gettext("Most {chips}", chips=stakes.most)
        ),
        steps=tuple(stake_steps(stakes, t)),
    )


def stake_steps(stakes: StakeRange, t: Translator) -> Iterator[StakeStep]:
    """What the stakes mean, from the smallest up."""
    need, least = stakes.need, stakes.least
    if not need:
        yield StakeStep(least, t.gettext("Knock with {chips}"))
    elif least < need:
        yield StakeStep(least, t.gettext("All in with {chips}"))
    else:
        yield StakeStep(need, t.gettext("Stay in with {chips}"))
        yield StakeStep(need + 1, t.gettext("Put in {chips}: raise by {more}"))


def _showdown(snapshot: Snapshot, words: CommandWords, t: Translator) -> ShowdownAction:
    return ShowdownAction(
        label=words.label,
        title=words.title,
        hint=words.hint,
        seats=snapshot.state.still_in,
        pots=tuple(pot_rows(snapshot.state, t)),
        nobody=not snapshot.state.rules.high_card,
    )


def pot_rows(state: State, t: Translator) -> Iterator[PotRow]:
    """The pots of a showdown: the first one for all, the others without those who are all in."""
    before: tuple[int, ...] = ()
    for chips, seats in pots(return_unmatched(state)):
        missing = [seat for seat in before if seat not in seats]
        if len(seats) <= len(missing) or len(seats) == 1:
            label = t.gettext("only {names}", names=t.listed(state.names_of(seats)))
        elif missing:
            label = t.gettext("without {names}", names=t.listed(state.names_of(missing)))
        else:
            label = t.gettext("for all {count}", count=len(seats))
        yield PotRow(chips, seats, label)
        before = seats


def _settle(snapshot: Snapshot, words: CommandWords, t: Translator) -> SettleAction:
    state = snapshot.state
    counted = snapshot.pending.cards if snapshot.pending else {}
    sizes = state.hand_sizes
    return SettleAction(
        label=words.label,
        title=words.title,
        counts=tuple(
            CardCount(
                seat, sizes[seat], counted.get(seat), _unpaid(state, seat, counted.get(seat, 0), t)
            )
            for seat in state.live
            if seat != state.winner
        ),
    )


def _unpaid(state: State, seat: int, cards: int, t: Translator) -> str | None:
    """What a seat pays that has fewer chips than cards, if it has."""
    chips = state.stack_of(seat)
    if chips >= cards:
        return None
    said = (
        N_("{name} pays only {chips} for {cards}.")
        if chips
        else N_("{name} has no chips and pays nothing for {cards}.")
    )
    counted = t.ngettext("{count} card", "{count} cards", cards)
    return t.gettext(said, name=state.name_of(seat), chips=chips, cards=counted)


def _rebuy(snapshot: Snapshot, words: CommandWords, t: Translator) -> RebuyAction:
    state, chips = snapshot.state, snapshot.state.stack
    seats = tuple(sorted(snapshot.legal.seats["rebuy"], key=state.stack_of))
    return RebuyAction(
        label=words.label,
        title=words.title,
        own=t.ngettext("I buy in for {count} chip", "I buy in for {count} chips", chips),
        seats=seats,
        chips=chips,
        short={
            str(seat): t.ngettext(
                "{name} buys in for {count} chip",
                "{name} buys in for {count} chips",
                chips,
                name=state.name_of(seat),
            )
            for seat in seats
            if state.is_short(seat) and seat not in state.sitting_out
        },
    )


def _join(snapshot: Snapshot, words: CommandWords, _: Translator) -> JoinAction:
    return JoinAction(label=words.label, places=snapshot.legal.places)


def _adjust(snapshot: Snapshot, words: CommandWords, t: Translator) -> AdjustAction:
    state = snapshot.state
    accounts = account_choices(state, state.here, t)
    return AdjustAction(label=words.label, hint=words.hint, accounts=accounts)


def account_choices(state: State, seats: Iterable[int], t: Translator) -> tuple[Choice, ...]:
    """The bank, the pools, and the stacks of these seats."""
    pools = [f"pool:{pool}" for pool in POOLS if pool in state.rules.pools]
    names = ("bank", *pools, *(f"seat:{seat}" for seat in seats))
    return tuple(Choice(name, account_label(name, state, t)) for name in names)


def _end(snapshot: Snapshot, words: CommandWords, t: Translator) -> Action:
    title = (
        t.gettext(
            "The night ends, and the players share the chips left in the pools. Are you sure?"
        )
        if snapshot.state.rules.leftover == "split"
        else t.gettext(
            "The night ends, and the chips left in the pools go back to the bank. Are you sure?"
        )
    )
    return Action(label=words.label, title=title, confirm=words.confirm)


def _history(context: EntryContext | None, words: CommandWords, t: Translator) -> Action:
    assert context is not None, "there is an entry to undo or redo"
    return Action(label=words.label, hint=sentence(context, t))


_CONTROLS: Final[Mapping[CommandName, Callable[[Snapshot, CommandWords, Translator], Action]]] = {
    "turn": _turn,
    "claim": _claim,
    "stake": _stake,
    "showdown": _showdown,
    "settle": _settle,
    "rebuy": _rebuy,
    "join": _join,
    "adjust": _adjust,
    "undo": lambda snapshot, words, t: _history(snapshot.undoes, words, t),
    "redo": lambda snapshot, words, t: _history(snapshot.redoes, words, t),
    "end": _end,
}
"""The controls of commands that choose more than a seat, or say more than their row of words."""
