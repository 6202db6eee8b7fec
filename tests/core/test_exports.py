"""Exports of nights, read by the programs they are for."""

from __future__ import annotations

import csv
import io
import json
from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qs, urlsplit

import msgspec
import pytest
from msgspec.structs import replace

from pochboard.exports import (
    ADDRESS,
    COLUMNS,
    FORMATS,
    ExportedNight,
    bgstats_link,
    write_csv,
    write_json,
)
from pochboard.ledger.replay import StoredNight, taken_back
from pochboard.text.translator import ENGLISH
from tests.core.play import Night

STARTED_MS = int(datetime(2026, 11, 15, 20, 0, tzinfo=UTC).timestamp() * 1000)
ODD_NAMES = ('=1+1 "x" \\', "مریم", "Jörg; | ~", "👩‍👩‍👧", "  x:y  z", "-")

WIDE = "\N{FULLWIDTH EQUALS SIGN}1"


def local(time_ms: int) -> datetime:
    return datetime.fromtimestamp(time_ms / 1000, UTC) + timedelta(hours=1)


def exported(night: Night) -> ExportedNight:
    """The night, with a minute from entry to entry."""
    entries = [
        msgspec.structs.replace(entry, time_ms=STARTED_MS + 60_000 * index)
        for index, entry in enumerate(night.book.entries)
    ]
    stored = StoredNight(3, night.book.state.rules, {}, imported=False, entries=entries)
    return ExportedNight(stored, night.book.states, local)


@pytest.fixture
def odd() -> Night:
    """A night of six people with names that other programs may stumble over."""
    night = Night(None)
    night.do("start", ruleset="modern", players=ODD_NAMES)
    night.whole_deal(winner=2, cards=3)
    night.do("rename", seat=5, name=WIDE)
    night.do("rename", seat=1, name='He said: "\\n"; yes')
    night.do("deal")
    night.do("undo")
    night.do("leave", seat=3)
    night.do("join", name="Too late")
    night.do("undo")
    night.do("end")
    return night


def test_a_sheet_says_when_the_night_began_but_no_time_of_one_kept_on_paper(odd: Night) -> None:
    played = exported(odd)
    on_paper = replace(played, stored=replace(played.stored, imported=True))
    first_lines = [
        "".join(FORMATS["sheet"].write(night, ENGLISH)).splitlines()[0]
        for night in (played, on_paper)
    ]
    assert first_lines == [
        "# night 3, begun 2026-11-15 21:00",
        "# night 3, begun 2026-11-15",
    ]


def test_csv_has_every_posting(odd: Night) -> None:
    night = exported(odd)
    text = "".join(write_csv(night))
    assert text.startswith("\ufeff")
    header, *rows = csv.reader(io.StringIO(text.removeprefix("\ufeff")))
    assert tuple(header) == COLUMNS
    records = [dict(zip(header, row, strict=True)) for row in rows]
    posted = [
        (str(entry.number), account, str(chips))
        for entry in night.entries
        for account, chips in entry.postings
    ]
    moved = [(row["entry"], row["account"], row["chips"]) for row in records if row["account"]]
    assert moved == posted
    gone = {int(row["entry"]) for row in records if row["taken_back"] == "1"}
    assert gone == set(taken_back(night.entries))
    assert records[0]["time"] == "2026-11-15T20:00:00.000Z"


def test_json_has_everything(odd: Night) -> None:
    document = json.loads("".join(write_json(exported(odd))))
    assert (document["format"], document["version"], document["night"]) == ("pochboard-night", 1, 3)
    assert document["ended"] > document["started"] == "2026-11-15T20:00:00.000Z"
    assert document["standings"] == [list(row) for row in odd.book.state.standings]
    assert document["players"]["2"] == "مریم"
    assert [entry["command"]["do"] for entry in document["entries"]][:2] == ["start", "deal"]
    assert document["entries"][0]["postings"][0] == ["bank", -300]


def test_bg_stats_gets_the_result(odd: Night) -> None:
    link = bgstats_link(exported(odd))
    assert link is not None
    assert link.startswith(f"{ADDRESS}?data=")
    play = json.loads(parse_qs(urlsplit(link).query)["data"][0])
    assert play["sourceName"] == "Pochboard"
    assert play["playDate"] == f"2026-11-15 20:{len(odd.book.entries) - 1}:00"
    assert play["durationMin"] == len(odd.book.entries) - 1
    assert play["game"] == {
        "name": "Poch",
        "sourceGameId": "poch",
        "highestWins": True,
        "noPoints": False,
    }
    assert [player["winner"] for player in play["players"]] == [True, *[False] * 5]
    assert play["players"][0] == {
        "name": "مریم",
        "sourcePlayerId": "مریم",
        "score": str(odd.book.state.standings[0][2]),
        "rank": 1,
        "winner": True,
        "startPlayer": True,
    }
