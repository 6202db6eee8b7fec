"""Remarks about nights and people: names, dates, deletions, which two names are one person.

They change no entry. Like entries they are only ever added; a later one takes an earlier one back.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias, final

import msgspec

from pochboard.text.unicode_names import sight, tidy


class _Remark(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="about"):
    pass


@final
class NightName(_Remark, frozen=True, tag="night-name"):
    """A night is called something; an empty name takes that back."""

    night: int
    name: str


@final
class NightDate(_Remark, frozen=True, tag="night-date"):
    """A night began at another time than the clock said; None takes that back.

    In milliseconds since 1970, UTC, from 2000 to 2099.
    """

    night: int
    began_ms: int | None


@final
class NightDeleted(_Remark, frozen=True, tag="night-deleted"):
    """A night is deleted from the list and the statistics, or restored. The ledger keeps it."""

    night: int
    deleted: bool


@final
class NightOfBots(_Remark, frozen=True, tag="night-of-bots"):
    """A night of computer players: neither listed nor counted, and no model for the next night."""

    night: int
    bots: bool


@final
class NightFromFolder(_Remark, frozen=True, tag="night-from-folder"):
    """A night is the first from a folder of sheets, which then belongs to the night's ledger."""

    night: int
    folder: str
    ledger: str


@final
class SamePerson(_Remark, frozen=True, tag="same-person"):
    """Somebody who was called `name` is the person `called`; the same name takes that back."""

    name: str
    called: str


Remark: TypeAlias = (
    NightName | NightDate | NightDeleted | NightOfBots | NightFromFolder | SamePerson
)


def tidied(remark: Remark) -> Remark:
    """The remark with its names as they are kept."""
    match remark:
        case NightName(night, name):
            return NightName(night, tidy(name))
        case SamePerson(name, called):
            return SamePerson(tidy(name), tidy(called))
        case _:
            return remark


class Remarks(msgspec.Struct, frozen=True):
    """All remarks together, as they hold now."""

    names: Mapping[int, str] = {}
    """The names of nights."""
    deleted: frozenset[int] = frozenset()
    aliases: Mapping[str, str] = {}
    """By what people see of a name (`sight`), what the person is called instead."""
    bots: frozenset[int] = frozenset()
    """The nights of computer players."""
    began: Mapping[int, int] = {}
    """When nights began whose clock was wrong."""
    folders: Mapping[str, str] = {}
    """The ledgers to which folders of sheets belong."""

    def counts(self, night: int) -> bool:
        """Whether a night belongs to the statistics, and by default to the list."""
        return night not in self.deleted and night not in self.bots


class _Person:
    def __init__(self, name: str) -> None:
        self.name = name
        self.aliases: set[str] = set()


class _Aliases:
    """Who is called by which names. A restored ledger may have thousands of remarks about it."""

    def __init__(self) -> None:
        self._persons: dict[str, _Person] = {}
        """By what people see of their names."""
        self._by_alias: dict[str, _Person] = {}

    def add(self, name: str, person: str) -> None:
        """Somebody called `name` is this person, and so are all who were that somebody."""
        seen = sight(name)
        # Taken back first, so that the two never point at each other.
        earlier = self._by_alias.pop(seen, None)
        if earlier is not None:
            earlier.aliases.discard(seen)
        known = self._by_alias.get(sight(person))
        target = known.name if known else person
        if sight(target) in ("", seen):
            return
        less = self._persons.pop(seen, _Person(name))
        more = self._persons.get(sight(target), _Person(target))
        if len(less.aliases) > len(more.aliases):
            less, more = more, less
        more.name = target
        more.aliases |= {*less.aliases, seen}
        self._by_alias |= dict.fromkeys((*less.aliases, seen), more)
        self._persons[sight(target)] = more

    @property
    def aliases(self) -> dict[str, str]:
        """By what people see of a name, what the person is called instead."""
        return {alias: person.name for alias, person in self._by_alias.items()}


def collect(remarks: Iterable[Remark]) -> Remarks:
    """What holds after remarks, the oldest first."""
    names: dict[int, str] = {}
    began: dict[int, int] = {}
    deleted: set[int] = set()
    bots: set[int] = set()
    folders: dict[str, str] = {}
    aliases = _Aliases()
    for remark in remarks:
        match remark:
            case NightName(night, name):
                names[night] = name
            case NightDate(night, began_ms):
                if began_ms is None:
                    began.pop(night, None)
                else:
                    began[night] = began_ms
            case NightDeleted(night, yes):
                (deleted.add if yes else deleted.discard)(night)
            case NightOfBots(night, yes):
                (bots.add if yes else bots.discard)(night)
            case NightFromFolder(_, folder, ledger):
                folders.setdefault(folder, ledger)
            case SamePerson(name, person):
                aliases.add(name, person)
    return Remarks(
        {night: name for night, name in names.items() if name},
        frozenset(deleted),
        aliases.aliases,
        frozenset(bots),
        began,
        folders,
    )
