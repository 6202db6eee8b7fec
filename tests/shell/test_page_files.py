"""The files of the page: all their words come from the table of texts, and no rule is in them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import pytest

from pochboard.messages.page import page_texts
from pochboard.rules.accounts import POOLS
from pochboard.server.web_files import modules_of
from pochboard.text.translator import ENGLISH

WEB: Final = Path(__file__).resolve().parents[2] / "web"
MODULES: Final = {path.name: path.read_text("utf-8") for path in (WEB / "static").glob("*.js")}
TEMPLATES: Final = "".join(
    path.read_text("utf-8") for path in sorted((WEB / "templates").glob("*.html"))
)
_IN_MODULES: Final = re.compile(r'\btext\(\s*(?:\w+ \? )?"([^"]+)"(?: : "([^"]+)")?')
_CHOSEN: Final = re.compile(r'\btext\(\s*[^")`]+\? "([^"]+)" : "([^"]+)"')
_MADE: Final = re.compile(r"\btext\(\s*`([^`]+)`")
_IN_TEMPLATES: Final = re.compile(r'texts\["([^"]+)"\]')


def _uses() -> set[str]:
    """The texts that are asked for by name, and patterns for those whose name is put together."""
    code = "\n".join(MODULES.values())
    named = {
        name
        for pattern in (_IN_MODULES, _CHOSEN)
        for found in pattern.findall(code)
        for name in found
        if name
    }
    made = {re.sub(r"\\\$\\\{[^}]*\\\}", "[^.]+", re.escape(one)) for one in _MADE.findall(code)}
    return {*map(re.escape, named | set(_IN_TEMPLATES.findall(TEMPLATES))), *made}


def test_every_text_that_the_page_shows_is_in_the_table_and_every_text_is_shown() -> None:
    texts, uses = set(page_texts(ENGLISH)), _uses()
    unknown = [use for use in uses if not any(re.fullmatch(use, text) for text in texts)]
    unused = [text for text in texts if not any(re.fullmatch(use, text) for use in uses)]
    assert (unknown, sorted(unused)) == ([], [])


@pytest.mark.parametrize("name", sorted(MODULES))
def test_no_module_knows_the_pools(name: str) -> None:
    # The keys of the simulated board are those of its buttons, whatever these mean.
    code = re.sub(r"export const KEYS = \{.*?\};", "", MODULES[name], flags=re.DOTALL)
    code = re.sub(r"^ *//.*$|/\*.*?\*/", "", code, flags=re.DOTALL | re.MULTILINE)
    assert [pool for pool in POOLS if re.search(rf"""["']{pool}["']""", code)] == []


@pytest.mark.parametrize("name", sorted(MODULES))
def test_no_module_knows_a_rule(name: str) -> None:
    rules = (
        r"ante|bet_pool|bluff|all_in|raises|run_bonus|leftover|high_card|shedding|prove_set"
        r"|trump-789|best-run|longest-run|palette"
    )
    assert re.findall(rf"\b(?:{rules})\b", MODULES[name]) == []


def test_no_address_begins_at_the_root_of_the_host() -> None:
    # A proxy may serve the pages below a path: templates link by `root`, modules by `at`.
    assert re.findall(r'\b(?:href|src|action)="/', TEMPLATES) == []
    rooted = re.compile(r'(?:href="?|src="?|\bimport\(|\bfetch\(|Source\(|Worker\()["`]?/')
    assert {name: found for name, code in MODULES.items() if (found := rooted.findall(code))} == {}


def test_a_page_asks_at_once_for_all_that_its_modules_import() -> None:
    for page in ("main.js", "tv.js", "replay.js", "nights.js", "statistics.js", "build.js"):
        found = modules_of(page)
        imported = {one for name in found for one in re.findall(r'from "\./(.*)"', _code(name))}
        assert set(found) == {page, *imported}
        # What is asked for later might be of another version by then.
        assert not [name for name in found if re.search(r"\bimport\(", _code(name))]


def _code(name: str) -> str:
    """A module without the comments that stand in lines of their own."""
    written = (WEB / "static" / name).read_text("utf-8")
    return re.sub(r"^ *(?://|/?\*).*$", "", written, flags=re.MULTILINE)
