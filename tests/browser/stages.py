"""A night brought to each of its stages, for tests that look at all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from tests.browser.daemons import Daemon


def _lobby(daemon: Daemon) -> None:
    """Nothing has happened yet."""


def _idle(daemon: Daemon) -> None:
    players = ["Anna", "Benjamin the Younger", "Clara", "Dora"]
    daemon.do("start", ruleset="modern", players=players, places=[1, 3, 5, 8])


def _meld(daemon: Daemon) -> None:
    daemon.do("deal")
    daemon.do("turn", card="QH")
    daemon.do("claim", seat=1, pool="ace")


def _pochen(daemon: Daemon) -> None:
    daemon.do("next")
    daemon.do("stake", seat=2, chips=2)
    daemon.do("pass", seat=3)
    daemon.do("stake", seat=4, chips=4)


def _showdown(daemon: Daemon) -> None:
    daemon.do("pass", seat=1)
    daemon.do("stake", seat=2, chips=2)


def _shed(daemon: Daemon) -> None:
    daemon.do("showdown", ranking=[4])


def _counting(daemon: Daemon) -> None:
    daemon.do("out", seat=1)
    status, _ = daemon.ask("POST", "/api/board/press", {"button": "seat3", "ms": 20})
    assert status == 200


def _closed(daemon: Daemon) -> None:
    daemon.do("void")
    daemon.do("end")


STAGES: Final[Mapping[str, Callable[[Daemon], None]]] = {
    "lobby": _lobby,
    "idle": _idle,
    "meld": _meld,
    "pochen": _pochen,
    "showdown": _showdown,
    "shed": _shed,
    "counting": _counting,
    "closed": _closed,
}
"""Each continues from the one before it."""


def reach(daemon: Daemon, stage: str) -> None:
    """Brings a new night as far as this."""
    for name, go in STAGES.items():
        go(daemon)
        if name == stage:
            return


def walk(daemon: Daemon) -> Iterator[str]:
    """Brings a new night from stage to stage, and names each when it is reached."""
    for name, go in STAGES.items():
        go(daemon)
        yield name


def phase_of(stage: str) -> str:
    """The phase of a stage."""
    return {"lobby": "none", "counting": "shed"}.get(stage, stage)
