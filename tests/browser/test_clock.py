"""A phone's time is offered while no network has set the clock of the board."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pochboard.table import clock as machine_clock
from pochboard.table.clock import now_ms
from tests.browser.conftest import OpenWindow
from tests.shell.server_kit import running_house, wait_until

AHEAD_MS = 5 * 365 * 24 * 3_600_000


@pytest.mark.parametrize("how", ["use", "not"])
def test_a_phone_s_time_is_offered_once_if_it_differs(
    how: str, open_window: OpenWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(machine_clock, "is_set", lambda _: False)
    with running_house(tmp_path) as running:
        home: Any = running
        home.url = lambda path, _: f"http://127.0.0.1:{running.port}{path}"
        clock = running.table.clock
        same = open_window(home)
        same.wait_until_live()
        ahead = open_window(home, "phone", path=None)
        ahead.page.add_init_script(f"const real = Date.now; Date.now = () => real() + {AHEAD_MS};")
        ahead.open("/")
        question = ahead.find("#clock")
        question.get_by_text("No network has set the clock of this board").wait_for()
        question.locator(f".{how}").tap()
        question.locator("section").wait_for(state="detached")
        if how == "use":
            wait_until("it is used", lambda: clock.is_of_a_phone)
            assert abs(clock.now_ms() - now_ms() - AHEAD_MS) < 600_000
        else:
            assert not clock.is_of_a_phone
        assert same.find("#clock section").count() == 0
        for window in (ahead, same):
            window.page.close()


def test_every_page_writes_and_reads_times_in_the_zone_of_the_board(
    open_window: OpenWindow, tmp_path: Path
) -> None:
    """A phone in Tokyo at a board in Berlin, where a night began at half past midnight."""
    sheet = (
        '{"night": {"begun": "2026-11-14T23:30:00Z"}}\n'
        '{"do": "start", "ruleset": "modern", "players": ["Anna", "Ben", "Clara"]}\n{"do": "end"}\n'
    )
    with running_house(tmp_path) as running:
        home: Any = running
        home.url = lambda path, _: f"http://127.0.0.1:{running.port}{path}"
        assert running.put("/api/board/settings", {"zone": "Europe/Berlin"}).status == 204
        assert running.post("/api/nights", sheet, {"Content-Type": "text/plain"}).status == 201
        window = open_window(home, "phone", path="/nights", timezone_id="Asia/Tokyo")
        window.find("li h2").get_by_text("November 15, 2026").wait_for()
        window.find("li summary").first.tap()
        began = window.find("input[name=began]")
        assert began.input_value() == "2026-11-15T00:30"
        began.fill("2026-11-13T21:15")
        window.find(".redate button").tap()
        window.find("li h2").get_by_text("November 13, 2026").wait_for()
        assert running.get("/api/nights").json[0]["started_ms"] == 1_794_600_900_000
        window.open("/nights/1")
        window.find("#headline").get_by_text("November 13, 2026").wait_for()
        assert "21:15" in window.find("main").inner_text()
        # Whoever moves the board to another zone sees the same night there.
        window.open("/")
        running.start_night()
        assert running.put("/api/board/settings", {"zone": "Asia/Tokyo"}).status == 204
        window.page.wait_for_function("document.body.dataset.zone === 'Asia/Tokyo'")
        window.page.close()
