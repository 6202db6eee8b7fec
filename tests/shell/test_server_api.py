"""The API over HTTP: answers, refusals and their statuses."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from pochboard.errors import UnknownOutcomeError
from pochboard.lights.lights_config import LightsConfig
from pochboard.rules.state import public_state
from pochboard.server.web_files import static_path
from tests.shell.server_kit import House, running_house


def test_the_state_of_a_deal(house: House) -> None:
    house.start_night("Anna", "Ben", "Clara")
    house.command(do="deal")
    house.command(do="turn", card="9H")
    state = house.get("/api/state").json
    assert public_state(house.table.snapshot.state).items() <= state.items()
    assert state["names"] == {"1": "Anna", "2": "Ben", "3": "Clara"}
    assert state["ruleset"]["name"] == "modern"
    assert state["ruleset"]["parameters"]["bet_pool"] == "poch"
    assert (state["turned"], state["trump"]) == ("9H", "H")
    assert state["hand_sizes"] == {"1": 10, "2": 11, "3": 10}
    assert state["entry"] == 3
    assert state["actions"]["undo"]["sentence"] == state["last_sentence"]
    house.command(do="next")
    house.command(do="stake", seat=2, chips=4)
    state = house.get("/api/state").json
    assert (state["to_act"], state["need"]) == (3, 4)


def test_an_unchanged_state_is_304(house: House) -> None:
    tag = house.get("/api/state").headers["etag"]
    for known in (tag, f"W/{tag}", f'"0", {tag}', "*"):
        answer = house.get("/api/state", {"If-None-Match": known})
        assert (answer.status, answer.body) == (304, b"")
        assert answer.headers["etag"] == tag
    house.start_night()
    answer = house.get("/api/state", {"If-None-Match": tag})
    assert answer.status == 200
    assert answer.headers["etag"] != tag


def test_a_command_answers_with_entry_and_state_and_its_id_applies_once(house: House) -> None:
    house.start_night()
    first = house.command(do="deal", id="a")
    again = house.command(do="deal", id="a")
    assert first.json == again.json
    assert set(first.json) == {"entry", "state"}
    assert first.json["entry"] == 2
    assert first.json["state"] == public_state(house.table.snapshot.state)
    assert house.get("/api/state").json["entry"] == 2


def test_a_command_that_saw_an_earlier_state_is_refused_with_what_holds_now(house: House) -> None:
    house.start_night()
    seen = house.get("/api/state").json["seen"]
    first = house.command(do="deal", id="a", seen=seen)
    assert first.status == 200
    late = house.command(do="next", id="b", seen=seen)
    assert (late.status, late.code) == (409, "changed")
    state = house.get("/api/state").json
    assert state["phase"] == "meld"
    assert late.json["seen"] == state["seen"] != seen
    assert late.json["state"] == public_state(house.table.snapshot.state)
    # The answer to the first one was lost: its repetition is not late.
    assert house.command(do="deal", id="a", seen=seen).json == first.json
    assert house.command(do="next", id="b", seen=late.json["seen"]).status == 200
    assert house.command(do="undo").status == 200


def test_the_next_night_is_seen_by_all_phones_while_it_is_filled_in(house: House) -> None:
    seen = house.get("/api/state").json["seen"]
    for place, name in ((4, "Ben "), (2, "Zoë"), (6, "")):
        assert house.put("/api/lobby", {"place": place, "name": name}).status == 204
    assert house.put("/api/lobby", {"place": 4, "name": "Ben", "deals": True}).status == 204
    state = house.get("/api/state").json
    assert state["new_night"]["players"] == [
        {"name": "Zoë", "place": 2},
        {"name": "Ben", "place": 4},
        {"name": "", "place": 6},
    ]
    assert state["new_night"]["dealer"] == 4
    assert [plaque["name"] for plaque in state["rim"]] == ["Zoë", "Ben", "Place 6"]
    # A `start` says everything itself, so nothing that is typed makes it late.
    assert state["seen"] == seen
    house.start_night("Anna", "Ben", "Clara")
    assert house.put("/api/lobby", {"place": 1, "name": "Anna"}).code == "wrong-phase"


@pytest.mark.parametrize(
    "body",
    [
        {"place": 9, "name": "Anna"},
        {"place": 1, "name": "x" * 101},
        {"place": 1, "name": "An\u202ena"},
    ],
)
def test_what_cannot_be_a_place_or_a_name_is_not_in(house: House, body: object) -> None:
    answer = house.put("/api/lobby", body)
    assert (answer.status, answer.code) == (400, "bad-argument")
    assert house.get("/api/state").json["new_night"]["players"] == []


def test_a_player_without_a_name_is_called_in_the_language_of_who_reads(house: House) -> None:
    places = [2, 4, 7]
    names = [f"Place {place}" for place in places]
    house.command(do="start", ruleset="family", players=names, places=places)
    house.command(do="rename", seat=2, name="Ben")
    house.command(do="deal")
    house.command(do="claim", seat=1, pool="ace")
    house.command(do="next")
    addresses = ("/api/state", "/api/nights/1/entries", "/api/entries/4/correction")
    for english, german in (
        (house.get(address).json, house.get(f"{address}?lang=de").json) for address in addresses
    ):
        assert "Place 2" in json.dumps(english)
        # What was recorded is in the commands.
        told = json.dumps(german).replace('"players": ["Place 2", "Place 4", "Place 7"]', "")
        assert "Platz 2" in told
        assert "Place" not in told
    house.command(do="void")
    house.command(do="end")
    state = house.get("/api/state?lang=de").json
    assert {row["name"] for row in state["standings_rows"]} == {"Platz 2", "Ben", "Platz 7"}
    assert [player["name"] for player in state["new_night"]["players"]] == ["", "Ben", ""]


def start_counting(house: House) -> None:
    house.start_night("Anna", "Ben", "Clara")
    house.command(do="deal")
    house.command(do="next")
    for seat in (2, 3, 1):
        house.command(do="pass", seat=seat)
    house.command(do="out", seat=1)


def test_counts_are_seen_by_all_and_the_last_one_settles_the_deal(house: House) -> None:
    start_counting(house)
    seen = house.get("/api/state").json["seen"]
    assert house.put("/api/counts", {"seat": 2, "cards": 4, "seen": seen}).status == 204
    state = house.get("/api/state").json
    assert state["pending"] == {"cards": {"2": 4}}
    counts = state["actions"]["settle"]["counts"]
    assert [(one["seat"], one["cards"]) for one in counts] == [(2, 4), (3, None)]
    assert state["seen"] != seen
    # What another phone has counted meanwhile makes no count late.
    assert house.put("/api/counts", {"seat": 2, "cards": 3, "seen": seen}).status == 204
    assert house.put("/api/counts", {"seat": 3, "cards": 0, "seen": seen}).status == 204
    # The answer is lost, so it comes again.
    assert house.put("/api/counts", {"seat": 3, "cards": 0, "seen": seen}).status == 204
    state = house.get("/api/state").json
    assert (state["phase"], state["stacks"]["2"]) == ("idle", 38)
    late = house.put("/api/counts", {"seat": 3, "cards": 1, "seen": seen})
    assert (late.status, late.code) == (409, "changed")
    assert house.put("/api/counts", {"seat": 3, "cards": 1}).code == "wrong-phase"
    house.command(do="deal")
    late = house.put("/api/counts", {"seat": 3, "cards": 0, "seen": seen})
    assert (late.status, late.code) == (409, "changed")


def test_a_count_that_cannot_be_right_is_refused_and_none_is_in(house: House) -> None:
    start_counting(house)
    too_many = house.put("/api/counts", {"seat": 2, "cards": 12})
    assert (too_many.status, too_many.code) == (409, "too-many-cards")
    assert house.put("/api/counts", {"seat": 2, "cards": -1}).status == 400
    assert house.get("/api/state").json["pending"] is None


@pytest.mark.parametrize(
    ("command", "status", "code"),
    [
        ([], 400, "bad-argument"),
        ({"do": "dance"}, 400, "unknown-command"),
        ({"do": "claim", "seat": 1, "pool": "ace"}, 409, "wrong-phase"),
        ({"do": "rebuy", "seat": 9, "chips": 1}, 409, "unknown-seat"),
    ],
)
def test_refusals_have_the_status_of_their_code(
    house: House, command: object, status: int, code: str
) -> None:
    house.start_night()
    before = house.get("/api/state").json
    answer = house.post("/api/commands", command)
    assert (answer.status, answer.code) == (status, code)
    assert house.get("/api/state").json == before


@pytest.mark.parametrize(
    "body",
    [b"", b'{"do":"deal"', b'{"do":"\\ud800"}', b"[" * 10_000, b'{"do":"\xff"}'],
)  # fmt: skip
def test_invalid_json_is_400(house: House, body: bytes) -> None:
    answer = house.post("/api/commands", body, {"Content-Type": "application/json"})
    assert (answer.status, answer.code) == (400, "bad-json")


def test_a_body_over_16_kib_is_413(house: House) -> None:
    kind = {"Content-Type": "application/json"}
    fits = json.dumps({"do": "deal"}).ljust(16 * 1024).encode()
    assert house.post("/api/commands", fits, kind).status == 409
    answer = house.post("/api/commands", fits + b" ", kind)
    assert (answer.status, answer.code) == (413, "too-large")
    assert house.post("/api/commands", b" " * 5_000_000, kind).status == 413


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/api/nope", 404),
        ("GET", "/api/", 404),
        ("GET", "/nope", 404),
        ("GET", "/api//state", 404),
        ("GET", "/api/commands", 405),
        ("POST", "/api/state", 405),
        ("PUT", "/api/state", 405),
        ("POST", "/api/events", 405),
        ("DELETE", "/api/events", 405),
        ("BREW", "/", 405),
        ("GET", "/api/nights/1", 404),
        ("GET", "/api/nights/0", 404),
        ("GET", "/api/nights/-1", 404),
        ("GET", "/api/nights/x", 404),
        ("GET", "/api/nights/99999999999999999999999", 404),
        ("GET", "/api/nights/1/entries", 404),
        ("GET", "/api/nights/1/sheet", 404),
        ("GET", "/api/nights/%D9%A3", 404),
        ("GET", "/nights/7", 404),
        ("DELETE", "/api/pairings/7", 404),
        ("DELETE", "/api/pairings/x", 404),
    ],
)
def test_missing_addresses_and_wrong_methods_are_refused_in_json(
    house: House, method: str, path: str, status: int
) -> None:
    answer = house.ask(method, path)
    assert answer.status == status
    assert answer.code
    assert ("allow" in answer.headers) == (status == 405)


def test_head_has_no_body(house: House) -> None:
    for path in ("/", "/api/state", "/api/events", f"/{static_path()}main.js"):
        answer = house.ask("HEAD", path)
        assert (answer.status, answer.body) == (200, b"")


def test_nights_and_their_entries(house: House) -> None:
    assert house.get("/api/nights").json == []
    house.start_night("Anna", "Ben", "Clara")
    house.command(do="deal")
    house.command(do="claim", seat=2, pool="ace")
    house.command(do="undo")
    (night,) = house.get("/api/nights").json
    assert (night["number"], night["ruleset"], night["entries"]) == (1, "modern", 4)
    assert night["players"] == ["Anna", "Ben", "Clara"]
    one = house.get("/api/nights/1").json
    assert night.items() <= one.items()
    entries = house.get("/api/nights/1/entries").json
    assert [entry["number"] for entry in entries] == [1, 2, 3, 4]
    claim = entries[2]
    assert claim["command"] == {"do": "claim", "seat": 2, "pool": "ace"}
    assert claim["postings"] == [["pool:ace", -3], ["seat:2", 3]]
    assert claim["sentence"] == "Ben takes Ace: 3 chips."
    assert claim["posting_rows"] == [
        {"account": "pool:ace", "name": "Ace", "chips": -3, "text": "−3"},
        {"account": "seat:2", "name": "Ben", "chips": 3, "text": "+3"},
    ]
    assert [entry["taken_back"] for entry in entries] == [False, False, True, False]
    assert (night["winners"], night["result"]) == (None, "Still open")
    assert entries[3]["ref"] == 3
    assert entries[3]["state"] == entries[1]["state"]
    assert house.get("/api/nights/1/entries?after=3").json == entries[3:]
    assert house.get("/api/nights/1/entries?after=9").json == []
    shown = house.get("/api/nights/1/entries?table=1").json
    assert shown[2].items() >= claim.items()
    assert shown[2]["rows"][1]["stack"] == 44
    assert shown[2]["pool_details"][0]["label"] == "Ace, 0 chips"
    assert shown[2]["board_label"].startswith("The board: Ace, 0 chips; King, 3 chips; ")
    assert [entry["mark"] for entry in shown] == [None, "deal", "claim", "undo"]
    assert shown[3]["moves_text"] == ["Ben → Ace: 3"]
    assert [(m["source"], m["target"], m["chips"]) for m in shown[3]["moves"]] == [
        ("seat:2", "pool:ace", 3)
    ]
    # A seat that was taken back is still named where its chips came from.
    house.command(do="undo")
    house.command(do="join", name="Dora", place=8)
    house.command(do="undo")
    bank, dora = house.get("/api/nights/1/entries?after=6").json[0]["posting_rows"]
    assert (bank["name"], dora["name"], dora["text"]) == ("Bank", "Dora", "−50")
    assert house.get("/api/nights/1/entries?after=x").code == "bad-argument"


def test_an_import_whose_outcome_is_unknown_is_not_reported_as_failed(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: object) -> list[int]:
        raise UnknownOutcomeError("The disk failed.")

    house.start_night()
    house.command(do="end")
    sheet = house.get("/api/nights/1/sheet").body
    monkeypatch.setattr(house.table._store, "add_nights", fail)
    done = house.post("/api/nights?again=1", sheet, {"Content-Type": "application/x-ndjson"})
    assert (done.status, done.code) == (503, "unknown")
    assert done.json["message"] == (
        "The disk failed. It is not yet known whether this was recorded."
        " Check before you repeat it."
    )


def test_a_sheet_that_is_exported_can_be_imported(house: House) -> None:
    house.start_night()
    house.command(do="deal")
    house.command(do="undo")
    house.command(do="end")
    sheet = house.get("/api/nights/1/sheet")
    assert sheet.headers["content-type"] == "application/x-ndjson; charset=utf-8"
    kind = {"Content-Type": "application/x-ndjson"}
    done = house.post("/api/nights?day=2001-02-03&again=1", sheet.body, kind)
    assert (done.status, done.json["nights"]) == (201, [2])
    night = house.get("/api/nights/2").json
    assert night["imported"] is True
    assert night["standings"] == house.get("/api/nights/1").json["standings"]
    began = datetime.fromtimestamp(night["started_ms"] / 1000, UTC)
    assert began.date() == date(2001, 2, 3)


@pytest.mark.parametrize("sheet", [b"nonsense", b'{"expect":1}'])
def test_an_invalid_sheet_is_400(house: House, sheet: bytes) -> None:
    answer = house.post("/api/nights", sheet, {"Content-Type": "text/plain"})
    assert (answer.status, answer.code) == (400, "bad-sheet")
    assert house.get("/api/nights").json == []
    assert house.post("/api/nights", sheet, {"Content-Type": "image/png"}).status == 415
    for day in ("x", "2001-02-30", "0001-01-01x"):
        answer = house.post(f"/api/nights?day={day}", sheet, {"Content-Type": "text/plain"})
        assert answer.status == 400


def test_the_next_night_begins_as_the_last_one_did(house: House) -> None:
    first = house.get("/api/state").json["new_night"]
    assert (first["players"], first["ruleset"], first["options"]) == ([], "family", {})
    start = {"ruleset": "family", "options": {"high_card": True}, "stack": 70, "places": [7, 1, 4]}
    house.command(do="start", players=["Anna", "Ben", "Clara"], **start)
    house.command(do="leave", seat=2)
    assert house.get("/api/state").json["new_night"] is None
    house.command(do="end")
    assert house.get("/api/state").json["new_night"] == {
        "players": [{"name": "Clara", "place": 4}, {"name": "Anna", "place": 7}],
        "dealer": 4,
        "earlier": ["Ben"],
        "ruleset": "family",
        "options": {"high_card": True},
        "stack": 70,
    }


def test_an_account_says_why_it_holds_what_it_holds(house: House) -> None:
    assert house.get("/api/accounts/pool:ace").status == 404
    house.start_night()
    house.command(do="deal")
    pool = house.get("/api/accounts/pool:ace").json
    (row,) = pool.pop("rows")
    assert pool == {
        "account": "pool:ace",
        "name": "Ace",
        "chips": 3,
        "rules": ["Whoever shows the ace of trumps takes this pool."],
        "taken": None,
        "taken_text": None,
        "hints": [],
        "count_hints": pool["count_hints"],
    }
    assert [hint["counted"] for hint in pool["count_hints"]] == [2, 1, 0, 4, 5, 6]
    assert (row["number"], row["chips"], row["text"], row["uncounted"]) == (2, 3, "+3", True)
    house.command(do="adjust", **{"from": "pool:ace", "to": "bank", "chips": 1, "reason": "x"})
    rows = house.get("/api/accounts/pool:ace").json["rows"]
    assert [(row["chips"], row["uncounted"]) for row in rows] == [(3, False), (-1, False)]
    seat = house.get("/api/accounts/seat:2").json
    assert (seat["name"], seat["chips"], seat["rules"], seat["taken"]) == ("Ben", 41, [], None)
    house.command(do="claim", seat=2, pool="queen")
    queen = house.get("/api/accounts/pool:queen").json
    assert queen["taken"] == "Ben takes Queen: 3 chips."
    assert queen["taken_text"] == "Last time: Ben takes Queen: 3 chips."
    for unknown in ("seat:4", "pool:tin", "bank", "pool"):
        assert house.get(f"/api/accounts/{unknown}").status == 404


def test_a_recount_is_answered_with_the_command_that_records_it(house: House) -> None:
    assert house.post("/api/accounts/pool:ace/recount", {"counted": 2}).status == 404
    house.start_night()
    house.command(do="deal")
    entries = house.get("/api/nights/1/entries").json
    answer = house.post("/api/accounts/pool:ace/recount", {"counted": 2})
    assert (answer.status, answer.json) == (
        200,
        {
            "command": {
                "do": "adjust",
                "from": "pool:ace",
                "to": "bank",
                "chips": 1,
                "reason": "recount of Ace: 2 instead of 3",
            },
            "sentence": "Recount: 1 chip from Ace to the bank (recount of Ace: 2 instead of 3).",
        },
    )
    assert house.get("/api/nights/1/entries").json == entries, "it changes nothing"
    assert house.command(**answer.json["command"]).status == 200
    assert house.get("/api/accounts/pool:ace").json["chips"] == 2
    nothing = house.post("/api/accounts/pool:ace/recount", {"counted": 2})
    assert nothing.json["command"] is None
    against = {"counted": 4, "against": "seat:1"}
    command = house.post("/api/accounts/pool:ace/recount", against).json["command"]
    assert (command["from"], command["to"]) == ("seat:1", "pool:ace")
    against["against"] = "pool:tin"
    assert house.post("/api/accounts/pool:ace/recount", against).status == 404
    for wrong in (-1, 1.5, "two", None):
        assert house.post("/api/accounts/pool:ace/recount", {"counted": wrong}).status == 400
    assert house.post("/api/accounts/pool:tin/recount", {"counted": 2}).status == 404


def test_the_face_has_what_the_board_is_configured_to_have(tmp_path: Path) -> None:
    with running_house(tmp_path, lights=LightsConfig(places=6, pixels_per_ring=20)) as house:
        face = house.get("/api/board/face").json
    assert face["pixels_per_ring"] == 20
    assert [len(face[part]) for part in ("pools", "places", "buttons")] == [9, 6, 17]


def test_concurrent_commands_are_all_recorded(house: House) -> None:
    house.start_night()

    def rebuy(number: int) -> int:
        return house.command(do="rebuy", seat=1 + number % 3, chips=1, id=f"r{number}").status

    with ThreadPoolExecutor(8) as pool:
        statuses = list(pool.map(rebuy, range(60)))
    assert statuses == [200] * 60
    state = house.get("/api/state").json
    assert state["entry"] == 61
    assert state["bank"] == -150 - 60


def test_a_bug_of_our_own_shows_no_traceback(
    house: House, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail() -> None:
        raise ZeroDivisionError("secret detail")

    monkeypatch.setattr(house.table.nights, "each", fail)
    answer = house.get("/api/nights")
    assert (answer.status, answer.code) == (500, "internal")
    assert b"secret" not in answer.body
    assert b"Traceback" not in answer.body
    assert "secret detail" in caplog.text


def test_commands_are_refused_once_the_table_has_stopped(house: House) -> None:
    house.table.stop()
    answer = house.command(do="deal")
    assert (answer.status, answer.code) == (503, "stopping")
    assert house.get("/api/state").status == 200
