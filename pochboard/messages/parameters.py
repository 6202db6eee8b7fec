"""The parameters of rulesets as a form, and a ruleset in a few sentences.

The kind of value that a parameter takes follows from its type in `Ruleset`, where its words stand
too. A parameter without words is shown by its own name.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Final, Literal, get_args, get_origin, get_type_hints

import msgspec
from msgspec import inspect

from pochboard.messages.labels import ruleset_name
from pochboard.rules.ruleset import Ruleset, Words
from pochboard.rules.ruleset_files import HOUSE_SOURCE, lazy_source, nearest_preset
from pochboard.text.lazy import translated
from pochboard.text.translator import Translator, gettext_noop

_OTHER_GROUP: Final = gettext_noop("Other rules")

_MOST_CHANGES: Final = 3
"""So many changes of a house are named in its summary; the others are counted."""

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
    hints = get_type_hints(ruleset_type, include_extras=True)
    return tuple(
        _field(field.name, field.type, hints[field.name], t)
        for field in inspect.type_info(ruleset_type).fields  # type: ignore[attr-defined]
        if field.name != "name"
    )


def _words(name: str, hint: Any) -> Words:
    """The words in the type of a parameter."""
    marks = get_args(hint) if get_origin(hint) is Annotated else ()
    words = (mark for mark in marks if isinstance(mark, Words))
    return next(words, Words(name, _OTHER_GROUP))


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
            return ", ".join(words.get(choice, str(choice)) for choice in value)
        case _:
            return words.get(value, str(value))


def origin_text(source: str, t: Translator) -> str:
    """Where a ruleset comes from; what people have written themselves stays as it is."""
    return str(translated(lazy_source(source), t))


def source_text(source: str, t: Translator) -> str:
    """Where a ruleset comes from, as a sentence."""
    origin = origin_text(source, t)
    return f"{origin[:1].upper()}{origin[1:]}{'' if origin.endswith('.') else '.'}"


def _field(name: str, kind: inspect.Type, hint: Any, t: Translator) -> ParameterField:
    words = _words(name, hint)
    choices = tuple(
        ParameterChoice(value, t.gettext(words.values.get(str(value), str(value))))
        for value in _literals(hint)
    )
    least, most = _range(kind)
    return ParameterField(
        name=name,
        label=t.gettext(words.label),
        kind=_kind(name, kind),
        choices=choices,
        least=least,
        most=most,
        group=t.gettext(words.group),
        help=t.gettext(words.help) if words.help else "",
        is_rule=name != "source",
    )


def _kind(name: str, kind: inspect.Type) -> Kind:
    match kind:
        case inspect.BoolType():
            return "flag"
        case inspect.IntType():
            return "number"
        case inspect.LiteralType():
            return "choice"
        case inspect.UnionType(types=(inspect.IntType(), inspect.LiteralType())) | (
            inspect.UnionType(types=(inspect.LiteralType(), inspect.IntType()))
        ):
            return "number-or-choice"
        case inspect.VarTupleType(item_type=inspect.LiteralType()):
            return "list"
        case inspect.VarTupleType(item_type=inspect.IntType()):
            return "numbers"
        case inspect.TupleType(item_types=(inspect.IntType(), inspect.IntType())):
            return "range"
        case inspect.StrType():
            return "text"
        case _:
            raise TypeError(f"{name}: the form has no field for {kind}")


def _range(kind: inspect.Type) -> tuple[int | None, int | None]:
    """The limits of the numbers in a type."""
    match kind:
        case inspect.IntType(ge=least, le=most):
            return least, most
        case inspect.VarTupleType(item_type=item):
            return _range(item)
        case inspect.TupleType(item_types=items) | inspect.UnionType(types=items):
            limits = [limit for limit in map(_range, items) if limit != (None, None)]
            return limits[0] if limits else (None, None)
        case _:
            return None, None


def _literals(hint: Any) -> Iterator[str | int]:
    """The values of all Literals in a type, in the order in which they are declared."""
    for argument in get_args(hint):
        if isinstance(argument, str | int):
            yield argument
        else:
            yield from _literals(argument)


def problem_text(file: str, reason: str, t: Translator) -> str:
    """Why the file of a house ruleset cannot be used. The reason is whole sentences."""
    return t.gettext("The file {file} cannot be used. {reason}", file=file, reason=reason)


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
        _own_rules(rules, t) or source_text(rules.source, t),
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
