"""The files of the page: all their words come from the table of texts, and no rule is in them."""

from __future__ import annotations

import gzip
import re
from pathlib import Path
from typing import Final

import pytest

from pochboard.messages.page import page_texts
from pochboard.rules.accounts import POOLS
from pochboard.server.compression import gzipped
from pochboard.server.routes.pages import IN_HTML, LATER, LOBBY, NIGHT
from pochboard.server.web_files import JOINED
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
_ALWAYS: Final = (
    *(part for name in ("page.js", "main.js") for part in JOINED[name] if part in MODULES),
    "presses.js",
    "sounds.js",
)
_IN_A_NIGHT: Final = (*JOINED["controls.js"], "own_controls.js", "forms.js", "ledger.js")
_WITHOUT: Final = {
    **dict.fromkeys(_ALWAYS, (*LATER, *LOBBY, *NIGHT)),
    **dict.fromkeys(_IN_A_NIGHT, (*LATER, *LOBBY)),
    "lobby.js": (*LATER, *NIGHT),
}
"""Modules that the table loads without the later texts, and which texts it lacks then."""


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


def test_the_table_has_the_texts_that_its_template_shows() -> None:
    table = (WEB / "templates" / "table.html").read_text("utf-8")
    layout = (WEB / "templates" / "layout.html").read_text("utf-8")
    shown = _IN_TEMPLATES.findall(table + layout)
    assert [text for text in shown if text.startswith(LATER)] == []


def _asked_for(name: str) -> list[str]:
    """The texts that a module asks for, by name or pattern."""
    code = MODULES[name]
    named = [*_IN_MODULES.findall(code), *_CHOSEN.findall(code)]
    return sorted({*_MADE.findall(code), *(text for pair in named for text in pair if text)})


@pytest.mark.parametrize("name", _WITHOUT)
def test_modules_of_the_first_load_do_without_texts_that_come_later(name: str) -> None:
    assert [text for text in _asked_for(name) if text.startswith(_WITHOUT[name])] == []


def test_no_module_asks_for_a_text_that_is_only_in_the_html() -> None:
    asked = {text for name in MODULES for text in _asked_for(name)}
    assert [text for text in sorted(asked) if text.startswith(IN_HTML)] == []


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


def test_what_begins_alike_is_compressed_as_if_it_were_compressed_at_once() -> None:
    beginning = bytes(range(256)) * 300
    for rest in (b"", b"Anna", bytes(range(255, -1, -1)) * 200):
        compressed = gzipped(rest, beginning=beginning)
        assert gzip.decompress(compressed) == beginning + rest
        assert compressed == gzipped(beginning + rest)
