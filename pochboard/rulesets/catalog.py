"""The ruleset catalog: the shipped rulesets and the house rulesets of the configuration folder."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import msgspec

from pochboard.errors import ConfigError
from pochboard.rules.ruleset import Ruleset
from pochboard.rules.ruleset_files import (
    HOUSE_SOURCE,
    BadParameterError,
    find_ruleset,
    nearest_preset,
    parse_ruleset,
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
        return str(self.text)

    @property
    def text(self) -> str:
        """One line for people, in any language."""
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

    def origin(self, name: str) -> str:
        """`shipped`, or the file of a house ruleset. Raises KeyError for an unknown name."""
        return "shipped" if name in shipped_rulesets() else str(self.files[name])

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


class _Draft(msgspec.Struct, frozen=True):
    """A file that is valid TOML but has not been validated as a ruleset."""

    file: Path
    text: str
    name: str | None
    base: str | None


def load_catalog(config_dir: Path) -> RulesetCatalog:
    """Loads the shipped rulesets and `rulesets/*.toml` of the configuration folder.

    A bad file becomes a problem and does not keep the others out. A ruleset may build on any other
    one, whatever the order of their files. If two files use one name, the first usable one gets it.
    """
    catalog = RulesetCatalog(dict(shipped_rulesets()), {}, [], config_dir, {})
    waiting = _read_drafts(config_dir / FOLDER, catalog.problems)
    rejected: set[str] = set()
    while waiting:
        names = {sight(draft.name) for draft in waiting if draft.name is not None}
        ready = [
            draft
            for draft in waiting
            if draft.base is None or _base(draft, catalog) or sight(draft.base) not in names
        ]
        if not ready:
            break
        for draft in ready:
            waiting.remove(draft)
            problem = _add(draft, catalog, rejected)
            if problem:
                if draft.name is not None:
                    rejected.add(sight(draft.name))
                catalog.problems.append(problem)
    for draft in waiting:
        reason = f'"base" cannot be "{draft.base}", which builds on this ruleset or on itself.'
        catalog.problems.append(CatalogProblem(draft.file, "base", reason))
    catalog.problems.sort(key=lambda problem: problem.file)
    return catalog


def _read_drafts(folder: Path, problems: list[CatalogProblem]) -> list[_Draft]:
    """The TOML files of a folder, sorted by name, without the hidden files that editors make."""
    try:
        files = sorted(f for f in folder.iterdir() if f.suffix == ".toml" and f.name[0] != ".")
    except FileNotFoundError:
        return []
    except OSError as error:
        problems.append(
            CatalogProblem(
                folder,
                None,
                f"This folder cannot be read: {os_reason(error)}.",
            )
        )
        return []
    if len(files) > MOST_RULESETS:
        reason = f"This folder has more than {MOST_RULESETS} rulesets. Only the first are used."
        problems.append(CatalogProblem(folder, None, reason))
    drafts = []
    for file in files[:MOST_RULESETS]:
        draft = _read_draft(file)
        if isinstance(draft, CatalogProblem):
            problems.append(draft)
        else:
            drafts.append(draft)
    return drafts


def _read_draft(file: Path) -> _Draft | CatalogProblem:
    try:
        if not file.is_file() and file.exists():
            return CatalogProblem(file, None, "This is not a regular file.")
        text = written_text(file.read_bytes())
        values = decode_toml(text)
    except OSError as error:
        return CatalogProblem(file, None, f"This file cannot be read: {os_reason(error)}.")
    except UnicodeDecodeError as error:
        return CatalogProblem(
            file,
            None,
            f"This is not UTF-8 at byte {error.start}. Save it as UTF-8.",
        )
    except ValueError as error:
        reason = f"This is not TOML: {error}"
        return CatalogProblem(file, None, reason)
    name, base = values.get("name"), values.get("base")
    return _Draft(
        file,
        text,
        tidy(name) if isinstance(name, str) else None,
        tidy(base) if isinstance(base, str) else None,
    )


def _base(draft: _Draft, catalog: RulesetCatalog) -> Ruleset | None:
    return None if draft.base is None else find_ruleset(catalog.rulesets, draft.base)


def _add(draft: _Draft, catalog: RulesetCatalog, rejected: set[str]) -> CatalogProblem | None:
    """Adds a house ruleset to the catalog, or returns why it cannot be added."""
    base = _base(draft, catalog)
    if draft.base is not None and base is None and sight(draft.base) in rejected:
        reason = f'"base" is "{draft.base}", whose file has a problem of its own.'
        return CatalogProblem(draft.file, "base", reason)
    try:
        ruleset = parse_ruleset(draft.text, catalog.rulesets)
    except BadParameterError as error:
        return CatalogProblem(draft.file, error.key, error.reason)
    except ConfigError as error:
        return CatalogProblem(draft.file, None, str(error))
    if base is not None and ruleset.source == base.source:
        ruleset = msgspec.structs.replace(ruleset, source=HOUSE_SOURCE)
    name = ruleset.name
    known = find_ruleset(catalog.rulesets, name)
    if known and known.name in shipped_rulesets():
        reason = f'The ruleset "{name}" comes with pochboard. Choose another "name".'
        return CatalogProblem(draft.file, "name", reason)
    if known is not None:
        reason = (
            f'The "name" is already used by {encodable(catalog.files[known.name].name)}. Choose'
            f' another one instead of "{name}".'
        )
        return CatalogProblem(draft.file, "name", reason)
    catalog.rulesets[name] = ruleset
    catalog.files[name] = draft.file
    if base is not None:
        catalog.bases[name] = base.name
    return None
