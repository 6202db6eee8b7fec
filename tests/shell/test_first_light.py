"""The first light over the API: what the board shows, what it hears, and what is kept."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pochboard.table import first_light
from pochboard.table.first_light import DIGITS
from tests.shell.server_kit import House, running_house, wait_until
from tests.shell.test_server_pairing import pair

NOBODY = {"X-Forwarded-For": "192.168.1.20"}


def lit(house: House) -> set[int]:
    pixels = house.get("/api/board").json["pixels"]
    return {number for number, colour in enumerate(pixels) if colour != "#000000"}


def post(house: House, **body: Any) -> dict[str, Any]:
    answer = house.ask("POST", "/api/build", body)
    assert answer.status == 200, answer
    assert isinstance(answer.json, dict)
    return answer.json


def press(house: House, button: str) -> None:
    assert house.post("/api/board/press", {"button": button, "ms": 1}).status == 200


def through_the_contacts(house: House) -> dict[str, Any]:
    """Presses what is asked for, until the questions are about something else."""
    shown = post(house)
    while shown["section"] == "contacts" and shown["ask"]:
        if shown["ask"] != "rest":
            press(house, shown["ask"].removeprefix("press "))
        shown = post(house, ask=shown["ask"])
    return shown


def test_the_board_asks_hears_names_a_fault_and_goes_on(tmp_path: Path) -> None:
    with running_house(tmp_path) as house:
        dark = lit(house)
        shown = post(house)
        assert (shown["ask"], shown["listens"], shown["rests"]) == ("rest", True, True)
        assert post(house, ask="rest")["ask"] == "press ace"
        assert lit(house) == set(range(12))
        # The wire of the ace is on the pin of the king, whose own wire is elsewhere.
        press(house, "king")
        assert house.get("/api/state").json["board"]["test"]["heard"] == ["king"]
        assert post(house, ask="press ace")["ask"] == "press king"
        assert house.get("/api/state").json["board"]["test"]["heard"] == []
        # An answer that comes twice changes nothing.
        assert post(house, ask="press ace", said="silent")["ask"] == "press king"
        press(house, "ace")
        post(house, ask="press king")
        shown = through_the_contacts(house)
        assert shown["fault"] == "Ace and King are swapped."
        assert (shown["ask"], shown["section"]) == ("", "contacts")
        assert shown["marks"]["button ace"] == shown["marks"]["button king"] == "wrong"
        assert shown["marks"]["button seat2"] == "right"
        assert [one["state"] for one in shown["sections"]] == ["wrong", *["open"] * 4]
        assert house.table.snapshot.pending is None, "the presses were only heard"
        # Once it is fixed, only this part is asked for again.
        assert post(house, again="contacts")["ask"] == "rest"
        assert through_the_contacts(house)["ask"] == "red"
        assert house.ask("DELETE", "/api/build").status == 204
        assert lit(house) == dark
        press(house, "seat2")
        assert house.table.snapshot.pending is not None


def test_the_answers_are_kept_for_the_next_time(tmp_path: Path) -> None:
    with running_house(tmp_path) as house:
        assert through_the_contacts(house)["ask"] == "red"
    with running_house(tmp_path) as house:
        shown = house.get("/api/build").json
        assert (shown["ask"], shown["marks"]["button jack"]) == ("red", "right")
        assert lit(house) == set(), "until somebody goes on"
        for ask, said in (("red", "absent"), ("full", "absent")):
            shown = post(house, ask=ask, said=said)
        assert shown["ask"] == "display"
        test = house.table.snapshot.test
        assert test is not None
        assert test.digits == DIGITS
        assert post(house, ask="display", said="yes")["ask"] == "sound"
        test = house.table.snapshot.test
        assert test is not None
        assert test.tune == "claim"
        shown = post(house, ask="sound", said="rising")
        assert (shown["ask"], shown["fault"]) == ("", "")
        states = [one["state"] for one in shown["sections"]]
        assert states == ["right", "absent", "absent", "right", "right"]
        assert len(shown["tunes"]) == 9
        post(house, tune="knock")
        test = house.table.snapshot.test
        assert test is not None
        assert test.tune == "knock"
        assert post(house, again="all")["ask"] == "rest"


def test_as_long_as_no_phone_is_paired_anybody_may_test(tmp_path: Path) -> None:
    """Pairing takes `next` and five rings, which a board under construction need not have."""
    with running_house(tmp_path, simulated=False) as house:
        assert house.ask("POST", "/api/build", {}, NOBODY).json["ask"] == "rest"
        assert house.ask("DELETE", "/api/build", headers=NOBODY).status == 204
        assert house.table.snapshot.test is None
        headers = {**NOBODY, "Cookie": pair(house).cookie}
        assert house.ask("POST", "/api/build", {}, NOBODY).code == "not-paired"
        assert house.ask("DELETE", "/api/build", headers=NOBODY).code == "not-paired"
        assert house.ask("POST", "/api/build", {}, headers).status == 200


def test_it_is_for_the_time_between_nights_and_ends_by_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with running_house(tmp_path) as house:
        post(house)
        assert (
            house.ask("POST", "/api/build", {"ask": "rest", "said": "elf"}).code == "bad-argument"
        )
        assert house.ask("POST", "/api/build", {"again": "elf"}).status == 400
        monkeypatch.setattr(first_light, "SILENCE_US", 100_000)
        post(house)
        wait_until("it has ended", lambda: house.table.snapshot.test is None)
        house.start_night()
        assert house.ask("POST", "/api/build", {}).code == "wrong-phase"
