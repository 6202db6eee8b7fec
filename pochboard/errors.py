"""All errors, in one tree; every message is a sentence for the people at the table."""

from __future__ import annotations

import errno
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol, TypeVar, final

import msgspec

from pochboard.text.lazy import LazyText, lazy_gettext, lazy_ngettext, os_reason
from pochboard.text.translator import ENGLISH, Translator

T = TypeVar("T")
D = TypeVar("D")


@final
class Refusal(msgspec.Struct, frozen=True):
    """Why a command or a press was not accepted: data, not an exception. It changed nothing."""

    code: str
    """One of the codes of docs/RULES.md and docs/BOARD.md."""
    sentence: LazyText
    """What is wrong, and what to do about it."""
    short: LazyText | None = None
    """The same for a small display, where the sentence is too long for one."""


def refuse(code: str, sentence: str, /, *, short: LazyText | None = None, **values: Any) -> Refusal:
    """Makes a refusal, from a literal that the values fill or from a `LazyText`."""
    text = sentence if isinstance(sentence, LazyText) else lazy_gettext(sentence, **values)
    return Refusal(code, text, short)


def refuse_counted(code: str, one: str, many: str, count: int, /, **values: object) -> Refusal:
    """Makes a refusal from a sentence for one and one for many; `{count}` is the count."""
    return Refusal(code, lazy_ngettext(one, many, count, **values))


class RefusedInput(msgspec.Struct, frozen=True):
    """A press or a command was refused. The board and the phones show it."""

    refusal: Refusal
    buttons: tuple[str, ...] = ()
    """The buttons that were pressed; empty if a phone sent the command."""
    command: str | None = None
    """The name of the command that a phone sent."""

    @property
    def code(self) -> str:
        """The code of the refusal."""
        return self.refusal.code


class Attempt(Protocol):
    """Calls something that only shows the table, whose failure must not stop play."""

    def __call__(self, part: str, act: Callable[[], T], default: D, /) -> T | D:
        """Returns the result of `act`, or `default` if it fails."""


def directly(_part: str, act: Callable[[], T], _default: object, /) -> T:
    """An `Attempt` that catches nothing."""
    return act()


class PochboardError(Exception):
    """The root of all errors that a user can cause or fix; `str()` is the sentence to show."""


class ConfigError(PochboardError, ValueError):
    """A configuration or house ruleset file that cannot be used."""


class LedgerError(PochboardError, ValueError):
    """A file that is not a ledger, is newer than this program, or is inconsistent."""


class DamagedLedgerError(LedgerError):
    """A ledger whose file is damaged or lacks its latest entries. It can only be read."""

    def __init__(self, text: str, reason: str | None = None) -> None:
        """`reason` is a clause, for sentences about a file that is not the ledger in use."""
        super().__init__(text)
        self.reason = reason


class UnreadableNightError(LedgerError):
    """A stored night that this version of the program cannot read."""


class NoLedgerError(LedgerError):
    """There is no ledger, and no sign that there was one."""


class LedgerGoneError(LedgerError):
    """The ledger's file was deleted, moved away or replaced while it was open."""


class UnknownOutcomeError(LedgerError):
    """The disk failed during a commit: it is not known whether the change was stored."""


class LedgerInUseError(PochboardError, RuntimeError):
    """Another daemon is using the ledger."""


class BackupError(PochboardError, ValueError):
    """A backup that cannot be made, or that is damaged."""


class BackupStorageError(BackupError):
    """A backup, or its contents, could not be written to the disk."""

    def __init__(self, what: str | Path, error: OSError) -> None:
        """`what` is what could not be written: a file, or a phrase."""
        self.error = error
        if error.errno == errno.ENOSPC:
            text = lazy_gettext(
                "There is no room for {what}: the disk is full. Make room and try again.", what=what
            )
        else:
            text = lazy_gettext(
                "{what} cannot be written: {reason}.", what=what, reason=os_reason(error)
            )
        super().__init__(text)


class UnknownNightError(PochboardError, LookupError):
    """The ledger has no night of this number."""


class SheetError(PochboardError, ValueError):
    """A score sheet that cannot be imported or written."""


class NotASheetError(SheetError):
    """A file that is not a score sheet, or that cannot be read."""


class KnownNightError(SheetError):
    """A score sheet of which every night is in the ledger already."""


class CardError(PochboardError, ValueError):
    """A card that does not exist, is named twice, or cannot be in this deal."""


def card_error(message: str, /, **values: object) -> CardError:
    """Makes an error, from a literal whose placeholders the values fill."""
    return CardError(lazy_gettext(message, **values))


class NightError(PochboardError, ValueError):
    """A night that cannot be started, or cannot be settled yet."""


class SimulationError(PochboardError, RuntimeError):
    """A simulation that was interrupted, or whose files cannot be written."""


class ListenError(PochboardError, OSError):
    """An address or port that the daemon cannot listen on."""


class BoardError(PochboardError, RuntimeError):
    """A board that cannot be used; the message says what is wrong and how to fix it."""


class BrokerError(PochboardError, OSError):
    """An MQTT broker cannot be used."""


class StoppedError(PochboardError, RuntimeError):
    """The daemon is stopping and accepts nothing more."""


class UnknownButtonError(PochboardError, LookupError):
    """This board has no button with that name."""


class PartDiedError(PochboardError, RuntimeError):
    """A thread of the daemon has ended, so the daemon has to be started again."""


class RefusalAnswer(msgspec.Struct, frozen=True):
    """Why a request was refused: one of the contracts' codes, and a sentence for people."""

    code: str
    message: str


class RefusedEvent(msgspec.Struct, frozen=True):
    """A press or command that was refused: the buttons pressed, or the command's name."""

    code: str
    message: str
    button: tuple[str, ...]
    command: str | None


def refusal_answer(refusal: Refusal, t: Translator = ENGLISH) -> RefusalAnswer:
    """A refusal as an answer."""
    return RefusalAnswer(refusal.code, refusal.sentence.in_language(t))


def refused_event(event: RefusedInput, t: Translator = ENGLISH) -> RefusedEvent:
    """A refusal as an event for the phones."""
    text = event.refusal.sentence.in_language(t)
    return RefusedEvent(event.code, text, event.buttons, event.command)
