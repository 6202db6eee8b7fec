"""Rulesets in TOML files, and those that come with the package."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import resources
from typing import Any, Final

import msgspec

from pochboard.errors import ConfigError
from pochboard.rules.ruleset import Ruleset
from pochboard.rules.ruleset_validation import (
    BadParameterError,
    complete,
    override,
)
from pochboard.text.allowed_values import not_one_of, quoted
from pochboard.text.decoding import decode_toml
from pochboard.text.lazy import LazyText, lazy_gettext
from pochboard.text.names import given_text
from pochboard.text.translator import N_
from pochboard.text.unicode_names import MOST_CHARACTERS, is_name, sight, tidy

HOUSE_SOURCE: Final = N_("the rules of this house")
"""The source of changed rules, if nobody names another."""
USUAL: Final = "family"
"""The ruleset of a night for which nobody has chosen one: boards are sold with it."""


def find_ruleset(known: Mapping[str, Ruleset], name: str) -> Ruleset | None:
    """The ruleset whose name looks like this one."""
    if name in known:
        return known[name]
    seen = sight(name)
    return next((rules for other, rules in known.items() if sight(other) == seen), None)


def parse_ruleset(text: str, known: Mapping[str, Ruleset]) -> Ruleset:
    """A ruleset from the text of a TOML file, which may name a known ruleset as its `base`.

    Raises ConfigError with the key and the reason.
    """
    try:
        values = decode_toml(text)
    except ValueError as error:
        raise ConfigError(lazy_gettext("This is not TOML: {reason}", reason=error)) from None
    return _ruleset(values, known)


def _ruleset(values: dict[str, Any], known: Mapping[str, Ruleset]) -> Ruleset:
    name = values.pop("name", None)
    if not isinstance(name, str) or not name.strip():
        raise BadParameterError(
            "name", lazy_gettext('"name" must be given, as in name = "sunday".')
        )
    name = tidy(name)
    if not is_name(name):
        raise BadParameterError(
            "name",
            lazy_gettext(
                '"{key}" must be at most {most} characters that people can see, not {given}.',
                key="name",
                most=MOST_CHARACTERS,
                given=quoted(name),
            ),
        )
    if "base" not in values:
        return complete(name, values)
    given = values.pop("base")
    base = find_ruleset(known, given) if isinstance(given, str) else None
    if base is None:
        raise BadParameterError("base", not_one_of('"base"', given, list(known)))
    return msgspec.structs.replace(override(base, values), name=name)


def as_toml(values: Mapping[str, Any]) -> Iterator[str]:
    """The lines of the TOML file with these values."""
    for key, value in values.items():
        yield f"{key} = {_toml(value)}"


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return f"{{{', '.join(as_toml(value))}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    # JSON strings, numbers and booleans are valid TOML.
    return json.dumps(value, ensure_ascii=False)


class ShippedRuleset(msgspec.Struct, frozen=True):
    """A file of `pochboard/rulesets`: beside the parameters it has what people are told."""

    rules: Ruleset
    base: str | None
    """The shipped ruleset of which it changes a few parameters."""
    title: LazyText
    """What people call it."""
    source: LazyText
    """Where it comes from."""


@cache
def shipped() -> Mapping[str, ShippedRuleset]:
    """The rulesets that come with the package by name, in their `order`."""
    folder = resources.files("pochboard") / "rulesets"
    files = [file for file in folder.iterdir() if file.name.endswith(".toml")]
    found: dict[str, ShippedRuleset] = {}
    known: dict[str, Ruleset] = {}
    every = [tomllib.loads(file.read_text("utf-8")) for file in files]
    for values in sorted(every, key=lambda values: values.pop("order")):
        title, source = given_text(values.pop("title")), given_text(values["source"])
        base = values.get("base")
        rules = _ruleset({**values, "source": str(source)}, known)
        known[rules.name] = rules
        found[rules.name] = ShippedRuleset(rules, base, title, source)
    return found


@cache
def shipped_rulesets() -> Mapping[str, Ruleset]:
    """The rulesets that come with the package, by name."""
    return {name: found.rules for name, found in shipped().items()}


def lazy_ruleset(name: str) -> str:
    """What people call a ruleset; one of the house keeps its name."""
    found = shipped().get(name)
    return found.title if found else name


def lazy_source(source: str) -> str:
    """Where a ruleset comes from; what people have written themselves stays as it is."""
    if source == HOUSE_SOURCE:
        return LazyText(HOUSE_SOURCE)
    given = (found.source for found in shipped().values() if found.source == source)
    return next(given, source)


def nearest_preset(rules: Ruleset) -> Ruleset:
    """The shipped ruleset with the fewest other parameters; of several, the first."""
    mine = rules.parameters()

    def distance(other: Ruleset) -> int:
        return sum(mine[key] != value for key, value in other.parameters().items())

    return min(shipped_rulesets().values(), key=distance)
