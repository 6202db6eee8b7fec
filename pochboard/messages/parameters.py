"""The parameters of rulesets as a form, and a ruleset in a few sentences.

The kind of value that a parameter takes follows from its type in `Ruleset`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import UnionType
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin

import msgspec
from msgspec import Meta

from pochboard.messages.labels import pool_name, ruleset_name
from pochboard.rules.ruleset import PARAMETERS, TYPES, Ruleset
from pochboard.rules.ruleset_files import HOUSE_SOURCE, lazy_source, nearest_preset
from pochboard.text.names import POOL_NAMES
from pochboard.text.translator import N_, Translator

_NIGHT: Final = N_("The night")
_DEALING: Final = N_("Cards and dealing")
_POOLS_AND_ANTE: Final = N_("Pools and ante")
_BETTING: Final = N_("Betting and showdown")
_PLAYING_OUT: Final = N_("Playing out")


class Words(msgspec.Struct, frozen=True):
    """What people read about a parameter."""

    group: str
    """The heading of the form that it belongs under."""
    label: str
    help: str = ""
    """What it means, where the label does not say enough."""
    values: Mapping[str, str] = {}
    """What its values are called: `none` may mean something else for each parameter."""


WORDS: Final[Mapping[str, Words]] = {
    "source": Words(_NIGHT, N_("Where the rules come from"),
        N_("Shown with the ruleset, for example “as at Grandma’s”.")),
    "players": Words(_NIGHT, N_("Players, fewest and most")),
    "deck": Words(_DEALING, N_("Cards in the deck"),
        values={"auto": N_("32, or 52 with five or more players")}),
    "hand": Words(_DEALING, N_("Cards in a hand"),
        N_("With “all”, the last card dealt sets the trump suit."),
        values={"all-but-one": N_("all but one"), "all": N_("all")}),
    "packets": Words(_DEALING, N_("Cards dealt at a time"),
        N_("3, 2 means: first three cards each, then two.")),
    "trump": Words(_DEALING, N_("Trump suit"), N_("With a fixed suit, no card is turned up."),
        values={"turned": N_("the suit of the card turned up"), "clubs": N_("always clubs"),
        "diamonds": N_("always diamonds"), "hearts": N_("always hearts"),
        "spades": N_("always spades")}),
    "stack": Words(_NIGHT, N_("Chips to begin with")),
    "pools": Words(_POOLS_AND_ANTE, N_("Pools on the board"),
        N_("What your board has, and you want to play with."), values=POOL_NAMES),
    "ante_pools": Words(_POOLS_AND_ANTE, N_("Pools filled at each deal"),
        N_("The others are filled by bets, or by nothing."), values=POOL_NAMES),
    "ante_from": Words(_POOLS_AND_ANTE, N_("Who fills the pools"),
        N_("Where the bank fills them, nobody has to ante."), values={"seats": N_("the players"),
        "bank": N_("the bank"), "banker": N_("one player, the banker")}),
    "ante": Words(_POOLS_AND_ANTE, N_("Chips into each pool")),
    "sequence": Words(_POOLS_AND_ANTE, N_("What wins Sequence"),
        N_("The referee and the computer players decide by this."),
        values={"trump-789": N_("7 8 9 of trumps"),
        "best-run-trump-first": N_("the best run, trumps before height"),
        "best-run-height-first": N_("the best run, height before trumps"),
        "longest-run": N_("the longest run")}),
    "bet_pool": Words(_BETTING, N_("Bets go into"),
        N_("The winner of the betting takes this pool."), values=POOL_NAMES),
    "bet_pool_takes_poch": Words(_BETTING, N_("Whoever wins Pinke takes Poch too")),
    "bet_needs_set": Words(_BETTING, N_("A player needs a set to stake"),
        N_("Otherwise anybody may stake, and so bluff.")),
    "high_card": Words(_BETTING, N_("A hand without a set may win"),
        N_("If nobody has a set, the highest card wins.")),
    "tie_break": Words(_BETTING, N_("What decides between equal sets"),
        values={"trump": N_("the card of the trump suit"), "side-cards": N_("the other cards"),
        "suits": N_("the suit: clubs, spades, hearts, diamonds"),
        "split": N_("nothing: they share")}),
    "prove_set": Words(_BETTING, N_("The last one in must show a set"),
        N_("Otherwise whoever is left alone wins without showing cards.")),
    "all_in": Words(_BETTING, N_("All-in is allowed"),
        N_("Whoever has too few chips may put in all of them.")),
    "raises": Words(_BETTING, N_("Raises"),
        N_("What may be put in on top of what it takes to stay in."), values={"free": N_("free"),
        "none": N_("none: hold or pass"), "capped": N_("up to the smallest stack")}),
    "bluff_penalty": Words(_BETTING, N_("Penalty for a bluff, times the stake"),
        N_("For a knocker who loses the showdown; 0 means no penalty.")),
    "turned_card": Words(_POOLS_AND_ANTE, N_("Who wins the pool of the turned card"),
        N_("If an ace, king, queen, jack or ten is turned up."), values={"nobody": N_("nobody"),
        "dealer": N_("the dealer")}),
    "leader": Words(_PLAYING_OUT, N_("Who leads first"),
        values={"poch-winner": N_("whoever won Poch"), "forehand": N_("forehand")}),
    "run_ends": Words(_PLAYING_OUT, N_("A run to 31 ends when"),
        N_("Only matters if the cards are played to thirty-one."),
        values={"nobody-can": N_("nobody can add a card"),
        "next-cannot": N_("the next player cannot add a card")}),
    "shedding": Words(_PLAYING_OUT, N_("How the cards are played"),
        N_("The page of the rules describes each way."), values={"sequence": N_("in sequence"),
        "rising": N_("each player a higher card"), "tricks": N_("in tricks"),
        "domino": N_("as dominoes"), "thirty-one": N_("to thirty-one")}),
    "centre_to_winner": Words(_PLAYING_OUT, N_("Whoever goes out first takes Pinke")),
    "run_bonus": Words(_PLAYING_OUT, N_("Chips for the last card of a run"),
        N_("From each other player; 0 means none.")),
    "short_seats": Words(_NIGHT, N_("A player who cannot ante"),
        N_("Whoever sits out can buy in before any later deal."),
        values={"refuse": N_("stops the deal"), "retire": N_("sits out, and the deal continues")}),
    "out_when_broke": Words(_NIGHT, N_("Without chips, a player is out")),
    "deals": Words(_NIGHT, N_("Number of deals"), values={"open": N_("as many as you like"),
        "round": N_("one for each player"), "until-short": N_("until somebody cannot ante")}),
    "last_deal_to": Words(_NIGHT, N_("On the last deal, unclaimed chips go to"),
        N_("Only for nights with a fixed number of deals."),
        values={"none": N_("nobody: they stay"), "poch": POOL_NAMES["poch"],
        "pinke": POOL_NAMES["pinke"]}),
    "leftover": Words(_NIGHT, N_("Who gets the chips left at the end"),
        values={"bank": N_("the bank"), "split": N_("the players, in equal shares")}),
    "first_dealer": Words(_NIGHT, N_("Who deals first"),
        N_("Later the deal passes on. Without cards at hand, draw lots on the page."),
        values={"chosen": N_("whoever you choose"), "first-ace": N_("whoever gets the first ace"),
        "lowest-card": N_("whoever draws the lowest card")}),
    "won_by": Words(_NIGHT, N_("Who wins the night"),
        N_("Whoever has bought chips has won fewer than others with as many."),
        values={"most-won": N_("whoever has won the most chips"),
        "most-chips": N_("whoever has the most chips"),
        "last-with-chips": N_("the last player with chips")}),
    "direction": Words(_NIGHT, N_("Direction of play"), values={"clockwise": N_("clockwise"),
        "anticlockwise": N_("anticlockwise")}),
}  # fmt: skip
"""By parameter. What a place of the board means is written in a file, and has none."""

_MOST_CHANGES: Final = 3
"""So many changes of a house are named in its summary; the others are counted."""

Kind = Literal["flag", "number", "choice", "number-or-choice", "list", "numbers", "range", "text"]


_USUAL: Final = frozenset({"deck", "ante", "raises", "all_in", "high_card", "leftover"})


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
    usual: bool = False
    """Whether families ask for it; a form may put all others behind one tap."""
    is_rule: bool = True
    """Whether it says how to play. Where the rules come from does not count as a difference."""


class Difference(msgspec.Struct, frozen=True):
    """A parameter that differs from that of another ruleset, in words."""

    name: str
    label: str
    value: str
    before: str
    """Its value in the other ruleset."""


def parameter_form(t: Translator) -> tuple[ParameterField, ...]:
    """The parameters that a form can ask for, in the order of RULES.md 2."""
    return tuple(_field(name, TYPES[name], t) for name in PARAMETERS if name in WORDS)


def differences(rules: Ruleset, other: Ruleset, t: Translator) -> tuple[Difference, ...]:
    """The parameters in which a ruleset differs from another one, but for its source."""
    found = (
        Difference(
            field.name,
            field.label,
            _value_text(field, rules, t),
            _value_text(field, other, t),
        )
        for field in parameter_form(t)
        if field.is_rule
    )
    return tuple([one for one in found if one.value != one.before])


def _value_text(field: ParameterField, rules: Ruleset, t: Translator) -> str:
    value = getattr(rules, field.name)
    words: dict[object, str] = {choice.value: choice.label for choice in field.choices}
    words |= {one.at: pool_name(one.at, t, rules) for one in rules.pool if one.at in words}
    match field.kind:
        case "flag":
            return t.pgettext("rule", "yes") if value else t.pgettext("rule", "no")
        case "range":
            return t.gettext("{least} to {most}", least=value[0], most=value[1])
        case "list" | "numbers":
            return ", ".join(words.get(choice, str(choice)) for choice in value)
        case _:
            return words.get(value, str(value))


def source_text(source: str, t: Translator) -> str:
    """Where a ruleset comes from, as a sentence."""
    origin = t.translated(lazy_source(source))
    return f"{origin[:1].upper()}{origin[1:]}{'' if origin.endswith('.') else '.'}"


def _field(name: str, hint: Any, t: Translator) -> ParameterField:
    words = WORDS[name]
    choices = tuple(
        ParameterChoice(value, t.gettext(words.values.get(str(value), str(value))))
        for value in _within(hint, str | int)
    )
    limits: Any = next(_within(hint, Meta), Meta())
    return ParameterField(
        name=name,
        label=t.gettext(words.label),
        kind=_kind(hint),
        choices=choices,
        least=limits.ge,
        most=limits.le,
        group=t.gettext(words.group),
        help=t.gettext(words.help) if words.help else "",
        usual=name in _USUAL,
        is_rule=name != "source",
    )


_KINDS: Final[Mapping[object, Kind]] = {
    bool: "flag", str: "text", int: "number", Literal: "choice", UnionType: "number-or-choice",
    Union: "number-or-choice",
}  # fmt: skip


def _kind(hint: Any) -> Kind:
    base = get_args(hint)[0] if get_origin(hint) is Annotated else hint
    if get_origin(base) is not tuple:
        return _KINDS[get_origin(base) or base]
    item, rest = get_args(base)
    if rest is not ...:
        return "range"
    return "list" if get_origin(item) is Literal else "numbers"


def _within(hint: Any, kind: Any) -> Iterator[Any]:
    """What a type contains of a kind: the values of its Literals, or limits, in their order."""
    for argument in get_args(hint):
        if isinstance(argument, kind):
            yield argument
        else:
            yield from _within(argument, kind)


def size_texts(rules: Ruleset, t: Translator) -> tuple[str, str]:
    """A ruleset's numbers of players and of chips, in words."""
    least, most = rules.players
    return (
        t.gettext("For {least} to {most} players.", least=least, most=most),
        t.ngettext(
            "Everybody starts with {count} chip.",
            "Everybody starts with {count} chips.",
            rules.stack,
        ),
    )


def hand_text(rules: Ruleset, t: Translator) -> str:
    """How many cards are dealt."""
    if rules.hand == "all":
        return t.gettext("All cards are dealt.")
    if rules.hand == "all-but-one":
        return t.gettext("All cards but one are dealt.")
    return t.ngettext("Everybody gets {count} card.", "Everybody gets {count} cards.", rules.hand)


def ruleset_summary(rules: Ruleset, t: Translator) -> str:
    """A ruleset in short: where it comes from, and for how many players, cards, chips and pools."""
    players, chips = size_texts(rules, t)
    pools = t.ngettext("{count} pool is played.", "{count} pools are played.", len(rules.pools))
    origin = _own_rules(rules, t) or source_text(rules.source, t)
    return " ".join((origin, players, hand_text(rules, t), chips, pools))


def _own_rules(rules: Ruleset, t: Translator) -> str:
    """What a house has changed, in a sentence; empty for rules that have a source of their own."""
    preset = nearest_preset(rules)
    changes = differences(rules, preset, t)
    if rules.source != HOUSE_SOURCE or not changes:
        return ""
    said = [f"{change.label}: {change.value}" for change in changes[:_MOST_CHANGES]]
    if more := len(changes) - len(said):
        said.append(t.ngettext("{count} more change", "{count} more changes", more))
    return t.gettext(
        "The rules of this house: like “{ruleset}”, except {changes}.",
        ruleset=ruleset_name(preset.name, t),
        changes="; ".join(said),
    )
