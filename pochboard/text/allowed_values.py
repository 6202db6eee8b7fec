"""What a key, a parameter or a field must be: the sentences for values that are refused.

Rulesets and commands declare types for msgspec. Its own messages ("Expected `int`, got `str`") are
written for programmers, who read them about files and bodies of the API. To people at the table
`why_refused` says which value is wrong, what it must be and what was given.

A type that its constraints do not explain, such as a text that fits a pattern, has a message among
them in its `Annotated`: a noun phrase for its values, or a sentence with `{name}` and `{given}`.
"""

from __future__ import annotations

import types
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin

import msgspec
from msgspec import Meta, UnsetType

from pochboard.text.lazy import LazyText, lazy_alternatives, lazy_gettext
from pochboard.text.unicode_names import encodable

_LONGEST_QUOTED: Final = 80
_NO_META: Final = Meta()


def fits(hint: Any, value: object) -> bool:
    """Whether a value is of a type."""
    try:
        msgspec.convert(value, hint)
    except msgspec.ValidationError:
        return False
    return True


def why_refused(hint: Any, value: object, path: str = "") -> LazyText:
    """Why a value, as decoded from JSON or TOML, is not of a type.

    `path` names the value, such as `ante`; it is empty for a whole JSON object.
    """
    base, marks = _parted(hint)
    # A narrower type adds its marks after those of the type that it narrows.
    for mark in reversed(marks):
        if isinstance(mark, str) and "{name}" in mark:
            return LazyText(mark, name=_named(path), given=quoted(value))
        if isinstance(mark, str):
            return _must_be(_named(path), LazyText(mark), value)
    if isinstance(base, type) and issubclass(base, msgspec.Struct) and isinstance(value, Mapping):
        return _why_not_struct(base, value, path)
    for inner, key, part in _parts(base, value):
        if not fits(inner, part):
            return why_refused(inner, part, _within(path, key) if key else path)
    what = _what(hint)
    return _must_be(_named(path), what, value) if what else _cannot_be(path, value)


def quoted(value: object) -> str:
    """A value as JSON has it, cut off if it is long."""
    try:
        # JSON has no NaN, and dates in TOML are not text.
        plain = isinstance(value, str | bool | list | Mapping | None)
        text = msgspec.json.encode(value).decode() if plain else str(value)
    except UnicodeEncodeError:
        text = f'"{encodable(value)}"' if isinstance(value, str) else "…"
    except (ValueError, TypeError):
        text = "…"
    return cut_off(text)


def cut_off(text: str) -> str:
    """A text of a stranger, short enough for a sentence on a phone."""
    if len(text) <= _LONGEST_QUOTED:
        return text  # as it is, because it may be a text that is still to be translated
    return f"{text[: _LONGEST_QUOTED - 1]}…"


def not_one_of(name: str, value: object, words: Sequence[str]) -> LazyText:
    """The sentence for a word that is not allowed."""
    return _must_be(name, lazy_alternatives([quoted(word) for word in words]), value)


def _must_be(name: str, what: LazyText, value: object) -> LazyText:
    """The one frame for a value that is not what it must be."""
    return lazy_gettext(
        "{name} must be {what}, not {given}.", name=name, what=what, given=quoted(value)
    )


def _named(path: str) -> str:
    """What a sentence calls a value at a path such as `hands.3`."""
    return f'"{cut_off(path)}"'


def _within(path: str, key: str) -> str:
    return f"{path}.{key}" if path else key


def _parted(hint: Any) -> tuple[Any, tuple[Any, ...]]:
    """A type without its marks, and the marks."""
    if get_origin(hint) is Annotated:
        base, *marks = get_args(hint)
        return base, tuple(marks)
    return hint, ()


def _parts(base: Any, value: object) -> Iterator[tuple[Any, str, object]]:
    """What a value consists of: each part's type, its key and itself. A key has itself as key."""
    origin, items = get_origin(base), get_args(base)
    if origin is Union or origin is types.UnionType:
        kinds = [item for item in items if item not in (type(None), UnsetType)]
        if len(kinds) == 1:
            yield kinds[0], "", value
    elif origin in (list, tuple) and isinstance(value, list):
        if origin is list or items[-1] is ... or len(items) == len(value):
            yield from ((items[0], str(number), part) for number, part in enumerate(value, 1))
    elif isinstance(origin, type) and issubclass(origin, Mapping) and isinstance(value, Mapping):
        for key, part in value.items():
            yield items[0], "", key
            yield items[1], str(key), part


def _what(hint: Any) -> LazyText | None:
    """What a value of a type is, in a noun phrase; None for other types."""
    base, marks = _parted(hint)
    origin, items = get_origin(base), get_args(base)
    meta = next((mark for mark in marks if isinstance(mark, Meta)), _NO_META)
    if origin is Literal:
        return _choices(items)
    if origin is Union or origin is types.UnionType:
        return _either(items)
    if origin is tuple and items[-1] is not ...:
        return lazy_gettext("a list of {number} values", number=len(items))
    if origin in (list, tuple):
        if isinstance(items[0], type) and issubclass(items[0], msgspec.Struct):
            return lazy_gettext("a list of objects (in a file, each under [[…]])")
        return lazy_gettext("a list")
    if isinstance(origin or base, type) and issubclass(origin or base, Mapping | msgspec.Struct):
        return lazy_gettext("an object")
    if base is str and meta.max_length is not None:
        return lazy_gettext("text of at most {most} characters", most=meta.max_length)
    return _whole_number(meta) if base is int else _PLAIN.get(base)


_PLAIN: Final = {
    bool: lazy_gettext("true or false"),
    float: lazy_gettext("a number"),
    str: lazy_gettext("text"),
}


def _whole_number(meta: Meta) -> LazyText:
    if meta.ge is None:
        return lazy_gettext("a whole number")
    if meta.le is None:
        return lazy_gettext("a whole number of at least {least}", least=meta.ge)
    return lazy_gettext("a whole number from {least} to {most}", least=meta.ge, most=meta.le)


def _either(hints: Sequence[Any]) -> LazyText | None:
    """A number or one of some words."""
    words = [word for hint in hints if get_origin(hint) is Literal for word in get_args(hint)]
    numbers = [hint for hint in hints if get_origin(hint) is Annotated]
    if not words or len(numbers) != 1 or len(hints) != 2:
        return None
    return LazyText("{number}, {choices}", number=_what(numbers[0]), choices=_choices(words))


def _why_not_struct(kind: type[msgspec.Struct], value: Mapping[str, object], path: str) -> LazyText:
    fields = {field.encode_name: field for field in msgspec.structs.fields(kind)}
    config = kind.__struct_config__
    if config.forbid_unknown_fields:
        for key in value:
            if key not in fields and key != config.tag_field:
                return lazy_gettext(
                    "{name} is not a field. The fields are {fields}.",
                    name=_named(_within(path, key)),
                    fields=", ".join(fields),
                )
    for name, field in fields.items():
        if name not in value and field.required:
            return lazy_gettext("{name} is missing.", name=_named(_within(path, name)))
    for name, field in fields.items():
        if name in value and not fits(field.type, value[name]):
            return why_refused(field.type, value[name], _within(path, name))
    return _cannot_be(path, value)


def _cannot_be(path: str, value: object) -> LazyText:
    """The sentence for a type that has none of its own."""
    return lazy_gettext("{name} cannot be {given}.", name=_named(path), given=quoted(value))


def _choices(words: Sequence[Any]) -> LazyText:
    """Values of a Literal as alternatives: numbers, then words in the order of the alphabet."""
    return lazy_alternatives(
        list(map(quoted, sorted(words, key=lambda word: (str(type(word)), word))))
    )
