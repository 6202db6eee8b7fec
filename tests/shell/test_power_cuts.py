"""Power cuts while the store writes: nothing that was acknowledged is lost.

`make torture` cuts the power a million times; see `tests/torture/power_cuts.py`.
"""

from __future__ import annotations

from tests.torture.evenings import WEAK
from tests.torture.power_cuts import EARLIER, STAGES, Task, run


def test_a_power_cut_at_any_write_loses_nothing_acknowledged() -> None:
    result = run([Task("of the tests", number, 320) for number in range(2)])
    assert result.problems == []
    assert result.stages == dict.fromkeys(STAGES, 160)


def test_losses_are_found_with_settings_that_are_known_to_lose() -> None:
    tasks = [Task("of the tests", 0, 400, weak, one_loss=True) for weak in WEAK]
    result = run(tasks)
    assert sum(EARLIER in problem for problem in result.problems) == len(WEAK), result.problems
