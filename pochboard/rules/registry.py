"""The registry of commands: the phases of each, its check and its effect (RULES.md 3).

To add a command, write its struct in `commands.py` and name it in `AnyCommand` and `CommandName`
there, and give it a row in `_RULES` below and one with its words in `text.names.COMMANDS`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, Generic, NamedTuple, TypeAlias, TypeVar, get_args

from pochboard.errors import Refusal, refuse
from pochboard.rules import betting, melding, seating, shedding
from pochboard.rules.accounts import POOL
from pochboard.rules.commands import (
    RANKS,
    SUITS,
    Adjust,
    AnyCommand,
    Banker,
    Claim,
    Command,
    CommandName,
    Deal,
    Dealer,
    End,
    Go,
    Join,
    Leave,
    Next,
    Out,
    Pass,
    Rebuy,
    Redo,
    Rename,
    Settle,
    Showdown,
    SitIn,
    SitOut,
    Stake,
    Start,
    Turn,
    Undo,
    Void,
    command_name,
)
from pochboard.rules.seating import Resolve
from pochboard.rules.state import BETWEEN_NIGHTS, IN_A_DEAL, State
from pochboard.text.lazy import LazyText, lazy_gettext
from pochboard.text.names import COMMANDS, lazy_pool
from pochboard.text.translator import N_

Phases: TypeAlias = frozenset[str]

_IDLE: Final[Phases] = frozenset(("idle",))
_MELD: Final[Phases] = frozenset(("meld",))
_POCHEN: Final[Phases] = frozenset(("pochen",))
_SHOWDOWN: Final[Phases] = frozenset(("showdown",))
_SHED: Final[Phases] = frozenset(("shed",))
_IN_A_DEAL: Final[Phases] = frozenset(IN_A_DEAL)
_OPEN: Final[Phases] = _IDLE | _IN_A_DEAL
_COUNTED: Final[Phases] = _IDLE | _MELD | _SHED
_BETWEEN_NIGHTS: Final[Phases] = frozenset(BETWEEN_NIGHTS)
_EVER: Final[Phases] = _OPEN | {"closed"}


def _anything(_: State, __: Any) -> Refusal | None:
    """The check of a command that is always accepted in its phases."""
    return None


def _applied_elsewhere(_: State, __: Any) -> State:
    """The effect of a command that needs more than the state.

    `play` applies `start`, which needs the rulesets. The book applies `undo`, `redo` and `void`,
    which need the night's history.
    """
    raise AssertionError("`play` starts nights, and the book moves between their states")


C = TypeVar("C", bound=Command)


class Rule(NamedTuple, Generic[C]):
    """One row of the registry: everything the rules know about a command."""

    struct: type[C]
    phases: Phases
    """The phases in which the command is possible."""
    verify: Callable[[State, C], Refusal | None]
    """What refuses it once the general checks have passed."""
    apply: Callable[[State, C], State]
    """The state after it."""
    candidates: Callable[[State], Iterable[C]]
    """Sample commands for one of its phases. If any such command is legal, one of these is.

    For a command that names a seat, there is one for each seat that might be named.
    """
    verify_names: Callable[[State, C], Refusal | None] | None = None
    """What refuses unknown seats and pools that it names elsewhere than in `seat`."""
    seat_may_be_out: bool = False
    """Whether its `seat` may be one that is not live."""


def _just(command: C) -> Callable[[State], Iterable[C]]:
    return lambda _: (command,)


def _each(kind: Callable[[int], C]) -> Callable[[State], Iterable[C]]:
    return lambda state: [kind(seat) for seat in state.seats]


def _no_candidates(_: State) -> Iterable[Start]:
    """No samples: the state does not show whether the form that starts a night is valid."""
    return ()


def _cards(state: State) -> Iterable[Turn]:
    """A suit, and a card of each rank: which pools it blocks depends on nothing else."""
    suit = state.told_suit or SUITS[0]
    return [Turn(f"{rank}{suit}") for rank in ("", *reversed(RANKS))]


def _claims(state: State) -> Iterable[Claim]:
    return [
        Claim(seat, pool)
        for seat in state.live
        for pool in state.rules.meld_pools
        if state.balances[POOL[pool]]
    ]


def _stakes(state: State) -> Iterable[Stake]:
    may = betting.stake_range(state)
    return (Stake(may.seat, may.least),)


def _to_act(state: State) -> Iterable[Pass]:
    assert state.to_act is not None, "somebody is to act in every betting"
    return (Pass(state.to_act),)


def _no_cards_left(state: State) -> Iterable[Settle]:
    return (Settle({str(seat): 0 for seat in state.live if seat != state.winner}),)


def _one_chip_each(state: State) -> Iterable[Rebuy]:
    return [Rebuy(seat, 1) for seat in state.seats]


def _unused_name(state: State) -> str:
    return "+".join(state.names) + "+"


def _new_name(state: State) -> Iterable[Join]:
    return (Join(_unused_name(state)),)


def _new_name_each(state: State) -> Iterable[Rename]:
    return [Rename(seat, _unused_name(state)) for seat in state.seats]


def _a_chip_more(state: State) -> Iterable[Adjust]:
    return (Adjust(from_="bank", to=f"seat:{state.live[0]}", chips=1, reason="recount"),)


def _verify_pool(state: State, command: Claim) -> Refusal | None:
    if command.pool in state.rules.meld_pools:
        return None
    return refuse(
        "unknown-pool",
        lazy_gettext("“{pool}” is not won by showing cards.", pool=state.pool_name(command.pool)),
    )


_MOST_DIGITS: Final = 9
"""A longer number cannot be a seat, because no night has so many seats."""


def _verify_seats(state: State, numbers: Iterable[str]) -> Refusal | None:
    for number in numbers:
        # Check the length first: Python refuses to convert a number of thousands of digits.
        if len(number) > _MOST_DIGITS or int(number) > len(state.names):
            return seating.unknown_seat(number)
    return None


def _verify_accounts(state: State, command: Adjust) -> Refusal | None:
    accounts = [name.partition(":") for name in (command.from_, command.to)]
    refusal = _verify_seats(state, [name for kind, _, name in accounts if kind == "seat"])
    if refusal is not None:
        return refusal
    for kind, _, pool in accounts:
        if kind == "pool" and pool not in state.rules.pools:
            return refuse(
                "unknown-pool",
                lazy_gettext("This ruleset has no pool “{pool}”.", pool=lazy_pool(pool)),
            )
    return None


_RULES: Final[tuple[Rule[Any], ...]] = (
    Rule(Start, _BETWEEN_NIGHTS, _anything, _applied_elsewhere, _no_candidates),
    Rule(Deal, _IDLE, melding.verify_deal, melding.deal, _just(Deal())),
    Rule(Turn, _IN_A_DEAL, melding.verify_turn, melding.turn, _cards),
    Rule(Claim, _MELD, melding.verify_claim, melding.claim, _claims, _verify_pool),
    Rule(Next, _MELD, _anything, melding.next_phase, _just(Next())),
    Rule(Stake, _POCHEN, betting.verify_stake, betting.stake, _stakes),
    Rule(Pass, _POCHEN, betting.verify_pass, betting.pass_, _to_act),
    Rule(Showdown, _SHOWDOWN, betting.verify_showdown, betting.showdown, _just(Showdown([]))),
    Rule(Go, _SHED, shedding.verify_go, shedding.go, _each(Go)),
    Rule(Out, _SHED, shedding.verify_out, shedding.out, _each(Out)),
    Rule(Settle, _SHED, shedding.verify_settle, shedding.settle,
        _no_cards_left, lambda state, command: _verify_seats(state, command.cards)),
    Rule(Void, _IN_A_DEAL, _anything, _applied_elsewhere, _just(Void())),
    Rule(Rebuy, _IDLE, seating.verify_rebuy, seating.rebuy, _one_chip_each, seat_may_be_out=True),
    Rule(Join, _IDLE, seating.verify_join, seating.join, _new_name),
    Rule(Leave, _IDLE, seating.verify_leave, seating.leave, _each(Leave), seat_may_be_out=True),
    Rule(SitOut, _IDLE, seating.verify_sit_out, seating.sit_out, _each(SitOut)),
    Rule(SitIn, _IDLE, seating.verify_sit_in, seating.sit_in, _each(SitIn), seat_may_be_out=True),
    Rule(Rename, _OPEN, seating.verify_rename, seating.rename,
        _new_name_each, seat_may_be_out=True),
    Rule(Dealer, _IDLE, _anything, seating.dealer, _each(Dealer)),
    Rule(Banker, _IDLE, seating.verify_banker, seating.banker, _each(Banker)),
    Rule(Adjust, _COUNTED, seating.verify_adjust, seating.adjust, _a_chip_more, _verify_accounts),
    Rule(Undo, _EVER, _anything, _applied_elsewhere, _just(Undo())),
    Rule(Redo, _EVER, _anything, _applied_elsewhere, _just(Redo())),
    Rule(End, _IDLE, _anything, seating.end, _just(End())),
)  # fmt: skip
"""The registry, in the order of RULES.md 3."""

_WRONG_PHASE: Final[Mapping[str, str]] = {
    "idle": N_("“{command}” is not possible between deals."),
    "meld": N_("“{command}” is not possible during melding."),
    "pochen": N_("“{command}” is not possible during the betting."),
    "showdown": N_("“{command}” is not possible at the showdown."),
    "shed": N_("“{command}” is not possible while cards are being played."),
    "closed": N_("“{command}” is not possible once the night is over."),
}
"""The sentence for a command in a phase where it is not possible."""

RULES: Final[Mapping[CommandName, Rule[Any]]] = {command_name(rule.struct): rule for rule in _RULES}
"""The registry by the commands' names."""
assert tuple(RULES) == tuple(COMMANDS) == get_args(CommandName)
_BY_STRUCT: Final[Mapping[type[Command], Rule[Any]]] = {
    rule.struct: rule for rule in RULES.values()
}


def verify(state: State, command: AnyCommand) -> Refusal | None:
    """Why a command cannot be applied now, if it cannot: the checks of RULES.md 3 in their order.

    `play` also checks what `start` names, and the book whether there is something to undo or redo.
    """
    rule = _BY_STRUCT[type(command)]
    return _verify_in_general(rule, state, command) or rule.verify(state, command)


def _verify_in_general(rule: Rule[Any], state: State, command: AnyCommand) -> Refusal | None:
    """The checks that all commands share: seats, pools, phase, seats that are out."""
    if state.phase == "none" and "none" not in rule.phases:
        return refuse("wrong-phase", lazy_gettext("There is no night yet. Start one."))
    seat: int | None = getattr(command, "seat", None)
    if seat is not None and seat > len(state.names):
        return seating.unknown_seat(seat)
    refusal = rule.verify_names(state, command) if rule.verify_names else None
    if refusal is not None:
        return refusal
    if state.phase not in rule.phases:
        label = LazyText(COMMANDS[command_name(rule.struct)].label)
        return refuse("wrong-phase", LazyText(_WRONG_PHASE[state.phase], command=label))
    if seat is not None and seat not in state.live and not rule.seat_may_be_out:
        return seating.not_playing(state, seat)
    return None


def play(state: State, command: AnyCommand, resolve: Resolve) -> State | Refusal:
    """The state after a command, or the refusal. `undo`, `redo` and `void` need the book."""
    rule = _BY_STRUCT[type(command)]
    seat: int | None = getattr(command, "seat", None)
    if rule.verify_names or state.phase not in rule.phases or (seat and seat not in state.live):
        refusal = _verify_in_general(rule, state, command)
        if refusal is not None:
            return refusal
    if type(command) is Start:
        return seating.start(command, resolve)
    return rule.verify(state, command) or rule.apply(state, command)
