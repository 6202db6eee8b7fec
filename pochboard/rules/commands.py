"""The commands of RULES.md 3, as the JSON objects that players, presses and sheets send."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal, TypeAlias, final, get_args

import msgspec
from msgspec import UNSET, Meta, UnsetType, field
from msgspec.structs import replace

from pochboard.errors import Refusal, refuse
from pochboard.text.allowed_values import cut_off, why_refused
from pochboard.text.translator import N_
from pochboard.text.unicode_names import MOST_CHARACTERS, is_unfit, sight, tidy

MOST_FROM_BANK: Final = 10**12
"""The most chips that one command may take from the bank, so that all sums fit 64 bits."""
_MOST_CHARACTERS: Final = {
    "id": 200,
    "name": MOST_CHARACTERS,
    "players": MOST_CHARACTERS,
    "reason": 500,
    "ruleset": MOST_CHARACTERS,
    "basis": 200,
}
"""The maximum lengths of a command's texts, by field."""
_AS_SENT: Final = frozenset(("id", "basis"))
"""The texts that nobody reads. They are compared character by character."""

Whole = Annotated[int, Meta(ge=1)]
Cards = Annotated[int, Meta(ge=0)]
Brought = Annotated[int, Meta(ge=1, le=MOST_FROM_BANK)]
# `$` alone would let a trailing line feed pass.
SeatKey = Annotated[
    str,
    Meta(pattern=r"^[1-9][0-9]*(?!\n)$"),
    N_('{name} must name seats by their numbers, as in {{"3": 2}}, not {given}.'),
]
RANKS: Final = "23456789TJQKA"
"""The ranks of cards, lowest first."""
SUITS: Final = "CDHS"

CardOrSuit = Annotated[
    str,
    Meta(pattern=rf"^[{RANKS}]?[{SUITS}](?!\n)$"),
    N_(
        '{name} must be a card such as "TH", or its suit alone, not {given}: a rank of'
        " 23456789TJQKA and a suit of CDHS."
    ),
]
Account = Annotated[
    str,
    Meta(pattern=r"^(bank|pool:.+|seat:[1-9][0-9]*)(?!\n)$"),
    N_("bank, pool:NAME or seat:NUMBER"),
]


class Command(
    msgspec.Struct,
    frozen=True,
    gc=False,
    kw_only=True,
    forbid_unknown_fields=True,
    tag_field="do",
    tag=str.lower,
):
    """What every command may carry besides its own fields; an entry's command has neither."""

    id: str | UnsetType = UNSET
    """Chosen by the client; a command with this id is applied only once."""
    basis: str | UnsetType = UNSET
    """The `basis` of the state that the client showed; the table refuses if that has changed."""


@final
class Start(Command, frozen=True, gc=False):
    """A new night."""

    ruleset: str
    players: tuple[str, ...]
    options: dict[str, Any] | UnsetType = UNSET
    dealer: Whole | UnsetType = UNSET
    stack: Whole | UnsetType = UNSET
    places: tuple[Whole, ...] | UnsetType = UNSET


class Deal(Command, frozen=True, gc=False):
    """The antes; the melding begins."""


class Turn(Command, frozen=True, gc=False):
    """The card turned up, or its suit alone, which is trumps."""

    card: CardOrSuit


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


class SitOut(Command, frozen=True, gc=False, tag="sit_out"):
    """A seat skips deals and keeps its chips and its place."""

    seat: Whole


class SitIn(Command, frozen=True, gc=False, tag="sit_in"):
    """A seat that sat out plays again."""

    seat: Whole


class Rename(Command, frozen=True, gc=False):
    """Another name for a seat."""

    seat: Whole
    name: str


class Dealer(Command, frozen=True, gc=False):
    """This seat deals next."""

    seat: Whole


class Banker(Command, frozen=True, gc=False):
    """This seat fills the pools from now on."""

    seat: Whole


@final
class Adjust(Command, frozen=True, gc=False):
    """A recount: chips from one account to another, with the reason."""

    from_: Account = field(name="from")
    to: Account
    chips: Whole
    reason: str


class Undo(Command, frozen=True, gc=False):
    """Takes back the last command in force."""


class Redo(Command, frozen=True, gc=False):
    """Reapplies the command last taken back."""


class End(Command, frozen=True, gc=False):
    """Closes the night."""


AnyCommand: TypeAlias = (
    Start
    | Deal
    | Turn
    | Claim
    | Next
    | Stake
    | Pass
    | Showdown
    | Go
    | Out
    | Settle
    | Void
    | Rebuy
    | Join
    | Leave
    | SitOut
    | SitIn
    | Rename
    | Dealer
    | Banker
    | Adjust
    | Undo
    | Redo
    | End
)
"""All commands, in the order of RULES.md 3. Code that must handle every command matches on it."""


CommandName: TypeAlias = Literal[
    "start", "deal", "turn", "claim", "next", "stake", "pass", "showdown", "go", "out", "settle",
    "void", "rebuy", "join", "leave", "sit_out", "sit_in", "rename", "dealer",
    "banker", "adjust", "undo",
    "redo", "end",
]  # fmt: skip
"""The names in JSON (`do`), in the same order."""

COMMANDS: Final[Mapping[CommandName, type[Command]]] = dict(
    zip(get_args(CommandName), get_args(AnyCommand), strict=True)
)
assert all(kind.__struct_config__.tag == name for name, kind in COMMANDS.items())


_NAMES: Final[Mapping[type[Command], CommandName]] = {kind: name for name, kind in COMMANDS.items()}
_BY_NAME: Final[Mapping[str, type[Command]]] = {str(name): one for name, one in COMMANDS.items()}


def command_name(kind: type[Command]) -> CommandName:
    """The name of a command in JSON."""
    return _NAMES[kind]


@final
class BadCommand(msgspec.Struct, frozen=True):
    """JSON that is not a command, and why."""

    refusal: Refusal
    named: str | None = None
    """The value of its `do`, whether or not there is such a command."""
    id: str | UnsetType = UNSET
    basis: str | UnsetType = UNSET


Parsed: TypeAlias = AnyCommand | BadCommand
"""The result of parsing the JSON of a command."""


def named_in(command: Parsed) -> str | None:
    """The name of a command, or the one given in invalid JSON."""
    return command.named if isinstance(command, BadCommand) else command_name(type(command))


def contradicts(earlier: AnyCommand, command: Parsed) -> bool:
    """Whether a command was sent in vain if its sender did not know of an earlier one."""
    subject = _subject(command)
    return subject is None or _subject(earlier) in (None, subject)


def _subject(command: Parsed) -> object:
    """The pool, seat or name that is all a command is about; None if it is about the table."""
    match command:
        case Claim(pool=pool):
            return "pool", pool
        case Rebuy() | Leave() | SitOut() | SitIn() | Rename():
            return "seat", command.seat
        case Join(name=name):
            return "name", sight(name)
        case _:
            return None


_AFTER_THE_END: Final = (Start, Undo, Redo)


def is_too_late(command: Parsed) -> bool:
    """Whether a command, valid or not, is not possible once the night is closed."""
    if isinstance(command, BadCommand):
        kind = _BY_NAME.get(command.named or "")
        return kind is not None and kind not in _AFTER_THE_END
    return not isinstance(command, _AFTER_THE_END)


def parse_command(raw: object) -> Parsed:
    """The command in a JSON object, after the checks of RULES.md 3 on its form. Never raises."""
    if not isinstance(raw, dict):
        refusal = refuse("bad-argument", 'A command is a JSON object with a field "do".')
        return BadCommand(refusal)
    do = raw.get("do")
    kind = _BY_NAME.get(do) if isinstance(do, str) else None
    if kind is None:
        return _bad_command(raw, _refuse_name(do))
    try:
        command: AnyCommand = msgspec.convert(raw, kind)  # type: ignore[assignment]  # by its name
    except msgspec.ValidationError:
        why = why_refused(kind, raw)
        return _bad_command(
            raw, refuse("bad-argument", "{command}: {reason}", command=do, reason=why)
        )
    # Most commands have no text at all, and this runs for every command that is simulated.
    if not _MOST_CHARACTERS.keys().isdisjoint(raw):
        tidied = _tidied(str(do), command)
        if isinstance(tidied, Refusal):
            return _bad_command(raw, tidied)
        command = tidied
    return command


def _bad_command(raw: dict[str, Any], refusal: Refusal) -> BadCommand:
    do, name, basis = raw.get("do"), raw.get("id"), raw.get("basis")
    return BadCommand(
        refusal,
        do if isinstance(do, str) else None,
        name if isinstance(name, str) and name.strip() else UNSET,
        basis if isinstance(basis, str) and not _refuse_text("", "basis", basis) else UNSET,
    )


def _refuse_name(do: object) -> Refusal:
    commands = ", ".join(COMMANDS)
    # Only text is quoted: nothing else resembles a name.
    if not isinstance(do, str):
        return refuse(
            "unknown-command",
            '"do" must name a command. The commands are {commands}.',
            commands=commands,
        )
    return refuse(
        "unknown-command",
        "There is no command “{named}”. The commands are {commands}.",
        named=cut_off(do),
        commands=commands,
    )


def _tidied(do: str, command: AnyCommand) -> AnyCommand | Refusal:
    """The command with its names and its reason as they are kept."""
    changed: dict[str, Any] = {}
    for name in _MOST_CHARACTERS:
        value = getattr(command, name, UNSET)
        if value is UNSET:
            continue
        texts = value if isinstance(value, tuple) else (value,)
        kept = texts if name in _AS_SENT else tuple(map(tidy, texts))
        for text in kept:
            if (refusal := _refuse_text(do, name, text)) is not None:
                return refusal
        changed[name] = kept if isinstance(value, tuple) else kept[0]
    if not changed.get("id", "…").strip():
        changed["id"] = UNSET  # programs that always send one do not always have one
    command = replace(command, **changed)
    return _refuse_adjust(command) or command if isinstance(command, Adjust) else command


def _refuse_text(do: str, name: str, text: str) -> Refusal | None:
    """Refuses a text that is too long, or that contains invisible characters."""
    text, most = text.strip(), _MOST_CHARACTERS[name]
    if len(text) > most:
        return refuse(
            "bad-argument",
            '{command}: "{field}" must be text of at most {most} characters.',
            command=do,
            field=name,
            most=most,
        )
    if is_unfit(text):
        return refuse(
            "bad-argument",
            '{command}: "{field}" contains an invisible character. Type it again.',
            command=do,
            field=name,
        )
    return None


def _refuse_adjust(command: Adjust) -> Refusal | None:
    """What is wrong with the form of a recount beyond the types of its fields."""
    if command.from_ == command.to:
        return refuse("bad-argument", "Choose two different accounts.")
    if not sight(command.reason):
        return refuse("bad-argument", "Give a reason for the recount.")
    if command.from_ == "bank" and command.chips > MOST_FROM_BANK:
        return refuse(
            "bad-argument", "The bank pays at most {most} chips at once.", most=MOST_FROM_BANK
        )
    return None
