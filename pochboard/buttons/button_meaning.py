"""What each button means now (BOARD.md 3): one grammar, your seat, then the pool."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import assert_never

import msgspec
from msgspec.structs import replace

from pochboard.buttons.press import NOTHING, Lobby, Pending, PressTimes, first_lobby
from pochboard.errors import Refusal, refuse, refuse_counted
from pochboard.rules import commands
from pochboard.rules.accounts import MELD_POOLS, POOL
from pochboard.rules.ruleset_files import USUAL
from pochboard.rules.seating import not_playing
from pochboard.rules.shedding import verify_count
from pochboard.rules.state import BETWEEN_NIGHTS, State
from pochboard.text.lazy import lazy_gettext
from pochboard.text.names import lazy_button
from pochboard.text.unicode_names import sight


class PanelContext(msgspec.Struct, frozen=True):
    """What a panel has to know about the table. The panel gets a new one after every command."""

    state: State
    last_start: commands.Start | None
    """The command that started this night, or the one that the lobby continues."""
    last_names: Mapping[int, str]
    """The name last used at each place."""
    allows: Callable[[commands.AnyCommand], bool]
    """Whether a command would be accepted now."""
    undone: commands.AnyCommand | None = None
    """The command that a `redo` would apply again."""
    earlier: State | None = None
    """The night that the lobby continues, if that is not the last one but an earlier one."""

    @property
    def model(self) -> State:
        """The night whose places and stack the lobby begins with."""
        return self.state if self.earlier is None else self.earlier


class SendCommand(msgspec.Struct, frozen=True):
    """The press is a command. `then` is what is pending once it has been recorded."""

    command: commands.AnyCommand
    then: Pending | None = None


class SetPending(msgspec.Struct, frozen=True):
    """The press changes what is pending.

    `change` names the kind of change, such as `select` or `let go`. `kind_of` compares by it.
    """

    pending: Pending
    change: str


class DrawDealer(msgspec.Struct, frozen=True):
    """The press draws the first dealer from these places."""

    places: tuple[int, ...]


class OpenPairing(msgspec.Struct, frozen=True):
    """The press opens the pairing window (BOARD.md 5)."""


Action = SendCommand | SetPending | DrawDealer | OpenPairing | Refusal
"""What a press leads to; a refusal is an action too."""


class Binding(msgspec.Struct, frozen=True):
    """What a button leads to now, pressed short or held long; None if it does not act."""

    short: Action | None = None
    long: Action | None = None
    long_us: int = 0


def kind_of(action: Action | None) -> str | None:
    """The kind of an action, to compare two by. Actions of one kind may differ in their numbers."""
    match action:
        case SendCommand(command):
            seat = getattr(command, "seat", "")
            return f"{commands.command_name(type(command))} {seat}".strip()
        case SetPending():
            return action.change
        case DrawDealer() | OpenPairing():
            return type(action).__name__
        case Refusal() | None:
            return None
        case _:
            assert_never(action)


def binding_of(
    button: str, context: PanelContext, pending: Pending, times: PressTimes, places: int
) -> Binding:
    """What the button means now on a board with this many places. Changes nothing."""
    state, lobby = context.state, pending.lobby
    meaning: Binding | Action
    short: Action
    if button == "undo":
        short = _undo(state, pending) if lobby is None else _undo_lobby(context, lobby, places)
        return Binding(short, SendCommand(commands.Redo()), times.long_us)
    if button == "next":
        short = _next(state, pending) if lobby is None else _next_in_lobby(context, lobby)
        return Binding(short, OpenPairing(), times.next_long_us)
    if button.startswith("seat"):
        place = int(button.removeprefix("seat"))
        if lobby is not None:
            return _lobby_seat(place, lobby, times)
        meaning = _seat(place, state, pending, times)
    elif lobby is not None:
        meaning = _draw(button, state, lobby)
    else:
        meaning = _pool(button, state, pending, times)
    return meaning if isinstance(meaning, Binding) else Binding(meaning)


def binding_of_both(state: State) -> SendCommand | Refusal:
    """What `next` and `undo` lead to when they are held together."""
    if state.phase == "idle":
        return SendCommand(commands.End())
    if state.phase in BETWEEN_NIGHTS:
        return refuse("no-meaning", "There is no night to end and no deal to void.")
    return SendCommand(commands.Void())


# Between nights: setting up a night.


def _draw(button: str, state: State, lobby: Lobby) -> DrawDealer | Refusal:
    if button != "pinke":
        return _does_nothing(button, state)
    if not lobby.places:
        sentence = lazy_gettext(
            "Nobody is in yet, so nobody can be drawn. Press your places first."
        )
        return refuse("no-meaning", sentence)
    return DrawDealer(lobby.places)


def _next_in_lobby(context: PanelContext, lobby: Lobby) -> SetPending | SendCommand:
    """The first shows which places are in, the second starts the night."""
    if lobby.armed:
        return SendCommand(start_command(context, lobby))
    return SetPending(Pending(lobby=replace(lobby, armed=True)), "start")


def _undo_lobby(context: PanelContext, lobby: Lobby, places: int) -> SetPending | SendCommand:
    first = first_lobby(context.model, places)
    if lobby == first:
        return SendCommand(commands.Undo())
    return SetPending(Pending(lobby=first), "as at first")


def _lobby_seat(place: int, lobby: Lobby, times: PressTimes) -> Binding:
    """Short: in or out. Long: in, and deals first. Both take back a first `next`."""
    toggled = _seated(lobby, place, sits=place not in lobby.places)
    dealing = _seated(lobby, place, sits=True, deals=True)
    return Binding(
        SetPending(Pending(lobby=toggled), "in or out"),
        SetPending(Pending(lobby=dealing), "deals"),
        times.long_us,
    )


def _seated(lobby: Lobby, place: int, *, sits: bool, deals: bool = False) -> Lobby:
    """The lobby with a place in or out, and perhaps as the first dealer."""
    among = set(lobby.places) - {place} | ({place} if sits else set())
    chosen = place if deals else lobby.chosen if sits or lobby.chosen != place else None
    return replace(lobby, places=tuple(sorted(among)), chosen=chosen, armed=False)


def place_name(place: int) -> str:
    """What a player is called whose name nobody has typed."""
    return f"Place {place}"


def start_command(context: PanelContext, lobby: Lobby) -> commands.Start:
    """The night that the lobby describes, with the last night's ruleset, options and stack."""
    names = lobby_names(context, lobby)
    players = tuple(names.get(place, place_name(place)) for place in lobby.places)
    command = commands.Start(ruleset=USUAL, players=players, places=lobby.places)
    last = context.last_start
    if last is not None:
        command = replace(
            command,
            ruleset=last.ruleset,
            options=last.options,
            stack=context.model.stack,
        )
    if lobby.dealer is not None:
        command = replace(command, dealer=lobby.places.index(lobby.dealer) + 1)
    return command


def lobby_on_phone(lobby: Lobby, place: int, name: str | None, *, deals: bool) -> Lobby:
    """The lobby after a phone has put a place in under a name, or with None has put it out."""
    if name is None:
        return _seated(lobby, place, sits=False)
    names = {**dict(lobby.names), place: name}
    seated = _seated(lobby, place, sits=True, deals=deals)
    return replace(seated, names=tuple(sorted(names.items())))


def lobby_names(context: PanelContext, lobby: Lobby) -> dict[int, str]:
    """The names of the places in the lobby, typed or from earlier nights.

    Of two that look alike there is only the first.
    """
    names: dict[int, str] = {}
    known = {**context.last_names, **dict(lobby.names)}
    seen: set[str] = set()
    for place in lobby.places:
        name = known.get(place, "")
        if name not in ("", place_name(place)) and sight(name) not in seen:
            names[place] = name
            seen.add(sight(name))
    return names


# In a night: the controls.


def _counting(state: State) -> bool:
    """In the shedding, after somebody has gone out: cards are counted."""
    return state.phase == "shed" and state.winner is not None


def _does_nothing(button: str, state: State) -> Refusal:
    sentence = lazy_gettext("The {button} button does nothing now.", button=lazy_button(button))
    if _is_unnamed(button, state):
        sentence = lazy_gettext("This button does nothing now.")
    return refuse("no-meaning", sentence)


def _is_unnamed(button: str, state: State) -> bool:
    """Whether a button belongs to a pool that the ruleset lacks, whose name nobody uses."""
    return state.ruleset is not None and button in POOL and button not in state.ruleset.pools


def _undo(state: State, pending: Pending) -> SetPending | SendCommand:
    if pending.hands:
        return SetPending(replace(pending, hands=pending.hands[:-1]), "last hand")
    if len(pending.counts) > pending.kept:
        counts = pending.counts[:-1]
        last = counts[-1][-1][0] if counts and counts[-1] else None
        back = replace(pending, counts=counts, last=last, pressed=True)
        return SetPending(back, "last count")
    if pending.chips:
        return SetPending(NOTHING, f"let go {state.to_act}")
    if pending.place is not None and not pending.kept:
        return SetPending(NOTHING, "deselect")
    return SendCommand(commands.Undo())


def _next(state: State, pending: Pending) -> SendCommand | Refusal:
    if state.phase == "idle":
        return SendCommand(commands.Deal())
    if state.phase == "meld":
        return SendCommand(commands.Next())
    if _counting(state):
        return SendCommand(settle_command(pending))
    if pending.chips:
        sentence = lazy_gettext("There are chips in hand. Press the pool to put them in.")
        return refuse("pool-first", sentence)
    return _does_nothing("next", state)


# In a night: the seats.


def _seat(place: int, state: State, pending: Pending, times: PressTimes) -> Binding | Action:
    seat = state.seat_at(place)
    if seat is None and state.phase != "idle":
        return refuse("no-seat", "Nobody sits at place {place}.", place=place)
    if seat is None:
        return _select(place, pending)
    if state.phase == "idle":
        return Binding(_select(place, pending), SendCommand(commands.Leave(seat)), times.leave_us)
    if state.phase == "pochen":
        return _bettor(seat, state, pending, times)
    if state.phase == "showdown":
        return _hand(seat, state, pending)
    if seat not in state.live:
        return not_playing(state, seat)
    if _counting(state):
        return _counter(seat, state, pending, times)
    return _select(place, pending)


def _select(place: int, pending: Pending) -> SetPending:
    if pending.place == place:
        return SetPending(NOTHING, "deselect")
    return SetPending(Pending(place=place), "select")


def _bettor(seat: int, state: State, pending: Pending, times: PressTimes) -> Binding | Refusal:
    """The seat to act counts chips into the hand; held, it drops them, or passes."""
    if seat != state.to_act:
        assert state.to_act is not None
        sentence = lazy_gettext("It is {turn}’s turn.", turn=state.name_of(state.to_act))
        return refuse("not-your-turn", sentence)
    stack = state.stack_of(seat)
    counted = pending.chips + 1 if pending.chips else min(max(state.need(seat), 1), stack)
    short: SetPending | Refusal = SetPending(Pending(chips=counted), f"count {seat}")
    if counted > stack:
        short = refuse_counted(
            "not-enough-chips",
            "{seat} has only {count} chip.",
            "{seat} has only {count} chips.",
            stack,
            seat=state.name_of(seat),
        )
    let_go = SetPending(NOTHING, f"let go {seat}")
    long = let_go if pending.chips else SendCommand(commands.Pass(seat))
    return Binding(short, long, times.long_us)


def _hand(seat: int, state: State, pending: Pending) -> SetPending | Refusal:
    """The next best hand; the panel sends the hands as soon as they decide every pot."""
    name = state.name_of(seat)
    if seat not in state.still_in:
        return refuse("not-your-turn", "{seat} is not in the showdown.", seat=name)
    if seat in pending.hands:
        return refuse("bad-ranking", "{seat} has already been pressed.", seat=name)
    return SetPending(Pending(hands=(*pending.hands, seat)), "hand")


def _counter(seat: int, state: State, pending: Pending, times: PressTimes) -> Binding | Refusal:
    """The cards a seat still holds, one per press; held: drops its count, or counts no cards."""
    refusal = verify_count(state, seat, 0)
    if refusal is not None:
        return refusal
    at_board = replace(pending, pressed=True)
    cards = at_board.cards.get(seat)
    count = (cards or 0) + 1
    short = verify_count(state, seat, count) or _counted(at_board, seat, count)
    long = _counted(at_board, seat, 0 if cards is None else None)
    return Binding(short, long, times.long_us)


def _counted(pending: Pending, seat: int, cards: int | None) -> SetPending:
    others = {other: held for other, held in pending.cards.items() if other != seat}
    if cards is not None:
        others[seat] = cards
    counts = (*pending.counts, tuple(others.items()))
    change = "no count" if cards is None else "count" if cards else "no cards"
    return SetPending(replace(pending, counts=counts, last=seat), change)


# In a night: counts from phones.


def count_on_phone(
    seat: int, cards: int | None, state: State, pending: Pending
) -> SetPending | Refusal:
    """A phone says how many cards a seat has left; with None, it takes the seat's count back."""
    refusal = verify_count(state, seat, cards or 0)
    if refusal is not None:
        return refusal
    if pending.cards.get(seat) == cards:
        return SetPending(pending, "count")
    return _counted(pending, seat, cards)


def settle_command(pending: Pending) -> commands.Settle:
    """The command that settles the deal with the counts that are in."""
    return commands.Settle({str(seat): cards for seat, cards in pending.cards.items()})


# In a night: the pools.


def _pool(button: str, state: State, pending: Pending, times: PressTimes) -> Binding | Action:
    if state.phase == "pochen":
        return _bet_pool(button, state, pending, times)
    if state.phase == "showdown":
        if button == state.rules.bet_pool and not pending.hands:
            return Binding(None, SendCommand(commands.Showdown([])), times.long_us)
        return _does_nothing(button, state)
    if not _is_for_a_seat(button, state):
        return _does_nothing(button, state)
    if pending.place is None:
        return refuse("seat-first", "Press your place before the pool.")
    seat = state.seat_at(pending.place)
    if state.phase == "idle":
        return _buy(pending.place, seat, state)
    assert seat is not None, "only between deals an empty place can be selected"
    if state.phase == "meld":
        if _is_unnamed(button, state):
            sentence = lazy_gettext("This pool is not played with these rules.")
            return refuse("unknown-pool", sentence)
        return SendCommand(commands.Claim(seat, button), replace(pending, kept=True))
    return SendCommand(commands.Go(seat) if button == "poch" else commands.Out(seat), NOTHING)


def _is_for_a_seat(button: str, state: State) -> bool:
    """Whether a pool's button acts for the seat selected before it."""
    if state.phase == "meld":
        return button in MELD_POOLS or button in state.rules.meld_pools
    if state.phase == "idle":
        return button == "pinke"
    if _counting(state):
        return False
    return button == "pinke" or (button == "poch" and bool(state.rules.run_bonus))


def _buy(place: int, seat: int | None, state: State) -> SendCommand | Refusal:
    """Chips from the bank for a seat that needs them, or a new seat at an empty place."""
    if seat is None:
        return SendCommand(commands.Join(place_name(place), place=place), NOTHING)
    if state.is_short(seat):
        return SendCommand(commands.Rebuy(seat, state.stack), NOTHING)
    if seat in state.sitting_out:
        return SendCommand(commands.SitIn(seat), NOTHING)
    sentence = lazy_gettext("{seat} has enough chips to play on.", seat=state.name_of(seat))
    return refuse("no-meaning", sentence)


def _bet_pool(button: str, state: State, pending: Pending, times: PressTimes) -> Binding | Refusal:
    if button != state.rules.bet_pool:
        return _does_nothing(button, state)
    if not pending.chips:
        sentence = lazy_gettext("Press your place once for each chip, then the pool.")
        return refuse("seat-first", sentence)
    seat = state.to_act
    assert seat is not None
    some = SendCommand(commands.Stake(seat, pending.chips))
    everything = SendCommand(commands.Stake(seat, state.stack_of(seat)))
    return Binding(some, everything, times.long_us)
