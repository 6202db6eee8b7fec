"""Every refusal of the program has a sentence, and fills its placeholders."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from gettext import NullTranslations
from pathlib import Path

import pytest

import pochboard
from pochboard.errors import Refusal
from pochboard.rules.registry import _WRONG_PHASE, RULES
from pochboard.text.allowed_values import cut_off
from pochboard.text.lazy import lazy_gettext, lazy_listed
from pochboard.text.names import lazy_button, lazy_pool
from pochboard.text.translator import ENGLISH, Translator
from tests.core.play import ALL_COMMANDS, Night

FOLDER = Path(pochboard.__file__).parent
SENTENCES: dict[str, list[str | tuple[str, str]]] = {
    "above-cap": [
        (
            "Nobody may stake more than {count} chip in all, so that everyone can stay in.",
            "Nobody may stake more than {count} chips in all, so that everyone can stay in.",
        )
    ],
    "already-out": ["{seat} went out first."],
    "already-turned": ["The {card} has already been turned up in this deal."],
    "bad-argument": [
        'A command is a JSON object with a field "do".',
        "{command}: {reason}",
        '{command}: "{field}" must be text of at most {most} characters.',
        '{command}: "{field}" contains an invisible character. Type it again.',
        "Choose two different accounts.",
        "Give a reason for the recount.",
        "The bank pays at most {most} chips at once.",
        "There is no player {dealer} to deal: there are {players} players.",
        "A stack is at most {most} chips.",
        "The {card} is not in this deal’s deck of {deck} cards.",
        "{seat} went out and has no cards left.",
        '"after" must be the number of an entry.',
        '"limit" must be a whole number from 1 to {most}.',
        '"{field}" must be one of these: {choices}.',
        "A name has 1 to 100 characters, none of them invisible.",
        "A night can begin from 1 January 2000 to 31 December 2099.",
        "A phone’s time counts from 1 January 2000 to 31 December 2099.",
        '"entry" must be a whole number from 1 to {most}, the last entry of this night.',
        '"worth" must be an amount above 0 with at most four decimals, such as 0.05.',
        '"day" must be a date, as in 2024-12-31.',
    ],
    "bad-cards": ["{reason}."],
    "bad-json": [
        "This is not JSON: {reason}",
        "This is not JSON: it is not UTF-8 text.",
        "This JSON is nested too deeply.",
    ],
    "bad-place": [
        "Places must be different numbers from 1 to {most}.",
        (
            "Each player needs one place: there are {players} players and {count} place.",
            "Each player needs one place: there are {players} players and {count} places.",
        ),
        (
            "Place {place} is not free. Only place {places} is free.",
            "Place {place} is not free. Places {places} are free.",
        ),
    ],
    "bad-players": [
        "{ruleset} is for {least} to {most} players, not {players}.",
        "Every player needs a name.",
        "Two players are called {name}. Give one of them another name.",
        "A player needs a name.",
        "The name {name} is taken. Choose another one.",
        "This board has only {places} places.",
    ],
    "bad-ranking": [
        "This order does not decide every pot. Still in: {seats}.",
        "A tie in the order names no seat.",
        "The order may name only those still in: {seats}.",
        "{seat} is in the order twice.",
        "{seat} has already been pressed.",
    ],
    "bad-request": [
        "This request is malformed.",
        "Send either Content-Length or Transfer-Encoding, not both.",
        "This server speaks HTTP/1.1 only.",
    ],
    "bad-ruleset": [
        "There is no ruleset “{named}”. The rulesets are {rulesets}.",
        (
            "A ruleset’s name begins with a letter or digit. It has at most 40 characters,"
            " and no slashes or other signs."
        ),
        "The text about the source has at most {most} characters and no invisible ones.",
    ],
    "below-call": [("It takes {count} chip to stay in.", "It takes {count} chips to stay in.")],
    "blocked-pool": ["Nobody can win {pool} in this deal: its card was turned up."],
    "busy": [
        "Too many requests at once. Try again in a moment.",
        "Too many clients are already following this board.",
        "Another backup is being made or restored. Try again in a moment.",
        "Too many requests at once from this address. Wait a moment.",
        "Too many pages at this address already follow the board. Close one of them.",
        "Too many buttons are pressed at once.",
    ],
    "changed": ["The table has moved on, so nothing was booked. Look at what it shows now."],
    "clock-set": ["The network has set the clock of this board, so no phone’s time is needed."],
    "conflict": [
        (
            "{holder} has shown the king or queen of trumps, so {seat} cannot hold the cards"
            " for {pool}."
        )
    ],
    "counts-missing": [
        ("How many cards does {seats} have left?", "How many cards do {seats} have left?")
    ],
    "damaged": [
        (
            "{reason} Nothing can be booked until then. A paired phone can also restore a"
            " backup: see Nights."
        ),
    ],
    "empty-pool": ["There are no chips in {pool}."],
    "internal": ["Something went wrong in the daemon. See its log."],
    "ledger-gone": ["{reason} Nothing can be booked until then."],
    "night-open": ["Night {number} is not over yet. It can be settled when it is."],
    "night-over": ["This night is over. Start a new one, or undo its end."],
    "no-demo": [
        "No computer players are at the table.",
        "Computer players press the buttons of the simulated board. This is a real one.",
    ],
    "no-link": ["The board has lost its link; this press did not arrive."],
    "no-meaning": [
        "The {button} button does nothing now.",
        "This button does nothing now.",
        "The {button} button does nothing between nights.",
        "There is no night to end and no deal to void.",
        "Nobody is in yet, so nobody can be drawn. Press your places first.",
        "{seat} has enough chips to play on.",
        "The table has moved on. Look at the board, then press again.",
        "Hold this button.",
    ],
    "no-raises": ["These rules do not allow raises: stay in or pass."],
    "no-seat": ["Nobody sits at place {place}."],
    "no-turned-card": ["No card is turned up with these rules: {suit} are always trumps."],
    "no-websocket": ["There are no WebSockets here. See /api/events."],
    "not-a-backup": ["Send a backup, as application/zip."],
    "not-a-sheet": ["Send a score sheet, as application/x-ndjson or text/plain."],
    "not-acceptable": ["This is not available in that form."],
    "not-enough-chips": [
        ("{seat} has only {count} chip.", "{seat} has only {count} chips."),
        ("There is only {count} chip to move.", "There are only {count} chips to move."),
    ],
    "not-found": ["There is nothing at this address."],
    "not-json": ["Send JSON, with the content type application/json.", "Send no body, or JSON."],
    "not-paired": [
        (
            "This phone is not paired. Hold “next” on the board for 3 s, then type the code"
            " that the rings show."
        ),
        "This phone is not paired. Hold “next” for {seconds} s to open pairing.",
    ],
    "not-simulated": ["This is a real board: press its own buttons."],
    "not-your-turn": [
        "It is {turn}’s turn, not {seat}’s.",
        "{seat} is not in the showdown.",
        "It is {turn}’s turn.",
    ],
    "nothing-to-redo": ["There is nothing to redo."],
    "nothing-to-undo": ["There is nothing to undo."],
    "pairing-closed": ["Pairing is closed. Hold “next” on the board for 3 s, then try again."],
    "pool-first": ["There are chips in hand. Press the pool to put them in."],
    "refused": ["{reason}."],
    "replay-over": ["The board no longer shows the replay."],
    "ruleset-exists": ["There is a ruleset {named} already."],
    "ruleset-in-use": ["{named} cannot be deleted: {rulesets} are built on it."],
    "ruleset-not-saved": [
        "The ruleset could not be saved: {reason}.",
        "There is no room for the ruleset: the disk is full. Make room and try again.",
    ],
    "ruleset-shipped": [
        "{named} comes with pochboard. Choose another name.",
        "{named} comes with pochboard and cannot be deleted.",
    ],
    "seat-first": [
        "Press your place before the pool.",
        "Press your place once for each chip, then the pool.",
    ],
    "seat-left": ["{seat} has gone home."],
    "seat-out": [
        "{seat} is not playing.",
        "{seat} is out. Buy in first.",
        "{seat} has passed. Still in: {seats}.",
    ],
    "seat-taken": ["Somebody has already taken this seat."],
    "short-ante": [
        (
            "{seats} cannot pay the ante of {count} chip: buy in, leave, or end the night.",
            "{seats} cannot pay the ante of {count} chips: buy in, leave, or end the night.",
        )
    ],
    "stopping": ["The daemon is stopping."],
    "table-full": [
        "The table is full: {ruleset} is for at most {most} players.",
        "The table is full: all {places} places are taken.",
    ],
    "too-few": ["At least two players must stay. End the night instead."],
    "too-large": [
        "The request is larger than {most} KiB.",
        "The headers of the request are too large.",
    ],
    "too-late": ["A pool has been claimed already. The card must be turned up before that."],
    "too-many-cards": [
        ("{seat} was dealt only {count} card.", "{seat} was dealt only {count} cards.")
    ],
    "too-many-codes": ["There have been too many wrong codes. Try again in {minutes} minutes."],
    "too-slow": ["The request took too long to arrive."],
    "too-soon": ["Too quick: wait a second, then press next again."],
    "unknown": [
        (
            "{reason} It is not yet known whether this was booked. Look at the ledger before"
            " you repeat it."
        ),
        "{reason} Nothing can be booked until the disk works again.",
    ],
    "unknown-command": [
        "There is no command “{named}”. The commands are {commands}.",
        '"do" must name a command. The commands are {commands}.',
    ],
    "unknown-night": [
        "There is no night {number}.",
    ],
    "unknown-pairing": ["There is no pairing {number}."],
    "unknown-pool": [
        "This ruleset has no pool “{pool}”.",
        "This pool is not played with these rules.",
        "“{pool}” is not won by showing cards.",
    ],
    "unknown-seat": [
        "There is no seat {seat}.",
        "No computer player sits there.",
        "Nobody has taken this seat.",
        "This seat is no longer yours.",
        "There is no seat {number}.",
    ],
    "wrong-code": [
        "That is not the code. Count the white lights on each ring again.",
        "Type the code that the rings show.",
    ],
    "wrong-host": [
        "{host} is not a name of this board. Use {urls}, or list it in config.toml under names.",
        "The request does not say whom it is for. Use {urls}.",
    ],
    "wrong-method": ["This address does not take that method."],
    "wrong-origin": [
        "Pages from other sites may not change anything.",
        "Pages from other sites may not read this board.",
        (
            "The page is at {origin}, but its request is for {host}. A proxy in between must"
            " pass on Host, or names in config.toml must list “{origin}”."
        ),
    ],
    "wrong-phase": [
        "There is no night yet. Start one.",
        "These rules have no bonus for ending a run.",
        "Nobody has played their last card yet.",
        "Computer players are already at the table.",
        "No cards are played now.",
        "Nights can be deleted or restored only while no night is in progress.",
        "The board can show a replay only while no night is in progress.",
        "Hands are compared only at the showdown.",
        "Sequence can be won only during melding.",
    ],
}
"""The sentences of each code, as they are decided; a singular stands before its plural."""


def decided() -> Iterator[tuple[str, str | tuple[str, str]]]:
    """The code of each call of `refuse` in the program, and its sentence if it is a literal."""
    for file in sorted(FOLDER.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            match node:
                case ast.Call(
                    func=ast.Name("refuse"),
                    args=[ast.Constant(str(code)), ast.Call(func=ast.Name(kind), args=forms)],
                ) if kind.startswith("lazy_") and kind.endswith("gettext"):
                    one, *many = [str(f.value) for f in forms if isinstance(f, ast.Constant)]
                    yield code, (one, many[0]) if many else one


def test_each_refusal_has_the_code_and_sentence_that_people_and_programs_know() -> None:
    found: dict[str, set[str | tuple[str, str]]] = {}
    for code, sentence in decided():
        found.setdefault(code, set()).add(sentence)
    assert found == {code: set(sentences) for code, sentences in SENTENCES.items()}


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
    assert refusal.sentence == sentence


def test_a_table_without_a_free_place_is_full_whatever_the_ruleset_takes() -> None:
    night = Night("banker", 8, options={"players": [3, 8]})
    night.shed()
    night.have({8: 0})
    night.settle(1)
    refusal = night.book.apply({"do": "join", "name": "Zoe"})
    assert isinstance(refusal, Refusal)
    assert refusal.sentence == "The table is full: all 8 places are taken."


class Quoting(NullTranslations):
    """A catalogue that marks what it translates; its empty message is its header, as always."""

    def gettext(self, message: str) -> str:
        return f"<{message}>" if message else "Content-Type: text/plain"


def test_what_a_client_made_up_is_not_translated() -> None:
    t = Translator(Quoting())
    for made_up in ("", "nope"):
        text = lazy_gettext("This ruleset has no pool “{pool}”.", pool=lazy_pool(made_up))
        assert text.in_language(t) == f"<This ruleset has no pool “{made_up}”.>"


def test_buttons_are_called_in_the_language_of_the_sentence() -> None:
    t = Translator(Quoting())
    for button, name in (("next", "next"), ("pinke", "Pinke")):
        text = lazy_gettext("The {button} button does nothing now.", button=lazy_button(button))
        assert text.in_language(t) == f"<The <{name}> button does nothing now.>"


def test_a_long_name_is_cut_off_and_a_list_isolates_each_name() -> None:
    assert cut_off("x" * 81) == "x" * 79 + "…"
    names = lazy_listed(["אבא", "Ben", "אמא"])
    assert names == "אבא, Ben and אמא"
    assert names.in_language(ENGLISH) == ENGLISH.listed(["אבא", "Ben", "אמא"])
    assert lazy_listed(["Anna"]).in_language(ENGLISH) == "Anna"
