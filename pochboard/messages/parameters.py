"""The parameters of rulesets as a form, and a ruleset in a few sentences.

The kind of value that a parameter takes follows from the types of `Ruleset`. A new parameter
therefore needs only words here; without them, the form shows its own name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, Literal, get_args, get_type_hints

import msgspec
from msgspec import inspect

from pochboard.rules.ruleset import Ruleset
from pochboard.text.names import POOL_NAMES
from pochboard.text.translator import Translator, gettext_noop

_LABELS: Final[Mapping[str, str]] = {
    "source": gettext_noop("Where the rules come from"),
    "players": gettext_noop("Players, fewest and most"),
    "deck": gettext_noop("Cards in the deck"),
    "hand": gettext_noop("Cards in a hand"),
    "packets": gettext_noop("Cards dealt at a time"),
    "trump": gettext_noop("Trump suit"),
    "stack": gettext_noop("Chips to begin with"),
    "pools": gettext_noop("Pools on the board"),
    "ante_pools": gettext_noop("Pools filled at each deal"),
    "ante_from": gettext_noop("Who fills the pools"),
    "ante": gettext_noop("Chips into each pool"),
    "sequence": gettext_noop("What wins Sequence"),
    "bet_pool": gettext_noop("Bets go into"),
    "bet_pool_takes_poch": gettext_noop("Whoever wins Pinke takes Poch too"),
    "bet_needs_set": gettext_noop("A player needs a set to stake"),
    "high_card": gettext_noop("A hand without a set may win"),
    "tie_break": gettext_noop("What decides between equal sets"),
    "prove_set": gettext_noop("The last one in must show a set"),
    "all_in": gettext_noop("All-in is allowed"),
    "raises": gettext_noop("Raises"),
    "bluff_penalty": gettext_noop("Penalty for a bluff, times the stake"),
    "turned_card": gettext_noop("Who wins the pool of the turned card"),
    "leader": gettext_noop("Who leads first"),
    "run_ends": gettext_noop("A run to 31 ends when"),
    "shedding": gettext_noop("How the cards are played"),
    "centre_to_winner": gettext_noop("Whoever goes out first takes Pinke"),
    "run_bonus": gettext_noop("Chips for the last card of a run"),
    "short_seats": gettext_noop("A player who cannot ante"),
    "out_when_broke": gettext_noop("Without chips, a player is out"),
    "deals": gettext_noop("Number of deals"),
    "last_deal_to": gettext_noop("On the last deal, unclaimed chips go to"),
    "leftover": gettext_noop("Who gets the chips left at the end"),
    "direction": gettext_noop("Direction of play"),
}

_VALUES: Final[Mapping[str, Mapping[str, str]]] = {
    "deck": {
        "auto": gettext_noop("32, or 52 with five or more players"),
    },
    "hand": {
        "all-but-one": gettext_noop("all but one"),
        "all": gettext_noop("all"),
    },
    "trump": {
        "turned": gettext_noop("the suit of the card turned up"),
        "clubs": gettext_noop("always clubs"),
        "diamonds": gettext_noop("always diamonds"),
        "hearts": gettext_noop("always hearts"),
        "spades": gettext_noop("always spades"),
    },
    "tie_break": {
        "trump": gettext_noop("the card of the trump suit"),
        "side-cards": gettext_noop("the other cards"),
        "suits": gettext_noop("the suit: clubs, spades, hearts, diamonds"),
        "split": gettext_noop("nothing: they share"),
    },
    "short_seats": {
        "refuse": gettext_noop("stops the deal"),
        "retire": gettext_noop("sits out, and the deal continues"),
    },
    "last_deal_to": {
        "none": gettext_noop("nobody: they stay"),
        "poch": POOL_NAMES["poch"],
        "pinke": POOL_NAMES["pinke"],
    },
    "ante_from": {
        "seats": gettext_noop("the players"),
        "bank": gettext_noop("the bank"),
    },
    "sequence": {
        "trump-789": gettext_noop("7 8 9 of trumps"),
        "best-run-trump-first": gettext_noop("the best run, trumps before height"),
        "best-run-height-first": gettext_noop("the best run, height before trumps"),
        "longest-run": gettext_noop("the longest run"),
    },
    "raises": {
        "free": gettext_noop("free"),
        "none": gettext_noop("none: hold or pass"),
        "capped": gettext_noop("up to the smallest stack"),
    },
    "turned_card": {
        "nobody": gettext_noop("nobody"),
        "dealer": gettext_noop("the dealer"),
    },
    "leader": {
        "poch-winner": gettext_noop("whoever won Poch"),
        "forehand": gettext_noop("forehand"),
    },
    "run_ends": {
        "nobody-can": gettext_noop("nobody can add a card"),
        "next-cannot": gettext_noop("the next player cannot add a card"),
    },
    "shedding": {
        "sequence": gettext_noop("in sequence"),
        "rising": gettext_noop("each player a higher card"),
        "tricks": gettext_noop("in tricks"),
        "domino": gettext_noop("as dominoes"),
        "thirty-one": gettext_noop("to thirty-one"),
    },
    "deals": {
        "open": gettext_noop("as many as you like"),
        "round": gettext_noop("one for each player"),
        "until-short": gettext_noop("until somebody cannot ante"),
    },
    "leftover": {
        "bank": gettext_noop("the bank"),
        "split": gettext_noop("the players, in equal shares"),
    },
    "direction": {
        "clockwise": gettext_noop("clockwise"),
        "anticlockwise": gettext_noop("anticlockwise"),
    },
    "pools": POOL_NAMES,
    "ante_pools": POOL_NAMES,
    "bet_pool": POOL_NAMES,
}
"""What values are called, by parameter: `none` may mean something else for each."""

_GROUPS: Final[Mapping[str, tuple[str, ...]]] = {
    gettext_noop("The night"): (
        "source",
        "players",
        "stack",
        "short_seats",
        "out_when_broke",
        "deals",
        "last_deal_to",
        "leftover",
        "direction",
    ),
    gettext_noop("Cards and dealing"): ("deck", "hand", "packets", "trump"),
    gettext_noop("Pools and ante"): (
        "pools",
        "ante_pools",
        "ante_from",
        "ante",
        "sequence",
        "turned_card",
    ),
    gettext_noop("Betting and showdown"): (
        "bet_pool",
        "bet_pool_takes_poch",
        "bet_needs_set",
        "high_card",
        "tie_break",
        "prove_set",
        "all_in",
        "raises",
        "bluff_penalty",
    ),
    gettext_noop("Playing out"): (
        "leader",
        "run_ends",
        "shedding",
        "centre_to_winner",
        "run_bonus",
    ),
}
"""The groups of the form, and their parameters."""
_OTHER_GROUP: Final = gettext_noop("Other rules")

_HELP: Final[Mapping[str, str]] = {
    "source": gettext_noop("Shown with the ruleset, for example “as at Grandma’s”."),
    "hand": gettext_noop("With “all”, the last card dealt sets the trump suit."),
    "packets": gettext_noop("3, 2 means: first three cards each, then two."),
    "trump": gettext_noop("With a fixed suit, no card is turned up."),
    "pools": gettext_noop("What your board has, and you want to play with."),
    "ante_pools": gettext_noop("The others are filled by bets, or by nothing."),
    "ante_from": gettext_noop("Where the bank fills them, nobody has to ante."),
    "sequence": gettext_noop("The referee and the computer players decide by this."),
    "bet_pool": gettext_noop("The winner of the betting takes this pool."),
    "bet_needs_set": gettext_noop("Otherwise anybody may stake, and so bluff."),
    "high_card": gettext_noop("If nobody has a set, the highest card wins."),
    "prove_set": gettext_noop("Otherwise whoever is left alone wins without showing cards."),
    "all_in": gettext_noop("Whoever has too few chips may put in all of them."),
    "raises": gettext_noop("What may be put in on top of what it takes to stay in."),
    "bluff_penalty": gettext_noop("For a knocker who loses the showdown; 0 means no penalty."),
    "turned_card": gettext_noop("If an ace, king, queen, jack or ten is turned up."),
    "run_ends": gettext_noop("Only matters if the cards are played to thirty-one."),
    "shedding": gettext_noop("The page of the rules describes each way."),
    "run_bonus": gettext_noop("From each other player; 0 means none."),
    "short_seats": gettext_noop("Whoever sits out can buy in before any later deal."),
    "last_deal_to": gettext_noop("Only for nights with a fixed number of deals."),
}

_SOURCES: Final = frozenset(
    {
        gettext_noop("the rules of this house"),
        gettext_noop("the modern game, all-in as pagat suggests"),
        gettext_noop("the banker's game"),
        gettext_noop("von Alvensleben, 1853"),
        gettext_noop("the eight-pool game to 31"),
        gettext_noop(
            "the modern game with Pierer's longest run; named after Meyers Großes"
            " Konversations-Lexikon, 1908"
        ),
        gettext_noop("the modern game with the penalty of the Philos leaflet"),
        gettext_noop("von Alvensleben's game with the shedding of Pierer's Universal-Lexikon"),
        gettext_noop(
            "the rules printed with boards sold today (leaflets of Philos, Noris and Die kleine"
            " Ludothek, undated)"
        ),
        gettext_noop(
            "John McLeod, pagat.com: a set is needed to take part, and a player left alone must"
            " show it"
        ),
    }
)
"""The sources of the shipped rulesets, and of house rulesets without one of their own.

All others are shown as they are.
"""

Kind = Literal["flag", "number", "choice", "number-or-choice", "list", "numbers", "range", "text"]


class ParameterChoice(msgspec.Struct, frozen=True):
    """A value to choose, and its name."""

    value: str | int
    label: str


class ParameterField(msgspec.Struct, frozen=True, kw_only=True):
    """A parameter as a field of the form."""

    name: str
    label: str
    kind: Kind
    """`range` is a pair of numbers, `numbers` a list of them of any length, and `list` a selection
    of the choices, in their order."""
    choices: tuple[ParameterChoice, ...] = ()
    least: int | None = None
    """For numbers."""
    most: int | None = None
    group: str = ""
    """The heading that it belongs under."""
    help: str = ""
    """What it means, where the label does not say enough."""
    is_rule: bool = True
    """Whether it says how to play. Where the rules come from does not count as a difference."""


class Difference(msgspec.Struct, frozen=True):
    """A parameter that differs from that of another ruleset, in words."""

    name: str
    label: str
    value: str
    before: str
    """Its value in the other ruleset."""


def parameter_form(
    t: Translator, ruleset_type: type[msgspec.Struct] = Ruleset
) -> tuple[ParameterField, ...]:
    """All parameters in the order of RULES.md 2."""
    hints = get_type_hints(ruleset_type)
    return tuple(
        msgspec.structs.replace(
            _field(field.name, field.type, tuple(_literals(hints[field.name])), t),
            group=_group(field.name, t),
            help=t.gettext(_HELP[field.name]) if field.name in _HELP else "",
            is_rule=field.name != "source",
        )
        for field in inspect.type_info(ruleset_type).fields  # type: ignore[attr-defined]
        if field.name != "name"
    )


def _group(name: str, t: Translator) -> str:
    return t.gettext(next((title for title, of in _GROUPS.items() if name in of), _OTHER_GROUP))


def differences(rules: Ruleset, other: Ruleset, t: Translator) -> tuple[Difference, ...]:
    """The parameters in which a ruleset differs from another one, but for its source."""
    before, now = other.parameters(), rules.parameters()
    return tuple(
        Difference(
            field.name,
            field.label,
            _value_text(field, now[field.name], t),
            _value_text(field, before[field.name], t),
        )
        for field in parameter_form(t)
        if field.is_rule and now[field.name] != before[field.name]
    )


def _value_text(field: ParameterField, value: Any, t: Translator) -> str:
    words = {choice.value: choice.label for choice in field.choices}
    match field.kind:
        case "flag":
            return t.pgettext("rule", "yes") if value else t.pgettext("rule", "no")
        case "range":
            return t.gettext("{least} to {most}", least=value[0], most=value[1])
        case "list" | "numbers":
            return ", ".join(words.get(one, str(one)) for one in value)
        case _:
            return words.get(value, str(value))


def source_text(source: str, t: Translator) -> str:
    """Where a ruleset comes from, as a sentence."""
    said = t.gettext(source) if source in _SOURCES else source
    return f"{said[:1].upper()}{said[1:]}{'' if said.endswith('.') else '.'}"


def _field(
    name: str, kind: inspect.Type, values: tuple[str | int, ...], t: Translator
) -> ParameterField:
    label = t.gettext(_LABELS.get(name, name))
    words = _VALUES.get(name, {})
    choices = tuple(
        ParameterChoice(value, t.gettext(words.get(str(value), str(value)))) for value in values
    )
    match kind:
        case inspect.BoolType():
            return ParameterField(name=name, label=label, kind="flag")
        case inspect.IntType(ge=least, le=most):
            return ParameterField(name=name, label=label, kind="number", least=least, most=most)
        case inspect.LiteralType():
            return ParameterField(name=name, label=label, kind="choice", choices=choices)
        case (
            inspect.UnionType(types=(inspect.IntType(ge=least, le=most), inspect.LiteralType()))
            | inspect.UnionType(types=(inspect.LiteralType(), inspect.IntType(ge=least, le=most)))
        ):
            return ParameterField(
                name=name,
                label=label,
                kind="number-or-choice",
                choices=choices,
                least=least,
                most=most,
            )
        case inspect.VarTupleType(item_type=inspect.LiteralType()):
            return ParameterField(name=name, label=label, kind="list", choices=choices)
        case inspect.VarTupleType(item_type=inspect.IntType(ge=least, le=most)):
            return ParameterField(name=name, label=label, kind="numbers", least=least, most=most)
        case inspect.TupleType(item_types=(inspect.IntType(ge=least, le=most), inspect.IntType())):
            return ParameterField(name=name, label=label, kind="range", least=least, most=most)
        case inspect.StrType():
            return ParameterField(name=name, label=label, kind="text")
        case _:
            raise TypeError(f"{name}: the form has no field for {kind}")


def _literals(hint: Any) -> Iterator[str | int]:
    """The values of all Literals in a type, in the order in which they are declared."""
    for argument in get_args(hint):
        if isinstance(argument, str | int):
            yield argument
        else:
            yield from _literals(argument)


def problem_text(file: str, key: str | None, reason: str, t: Translator) -> str:
    """Why the file of a house ruleset cannot be used, and the parameter at fault, if it is one."""
    if key is None:
        return t.gettext("The file {file} cannot be used: {reason}.", file=file, reason=reason)
    return t.gettext(
        "The file {file} cannot be used: {key}: {reason}.", file=file, key=key, reason=reason
    )


def ruleset_summary(rules: Ruleset, t: Translator) -> str:
    """A ruleset in short: where it comes from, and for how many players, cards, chips and pools."""
    least, most = rules.players
    if rules.hand == "all":
        hand = t.gettext("All cards are dealt.")
    elif rules.hand == "all-but-one":
        hand = t.gettext("All cards but one are dealt.")
    else:
        hand = t.ngettext(
            "Everybody gets {count} card.", "Everybody gets {count} cards.", rules.hand
        )
    sentences = (
        source_text(rules.source, t),
        t.gettext("For {least} to {most} players.", least=least, most=most),
        hand,
        t.ngettext(
            "Everybody starts with {count} chip.",
            "Everybody starts with {count} chips.",
            rules.stack,
        ),
        t.ngettext("{count} pool is played.", "{count} pools are played.", len(rules.pools)),
    )
    return " ".join(sentences)
