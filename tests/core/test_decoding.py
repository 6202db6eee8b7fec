"""JSON and TOML of others: what is nested too deeply is refused at the same depth everywhere."""

from __future__ import annotations

import contextlib

import msgspec
import pytest

from pochboard.text.decoding import MOST_NESTED, NestedTooDeeplyError, decode_json, decode_toml

# Around our own limit, those of several Pythons, and far beyond all of them.
TOO_DEEP = (MOST_NESTED + 1, 400, 990, 1_500, 5_000, 9_990, 50_000, 300_000)


def arrays(depth: int) -> str:
    return "[" * depth + "]" * depth


def objects(depth: int) -> str:
    return '{"a":' * (depth - 1) + "{}" + "}" * (depth - 1)


@pytest.mark.parametrize("depth", TOO_DEEP)
def test_deeper_json_is_refused(depth: int) -> None:
    for text in (arrays(depth), objects(depth), f'{{"a": 1, "b": [2, {arrays(depth - 2)}]}}'):
        with pytest.raises(NestedTooDeeplyError) as raised:
            decode_json(text)
        assert str(raised.value) == "it is nested too deeply"


class Row(msgspec.Struct):
    number: int


@pytest.mark.parametrize("depth", TOO_DEEP)
def test_a_typed_value_is_whole_or_refused(depth: int) -> None:
    """The depth of what a type leaves out does no harm, so Python's own limit may decide."""
    row: Row | None = None
    with contextlib.suppress(NestedTooDeeplyError):
        row = decode_json(f'{{"number": 1, "more": {arrays(depth)}}}', Row)
    assert row in (None, Row(1))
    assert row or depth > 900


@pytest.mark.parametrize("depth", [depth for depth in TOO_DEEP if depth <= 2_000])
def test_deeper_toml_is_refused(depth: int) -> None:
    keys = ".".join(["a"] * depth)
    inline = "{a = " * depth + "1" + "}" * depth
    for text in (f"{keys} = 1", f"[{keys}]", f"a = {arrays(depth)}", f"a = {inline}"):
        with pytest.raises(NestedTooDeeplyError) as raised:
            decode_toml(text)
        assert str(raised.value) == "it is nested too deeply"
