"""A practice deal over HTTP: it does not count, and leaves the table free."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest

from pochboard.messages.practice import LessonName
from tests.shell.server_kit import Answer, House, running_house, wait_until

LOCAL = {"Authorization": "Bearer the-local-token"}


@pytest.fixture(params=[True, False], ids=["simulated", "real"])
def house(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[House]:
    """A daemon with either kind of board: at a real one nothing presses its buttons."""
    with running_house(tmp_path, simulated=request.param) as running:
        yield running


class Learner:
    """A person who begins the practice and does what the coach says."""

    def __init__(self, house: House, name: str = "Lena") -> None:
        self._house = house
        self._headers = LOCAL
        begun = self._post("/api/bots/practice", {"name": name})
        assert begun.status == 201, begun
        assert begun.json["seat"] == 1
        self._headers = {**LOCAL, "X-Seat-Key": begun.json["key"]}

    def hand(self) -> Any:
        return self._house.get("/api/bots/hand", self._headers).json

    def read(self, lesson: str) -> None:
        wait_until(lesson, lambda: self.hand()["lesson"]["button"])
        assert self.hand()["lesson"]["name"] == lesson
        assert self._post("/api/bots/lessons", {"read": lesson}).status == 204

    def play(self) -> set[str]:
        """Plays to the end; returns the lessons in which there was something to do."""
        seen: set[str] = set()
        self._post("/api/bots/speed", {"speed": 100})
        while True:
            wait_until("something to do", self._is_asked)
            if self._is_over():
                return seen
            hand = self.hand()
            if hand.get("lesson"):
                seen.add(hand["lesson"]["name"])
                if self._act(hand):
                    self._wait_until_it_has_happened(hand)

    def _wait_until_it_has_happened(self, before: Any) -> None:
        wait_until("it has happened", lambda: self._is_over() or self.hand() != before)

    def _is_over(self) -> bool:
        return bool(self._house.get("/api/state").json["phase"] == "closed")

    def _is_asked(self) -> bool:
        hand = self.hand()
        asked = (
            hand.get("actions") or hand.get("playable") or (hand.get("lesson") or {}).get("button")
        )
        return bool(asked) or self._is_over()

    def _act(self, hand: Any) -> bool:
        """Does what the coach says; returns whether there was something to do."""
        lesson = hand["lesson"]
        if lesson["button"]:
            self._post("/api/bots/lessons", {"read": lesson["name"]})
        elif hand["playable"]:
            card = next(card for card in lesson["marked"] if card in hand["playable"])
            self._post("/api/bots/cards", {"card": card})
        else:
            main = next((action for action in hand["actions"] if action["main"]), None)
            if main is None:
                return False
            self._post("/api/commands", main["command"])
        return True

    def _post(self, path: str, body: object) -> Answer:
        return self._house.post(path, body, self._headers)


def assert_it_does_not_count(house: House) -> None:
    wait_until("the end", lambda: house.get("/api/state").json["bots"] is None)
    state = house.get("/api/state").json
    assert (state["phase"], state["bots"]) == ("closed", None)
    assert (state["new_night"]["players"], state["new_night"]["earlier"]) == ([], [])
    assert house.get("/api/nights").json == []
    assert [night["section"] for night in house.get("/api/nights?bots=1").json] == ["bots"]
    assert house.get("/api/statistics").json["people"] == []


def test_a_learner_who_does_as_told_sees_every_lesson_and_wins(house: House) -> None:
    assert Learner(house).play() | {"watch"} == set(get_args(LessonName))
    standings = house.get("/api/state").json["standings_rows"]
    assert (standings[0]["name"], standings[0]["rank"]) == ("Lena", 1)
    assert_it_does_not_count(house)


def test_nothing_is_claimed_before_the_coach_has_spoken_of_it(house: House) -> None:
    learner = Learner(house)
    learner.read("welcome")
    learner.read("board")
    offered: dict[str, bool] = {}

    def is_trump_taught() -> bool:
        hand = learner.hand()
        if hand["cards"]:
            offered[hand["lesson"]["name"]] = bool(hand["due"] or hand["actions"])
        return "trump" in offered

    wait_until("the lesson about the trump", is_trump_taught)
    assert offered == {"board": False, "trump": False}
    learner.read("trump")
    wait_until("something to claim", lambda: learner.hand()["due"])
    assert learner.hand()["lesson"]["name"] == "meld"


def test_a_practice_that_is_left_ends_its_night(house: House) -> None:
    learner = Learner(house)
    learner.read("welcome")
    learner.read("board")
    wait_until("the cards", lambda: len(learner.hand()["cards"]) == 8)
    assert house.post("/api/bots/practice", {}, LOCAL).status == 409
    state = house.get("/api/state").json
    assert (state["names"]["1"], state["bots"]["practice"]) == ("Lena", True)
    assert house.ask("DELETE", "/api/bots", None, LOCAL).status == 204
    assert_it_does_not_count(house)
