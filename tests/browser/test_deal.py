"""A whole deal by the controls: few taps, and nothing that moves because others play."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, Final

import pytest

from pochboard.rules.commands import (
    AnyCommand,
    Claim,
    Deal,
    Next,
    Out,
    Pass,
    Settle,
    Showdown,
    Stake,
    Turn,
)
from tests.browser.conftest import OpenWindow
from tests.browser.daemons import LAN_NAME, Daemon
from tests.browser.phone import DOUBLE_TAP_MS, Phone
from tests.browser.stages import reach
from tests.browser.test_page import wait_for_all_of_it
from tests.browser.window import Window

PLAYERS: Final = ["Anna", "Ben", "Clara", "Dora"]
DEAL: Final[list[tuple[int, AnyCommand]]] = [
    (1, Deal()), (3, Turn("H")),
    (1, Claim(1, "ace")), (1, Claim(1, "sequence")), (2, Claim(2, "marriage")),
    (2, Claim(2, "jack")), (3, Claim(3, "ten")), (1, Next()),
    (2, Stake(2, 1)), (3, Stake(3, 2)), (4, Pass(4)), (1, Stake(1, 2)), (2, Stake(2, 1)),
    (2, Showdown([2])), (2, Out(2)),
    (1, Settle({"1": 2})), (3, Settle({"3": 1})), (4, Settle({"4": 4})), (2, Deal()),
]  # fmt: skip
"""Who does what: nineteen acts."""
MOST_TAPS: Final = {"phone": 28, "desktop": 24}
MOST_SHIFT: Final = {"phone": 0.04, "desktop": 0.02}
_SHIFT: Final = """() => {
  window.shift = 0;
  window.moved = [];
  const observer = new PerformanceObserver((list) => list.getEntries().forEach((entry) => {
    if (entry.hadRecentInput) return;
    shift += entry.value;
    moved.push(...entry.sources.map(({node}) => [entry.value, node?.id || node?.className]));
  }));
  observer.observe({type: "layout-shift"});
}"""
_BOXES: Final = """() => [...document.querySelectorAll("#controls button, #back, #plates li")].map(
  (one) => {
    const {x, y, width, height} = one.getBoundingClientRect();
    return [x, y, width, height].map(Math.round);
  })"""


@pytest.mark.parametrize("kind", MOST_TAPS)
def test_nineteen_acts_take_few_taps(daemon: Daemon, open_window: OpenWindow, kind: str) -> None:
    """Each on the own phone of whoever acts, or all of them on one laptop."""
    daemon.do("start", ruleset="modern", players=PLAYERS)
    count = len(PLAYERS) if kind == "phone" else 1
    windows = [open_window(daemon, kind, host=LAN_NAME, path=None) for _ in range(count)]
    for window, name in zip(windows, PLAYERS, strict=False):
        if kind == "phone":
            kept = f"""localStorage.setItem("owner", '{{"name": "{name}"}}')"""
            window.page.add_init_script(kept)
        window.open()
        window.wait_until_live()
    taps, listed = 0, []
    for seat, command in DEAL:
        window = windows[seat - 1] if kind == "phone" else windows[0]
        phone = Phone(window)
        phone.owner = seat if kind == "phone" else None
        entry = daemon.get("/api/state")["entry"]
        taken = phone.carry_out(command)
        taps += taken
        listed.append((type(command).__name__, taken))
        if not isinstance(command, Settle) or "4" in command.cards:
            window.wait_until("the entry", lambda: daemon.get("/api/state")["entry"] > entry)  # noqa: B023
        else:
            window.page.wait_for_timeout(DOUBLE_TAP_MS)
        for one in windows:
            one.wait_for_newest_entry()
    assert taps <= MOST_TAPS[kind], listed


def boxes(window: Window) -> list[Any]:
    found: list[Any] = window.page.evaluate(_BOXES)
    return found


@pytest.mark.parametrize("kind", ["phone", "desktop"])
def test_nothing_moves_because_others_play(
    daemon: Daemon, open_window: OpenWindow, kind: str
) -> None:
    window = open_window(daemon, kind, host=LAN_NAME, locale="de-DE")
    reach(daemon, "idle")
    wait_for_all_of_it(window, "idle")
    window.find("html.lettered").wait_for()
    window.page.evaluate(_SHIFT)
    stages: list[tuple[str, list[tuple[str, dict[str, Any]]]]] = [
        ("meld", [
            ("deal", {}), ("turn", {"card": "H"}), ("claim", {"seat": 1, "pool": "ace"}),
            ("claim", {"seat": 2, "pool": "king"}),
        ]),
        ("pochen", [
            ("next", {}), ("stake", {"seat": 2, "chips": 2}), ("stake", {"seat": 3, "chips": 4}),
            ("pass", {"seat": 4}), ("pass", {"seat": 1}),
        ]),
        ("showdown", [("stake", {"seat": 2, "chips": 2})]),
        ("shed", [("showdown", {"ranking": [2, 3]}), ("out", {"seat": 2})]),
        ("idle", [("settle", {"cards": {"1": 2, "3": 1, "4": 0}})]),
    ]  # fmt: skip
    for phase, commands in stages:
        seen: list[list[Any]] = []
        for name, fields in commands:
            daemon.do(name, **fields)
            wait_for_all_of_it(window, phase)
            if name not in ("deal", "out"):  # which ask something else
                seen.append(boxes(window))
        apart = [
            max(
                (
                    abs(a - b)
                    for one, two in zip(box, now, strict=True)
                    for a, b in zip(one, two, strict=True)
                ),
                default=0,
            )
            for box, now in pairwise(seen)
        ]
        assert max(apart, default=0) <= 2, (phase, apart)
    assert window.page.evaluate("shift") <= MOST_SHIFT[kind], window.page.evaluate("moved")
