"""The expected state: a separate book, fed with the commands that the presses should become."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from pochboard.ledger.book import Book, Step
from pochboard.lights.frame import Frame
from pochboard.lights.lights_config import LightsConfig
from pochboard.messages.entries import sentences
from pochboard.rules.accounts import MELD_POOLS, POOLS
from pochboard.rules.commands import Claim
from pochboard.rules.registry import verify
from pochboard.rules.ruleset_files import shipped_rulesets
from pochboard.rules.seating import resolve_among
from pochboard.rules.state import public_state
from tests.count_reader import read_counts

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.browser.daemons import Daemon
    from tests.browser.window import Window

LOOK: Final = LightsConfig()
_WORDS: Final[Mapping[str, tuple[str, ...]]] = {
    "none": ("A new night",),
    "idle": ("deals next", "You deal", "You need more chips", "cannot pay"),
    "meld": ("Show your cards", "What does", "Do you hold", "Which suit", "Card turned up"),
    "pochen": ("’s turn", "our turn"),
    "showdown": ("Show your hand", "Best hand first"),
    "shed": (" leads", "You lead", "What has"),
    "counting": ("How many cards", "Cards left"),
    "closed": ("the night",),
}
"""What the sheet asks for in each phase; an owner's phone says it to its owner."""


class Reference:
    """The expected night, compared with a daemon and a window on it."""

    def __init__(self) -> None:
        self.book = Book(resolve_among(shipped_rulesets()))
        self.night = 0

    def do(self, name: str, /, **fields: Any) -> None:
        """Applies a command that should have been recorded."""
        if name == "start":
            self.night += 1
        step = self.book.apply({"do": name, **fields})
        assert isinstance(step, Step), f"{name} {fields}: {step}"

    @property
    def public(self) -> dict[str, Any]:
        """The state as score sheets name it."""
        return public_state(self.book.state)

    def agree(self, window: Window) -> None:
        """Waits until state, ledger, page and frame all agree with this book."""
        window.wait_until_equal(lambda: self.differences(window))

    def differences(self, window: Window) -> list[str]:
        """Where daemon and page differ from this book, in sentences.

        What is still moving comes first, because reading the whole page takes much longer.
        """
        daemon = window.daemon
        state = daemon.get("/api/state")
        before = daemon.get("/api/board")["pixels"]
        if found := self._of_state(state) or self._of_lights(before):
            return found
        seen = window.seen()
        after = daemon.get("/api/board")["pixels"]
        found = self._of_ledger(daemon)
        found += self._of_page(seen, state) + self._of_lights(after)
        # Where the board is not shown, it is not lit.
        if seen["pixels"] not in (None, before, after):
            found.append("the page's pixels are not the frame's")
        return found

    def _of_state(self, state: dict[str, Any]) -> list[str]:
        same = ("phase", "deal", "dealer", "to_act", "trump", "live")
        due = {
            **{key: self.public[key] for key in same},
            "night": self.night or None,
            "entry": len(self.book.entries),
        }
        names = {str(seat): self.book.state.name_of(seat) for seat in self.book.state.seats}
        due |= {"names": names, "pending": None}
        return _unequal("state", due, {key: state[key] for key in due})

    def _of_ledger(self, daemon: Daemon) -> list[str]:
        if not self.night:
            return []
        entries = daemon.get(f"/api/nights/{self.night}/json")["entries"]
        due: list[Any] = [
            [
                entry.number,
                msgspec.json.decode(msgspec.json.encode(entry.command)),
                [list(one) for one in entry.postings],
                entry.ref,
                said,
            ]
            for entry, said in zip(self.book.entries, self._sentences(), strict=True)
        ]
        told = [
            [one["number"], one["command"], one["postings"], one["ref"], one["sentence"]]
            for one in entries
        ]
        return [] if due == told else [f"ledger: {told[-2:]}, not {due[-2:]}"]

    def _sentences(self) -> list[str]:
        return sentences(self.book.entries, self.book.states)

    def _of_page(self, seen: dict[str, Any], state: dict[str, Any]) -> list[str]:
        now = self.book.state
        public = self.public
        due: dict[str, Any] = {
            "phase": now.phase,
            "stale": None,
            "pools": {p: str(public["pools"][p]) if p in public["pools"] else "" for p in POOLS},
            "blocked": public["blocked"],
            "claimable": [pool for pool in MELD_POOLS if self._may_be_claimed(pool)],
        }
        found = _unequal("page", due, {key: seen[key] for key in due})
        found += _unequal("buttons", _once(state["buttons"]), _once(seen["may"]))
        told = seen["now"] or ""
        phase = "counting" if now.winner is not None and now.phase == "shed" else now.phase
        if not any(words in told for words in _WORDS[phase]):
            found.append(f"what is to be done: none of {_WORDS[phase]} is in {told!r}")
        turn = (now.name_of(now.to_act), "our turn") if now.to_act else ("",)
        if not any(whose in told for whose in turn):
            found.append(f"it is the turn of {turn}, but: {told!r}")
        if now.phase not in ("none", "closed"):
            found += self._of_seats(seen) + self._of_plaques(seen)
        # Between nights the ledger is shown when somebody asks for it.
        if now.phase not in ("none", "closed") and self.night:
            newest = [len(self.book.entries), self._sentences()[-1]]
            if seen["entries"][:1] != [newest]:
                found.append(f"newest entry: {seen['entries'][:1]}, not {newest}")
        return found

    def _may_be_claimed(self, pool: str) -> bool:
        """Whether the rules accept a claim of this pool by anybody."""
        now = self.book.state
        claims = [Claim(seat=seat, pool=pool) for seat in now.live]
        return any(verify(now, one) is None for one in claims)

    def _of_seats(self, seen: dict[str, Any]) -> list[str]:
        now = self.book.state
        due, told = {}, {}
        for seat in now.here:
            one = seen["seats"].get(str(seat), {})
            told[str(seat)] = {key: one.get(key) for key in ("name", "stack", "turn")}
            due[str(seat)] = {
                "name": now.name_of(seat),
                "stack": str(now.stack_of(seat)),
                "turn": now.to_act == seat,
            }
            flags = one.get("flags", "").split()
            for flag, on in {
                "dealer": now.dealer == seat,
                "turn": now.to_act == seat,
                "knocker": now.knocker == seat,
                "passed": seat in now.passed,
                "winner": now.winner == seat,
                "counting": now.winner is not None and seat in now.live and seat != now.winner,
                "leads": now.leader == seat and now.winner is None,
            }.items():
                if (flag in flags) != on:
                    found = "is not" if on else "is"
                    told[str(seat)][flag] = f"{flag!r} {found} among {flags!r}"
                    due[str(seat)][flag] = ""
        return _unequal("seats", due, told)

    def _of_plaques(self, seen: dict[str, Any]) -> list[str]:
        now, public = self.book.state, self.public
        places = public["places"]
        due = {str(place): str(public["stacks"][seat]) for seat, place in places.items()}
        told = {place: chips for place, (_, chips) in seen["plaques"].items()}
        dealer = places[str(now.dealer)]
        found = _unequal("plaques", due, told)
        found += _unequal("dealer", {"": [dealer]}, {"": seen["dealers"]})
        if now.to_act:
            found += _unequal("turn", {"": [places[str(now.to_act)]]}, {"": seen["turns"]})
        return found

    def _of_lights(self, pixels: list[str]) -> list[str]:
        frame: Frame = b"".join(bytes.fromhex(colour[1:]) for colour in pixels)
        try:
            told = read_counts(frame, LOOK)
        except ValueError as error:
            return [f"the frame cannot be read: {error}"]
        pools = self.public["pools"]
        due = {pool: min(pools.get(pool, 0), LOOK.max_chips) for pool in POOLS}
        return _unequal("lights", due, dict(zip(POOLS, told, strict=True)))


def _once(names: list[str]) -> dict[str, bool]:
    return dict.fromkeys(sorted(names), True)


def _unequal(what: str, due: dict[str, Any], told: dict[str, Any]) -> list[str]:
    """A sentence for each key that differs."""
    return [
        f"{what} {key}: {told.get(key)!r}, not {due.get(key)!r}"
        for key in {**due, **told}
        if due.get(key) != told.get(key)
    ]
