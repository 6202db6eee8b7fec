"""The commands of RULES.md 3, as the JSON objects that players, presses and sheets send."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final

import msgspec
from msgspec import UNSET, Meta, UnsetType, field

from pochboard.errors import Refusal

MOST_FROM_BANK: Final = 10**12
"""The most chips that one command may bring from the bank, so that no sum leaves 64 bits."""

Whole = Annotated[int, Meta(ge=1)]
Cards = Annotated[int, Meta(ge=0)]
Brought = Annotated[int, Meta(ge=1, le=MOST_FROM_BANK)]
# `$` alone would let a trailing line feed pass.
SeatKey = Annotated[str, Meta(pattern=r"^[1-9][0-9]*(?!\n)$")]
Card = Annotated[str, Meta(pattern=r"^[2-9TJQKA][CDHS](?!\n)$")]
Account = Annotated[str, Meta(pattern=r"^(bank|pool:.+|seat:[1-9][0-9]*)(?!\n)$")]


class Command(
    msgspec.Struct,
    frozen=True,
    gc=False,
    kw_only=True,
    forbid_unknown_fields=True,
    tag_field="do",
    tag=str.lower,
):
    """What every command may carry: an `id` that the client makes up, answered only once."""

    id: str | UnsetType = UNSET


class Start(Command, frozen=True, gc=False):
    """A new night."""

    ruleset: str
    players: tuple[str, ...]
    options: dict[str, Any] = {}
    dealer: Whole | UnsetType = UNSET
    stack: Whole | UnsetType = UNSET
    places: tuple[Whole, ...] | UnsetType = UNSET


class Deal(Command, frozen=True, gc=False):
    """The antes; the melding begins."""


class Turn(Command, frozen=True, gc=False):
    """The card turned up."""

    card: Card


class Claim(Command, frozen=True, gc=False):
    """A seat takes a pool by showing its cards."""

    seat: Whole
    pool: str


class Next(Command, frozen=True, gc=False):
    """The melding is over, the betting begins."""


class Stake(Command, frozen=True, gc=False):
    """Chips into the bet pool: to open, hold or raise."""

    seat: Whole
    chips: Whole


class Pass(Command, frozen=True, gc=False):
    """The seat is out of the betting of this deal."""

    seat: Whole


class Showdown(Command, frozen=True, gc=False):
    """Seats by their hands, best first; a list within the list is a tie."""

    ranking: list[Any]


class Go(Command, frozen=True, gc=False):
    """The seat played last in a run."""

    seat: Whole


class Out(Command, frozen=True, gc=False):
    """The seat has played its last card."""

    seat: Whole


class Settle(Command, frozen=True, gc=False):
    """The cards each seat but the winner still holds; the deal is over."""

    cards: dict[SeatKey, Cards]


class Void(Command, frozen=True, gc=False):
    """A misdeal: the whole deal is taken back."""


class Rebuy(Command, frozen=True, gc=False):
    """The bank pays a seat more chips."""

    seat: Whole
    chips: Brought


class Join(Command, frozen=True, gc=False):
    """A new seat."""

    name: str
    place: Whole | UnsetType = UNSET


class Leave(Command, frozen=True, gc=False):
    """A seat goes home; its chips go back to the bank."""

    seat: Whole


class Rename(Command, frozen=True, gc=False):
    """Another name for a seat."""

    seat: Whole
    name: str


class Dealer(Command, frozen=True, gc=False):
    """This seat deals next."""

    seat: Whole


class Adjust(Command, frozen=True, gc=False):
    """A recount: chips from one account to another, with the reason."""

    from_: Account = field(name="from")
    to: Account
    chips: Whole
    reason: str


class Undo(Command, frozen=True, gc=False):
    """Takes back the last command in force."""


class Redo(Command, frozen=True, gc=False):
    """Applies again the command last taken back."""


class End(Command, frozen=True, gc=False):
    """Closes the night."""


COMMANDS: Final[Mapping[str, type[Command]]] = {
    str(kind.__struct_config__.tag): kind
    for kind in (
        Start, Deal, Turn, Claim, Next, Stake, Pass, Showdown, Go, Out, Settle, Void,
        Rebuy, Join, Leave, Rename, Dealer, Adjust, Undo, Redo, End,
    )
}  # fmt: skip
"""All commands by name, in the order of RULES.md 3."""

_AFTER_THE_END: Final = ("start", "undo", "redo")


def parse_command(raw: object, *, closed: bool) -> Command | Refusal:
    """The command of a JSON object, or why it is none: the checks of RULES.md 3 on its form."""
    if not isinstance(raw, dict):
        return Refusal("bad-argument", "A command is a JSON object with a field “do”.")
    do = raw.get("do")
    kind = COMMANDS.get(do) if isinstance(do, str) else None
    if kind is None:
        # Only words are said again: JSON may be nested too deeply to be said at all.
        named = f"There is no command {do!r}" if isinstance(do, str) else "“do” names a command"
        return Refusal("unknown-command", f"{named}; commands are {', '.join(COMMANDS)}.")
    if closed and do not in _AFTER_THE_END:
        return Refusal("night-over", "This night is over; start a new one, or undo its end.")
    try:
        command = msgspec.convert(raw, kind)
    except msgspec.ValidationError as error:
        return Refusal("bad-argument", f"{do}: {_plainly(error)}.")
    except RecursionError:
        return Refusal("bad-argument", f"{do}: this is nested too deeply.")
    if isinstance(command, Adjust):
        if command.from_ == command.to:
            return Refusal("bad-argument", "The chips must go from one account to another.")
        if not command.reason.strip():
            return Refusal("bad-argument", "Say the reason of the recount.")
        if command.from_ == "bank" and command.chips > MOST_FROM_BANK:
            return Refusal("bad-argument", f"adjust: chips: expected int <= {MOST_FROM_BANK}.")
    return command


def _plainly(error: msgspec.ValidationError) -> str:
    """The library's sentence with the place first: `chips: expected int >= 1`."""
    text, _, where = str(error).partition(" - at ")
    path = where.replace("`", "").replace("key in ", "").removeprefix("$").removeprefix(".")
    if "matching regex" in text:
        text = _FORMS[path]
    text = text[:1].lower() + text[1:].replace("`", "")
    return f"{path}: {text}" if path else text


_FORMS: Final = {
    "card": "a card is a rank of 23456789TJQKA and a suit of CDHS, as in TH",
    "cards": 'a seat is named by its number, as in {"3": 2}',
    "from": "an account is bank, pool:NAME or seat:NUMBER",
    "to": "an account is bank, pool:NAME or seat:NUMBER",
}
