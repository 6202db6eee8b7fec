"""The ruleset catalog: the shipped rulesets and the house rulesets of the configuration folder."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import msgspec

from pochboard.rules.ruleset import Ruleset
from pochboard.rules.ruleset_files import (
    HOUSE_SOURCE,
    BadParameterError,
    find_ruleset,
    nearest_preset,
    read_ruleset,
    shipped,
    shipped_rulesets,
)
from pochboard.text.decoding import decode_toml
from pochboard.text.encodings import written_text
from pochboard.text.lazy import os_reason
from pochboard.text.unicode_names import encodable, sight, tidy

MOST_RULESETS: Final = 100
"""The most rulesets of the house: each costs time at the start and room on the page."""
FOLDER: Final = "rulesets"
"""The folder of house rulesets within the configuration folder."""


class CatalogProblem(msgspec.Struct, frozen=True):
    """Why a house ruleset's file is not in the catalog."""

    file: Path
    key: str | None
    """The parameter at fault; None if it is the whole file."""
    reason: str
    """Whole sentences, which name the parameter."""

    def __str__(self) -> str:
        """One line for people."""
        return f"{self.file}: {self.reason}"


class RulesetCatalog(msgspec.Struct, frozen=True):
    """All rulesets that a night can use, and the files that could not be loaded."""

    rulesets: dict[str, Ruleset]
    """By name: the shipped ones first, then those of the house."""
    files: dict[str, Path]
    """The file of each house ruleset, by name."""
    problems: list[CatalogProblem]
    settings: Path = Path()
    """The folder of the configuration."""
    bases: dict[str, str] = {}
    """The ruleset that the file of each house ruleset builds on, if it names one."""

    def preset(self, rules: Ruleset, *, of_night: bool = False) -> Ruleset | None:
        """What a ruleset is compared with when people read it; None for one that stands alone.

        A shipped ruleset is compared with its base, and a house ruleset with the nearest shipped
        one. A night's ruleset is compared with the ruleset of its name, if that has other
        parameters.
        """
        same = self.rulesets.get(rules.name)
        if of_night and same is not None and same.parameters() != rules.parameters():
            return same
        if rules.name in shipped():
            base = shipped()[rules.name].base
            return shipped_rulesets()[base] if base else None
        return nearest_preset(rules)


def load_catalog(config_dir: Path) -> RulesetCatalog:
    """Loads the shipped rulesets and `rulesets/*.toml` of the configuration folder.

    A bad file becomes a problem and does not keep the others out. A ruleset may build on any other
    one, whatever the order of their files. If two files use one name, the first usable one gets it.
    """
    catalog = RulesetCatalog(dict(shipped_rulesets()), {}, [], config_dir, {})
    waiting = _read_files(config_dir / FOLDER, catalog.problems)
    names = {sight(_text(values, "name")) for values in waiting.values()}
    while ready := [file for file, values in waiting.items() if _is_ready(values, catalog, names)]:
        for file in ready:
            _add(file, waiting.pop(file), catalog)
    for file, values in waiting.items():
        reason = f'"base" is "{_text(values, "base")}", whose own file cannot be used.'
        catalog.problems.append(CatalogProblem(file, "base", reason))
    catalog.problems.sort(key=lambda problem: problem.file)
    return catalog


def _text(values: Mapping[str, Any], key: str) -> str:
    value = values.get(key)
    return tidy(value) if isinstance(value, str) else ""


def _is_ready(values: Mapping[str, Any], catalog: RulesetCatalog, names: set[str]) -> bool:
    """Whether a ruleset stands alone, or its base is known, or no other file may still give it."""
    base = _text(values, "base")
    return not base or bool(find_ruleset(catalog.rulesets, base)) or sight(base) not in names


def _read_files(folder: Path, problems: list[CatalogProblem]) -> dict[Path, dict[str, Any]]:
    """The TOML files of a folder, sorted by name, without the hidden files that editors make."""
    try:
        files = sorted(f for f in folder.iterdir() if f.suffix == ".toml" and f.name[0] != ".")
    except FileNotFoundError:
        return {}
    except OSError as error:
        reason = f"This folder cannot be read: {os_reason(error)}."
        problems.append(CatalogProblem(folder, None, reason))
        return {}
    if len(files) > MOST_RULESETS:
        reason = f"This folder has more than {MOST_RULESETS} rulesets. Only the first are used."
        problems.append(CatalogProblem(folder, None, reason))
    found = {}
    for file in files[:MOST_RULESETS]:
        values = _read_file(file)
        if isinstance(values, str):
            problems.append(CatalogProblem(file, None, values))
        else:
            found[file] = values
    return found


def _read_file(file: Path) -> dict[str, Any] | str:
    """The values in a file, or why it cannot be used."""
    try:
        if not file.is_file() and file.exists():
            return "This is not a regular file."
        return decode_toml(written_text(file.read_bytes()))
    except OSError as error:
        return f"This file cannot be read: {os_reason(error)}."
    except UnicodeDecodeError as error:
        return f"This is not UTF-8 at byte {error.start}. Save it as UTF-8."
    except ValueError as error:
        return f"This is not TOML: {error}"


def _add(file: Path, values: dict[str, Any], catalog: RulesetCatalog) -> None:
    """Adds a house ruleset to the catalog, or the problem with it."""
    base = find_ruleset(catalog.rulesets, _text(values, "base"))
    try:
        ruleset = read_ruleset(values, catalog.rulesets)
    except BadParameterError as error:
        catalog.problems.append(CatalogProblem(file, error.key, error.reason))
        return
    name = ruleset.name
    known = find_ruleset(catalog.rulesets, name)
    if known is not None:
        by = catalog.files.get(known.name)
        taken = f"is already used by {encodable(by.name)}" if by else "comes with pochboard"
        reason = f'The "name" {taken}. Choose another one instead of "{name}".'
        catalog.problems.append(CatalogProblem(file, "name", reason))
        return
    if base is not None and ruleset.source == base.source:
        ruleset = msgspec.structs.replace(ruleset, source=HOUSE_SOURCE)
    catalog.rulesets[name] = ruleset
    catalog.files[name] = file
    if base is not None:
        catalog.bases[name] = base.name
