"""The registry of commands: the phases of each, and what it does (RULES.md 3).

To add a command, write its struct in `commands.py` and name it in `AnyCommand` and `CommandName`
there, and give it a row in `_RULES` below and one with its words in `text.names.COMMANDS`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, Generic, NamedTuple, TypeVar, get_args

from pochboard.errors import Refusal, refuse
from pochboard.rules import betting, commands, melding, seating, shedding
from pochboard.rules.accounts import POOL
from pochboard.rules.commands import AnyCommand, Command, CommandName, command_name
from pochboard.rules.seating import Resolve
from pochboard.rules.state import BETWEEN_NIGHTS, IN_A_DEAL, Phase, State
from pochboard.text.lazy import LazyText
from pochboard.text.names import COMMANDS, lazy_pool
from pochboard.text.translator import N_

Phases = tuple[Phase, ...]

_IDLE: Final[Phases] = ("idle",)
_MELD: Final[Phases] = ("meld",)
_POCHEN: Final[Phases] = ("pochen",)
_SHOWDOWN: Final[Phases] = ("showdown",)
_SHED: Final[Phases] = ("shed",)
_OPEN: Final[Phases] = ("idle", *IN_A_DEAL)
_COUNTED: Final[Phases] = ("idle", "meld", "shed")
_EVER: Final[Phases] = (*_OPEN, "closed")


def _elsewhere(state: State, _: Any) -> State:
    """The effect of a command that needs more than the state.

    `play` applies `start`, which needs the rulesets. The book applies `undo`, `redo` and `void`,
    which need the night's history.
    """
    return state


C = TypeVar("C", bound=Command)


class Rule(NamedTuple, Generic[C]):
    """One row of the registry: everything the rules know about a command."""

    struct: type[C]
    phases: Phases
    """The phases in which the command is possible."""
    apply: Callable[[State, C], State | Refusal]
    """Returns the next state, or the refusal. The general checks have passed before."""
    candidates: Callable[[State], Iterable[C]]
    """Sample commands for one of its phases. If any such command is legal, one of these is.

    For a command that names a seat, there is one for each seat that might be named.
    """
    verify_names: Callable[[State, C], Refusal | None] | None = None
    """Refuses unknown seats and pools that it names elsewhere than in `seat`."""
    seat_may_be_out: bool = False
    """Whether its `seat` may be out of the game, though not gone home."""


def _just(command: C) -> Callable[[State], Iterable[C]]:
    return lambda _: (command,)


def _each(kind: Callable[[int], C]) -> Callable[[State], Iterable[C]]:
    return lambda state: [kind(seat) for seat in state.seats]


def _no_candidates(_: State) -> Iterable[commands.Start]:
    """No samples: the state does not show whether the form that starts a night is valid."""
    return ()


def _cards(state: State) -> Iterable[commands.Turn]:
    """A suit, and a card of each rank: which pools it blocks depends on nothing else."""
    suit = state.told_suit or commands.SUITS[0]
    return [commands.Turn(f"{rank}{suit}") for rank in ("", *reversed(commands.RANKS))]


def _claims(state: State) -> Iterable[commands.Claim]:
    return [
        commands.Claim(seat, pool)
        for seat in state.live
        for pool in state.rules.meld_pools
        if state.balances[POOL[pool]]
    ]


def _stakes(state: State) -> Iterable[commands.Stake]:
    may = betting.stake_range(state)
    return (commands.Stake(may.seat, may.least),)


def _to_act(state: State) -> Iterable[commands.Pass]:
    assert state.to_act is not None, "somebody is to act in every betting"
    return (commands.Pass(state.to_act),)


def _no_cards_left(state: State) -> Iterable[commands.Settle]:
    return (commands.Settle({str(seat): 0 for seat in state.live if seat != state.winner}),)


def _unused_name(state: State) -> str:
    return "+".join(state.names) + "+"


def _new_name(state: State) -> Iterable[commands.Join]:
    return (commands.Join(_unused_name(state)),)


def _new_name_each(state: State) -> Iterable[commands.Rename]:
    return [commands.Rename(seat, _unused_name(state)) for seat in state.seats]


def _a_chip_more(state: State) -> Iterable[commands.Adjust]:
    to = f"seat:{state.live[0]}"
    return (commands.Adjust(from_="bank", to=to, chips=1, reason="recount"),)


def _verify_pool(state: State, command: commands.Claim) -> Refusal | None:
    if command.pool in state.rules.meld_pools:
        return None
    return refuse(
        "unknown-pool", "“{pool}” is not won by showing cards.", pool=state.pool_name(command.pool)
    )


_MOST_DIGITS: Final = 9
"""A longer number cannot be a seat, because no night has so many seats."""


def _verify_seats(state: State, numbers: Iterable[str]) -> Refusal | None:
    for number in numbers:
        # Check the length first: Python refuses to convert a number of thousands of digits.
        if len(number) > _MOST_DIGITS or int(number) > len(state.names):
            return seating.unknown_seat(number)
    return None


def _verify_accounts(state: State, command: commands.Adjust) -> Refusal | None:
    accounts = [name.partition(":") for name in (command.from_, command.to)]
    refusal = _verify_seats(state, [name for kind, _, name in accounts if kind == "seat"])
    if refusal is not None:
        return refusal
    for kind, _, pool in accounts:
        if kind == "pool" and pool not in state.rules.pools:
            return refuse(
                "unknown-pool", "This ruleset has no pool “{pool}”.", pool=lazy_pool(pool)
            )
    return None


_RULES: Final[tuple[Rule[Any], ...]] = (
    Rule(commands.Start, BETWEEN_NIGHTS, _elsewhere, _no_candidates),
    Rule(commands.Deal, _IDLE, melding.deal, _just(commands.Deal())),
    Rule(commands.Turn, IN_A_DEAL, melding.turn, _cards),
    Rule(commands.Claim, _MELD, melding.claim, _claims, _verify_pool),
    Rule(commands.Next, _MELD, melding.next_phase, _just(commands.Next())),
    Rule(commands.Stake, _POCHEN, betting.stake, _stakes),
    Rule(commands.Pass, _POCHEN, betting.pass_, _to_act),
    Rule(commands.Showdown, _SHOWDOWN, betting.showdown, _just(commands.Showdown([]))),
    Rule(commands.Go, _SHED, shedding.go, _each(commands.Go)),
    Rule(commands.Out, _SHED, shedding.out, _each(commands.Out)),
    Rule(commands.Settle, _SHED, shedding.settle,
        _no_cards_left, lambda state, command: _verify_seats(state, command.cards)),
    Rule(commands.Void, IN_A_DEAL, _elsewhere, _just(commands.Void())),
    Rule(commands.Rebuy, _IDLE, seating.rebuy,
        _each(lambda seat: commands.Rebuy(seat, 1)), seat_may_be_out=True),
    Rule(commands.Join, _IDLE, seating.join, _new_name),
    Rule(commands.Leave, _IDLE, seating.leave, _each(commands.Leave), seat_may_be_out=True),
    Rule(commands.SitOut, _IDLE, seating.sit_out, _each(commands.SitOut)),
    Rule(commands.SitIn, _IDLE, seating.sit_in, _each(commands.SitIn), seat_may_be_out=True),
    Rule(commands.Rename, _OPEN, seating.rename, _new_name_each, seat_may_be_out=True),
    Rule(commands.Dealer, _IDLE, seating.dealer, _each(commands.Dealer)),
    Rule(commands.Banker, _IDLE, seating.banker, _each(commands.Banker)),
    Rule(commands.Adjust, _COUNTED, seating.adjust, _a_chip_more, _verify_accounts),
    Rule(commands.Undo, _EVER, _elsewhere, _just(commands.Undo())),
    Rule(commands.Redo, _EVER, _elsewhere, _just(commands.Redo())),
    Rule(commands.End, _IDLE, seating.end, _just(commands.End())),
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
    outcome = _verify_in_general(rule, state, command) or rule.apply(state, command)
    return outcome if isinstance(outcome, Refusal) else None


def play(state: State, command: AnyCommand, resolve: Resolve) -> State | Refusal:
    """The state after a command, or the refusal. `undo`, `redo` and `void` need the book."""
    rule = _BY_STRUCT[type(command)]
    refusal = _verify_in_general(rule, state, command)
    if refusal is not None:
        return refusal
    if type(command) is commands.Start:
        return seating.start(command, resolve)
    return rule.apply(state, command)


def _verify_in_general(rule: Rule[Any], state: State, command: AnyCommand) -> Refusal | None:
    """The checks that all commands share: seats, pools, phase, seats that are out."""
    if state.phase == "none" and "none" not in rule.phases:
        return refuse("wrong-phase", "There is no night yet. Start one.")
    seat: int | None = getattr(command, "seat", None)
    if seat is not None and seat > len(state.names):
        return seating.unknown_seat(seat)
    if rule.verify_names and (refusal := rule.verify_names(state, command)) is not None:
        return refusal
    if state.phase not in rule.phases:
        label = LazyText(COMMANDS[command_name(rule.struct)].label)
        return refuse("wrong-phase", LazyText(_WRONG_PHASE[state.phase], command=label))
    if seat is None or seat in state.live:
        return None
    if not rule.seat_may_be_out:
        return seating.not_playing(state, seat)
    return seating.gone_home(state, seat) if state.has_left(seat) else None
