"""What can go wrong, in one tree; every message is a sentence for the people at the table."""

from __future__ import annotations

import msgspec


class Refusal(msgspec.Struct, frozen=True):
    """A command or press that was not accepted: data, not an exception. It changed nothing.

    `code` is one of the codes of docs/RULES.md and docs/BOARD.md, `message` a sentence for people.
    """

    code: str
    message: str


class PochboardError(Exception):
    """The root of all errors that a user can cause or mend; `str()` is the sentence to show."""


class ConfigError(PochboardError, ValueError):
    """A configuration or house ruleset file that cannot be used."""


class LedgerError(PochboardError, ValueError):
    """A ledger file that is none, is newer than this program, or does not add up."""


class LedgerInUseError(PochboardError, RuntimeError):
    """Another daemon holds the ledger."""


class UnknownNightError(PochboardError, LookupError):
    """No night of this number is in the ledger."""


class SheetError(PochboardError, ValueError):
    """A score sheet that cannot be imported or written."""


class NoSheetError(SheetError):
    """A file that is no score sheet, or cannot be read."""


class CardError(PochboardError, ValueError):
    """A card that is none, is there twice, or cannot be in this deal."""


class NightError(PochboardError, ValueError):
    """A night that cannot be started: the ruleset, its options or the players will not do."""


class SimulationError(PochboardError, RuntimeError):
    """A simulation that was cut short, or whose files cannot be written."""


class ListenError(PochboardError, OSError):
    """The address or port to listen on cannot be had."""


class BoardError(PochboardError, RuntimeError):
    """A board that cannot be used; the message says what is wrong and how it is mended."""


class StoppedError(PochboardError, RuntimeError):
    """The daemon is stopping and takes nothing more."""
