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
