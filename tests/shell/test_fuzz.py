"""Damaged requests, and requests derived from the API's description. The long version is
`python -m tests.torture.web`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.shell.server_kit import running_house
from tests.torture.web import conform, fuzz


def test_no_damaged_request_gets_a_5xx_or_leaves_anything_behind(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with running_house(tmp_path) as house:
        house.start_night()
        statuses = fuzz(house.port, 1, 400)
        assert statuses[200]
        assert house.get("/healthz").status == 200
        house.command(do="rename", seat=1, name="Anna after all")
    assert caplog.records == []


def test_what_follows_from_the_description_is_answered_as_it_says(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with running_house(tmp_path) as house:
        house.start_night()
        assert conform(house.port, 1, 3) > 30
    assert [record for record in caplog.records if record.name.startswith("pochboard")] == []
