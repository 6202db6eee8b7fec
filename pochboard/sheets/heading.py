"""What a score sheet says about a night before its start (RULES.md 9)."""

from __future__ import annotations

import re
from datetime import date, datetime, time
from typing import Any, Final

import msgspec

from pochboard.text.allowed_values import quoted
from pochboard.text.lazy import lazy_gettext

NOON: Final = time(12)
"""When a night began of which only the day is known."""
_ID: Final = re.compile(r"[0-9a-f]{64}")
_BEGUN: Final = re.compile(
    r"\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,6})?)?(Z|[+-]\d\d:\d\d(:\d\d)?))?", re.ASCII
)
# Earlier versions wrote only this comment.
_COMMENT: Final = re.compile(r"#\s*night \d+, begun (\d{4}-\d\d-\d\d)( \d\d:\d\d)?", re.ASCII)


class Heading(msgspec.Struct, frozen=True):
    """What is known about a night on paper beside its commands."""

    id: str | None = None
    """Its identity, if it comes from a ledger."""
    begun: date | datetime | None = None
    """When it began: a time with its offset from UTC, or only a day. A time without an offset is
    local time, wherever that was."""


UNKNOWN: Final = Heading()


def read_heading(value: Any) -> Heading:
    """The heading in a line of a sheet. Raises ValueError with a sentence."""
    if not isinstance(value, dict) or not value.keys() <= {"id", "begun"}:
        raise ValueError(
            lazy_gettext(
                '"night" must be an object with "id", "begun" or both, such as {example}.',
                example='{"begun": "2026-11-15"}',
            )
        )
    identity, begun = value.get("id"), value.get("begun")
    if "id" in value and not (isinstance(identity, str) and _ID.fullmatch(identity)):
        raise ValueError(
            lazy_gettext(
                '"id" must be the 64 digits and letters that an export has written, not {given}.'
                " Leave it out for a night on paper.",
                given=quoted(identity),
            )
        )
    return Heading(identity, _time(begun) if "begun" in value else None)


def _time(text: Any) -> date | datetime:
    if isinstance(text, str) and _BEGUN.fullmatch(text):
        try:
            return datetime.fromisoformat(text) if "T" in text else date.fromisoformat(text)
        except ValueError:
            pass  # there is no such day or time
    raise ValueError(
        lazy_gettext(
            '"begun" must be a day, such as 2026-11-15, or a time with its offset from UTC, such as'
            " 2026-11-15T19:30:00+01:00, not {given}.",
            given=quoted(text),
        )
    )


def heading_of_comment(row: str) -> Heading | None:
    """What an earlier version has written about a night into a comment, if this is one."""
    found = _COMMENT.fullmatch(row)
    if found is None:
        return None
    try:
        day = date.fromisoformat(found[1])
        return Heading(begun=datetime.fromisoformat(found[1] + found[2]) if found[2] else day)
    except ValueError:
        return None


def heading_row(heading: Heading) -> str:
    """The line of a sheet that holds a heading."""
    fields = {"id": heading.id, "begun": heading.begun and heading.begun.isoformat()}
    return msgspec.json.encode(
        {"night": {name: value for name, value in fields.items() if value is not None}}
    ).decode()
