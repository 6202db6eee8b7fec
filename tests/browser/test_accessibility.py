"""No violation of accessibility anywhere, by axe-core, by day and by night, in both languages.

Where a page is looked at on both kinds of window, phones are German and light, and desktops English
and dark: rules about words find the same in each window, and both have the same colours. Both have
the same markup, too. So the rules about it are applied on the phone, and on the desktop only where
a stage looks different there.

On the phone, every control of the table is large enough for a finger.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pytest

from tests.browser.conftest import KINDS, OpenWindow
from tests.browser.daemons import LAN_NAME, Daemon
from tests.browser.stages import reach, walk
from tests.browser.test_page import assert_fits, small_targets, wait_for_all_of_it
from tests.browser.window import Scheme, Window

ROOT: Final = Path(__file__).resolve().parents[2]
AXE: Final = ROOT / "web" / "node_modules" / "axe-core" / "axe.min.js"
# All windows are on the daemon's own machine, which needs no pairing. A request through a proxy is
# from somebody else, so it is treated like one from the LAN.
ELSEWHERE: Final = {"extra_http_headers": {"X-Forwarded-For": "192.168.1.20"}}

_RUN: Final = """async (rules) => {
  const runOnly = rules.length ? {type: "rule", values: rules} : undefined;
  // What is said to a control is what is written on it, which axe still calls an experiment.
  const named = rules.length ? {} : {"label-content-name-mismatch": {enabled: true}};
  const {violations} = await axe.run(
    document, {resultTypes: ["violations"], runOnly, rules: named});
  return violations.flatMap(({id, impact, nodes}) => nodes.map((node) =>
    `${impact}: ${id}: ${node.html.slice(0, 160)}: ${node.failureSummary.slice(0, 400)}`));
}"""
_ABOUT_COLOURS: Final = ["color-contrast", "link-in-text-block"]
"""The rules that depend on the scheme."""
_SCHEMES: Final[dict[str, list[Scheme]]] = {"phone": ["light"], "desktop": ["dark"]}
_DIFFERENT_ON_DESKTOPS: Final = {"lobby", "pochen"}
LOCALES: Final = {"phone": "de-DE", "desktop": "en-GB"}
_ABOUT_NIGHTS: Final = {
    "/nights": "a.plain",
    "/nights/1#3": "svg.chart",
    "/nights/1/rules": "dl",
    "/statistics": "#statistics .summary",
    "/nothing": "h1",
}
"""Pages, and what each has once it is complete."""


def violations(
    window: Window, schemes: Sequence[Scheme] = ("light", "dark"), *, only_colours: bool = False
) -> list[str]:
    """What axe-core finds, in light and in dark."""
    # Injected by the developer tools, because the page itself allows no such script.
    if not window.page.evaluate("'axe' in window"):
        window.page.evaluate(AXE.read_text("utf-8"))
    found: list[str] = []
    rules = _ABOUT_COLOURS if only_colours else []
    for scheme in schemes:
        window.choose_scheme(scheme)
        found += [f"{scheme}: {violation}" for violation in window.page.evaluate(_RUN, rules)]
        rules = _ABOUT_COLOURS
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_the_table(daemon: Daemon, open_window: OpenWindow, kind: str) -> None:
    window = open_window(daemon, kind, host=LAN_NAME, locale=LOCALES[kind])
    found: list[str] = []
    seen_forms: set[str] = set()
    for stage in walk(daemon):
        wait_for_all_of_it(window, stage)
        if stage == "lobby":
            window.tap(".house summary")
        only_colours = kind == "desktop" and stage not in _DIFFERENT_ON_DESKTOPS
        looks = violations(window, _SCHEMES[kind], only_colours=only_colours)
        if kind == "phone":
            looks += small_targets_of_all(window, seen_forms)
        assert_fits(window)
        found += [f"{stage}: {look}" for look in looks]
    assert not found, "\n\n".join(dict.fromkeys(found))


def small_targets_of_all(window: Window, seen_forms: set[str]) -> list[str]:
    """Targets that are too small for a finger, including the forms that can be opened for the first
    time."""
    problems = small_targets(window)
    for part in window.find("#more [data-open]").all():
        name = part.get_attribute("data-open") or ""
        if name in seen_forms:
            continue
        seen_forms.add(name)
        window.tap(f"#menu [data-open={name}]")
        window.find(f"#drawer [data-sheet={name}]").wait_for()
        problems += small_targets(window)
        assert_fits(window)
        window.tap("#drawer [data-cancel]")
    return problems


def test_forms(daemon: Daemon, open_window: OpenWindow) -> None:
    reach(daemon, "idle")
    window = open_window(daemon, "phone", host=LAN_NAME, locale=LOCALES["phone"])
    wait_for_all_of_it(window, "idle")
    found: list[str] = []
    for name in ("rebuy", "join", "adjust", "end"):
        window.tap(f"[data-open={name}]")
        window.find(f"#drawer [data-sheet={name}]").wait_for()
        found += [f"{name}: {violation}" for violation in violations(window)]
        window.page.keyboard.press("Escape")
    assert not found, "\n\n".join(found)


def test_a_phone_that_watches_and_the_list_of_phones(
    daemon: Daemon, open_window: OpenWindow
) -> None:
    reach(daemon, "meld")
    window = open_window(daemon, "phone", host=LAN_NAME, **ELSEWHERE)
    window.wait_until_live()
    window.find("#pairing").wait_for()
    problems = violations(window)
    other = open_window(daemon, "phone", host=LAN_NAME, locale=LOCALES["phone"])
    wait_for_all_of_it(other, "meld")
    other.tap("#settings")
    other.find("#drawer[open] h2").wait_for()
    problems += violations(other)
    assert not problems, "\n\n".join(problems)


@pytest.mark.parametrize("kind", KINDS)
def test_the_pages_about_nights_and_one_that_does_not_exist(
    daemon: Daemon, open_window: OpenWindow, kind: str
) -> None:
    reach(daemon, "closed")
    window = open_window(daemon, kind, host=LAN_NAME, path=None, locale=LOCALES[kind])
    window.watch.expect_refusals(404)
    found: list[str] = []
    for path, part in _ABOUT_NIGHTS.items():
        window.open(path)
        window.find(part).first.wait_for()
        found += [
            f"{path}: {violation}"
            for violation in violations(window, _SCHEMES[kind], only_colours=kind == "desktop")
        ]
    assert not found, "\n\n".join(found)
