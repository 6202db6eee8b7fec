"""A night that was kept on paper, made ready for the ledger."""

from __future__ import annotations

import msgspec

from pochboard.errors import Refusal, SheetError
from pochboard.rules.sitting import Resolve
from pochboard.sheets.lines import read_sheet
from pochboard.sheets.run import Bench, PlayedNight, run_sheet


class Paper(msgspec.Struct, frozen=True):
    """The closed nights of a sheet, and what had to be done to close them."""

    nights: list[PlayedNight]
    remarks: list[str]


def closed_nights(content: bytes, resolve: Resolve) -> Paper:
    """The nights of a score sheet, each closed. Raises SheetError if it does not hold.

    A night that the sheet leaves open is closed: a deal in the middle is voided, then the night
    ends; the remarks say so.
    """
    bench = Bench(resolve)
    failure = run_sheet(read_sheet(content), bench)
    if failure:
        raise SheetError(f"{failure}; nothing was imported")
    if not bench.book.entries:
        raise SheetError("there is no night on this sheet: it starts none")
    remarks = []
    state = bench.state
    if state.phase not in ("idle", "closed"):
        remarks.append(f"The sheet stops in the middle of deal {state.deal}; that deal is void.")
        _surely(bench, "void")
    if bench.state.phase != "closed":
        remarks.append("The sheet does not end its night; it was closed.")
        _surely(bench, "end")
    return Paper(bench.nights(), remarks)


def _surely(bench: Bench, do: str) -> None:
    refusal: Refusal | None = bench.send({"do": do})
    assert refusal is None, f"{do} is always accepted there"
