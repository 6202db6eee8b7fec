"""The pages of a tournament: on phones, on a large screen, and on paper."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, cast

import pytest

from pochboard.server.server import Server
from tests.browser.conftest import OpenWindow
from tests.browser.daemons import Daemon
from tests.browser.test_accessibility import violations
from tests.browser.test_sideways import assert_nothing, sideways
from tests.browser.test_tv import _SMALL, LEAST_LETTER
from tests.browser.window import Window
from tests.outside.postgres import Board, ClubDatabase
from tests.outside.test_club_tournament import Owner, night

NAMES: Final = ["Anna", "<b>Eve</b> & 'co'", "Maximiliane-Wilhelmine von Hohenfels", "Ö", "يوسف 🃏"]
_OUTSIDE: Final = """() => [...document.querySelectorAll("h1, h2, header p, li")]
  .filter((one) => one.checkVisibility())
  .filter((one) => {
    const {top, left, right, bottom} = one.getBoundingClientRect();
    return top < 0 || left < 0 || right > innerWidth + 1 || bottom > innerHeight + 1;
  }).map((one) => one.outerHTML.slice(0, 120))"""
_CONTROLS: Final = "a, button, input, [tabindex]"


class Served:
    """A club that windows can be opened on, as on a daemon."""

    def __init__(self, server: Server) -> None:
        self.server = server

    def url(self, path: str, host: str) -> str:
        return f"http://{host}:{self.server.port}{path}"


@pytest.fixture
def served(server: Server) -> Daemon:
    return cast("Daemon", Served(server))


@pytest.fixture
def begun(club: ClubDatabase) -> Callable[..., tuple[Board, list[list[str]]]]:
    """Begins a tournament for so many people, who have played at the first table."""

    def begin(players: int, *words: str) -> tuple[Board, list[list[str]]]:
        owner, board = Owner(club), Board(club, "kitchen")
        names = [*NAMES, *(f"Guest {number}" for number in range(players - len(NAMES)))]
        owner.says("new", "--rounds", "2", "--deals", "2", "--seed", "4", *words, "Cup", *names)
        tables = owner.rounds("Cup")[0]
        play(board, tables[0], 1, 2)
        play(board, tables[1], 2, over=False)
        return board, tables

    return begin


def play(board: Board, names: Sequence[str], *winners: int, over: bool = True) -> None:
    board.home.book(*night(names, *winners, over=over))
    board.says("push")


@pytest.mark.parametrize(
    ("players", "words", "locale"),
    [
        (8, (), "en"),
        (16, (), "de"),
        (32, (), "de"),
        (40, (), "de"),
        (12, ("--tables", "2"), "de"),
        (42, ("--tables", "7"), "de"),
    ],
)
def test_a_large_screen_shows_everything_in_large_letters(
    begun: Any, served: Daemon, open_window: OpenWindow, players: int, words: tuple[str, ...],
    locale: str,
) -> None:  # fmt: skip
    begun(players, *words)
    window = open_window(served, path=None, locale=locale)
    found: list[str] = []
    for width, height in ((1920, 1080), (1280, 720), (1080, 1920)):
        window.page.set_viewport_size({"width": width, "height": height})
        # An upright screen is as large as one of its width.
        least = LEAST_LETTER * min(1, width * 9 / 16 / height)
        window.open("/tv")
        window.find("[data-status=done]").wait_for()
        problems = [
            *window.page.evaluate(_SMALL, least),
            *window.page.evaluate(_OUTSIDE),
            *window.find(_CONTROLS).all(),
        ]
        found += [f"{width} × {height}: {problem}" for problem in problems]
    assert window.find("h1").text_content() == (
        "Round 1 of 2" if locale == "en" else "Durchgang 1 von 2"
    )
    assert not [*found, *violations(window)]


def test_a_large_screen_shows_one_part_after_the_other(
    begun: Any, served: Daemon, open_window: OpenWindow
) -> None:
    begun(40)
    window = open_window(served, path=None)
    window.stop_clock()
    window.open("/tv")
    shown = [window.find(f".places:nth-child({number})") for number in (1, 2)]
    shown[0].wait_for()
    assert [part.is_visible() for part in shown] == [True, False]
    assert [part.locator("li").count() for part in shown] == [20, 20]
    window.page.clock.run_for(13_000)
    assert [part.is_visible() for part in shown] == [False, True]


def test_pages_follow_what_is_played_and_say_when_the_club_is_away(
    begun: Any, served: Daemon, open_window: OpenWindow
) -> None:
    board, tables = begun(8)
    large = open_window(served, path="/tv")
    phone = open_window(served, "phone", path="/tournament")
    phone.find(".current [data-status=playing]").wait_for()
    large.find("[data-status=done]").wait_for()
    board.home.book({"do": "end"})
    play(board, tables[1], 3, 3)
    large.find("h1", has_text="Round 2 of 2").wait_for()
    phone.find(".current h3", has_text="Round 2 of 2").wait_for()
    assert phone.find(".current [data-status=waiting]").count() == 2
    row = phone.find("tbody tr", has_text=tables[1][2])
    assert row.locator("td").all_text_contents()[1] == "−4"

    for window in (large, phone):
        window.watch.expect_outages()
    cast("Served", served).server.stop()
    large.find("body.stale").wait_for()


@pytest.mark.parametrize("locale", ["en-GB", "de-DE"])
def test_a_phone_shows_the_table_of_now_first_and_nothing_moves_sideways(
    begun: Any, served: Daemon, open_window: OpenWindow, locale: str
) -> None:
    begun(16)
    phone = open_window(served, "phone", path="/tournament", locale=locale)
    phone.find(".current [data-status=done]").wait_for()
    assert phone.find("main > section").first.get_attribute("class") == "card current"
    assert_nothing(sideways(phone))
    assert not violations(phone)
    phone.tap(".current [data-status=done] a")
    phone.page.wait_for_url("**/nights/*")


def test_paper_shows_who_sits_where_and_nothing_else(
    begun: Any, served: Daemon, open_window: OpenWindow
) -> None:
    _, tables = begun(8)
    window = open_window(served, path="/tournament")
    window.find(".standing").wait_for()
    window.page.emulate_media(media="print")
    assert not any(
        window.find(part).first.is_visible()
        for part in (".standing", ".current", "footer", "header.top", ".round .net", ".round a")
    )
    first = window.find(".round").first
    assert first.is_visible()
    shown = [
        part.locator("li span:first-child").all_text_contents()
        for part in first.locator(".tables > li").all()
    ]
    assert shown == tables
    assert _sheets(window) == 1


def _sheets(window: Window) -> int:
    """How many pages of A4 are printed."""
    return window.page.pdf(format="A4").count(b"/Type /Page\n")
