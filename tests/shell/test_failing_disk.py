"""A disk that fails: the store keeps what it acknowledged, and works again with the disk.

`make torture` tries every operation; see `tests/torture/store_faults.py`.
"""

from __future__ import annotations

import pytest

from tests.torture.store_faults import FAULTS, STAGES, Task, run


@pytest.mark.parametrize("stage", STAGES)
def test_an_operation_that_fails_once_or_for_good_loses_nothing_acknowledged(stage: str) -> None:
    (result,) = run([Task("of the tests", stage, 10)])
    assert result.problems == []
    assert result.cases == 2 * 10 * len(FAULTS)
    assert result.refused > 0
    assert result.not_opened > 0
