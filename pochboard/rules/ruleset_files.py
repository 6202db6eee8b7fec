"""Rulesets in TOML files, and those that come with the package."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Final

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
from pochboard.text.lazy import lazy_gettext
from pochboard.text.visible import MOST_CHARACTERS, is_name, sight, tidy

HOUSE_SOURCE: Final = "the rules of this house"
"""The source of changed rules, if nobody names another; `messages.parameters` translates it."""
SHIPPED: Final = (
    "modern",
    "banker",
    "alvensleben-1853",
    "thirty-one",
    "meyer-1908",
    "philos",
    "pierer-1844",
    "family",
    "pagat",
)


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
                '"name" must be at most {most} characters that people can see, not {given}.',
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


@cache
def shipped_rulesets() -> Mapping[str, Ruleset]:
    """The rulesets that come with the package, by name."""
    known: dict[str, Ruleset] = {}
    for name in SHIPPED:
        known[name] = parse_ruleset(_shipped_text(name), known)
    return known


@cache
def shipped_bases() -> Mapping[str, str]:
    """The shipped rulesets that change a few parameters of another one, and that one."""
    files = {name: tomllib.loads(_shipped_text(name)) for name in SHIPPED}
    return {name: values["base"] for name, values in files.items() if "base" in values}


def nearest_preset(rules: Ruleset) -> Ruleset:
    """The shipped ruleset with the fewest other parameters; of several, the first."""
    mine = rules.parameters()

    def distance(other: Ruleset) -> int:
        return sum(mine[key] != value for key, value in other.parameters().items())

    return min(shipped_rulesets().values(), key=distance)


def _shipped_text(name: str) -> str:
    return (resources.files("pochboard.rules") / "rulesets" / f"{name}.toml").read_text("utf-8")
