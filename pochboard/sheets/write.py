"""A stored night as a score sheet that `check` accepts (RULES.md 9)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import msgspec
from msgspec import UNSET
from msgspec.structs import replace

from pochboard.ledger.entry import Entry
from pochboard.ledger.times import passed_ms
from pochboard.rules.commands import Start
from pochboard.rules.ruleset import PARAMETERS, Ruleset
from pochboard.rules.ruleset_files import shipped_rulesets
from pochboard.rules.state import State, public_state
from pochboard.sheets.lines import UNKNOWN, Heading, heading_row
from pochboard.text.visible import json_shown, shown


def write_sheet(
    entries: Sequence[Entry], state: State, title: str, heading: Heading = UNKNOWN
) -> Iterator[str]:
    """The commands of a night in order, with their times, then an `expect` of its full state.

    The sheet stands alone. A ruleset that does not ship with the package, or that has changed since
    the start, is written as a shipped one with options.
    """
    command = entries[0].command
    assert isinstance(command, Start), "every night begins with a start"
    rules = state.rules
    shipped = shipped_rulesets()
    base = rules.name if rules.name in shipped else _nearest(rules)
    options = _differences(shipped[base], rules)
    given = {} if command.options is UNSET else command.options
    if (base, options) != (command.ruleset, given):
        command = replace(command, ruleset=base, options=options or UNSET)
    rows = [f"# {shown(row)}" for row in title.splitlines()]
    if base != rules.name:
        rows.append(f"# house ruleset {shown(rules.name)}, put as {base} with options")
    if heading != UNKNOWN:
        rows.append(heading_row(heading))
    rows.append(_json(command))
    yield "\n".join(rows) + "\n"
    at_ms = 0
    for before, entry in pairwise(entries):
        pause_ms = passed_ms(before.time_ms, entry.time_ms)
        at_ms += pause_ms
        at = {"at": at_ms / 1000} if pause_ms else {}
        yield _json({**msgspec.to_builtins(entry.command), **at}) + "\n"
    yield _json({"expect": public_state(state)}) + "\n"


def _nearest(rules: Ruleset) -> str:
    shipped = shipped_rulesets()
    return min(shipped, key=lambda name: len(_differences(shipped[name], rules)))


def _differences(base: Ruleset, rules: Ruleset) -> dict[str, Any]:
    """The options that make the base play as the ruleset."""
    of_base, wanted = base.parameters(), rules.parameters()
    return {key: wanted[key] for key in PARAMETERS if wanted[key] != of_base[key]}


def _json(value: Any) -> str:
    return json_shown(msgspec.json.encode(value).decode())
