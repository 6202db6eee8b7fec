"""Bots at the simulated board: they press its buttons, and people take their seats."""

from __future__ import annotations

import re
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from pochboard.bots.table import BotCommand, BotTable, play_night
from pochboard.demo.options import DemoOptions
from pochboard.rules.ruleset import SHIPPED, shipped_rulesets
from pochboard.rules.seating import resolve_among
from pochboard.sheets.lines import read_sheet
from pochboard.sheets.play import SheetPlayer, run_sheet
from tests.shell.daemons import Home
from tests.shell.server_kit import House, house, wait_until

ONE_DEAL = {"deals": 1}
FAST = {"seed": "1441", "speed": 100}


@pytest.fixture
def table(tmp_path: Path) -> Iterator[House]:
    with house(tmp_path) as running:
        yield running


def state_of(table: House) -> dict[str, Any]:
    state = table.get("/api/state").json
    assert isinstance(state, dict)
    return state


def invite(table: House, **wish: Any) -> None:
    answer = table.post("/api/demo", {**FAST, **wish})
    assert (answer.status, answer.body) == (201, b"")


def closed(table: House) -> bool:
    state = state_of(table)
    if state["demo"]:
        assert state["demo"]["stuck"] is None, state["demo"]
    return state["phase"] == "closed" and state["demo"] is None


def booked(table: House) -> list[dict[str, Any]]:
    return [entry["command"] for entry in table.get("/api/nights/1/entries").json]


def night_of(options: DemoOptions) -> list[dict[str, Any]]:
    """The commands of the night that the seed of these options gives, without a board."""
    resolve = resolve_among(shipped_rulesets())
    start = options.start()
    players = BotTable(options.strategies(), options.seed)
    return [
        msgspec.to_builtins(action.command)
        for _, action, _ in play_night(start, players, resolve)
        if isinstance(action, BotCommand)
    ]


def as_json(commands: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Without what a command says only by leaving it out."""
    kept = msgspec.json.decode(msgspec.json.encode(commands))
    for command in kept:
        for key in [key for key, value in command.items() if value in ({}, None)]:
            del command[key]
    assert isinstance(kept, list)
    return kept


@pytest.mark.parametrize("ruleset", SHIPPED)
def test_the_buttons_say_the_night_that_the_seed_gives(table: House, ruleset: str) -> None:
    wish = DemoOptions(ruleset=ruleset, options=ONE_DEAL, seed="1441")
    invite(table, ruleset=ruleset, options=ONE_DEAL)
    wait_until("the night is over", lambda: closed(table))
    pressed, meant = as_json(booked(table)), as_json(night_of(wish))
    assert len(pressed) == len(meant)
    for one, other in zip(pressed, meant, strict=True):
        if one["do"] == "showdown":
            # The board sends the hands as soon as they decide every pot (BOARD.md 3).
            other["ranking"] = other["ranking"][: len(one["ranking"])]
        assert one == other
    sheet = table.get("/api/nights/1/sheet").body
    assert run_sheet(read_sheet(sheet), SheetPlayer(resolve_among(shipped_rulesets()))) is None


def test_everybody_sees_what_lies_open_and_nobody_what_is_hidden(table: House) -> None:
    invite(table, options=ONE_DEAL, players=3, speed=20)
    seen: list[dict[str, Any]] = []

    def over() -> bool:
        state = state_of(table)
        if state["demo"] and state["turned"] and (not seen or seen[-1] != state["demo"]):
            seen.append(state["demo"])
        return state["phase"] == "closed" and state["demo"] is None

    wait_until("the night is over", over)
    laid: list[str] = []
    for demo in seen:
        assert demo["players"] == {"1": "sensible", "2": "bold", "3": "careful"}
        on_table = demo["laid"] + [one["card"] for one in demo["run"]]
        assert len(set(on_table)) == len(on_table)
        # 31 cards are dealt to three; what has left the hands lies on the table.
        assert sum(demo["held"].values()) + len(on_table) == 31
        assert demo["turned"] not in on_table
        laid = on_table
    assert len(laid) > 5
    assert any("leads" in line for demo in seen for line in demo["lines"])
    assert any(demo["shown"] for demo in seen)


def play_for_a_person(table: House, seat: int, key: str, did: set[str]) -> bool:
    """Does what a person at this seat is awaited to do; whether the night is over."""
    state = state_of(table)
    waits = state["demo"] and state["demo"]["waits"]
    if waits:
        assert waits["seat"] == seat
        did.add(waits["what"])
        hand = table.get("/api/demo/hand", {"X-Seat-Key": key}).json
        # Until the bots have seen what the person did last, the state still asks for that.
        match waits["what"]:
            case "meld" if state["phase"] == "meld":
                for pool in hand["due"]:
                    assert table.command(do="claim", seat=seat, pool=pool).status in (200, 409)
                assert table.command(do="next").status == 200
            case "bet" if state["to_act"] == seat:
                assert hand["playable"] == []
                chips = max(state["need"], 1)
                assert table.command(do="stake", seat=seat, chips=chips).status == 200
            case "lay" if hand["playable"]:
                lay(table, key, hand)
    return bool(state["phase"] == "closed")


def lay(table: House, key: str, hand: dict[str, Any]) -> None:
    """Lays the first card that may be laid, after trying what may not."""
    headers = {"X-Seat-Key": key}
    assert set(hand["playable"]) <= set(hand["cards"])
    elsewhere = next(c for c in ("7S", "8S", "9S", "TS", "7H") if c not in hand["cards"])
    for wrong, status, code in (
        (elsewhere, 409, "bad-cards"),
        ("Joker", 400, "bad-cards"),
    ):
        answer = table.post("/api/demo/cards", {"card": wrong}, headers)
        assert (answer.status, answer.code) == (status, code)
    assert table.post("/api/demo/cards", {"card": hand["playable"][0]}, headers).status == 204


def test_a_person_takes_over_a_seat_and_plays_to_the_end(table: House) -> None:
    invite(table, options={"deals": 2}, players=3)
    taken = table.post("/api/demo/seats/2", "")
    assert taken.status == 201
    key = taken.json["key"]
    assert table.post("/api/demo/seats/2", "").code == "seat-taken"
    assert table.get("/api/demo/hand", {"X-Seat-Key": "another"}).code == "unknown-seat"
    assert table.get("/api/demo/hand", {"X-Seat-Key": "\xe4"}).code == "unknown-seat"
    assert table.get("/api/demo/hand").code == "unknown-seat"
    did: set[str] = set()
    wait_until("the night is over", lambda: play_for_a_person(table, 2, key, did))
    assert did == {"meld", "bet", "lay"}
    commands = booked(table)
    assert any(c["do"] == "stake" and c["seat"] == 2 for c in commands)
    assert sum(c["do"] == "settle" for c in commands) == 2


def test_the_house_plays_a_seat_again_that_is_given_back(table: House) -> None:
    invite(table, options=ONE_DEAL)
    key = table.post("/api/demo/seats/1", "").json["key"]
    wait_until("a person is awaited", lambda: bool((state_of(table)["demo"] or {}).get("waits")))
    assert state_of(table)["demo"]["players"]["1"] == "person"
    assert table.ask("DELETE", "/api/demo/seats/1").status == 204
    assert table.ask("DELETE", "/api/demo/seats/1").code == "unknown-seat"
    assert table.get("/api/demo/hand", {"X-Seat-Key": key}).status == 409
    wait_until("the night is over", lambda: closed(table))


def test_a_new_speed_shows_at_once_also_while_a_person_is_awaited(table: House) -> None:
    invite(table, speed=1)
    assert table.post("/api/demo/seats/1", "").status == 201
    assert table.post("/api/demo/speed", {"speed": 50}).status == 204
    wait_until("a person is awaited", lambda: bool(state_of(table)["demo"]["waits"]))
    assert table.post("/api/demo/speed", {"speed": 3}).status == 204
    wait_until("the page is told", lambda: state_of(table)["demo"]["speed"] == 3)


def test_a_seat_that_was_taken_and_has_gone_home_holds_no_cards(table: House) -> None:
    invite(table, speed=1)
    key = table.post("/api/demo/seats/2", "").json["key"]
    assert table.command(do="leave", seat=2).status == 200
    assert table.post("/api/demo/speed", {"speed": 100}).status == 204
    wait_until("a card is turned up", lambda: state_of(table)["turned"] is not None)
    hand = table.get("/api/demo/hand", {"X-Seat-Key": key})
    assert hand.status == 200
    assert hand.json == {
        "seat": 2,
        "cards": [],
        "playable": [],
        "due": [],
        "prompt": "Your seat takes no part now.",
        "actions": [],
    }


def test_persons_may_take_back_recount_and_void_in_between(table: House) -> None:
    invite(table, options={"deals": 1, "last_deal_to_poch": True}, speed=60)
    for do in ("undo", "void", "undo", "undo"):
        entry = state_of(table)["entry"]
        wait_until("the house goes on", lambda at=entry: state_of(table)["entry"] > at + 3)
        table.command(do=do)
    moved = {"from": "bank", "to": "pool:poch", "chips": 3, "reason": "found under the table"}
    wait_until("a recount is booked", lambda: table.command(do="adjust", **moved).status == 200)
    wait_until("the night is over", lambda: closed(table))
    assert {"undo", "void", "adjust"} <= {command["do"] for command in booked(table)}


def test_a_card_turned_up_that_was_not_dealt_so_is_a_misdeal(table: House) -> None:
    invite(table, options=ONE_DEAL, speed=1)
    wait_until("a card is turned up", lambda: state_of(table)["turned"] is not None)
    turned = state_of(table)["turned"]
    other = "7S" if turned != "7S" else "8S"
    assert table.command(do="undo").status == 200
    assert table.command(do="turn", card=other).status == 200
    assert table.post("/api/demo/speed", {"speed": 100}).status == 204
    wait_until("the night is over", lambda: closed(table))
    assert "void" in [command["do"] for command in booked(table)]


def test_they_leave_when_they_are_sent_away_and_the_night_stays(table: House) -> None:
    invite(table)
    wait_until("they play", lambda: state_of(table)["phase"] != "idle")
    assert table.ask("DELETE", "/api/demo").status == 204
    state = state_of(table)
    assert state["demo"] is None
    assert state["phase"] not in ("none", "closed")
    assert table.ask("DELETE", "/api/demo").code == "no-demo"
    assert table.post("/api/demo/speed", {"speed": 2}).code == "no-demo"
    assert table.post("/api/demo/seats/1", "").code == "no-demo"
    assert table.ask("DELETE", "/api/demo/seats/1").code == "no-demo"
    assert table.get("/api/demo/hand").code == "no-demo"
    assert table.post("/api/demo/cards", {"card": "TH"}).code == "no-demo"
    answer = table.post("/api/demo", FAST)
    assert (answer.status, answer.code) == (409, "wrong-phase")


@pytest.mark.parametrize(
    ("wish", "status", "code"),
    [
        ({"ruleset": "whist"}, 400, "bad-ruleset"),
        ({"options": {"stack": 0}}, 400, "bad-ruleset"),
        ({"players": 2}, 400, "bad-players"),
        ({"players": 9}, 400, "bad-players"),
        ({"speed": 0}, 400, "bad-argument"),
        ({"speed": 1000}, 400, "bad-argument"),
        ({"players": "four"}, 400, "bad-argument"),
        ({"jokers": 2}, 400, "bad-argument"),
    ],
)
def test_a_wish_that_cannot_be_met_changes_nothing(
    table: House, wish: dict[str, Any], status: int, code: str
) -> None:
    answer = table.post("/api/demo", wish)
    assert (answer.status, answer.code) == (status, code)
    state = state_of(table)
    assert (state["phase"], state["demo"]) == ("none", None)


def test_they_need_the_simulated_board_and_a_paired_phone(tmp_path: Path) -> None:
    with house(tmp_path, simulated=False) as real:
        assert real.post("/api/demo", FAST).status == 401
        local = {"Authorization": "Bearer the-local-token"}
        assert real.post("/api/demo", FAST, local).code == "no-demo"


def test_they_go_on_when_the_boards_link_comes_back(table: House) -> None:
    invite(table, options=ONE_DEAL)
    wait_until("they play", lambda: state_of(table)["phase"] == "meld")
    table.simulator.lose_link()
    table.simulator.regain_link()
    wait_until("the night is over", lambda: closed(table))


def test_the_command_plays_in_a_ledger_of_its_own(tmp_path: Path) -> None:
    home = Home(tmp_path)
    words = ("--port", "0", "--speed", "100", "--players", "3", "--seed", "7")
    for night in (1, 2):
        daemon = home.launch(*words, command="demo")
        try:
            assert daemon.process.stdout is not None
            said = iter(daemon.process.stdout.readline, b"")
            until = next_with(said, "The table is set")
            daemon.port = int(re.findall(r":(\d+)", until)[0])
            assert "seed 7" in next_with(said, "Bots are")
            assert f"{home.data}/demo" in next_with(said, "--data")
            wait_until("they play", lambda d=daemon: d.state["deal"] > 0)
            # What an earlier demo left open is ended.
            assert daemon.state["night"] == night
            status, last = daemon.stop(signal.SIGINT)
            assert (status, last) == (0, "Good night.\n")
        finally:
            assert daemon.errors == ""
            daemon.close()
    assert "modern" in home.here("nights", "--data", home.data / "demo").out
    assert not home.ledger.exists()


def next_with(lines: Iterator[bytes], words: str) -> str:
    return next(line.decode() for line in lines if words in line.decode())


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--ruleset", "whist"), "no ruleset 'whist'"),
        (("--players", "2"), "3"),
        (("--players", "9"), "8 places"),
        (("--speed", "0"), "0.1"),
        (("--option", "stack=0"), "stack"),
        (("--option", "stack"), "parameter and its value"),
        (("--speed", "nan"), "a number"),
        (("--seed", "x" * 65), "64"),
        (("--lan", "--host", "localhost"), "not both"),
    ],
)
def test_a_wrong_use_of_the_command_is_one_sentence(
    tmp_path: Path, words: tuple[str, ...], says: str
) -> None:
    ran = Home(tmp_path).cli("demo", "--port", "0", *words)
    assert ran.status == 2
    assert says in ran.err.splitlines()[-1]


def test_each_run_is_paid_once_also_where_a_person_is_quick_or_pays_it(table: House) -> None:
    invite(table, ruleset="thirty-one", players=3, options=ONE_DEAL, speed=20)
    key = table.post("/api/demo/seats/3", "").json["key"]
    headers = {"X-Seat-Key": key}
    own: list[int] = []
    runs: list[tuple[int, tuple[str, ...]]] = []

    def over() -> bool:
        state = state_of(table)
        demo = state["demo"]
        if state["phase"] == "closed" or demo is None:
            return bool(state["phase"] == "closed")
        if demo["taker"] and state["phase"] == "shed":
            run = demo["taker"], tuple(one["card"] for one in demo["run"])
            if not runs or runs[-1] != run:
                runs.append(run)
                if demo["taker"] == 3 and not own:
                    own.append(table.command(do="go", seat=3).status)
        hand = table.get("/api/demo/hand", headers).json
        if hand.get("playable"):
            table.post("/api/demo/cards", {"card": hand["playable"][0]}, headers)
        elif demo["waits"] and demo["waits"]["what"] == "meld":
            table.command(do="next")
        elif demo["waits"] and demo["waits"]["what"] == "bet":
            table.command(do="pass", seat=3)
        return False

    wait_until("the night is over", over)
    paid = [command["seat"] for command in booked(table) if command["do"] == "go"]
    assert len(paid) == len(runs)
    assert sorted(paid) == sorted(taker for taker, _ in runs)


def test_somebody_else_s_command_is_not_taken_for_ones_own(table: House) -> None:
    invite(table, options=ONE_DEAL, speed=4)
    for number in range(12):
        entry = state_of(table)["entry"]
        wait_until("something is booked", lambda at=entry: state_of(table)["entry"] > at)
        table.command(do="rename", seat=1 + number % 4, name=f"Guest {number}")
    table.post("/api/demo/speed", {"speed": 100})
    wait_until("the night is over", lambda: closed(table))
    said = [line for line in booked(table) if line["do"] == "turn"]
    assert len(said) == 1


def test_who_joins_is_played_by_the_house_until_somebody_takes_the_seat(table: House) -> None:
    invite(table, players=3, options={"deals": 2}, speed=1)
    assert table.command(do="join", name="Emil", place=6).status == 200
    assert table.post("/api/demo/speed", {"speed": 100}).status == 204
    wait_until("the night is over", lambda: closed(table))
    assert [c["do"] for c in booked(table)].count("settle") == 2


def test_a_seat_that_is_taken_while_its_button_is_pressed_is_played_by_the_person(
    table: House,
) -> None:
    invite(table, options=ONE_DEAL, speed=0.2)
    table.post("/api/demo/speed", {"speed": 100})
    wait_until("the betting begins", lambda: state_of(table)["phase"] == "pochen")
    table.post("/api/demo/speed", {"speed": 0.3})
    state = state_of(table)
    seat = state["to_act"]
    assert table.post(f"/api/demo/seats/{seat}", "").status == 201
    after = state_of(table)["entry"]
    wait_until("the person is awaited", lambda: bool(state_of(table)["demo"]["waits"]))
    assert state_of(table)["to_act"] == seat
    assert state_of(table)["entry"] == after
