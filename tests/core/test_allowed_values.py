"""What people read about a value that is not of its type."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Annotated, Any, Literal

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET, Meta, UnsetType

from pochboard.rules.commands import COMMANDS
from pochboard.rules.ruleset import Ruleset
from pochboard.text.allowed_values import fits, quoted, why_refused
from pochboard.text.translator import translator

GERMAN = translator("de")


class Inner(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An object within another."""

    size: Annotated[int, Meta(ge=1)]


Colour = Annotated[str, Meta(pattern="^#"), "{name} must begin with #, not {given}."]


class Body(msgspec.Struct, forbid_unknown_fields=True):
    """A body with a field of each kind."""

    name: str
    short: Annotated[str, Meta(max_length=3)] = ""
    switch: bool = False
    count: Annotated[int, Meta(ge=1, le=9)] | None = None
    least: Annotated[int, Meta(ge=2)] = 2
    whole: int = 0
    speed: Annotated[float, Meta(ge=0.1, le=100)] = 1
    number: float = 0
    word: Literal["loud", "quiet"] | UnsetType = UNSET
    hand: Annotated[int, Meta(ge=1, le=10)] | Literal["all", "all-but-one"] = 5
    pair: tuple[Annotated[int, Meta(ge=2, le=8)], Annotated[int, Meta(ge=2, le=8)]] = (2, 3)
    words: tuple[Literal["ace", "king"], ...] = ()
    packets: tuple[Annotated[int, Meta(ge=1, le=10)], ...] = ()
    places: tuple[Annotated[int, Meta(ge=1)], ...] = ()
    names: tuple[str, ...] = ()
    ranking: list[Any] = []
    lists: list[list[int]] = []
    by_seat: dict[Annotated[str, Meta(pattern="^[1-9]$"), "{name}: seats!"], int] = {}
    inner: Inner = Inner(1)
    either: int | str = 0
    day: date = date(2020, 1, 1)
    colour: Colour = "#"


SAID: list[tuple[object, str]] = [
    ({}, '"name" is missing.'),
    ({"nam": "x"}, '"nam" is not a field.'),
    ({"name": 3}, '"name" must be text, not 3.'),
    ({"short": "abcd"}, '"short" must be text of at most 3 characters, not "abcd".'),
    ({"switch": 1}, '"switch" must be true or false, not 1.'),
    ({"switch": "true"}, '"switch" must be true or false, not "true".'),
    ({"count": 10}, '"count" must be a whole number from 1 to 9, not 10.'),
    ({"count": "x"}, '"count" must be a whole number from 1 to 9, not "x".'),
    ({"least": 1}, '"least" must be a whole number of at least 2, not 1.'),
    ({"whole": 1.5}, '"whole" must be a whole number, not 1.5.'),
    ({"speed": 0}, '"speed" must be a number, not 0.'),
    ({"number": None}, '"number" must be a number, not null.'),
    ({"word": "quite"}, '"word" must be "loud" or "quiet", not "quite".'),
    ({"word": 1}, '"word" must be "loud" or "quiet", not 1.'),
    ({"hand": 0}, '"hand" must be a whole number from 1 to 10, "all" or "all-but-one", not 0.'),
    ({"pair": 3}, '"pair" must be a list of 2 values, not 3.'),
    ({"pair": [3]}, '"pair" must be a list of 2 values, not [3].'),
    ({"pair": [3, 9]}, '"pair.2" must be a whole number from 2 to 8, not 9.'),
    ({"words": "ace"}, '"words" must be a list, not "ace".'),
    ({"words": ["kin"]}, '"words.1" must be "ace" or "king", not "kin".'),
    ({"packets": 3}, '"packets" must be a list, not 3.'),
    ({"packets": [1, 0]}, '"packets.2" must be a whole number from 1 to 10, not 0.'),
    ({"places": [0]}, '"places.1" must be a whole number of at least 1, not 0.'),
    ({"names": [1]}, '"names.1" must be text, not 1.'),
    ({"ranking": {}}, '"ranking" must be a list, not {}.'),
    ({"lists": [["x"]]}, '"lists.1.1" must be a whole number, not "x".'),
    ({"by_seat": []}, '"by_seat" must be an object, not [].'),
    ({"by_seat": {"0": 1}}, '"by_seat": seats!'),
    ({"by_seat": {"3": "x"}}, '"by_seat.3" must be a whole number, not "x".'),
    ({"inner": 1}, '"inner" must be an object, not 1.'),
    ({"inner": {}}, '"inner.size" is missing.'),
    ({"inner": {"size": 0}}, '"inner.size" must be a whole number of at least 1, not 0.'),
    ({"inner": {"sizes": 0}}, '"inner.sizes" is not a field.'),
    ({"either": []}, '"either" cannot be [].'),
    ({"day": "x"}, '"day" cannot be "x".'),
    ({"colour": "red"}, '"colour" must begin with #, not "red".'),
]


@pytest.mark.parametrize(("value", "sentence"), SAID)
def test_the_sentence_names_the_field_what_it_must_be_and_what_it_is(
    value: object, sentence: str
) -> None:
    if isinstance(value, dict) and value and "nam" not in value:
        value = {"name": "x", **value}
    assert not fits(Body, value)
    why = why_refused(Body, value)
    assert sentence in why
    german = why.in_language(GERMAN)
    assert not any(word in german for word in (" must ", " is ", " cannot ", "Send ")) or (
        isinstance(value, dict) and value.keys() & {"by_seat", "colour"}
    )


def test_a_long_value_is_cut_off_and_what_json_lacks_is_not_quoted() -> None:
    assert quoted("x" * 100) == f'"{"x" * 78}…'
    assert quoted({"x": [1, None]}) == '{"x":[1,null]}'
    assert (quoted(float("nan")), quoted(10**30)) == ("nan", str(10**30))
    assert quoted("a\ud800") == r'"a\ud800"'
    assert quoted(["\ud800"]) == "…"


texts = st.text(st.characters(codec="utf-8", exclude_characters="`"), max_size=5)
anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner),
    max_leaves=5,
)
TYPES: Mapping[str, Any] = {
    **{str(name): kind for name, kind in COMMANDS.items()},
    "ruleset": Ruleset,
    "body": Body,
}


@given(st.sampled_from(sorted(TYPES)), st.data())
def test_whatever_is_sent_is_accepted_or_refused_in_a_sentence(
    name: str, data: st.DataObject
) -> None:
    kind = TYPES[name]
    fields = getattr(kind, "__struct_encode_fields__", ("about", "night", "name"))
    value = data.draw(
        anything | st.fixed_dictionaries({}, optional=dict.fromkeys(fields, anything))
    )
    if not fits(kind, value):
        sentence = why_refused(kind, value)
        assert sentence.endswith((".", "?"))
        assert "`" not in sentence, "nothing of what a decoder says to programmers"
        assert sentence.in_language(GERMAN)
