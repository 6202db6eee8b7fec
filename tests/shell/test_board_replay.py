"""The board follows a replay between nights, and shows the table again in time (BOARD.md 4)."""

from __future__ import annotations

from pathlib import Path

from pochboard.lights.lights_config import LightsConfig
from tests.count_reader import read_counts
from tests.shell.server_kit import House, running_house

LOOK = LightsConfig()
NOBODY = {"X-Forwarded-For": "192.168.1.20"}


def counts(house: House) -> tuple[int | None, ...] | None:
    """The chips that the board shows."""
    return read_counts(house.table.frame, LOOK)


def play_a_night(house: House) -> None:
    """Entry 2 is a deal, 3 a claim, and then everything is taken back."""
    house.start_night("Anna", "Ben", "Clara")
    for fields in (
        {"do": "deal"},
        {"do": "claim", "seat": 2, "pool": "ace"},
        {"do": "void"},
        {"do": "end"},
    ):
        assert house.command(**fields).status == 200


def follow(house: House, entry: int, client: str = "one", *, keep: bool = False) -> str:
    body = {"night": 1, "entry": entry, "client": client, "keep": keep}
    answer = house.ask("PUT", "/api/board/replay", body)
    return "" if answer.status == 204 else answer.code


def is_over(house: House) -> bool:
    return house.table.snapshot.replayed is None and follow(house, 2, keep=True) == "replay-over"


def test_the_board_follows_a_replay_until_something_happens(tmp_path: Path) -> None:
    with running_house(tmp_path) as house:
        play_a_night(house)
        dealt, claimed, at_the_end = (3,) * 9, (0, *(3,) * 8), (0,) * 9
        assert follow(house, 2) == ""
        assert counts(house) == dealt
        assert follow(house, 3, keep=True) == ""
        assert counts(house) == claimed
        line = house.get("/api/state").json["guidance"]["lines"][0]
        assert (
            line == "The board shows the replay of night 1. The next press on it ends the replay."
        )
        # Only paired clients may do this, and only with entries that exist.
        body = {"night": 1, "entry": 2}
        assert house.ask("PUT", "/api/board/replay", body, NOBODY).code == "not-paired"
        assert follow(house, 9) == "bad-argument"
        assert house.ask("PUT", "/api/board/replay", {"night": 7, "entry": 1}).status == 404
        assert counts(house) == claimed
        # A second phone takes over, and only it can let go.
        assert follow(house, 2, "two") == ""
        assert follow(house, 3, "one", keep=True) == "replay-over"
        house.ask("DELETE", "/api/board/replay", {"client": "one"})
        assert counts(house) == dealt
        house.ask("DELETE", "/api/board/replay", {"client": "two"})
        assert counts(house) == at_the_end
        assert is_over(house)
        # A press acts as always, even one that is refused.
        for button in ("seat4", "ace"):
            assert follow(house, 2) == ""
            house.post("/api/board/press", {"button": button, "ms": 20})
            assert is_over(house)
        assert house.table.snapshot.pending is not None
        # So does a change of the board without a press.
        assert follow(house, 2) == ""
        house.table.pairings.open()
        assert is_over(house)
        assert follow(house, 2) == ""
        house.start_night("Anna", "Ben", "Clara")
        assert house.table.snapshot.replayed is None
        assert follow(house, 2) == "wrong-phase"
