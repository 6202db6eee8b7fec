"""The rulesets of a running daemon. House rulesets can be saved, replaced and deleted."""

from __future__ import annotations

import errno
import os
import re
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import msgspec

from pochboard.errors import Refusal, refuse
from pochboard.rules.ruleset import Ruleset
from pochboard.rules.ruleset_files import (
    HOUSE_SOURCE,
    BadParameterError,
    as_toml,
    find_ruleset,
    nearest_preset,
    override,
    read_ruleset,
    shipped_rulesets,
)
from pochboard.rules.seating import resolve_among, unknown_ruleset
from pochboard.rulesets import FOLDER, MOST_RULESETS, RulesetCatalog, load_catalog
from pochboard.store import sync, write_durably
from pochboard.text.allowed_values import cut_off
from pochboard.text.decoding import decode_toml
from pochboard.text.lazy import lazy_listed, os_reason
from pochboard.text.unicode_names import sight, tidy

_NAME: Final = re.compile(r"\w[\w .,'’&+()-]{0,39}")
_MOST_SOURCE: Final = 200


class HouseRules:
    """All rulesets, and the files of those of the house. Thread-safe.

    Saving and deleting first reads the files again, so that edits made by hand count too. A night
    keeps the ruleset that it began with.
    """

    def __init__(self, catalog: RulesetCatalog) -> None:
        self._catalog = catalog
        self._lock = threading.Lock()

    @property
    def catalog(self) -> RulesetCatalog:
        """The current rulesets; a change makes a new catalog."""
        return self._catalog

    def resolve(self, name: str, options: Mapping[str, Any]) -> Ruleset | Refusal:
        """The ruleset for a night."""
        return resolve_among(self._catalog.rulesets)(name, options)

    def save(
        self, name: str, base: str, options: Mapping[str, Any], *, replace: bool = False
    ) -> Ruleset | Refusal:
        """Saves a ruleset of the house: another one with some parameters changed.

        One that exists is replaced only if `replace` says so, and a shipped one never.
        """
        name = tidy(name)
        if not _NAME.fullmatch(name):
            return refuse(
                "bad-ruleset",
                "A ruleset’s name begins with a letter or digit. It has at most 40 characters,"
                " and no slashes or other signs.",
            )
        with self._lock:
            catalog = load_catalog(self._catalog.settings)
            rules = _changed(catalog, name, base, options)
            if isinstance(rules, Refusal):
                return rules
            known = _called(catalog, name)
            if known is not None and known in shipped_rulesets():
                return refuse(
                    "ruleset-shipped",
                    "{named} comes with pochboard. Choose another name.",
                    named=cut_off(known),
                )
            if known is not None and not replace:
                return refuse(
                    "ruleset-exists", "There is a ruleset {named} already.", named=cut_off(known)
                )
            if known is None and len(catalog.files) >= MOST_RULESETS:
                return refuse(
                    "bad-ruleset",
                    "There are already {most} house rulesets. Delete one first.",
                    most=MOST_RULESETS,
                )
            file = catalog.files[known] if known else _new_file(catalog.settings / FOLDER, name)
            text = _as_file(rules)
            if read_ruleset(decode_toml(text), shipped_rulesets()) != rules:
                raise AssertionError(f"{name} is not read back as it was written")
            try:
                file.parent.mkdir(parents=True, exist_ok=True)
                # The command line of other users reads it too.
                write_durably(file, text.encode(), mode=0o644)
            except OSError as error:
                return _not_saved(error)
            self._catalog = load_catalog(catalog.settings)
        return self._catalog.rulesets[name]

    def delete(self, name: str) -> Refusal | None:
        """Deletes a ruleset of the house, unless the file of another one builds on it."""
        with self._lock:
            catalog = load_catalog(self._catalog.settings)
            if name in shipped_rulesets():
                return refuse(
                    "ruleset-shipped",
                    "{named} comes with pochboard and cannot be deleted.",
                    named=cut_off(name),
                )
            if name not in catalog.files:
                return unknown_ruleset(name, catalog.rulesets)
            builds = tuple(other for other, base in catalog.bases.items() if base == name)
            if builds:
                return refuse(
                    "ruleset-in-use",
                    "{named} cannot be deleted: {rulesets} are built on it.",
                    named=cut_off(name),
                    rulesets=lazy_listed(builds),
                )
            try:
                catalog.files[name].unlink(missing_ok=True)
                sync(catalog.files[name].parent)
            except OSError as error:
                return _not_saved(error)
            self._catalog = load_catalog(catalog.settings)
        return None


def _changed(
    catalog: RulesetCatalog, name: str, base: str, options: Mapping[str, Any]
) -> Ruleset | Refusal:
    known = find_ruleset(catalog.rulesets, base)
    if known is None:
        return unknown_ruleset(base, catalog.rulesets)
    try:
        rules = override(known, options)
    except BadParameterError as error:
        return refuse("bad-ruleset", error.reason)
    changed = known.name in shipped_rulesets() and rules.source == known.source
    source = HOUSE_SOURCE if changed else " ".join(rules.source.split())
    if len(source) > _MOST_SOURCE or not source.isprintable():
        return refuse(
            "bad-ruleset",
            "The text about the source has at most {most} characters and no invisible ones.",
            most=_MOST_SOURCE,
        )
    return msgspec.structs.replace(rules, name=name, source=source)


def _called(catalog: RulesetCatalog, name: str) -> str | None:
    """The ruleset of this name, in whatever case."""
    seen = sight(name).casefold()
    return next((other for other in catalog.rulesets if sight(other).casefold() == seen), None)


def _new_file(folder: Path, name: str) -> Path:
    """A file that does not exist yet, named after the ruleset."""
    stem = "-".join(re.findall(r"[a-z0-9]+", name.lower())) or "house"
    numbers = (f"-{number}" for number in range(2, 10_000))
    return next(
        file for end in ("", *numbers) if not os.path.lexists(file := folder / f"{stem}{end}.toml")
    )


def _as_file(rules: Ruleset) -> str:
    """The file of a ruleset. It builds on a shipped one, so that nobody can delete its base."""
    base = nearest_preset(rules)
    before = base.parameters()
    changed = {key: value for key, value in rules.parameters().items() if value != before[key]}
    rows = as_toml({"name": rules.name, "base": base.name, **changed})
    return "".join(f"{row}\n" for row in rows)


def _not_saved(error: OSError) -> Refusal:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return refuse(
            "ruleset-not-saved",
            "There is no room for the ruleset: the disk is full. Make room and try again.",
        )
    return refuse(
        "ruleset-not-saved", "The ruleset could not be saved: {reason}.", reason=os_reason(error)
    )
