"""The referee as people ask it: on the command line, and over HTTP at the table."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.shell.daemons import Home
from tests.shell.server_kit import Answer, House

ACE_ALONE = """--option 'pools=["ace","poch","pinke"]' --option 'ante_pools=["ace"]'"""


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

EQUAL_PAIRS = '"1: KC KS AD" "2: KD KH QD"'


@pytest.mark.parametrize(
    ("question", "ranking"),
    [
        # Equal pairs tie without the trump.
        ('"1: KS KC" "2: KH KD" "3: 7C 7D"', [[1, 2], [3]]),
        # Without a set: nothing, or with high_card the highest card, then the next.
        ('--ruleset banker "1: KS QC" "2: AH 7D" "3: KH JD" "4: QS JC"', [[2], [1], [3], [4]]),
        # A fixed trump suit need not be named, but may be.
        (f"--option trump=hearts --option hand=all {EQUAL_PAIRS}", [[2], [1]]),
        # With all cards dealt, the card turned up is in a hand.
        (f"--option hand=all --turned KH {EQUAL_PAIRS}", [[2], [1]]),
    ],
)
def test_showdown(home: Home, question: str, ranking: list[list[int]]) -> None:
    answer = asked(home, f"showdown {question}")
    assert set(answer) == {"ranking", "why"}
    assert answer["ranking"] == ranking
    printed = plain(home, f"showdown {question}")
    assert printed[0] == answer["why"]
    assert printed[0].endswith(".")
    # A line for each seat with its place; those that tie share one.
    places = [
        (1 + sum(map(len, ranking[:better])), seat)
        for better, tied in enumerate(ranking)
        for seat in tied
    ]
    ranked = [re.match(r"  (\d+)\. Seat (\d+): \S", line) for line in printed[2:]]
    assert [row and (int(row[1]), int(row[2])) for row in ranked] == places


EQUAL = '"3: 7S 8S 9S" "1: 7C 8C 9C" "2: 7D 8D 9D"'


@pytest.mark.parametrize(
    ("question", "seat"),
    [
        ('--trump H "2: 7H 8H 9H" "4: AS KS QS"', 2),
        ('--turned 7H "2: 8H 9H TH"', None),
        # Equal runs: the first as they stand, or by the order of play after the dealer.
        (f"--ruleset banker --trump H {EQUAL}", 3),
        (f"--ruleset banker --trump H --dealer 1 {EQUAL}", 2),
        (f"--ruleset banker --trump H --dealer 7 {EQUAL}", 1),
        (f"--ruleset banker --option direction=anticlockwise --dealer 3 {EQUAL}", 2),
    ],
)
def test_sequence(home: Home, question: str, seat: int | None) -> None:
    answer = asked(home, f"sequence {question}")
    assert set(answer) == {"seat", "why"}
    assert answer["seat"] == seat
    assert plain(home, f"sequence {question}") == [answer["why"]]
    assert answer["why"].startswith(f"Seat {seat} holds " if seat else "Nobody holds ")


@pytest.mark.parametrize(
    ("question", "pools"),
    [
        ('--turned KH "2: AH QH TH" "3: JH KS"', {"2": ["ace", "queen", "ten"], "3": ["jack"]}),
        # With all cards dealt, the card turned up is in a hand and blocks nothing.
        ('--option hand=all --turned KH "KH QH"', {"1": ["marriage", "king", "queen"]}),
        # The best run alone takes the sequence pool; of equal ones that of forehand.
        (
            '--ruleset banker --trump H --dealer 1 "1: 7S 8S 9S" "2: 7C 8C 9C AH"',
            {"1": [], "2": ["sequence", "ace"]},
        ),
        (f'{ACE_ALONE} --trump H "AH KH QH"', {"1": ["ace"]}),
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


def test_a_hand_alone_may_yet_meet_a_better_run(home: Home) -> None:
    unsure = "Another hand may have a better run."
    assert unsure in plain(home, 'claims --ruleset banker --trump H "1: 7S 8S 9S"')
    assert unsure not in plain(home, 'claims --trump H "1: 7H 8H 9H"')
    assert unsure not in plain(home, 'claims --ruleset banker --trump H "1: 7S 8S 9S" "2: AS"')


def test_trumps_that_contradict_each_other_are_refused(home: Home) -> None:
    for words, sentence in (
        ("--trump H --trump D", "H and D cannot both be trumps"),
        ("--turned KS --turned QS", "KS and QS cannot both be turned up"),
    ):
        ran = home.here("referee", "showdown", *words.split(), "2: KH KD")
        assert (ran.status, ran.out) == (2, "")
        assert sentence in ran.said
    twice = home.here("referee", "showdown", "--trump", "H", "--trump", "hearts", "2: KH")
    assert twice.status == 0


def test_cards_are_called_as_asked(home: Home) -> None:
    question = '--ruleset banker --trump H "2: TH JH QH" "4: 7S 8S 9S"'
    for names, words in (
        ("english", "10 jack queen of hearts"),
        ("french", "Herz 10 Bube Dame"),
        ("german", "Rot 10 Unter Ober"),
    ):
        (printed,) = plain(home, f"sequence --names {names} {question}")
        assert words in printed
    first, _, *listed = plain(home, 'showdown --names german "2: QH QD" "4: JH JD JS"')
    assert first == "Seat 4 wins with three Unter; Seat 2 has a pair of Ober."
    assert listed == ["  1. Seat 4: three Unter", "  2. Seat 2: a pair of Ober"]


# The command line: faults.

ELEVEN = "7C 8C 9C TC JC QC KC AC 7D 8D 9D"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("showdown", "no hand is given"),
        ('showdown "KH KD"', "'KH KD' names no seat or player"),
        ('showdown ""', "'' names no seat or player"),
        ('showdown "0: KH"', "'0' is neither a seat"),
        (f'showdown "{"x" * 41}: KH"', f"'{'x' * 40}'… is too long for a name"),
        ('showdown "Anna: KH" "2: KD"', "hands are given by seat or by name, not by both"),
        ('showdown "Anna: KH" "anna: KD"', "Anna appears twice"),
        ('showdown "Anna: KH" "Ben: KH"', "KH appears twice: with Anna and with Ben"),
        ('showdown "Anna:"', "Anna has no cards"),
        (f'showdown "{"9" * 5000}: KH"', "is neither a seat"),
        ('showdown "2:"', "seat 2 has no cards"),
        ('claims --trump H ""', "seat 1 has no cards"),
        ('showdown "2: KH" "02: KD"', "seat 2 appears twice"),
        ('showdown "2: \x1b[2J"', "'\\x1b[2J' is not a card"),
        (f'showdown "2: {"K" * 5000}"', f"'{'K' * 40}' is not a card"),
        ('showdown "2: KH" "3: ♥K"', "KH appears twice: with seat 2 and with seat 3"),
        ('showdown --turned KH "3: KH"', "KH appears twice: turned up and with seat 3"),
        ('showdown --trump X "3: KH"', "'X' is not a suit"),
        ('showdown --trump S --turned 7H "3: KH"', "7H is turned up, so hearts are trumps, not sp"),
        (f'showdown --players 3 "1: {ELEVEN} QH"', "seat 1 cannot hold 12 cards"),
        ('showdown --ruleset banker --players 7 "1: 7D"', "banker is for 2 to 6 players, not 7"),
        ('claims "1: 7H 8H 9H"', "claims depend on the trump suit"),
        (f'sequence --trump H {ACE_ALONE} "1: 7H 8H 9H"', "modern has no sequence pool"),
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
        (
            'sequence --dealer Ben "1: KH"',
            'The dealer must be a seat such as 1, 2 or 3, not "Ben".',
        ),
        (
            'sequence --dealer Dora "Anna: KH" "Ben: QH" "Clara: 7H"',
            'The dealer must be Anna, Ben or Clara, not "Dora".',
        ),
        ('showdown --dealer 1 "1: KH"', "No such option '--dealer'."),
        ('showdown --names latin "1: KH"', "'latin' is not one of 'english', 'french', 'german'."),
        ('showdown "-2: KH"', "No such option '-2'."),
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
    return answer.json["state"]


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
    return answer.json["state"]


def test_a_showdown_is_settled_and_recorded(house: House) -> None:
    begin(house)
    do(house, "turn", card="9H")
    bet(house, (2, 4), (3, 4), (1, 4))
    verdict = settled(house, "showdown", {"1": "KH KD 7S", "3": "QH QS QD", "2": "AC TD"})
    assert verdict == {
        "ranking": [[3], [1]],
        "why": "Clara wins with three queens; Anna has a pair of kings.",
        "command": {"do": "showdown", "ranking": [3, 1]},
        "order": ["1. Clara", "2. Anna"],
        "missing": None,
        "book_label": "Record: Clara wins",
        "set_missing": None,
    }
    state = book(house, verdict["command"])
    # 50 less 9 of the ante and 4 staked; poch held 3 and 12.
    assert state["stacks"] == {"1": 37, "2": 37, "3": 37 + 15}
    assert (state["phase"], state["leader"], state["pools"]["poch"]) == ("shed", 3, 0)


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
    assert verdict["seat"] == seat
    assert verdict["why"].startswith(f"{['Anna', 'Ben', 'Clara', 'Dora'][seat - 1]} holds ")
    assert verdict["command"] == {"do": "claim", "seat": seat, "pool": "sequence"}
    before = house.get("/api/state").json
    after = book(house, verdict["command"])
    won = before["pools"]["sequence"]
    assert won > 0
    assert after["stacks"][str(seat)] == before["stacks"][str(seat)] + won
    assert after["pools"]["sequence"] == 0
    again = ask(house, "sequence", {"1": ["KH"]})
    assert (again.status, again.code) == (409, "empty-pool")


def phases(house: House) -> Iterator[str]:
    """A night is walked through, and stands in one phase after the other."""
    yield "none"
    do(house, "start", ruleset="modern", players=["Anna", "Ben", "Clara"])
    yield "idle"
    do(house, "deal")
    yield "meld"
    do(house, "next")
    yield "pochen"
    for seat in (2, 3, 1):
        do(house, "stake", seat=seat, chips=1)
    yield "showdown"
    do(house, "showdown", ranking=[])
    yield "shed"
    do(house, "void")
    do(house, "end")
    yield "closed"


def test_each_argument_has_its_phase(house: House) -> None:
    seen = []
    for phase in phases(house):
        assert house.get("/api/state").json["phase"] == phase
        for argument, at in (("showdown", "showdown"), ("sequence", "meld")):
            answer = ask(house, argument, {"1": ["7H", "8H", "9H"]}, trump="H")
            if phase == at:
                assert answer.status == 200
                seen.append(argument)
            else:
                assert (answer.status, answer.code) == (409, "wrong-phase")
                if argument == "sequence" and phase not in ("none", "closed"):
                    message = answer.json["message"]
                    assert message == "Sequence can be won only during melding."
    assert sorted(seen) == ["sequence", "showdown"]


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


def test_7_8_9_of_trumps_need_the_trump_suit(house: House) -> None:
    begin(house)
    hands = {"1": ["7H", "8H", "9H"]}
    missing = ask(house, "sequence", hands)
    assert (missing.status, missing.code) == (400, "bad-cards")
    assert "name the trump suit" in missing.json["message"]
    assert settled(house, "sequence", {"1": "7H 8H 9H"}, trump="H")["seat"] == 1
    assert settled(house, "sequence", {"1": "7H 8H 9H"}, trump="S")["seat"] is None


@pytest.mark.parametrize(
    "body",
    [
        [], {}, {"hands": []}, {"hands": None}, {"hands": {"1": "KH"}}, {"hands": {"1": [7]}},
        {"hands": {"0": ["KH"]}}, {"hands": {"x": ["KH"]}}, {"hands": {"9" * 5000: ["KH"]}},
        {"hands": {"1": ["KH"]}, "trump": 7}, {"hands": {"1": ["KH"]}, "style": "german"},
    ],
)  # fmt: skip
def test_malformed_bodies(house: House, body: object) -> None:
    begin(house)
    for argument in ("showdown", "sequence"):
        answer = house.post(f"/api/referee/{argument}", body)
        assert (answer.status, answer.code) == (400, "bad-argument")
