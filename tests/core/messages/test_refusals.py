"""Every refusal of the program has a sentence, and fills its placeholders."""

from __future__ import annotations

import ast
import string
from collections.abc import Iterator
from functools import cache
from gettext import NullTranslations
from pathlib import Path
from typing import NamedTuple

import pytest

import pochboard
from pochboard.errors import Refusal, refuse
from pochboard.messages.refusals import _SENTENCES, _WRONG_PHASE, refusal_text
from pochboard.rules.registry import RULES
from pochboard.text.translator import Translator
from tests.core.play import ALL_COMMANDS, Night

FOLDER = Path(pochboard.__file__).parent


class Call(NamedTuple):
    where: str
    key: tuple[str, str]
    values: frozenset[str]


@cache
def calls() -> list[Call]:
    """Every call of `refuse` in the program that names its code and case."""
    return list(_calls())


def _calls() -> Iterator[Call]:
    for file in sorted(FOLDER.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
                continue
            if node.func.id != "refuse":
                continue
            named = [part.value for part in node.args if isinstance(part, ast.Constant)]
            if len(named) < len(node.args):
                continue  # the case is made from a field's name
            code, case = (*map(str, named), "")[:2]
            values = frozenset(word.arg for word in node.keywords if word.arg)
            yield Call(f"{file.name}:{node.lineno}", (code, case), values)


def places(key: tuple[str, str]) -> set[str]:
    """The placeholders of a sentence, in both forms."""
    sentence = _SENTENCES[key]
    forms = (sentence,) if isinstance(sentence, str) else sentence.forms
    return {name for form in forms for _, name, _, _ in string.Formatter().parse(form) if name}


def test_every_refusal_fills_a_sentence() -> None:
    assert len(calls()) > 60
    assert [call for call in calls() if not fills_a_sentence(call)] == []


def fills_a_sentence(call: Call) -> bool:
    if call.key not in _SENTENCES:
        return call.key == ("wrong-phase", "") and call.values >= {"phase", "command"}
    sentence = _SENTENCES[call.key]
    counted = set() if isinstance(sentence, str) else {sentence.counted}
    return places(call.key) | counted <= call.values


def test_every_sentence_is_of_use() -> None:
    used = {call.key for call in calls()}
    # The forms of fields are chosen by the field's name.
    unused = {key for key in _SENTENCES if key not in used}
    assert unused == set()


def test_every_phase_of_a_night_refuses_what_has_no_place_in_it() -> None:
    phases = {phase for rule in RULES.values() for phase in rule.phases}
    assert set(_WRONG_PHASE) == phases - {"none"}


RECOUNT = {"do": "adjust", "from": "bank", "to": "seat:1", "chips": 1, "reason": "r"}
COMMANDS = ", ".join(ALL_COMMANDS)


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        (["deal"], 'A command is a JSON object with a field "do".'),
        ({"do": "shuffle"}, f"There is no command “shuffle”. The commands are {COMMANDS}."),
        ({}, f'"do" must name a command. The commands are {COMMANDS}.'),
        ({"do": 3}, f'"do" must name a command. The commands are {COMMANDS}.'),
        ({"do": "go", "seat": 0}, 'go: "seat" must be a whole number of at least 1, not 0.'),
        ({"do": "go"}, 'go: "seat" is missing.'),
        (
            {"do": "turn", "card": "xx"},
            (
                'turn: "card" must be a card such as "TH", not "xx": a rank of 23456789TJQKA and a'
                " suit of CDHS."
            ),
        ),
        (
            {**RECOUNT, "from": "x"},
            'adjust: "from" must be bank, pool:NAME or seat:NUMBER, not "x".',
        ),
        ({**RECOUNT, "to": "x"}, 'adjust: "to" must be bank, pool:NAME or seat:NUMBER, not "x".'),
        (
            {"do": "rename", "seat": 1, "name": "x" * 101},
            'rename: "name" must be text of at most 100 characters.',
        ),
        (
            {"do": "rename", "seat": 1, "name": "An\x07na"},
            'rename: "name" contains an invisible character. Type it again.',
        ),
        (
            {"do": "settle", "cards": {"x": 1}},
            'settle: "cards" must name seats by their numbers, as in {"3": 2}, not "x".',
        ),
    ],
    ids=lambda value: value[:40] if isinstance(value, str) else "",
)
def test_the_refusal_says_what_a_command_must_look_like(command: object, sentence: str) -> None:
    night = Night()
    refusal = night.book.apply(command)
    assert isinstance(refusal, Refusal)
    assert refusal_text(refusal) == sentence


@pytest.mark.parametrize(
    ("refusal", "sentence"),
    [
        (refuse("below-call", chips=1), "It takes 1 chip to stay in."),
        (refuse("below-call", chips=2), "It takes 2 chips to stay in."),
        (
            refuse("counts-missing", seats=("Anna",)),
            "How many cards does Anna have left?",
        ),
        (
            refuse("counts-missing", seats=("Place 1", "Place 3", "Place 7")),
            "How many cards do Place 1, Place 3 and Place 7 have left?",
        ),
        (refuse("empty-pool", pool="ace"), "There are no chips in Ace."),
        (
            refuse("bad-ruleset", "name"),
            (
                "A ruleset’s name begins with a letter or digit. It has at most 40 characters, and"
                " no slashes or other signs."
            ),
        ),
        (
            refuse("bad-ruleset", "source", most=200),
            "The text about the source has at most 200 characters and no invisible ones.",
        ),
        (refuse("ruleset-exists", named="sunday"), "There is a ruleset sunday already."),
        (
            refuse("ruleset-shipped", named="modern"),
            "modern comes with pochboard. Choose another name.",
        ),
        (
            refuse("ruleset-shipped", "kept", named="modern"),
            "modern comes with pochboard and cannot be deleted.",
        ),
        (
            refuse("ruleset-in-use", named="a", rulesets=("b", "c")),
            "a cannot be deleted: b and c are built on it.",
        ),
        (
            refuse("ruleset-not-saved", reason="Read-only file system"),
            "The ruleset could not be saved: Read-only file system.",
        ),
        (
            refuse("ruleset-not-saved", "full"),
            "There is no room for the ruleset: the disk is full. Make room and try again.",
        ),
        (refuse("not-your-turn", turn="Hans", seat="Anna"), "It is Hans’s turn, not Anna’s."),
        (
            refuse("bad-place", "number", players=3, places=1),
            "Each player needs one place: there are 3 players and 1 place.",
        ),
        (
            refuse("bad-place", "number", players=3, places=2),
            "Each player needs one place: there are 3 players and 2 places.",
        ),
        (refuse("no-meaning", button="marriage"), "The Marriage button does nothing now."),
        (refuse("no-meaning", button="next"), "The next button does nothing now."),
        (refuse("no-meaning", "unnamed"), "This button does nothing now."),
        (refuse("unknown-pool", "unnamed"), "This pool is not played with these rules."),
        (refuse("too-soon"), "Too quick: wait a second, then press next again."),
        (
            refuse("wrong-phase", phase="meld", command="stake"),
            "“stake” is not possible during melding.",
        ),
    ],
)
def test_sentences(refusal: Refusal, sentence: str) -> None:
    assert refusal_text(refusal) == sentence


@pytest.mark.parametrize(
    ("refusal", "sentence"),
    [
        (refuse("not-your-turn", "press", turn="Anna"), "It is Anna’s turn."),
        (refuse("not-your-turn", "showdown", seat="Anna"), "Anna is not in the showdown."),
        (refuse("bad-ranking", "pressed", seat="Anna"), "Anna has already been pressed."),
        (refuse("too-many-cards", seat="Anna", cards=1), "Anna was dealt only 1 card."),
        (refuse("too-many-cards", seat="Anna", cards=2), "Anna was dealt only 2 cards."),
        (refuse("no-seat", place=4), "Nobody sits at place 4."),
        (refuse("seat-first"), "Press your place before the pool."),
        (refuse("seat-first", "chips"), "Press your place once for each chip, then the pool."),
        (refuse("pool-first"), "There are chips in hand. Press the pool to put them in."),
        (
            refuse("no-meaning", "between-nights", button="poch"),
            "The Poch button does nothing between nights.",
        ),
        (
            refuse("no-meaning", "nothing-to-end"),
            "There is no night to end and no deal to void.",
        ),
        (
            refuse("no-meaning", "nobody-in"),
            "Nobody is in yet, so nobody can be drawn. Press your places first.",
        ),
        (
            refuse("no-meaning", "chips-enough", seat="Anna"),
            "Anna has enough chips to play on.",
        ),
        (
            refuse("no-meaning", "changed"),
            "The table has moved on. Look at the board, then press again.",
        ),
        (refuse("no-meaning", "hold"), "Hold this button."),
        (
            refuse("wrong-phase", phase="closed", command="deal"),
            "“deal” is not possible once the night is over.",
        ),
    ],
)
def test_presses_that_are_refused(refusal: Refusal, sentence: str) -> None:
    assert refusal_text(refusal) == sentence


@pytest.mark.parametrize(
    ("refusal", "sentence"),
    [
        (refuse("no-demo"), "No computer players are at the table."),
        (
            refuse("no-demo", "real-board"),
            "Computer players press the buttons of the simulated board. This is a real one.",
        ),
        (refuse("bad-players", "places", places=6), "This board has only 6 places."),
        (
            refuse("wrong-phase", "bots-playing"),
            "Computer players are already at the table.",
        ),
        (refuse("seat-taken"), "Somebody has already taken this seat."),
        (refuse("unknown-seat", "no-bot"), "No computer player sits there."),
        (refuse("unknown-seat", "not-taken"), "Nobody has taken this seat."),
        (refuse("unknown-seat", "given-back"), "This seat is no longer yours."),
        (refuse("wrong-phase", "no-cards-played"), "No cards are played now."),
        (refuse("wrong-phase", "no-showdown"), "Hands are compared only at the showdown."),
        (refuse("wrong-phase", "no-melding"), "Sequence can be won only during melding."),
        (
            refuse("seat-out", "passed", seat="Anna", seats=("Ben", "Clara")),
            "Anna has passed. Still in: Ben and Clara.",
        ),
    ],
)
def test_bots_and_the_referee_refuse(refusal: Refusal, sentence: str) -> None:
    assert refusal_text(refusal) == sentence


@pytest.mark.parametrize(
    ("refusal", "sentence"),
    [
        (refuse("not-stored", reason="The disk is full."), "The disk is full. Nothing was booked."),
        (
            refuse("unknown", reason="The disk failed."),
            (
                "The disk failed. It is not yet known whether this was booked. Look at the ledger"
                " before you repeat it."
            ),
        ),
        (
            refuse("unknown", "fault", reason="The disk failed."),
            "The disk failed. Nothing can be booked until the disk works again.",
        ),
        (refuse("ledger-gone", reason="It is missing."), "It is missing. Nothing was booked."),
        (
            refuse("ledger-gone", "fault", reason="It is missing. Put it back."),
            "It is missing. Put it back. Nothing can be booked until then.",
        ),
        (refuse("damaged", reason="It is damaged."), "It is damaged. Nothing was booked."),
        (
            refuse("damaged", "fault", reason="It is damaged. Stop it."),
            (
                "It is damaged. Stop it. Nothing can be booked until then. A paired phone can also"
                " restore a backup: see Nights."
            ),
        ),
        (refuse("internal"), "Something went wrong in the daemon. See its log."),
        (refuse("stopping"), "The daemon is stopping."),
        (refuse("ledger", reason="It does not add up."), "It does not add up."),
        (refuse("bad-sheet", reason="Line 3 is empty."), "Line 3 is empty."),
        (refuse("bad-cards", reason="XX is not a card"), "XX is not a card."),
        (refuse("no-link", reason="There is no network."), "There is no network."),
        (refuse("refused", reason="Conflict"), "Conflict."),
        (refuse("unknown-night", reason="There is no night 9."), "There is no night 9."),
        (refuse("unknown-night", "number", number="x"), "There is no night x."),
        (
            refuse("unknown-night", "none-yet", number=9),
            "There is no night 9; there is none yet.",
        ),
        (
            refuse("unknown-night", "last", number=9, last=2),
            "There is no night 9; the last one is 2.",
        ),
        (
            refuse("bad-argument", "remark"),
            "A name has 1 to 100 characters, none of them invisible.",
        ),
        (
            refuse("bad-argument", "night-date"),
            "A night can begin from 1 January 2000 to 31 December 2099.",
        ),
        (
            refuse("bad-argument", "clock"),
            "A phone’s time counts from 1 January 2000 to 31 December 2099.",
        ),
        (
            refuse("clock-set"),
            "The network has set the clock of this board, so no phone’s time is needed.",
        ),
        (
            refuse("wrong-phase", "delete-night"),
            "Nights can be deleted or restored only while no night is in progress.",
        ),
        (
            refuse("wrong-phase", "replay"),
            "The board can show a replay only while no night is in progress.",
        ),
        (refuse("replay-over"), "The board no longer shows the replay."),
        (
            refuse("bad-argument", "entry", most=7),
            '"entry" must be a whole number from 1 to 7, the last entry of this night.',
        ),
        (
            refuse("night-open", number=3),
            "Night 3 is not over yet. It can be settled when it is.",
        ),
        (
            refuse("bad-argument", "choice", field="way", choices=("fewest", "pairwise")),
            '"way" must be one of these: fewest and pairwise.',
        ),
        (
            refuse("bad-argument", "worth"),
            '"worth" must be an amount above 0 with at most four decimals, such as 0.05.',
        ),
        (refuse("unknown-seat", "number", number="x"), "There is no seat x."),
        (refuse("unknown-pairing", "number", number="x"), "There is no pairing x."),
        (refuse("bad-request"), "This request is malformed."),
        (
            refuse("bad-request", "framing"),
            "Send either Content-Length or Transfer-Encoding, not both.",
        ),
        (refuse("bad-request", "version"), "This server speaks HTTP/1.1 only."),
        (refuse("not-found"), "There is nothing at this address."),
        (refuse("wrong-method"), "This address does not take that method."),
        (refuse("not-acceptable"), "This is not available in that form."),
        (refuse("too-large", most=64), "The request is larger than 64 KiB."),
        (refuse("too-large", "headers"), "The headers of the request are too large."),
        (refuse("too-slow"), "The request took too long to arrive."),
        (refuse("busy"), "Too many requests at once. Try again in a moment."),
        (refuse("busy", "streams"), "Too many clients are already following this board."),
        (
            refuse("busy", "client"),
            "Too many requests at once from this address. Wait a moment.",
        ),
        (
            refuse("busy", "client-streams"),
            "Too many pages at this address already follow the board. Close one of them.",
        ),
        (
            refuse("bad-argument", "limit", most=1000),
            '"limit" must be a whole number from 1 to 1000.',
        ),
        (refuse("busy", "presses"), "Too many buttons are pressed at once."),
        (refuse("no-websocket"), "There are no WebSockets here. See /api/events."),
        (
            refuse("wrong-host", host="evil.example", urls=("http://a/", "http://b/")),
            (
                "evil.example is not a name of this board. Use http://a/, http://b/, or list it in"
                " config.toml under names."
            ),
        ),
        (
            refuse("wrong-host", "none", urls=("http://a/",)),
            "The request does not say whom it is for. Use http://a/.",
        ),
        (refuse("wrong-origin"), "Pages from other sites may not change anything."),
        (refuse("wrong-origin", "read"), "Pages from other sites may not read this board."),
        (
            refuse("wrong-origin", "proxy", origin="nas.local:81", host="pi.local:8441"),
            (
                "The page is at nas.local:81, but its request is for pi.local:8441. A proxy in"
                " between must pass on Host, or names in config.toml must list “nas.local:81”."
            ),
        ),
        (refuse("not-json"), "Send JSON, with the content type application/json."),
        (refuse("not-json", "or-nothing"), "Send no body, or JSON."),
        (refuse("bad-json", reason="It is empty."), "This is not JSON: It is empty."),
        (refuse("bad-json", "not-text"), "This is not JSON: it is not UTF-8 text."),
        (refuse("bad-json", "too-deep"), "This JSON is nested too deeply."),
        (refuse("bad-argument", "body", reason="A reason."), "A reason."),
        (
            refuse("bad-argument", "after"),
            '"after" must be the number of an entry.',
        ),
        (
            refuse("bad-argument", "day"),
            '"day" must be a date, as in 2024-12-31.',
        ),
        (refuse("not-a-backup"), "Send a backup, as application/zip."),
        (refuse("bad-backup", reason="This file is damaged."), "This file is damaged."),
        (
            refuse("busy", "backups"),
            "Another backup is being made or restored. Try again in a moment.",
        ),
        (
            refuse("not-a-sheet"),
            "Send a score sheet, as application/x-ndjson or text/plain.",
        ),
        (
            refuse("not-paired"),
            (
                "This phone is not paired. Hold “next” on the board for 3 s, then type the code"
                " that the rings show."
            ),
        ),
        (
            refuse("not-paired", "hold-next", seconds="3"),
            "This phone is not paired. Hold “next” for 3 s to open pairing.",
        ),
        (
            refuse("wrong-code"),
            "That is not the code. Count the white lights on each ring again.",
        ),
        (refuse("wrong-code", "missing"), "Type the code that the rings show."),
        (
            refuse("too-many-codes", minutes=5),
            "There have been too many wrong codes. Try again in 5 minutes.",
        ),
        (
            refuse("pairing-closed"),
            "Pairing is closed. Hold “next” on the board for 3 s, then try again.",
        ),
        (refuse("not-simulated"), "This is a real board: press its own buttons."),
        (
            refuse("changed"),
            "The table has moved on, so nothing was booked. Look at what it shows now.",
        ),
    ],
)
def test_the_server_refuses_requests(refusal: Refusal, sentence: str) -> None:
    assert refusal_text(refusal) == sentence


def test_a_table_without_a_free_place_is_full_whatever_the_ruleset_takes() -> None:
    night = Night("banker", 8, options={"players": [3, 8]})
    night.shed()
    night.have({8: 0})
    night.settle(1)
    refusal = night.book.apply({"do": "join", "name": "Zoe"})
    assert isinstance(refusal, Refusal)
    assert refusal_text(refusal) == "The table is full: all 8 places are taken."


class Quoting(NullTranslations):
    """A catalogue that marks what it translates; its empty message is its header, as always."""

    def gettext(self, message: str) -> str:
        return f"<{message}>" if message else "Content-Type: text/plain"


def test_what_a_client_made_up_is_not_translated() -> None:
    t = Translator(Quoting())
    for made_up in ("", "nope"):
        text = refusal_text(refuse("unknown-pool", pool=made_up), t)
        assert text == f"<This ruleset has no pool “{made_up}”.>"


def test_buttons_are_called_in_the_language_of_the_sentence() -> None:
    t = Translator(Quoting())
    for button, name in (("next", "next"), ("pinke", "Pinke")):
        text = refusal_text(refuse("no-meaning", button=button), t)
        assert text == f"<The <{name}> button does nothing now.>"
