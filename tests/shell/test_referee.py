"""The referee as people ask it: on the command line, and over HTTP at the table."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.shell.daemons import Home
from tests.shell.server_kit import Answer, House, stacks
from tests.shell.server_kit import pools as pools_of


def asked(home: Home, words: str) -> Any:
    """The answer in JSON to a question written as in a shell."""
    ran = home.here("referee", *shlex.split(words), "--json")
    assert (ran.status, ran.err) == (0, ""), ran
    assert ran.out.count("\n") == 1
    return json.loads(ran.out)


def plain(home: Home, words: str) -> list[str]:
    """The lines of the answer for people."""
    ran = home.here("referee", *shlex.split(words))
    assert (ran.status, ran.err) == (0, ""), ran
    return ran.out.splitlines()


def test_the_examples_of_the_page_are_what_it_prints(home: Home) -> None:
    page = (Path(__file__).parents[2] / "docs" / "CARDS.md").read_text("utf-8")
    examples = re.findall(r"^\$ pochboard (.*)\n((?:(?!\$|```).*\n)*)", page, re.MULTILINE)
    for words, printed in examples:
        ran = home.here(*shlex.split(words))
        assert (ran.err or ran.out).rstrip() == printed.rstrip(), words
    assert examples


# The command line: answers.


EQUAL = '"3: 7S 8S 9S" "1: 7C 8C 9C" "2: 7D 8D 9D"'


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ('showdown "1: KS KC" "2: KH KD" "3: 7C 7D"', {"ranking": [[1, 2], [3]]}),
        # Equal runs: the first as they stand, or by the order of play after the dealer.
        (f"sequence --ruleset banker --trump H {EQUAL}", {"seat": 3}),
        (f"sequence --ruleset banker --trump H --dealer 1 {EQUAL}", {"seat": 2}),
        (
            f"sequence --ruleset banker --option direction=anticlockwise --dealer 3 {EQUAL}",
            {"seat": 2},
        ),
    ],
)
def test_who_wins(home: Home, question: str, said: dict[str, Any]) -> None:
    answer = asked(home, question)
    assert answer == {**said, "why": plain(home, question)[0]}


@pytest.mark.parametrize(
    ("question", "pools"),
    [
        ('--turned KH "2: AH QH TH" "3: JH KS"', {"2": ["ace", "queen", "ten"], "3": ["jack"]}),
        # With all cards dealt, the card turned up is in a hand and blocks nothing.
        ('--option hand=all --turned KH "KH QH"', {"1": ["marriage", "king", "queen"]}),
    ],
)  # fmt: skip
def test_claims(home: Home, question: str, pools: dict[str, list[str]]) -> None:
    answer = asked(home, f"claims {question}")
    assert set(answer) == {"pools", "why"}
    assert answer["pools"] == pools
    printed = plain(home, f"claims {question}")
    assert " ".join(printed) == answer["why"]
    for seat, due in pools.items():
        (line,) = (line for line in printed if line.startswith(f"Seat {seat} may claim "))
        assert re.findall(r"\w+", line.split("claim ")[1].replace(" and ", " ").lower()) == (
            due or ["nothing"]
        )


def test_claims_say_what_the_dealer_takes_for_the_card_turned_up(home: Home) -> None:
    printed = "The dealer takes King for the card turned up."
    dealer = "claims --option turned_card=dealer"
    # Nobody holds the card, so no hand claims its pool.
    assert plain(home, f'{dealer} --turned KH "1: AH QH"') == [
        "Seat 1 may claim Ace and Queen.",
        printed,
    ]
    assert asked(home, f'{dealer} --turned KH "1: AH QH"')["why"].endswith(printed)
    assert printed not in plain(home, 'claims --turned KH "1: AH QH"')
    for turned in ("9H", "KS"):
        rest = plain(home, f'{dealer} --turned {turned} "1: AC QC"')
        assert (printed in rest) is (turned == "KS")


# The command line: faults.

ELEVEN = "7C 8C 9C TC JC QC KC AC 7D 8D 9D"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("showdown", "no hand is given"),
        ('showdown "KH KD"', "'KH KD' names no seat or player"),
    ],
)  # fmt: skip
def test_bad_cards_are_said_in_one_sentence(home: Home, words: str, sentence: str) -> None:
    for more in ([], ["--json"]):
        ran = home.here("referee", *shlex.split(words), *more)
        assert ran.status == 2
        assert sentence in ran.said
        assert len(ran.said) < 200
    assert not home.data.exists()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("frobnicate", "No such command 'frobnicate'."),
        (
            'showdown --ruleset canasta "1: KH"',
            'There is no ruleset "canasta". The rulesets are mod',
        ),
        (
            'showdown --option hand=99 "1: KH"',
            '"hand" must be a whole number from 1 to 10, "all" or "all-but-one", not 99.',
        ),
        ('showdown --players 9 "1: KH"', "'--players': 9 is not in the range 2<=x<=8."),
        (
            'sequence --dealer 0 "1: KH"',
            "Invalid value for '--dealer': The dealer must be a seat such as 1, 2 or 3, not \"0\".",
        ),
    ],
)
def test_wrong_use(home: Home, words: str, sentence: str) -> None:
    assert sentence in home.here("referee", *shlex.split(words)).misused


# Over HTTP.

PHONE = {"X-Forwarded-For": "192.168.1.77"}
"""As a client that is on the LAN, and not paired."""


def do(house: House, name: str, **fields: object) -> Any:
    """A command that is recorded; the state after it."""
    answer = house.command(do=name, **fields)
    assert answer.status == 200, answer.body
    return house.get("/api/state").json


def begin(house: House, *, ruleset: str = "modern", players: int = 3, **options: object) -> None:
    """Seat 1 deals to Anna, Ben, Clara …; forehand is seat 2."""
    names = ["Anna", "Ben", "Clara", "Dora"][:players]
    do(house, "start", ruleset=ruleset, players=names, options=options)
    do(house, "deal")


def bet(house: House, *acts: tuple[int, int]) -> None:
    """Betting from forehand on: seats with what they stake; 0 is a pass."""
    do(house, "next")
    for seat, chips in acts:
        if chips:
            do(house, "stake", seat=seat, chips=chips)
        else:
            do(house, "pass", seat=seat)
    assert house.get("/api/state").json["phase"] == "showdown"


def ask(house: House, argument: str, hands: object, **more: object) -> Answer:
    """Asks the referee from a phone that is not paired, which changes nothing."""
    before = house.get("/api/state").json
    answer = house.post(f"/api/referee/{argument}", {"hands": hands, **more}, PHONE)
    assert house.get("/api/state").json == before
    return answer


def settled(house: House, argument: str, hands: dict[str, str], **more: object) -> Any:
    """The referee's answer about hands, each written as in `KH KD`."""
    answer = ask(house, argument, {seat: cards.split() for seat, cards in hands.items()}, **more)
    assert answer.status == 200, answer.body
    return answer.json


def book(house: House, command: dict[str, object]) -> Any:
    answer = house.post("/api/commands", command)
    assert answer.status == 200, answer.body
    return house.get("/api/state").json


def test_a_showdown_is_settled_and_recorded(house: House) -> None:
    begin(house)
    do(house, "turn", card="9H")
    bet(house, (2, 4), (3, 4), (1, 4))
    verdict = settled(house, "showdown", {"1": "KH KD 7S", "3": "QH QS QD", "2": "AC TD"})
    assert verdict == {
        "ranking": [[3], [1]],
        "why": "Clara wins with three queens; Anna has a pair of kings.",
        "command": {"do": "showdown", "ranking": [3, 1]},
        "missing": [],
        "label": "Record: Clara wins",
    }
    state = book(house, verdict["command"])
    # 50 less 9 of the ante and 4 staked; poch held 3 and 12.
    assert stacks(state) == {"1": 37, "2": 37, "3": 37 + 15}
    assert (state["phase"], pools_of(state)["poch"]) == ("shed", 0)


@pytest.mark.parametrize(
    ("ruleset", "turned", "hands", "seat"),
    [
        ("modern", "TH", {"1": "7H 8H 9H", "2": "AH"}, 1),
        # Equal runs: forehand, seat 2, comes before seat 3, and the dealer last.
        ("alvensleben-1853", "2H", {"1": "7S 8S 9S", "3": "7D 8D 9D", "2": "7C 8C 9C"}, 2),
    ],
)
def test_a_sequence_is_settled_and_recorded(
    house: House, ruleset: str, turned: str, hands: dict[str, str], seat: int
) -> None:
    players = 3 if ruleset == "modern" else 4
    begin(house, ruleset=ruleset, players=players, deck=52 if ruleset != "modern" else 32)
    do(house, "turn", card=turned)
    verdict = settled(house, "sequence", hands)
    assert verdict["why"].startswith(f"{['Anna', 'Ben', 'Clara', 'Dora'][seat - 1]} holds ")
    assert verdict["command"] == {"do": "claim", "seat": seat, "pool": "sequence"}
    before = house.get("/api/state").json
    after = book(house, verdict["command"])
    won = pools_of(before)["sequence"]
    assert won > 0
    assert stacks(after)[str(seat)] == stacks(before)[str(seat)] + won
    assert pools_of(after)["sequence"] == 0
    again = ask(house, "sequence", {"1": ["KH"]})
    assert (again.status, again.code) == (409, "empty-pool")


def test_each_argument_has_its_phase(house: House) -> None:
    hand = {"1": ["7H", "8H", "9H"]}
    assert ask(house, "showdown", hand).code == "wrong-phase"
    begin(house)
    assert ask(house, "showdown", hand).code == "wrong-phase"
    assert ask(house, "sequence", hand, trump="H").status == 200
    bet(house, (2, 1), (3, 1), (1, 1))
    late = ask(house, "sequence", hand, trump="H")
    assert (late.status, late.code) == (409, "wrong-phase")
    assert late.json["message"] == "Sequence can be won only during melding."
    assert ask(house, "showdown", hand).status == 200


def test_seats_that_are_not_in(house: House) -> None:
    do(house, "start", ruleset="modern", players=["Anna", "Ben", "Clara", "Dora"])
    do(house, "leave", seat=4)
    do(house, "deal")
    hand = ["KH"]
    for seat, code in (("4", "seat-out"), ("5", "unknown-seat")):
        answer = ask(house, "sequence", {"1": ["KD"], seat: hand}, trump="H")
        assert (answer.status, answer.code) == (409, code)
    bet(house, (2, 4), (3, 0), (1, 4))
    for seat, code in (("4", "seat-out"), ("3", "seat-out"), ("5", "unknown-seat")):
        answer = ask(house, "showdown", {"1": hand, seat: ["KD"]})
        assert (answer.status, answer.code) == (409, code)
    passed = ask(house, "showdown", {"3": hand}).json["message"]
    assert passed == "Clara has passed. Still in: Anna and Ben."


TWELVE = [*ELEVEN.split(), "KD"]


@pytest.mark.parametrize(
    ("hands", "trump", "sentence"),
    [
        ({}, None, "No hand is given."),
        ({"1": []}, None, "Anna has no cards: leave out seats that show none."),
        ({"1": ["KH"], "2": ["♥K"]}, None, "KH appears twice: with Anna and with Ben."),
        ({"1": ["9H"]}, None, "9H appears twice: turned up and with Anna."),
        ({"1": TWELVE}, None, "Anna cannot hold 12 cards: nobody is dealt more than 11."),
        ({"1": ["KH"]}, "S", "9H is turned up, so hearts are trumps, not spades."),
    ],
)
def test_bad_cards(
    house: House, hands: dict[str, Sequence[str]], trump: str | None, sentence: str
) -> None:
    begin(house, sequence="longest-run")
    do(house, "turn", card="9H")
    for argument in ("sequence", "showdown"):
        if argument == "showdown":
            bet(house, (2, 4), (3, 4), (1, 4))
        answer = ask(house, argument, hands, trump=trump)
        assert (answer.status, answer.code) == (400, "bad-cards")
        assert sentence in answer.json["message"]
        assert answer.json["message"].endswith(".")
