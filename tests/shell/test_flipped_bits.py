"""Flipped bits in a ledger and its log: found, named or harmless, never silent.

`make torture` flips every bit; `tests/torture/bits.py` defines these words.
"""

from __future__ import annotations

from random import Random

import pytest

from tests.torture.bits import LEDGERS, files_of, flips, play


@pytest.mark.parametrize("ledger", LEDGERS)
def test_no_flipped_bit_is_silent(ledger: str) -> None:
    chosen = Random("of the tests").sample(list(flips(files_of(ledger), ledger)), 200)
    ends = play(ledger, chosen)
    assert [flip for flip, end in ends if end == "silent"] == []
    assert {"found", "harmless"} <= {end for _, end in ends}
