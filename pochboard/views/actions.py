"""The controls that a phone shows: what each accepted command is called, and what it may name."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
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
from pochboard.text.translator import Translator


class Choice(msgspec.Struct, frozen=True):
    """One of several things to choose from: what is sent, and what it is called."""

    value: str
    label: str


class PlainAction(msgspec.Struct, frozen=True, kw_only=True):
    """A command that would be accepted now."""

    label: str
    """The label of its button."""


class SeatAction(PlainAction, frozen=True, kw_only=True):
    """A command that names a seat."""

    title: str
    """The question, such as `Who deals next?`."""
    seats: tuple[int, ...]
    """The seats that may be named, in the order to list them."""
    named_label: str | UnsetType = UNSET
    """What the button says once a seat is chosen: `{name}` is its name. Else it says `label`."""
    own_label: str | UnsetType = UNSET
    """What the button says on the phone of somebody at one of the seats, for whom it is."""
    hint: str | UnsetType = UNSET


class ConfirmAction(PlainAction, frozen=True, kw_only=True):
    """A command to be confirmed before it is sent."""

    question: str
    confirm: str
    """The label of the button that sends it."""


class HistoryAction(PlainAction, frozen=True, kw_only=True):
    """Undo or redo, with the sentence of the entry concerned."""

    sentence: str


class ClaimAction(PlainAction, frozen=True, kw_only=True):
    """The pools that each seat may claim; seats are keys."""

    claims: dict[str, tuple[str, ...]]
    seats: tuple[int, ...]
    """All live seats, also those that may claim nothing, so that controls stay in their places."""
    pools: tuple[str, ...]
    """All meld pools of the ruleset in board order, also those that are taken or blocked."""
    others: dict[str, tuple[str, ...]]
    """For pools that others come with, the names of those that come with it now."""


class TurnAction(PlainAction, frozen=True, kw_only=True):
    """The trump suit, which is all that has to be said; then perhaps the rank that was turned up.

    A card is a rank with the suit, as in `TH`.
    """

    title: str
    suits: tuple[str, ...]
    """Empty once the suit is known."""
    ranks: tuple[str, ...]
    """Those that block a pool or pay the dealer, while they can."""


class StakeStep(msgspec.Struct, frozen=True):
    """The button's label for stakes from `least` to `most`.

    `{chips}` is the stake, `{more}` the stake less `need`.
    """

    least: int
    most: int
    label: str


class StakeAction(PlainAction, frozen=True, kw_only=True):
    """What the seat to act may stake: any number of chips from `least` to `most`."""

    seat: int
    need: int
    """What it lacks to stay in."""
    least: int
    most: int
    most_label: str
    steps: tuple[StakeStep, ...]


class PassAction(PlainAction, frozen=True, kw_only=True):
    """The seat that may pass."""

    seat: int


class PotRow(msgspec.Struct, frozen=True):
    """One of the pots of a showdown (RULES.md 6)."""

    chips: int
    seats: tuple[int, ...]
    """Those who can win it. If there are several, a ranking must name at least one of them."""
    label: str
    """Whose it may be, as in `without Ben`."""


class ShowdownAction(PlainAction, frozen=True, kw_only=True):
    """The seats still in, to be ranked."""

    pots: tuple[PotRow, ...]
    """The pots from the first one on; chips that nobody has matched are in none."""

    title: str
    hint: str
    seats: tuple[int, ...]
    tie_label: str
    nobody_label: str
    """The label of the button that sends an empty ranking."""
    nobody: bool
    """Whether to offer it: where high cards win, somebody always wins."""


class CardCount(msgspec.Struct, frozen=True):
    """A seat whose cards have to be counted."""

    seat: int
    most: int
    """Its hand size."""
    cards: int | None
    """The cards counted so far, on phones or by presses."""
    unpaid: str | None
    """That the seat cannot pay for all of them, in a sentence."""


class SettleAction(PlainAction, frozen=True, kw_only=True):
    """The seats that still hold cards."""

    title: str
    counts: tuple[CardCount, ...]


class Purchase(msgspec.Struct, frozen=True):
    """A seat that cannot play on, and the label of the button that buys its usual chips."""

    seat: int
    label: str
    own_label: str
    """The same on the phone of the player who is short."""


class RebuyAction(SeatAction, frozen=True, kw_only=True):
    """The seats that may buy in, the poorest first."""

    chips: int
    """The usual number of chips to buy."""
    short: tuple[Purchase, ...]
    """The seats that are short of the ante. Until they buy in, the next deal is without them."""


class JoinAction(PlainAction, frozen=True, kw_only=True):
    """The places that are free."""

    places: tuple[int, ...]


class AdjustAction(PlainAction, frozen=True, kw_only=True):
    """The accounts that chips may be moved between, the bank first."""

    hint: str
    accounts: tuple[Choice, ...]


class Actions(msgspec.Struct, frozen=True, kw_only=True):
    """The commands that would be accepted now, by name; all others are unset."""

    start: PlainAction | UnsetType = UNSET
    deal: PlainAction | UnsetType = UNSET
    turn: TurnAction | UnsetType = UNSET
    claim: ClaimAction | UnsetType = UNSET
    next: PlainAction | UnsetType = UNSET
    stake: StakeAction | UnsetType = UNSET
    pass_: PassAction | UnsetType = field(name="pass", default=UNSET)
    showdown: ShowdownAction | UnsetType = UNSET
    go: SeatAction | UnsetType = UNSET
    out: SeatAction | UnsetType = UNSET
    settle: SettleAction | UnsetType = UNSET
    void: ConfirmAction | UnsetType = UNSET
    rebuy: RebuyAction | UnsetType = UNSET
    join: JoinAction | UnsetType = UNSET
    leave: SeatAction | UnsetType = UNSET
    sit_out: SeatAction | UnsetType = UNSET
    sit_in: SeatAction | UnsetType = UNSET
    rename: SeatAction | UnsetType = UNSET
    dealer: SeatAction | UnsetType = UNSET
    banker: SeatAction | UnsetType = UNSET
    adjust: AdjustAction | UnsetType = UNSET
    undo: HistoryAction | UnsetType = UNSET
    redo: HistoryAction | UnsetType = UNSET
    end: ConfirmAction | UnsetType = UNSET


assert Actions.__struct_encode_fields__ == get_args(CommandName)


_Control = Callable[[Snapshot, CommandWords, Translator], PlainAction]


def actions(snapshot: Snapshot, t: Translator, attempt: Attempt = directly) -> Actions:
    """The controls of the commands that would be accepted now, without those that fail."""
    made: dict[str, Any] = {}
    for command in snapshot.legal.commands:
        name = "pass_" if command == "pass" else command
        words = COMMANDS[command].in_language(t)
        action = attempt(f"actions.{command}", lambda: _control(command, snapshot, words, t), UNSET)  # noqa: B023
        if action is UNSET and command in ("undo", "redo"):
            action = HistoryAction(label=words.label, sentence=words.label)
        made[name] = action
    return Actions(**made)


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
    claims = {str(seat): pools for seat, pools in snapshot.legal.claims.items()}
    others = {
        pool: tuple(
            pool_name(one, t, rules) for one in rules.comes_with(pool) if can_be_won(state, one)
        )
        for pool in rules.meld_pools
        if rules.comes_with(pool)
    }
    return ClaimAction(
        label=words.label,
        claims=claims,
        seats=state.live,
        pools=rules.meld_pools,
        others=others,
    )


def _stake(snapshot: Snapshot, words: CommandWords, t: Translator) -> StakeAction:
    stakes = snapshot.legal.stakes
    assert stakes is not None, "a stake would be accepted"
    return StakeAction(
        label=words.label,
        seat=stakes.seat,
        need=stakes.need,
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
    need, least, most = stakes.need, stakes.least, stakes.most
    if not need:
        yield StakeStep(least, most, t.gettext("Knock with {chips}"))
        return
    if least < need:
        yield StakeStep(least, most, t.gettext("All in with {chips}"))
        return
    yield StakeStep(need, need, t.gettext("Stay in with {chips}"))
    if most > need:
        yield StakeStep(need + 1, most, t.gettext("Put in {chips}: raise by {more}"))


def _pass(snapshot: Snapshot, words: CommandWords, _: Translator) -> PassAction:
    assert snapshot.state.to_act is not None
    return PassAction(label=words.label, seat=snapshot.state.to_act)


def _showdown(snapshot: Snapshot, words: CommandWords, t: Translator) -> ShowdownAction:
    return ShowdownAction(
        label=words.label,
        title=words.title,
        hint=words.hint,
        seats=snapshot.state.still_in,
        pots=tuple(pot_rows(snapshot.state, t)),
        tie_label=t.gettext("Equally good"),
        nobody_label=t.gettext("Nobody has a set"),
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
    name, chips = state.name_of(seat), state.stack_of(seat)
    if chips >= cards:
        return None
    if not chips:
        return t.ngettext(
            "{name} has no chips and pays nothing for {count} card.",
            "{name} has no chips and pays nothing for {count} cards.",
            cards,
            name=name,
        )
    return t.ngettext(
        "{name} pays only {chips} for {count} card.",
        "{name} pays only {chips} for {count} cards.",
        cards,
        name=name,
        chips=chips,
    )


def _rebuy(snapshot: Snapshot, words: CommandWords, t: Translator) -> RebuyAction:
    state, chips = snapshot.state, snapshot.state.stack
    seats = tuple(sorted(snapshot.legal.seats["rebuy"], key=state.stack_of))
    own = t.ngettext("I buy in for {count} chip", "I buy in for {count} chips", chips)
    labels = {
        seat: t.ngettext(
            "{name} buys in for {count} chip",
            "{name} buys in for {count} chips",
            chips,
            name=state.name_of(seat),
        )
        for seat in seats
        if state.is_short(seat) and seat not in state.sitting_out
    }
    return RebuyAction(
        label=words.label,
        title=words.title,
        seats=seats,
        chips=chips,
        short=tuple(Purchase(seat, named, own) for seat, named in labels.items()),
    )


def _join(snapshot: Snapshot, words: CommandWords, _: Translator) -> JoinAction:
    return JoinAction(label=words.label, places=snapshot.legal.places)


def _adjust(snapshot: Snapshot, words: CommandWords, t: Translator) -> AdjustAction:
    state = snapshot.state
    pools = [f"pool:{pool}" for pool in POOLS if pool in state.rules.pools]
    return AdjustAction(
        label=words.label,
        hint=words.hint,
        accounts=tuple(
            Choice(name, account_label(name, state, t))
            for name in ("bank", *pools, *(f"seat:{seat}" for seat in state.here))
        ),
    )


def _end(snapshot: Snapshot, words: CommandWords, t: Translator) -> ConfirmAction:
    if snapshot.state.rules.leftover == "split":
        question = t.gettext(
            "The night ends, and the players share the chips left in the pools. Are you sure?"
        )
    else:
        question = t.gettext(
            "The night ends, and the chips left in the pools go back to the bank. Are you sure?"
        )
    return ConfirmAction(label=words.label, question=question, confirm=words.confirm)


def _control(
    command: CommandName, snapshot: Snapshot, words: CommandWords, t: Translator
) -> PlainAction:
    """The control of a command: one of its own, that of a seat, or only a button."""
    if command in _CONTROLS:
        return _CONTROLS[command](snapshot, words, t)
    if words.confirm:
        return ConfirmAction(label=words.label, question=words.title, confirm=words.confirm)
    if not words.title:
        return PlainAction(label=words.label)
    return SeatAction(
        label=words.label,
        title=words.title,
        seats=snapshot.legal.seats[command],
        named_label=words.named or UNSET,
        own_label=words.own or UNSET,
        hint=words.hint or UNSET,
    )


def _history(context: EntryContext | None, words: CommandWords, t: Translator) -> HistoryAction:
    assert context is not None, "there is an entry to undo or redo"
    return HistoryAction(label=words.label, sentence=sentence(context, t))


_CONTROLS: Final[
    Mapping[CommandName, Callable[[Snapshot, CommandWords, Translator], PlainAction]]
] = {
    "turn": _turn,
    "claim": _claim,
    "stake": _stake,
    "pass": _pass,
    "showdown": _showdown,
    "settle": _settle,
    "rebuy": _rebuy,
    "join": _join,
    "adjust": _adjust,
    "undo": lambda snapshot, words, t: _history(snapshot.undoes, words, t),
    "redo": lambda snapshot, words, t: _history(snapshot.redoes, words, t),
    "end": _end,
}
