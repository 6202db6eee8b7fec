"""What a key, a parameter or a field must be: the sentences for values that are refused.

Rulesets and commands declare types for msgspec. Its own messages ("Expected `int`, got `str`") are
written for programmers, who read them about files and bodies of the API. To people at the table
`why_refused` says which value is wrong, what it must be and what was given.
"""

from __future__ import annotations

import types
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin

import msgspec
from msgspec import Meta, UnsetType

from pochboard.text.lazy import LazyText, lazy_alternatives, lazy_gettext
from pochboard.text.unicode_names import encodable

_LONGEST_QUOTED: Final = 80
_NO_META: Final = Meta()


class Noun(msgspec.Struct, frozen=True):
    """Stands in an `Annotated` type: what its values are, in a noun phrase.

    For types that their constraints do not explain, such as a text that fits a pattern.
    """

    what: str
    """Marked with `gettext_noop`."""


class SentenceFor(msgspec.Struct, frozen=True):
    """Stands in an `Annotated` type: the whole sentence for a value that is not of this type."""

    sentence: str
    """Has the places `{name}` and `{given}`, and is marked with `gettext_noop`."""


class _Place(msgspec.Struct, frozen=True):
    """Where a value stands, such as `hands.3`."""

    path: str

    @property
    def name(self) -> str:
        """What a sentence calls it."""
        return f'"{cut_off(self.path)}"'

    def within(self, key: str) -> _Place:
        return _Place(f"{self.path}.{key}" if self.path else key)


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
    return _why(hint, value, _Place(path))


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


def _why(hint: Any, value: object, place: _Place) -> LazyText:
    base, marks = _parted(hint)
    # A narrower type adds its marks after those of the type that it narrows.
    for mark in reversed(marks):
        if isinstance(mark, SentenceFor):
            return LazyText(mark.sentence, name=place.name, given=quoted(value))
        if isinstance(mark, Noun):
            return _must_be(place.name, LazyText(mark.what), value)
    origin = get_origin(base)
    if origin is Union or origin is types.UnionType:
        return _why_none(get_args(base), value, place)
    if origin in (list, tuple):
        return _why_not_list(base, value, place)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return _why_not_mapping(get_args(base), value, place)
    if isinstance(base, type) and issubclass(base, msgspec.Struct):
        return _why_not_struct(base, value, place)
    what = _what(hint)
    if what is None:
        return _cannot_be(value, place)
    return _must_be(place.name, what, value)


def _parted(hint: Any) -> tuple[Any, tuple[Any, ...]]:
    """A type without its marks, and the marks."""
    if get_origin(hint) is Annotated:
        base, *marks = get_args(hint)
        return base, tuple(marks)
    return hint, ()


def _what(hint: Any) -> LazyText | None:
    """What a value of a plain type is, in a noun phrase; None for other types."""
    base, marks = _parted(hint)
    meta = next((mark for mark in marks if isinstance(mark, Meta)), _NO_META)
    if get_origin(base) is Literal:
        return _choices(get_args(base))
    if base is bool:
        return lazy_gettext("true or false")
    if base is int:
        return _whole_number(meta)
    if base is float:
        return _number(meta)
    if base is str and meta.max_length is not None:
        return lazy_gettext("text of at most {most} characters", most=meta.max_length)
    if base is str:
        return lazy_gettext("text")
    return None


def _whole_number(meta: Meta) -> LazyText:
    if meta.ge is None:
        return lazy_gettext("a whole number")
    if meta.le is None:
        return lazy_gettext("a whole number of at least {least}", least=meta.ge)
    return lazy_gettext("a whole number from {least} to {most}", least=meta.ge, most=meta.le)


def _number(meta: Meta) -> LazyText:
    # As text, because TOML has a decimal point in every language.
    least, above, most = (
        None if limit is None else f"{limit:g}" for limit in (meta.ge, meta.gt, meta.le)
    )
    if above is not None and most is not None:
        return lazy_gettext("a number above {least} and up to {most}", least=above, most=most)
    if least is not None and most is not None:
        return lazy_gettext("a number from {least} to {most}", least=least, most=most)
    return lazy_gettext("a number")


def _why_none(hints: Sequence[Any], value: object, place: _Place) -> LazyText:
    """Why a value does not fit any of several types."""
    hints = [hint for hint in hints if hint not in (type(None), UnsetType)]
    if len(hints) == 1:
        return _why(hints[0], value, place)
    words = [word for hint in hints if get_origin(hint) is Literal for word in get_args(hint)]
    numbers = [hint for hint in hints if get_origin(hint) is Annotated]
    if words and len(numbers) == 1 and len(hints) == 2:
        what = LazyText("{number}, {choices}", number=_what(numbers[0]), choices=_choices(words))
        return _must_be(place.name, what, value)
    return _cannot_be(value, place)


def _why_not_list(hint: Any, value: object, place: _Place) -> LazyText:
    items = get_args(hint)
    number = None if get_origin(hint) is list or items[-1] is ... else len(items)
    item = items[0]
    if isinstance(value, list) and (number is None or len(value) == number):
        wrong = next((member for member in value if not fits(item, member)), None)
        if isinstance(item, type) and issubclass(item, msgspec.Struct):
            return _why_not_struct(item, wrong, place)
        return _why_not_item(item, wrong, place)
    base, marks = _parted(item)
    if number is not None and base is int and marks:
        what = lazy_gettext(
            "a list of {number} whole numbers from {least} to {most}",
            number=number,
            least=marks[0].ge,
            most=marks[0].le,
        )
    elif base is str:
        what = lazy_gettext("a list of text values")
    elif base is int:
        what = lazy_gettext("a list of whole numbers")
    else:
        what = lazy_gettext("a list")
    sentence = _must_be(place.name, what, value)
    if get_origin(base) is not Literal:
        return sentence
    return followed(
        sentence, lazy_gettext("Each of its entries must be {what}.", what=_choices(get_args(base)))
    )


def _why_not_item(hint: Any, wrong: object, place: _Place) -> LazyText:
    """What is wrong with an entry of a list."""
    what, given = _what(hint), quoted(wrong)
    if what is None:
        return lazy_gettext("{name} cannot contain {given}.", name=place.name, given=given)
    return lazy_gettext(
        "{name} contains {given}, but each of its entries must be {what}.",
        name=place.name,
        given=given,
        what=what,
    )


def _why_not_mapping(hints: Sequence[Any], value: object, place: _Place) -> LazyText:
    if not isinstance(value, Mapping):
        return _must_be(place.name, lazy_gettext("an object"), value)
    of_key, of_value = hints
    for key, one in value.items():
        if not fits(of_key, key):
            return _why(of_key, key, place)
        if not fits(of_value, one):
            return _why(of_value, one, place.within(str(key)))
    return _cannot_be(value, place)


def _why_not_struct(kind: type[msgspec.Struct], value: object, place: _Place) -> LazyText:
    fields = {field.encode_name: field for field in msgspec.structs.fields(kind)}
    if not isinstance(value, Mapping):
        return _must_be(place.name, lazy_gettext("an object"), value)
    config = kind.__struct_config__
    if config.forbid_unknown_fields:
        for key in value:
            if key not in fields and key != config.tag_field:
                return lazy_gettext("{name} is not a field.", name=place.within(key).name)
    for name, field in fields.items():
        if name not in value and field.required:
            return lazy_gettext("{name} is missing.", name=place.within(name).name)
    for name, field in fields.items():
        if name in value and not fits(field.type, value[name]):
            return _why(field.type, value[name], place.within(name))
    return _cannot_be(value, place)


def _cannot_be(value: object, place: _Place) -> LazyText:
    """The sentence for a type that has none of its own."""
    return lazy_gettext("{name} cannot be {given}.", name=place.name, given=quoted(value))


def _choices(words: Sequence[Any]) -> LazyText:
    """Values of a Literal as alternatives: numbers, then words in the order of the alphabet."""
    numbers = sorted(word for word in words if isinstance(word, int))
    texts = sorted(word for word in words if isinstance(word, str))
    return lazy_alternatives([quoted(word) for word in (*numbers, *texts)])


def followed(sentence: LazyText, another: LazyText) -> LazyText:
    """Two sentences, one after the other."""
    return LazyText("{sentence} {another}", sentence=sentence, another=another)
