"""The replay of a night: at every entry the page shows what the fold of the ledger gives."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final

from pochboard.ledger.book import Book, Step
from pochboard.messages.entries import sentences
from pochboard.rules.accounts import POOLS
from pochboard.rules.ruleset_files import shipped_rulesets
from pochboard.rules.seating import resolve_among
from pochboard.rules.state import State, public_state
from tests.browser.conftest import OpenWindow
from tests.browser.daemons import LAN_NAME, Daemon
from tests.browser.window import Window

SHEETS: Final = Path(__file__).resolve().parent.parent / "nights"

_READ: Final = """() => {
  const text = (selector, within = document) =>
    within.querySelector(selector)?.textContent.replace(/\\s+/g, " ").trim() ?? null;
  const all = (selector) => [...document.querySelectorAll(selector)];
  return {
    entry: Number(document.querySelector("#replay-entry")?.dataset.entry),
    scrubber: Number(document.querySelector("#scrubber")?.value),
    sentence: text("#replay-sentence"),
    pools: Object.fromEntries(
      all(".bowl").map((pool) => [pool.dataset.bowl, text("b", pool)])),
    blocked: all(".bowl.blocked").map((pool) => pool.dataset.bowl),
    current: all("#entries [aria-current]").map((line) => Number(line.dataset.entry)),
    stacks: Object.fromEntries(all("#charts .seats li").map((seat) =>
      [seat.id.slice(5), [text(".name", seat), text(".stack", seat), text(".net", seat)]])),
    turns: all("#charts .seats li.turn").map((seat) => seat.id.slice(5)),
    dealers: all("#charts .seats [data-flags~=dealer]").map((seat) => seat.id.slice(5)),
  };
}"""


class Fold:
    """What every entry of a night should show."""

    def __init__(self, daemon: Daemon, night: int) -> None:
        # Only the commands come from the daemon; everything else is computed here.
        self.book = Book(resolve_among(shipped_rulesets()))
        for entry in daemon.get(f"/api/nights/{night}/json")["entries"]:
            assert isinstance(self.book.apply(entry["command"]), Step)
        self.sentences = sentences(self.book.entries, self.book.states)
        self.total = len(self.book.entries)

    def due(self, entry: int) -> dict[str, Any]:
        state = self.book.states[entry - 1]
        public = public_state(state)
        return {
            "entry": entry,
            "scrubber": entry,
            "current": [entry],
            "sentence": self.sentences[entry - 1],
            "pools": {p: str(public["pools"][p]) if p in public["pools"] else "" for p in POOLS},
            "blocked": public["blocked"],
            "stacks": {str(seat): _row(state, seat) for seat in state.seats},
            "turns": [str(state.to_act)] if state.to_act else [],
            "dealers": [str(state.dealer)] if state.dealer else [],
        }

    def differences(self, window: Window, entry: int) -> list[str]:
        seen, due = window.page.evaluate(_READ), self.due(entry)
        return [f"{key}: {seen[key]!r}, not {due[key]!r}" for key in due if seen[key] != due[key]]

    def check(self, window: Window, entry: int) -> None:
        """What the page shows now is this entry."""
        window.wait_until_equal(lambda: self.differences(window, entry))


def _row(state: State, seat: int) -> list[str]:
    stack, net = state.stack_of(seat), state.stack_of(seat) - state.bought[seat - 1]
    signed = f"+{net}" if net > 0 else f"−{-net}" if net else "±0"
    return [state.name_of(seat), str(stack), signed]


def open_night(open_window: OpenWindow, daemon: Daemon, night: int, **how: Any) -> Window:
    window = open_window(daemon, how.pop("kind", "desktop"), path=f"/nights/{night}", **how)
    window.find("#scrubber").wait_for()
    return window


def test_every_entry_forwards_and_backwards(daemon: Daemon, open_window: OpenWindow) -> None:
    daemon.import_sheet(SHEETS / "philos-b.jsonl")
    fold = Fold(daemon, 1)
    window = open_night(open_window, daemon, 1, kind="phone", host=LAN_NAME)
    fold.check(window, fold.total)  # without a link to an entry the night is shown as it ended
    window.page.keyboard.press("Home")
    fold.check(window, 1)
    for entry in range(2, fold.total + 1):
        window.page.keyboard.press("ArrowRight")
        fold.check(window, entry)
    window.page.keyboard.press("ArrowRight")  # there is nothing after the last
    for entry in range(fold.total - 1, 0, -1):
        window.page.keyboard.press("ArrowLeft")
        fold.check(window, entry)


def rich_night(daemon: Daemon) -> Fold:
    """Everything that makes an entry unlike a simple command: undo, redo, void, come and go."""
    daemon.do("start", ruleset="modern", players=["Anna", "Ben", "Clara"], places=[2, 4, 6])
    daemon.do("rename", seat=1, name="Annika")
    daemon.do("join", name="Dora", place=8)
    for command in ("deal", "undo", "redo", "void", "undo", "void", "deal"):
        daemon.do(command)
    daemon.do("turn", card="TH")
    daemon.do("claim", seat=2, pool="marriage")
    daemon.do("next")
    daemon.do("stake", seat=2, chips=3)
    return Fold(daemon, 1)


def test_a_replay_is_used_before_all_of_it_is_there(
    daemon: Daemon, open_window: OpenWindow
) -> None:
    """The HTML brings the night, and itself has the browser ask for the entries."""
    fold = rich_night(daemon)
    window = open_window(daemon, path=None)
    held = window.hold("**/api/state*")
    window.open("/nights/1#3")
    window.find("body:not(.undrawn) #scrubber").wait_for()
    window.tap("button#next")
    window.find("#replay-entry[data-entry='4']").wait_for()
    urls = [sent.url for sent in window.watch.requests]
    assert len([url for url in urls if "/api/nights/" in url]) == 1, urls
    for route in held:
        route.continue_()
    window.page.unroute_all()
    fold.check(window, 4)


def test_buttons_scrubber_and_links(daemon: Daemon, open_window: OpenWindow) -> None:
    fold = rich_night(daemon)
    window = open_night(open_window, daemon, 1, kind="phone", host=LAN_NAME)
    window.tap("#first")
    fold.check(window, 1)
    assert window.find("#prev").is_disabled()
    window.tap("button#next")
    fold.check(window, 2)
    window.tap("#last")
    fold.check(window, fold.total)
    assert window.find("button#next").is_disabled()
    window.tap("#prev")
    fold.check(window, fold.total - 1)

    scrubber = window.find("#scrubber")
    scrubber.fill("5")
    fold.check(window, 5)
    scrubber.press("ArrowRight")
    fold.check(window, 6)

    # The address follows, and leads back to the entry from anywhere.
    scrubber.fill("7")
    window.page.wait_for_url(re.compile(r"/nights/1#7$"))
    window.page.reload()
    fold.check(window, 7)
    address = window.page.url
    other = open_window(daemon, host=LAN_NAME, path="/nights")
    other.page.goto(address)
    fold.check(other, 7)

    # A link that names no entry of this night shows the nearest there is.
    for wrong, entry in (("#9999", fold.total), ("#-1", fold.total), ("#x", fold.total)):
        other.page.goto("about:blank")
        other.open(f"/nights/1{wrong}")
        fold.check(other, entry)


def test_links_within_the_night_can_be_gone_back_and_forward(
    daemon: Daemon, open_window: OpenWindow
) -> None:
    fold = rich_night(daemon)
    window = open_night(open_window, daemon, 1)
    for entry in (3, 9, 6):
        window.page.evaluate("entry => { location.hash = `#${entry}`; }", entry)
        fold.check(window, entry)
        window.page.wait_for_url(re.compile(rf"#{entry}$"))
    window.page.go_back()
    fold.check(window, 9)
    window.page.go_back()
    fold.check(window, 3)
    window.page.go_forward()
    fold.check(window, 9)


def test_deals_speeds_and_the_list_of_entries(daemon: Daemon, open_window: OpenWindow) -> None:
    daemon.import_sheet(SHEETS / "modern-a.jsonl")
    fold = Fold(daemon, 1)
    entries = daemon.get("/api/nights/1/entries?table=1")
    deals = [entry["number"] for entry in entries if entry["mark"] == "deal"]
    window = open_window(daemon, path=None)
    window.stop_clock()
    window.open("/nights/1#1")
    window.find("svg.timeline").wait_for()
    assert window.find("svg.timeline .mark-deal").count() == len(deals)
    assert set(window.find(".marks li").all_text_contents()) == {
        " deal", " pool won by cards", " showdown", " taken back or restored"
    }  # fmt: skip
    for entry in [*deals, fold.total]:
        window.tap("#next-deal")
        fold.check(window, entry)
    window.tap("#prev-deal")
    fold.check(window, deals[-1])
    # The list leads to an entry, and says which entries count no longer.
    assert window.find("#entries li").count() == fold.total
    gone = [entry["number"] for entry in entries if entry["taken_back"]]
    struck = window.find("#entries li.struck")
    assert struck.evaluate_all("lines => lines.map((l) => Number(l.dataset.entry))") == gone
    window.tap(f"#entries [data-entry='{gone[0]}'] button")
    fold.check(window, gone[0])
    # Four speeds. The space bar plays and stops, unless a button has the focus.
    keyboard = window.page.keyboard
    window.page.evaluate("document.activeElement.blur()")
    keyboard.press("Home")
    assert window.find("[data-speed]").count() == 4
    for speed, step_ms in ((0.5, 1800), (4, 225)):
        first = window.find("#replay-entry").evaluate("part => Number(part.dataset.entry)")
        window.tap(f"[data-speed='{speed}']")
        window.page.evaluate("document.activeElement.blur()")
        keyboard.press("Space")
        window.page.clock.run_for(2 * step_ms + step_ms // 2)
        keyboard.press("Space")
        fold.check(window, first + 2)
    # It stops at the end.
    keyboard.press("Space")
    window.page.clock.run_for(60_000)
    fold.check(window, fold.total)
    assert window.find("#play").get_attribute("aria-label") == "Play"


def test_charts_are_tables_too_and_chips_move(daemon: Daemon, open_window: OpenWindow) -> None:
    daemon.import_sheet(SHEETS / "modern-a.jsonl")
    entries = daemon.get("/api/nights/1/entries?table=1")
    window = open_night(open_window, daemon, 1, reduced_motion="no-preference")
    claim = next(entry for entry in entries if entry["mark"] == "claim")
    window.find("#scrubber").fill(str(claim["number"] - 1))
    chips = "() => [...document.querySelectorAll('.chip')].map((chip) => chip.textContent)"
    window.page.evaluate(
        """() => {
          window.flown = [];
          new MutationObserver((changes) => changes.forEach((change) => change.addedNodes.forEach(
            (node) => node.className === "chip" && window.flown.push(node.textContent)
          ))).observe(document.querySelector("#flights"), {childList: true});
          window.counted = [];
          new MutationObserver((changes) => counted.push(...changes.map(({target}) => target.data)))
            .observe(document.querySelector(".bowls"), {characterData: true, subtree: true});
        }"""
    )
    window.tap("[data-speed='4']")  # the quickest
    for key in ("ArrowRight", "ArrowLeft"):
        window.page.keyboard.press(key)
        window.wait_until("no chip moves", lambda: window.page.evaluate(chips) == [])
    moved = [str(chips) for _, _, chips in claim["moves"]]
    assert window.page.evaluate("flown") == [*moved, *moved]
    assert "1" in window.page.evaluate("counted"), "the bowl counts down"
    window.page.keyboard.press("ArrowRight")
    assert window.find(".paid li").all_text_contents() == claim["moves_text"]
    window.page.emulate_media(reduced_motion="reduce")
    window.page.evaluate("flown.length = 0")
    for key in ("ArrowLeft", "ArrowRight"):
        window.page.keyboard.press(key)
    assert window.page.evaluate("flown") == []

    # The table has a row for each deal, and marks the one that the scrubber is in.
    window.tap("#chart-table summary")
    rows = "rows => rows.map((row) => [...row.cells].map((cell) => cell.textContent))"
    ends = {
        entry["deal"]: entry
        for entry, after in zip(entries, [*entries[1:], None], strict=True)
        if after is None or after["mark"] == "deal"
    }
    table = window.find("#chart-table tr")
    names = list(daemon.get("/api/nights/1")["names"].items())
    stacks = [{str(row["seat"]): str(row["stack"]) for row in end["rows"]} for end in ends.values()]
    head, *body = table.evaluate_all(rows)
    assert head == ["After", *(name for _, name in names)]
    assert body == [
        [f"Deal {deal}" if deal else "the start", *(row[seat] for seat, _ in names)]
        for deal, row in zip(ends, stacks, strict=True)
    ]
    marked = window.find("#chart-table tr[aria-current=step] th").text_content()
    assert marked == f"Deal {claim['deal']}"
    assert window.find("svg.chart polyline").count() == len(names)


def test_a_damaged_night_leads_nowhere(daemon: Daemon, open_window: OpenWindow) -> None:
    daemon.import_sheet(SHEETS / "house-no-all-in.jsonl")
    window = open_window(daemon, path=None)
    damaged = {
        "status": "damaged",
        "winners": None,
        "result": "This night is damaged and cannot be shown.",
        "summary": "Night 1 is damaged.",
    }
    nights = daemon.get("/api/nights")
    nights[-1] |= damaged
    window.page.route("**/api/nights?*", lambda route: route.fulfill(json=nights))
    window.open("/nights")
    row = window.find("li[data-night='1']")
    row.wait_for()
    assert row.locator("a, button").count() == 0
    assert row.inner_text().split("\n\n") == [damaged["summary"], damaged["result"]]
    assert window.find("li[data-night='2'] a.replay").count() == 1
