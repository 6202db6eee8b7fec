"""How long a press takes while the board tells a home's MQTT broker of it (docs/HOME.md)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Final

from pochboard.mqtt.publisher import Publisher
from tests.bench.press import TimedRig
from tests.bench.table import Row, say, times
from tests.outside.mosquitto import Home, Mosquitto

_ROUNDS: Final = 10
"""The states of the broker take turns, so that all of them see the same machine."""
_LEDGER: Final = "0123456789abcdef" * 2


def press_beside_a_broker(folder: Path, presses: int) -> list[Row]:
    """From the edge to the frame: without a broker, with one that answers, is gone, or hangs."""
    say(f"{presses} presses beside an MQTT broker")
    broker = Mosquitto(folder / "broker")

    @contextmanager
    def told(*, hangs: bool) -> Iterator[None]:
        with broker, _publisher(rig, broker):
            with Home(broker) as home:
                home.wait_for("the board", home.state)
            with broker.hanging() if hangs else nullcontext():
                yield

    states: dict[str, Callable[[], AbstractContextManager[None]]] = {
        "press → stored → frame without MQTT": nullcontext,
        "the same with a broker that answers": lambda: told(hangs=False),
        "the same with a broker that is gone": lambda: _publisher(rig, broker),
        "the same with a broker that hangs": lambda: told(hangs=True),
    }
    taken: dict[str, list[float]] = {name: [] for name in states}
    with TimedRig(folder / "home.db") as rig:
        for _ in range(_ROUNDS):
            for name, state in states.items():
                with state():
                    taken[name] += [rig.taken()[1] for _ in range(max(1, presses // _ROUNDS))]
    without = ("without MQTT", next(iter(taken.values())))
    return [
        times(name, seconds, beside=without if index else None)
        for index, (name, seconds) in enumerate(taken.items())
    ]


@contextmanager
def _publisher(rig: TimedRig, broker: Mosquitto) -> Iterator[None]:
    publisher = Publisher(rig.table, broker.for_board, _LEDGER)
    publisher.start()
    try:
        yield
    finally:
        publisher.close()
