"""Refusals in sentences: what is wrong, and what to do about it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple, Self

from pochboard.errors import Refusal, Value
from pochboard.messages.labels import button_name, card_phrase, pool_name, suit_phrase
from pochboard.text.lazy import LazyText, SupportsGettext, translated
from pochboard.text.translator import ENGLISH, Translator, gettext_noop, ngettext_noop


class _Plural(NamedTuple):
    """A sentence with a singular and a plural."""

    forms: tuple[str, str]
    counted: str
    """The value whose number chooses the form; for a list, its length."""


_Sentence = str | _Plural

_SENTENCES: Final[Mapping[tuple[str, str], _Sentence]] = {
    # The form of a command
    ("bad-argument", "not-an-object"): gettext_noop(
        'A command is a JSON object with a field "do".'
    ),
    ("unknown-command", ""): gettext_noop(
        "There is no command “{named}”. The commands are {commands}."
    ),
    ("unknown-command", "unnamed"): gettext_noop(
        '"do" must name a command. The commands are {commands}.'
    ),
    ("bad-argument", "field"): gettext_noop("{command}: {reason}"),
    ("bad-argument", "too-long"): gettext_noop(
        '{command}: "{field}" must be text of at most {most} characters.'
    ),
    ("bad-argument", "unseen"): gettext_noop(
        '{command}: "{field}" contains an invisible character. Type it again.'
    ),
    ("bad-argument", "same-account"): gettext_noop("Choose two different accounts."),
    ("bad-argument", "blank-reason"): gettext_noop("Give a reason for the recount."),
    ("bad-argument", "too-many-chips"): gettext_noop("The bank pays at most {most} chips at once."),
    # Whether the command is possible now
    ("night-over", ""): gettext_noop("This night is over. Start a new one, or undo its end."),
    ("wrong-phase", "no-night"): gettext_noop("There is no night yet. Start one."),
    ("unknown-seat", ""): gettext_noop("There is no seat {seat}."),
    ("unknown-pool", ""): gettext_noop("This ruleset has no pool “{pool}”."),
    ("unknown-pool", "unnamed"): gettext_noop("This pool is not played with these rules."),
    ("unknown-pool", "meld"): gettext_noop("“{pool}” is not won by showing cards."),
    ("seat-out", ""): gettext_noop("{seat} is not playing."),
    ("seat-left", ""): gettext_noop("{seat} has gone home."),
    # Start, and who sits at the table
    ("bad-ruleset", ""): gettext_noop(
        "There is no ruleset “{named}”. The rulesets are {rulesets}."
    ),
    ("bad-ruleset", "option"): gettext_noop("{reason}"),
    ("bad-ruleset", "name"): gettext_noop(
        "A ruleset’s name begins with a letter or digit. It has at most 40 characters, and no"
        " slashes or other signs."
    ),
    ("bad-ruleset", "source"): gettext_noop(
        "The text about the source has at most {most} characters and no invisible ones."
    ),
    ("ruleset-exists", ""): gettext_noop("There is a ruleset {named} already."),
    ("ruleset-shipped", ""): gettext_noop("{named} comes with pochboard. Choose another name."),
    ("ruleset-shipped", "kept"): gettext_noop(
        "{named} comes with pochboard and cannot be deleted."
    ),
    ("ruleset-in-use", ""): gettext_noop("{named} cannot be deleted: {rulesets} are built on it."),
    ("ruleset-not-saved", ""): gettext_noop("The ruleset could not be saved: {reason}."),
    ("ruleset-not-saved", "full"): gettext_noop(
        "There is no room for the ruleset: the disk is full. Make room and try again."
    ),
    ("bad-players", "number"): gettext_noop(
        "{ruleset} is for {least} to {most} players, not {players}."
    ),
    ("bad-players", "blank"): gettext_noop("Every player needs a name."),
    ("bad-players", "twice"): gettext_noop(
        "Two players are called {name}. Give one of them another name."
    ),
    ("bad-players", "blank-name"): gettext_noop("A player needs a name."),
    ("bad-players", "taken"): gettext_noop("The name {name} is taken. Choose another one."),
    ("bad-place", ""): gettext_noop("Places must be different numbers from 1 to {most}."),
    ("bad-place", "number"): _Plural(
        ngettext_noop(
            "Each player needs one place: there are {players} players and {places} place.",
            "Each player needs one place: there are {players} players and {places} places.",
        ),
        "places",
    ),
    ("bad-place", "taken"): _Plural(
        ngettext_noop(
            "Place {place} is not free. Only place {places} is free.",
            "Place {place} is not free. Places {places} are free.",
        ),
        "places",
    ),
    ("bad-argument", "dealer"): gettext_noop(
        "There is no player {dealer} to deal: there are {players} players."
    ),
    ("bad-argument", "stack"): gettext_noop("A stack is at most {most} chips."),
    ("table-full", ""): gettext_noop("The table is full: {ruleset} is for at most {most} players."),
    ("table-full", "places"): gettext_noop("The table is full: all {places} places are taken."),
    ("too-few", ""): gettext_noop("At least two players must stay. End the night instead."),
    # Ante and meld
    ("short-ante", ""): _Plural(
        ngettext_noop(
            "{seats} cannot pay the ante of {chips} chip: buy in, leave, or end the night.",
            "{seats} cannot pay the ante of {chips} chips: buy in, leave, or end the night.",
        ),
        "chips",
    ),
    ("bad-argument", "not-in-deck"): gettext_noop(
        "The {card} is not in this deal’s deck of {deck} cards."
    ),
    ("no-turned-card", ""): gettext_noop(
        "No card is turned up with these rules: {suit} are always trumps."
    ),
    ("already-turned", ""): gettext_noop("The {card} has already been turned up in this deal."),
    ("too-late", ""): gettext_noop(
        "A pool has been claimed already. The card must be turned up before that."
    ),
    ("blocked-pool", ""): gettext_noop(
        "Nobody can win {pool} in this deal: its card was turned up."
    ),
    ("empty-pool", ""): gettext_noop("There are no chips in {pool}."),
    ("conflict", ""): gettext_noop(
        "{holder} has shown the king or queen of trumps, so {seat} cannot hold the cards for"
        " {pool}."
    ),
    # The betting
    ("not-your-turn", ""): gettext_noop("It is {turn}’s turn, not {seat}’s."),
    ("not-your-turn", "showdown"): gettext_noop("{seat} is not in the showdown."),
    ("not-enough-chips", ""): _Plural(
        ngettext_noop("{seat} has only {chips} chip.", "{seat} has only {chips} chips."), "chips"
    ),
    ("below-call", ""): _Plural(
        ngettext_noop("It takes {chips} chip to stay in.", "It takes {chips} chips to stay in."),
        "chips",
    ),
    ("no-raises", ""): gettext_noop("These rules do not allow raises: stay in or pass."),
    ("above-cap", ""): _Plural(
        ngettext_noop(
            "Nobody may stake more than {most} chip in all, so that everyone can stay in.",
            "Nobody may stake more than {most} chips in all, so that everyone can stay in.",
        ),
        "most",
    ),
    ("bad-ranking", "undecided"): gettext_noop(
        "This order does not decide every pot. Still in: {seats}."
    ),
    ("bad-ranking", "empty-tie"): gettext_noop("A tie in the order names no seat."),
    ("bad-ranking", "not-still-in"): gettext_noop(
        "The order may name only those still in: {seats}."
    ),
    ("bad-ranking", "twice"): gettext_noop("{seat} is in the order twice."),
    ("bad-ranking", "pressed"): gettext_noop("{seat} has already been pressed."),
    # The shedding
    ("wrong-phase", "no-run-bonus"): gettext_noop("These rules have no bonus for ending a run."),
    ("wrong-phase", "nobody-out"): gettext_noop("Nobody has played their last card yet."),
    ("already-out", ""): gettext_noop("{seat} went out first."),
    ("bad-argument", "winner-counted"): gettext_noop("{seat} went out and has no cards left."),
    ("counts-missing", ""): _Plural(
        ngettext_noop(
            "How many cards does {seats} have left?", "How many cards do {seats} have left?"
        ),
        "seats",
    ),
    ("too-many-cards", ""): _Plural(
        ngettext_noop(
            "{seat} was dealt only {cards} card.", "{seat} was dealt only {cards} cards."
        ),
        "cards",
    ),
    # Recounts, undo and redo
    ("seat-out", "recount"): gettext_noop("{seat} is out. Buy in first."),
    ("not-enough-chips", "recount"): _Plural(
        ngettext_noop(
            "There is only {chips} chip to move.", "There are only {chips} chips to move."
        ),
        "chips",
    ),
    ("changed", ""): gettext_noop(
        "The table has moved on, so nothing was booked. Look at what it shows now."
    ),
    ("nothing-to-undo", ""): gettext_noop("There is nothing to undo."),
    ("nothing-to-redo", ""): gettext_noop("There is nothing to redo."),
    ("not-stored", ""): gettext_noop("{reason} Nothing was booked."),
    ("unknown", ""): gettext_noop(
        "{reason} It is not yet known whether this was booked. Look at the ledger before you"
        " repeat it."
    ),
    ("unknown", "fault"): gettext_noop(
        "{reason} Nothing can be booked until the disk works again."
    ),
    ("ledger-gone", ""): gettext_noop("{reason} Nothing was booked."),
    ("ledger-gone", "fault"): gettext_noop("{reason} Nothing can be booked until then."),
    ("damaged", ""): gettext_noop("{reason} Nothing was booked."),
    ("damaged", "fault"): gettext_noop(
        "{reason} Nothing can be booked until then. A paired phone can also restore a backup: see"
        " Nights."
    ),
    # Bots at the table
    ("no-demo", ""): gettext_noop("No computer players are at the table."),
    ("bad-players", "places"): gettext_noop("This board has only {places} places."),
    ("wrong-phase", "bots-playing"): gettext_noop("Computer players are already at the table."),
    ("seat-taken", ""): gettext_noop("Somebody has already taken this seat."),
    ("unknown-seat", "no-bot"): gettext_noop("No computer player sits there."),
    ("unknown-seat", "not-taken"): gettext_noop("Nobody has taken this seat."),
    ("unknown-seat", "given-back"): gettext_noop("This seat is no longer yours."),
    ("wrong-phase", "no-cards-played"): gettext_noop("No cards are played now."),
    ("bad-cards", ""): gettext_noop("{reason}."),
    # Requests to the server
    ("internal", ""): gettext_noop("Something went wrong in the daemon. See its log."),
    ("stopping", ""): gettext_noop("The daemon is stopping."),
    ("ledger", ""): gettext_noop("{reason}"),
    ("bad-sheet", ""): gettext_noop("{reason}"),
    ("known-night", ""): gettext_noop("{reason}"),
    ("unknown-night", ""): gettext_noop("{reason}"),
    ("unknown-night", "none-yet"): gettext_noop("There is no night {number}; there is none yet."),
    ("unknown-night", "last"): gettext_noop("There is no night {number}; the last one is {last}."),
    ("unknown-night", "number"): gettext_noop("There is no night {number}."),
    ("night-open", ""): gettext_noop(
        "Night {number} is not over yet. It can be settled when it is."
    ),
    ("unknown-seat", "number"): gettext_noop("There is no seat {number}."),
    ("unknown-pairing", "number"): gettext_noop("There is no pairing {number}."),
    ("refused", ""): gettext_noop("{reason}."),
    ("bad-request", ""): gettext_noop("This request is malformed."),
    ("bad-request", "framing"): gettext_noop(
        "Send either Content-Length or Transfer-Encoding, not both."
    ),
    ("bad-request", "version"): gettext_noop("This server speaks HTTP/1.1 only."),
    ("not-found", ""): gettext_noop("There is nothing at this address."),
    ("wrong-method", ""): gettext_noop("This address does not take that method."),
    ("not-acceptable", ""): gettext_noop("This is not available in that form."),
    ("too-large", ""): gettext_noop("The request is larger than {most} KiB."),
    ("too-large", "headers"): gettext_noop("The headers of the request are too large."),
    ("too-slow", ""): gettext_noop("The request took too long to arrive."),
    ("busy", ""): gettext_noop("Too many requests at once. Try again in a moment."),
    ("busy", "streams"): gettext_noop("Too many clients are already following this board."),
    ("busy", "backups"): gettext_noop(
        "Another backup is being made or restored. Try again in a moment."
    ),
    ("busy", "client"): gettext_noop("Too many requests at once from this address. Wait a moment."),
    ("busy", "client-streams"): gettext_noop(
        "Too many pages at this address already follow the board. Close one of them."
    ),
    ("busy", "presses"): gettext_noop("Too many buttons are pressed at once."),
    ("no-websocket", ""): gettext_noop("There are no WebSockets here. See /api/events."),
    ("wrong-host", ""): gettext_noop(
        "{host} is not a name of this board. Use {urls}, or list it in config.toml under names."
    ),
    ("wrong-host", "none"): gettext_noop("The request does not say whom it is for. Use {urls}."),
    ("wrong-origin", ""): gettext_noop("Pages from other sites may not change anything."),
    ("wrong-origin", "read"): gettext_noop("Pages from other sites may not read this board."),
    ("wrong-origin", "proxy"): gettext_noop(
        "The page is at {origin}, but its request is for {host}. A proxy in between must pass on"
        " Host, or names in config.toml must list “{origin}”."
    ),
    ("not-json", ""): gettext_noop("Send JSON, with the content type application/json."),
    ("not-json", "or-nothing"): gettext_noop("Send no body, or JSON."),
    ("bad-json", ""): gettext_noop("This is not JSON: {reason}"),
    ("bad-json", "not-text"): gettext_noop("This is not JSON: it is not UTF-8 text."),
    ("bad-json", "too-deep"): gettext_noop("This JSON is nested too deeply."),
    ("bad-argument", "body"): gettext_noop("{reason}"),
    ("bad-argument", "after"): gettext_noop('"after" must be the number of an entry.'),
    ("bad-argument", "limit"): gettext_noop('"limit" must be a whole number from 1 to {most}.'),
    ("bad-argument", "choice"): gettext_noop('"{field}" must be one of these: {choices}.'),
    ("bad-argument", "remark"): gettext_noop(
        "A name has 1 to 100 characters, none of them invisible."
    ),
    ("bad-argument", "night-date"): gettext_noop(
        "A night can begin from 1 January 2000 to 31 December 2099."
    ),
    ("bad-argument", "clock"): gettext_noop(
        "A phone’s time counts from 1 January 2000 to 31 December 2099."
    ),
    ("clock-set", ""): gettext_noop(
        "The network has set the clock of this board, so no phone’s time is needed."
    ),
    ("wrong-phase", "delete-night"): gettext_noop(
        "Nights can be deleted or restored only while no night is in progress."
    ),
    ("wrong-phase", "replay"): gettext_noop(
        "The board can show a replay only while no night is in progress."
    ),
    ("replay-over", ""): gettext_noop("The board no longer shows the replay."),
    ("bad-argument", "entry"): gettext_noop(
        '"entry" must be a whole number from 1 to {most}, the last entry of this night.'
    ),
    ("bad-argument", "worth"): gettext_noop(
        '"worth" must be an amount above 0 with at most four decimals, such as 0.05.'
    ),
    ("bad-argument", "day"): gettext_noop('"day" must be a date, as in 2024-12-31.'),
    ("not-a-backup", ""): gettext_noop("Send a backup, as application/zip."),
    ("bad-backup", ""): gettext_noop("{reason}"),
    ("not-a-sheet", ""): gettext_noop("Send a score sheet, as application/x-ndjson or text/plain."),
    ("not-paired", ""): gettext_noop(
        "This phone is not paired. Hold “next” on the board for 3 s, then type the code that the"
        " rings show."
    ),
    ("not-paired", "hold-next"): gettext_noop(
        "This phone is not paired. Hold “next” for {seconds} s to open pairing."
    ),
    ("wrong-code", ""): gettext_noop(
        "That is not the code. Count the white lights on each ring again."
    ),
    ("wrong-code", "missing"): gettext_noop("Type the code that the rings show."),
    ("too-many-codes", ""): gettext_noop(
        "There have been too many wrong codes. Try again in {minutes} minutes."
    ),
    ("pairing-closed", ""): gettext_noop(
        "Pairing is closed. Hold “next” on the board for 3 s, then try again."
    ),
    ("not-simulated", ""): gettext_noop("This is a real board: press its own buttons."),
    ("no-link", ""): gettext_noop("{reason}"),
    ("no-demo", "real-board"): gettext_noop(
        "Computer players press the buttons of the simulated board. This is a real one."
    ),
    ("wrong-phase", "no-showdown"): gettext_noop("Hands are compared only at the showdown."),
    ("wrong-phase", "no-melding"): gettext_noop("Sequence can be won only during melding."),
    ("seat-out", "passed"): gettext_noop("{seat} has passed. Still in: {seats}."),
    # Presses
    ("no-meaning", ""): gettext_noop("The {button} button does nothing now."),
    ("no-meaning", "unnamed"): gettext_noop("This button does nothing now."),
    ("no-meaning", "between-nights"): gettext_noop(
        "The {button} button does nothing between nights."
    ),
    ("no-meaning", "nothing-to-end"): gettext_noop("There is no night to end and no deal to void."),
    ("no-meaning", "nobody-in"): gettext_noop(
        "Nobody is in yet, so nobody can be drawn. Press your places first."
    ),
    ("no-meaning", "chips-enough"): gettext_noop("{seat} has enough chips to play on."),
    ("no-meaning", "changed"): gettext_noop(
        "The table has moved on. Look at the board, then press again."
    ),
    ("no-meaning", "hold"): gettext_noop("Hold this button."),
    ("too-soon", ""): gettext_noop("Too quick: wait a second, then press next again."),
    ("no-seat", ""): gettext_noop("Nobody sits at place {place}."),
    ("not-your-turn", "press"): gettext_noop("It is {turn}’s turn."),
    ("seat-first", ""): gettext_noop("Press your place before the pool."),
    ("seat-first", "chips"): gettext_noop("Press your place once for each chip, then the pool."),
    ("pool-first", ""): gettext_noop("There are chips in hand. Press the pool to put them in."),
}

_WRONG_PHASE: Final[Mapping[str, str]] = {
    "idle": gettext_noop("“{command}” is not possible between deals."),
    "meld": gettext_noop("“{command}” is not possible during melding."),
    "pochen": gettext_noop("“{command}” is not possible during the betting."),
    "showdown": gettext_noop("“{command}” is not possible at the showdown."),
    "shed": gettext_noop("“{command}” is not possible while cards are being played."),
    "closed": gettext_noop("“{command}” is not possible once the night is over."),
}
"""The sentences of `wrong-phase`, by phase."""

_COMMANDS: Final[Mapping[str, str]] = {
    "start": gettext_noop("start"),
    "deal": gettext_noop("deal"),
    "turn": gettext_noop("turn"),
    "claim": gettext_noop("claim"),
    "next": gettext_noop("next"),
    "stake": gettext_noop("stake"),
    "pass": gettext_noop("pass"),
    "showdown": gettext_noop("showdown"),
    "go": gettext_noop("go"),
    "out": gettext_noop("out"),
    "settle": gettext_noop("settle"),
    "void": gettext_noop("void"),
    "rebuy": gettext_noop("rebuy"),
    "join": gettext_noop("join"),
    "leave": gettext_noop("leave"),
    "rename": gettext_noop("rename"),
    "dealer": gettext_noop("dealer"),
    "adjust": gettext_noop("adjust"),
    "undo": gettext_noop("undo"),
    "redo": gettext_noop("redo"),
    "end": gettext_noop("end"),
}
"""What commands are called in a sentence that players read."""

_LONGEST: Final = 80
"""The most letters of a name or another value in a sentence."""
_LONGEST_REASON: Final = 500
"""The most letters of a reason, which is one sentence or several."""


def refusal_text(refusal: Refusal, t: Translator = ENGLISH) -> str:
    """The sentence of a refusal."""
    values = refusal.values
    key = (refusal.code, refusal.case)
    places = {name: _said(name, value, t) for name, value in values.items()}
    sentence = _SENTENCES.get(key)
    if sentence is None:
        sentence = _WRONG_PHASE[str(values["phase"])]
        command = str(values["command"])
        places["command"] = t.gettext(_COMMANDS.get(command, command))
    if isinstance(sentence, str):
        # Also without values: the braces of a literal are doubled.
        return t.gettext(sentence, **places) if places else t.gettext(sentence).format()
    counted = values[sentence.counted]
    number = len(counted) if isinstance(counted, tuple) else int(counted)
    return t.ngettext(*sentence.forms, number, **places)


class LazyRefusal(LazyText):
    """The sentence of a refusal, to stand within another."""

    __slots__ = ("_refusal",)

    _refusal: Refusal

    def __new__(cls, refusal: Refusal) -> Self:
        """The sentence is put into words when its language is known."""
        made = super().__new__(cls, "{text}", text=refusal_text(refusal))
        made._refusal = refusal
        return made

    def in_language(self, t: SupportsGettext) -> str:
        """The sentence in another language."""
        return refusal_text(self._refusal, t) if isinstance(t, Translator) else str(self)


def _said(name: str, value: Value, t: Translator) -> str:
    """A value in the words of a sentence."""
    if name == "pool":
        return pool_name(str(value), t)
    if name == "button":
        return button_name(str(value), t)
    if name == "suit":
        return suit_phrase(str(value), t)
    if name == "card":
        return card_phrase(str(value), t)
    if name in ("commands", "urls") and isinstance(value, tuple):
        return ", ".join(value)
    if isinstance(value, tuple):
        return t.listed(tuple(_shortened(one, _LONGEST) for one in value))
    return _shortened(str(translated(value, t)), _LONGEST_REASON if name == "reason" else _LONGEST)


def _shortened(text: str, most: int) -> str:
    """What a client sent may be long, and has to fit on a phone."""
    return text if len(text) <= most else f"{text[: most - 1]}…"
