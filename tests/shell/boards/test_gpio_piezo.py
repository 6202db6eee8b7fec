"""The piezo on the Pi's header, on gpiozero's mock pins."""

from collections.abc import Iterator

import pytest

from pochboard.boards.base import Tune
from tests.shell.boards.gpio_rig import GpioRig
from tests.shell.boards.kit import LOOK, FakeSink
from tests.shell.server_kit import wait_until


@pytest.fixture
def rig() -> Iterator[GpioRig]:
    rig = GpioRig()
    rig.board.start(FakeSink())
    yield rig
    rig.board.close()
    rig.close()


def test_a_note_lasts_as_long_as_its_tune_says(rig: GpioRig) -> None:
    minute_ms = 60_000
    rig.board.play(Tune(((300, minute_ms), (400, 10))))
    wait_until("the first note is heard", lambda: list(rig.heard()) == [300])
    for level in range(1, 21):
        frame = bytes([level]) * (3 * LOOK.pixels)
        rig.board.show(frame)
        wait_until("the frame is shown", lambda: rig.shown()[-1:] == [frame])  # noqa: B023
    assert list(rig.heard()) == [300]
    assert not rig.is_silent()
    rig.board.play(Tune(((500, 1), (600, minute_ms))))
    wait_until("a short note is over", lambda: list(rig.heard()) == [300, 500, 600])
