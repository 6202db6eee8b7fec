"""The formats that a night can be exported in."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Final

import msgspec

from pochboard.exports.accounting import write_beancount, write_hledger
from pochboard.exports.exported_night import ExportedNight
from pochboard.exports.tabular import write_csv, write_json
from pochboard.sheets.lines import NOON, UNKNOWN, Heading
from pochboard.sheets.write import write_sheet
from pochboard.text.translator import Translator


class Format(msgspec.Struct, frozen=True):
    """A format: how it is written, and what a file of it is called."""

    write: Callable[[ExportedNight, Translator], Iterator[str]]
    """Makes the text piece by piece."""
    extension: str
    media_type: str
    title: str
    """What it is, as in `A night as …`."""


def write_night(night: ExportedNight, known: Heading = UNKNOWN) -> Iterator[str]:
    """The score sheet of a night. Its heading has what else is `known`."""
    begun = night.local(night.entries[0].time_ms).replace(microsecond=0)
    # Nobody knows at what time of the day a night on paper began.
    on_paper = night.stored.imported and (night.stored.origin is None or begun.time() == NOON)
    when = begun.date() if on_paper else begun
    text = f"{when}" if on_paper else begun.replace(tzinfo=None).isoformat(" ", "minutes")
    title = f"night {night.stored.number}, begun {text}"
    heading = msgspec.structs.replace(known, id=night.identity, begun=when)
    return write_sheet(night.entries, night.state, title, heading)


def _sheet(night: ExportedNight, _: Translator) -> Iterator[str]:
    return write_night(night)


FORMATS: Final[Mapping[str, Format]] = {
    "sheet": Format(_sheet, "jsonl", "application/x-ndjson", "a score sheet"),
    "csv": Format(write_csv, "csv", "text/csv", "CSV"),
    "json": Format(write_json, "json", "application/json", "one JSON document"),
    "beancount": Format(write_beancount, "beancount", "text/plain", "a beancount ledger"),
    "hledger": Format(write_hledger, "journal", "text/plain", "an hledger journal"),
}
"""By the name that the command line and the API give them."""
SEPARATORS: Final[Mapping[str, str]] = {"comma": ",", "semicolon": ";"}
"""What may stand between the fields of CSV, by the name that the command line and the API use."""


def csv_with(separator: str) -> Format:
    """CSV with one of the `SEPARATORS`."""
    write = partial(write_csv, separator=SEPARATORS[separator])
    return msgspec.structs.replace(FORMATS["csv"], write=write)
