"""What a key, a parameter or a field must be: the sentences for values that are refused.

The configuration, rulesets, options of the command line and bodies of the API declare types for
msgspec. Its own messages ("Expected `int`, got `str`") are written for programmers, and cannot be
translated. So where a value does not fit its type, `why_refused` says which one is wrong, what it
must be and what was given: one whole sentence for each kind of type.
"""

from __future__ import annotations

import difflib
import types
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin

import msgspec
from msgspec import Meta, UnsetType

from pochboard.text.lazy import LazyText, lazy_alternatives, lazy_gettext, lazy_listed
from pochboard.text.visible import encodable

_LONGEST_QUOTED: Final = 80
_LEAST_BEGINNING: Final = 3
"""The fewest letters of a word that may be the beginning of a known one."""
_NO_META: Final = Meta()


class MustBe(msgspec.Struct, frozen=True):
    """Stands in an `Annotated` type: the sentence for a value that is not of this type.

    For types that their constraints do not explain, such as a text that fits a pattern.
    """

    sentence: str
    """Has the place `{name}`, `{given}` unless the value is secret, and is marked with
    `gettext_noop`."""


class _Place(msgspec.Struct, frozen=True):
    """Where a value stands, such as `hands.3`."""

    path: str
    bare: bool

    @property
    def name(self) -> str:
        """What a sentence calls it; a bare path may be a text to be translated."""
        path = cut_off(self.path)
        return path if self.bare else f'"{path}"'

    def within(self, key: str) -> _Place:
        return _Place(f"{self.path}.{key}" if self.path else key, self.bare)


def fits(hint: Any, value: object) -> bool:
    """Whether a value is of a type."""
    try:
        msgspec.convert(value, hint)
    except msgspec.ValidationError:
        return False
    return True


def why_refused(hint: Any, value: object, path: str = "", *, bare: bool = False) -> LazyText:
    """Why a value, as decoded from JSON or TOML, is not of a type.

    `path` names the value, such as `ante`; it is empty for a whole JSON object. It is quoted, but
    for the `bare` keys of the configuration.
    """
    return _why(hint, value, _Place(path, bare))


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


def nearest(word: object, known: Iterable[str]) -> str | None:
    """The known word that somebody may have meant."""
    if not isinstance(word, str):
        return None
    by_case = {one.casefold(): one for one in known}
    folded = word.casefold()
    found = difflib.get_close_matches(folded, by_case, n=1)
    if not found and len(folded) >= _LEAST_BEGINNING:
        found = [one for one in by_case if one.startswith(folded)]
    return by_case[found[0]] if found else None


def suggest(
    unknown: LazyText,
    word: object,
    known: Iterable[str],
    otherwise: LazyText,
    *,
    name: Callable[[str], str] = quoted,
) -> LazyText:
    """The sentence for an unknown word, followed by the nearest known one, or else by `otherwise`.

    `name` is what a sentence calls a known word.
    """
    near = nearest(word, known)
    return _followed(unknown, otherwise if near is None else _did_you_mean(name(near)))


def not_one_of(name: str, value: object, words: Sequence[str]) -> LazyText:
    """The sentence for a word that is not allowed, with the nearest one that is."""
    return _with_nearest(
        lazy_gettext(
            "{name} must be {choices}, not {given}.",
            name=name,
            choices=lazy_alternatives([quoted(word) for word in words]),
            given=quoted(value),
        ),
        value,
        words,
    )


def _why(hint: Any, value: object, place: _Place) -> LazyText:
    marks: tuple[Any, ...] = ()
    if get_origin(hint) is Annotated:
        hint, *others = get_args(hint)
        marks = tuple(others)
    for mark in reversed(
        marks
    ):  # A narrower type adds its marks after those of the type that it narrows.
        if isinstance(mark, MustBe):
            return LazyText(mark.sentence, name=place.name, given=quoted(value))
    meta = next((mark for mark in marks if isinstance(mark, Meta)), _NO_META)
    origin = get_origin(hint)
    if origin is Union or origin is types.UnionType:
        return _why_none(get_args(hint), value, place)
    if origin is Literal:
        return _why_not_literal(get_args(hint), value, place)
    if origin in (list, tuple):
        return _why_not_list(hint, value, place)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return _why_not_mapping(get_args(hint), value, place)
    if isinstance(hint, type) and issubclass(hint, msgspec.Struct):
        return _why_not_struct(hint, value, place)
    return _why_not_plain(hint, meta, value, place)


def _why_not_plain(hint: Any, meta: Meta, value: object, place: _Place) -> LazyText:
    name, given = place.name, quoted(value)
    if hint is bool:
        return _without_marks(
            lazy_gettext("{name} must be true or false, not {given}.", name=name, given=given),
            hint,
            value,
        )
    if hint is int:
        return _without_marks(_why_not_whole(meta, name, given), Annotated[int, meta], value)
    if hint is float:
        return _without_marks(_why_not_number(meta, name, given), Annotated[float, meta], value)
    if hint is str and meta.max_length is not None:
        return lazy_gettext(
            "{name} must be text of at most {most} characters, not {given}.",
            name=name,
            most=meta.max_length,
            given=given,
        )
    if hint is str:
        return lazy_gettext("{name} must be text, not {given}.", name=name, given=given)
    return _cannot_be(value, place)


def _why_not_whole(meta: Meta, name: str, given: str) -> LazyText:
    if meta.ge is None:
        return lazy_gettext("{name} must be a whole number, not {given}.", name=name, given=given)
    if meta.le is None:
        return lazy_gettext(
            "{name} must be a whole number of at least {least}, not {given}.",
            name=name,
            least=meta.ge,
            given=given,
        )
    return lazy_gettext(
        "{name} must be a whole number from {least} to {most}, not {given}.",
        name=name,
        least=meta.ge,
        most=meta.le,
        given=given,
    )


def _why_not_number(meta: Meta, name: str, given: str) -> LazyText:
    # As text, because TOML has a decimal point in every language.
    least, above, most = (
        None if limit is None else f"{limit:g}" for limit in (meta.ge, meta.gt, meta.le)
    )
    if above is not None and most is not None:
        return lazy_gettext(
            "{name} must be a number above {least} and up to {most}, not {given}.",
            name=name,
            least=above,
            most=most,
            given=given,
        )
    if least is not None and most is not None:
        return lazy_gettext(
            "{name} must be a number from {least} to {most}, not {given}.",
            name=name,
            least=least,
            most=most,
            given=given,
        )
    return lazy_gettext("{name} must be a number, not {given}.", name=name, given=given)


def _why_not_literal(words: Sequence[Any], value: object, place: _Place) -> LazyText:
    return _with_nearest(
        lazy_gettext(
            "{name} must be {choices}, not {given}.",
            name=place.name,
            choices=_choices(words),
            given=quoted(value),
        ),
        value,
        words,
    )


def _why_none(hints: Sequence[Any], value: object, place: _Place) -> LazyText:
    """Why a value does not fit any of several types."""
    hints = [hint for hint in hints if hint not in (type(None), UnsetType)]
    if len(hints) == 1:
        return _why(hints[0], value, place)
    structs = {
        str(hint.__struct_config__.tag): hint
        for hint in hints
        if isinstance(hint, type) and issubclass(hint, msgspec.Struct)
    }
    if structs:
        return _why_not_tagged(structs, value, place)
    words = [word for hint in hints if get_origin(hint) is Literal for word in get_args(hint)]
    numbers = [hint for hint in hints if get_origin(hint) is Annotated]
    if words and len(numbers) == 1 and len(hints) == 2:
        meta = get_args(numbers[0])[1]
        return _with_nearest(
            lazy_gettext(
                "{name} must be a whole number from {least} to {most}, {choices}, not {given}.",
                name=place.name,
                least=meta.ge,
                most=meta.le,
                choices=_choices(words),
                given=quoted(value),
            ),
            value,
            words,
        )
    return _cannot_be(value, place)


def _why_not_list(hint: Any, value: object, place: _Place) -> LazyText:
    items = get_args(hint)
    number = None if get_origin(hint) is list or items[-1] is ... else len(items)
    name, item = place.name, items[0]
    base, meta = (*get_args(item), _NO_META)[:2] if get_origin(item) is Annotated else (item, None)
    if isinstance(value, list) and (number is None or len(value) == number):
        wrong = next((one for one in value if not fits(item, one)), None)
        return _why_not_item(item, wrong, place)
    if number is not None and base is int and meta is not None:
        return lazy_gettext(
            "{name} must be a list of {number} whole numbers from {least} to {most}, not {given}.",
            name=name,
            number=number,
            least=meta.ge,
            most=meta.le,
            given=quoted(value),
        )
    if base is str:
        return lazy_gettext(
            "{name} must be a list of text values, not {given}.", name=name, given=quoted(value)
        )
    if get_origin(base) is Literal:
        return lazy_gettext(
            "{name} must be a list, not {given}. Each of its entries must be {choices}.",
            name=name,
            given=quoted(value),
            choices=_choices(get_args(base)),
        )
    if base is int:
        return lazy_gettext(
            "{name} must be a list of whole numbers, not {given}.", name=name, given=quoted(value)
        )
    return lazy_gettext("{name} must be a list, not {given}.", name=name, given=quoted(value))


def _why_not_item(hint: Any, wrong: object, place: _Place) -> LazyText:
    """What is wrong with an entry of a list."""
    base, meta = get_args(hint)[:2] if get_origin(hint) is Annotated else (hint, _NO_META)
    name, given = place.name, quoted(wrong)
    if get_origin(base) is Literal:
        words = get_args(base)
        return _with_nearest(
            lazy_gettext(
                "{name} contains {given}, but each of its entries must be {choices}.",
                name=name,
                given=given,
                choices=_choices(words),
            ),
            wrong,
            words,
        )
    if base is int and meta.le is not None:
        return lazy_gettext(
            "{name} contains {given}, but each of its entries must be a whole number from {least}"
            " to {most}.",
            name=name,
            given=given,
            least=meta.ge,
            most=meta.le,
        )
    if base is int and meta.ge is not None:
        return lazy_gettext(
            "{name} contains {given}, but each of its entries must be a whole number of at least"
            " {least}.",
            name=name,
            given=given,
            least=meta.ge,
        )
    if base is str:
        return lazy_gettext(
            "{name} contains {given}, but each of its entries must be text.", name=name, given=given
        )
    return lazy_gettext("{name} cannot contain {given}.", name=name, given=given)


def _why_not_mapping(hints: Sequence[Any], value: object, place: _Place) -> LazyText:
    if not isinstance(value, Mapping):
        return lazy_gettext(
            "{name} must be an object, not {given}.", name=place.name, given=quoted(value)
        )
    of_key, of_value = hints
    for key, one in value.items():
        if not fits(of_key, key):
            return _why(of_key, key, place)
        if not fits(of_value, one):
            return _why(of_value, one, place.within(str(key)))
    return _cannot_be(value, place)


def _why_not_tagged(
    structs: Mapping[str, type[msgspec.Struct]], value: object, place: _Place
) -> LazyText:
    """Why a JSON object is not of any of several kinds, which one of its fields tells apart."""
    field = next(iter(structs.values())).__struct_config__.tag_field
    assert field is not None, "msgspec refuses a union of structs without tags"
    if not isinstance(value, Mapping):
        return _not_an_object([field], value, place)
    if field not in value:
        return _with_choices_missing(place.within(field), list(structs))
    tag = value[field]
    if not isinstance(tag, str) or tag not in structs:
        return not_one_of(place.within(field).name, tag, list(structs))
    return _why_not_struct(structs[tag], value, place)


def _with_choices_missing(place: _Place, words: Sequence[str]) -> LazyText:
    return lazy_gettext(
        "{name} is missing. It must be {choices}.", name=place.name, choices=_choices(words)
    )


def _why_not_struct(kind: type[msgspec.Struct], value: object, place: _Place) -> LazyText:
    fields = {field.encode_name: field for field in msgspec.structs.fields(kind)}
    if not isinstance(value, Mapping):
        return _not_an_object(list(fields), value, place)
    config = kind.__struct_config__
    if config.forbid_unknown_fields:
        for key in value:
            if key not in fields and key != config.tag_field:
                return _not_a_field(key, fields, place)
    for name, field in fields.items():
        if name not in value and field.required:
            return lazy_gettext("{name} is missing.", name=place.within(name).name)
    for name, field in fields.items():
        if name in value and not fits(field.type, value[name]):
            return _why(field.type, value[name], place.within(name))
    return _cannot_be(value, place)


def _not_an_object(fields: Sequence[str], value: object, place: _Place) -> LazyText:
    if place.path:
        return lazy_gettext(
            "{name} must be an object, not {given}.", name=place.name, given=quoted(value)
        )
    return lazy_gettext(
        "Send a JSON object with {fields}, not {given}.",
        fields=lazy_listed([quoted(field) for field in fields]),
        given=quoted(value),
    )


def _not_a_field(key: str, fields: Collection[str], place: _Place) -> LazyText:
    if len(fields) == 1:
        known = lazy_gettext("The only field is {field}.", field=quoted(next(iter(fields))))
    else:
        known = lazy_gettext(
            "The fields are {fields}.", fields=lazy_listed([quoted(field) for field in fields])
        )
    return suggest(
        lazy_gettext("{name} is not a field.", name=place.within(key).name),
        key,
        fields,
        known,
        name=lambda near: place.within(near).name,
    )


def _cannot_be(value: object, place: _Place) -> LazyText:
    """The sentence for a type that has none of its own."""
    return lazy_gettext("{name} cannot be {given}.", name=place.name, given=quoted(value))


def _choices(words: Sequence[Any]) -> LazyText:
    """Values of a Literal as alternatives: numbers, then words in the order of the alphabet."""
    numbers = sorted(word for word in words if isinstance(word, int))
    texts = sorted(word for word in words if isinstance(word, str))
    return lazy_alternatives([quoted(word) for word in (*numbers, *texts)])


def _with_nearest(sentence: LazyText, value: object, words: Iterable[Any]) -> LazyText:
    """The sentence, followed by the word that somebody may have meant."""
    near = nearest(value, [word for word in words if isinstance(word, str)])
    if near is None:
        return sentence
    return _followed(sentence, _did_you_mean(quoted(near)))


def _did_you_mean(near: str) -> LazyText:
    return lazy_gettext("Did you mean {near}?", near=near)


def _followed(sentence: LazyText, another: LazyText) -> LazyText:
    return LazyText("{sentence} {another}", sentence=sentence, another=another)


def _without_marks(sentence: LazyText, hint: Any, value: object) -> LazyText:
    """The sentence, followed by advice if the value would fit without its quotation marks."""
    if not isinstance(value, str):
        return sentence
    try:
        msgspec.convert(value, hint, strict=False)
    except (msgspec.ValidationError, UnicodeEncodeError):  # the shell's bytes may not be UTF-8
        return sentence
    return _followed(sentence, lazy_gettext("Leave out the quotation marks."))
