"""The shelf: the rulesets that ship with the package and those of the house."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Final

import msgspec

from pochboard.errors import ConfigError
from pochboard.rules.ruleset import BadParameterError, Ruleset, parse_ruleset, shipped_rulesets

FOLDER: Final = "rulesets"
"""The folder of house rulesets within the configuration folder."""


class Problem(msgspec.Struct, frozen=True):
    """Why a house file is not on the shelf."""

    file: Path
    key: str | None
    """The parameter at fault, None where the whole file is."""
    reason: str

    def __str__(self) -> str:
        """One line for people."""
        where = f"{self.key}: " if self.key else ""
        return f"{self.file}: {where}{self.reason}"


class Shelf(msgspec.Struct, frozen=True):
    """All rulesets that a night can be started with, and the files that could not be used."""

    rulesets: dict[str, Ruleset]
    """By name: the shipped ones first, then those of the house."""
    files: dict[str, Path]
    """Where the rulesets of the house come from."""
    problems: list[Problem]

    def origin(self, name: str) -> str:
        """`shipped`, or the file of a house ruleset. Raises KeyError for an unknown name."""
        return "shipped" if name in shipped_rulesets() else str(self.files[name])


class _Draft(msgspec.Struct, frozen=True):
    """A house file that is TOML, not yet a ruleset."""

    file: Path
    text: str
    name: str | None
    base: str | None


def load_shelf(config_dir: Path) -> Shelf:
    """The shipped rulesets and those in `rulesets/*.toml` of the configuration folder.

    A file that cannot be used is a problem and keeps no other from the shelf. A base may be any
    ruleset on the shelf, whatever order the files come in; of two files with one name the first
    that can be used has it.
    """
    shelf = Shelf(dict(shipped_rulesets()), {}, [])
    waiting = _drafts(config_dir / FOLDER, shelf.problems)
    bad: set[str] = set()
    while waiting:
        names = {draft.name for draft in waiting if draft.name is not None}
        ready = [d for d in waiting if d.base in shelf.rulesets or d.base not in names]
        if not ready:
            break
        for draft in ready:
            waiting.remove(draft)
            problem = _put(draft, shelf, bad)
            if problem:
                if draft.name is not None:
                    bad.add(draft.name)
                shelf.problems.append(problem)
    for draft in waiting:
        reason = f"{draft.base!r} builds on this ruleset, or on one that builds on itself"
        shelf.problems.append(Problem(draft.file, "base", reason))
    shelf.problems.sort(key=lambda problem: problem.file)
    return shelf


def _drafts(folder: Path, problems: list[Problem]) -> list[_Draft]:
    """The files of a folder that are TOML, by name of file; hidden ones are editors' own."""
    try:
        files = sorted(f for f in folder.iterdir() if f.suffix == ".toml" and f.name[0] != ".")
    except FileNotFoundError:
        return []
    except OSError as error:
        problems.append(Problem(folder, None, f"cannot be read: {error.strerror}"))
        return []
    drafts = []
    for file in files:
        read = _read(file)
        if isinstance(read, Problem):
            problems.append(read)
        else:
            drafts.append(read)
    return drafts


def _read(file: Path) -> _Draft | Problem:
    try:
        if not file.is_file() and file.exists():
            return Problem(file, None, "is no file")
        text = file.read_text("utf-8")
        values = tomllib.loads(text)
    except OSError as error:
        return Problem(file, None, f"cannot be read: {error.strerror}")
    except UnicodeDecodeError as error:
        return Problem(file, None, f"is not UTF-8 at byte {error.start}")
    # Besides its own error, which is a ValueError, tomllib lets through what Python says of numbers
    # of thousands of digits and of brackets nested a thousand deep.
    except (ValueError, RecursionError) as error:
        return Problem(file, None, f"is not TOML: {error}")
    name, base = values.get("name"), values.get("base")
    return _Draft(
        file,
        text,
        name.strip() if isinstance(name, str) else None,
        base if isinstance(base, str) else None,
    )


def _put(draft: _Draft, shelf: Shelf, bad: set[str]) -> Problem | None:
    """Puts a house ruleset on the shelf, or says why not."""
    if draft.base in bad and draft.base not in shelf.rulesets:
        return Problem(draft.file, "base", f"the file of {draft.base!r} has a problem of its own")
    try:
        ruleset = parse_ruleset(draft.text, shelf.rulesets)
    except BadParameterError as error:
        return Problem(draft.file, error.key, error.reason)
    except ConfigError as error:
        return Problem(draft.file, None, str(error))
    name = ruleset.name
    if name in shipped_rulesets():
        return Problem(draft.file, "name", f"{name!r} ships with pochboard; choose another name")
    if name in shelf.files:
        return Problem(draft.file, "name", f"{name!r} is taken by {shelf.files[name].name}")
    shelf.rulesets[name] = ruleset
    shelf.files[name] = draft.file
    return None
