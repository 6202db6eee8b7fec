"""Correcting an entry further back over HTTP, at the table and on the disk."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from pochboard.buttons.press import NOTHING, Pending
from pochboard.errors import Refusal, UnknownOutcomeError
from pochboard.ledger.replay import replay
from pochboard.rules.commands import Pass, Undo, command_name, parse_command
from pochboard.store import Store
from pochboard.table.snapshot import Recorded
from tests.shell.server_kit import Answer, House, stacks
from tests.shell.test_table import START as ROUND
from tests.shell.test_table import press, recorded, sitting

TO_CLARA = {"do": "claim", "seat": 3, "pool": "ace"}


def play(house: House) -> None:
    """Entries 3 and 4: Anna has taken Ace, Ben King; then the betting has begun."""
    house.start_night()
    house.command(do="deal")
    house.command(do="claim", seat=1, pool="ace")
    house.command(do="claim", seat=2, pool="king")
    house.command(do="next")


def correct(house: House, number: int, command: object, **fields: object) -> Answer:
    body = {"command": command, **fields}
    return house.post(f"/api/entries/{number}/correction", body)


def state(house: House) -> Any:
    return house.get("/api/state").json


def test_an_entry_is_corrected_and_the_later_ones_are_recorded_again(house: House) -> None:
    play(house)
    assert state(house)["correctable_from"] == 1
    done = correct(house, 3, TO_CLARA, basis=state(house)["basis"], id="it was Clara")
    assert (done.status, done.json["entry"], done.json["preview"]) == (200, 11, None)
    now = state(house)
    assert stacks(now) == {"1": 41, "2": 44, "3": 44}
    assert (now["phase"], now["taken_back"]) == ("pochen", [3, 4, 5])
    # The answer was lost: the repetition changes nothing.
    again = correct(house, 3, TO_CLARA, basis="1.5", id="it was Clara")
    assert again.json == done.json
    assert state(house)["entry"] == 11
    preview = correct(house, 9, None, id="it was Clara", preview=True)
    assert preview.json["preview"]["again"] == 2


def test_a_preview_says_what_would_change_and_records_nothing(house: House) -> None:
    play(house)
    answer = correct(house, 3, TO_CLARA, preview=True).json
    preview = answer["preview"]
    assert answer["entry"] is None
    assert preview["sentence"] == "Clara takes Ace: 3 chips."
    assert preview["again"] == 2
    changed = [(one["name"], one["before"], one["after"]) for one in preview["accounts"]]
    assert changed == [("Anna", 44, 41), ("Clara", 41, 44)]
    nets = {row["name"]: row["net_text"] for row in preview["standings_after"]}
    assert nets == {"Anna": "−9", "Ben": "−6", "Clara": "−6"}
    left_out = correct(house, 3, None, preview=True).json["preview"]
    assert left_out["sentence"] is None
    changed = [(one["name"], one["before"], one["after"]) for one in left_out["accounts"]]
    assert changed == [("Ace", 0, 3), ("Anna", 44, 41)]
    assert state(house)["entry"] == 5


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        (
            "en",
            (
                "Entry 4 would no longer hold (“Ben takes King: 3 chips.”): There are no chips in"
                " King. Nothing was changed."
            ),
        ),
        ("de", "Eintrag 4 würde nicht mehr gelten („König geht an Ben: 3 Chips.“): "),
    ],
)
def test_the_first_later_entry_that_does_not_hold_is_named(
    house: House, language: str, sentence: str
) -> None:
    play(house)
    body = {"command": {**TO_CLARA, "pool": "king"}}
    refused = house.post(f"/api/entries/3/correction?lang={language}", body)
    assert (refused.status, refused.code) == (409, "does-not-hold")
    assert refused.json["message"].startswith(sentence)
    assert state(house)["entry"] == 5


@pytest.mark.parametrize(
    ("number", "command", "code"),
    [
        (0, None, "not-correctable"),
        (1, None, "not-correctable"),
        (2, None, "not-correctable"),
        (6, None, "not-correctable"),
        (3, {"do": "undo"}, "not-correctable"),
        (3, {"do": "claim"}, "bad-argument"),
        (3, {"do": "nix"}, "unknown-command"),
        (3, {}, "unknown-command"),
        (3, "claim", "bad-argument"),
    ],
)
def test_what_cannot_be_corrected(house: House, number: Any, command: object, code: str) -> None:
    play(house)
    assert correct(house, number, command).code == code
    assert state(house)["entry"] == 5


def test_the_form_has_the_fields_of_the_command(house: House) -> None:
    house.start_night()
    house.command(do="deal")
    house.command(do="turn", card="9H")
    house.command(do="claim", seat=1, pool="ace")
    house.command(do="next")
    house.command(do="stake", seat=2, chips=3)
    house.command(do="stake", seat=3, chips=3)
    house.command(do="pass", seat=1)
    house.command(do="showdown", ranking=[[2, 3]])
    house.command(do="out", seat=1)
    house.command(do="settle", cards={"2": 1, "3": 4})
    house.command(do="adjust", **{"from": "pool:king"}, to="seat:1", chips=2, reason="lost")
    house.command(do="join", name="Dora", place=8)

    def form(number: int) -> Any:
        answer = house.get(f"/api/entries/{number}/correction")
        forms = [one for one in answer.json["forms"] if not one["insert"]]
        return {field["name"]: field for one in forms for field in one["fields"]}

    claim = form(4)
    assert {name: field["value"] for name, field in claim.items()} == {"seat": "1", "pool": "ace"}
    assert [one["label"] for one in claim["seat"]["choices"]] == ["Anna", "Ben", "Clara"]
    assert [one["value"] for one in claim["pool"]["choices"]][:2] == ["ace", "king"]
    assert {"value": "9H", "label": "9 of hearts"} in form(3)["card"]["choices"]
    assert form(6)["chips"]["numeric"]
    ranking = form(9)
    assert {name: field["value"] for name, field in ranking.items()} == {
        "ranking.2": "1",
        "ranking.3": "1",
    }
    assert not ranking["ranking.2"]["required"]
    counts = form(11)
    assert [(f["label"], f["value"]) for f in counts.values()] == [
        ("Ben", "1"),
        ("Clara", "4"),
    ]
    assert [field["value"] for field in form(12).values()] == ["pool:king", "seat:1", "2", "lost"]
    assert list(form(13)) == ["name", "place"]
    assert form(5) == {}
    entries = house.get("/api/nights/1/entries").json
    assert [one["number"] for one in entries if not one["correctable"]] == [1]
    for number, code in (("0", "not-correctable"), ("14", "not-correctable"), ("x", "not-found")):
        answer = house.get(f"/api/entries/{number}/correction")
        assert (answer.status, answer.code) == (404, code)


# At the table.


def parsed(raw: dict[str, Any]) -> Any:
    return parse_command(raw)


def test_lights_and_phones_get_one_change(tmp_path: Path) -> None:
    with sitting(tmp_path, has_sound=True) as (table, store, listener):
        for raw in (
            ROUND,
            {"do": "deal"},
            {"do": "claim", "seat": 1, "pool": "ace"},
            {"do": "claim", "seat": 2, "pool": "king"},
        ):
            recorded(table.command(parsed(raw)))
        assert not press(table, "seat1")
        assert table.snapshot.pending == Pending(place=1)
        published = len(listener.snapshots)
        answer = table.correct(3, parsed(TO_CLARA), Undo())
        assert isinstance(answer, Recorded)
        (snapshot,) = listener.snapshots[published:]
        assert (snapshot.entry, snapshot.corrected, answer.entry) == (8, True, 8)
        assert answer.revision == snapshot.revision
        assert snapshot.pending == NOTHING
        assert snapshot.state == replay(store.night(1)).state
        # What comes next is no correction.
        recorded(table.command(parsed({"do": "next"})))
        assert not listener.snapshots[-1].corrected
        assert not listener.refused
        refusal = table.correct(3, parsed(TO_CLARA), Undo())
        assert isinstance(refusal, Refusal)
        assert not listener.refused


@pytest.mark.parametrize("was_stored", [True, False])
def test_a_correction_of_unknown_outcome_is_all_there_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, was_stored: bool
) -> None:
    with sitting(tmp_path) as (table, store, _):
        recorded(table.command(parsed(ROUND)))
        recorded(table.command(parsed({"do": "rebuy", "seat": 1, "chips": 5})))
        recorded(table.command(parsed({"do": "dealer", "seat": 2})))
        append, recover = store.append, store.recover

        def fail(*given: Any, **fields: Any) -> None:
            if given and was_stored:
                append(*given, **fields)
            raise UnknownOutcomeError("The disk failed.")

        monkeypatch.setattr(store, "append", fail)
        monkeypatch.setattr(store, "recover", fail)
        right, sent = parsed({"do": "rebuy", "seat": 3, "chips": 5}), Undo(id="correction")
        codes = [
            answer.code
            for answer in (
                table.correct(2, right, sent),
                table.correct(2, right, sent),
                table.command(Pass(seat=1)),
            )
            if isinstance(answer, Refusal)
        ]
        assert codes == ["unknown", "unknown", "not-stored"]
        assert table.snapshot.entry == 3
        monkeypatch.setattr(store, "append", append)
        monkeypatch.setattr(store, "recover", recover)
        assert recorded(table.correct(2, right, sent)).entry == 7
        assert [command_name(type(entry.command)) for entry in store.night(1).entries] == [
            "start", "rebuy", "dealer", "undo", "undo", "rebuy", "dealer",
        ]  # fmt: skip


KILLED = """
import os, signal, sys
from pathlib import Path
from pochboard.ledger.correcting import correct
from pochboard.ledger.replay import replay
from pochboard.rules.commands import Rebuy
from pochboard.store import Store

def killed(*_):
    os.kill(os.getpid(), signal.SIGKILL)

store = Store.open(Path(sys.argv[1]))
steps = correct(replay(store.night(1)), 2, Rebuy(seat=3, chips=5))
Store.require_in_place = killed  # all rows are written, and the commit comes next
store.append(1, *[step.entry for step in steps])
"""


def test_a_kill_within_a_correction_leaves_the_night_as_it_was(tmp_path: Path) -> None:
    with sitting(tmp_path) as (table, _, __):
        for raw in (ROUND, {"do": "rebuy", "seat": 1, "chips": 5}, {"do": "dealer", "seat": 2}):
            recorded(table.command(parsed(raw)))
    ledger = tmp_path / "ledger.db"
    done = subprocess.run([sys.executable, "-c", KILLED, str(ledger)], check=False, timeout=300)
    assert done.returncode == -signal.SIGKILL
    with Store.open(ledger) as store:
        assert store.verify(replayed=True).ok
        assert len(store.night(1).entries) == 3
    with sitting(tmp_path) as (table, store, _):
        recorded(table.correct(2, parsed({"do": "rebuy", "seat": 3, "chips": 5}), Undo()))
        assert store.verify(replayed=True).ok
