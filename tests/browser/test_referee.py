"""The referee on the page: cards are tapped in, one sentence says who wins, one tap records it."""

from __future__ import annotations

import re
from typing import Any, Final

import pytest

from tests.browser.conftest import OpenWindow
from tests.browser.daemons import LAN_NAME, Daemon
from tests.browser.test_accessibility import ELSEWHERE, violations
from tests.browser.test_page import assert_fits, small_targets, wait_for_all_of_it
from tests.browser.window import Window
from tests.shell.server_kit import stacks

PLAYERS: Final = ("Anna", "Ben", "Clara", "Dora")
# Deals first: seat 1; so forehand is seat 2.


def start(
    daemon: Daemon, ruleset: str = "modern", turned: str | None = "TH", **options: object
) -> None:
    """A night whose players meld."""
    daemon.do(
        "start",
        ruleset=ruleset,
        options=options,
        players=list(PLAYERS),
        places=[1, 2, 3, 4],
        dealer=1,
    )
    daemon.do("deal")
    if turned:
        daemon.do("turn", card=turned)


def to_the_showdown(daemon: Daemon, *seats: int) -> None:
    """Everybody bets two chips, except those who pass."""
    daemon.do("next")
    for seat in (2, 3, 4, 1):
        if seat in seats:
            daemon.do("stake", seat=seat, chips=2)
        else:
            daemon.do("pass", seat=seat)
    assert daemon.get("/api/state")["phase"] == "showdown"


class Referee:
    """The panel, and the hands on it."""

    def __init__(self, window: Window) -> None:
        self.window = window

    def open(self) -> None:
        self.window.tap("[data-referee]")
        self.window.find("#referee[open]").wait_for()

    def choose(self, seat: int) -> None:
        self.window.tap(f"[data-hand='{seat}']")

    def card(self, code: str) -> Any:
        return self.window.find(f"#referee-cards [data-card='{code}']")

    def tap(self, *codes: str) -> None:
        for code in codes:
            self.window.tap(f"#referee-cards [data-card='{code}']")

    def hand(self, seat: int) -> str:
        """What a screen reader says about a hand."""
        return self.text(f"[data-hand='{seat}'] > span:not([aria-hidden])")

    def text(self, selector: str) -> str:
        return " ".join((self.window.find(selector).text_content() or "").split())

    def hears(self, pattern: str) -> None:
        """Waits for the sentence."""
        why = self.window.find("#verdict .why")
        self.window.wait_until(
            pattern,
            lambda: why.count() and re.search(pattern, why.text_content() or "", re.IGNORECASE),
        )

    def closes(self) -> None:
        self.window.find("#referee").wait_for(state="hidden")


def referee_on(window: Window, stage: str) -> Referee:
    """The panel, opened."""
    wait_for_all_of_it(window, stage)
    referee = Referee(window)
    referee.open()
    return referee


def last_command(daemon: Daemon) -> dict[str, Any]:
    """The last command in the ledger."""
    found: dict[str, Any] = daemon.get("/api/nights/1/json")["entries"][-1]["command"]
    return found


def test_a_showdown_is_settled_by_the_cards(daemon: Daemon, open_window: OpenWindow) -> None:
    start(daemon)
    to_the_showdown(daemon, 2, 4)
    before = daemon.get("/api/state")
    window = open_window(daemon, "phone", host=LAN_NAME)
    referee = referee_on(window, "showdown")
    assert window.find("[data-hand]").count() == 2  # who has passed compares nothing
    assert window.find("[data-record]").count() == 0
    referee.tap("KH", "KD")  # the first one is chosen already
    referee.hears(r"ben\b.* kings")
    assert "Dora has shown nothing" in referee.text("#verdict")
    referee.choose(4)
    referee.tap("QS", "QC", "QD")
    referee.hears(r"dora\b.* three queens.*\bben\b.* kings")
    assert referee.text("#verdict .order") == "1. Dora 2. Ben"
    assert referee.text("[data-record]") == "Record: Dora wins"
    window.tap("[data-record]")
    referee.closes()
    window.find("#phase[data-phase=shed]").wait_for()
    assert last_command(daemon) == {"do": "showdown", "ranking": [4, 2]}
    after = daemon.get("/api/state")
    # Four antes lay in Poch, and two chips of each of the two.
    assert stacks(after)["4"] - stacks(before)["4"] == 4 + 2 + 2
    assert stacks(after)["2"] == stacks(before)["2"]
    assert window.find("[data-referee]").count() == 0


def test_a_card_is_in_one_hand_and_hands_have_their_size(
    daemon: Daemon, open_window: OpenWindow
) -> None:
    start(daemon, "banker", turned="9S")
    to_the_showdown(daemon, 2, 3)
    referee = referee_on(open_window(daemon, "phone"), "showdown")
    assert referee.card("9S").is_disabled()
    assert referee.card("9S").get_attribute("aria-label") == "9 of spades, turned up"
    referee.tap("KH", "KD")
    referee.choose(3)
    assert referee.card("KH").is_disabled()
    assert referee.card("KH").get_attribute("aria-label") == "king of hearts, with Ben"
    referee.choose(2)
    referee.tap("KH")  # once more: it was not that one
    assert referee.hand(2) == "Ben: king of diamonds"
    referee.choose(3)
    referee.tap("KH", "KS", "AC", "AD", "7H")
    assert referee.hand(3).count("of") == 5
    free = referee.window.find("#referee-cards button:not(:disabled)")
    assert free.count() == 5  # those of this hand alone: five cards are dealt to each
    assert referee.card("8C").is_disabled()
    referee.tap("7H")
    assert not referee.card("8C").is_disabled()


def test_a_phone_that_watches_asks_but_does_not_book(
    daemon: Daemon, open_window: OpenWindow
) -> None:
    start(daemon)
    to_the_showdown(daemon, 2, 4)
    window = open_window(daemon, "phone", host=LAN_NAME, **ELSEWHERE)
    window.wait_until_live()
    window.find("#pairing").wait_for()
    referee = Referee(window)
    referee.open()
    referee.tap("KH", "KD")
    referee.hears("kings")
    assert window.find("[data-record]").count() == 0
    assert "paired" in referee.text("#referee .unpaired")
    assert not violations(window)
    window.tap("[data-done]")
    referee.closes()


def test_german_suits_are_named_and_remembered(daemon: Daemon, open_window: OpenWindow) -> None:
    start(daemon)
    to_the_showdown(daemon, 2, 4)
    referee = referee_on(open_window(daemon, "phone"), "showdown")
    window = referee.window
    assert referee.card("QH").get_attribute("aria-label") == "queen of hearts"
    window.tap("[data-pattern=german]")
    names = {"QH": "Rot-Ober", "JC": "Eichel-Unter", "AD": "Schellen-Daus", "TS": "Grün-10"}
    for code, name in names.items():
        assert referee.card(code).get_attribute("aria-label") == name
        assert referee.card(code).get_attribute("lang") == "de"
    signs = {"A": "D", "K": "K", "Q": "O", "J": "U", "T": "10", "9": "9", "8": "8", "7": "7"}
    for rank, sign in signs.items():
        assert (referee.card(f"{rank}S").text_content() or "").strip() == sign
    window.page.reload()
    referee = referee_on(window, "showdown")
    assert referee.card("KC").get_attribute("aria-label") == "Eichel-König"
    window.tap("[data-pattern=french]")
    assert referee.card("KC").get_attribute("aria-label") == "king of clubs"


def test_by_the_keyboard_alone(daemon: Daemon, open_window: OpenWindow) -> None:
    start(daemon, "banker", turned="7C")
    to_the_showdown(daemon, 2, 4)
    window = open_window(daemon, "desktop")
    wait_for_all_of_it(window, "showdown")
    keys = window.page.keyboard
    window.find("[data-referee]").focus()
    keys.press("Enter")
    window.find("#referee[open]").wait_for()
    referee = Referee(window)
    window.find("[data-hand='4']").focus()
    keys.press("Space")
    keys.press("Tab")  # the cards are one stop
    keys.press("Space")
    keys.press("ArrowRight")
    keys.press("ArrowRight")
    keys.press("ArrowLeft")
    keys.press("Enter")
    assert referee.hand(4) == "Dora: ace of clubs, king of clubs"
    referee.hears("dora")
    keys.press("Tab")
    keys.press("Enter")
    referee.closes()
    assert last_command(daemon) == {"do": "showdown", "ranking": [4]}


@pytest.mark.parametrize(
    ("kind", "ruleset", "pattern"),
    [("phone", "alvensleben-1853", "german"), ("desktop", "modern", "french")],
)
def test_everybody_can_use_it(
    daemon: Daemon, open_window: OpenWindow, kind: str, ruleset: str, pattern: str
) -> None:
    start(daemon, ruleset, turned=None)
    window = open_window(daemon, kind, host=LAN_NAME)
    referee = referee_on(window, "meld")
    window.tap("[data-trump=H]")
    problems = []
    for stage, cards in (("meld", ("7H", "8H", "9H")), ("showdown", ("KH", "KD"))):
        if stage == "showdown":
            window.tap("[data-done]")
            to_the_showdown(daemon, 1, 2, 3, 4)
            window.find("#phase[data-phase=showdown]").wait_for()
            referee.open()
        referee.tap(*cards)
        referee.hears(".")
        window.tap(f"button[data-pattern={pattern}]")
        problems += [f"{stage}: {violation}" for violation in violations(window)]
        if kind == "phone":
            problems += [f"{stage}: {target}" for target in small_targets(window)]
        assert_fits(window)
    assert not problems, "\n\n".join(problems)
