"""The API over HTTP: answers, refusals and their statuses."""

from __future__ import annotations

import json

import pytest

from pochboard.errors import UnknownOutcomeError
from pochboard.rules.state import public_state
from tests.shell.server_kit import House, pools, stacks


def test_the_state_of_a_deal(house: House) -> None:
    house.start_night("Anna", "Ben", "Clara")
    house.command(do="deal")
    house.command(do="turn", card="9H")
    state = house.get("/api/state").json
    public = public_state(house.table.snapshot.state)
    assert (stacks(state), pools(state)) == (public["stacks"], public["pools"])
    same = ("phase", "deal", "dealer", "to_act", "trump", "live")
    assert [state[key] for key in same] == [public[key] for key in same]
    assert state["names"] == {"1": "Anna", "2": "Ben", "3": "Clara"}
    assert (state["turned"], state["trump"]) == ("9H", "H")
    assert state["hand_sizes"] == {"1": 10, "2": 11, "3": 10}
    assert state["entry"] == 3
    assert state["actions"]["undo"]["hint"] == state["last"]["sentence"]
    house.command(do="next")
    house.command(do="stake", seat=2, chips=4)
    state = house.get("/api/state").json
    assert (state["to_act"], state["need"]) == (3, 4)


def test_a_command_answers_with_its_entry_and_its_id_applies_once(house: House) -> None:
    house.start_night()
    first = house.command(do="deal", id="a")
    again = house.command(do="deal", id="a")
    assert first.json == again.json == {"entry": 2}
    assert house.get("/api/state").json["entry"] == 2


def test_a_command_that_saw_an_earlier_state_is_refused(house: House) -> None:
    house.start_night()
    basis = house.get("/api/state").json["basis"]
    first = house.command(do="deal", id="a", basis=basis)
    assert first.status == 200
    late = house.command(do="next", id="b", basis=basis)
    assert (late.status, late.code) == (409, "changed")
    state = house.get("/api/state").json
    assert state["phase"] == "meld"
    assert state["basis"] != basis
    # The answer to the first one was lost: its repetition is not late.
    assert house.command(do="deal", id="a", basis=basis).json == first.json
    assert house.command(do="next", id="b", basis=state["basis"]).status == 200
    assert house.command(do="undo").status == 200


def test_the_next_night_is_seen_by_all_phones_while_it_is_filled_in(house: House) -> None:
    basis = house.get("/api/state").json["basis"]
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
    assert state["basis"] == basis
    house.start_night("Anna", "Ben", "Clara")
    assert house.put("/api/lobby", {"place": 1, "name": "Anna"}).code == "wrong-phase"


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
    basis = house.get("/api/state").json["basis"]
    assert house.put("/api/counts", {"seat": 2, "cards": 4, "basis": basis}).status == 204
    state = house.get("/api/state").json
    assert state["pending"]["counts"] == [[[2, 4]]]
    counts = state["actions"]["settle"]["counts"]
    assert [(one["seat"], one["cards"]) for one in counts] == [(2, 4), (3, None)]
    assert state["basis"] != basis
    # What another phone has counted meanwhile makes no count late.
    assert house.put("/api/counts", {"seat": 2, "cards": 3, "basis": basis}).status == 204
    assert house.put("/api/counts", {"seat": 3, "cards": 0, "basis": basis}).status == 204
    # The answer is lost, so it comes again.
    assert house.put("/api/counts", {"seat": 3, "cards": 0, "basis": basis}).status == 204
    state = house.get("/api/state").json
    assert (state["phase"], stacks(state)["2"]) == ("idle", 38)
    late = house.put("/api/counts", {"seat": 3, "cards": 1, "basis": basis})
    assert (late.status, late.code) == (409, "changed")
    assert house.put("/api/counts", {"seat": 3, "cards": 1}).code == "wrong-phase"
    house.command(do="deal")
    late = house.put("/api/counts", {"seat": 3, "cards": 0, "basis": basis})
    assert (late.status, late.code) == (409, "changed")


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
    ("method", "path", "status"),
    [
        ("GET", "/api/nope", 404),
        ("GET", "/api/", 404),
        ("GET", "/nope", 404),
        ("GET", "/api//state", 404),
        ("GET", "/api/commands", 405),
        ("POST", "/api/state", 405),
        ("PUT", "/api/state", 405),
    ],
)
def test_missing_addresses_and_wrong_methods_are_refused_in_json(
    house: House, method: str, path: str, status: int
) -> None:
    answer = house.ask(method, path)
    assert answer.status == status
    assert answer.code
    assert ("allow" in answer.headers) == (status == 405)


def test_nights_and_their_entries(house: House) -> None:
    assert house.get("/api/nights").json == []
    house.start_night("Anna", "Ben", "Clara")
    house.command(do="deal")
    house.command(do="claim", seat=2, pool="ace")
    house.command(do="undo")
    (night,) = house.get("/api/nights").json
    assert night["number"] == 1
    assert night["summary"].startswith("Night 1, modern: Anna, Ben and Clara.")
    one = house.get("/api/nights/1").json
    assert (one["number"], one["entries"], one["result"]) == (1, 4, night["result"])
    entries = house.get("/api/nights/1/entries").json
    assert [entry["number"] for entry in entries] == [1, 2, 3, 4]
    claim = entries[2]
    assert claim["sentence"] == "Ben takes Ace: 3 chips."
    assert claim["posting_rows"] == [
        {"name": "Ace", "text": "−3"},
        {"name": "Ben", "text": "+3"},
    ]
    assert [entry["taken_back"] for entry in entries] == [False, False, True, False]
    assert (night["winners"], night["result"]) == (None, "Still open")
    assert house.get("/api/nights/1/entries?after=3").json == entries[3:]
    assert house.get("/api/nights/1/entries?after=9").json == []
    shown = house.get("/api/nights/1/entries?table=1").json
    assert shown[2].items() >= claim.items()
    assert shown[2]["rows"][1]["stack"] == 44
    assert shown[2]["pool_details"][0]["label"] == "Ace, 0 chips"
    assert [entry["mark"] for entry in shown] == [None, "deal", "claim", "undo"]
    assert shown[3]["moves_text"] == ["Ben → Ace: 3"]
    assert shown[3]["moves"] == [["seat:2", "pool:ace", 3]]
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
