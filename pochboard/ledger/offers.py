"""What would be accepted now: the names of commands, for the page (one verb, asked before done)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pochboard.ledger.book import Book, Step
from pochboard.rules.commands import COMMANDS
from pochboard.rules.melding import claimable
from pochboard.rules.play import PHASES
from pochboard.rules.state import State


def allowed_commands(book: Book) -> tuple[str, ...]:
    """The commands that would be accepted now with fitting arguments, in the contract's order."""
    state = book.state
    return tuple(
        name
        for name, kind in COMMANDS.items()
        if state.phase in PHASES[kind]
        and (
            name == "start"
            or any(isinstance(book.consider(raw), Step) for raw in _examples(name, state))
        )
    )


def _examples(name: str, state: State) -> Iterator[dict[str, Any]]:
    """Commands of a name, one of which is accepted if any is."""
    here = [seat for seat in state.seats if not state.has_left(seat)]
    nobody = "+".join(state.names) + "+"
    match name:
        case "turn":
            yield {"do": name, "card": "AS"}
        case "claim":
            yield from (
                {"do": name, "seat": seat, "pool": pool}
                for seat in state.live
                for pool in claimable(state, seat)
            )
        case "stake":
            assert state.to_act is not None
            stack = state.stack_of(state.to_act)
            for chips in {max(state.need(state.to_act), 1), stack}:
                yield {"do": name, "seat": state.to_act, "chips": chips}
        case "pass":
            yield {"do": name, "seat": state.to_act}
        case "showdown":
            yield {"do": name, "ranking": []}
        case "go" | "out" | "dealer":
            yield {"do": name, "seat": state.live[0]}
        case "settle":
            holders = [seat for seat in state.live if seat != state.winner]
            yield {"do": name, "cards": {str(seat): 0 for seat in holders}}
        case "rebuy":
            yield from ({"do": name, "seat": seat, "chips": 1} for seat in here)
        case "join":
            yield {"do": name, "name": nobody}
        case "leave":
            yield from ({"do": name, "seat": seat} for seat in here)
        case "rename":
            yield {"do": name, "seat": here[0], "name": nobody}
        case "adjust":
            seat = f"seat:{state.live[0]}"
            yield {"do": name, "from": "bank", "to": seat, "chips": 1, "reason": "recount"}
        case _:
            yield {"do": name}
