"""Bots at the simulated board: they press its buttons, and people take their seats."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest

from pochboard.bots.bot_table import BotTable, play_night
from pochboard.buttons.press import PressTimes
from pochboard.rules.commands import Command
from pochboard.rules.ruleset_files import shipped_rulesets
from pochboard.rules.seating import resolve_among
from pochboard.sheets import Sheet, SheetPlayer, run_sheet
from pochboard.table.bot_runner import BotOptions, BotRunner, random_seed
from pochboard.table.snapshot import Listener, Snapshot
from pochboard.text.translator import ENGLISH
from tests.shell.server_kit import House, running_house, wait_until
from tests.shell.test_afterwards import NIGHT

ONE_DEAL = {"deals": 1}
FAST = {"seed": "1441", "speed": 100}


def state_of(house: House) -> dict[str, Any]:
    state = house.get("/api/state").json
    assert isinstance(state, dict)
    return state


def start_bots(house: House, **options: Any) -> None:
    answer = house.post("/api/bots", {**FAST, **options})
    assert (answer.status, answer.body) == (201, b"")


def closed(house: House) -> bool:
    state = state_of(house)
    if state["bots"]:
        assert state["bots"]["stuck"] is None, state["bots"]
    return state["phase"] == "closed" and state["bots"] is None


def recorded(house: House) -> list[dict[str, Any]]:
    return [entry["command"] for entry in house.get("/api/nights/1/json").json["entries"]]


def night_of(options: BotOptions) -> list[dict[str, Any]]:
    """The commands of the night that the seed of these options gives, without a board."""
    resolve = resolve_among(shipped_rulesets())
    start = options.start(ENGLISH)
    players = BotTable(options.strategies(), options.seed)
    return [
        msgspec.to_builtins(action)
        for _, action, _ in play_night(start, players, resolve)
        if isinstance(action, Command)
    ]


def as_json(commands: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The command without fields that have their default."""
    kept = msgspec.json.decode(msgspec.json.encode(commands))
    for command in kept:
        for key in [key for key, value in command.items() if value in ({}, None)]:
            del command[key]
    assert isinstance(kept, list)
    return kept


HOLDS_ARE_LONG = PressTimes(
    long_us=1, next_long_us=1, leave_us=1, both_us=1, overlap_us=1, too_soon_us=0
)
"""Every press that takes any time at all is a long one, as on a machine that is very busy."""


@pytest.mark.parametrize("ruleset", ["modern", "thirty-one"])
def test_the_seed_gives_the_night_even_if_every_hold_is_long(tmp_path: Path, ruleset: str) -> None:
    with running_house(tmp_path, times=HOLDS_ARE_LONG) as house:
        check_night_of_seed(house, ruleset)


def check_night_of_seed(house: House, ruleset: str) -> None:
    """Bots press exactly the night that their seed gives without a board."""
    options = BotOptions(ruleset=ruleset, options=ONE_DEAL, seed="1441")
    start_bots(house, ruleset=ruleset, options=ONE_DEAL)
    wait_until("the night is over", lambda: closed(house))
    pressed, meant = as_json(recorded(house)), as_json(night_of(options))
    assert len(pressed) == len(meant)
    for one, other in zip(pressed, meant, strict=True):
        if one["do"] == "showdown":
            # The board sends the hands as soon as they decide every pot (BOARD.md 3).
            other["ranking"] = other["ranking"][: len(one["ranking"])]
        assert one == other
    sheet = house.get("/api/nights/1/sheet").body
    assert run_sheet(Sheet(sheet), SheetPlayer(resolve_among(shipped_rulesets()))) is None


@pytest.mark.parametrize(
    ("dealing", "cards"),
    [({}, 31), ({"hand": "all", "trump": "hearts"}, 32)],
    ids=["all but one", "hearts"],
)
def test_the_state_shows_open_cards_and_no_hidden_ones(
    house: House, dealing: dict[str, Any], cards: int
) -> None:
    options = {**ONE_DEAL, **dealing}
    start_bots(house, ruleset="modern", options=options, players=3, speed=20)
    seen: list[dict[str, Any]] = []

    def over() -> bool:
        state = state_of(house)
        if state["bots"] and state["trump"] and (not seen or seen[-1] != state["bots"]):
            seen.append(state["bots"])
        return state["phase"] == "closed" and state["bots"] is None

    wait_until("the night is over", over)
    laid: list[str] = []
    for bots in seen:
        assert bots["players"] == {"1": "sensible", "2": "bold", "3": "careful"}
        on_table = bots["laid"] + [play["card"] for play in bots["run"]]
        assert len(set(on_table)) == len(on_table)
        # Those that have left a hand are on the table.
        assert sum(bots["held"].values()) + len(on_table) == (cards if bots["held"] else 0)
        if not dealing:
            assert bots["turned"] not in on_table
        laid = on_table
    assert len(laid) > 5
    assert any(bots["shown"] for bots in seen)
    assert any(bots["turned"] for bots in seen) == ("trump" not in dealing)


def play_for_a_person(house: House, seat: int, key: str, did: set[str]) -> bool:
    """Does what the person at this seat has to do; whether the night is over."""
    state = state_of(house)
    waits = state["bots"] and state["bots"]["waits"]
    if waits:
        assert waits["seat"] == seat
        did.add(waits["what"])
        hand = house.get("/api/bots/hand", {"X-Seat-Key": key}).json
        # Until the bots have seen what the person did last, the state still asks for that.
        match waits["what"]:
            case "meld" if state["phase"] == "meld":
                for pool in hand["due"]:
                    assert house.command(do="claim", seat=seat, pool=pool).status in (200, 409)
                assert house.command(do="next").status == 200
            case "bet" if state["to_act"] == seat:
                assert hand["playable"] == []
                chips = max(state["need"], 1)
                assert house.command(do="stake", seat=seat, chips=chips).status == 200
            case "lay" if hand["playable"]:
                # The program has dealt this hand, and knows that it is not empty.
                assert house.command(do="out", seat=seat).code == "known-cards"
                assert seat not in house.get("/api/state").json["actions"].get("out", {})
                lay(house, key, hand)
    return bool(state["phase"] == "closed")


def lay(house: House, key: str, hand: dict[str, Any]) -> None:
    """Plays the first legal card, after trying illegal ones."""
    headers = {"X-Seat-Key": key}
    assert set(hand["playable"]) <= set(hand["cards"])
    elsewhere = next(c for c in ("7S", "8S", "9S", "TS", "7H") if c not in hand["cards"])
    for wrong, status, code in (
        (elsewhere, 409, "bad-cards"),
        ("Joker", 400, "bad-cards"),
    ):
        answer = house.post("/api/bots/cards", {"card": wrong}, headers)
        assert (answer.status, answer.code) == (status, code)
    assert house.post("/api/bots/cards", {"card": hand["playable"][0]}, headers).status == 204


def test_a_person_takes_over_a_seat_and_plays_to_the_end(house: House) -> None:
    start_bots(house, options={"deals": 2}, players=3)
    taken = house.post("/api/bots/seats/2", "")
    assert taken.status == 201
    key = taken.json["key"]
    assert house.post("/api/bots/seats/2", "").code == "seat-taken"
    assert house.get("/api/bots/hand", {"X-Seat-Key": "another"}).code == "unknown-seat"
    assert house.get("/api/bots/hand", {"X-Seat-Key": "\xe4"}).code == "unknown-seat"
    assert house.get("/api/bots/hand").code == "unknown-seat"
    did: set[str] = set()
    wait_until("the night is over", lambda: play_for_a_person(house, 2, key, did))
    assert did == {"meld", "bet", "lay"}
    commands = recorded(house)
    for do in ("claim", "stake"):
        assert any(c["do"] == do and c["seat"] == 2 for c in commands), do
    assert sum(c["do"] == "settle" for c in commands) == 2


def test_bots_need_the_simulated_board_and_a_paired_phone(tmp_path: Path) -> None:
    with running_house(tmp_path, simulated=False) as real:
        assert real.post("/api/bots", FAST).status == 401
        local = {"Authorization": "Bearer the-local-token"}
        assert real.post("/api/bots", FAST, local).code == "no-bots"


def test_the_seed_is_never_sent(house: House) -> None:
    seed = "a word that nobody else knows"
    with house.stream() as stream:
        start_bots(house, options=ONE_DEAL, seed=seed)
        phases: list[str] = []
        while not phases or phases[-1] != "closed":
            data = stream.next("state").data
            phases.append(data["phase"])
            assert seed not in json.dumps(data)
    assert "shed" in phases, "states of the night have been seen"


def test_each_night_has_a_seed_of_128_random_bits() -> None:
    seeds = {random_seed() for _ in range(1000)}
    assert len(seeds) == 1000
    together = [0] * 128
    for seed in seeds:
        assert re.fullmatch("[0-9a-f]{32}", seed)
        for bit in range(128):
            together[bit] += int(seed, 16) >> bit & 1
    # Each bit is random: 1000 fair coins fall outside this range once in 10^20 times.
    assert all(350 < ones < 650 for ones in together)


class SeatTaker(Listener):
    """Takes the seat of the first bot that has put a chip in its hand, in the table's thread."""

    def __init__(self, bots: BotRunner) -> None:
        self._bots = bots
        self.seat: int | None = None
        self.entry = 0

    def on_snapshot(self, snapshot: Snapshot) -> None:
        if self.seat is None and snapshot.pending and snapshot.pending.chips:
            self.seat, self.entry = snapshot.state.to_act, snapshot.entry
            assert self.seat is not None
            seat = self.seat
            key = self._bots.act(lambda session, state: session.take_seat(seat, state.live))
            assert isinstance(key, str)


def test_a_bot_whose_seat_is_taken_in_mid_stake_leaves_it_to_the_person(house: House) -> None:
    assert house.bots
    taker = SeatTaker(house.bots)
    house.table.listen(taker)
    start_bots(house, options=ONE_DEAL)
    wait_until("the person is awaited", lambda: bool((state_of(house)["bots"] or {}).get("waits")))
    state = state_of(house)
    assert state["bots"]["waits"] == {"seat": taker.seat, "what": "bet"}
    assert (state["to_act"], state["entry"]) == (taker.seat, taker.entry)


@pytest.fixture
def family(house: House) -> House:
    """A house in which people have played a night."""
    for command in NIGHT:
        assert house.post("/api/commands", command).status == 200
    return house


def play_bots(house: House) -> None:
    """Bots play a night, and it is ended."""
    assert house.post("/api/bots", {"players": 4, "ruleset": "banker", "speed": 0.25}).status == 201
    assert house.ask("DELETE", "/api/bots").status == 204
    wait_until("the bots to leave", lambda: house.get("/api/state").json["bots"] is None)
    house.command(do="void")
    assert house.command(do="end").status == 200


def numbers(house: House, query: str = "") -> list[int]:
    return [night["number"] for night in house.get(f"/api/nights{query}").json]


def lobby(house: House) -> dict[str, Any]:
    new = house.get("/api/state").json["new_night"]
    return {
        "players": [(player["place"], player["name"]) for player in new["players"]],
        "ruleset": new["ruleset"],
    }


def test_a_night_of_bots_is_kept_apart(family: House) -> None:
    people = family.get("/api/statistics").json["people"]
    last = family.get("/api/state").json
    play_bots(family)
    assert (numbers(family), numbers(family, "?bots=1")) == ([1], [2, 1])
    assert family.get("/api/statistics").json["people"] == people
    seen = [(row["place"], row["name"]) for row in last["rows"]]
    assert lobby(family) == {"players": seen, "ruleset": "modern"}
    # Another night of bots continues none either.
    play_bots(family)
    assert lobby(family)["players"] == seen


def test_a_night_of_bots_counts_if_somebody_says_so(family: House) -> None:
    play_bots(family)
    counted = {"about": "night-of-bots", "night": 2, "bots": False}
    assert family.post("/api/remarks", counted).status == 204
    assert numbers(family) == [2, 1]
    assert family.post("/api/remarks", {**counted, "bots": True}).status == 204
    assert numbers(family) == [1]
