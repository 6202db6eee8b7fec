"""What the display says at each moment of a night, in both languages."""

from __future__ import annotations

from typing import Any

import msgspec

from pochboard.buttons.press import Lobby, Pending
from pochboard.buttons.settings import SettingSign
from pochboard.errors import Refusal, refuse
from pochboard.rules.ruleset_files import shipped_rulesets
from pochboard.screen import Figure, Screen, draw
from pochboard.text.lazy import LazyText
from pochboard.text.translator import translator
from pochboard.views.screen import Reachable, pool_letters, screen_of
from tests.core.play import Night, betting
from tests.core.views.moments import snapshot

REACH = Reachable(
    "http://192.168.178.20:8441", "pochboard", "pinke-1441", "WIFI:T:WPA;S:pochboard;P:x;;"
)


OPEN: dict[str, Any] = {"pairing_open_until_ms": 1, "pairing_code": "48291"}


def said(
    night: Night,
    language: str = "en",
    *,
    refused: Refusal | None = None,
    turn: int | None = 0,
    reach: Reachable = REACH,
    **moment: Any,
) -> Screen:
    return screen_of(
        snapshot(night, **moment),
        translator(language),
        reach=reach,
        refused=refused,
        turn=turn,
    )


def test_betting_has_whose_turn_it_is_the_pot_and_what_it_takes() -> None:
    night = betting()
    assert said(night) == Screen("Ben’s turn", (Figure("Pot", "3"), Figure("To stay in", "0")))
    night.do("stake", seat=2, chips=2)
    figures = (Figure("Pot", "5"), Figure("To stay in", "2"), Figure("In hand", "4"))
    assert said(night, pending=Pending(chips=4)) == Screen("Clara’s turn", figures)
    german = said(night, "de", pending=Pending(chips=4))
    assert german.title == "Clara ist dran"
    assert [figure.label for figure in german.figures] == ["Pott", "Mitgehen", "Hand"]
    night.do("stake", seat=3, chips=2)
    night.do("pass", seat=1)
    assert night.book.state.phase == "showdown"
    two = (Figure("Pot", "7"), Figure("Still in", "2"))
    assert said(night) == Screen("Show your hands", two)
    assert said(night, "de").title == "Deckt eure Blätter auf"


def test_otherwise_the_pools_are_counted_under_what_is_to_be_done() -> None:
    night = Night()
    assert said(night).title == "Anna deals next"
    night.do("deal")
    letters = ("A", "K", "Q", "J", "10", "M", "S", "P", "Pi")
    assert said(night) == Screen("Show your cards", cells=tuple(Figure(x, "3") for x in letters))
    assert said(night, pending=Pending(place=2)).title == "Ben"
    # The trump suit stands beside every title of the deal.
    night.do("turn", card="TH")
    hearts = Figure("The trump suit is hearts.", "H")
    assert said(night).trump == hearts
    assert draw(said(night)) != draw(msgspec.structs.replace(said(night), trump=None))
    assert "The trump suit is hearts." in said(night).words
    night.do("next")
    assert said(night).trump == hearts
    night.do("void")
    assert said(night).trump is None
    german = translator("de")
    modern = shipped_rulesets()["modern"]
    assert list(pool_letters(german, modern).values()) == [
        "A",
        "K",
        "D",
        "B",
        "10",
        "M",
        "S",
        "P",
        "Pi",
    ]


def test_between_nights_it_leads_to_the_page() -> None:
    night = Night(None)
    page = Screen("The page", lines=("192.168.178.20", ":8441"), qr="http://192.168.178.20:8441")
    wifi = Screen("Wi-Fi", lines=("pochboard", "pinke-1441"), qr=REACH.wifi_qr)
    assert [said(night, turn=turn) for turn in (0, 1, 2)] == [wifi, page, wifi]
    assert said(night, reach=Reachable(REACH.url)) == page
    assert said(night, "de", turn=1).title == "Die Seite"
    assert said(night, "de").title == "WLAN"
    # Somebody presses, or there is no network: then what to press.
    lobby = said(night, pending=Pending(lobby=Lobby((1, 2))))
    assert lobby.title == "A new night"
    assert lobby.lines[0].startswith("Places 1 and 2 are in.")
    assert said(night, reach=Reachable()).title == "A new night"
    night.start()
    night.do("end")
    over = said(night, reach=Reachable(REACH.url))
    assert over == Screen(
        "The night is over", tuple(Figure(name, "±0") for name in ("Anna", "Ben", "Clara"))
    )
    assert said(night, turn=1, reach=Reachable(REACH.url)) == page
    # The lights reveal who has won, and the display does not say it before.
    assert said(night, reach=Reachable(REACH.url), turn=None) == Screen("The night is over")


def test_what_must_not_be_overlooked_is_an_alarm() -> None:
    night = Night()
    refusal = refuse("seat-first", LazyText("Press your place."))
    alarms: list[dict[str, Any]] = [
        {"refused": refusal},
        {"fault": refusal},
        {"switching_off": "asked"},
        {"switching_off": "confirmed"},
    ]
    assert all(said(night, **moment).alarm for moment in alarms)
    others: list[dict[str, Any]] = [
        {},
        {"setting": SettingSign("brightness", 1, 4, 0)},
        {"setting": SettingSign("volume", 1, 4, 0)},
        OPEN,
    ]
    assert not any(said(night, **moment).alarm for moment in others)
    lobby = Night(None)
    assert not any(said(lobby, turn=turn).alarm for turn in (0, 1))
    for name in ("deal", "next"):
        night.do(name)
        assert not said(night).alarm
