"""After a night: the settlement and the exports over HTTP and on the command line."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from pochboard.exports import FORMATS
from tests.not_empty import not_empty
from tests.shell.daemons import Home
from tests.shell.server_kit import House, running_house
from tests.shell.test_cli import play, quick

START: dict[str, Any] = {"do": "start", "ruleset": "modern", "players": ["Anna", "Ben", "Clara"]}
DEAL: list[dict[str, Any]] = [
    {"do": "deal"},
    {"do": "claim", "seat": 2, "pool": "ace"},
    {"do": "next"},
    *({"do": "pass", "seat": seat} for seat in (2, 3, 1)),
    {"do": "out", "seat": 2},
    {"do": "settle", "cards": {"1": 4, "3": 2}},
]
NIGHT: list[dict[str, Any]] = [START, *DEAL, {"do": "end"}]


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """A daemon with one night that is over, night 1, and one that is not."""
    with running_house(tmp_path_factory.mktemp("house")) as running:
        running.start_threads()
        for command in [*NIGHT, START]:
            assert running.post("/api/commands", command).status == 200
        yield running


def test_the_settlement_over_http(house: House) -> None:
    settlement = house.get("/api/nights/1/settlement").json
    assert [row["text"] for row in settlement["transfers"]] == [
        "Anna pays Ben 6 chips.",
        "Clara pays Ben 4 chips.",
    ]
    assert all(party["chips_text"] for party in settlement["parties"])
    settlement = house.get("/api/nights/1/settlement?way=pairwise&bank=kept&worth=0,05").json
    assert [row["text"].replace("\N{NO-BREAK SPACE}", " ") for row in settlement["transfers"]] == [
        "Anna pays the bank 0.35 €.",
        "Ben pays the bank 0.35 €.",
        "Clara pays the bank 0.35 €.",
        "Anna pays Ben 0.30 €.",
        "Clara pays Ben 0.20 €.",
    ]
    assert settlement["transfers"][3]["why"] == "Ben won from Anna: Ace 1, Pinke 1, cards left 4."


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        ("1/settlement?way=some", 400, "bad-argument"),
        ("1/settlement?bank=", 400, "bad-argument"),
        ("1/settlement?worth=0", 400, "bad-argument"),
        ("1/settlement?worth=-1", 400, "bad-argument"),
        ("1/settlement?worth=1e9", 400, "bad-argument"),
        ("1/settlement?worth=0.00001", 400, "bad-argument"),
        ("2/settlement", 409, "night-open"),
        ("9/settlement", 404, "unknown-night"),
        ("x/csv", 404, "not-found"),
        ("9/json", 404, "unknown-night"),
    ],
)
def test_what_cannot_be_settled_or_exported(
    house: House, path: str, status: int, code: str
) -> None:
    answer = house.get(f"/api/nights/{path}")
    assert (answer.status, answer.code) == (status, code)


def test_every_format_can_be_downloaded(house: House) -> None:
    night = house.get("/api/nights/1").json
    assert [download["format"] for download in night["downloads"]] == list(FORMATS)
    for download in not_empty(night["downloads"]):
        answer = house.get(f"/api/nights/1/{download['format']}")
        assert answer.status == 200
        assert answer.headers["content-type"].startswith(FORMATS[download["format"]].media_type)
        assert download["label"]
    assert night["bgstats"].startswith("https://")
    assert house.get("/api/nights/2").json["bgstats"] is None


def test_settle_on_the_command_line(home: Home) -> None:
    play(home, *NIGHT)
    assert quick(home, "settle").splitlines()[2:] == [
        "  Ben       +10",
        "  Clara      −4",
        "  Anna       −6",
        "",
        "  Anna pays Ben 6 chips.  (With the share, Anna is at −6 and Ben at +10.)",
        "  Clara pays Ben 4 chips.  (With the share, Clara is at −4 and Ben at +10.)",
        "  This includes everybody’s share of the 21 chips that nobody won.",
    ]
    output = quick(home, "settle", "1", "--chip", "0.05", "--pairwise", "--bank")
    assert "Anna pays the bank 0.35\N{NO-BREAK SPACE}€.  (The bank received from Anna:" in output
    assert "  The bank has the chips that nobody won. Share them" in output
    play(home, START)
    ran = home.here("settle")
    assert (ran.status, ran.err) == (
        2,
        "pochboard: Night 2 is not over yet. It can be settled when it is.\n",
    )
    ran = home.here("settle", "1", "--chip", "free")
    assert ran.status == 2
    assert 'must be an amount above 0, such as 0.05, not "free".' in ran.err
