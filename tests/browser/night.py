"""A whole night by presses alone: each press, and its expected outcome.

Four players at the places 2, 4, 5 and 7, who are the seats 1 to 4. By the third deal one has gone
home and another has joined.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import cycle
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from tests.browser.reference import Reference
    from tests.browser.window import By, Window

MIXED: Final[tuple[By, ...]] = ("mouse", "key", "focus")
PLAYERS: Final = ["Place 2", "Place 4", "Place 5", "Place 7"]


class Night:
    """The presses of a night. Each yields what was done, when page and book can be compared."""

    def __init__(self, window: Window, book: Reference) -> None:
        self.window = window
        """Where the next presses are made."""
        self._book = book
        self._mixed: Iterator[By] = cycle(MIXED)

    def _by(self) -> By:
        return "touch" if self.window.touch else next(self._mixed)

    def _press(self, *buttons: str, then: Any = None) -> None:
        for button in buttons:
            self.window.press(button, self._by())
        self._book.pending = then

    def _hold(self, *buttons: str, then: Any = None) -> None:
        """Holds until something new is in the ledger or pending."""
        before = self._moment()
        with self.window.holding(*buttons, by=self._by()):
            self.window.wait_until(
                f"anything from holding {buttons}", lambda: self._moment() != before
            )
        self._book.pending = then

    def _moment(self) -> Any:
        state = self.window.daemon.get("/api/state")
        return state["entry"], state["night"], state["pending"]

    def _refused(self, button: str, said: str) -> None:
        """A press that changes nothing and says why."""
        self.window.press(button, self._by())
        self.window.wait_until_equal(lambda: self._unlike(said))

    def _unlike(self, said: str) -> list[str]:
        toast = self.window.seen()["toast"] or ""
        return [] if said in toast.lower() else [f"a refusal: {toast!r}, not {said!r}"]

    def _do(self, name: str, /, **fields: Any) -> None:
        self._book.do(name, **fields)

    def lobby(self) -> Iterator[str]:
        """Places, the first dealer by a long press, and `next` twice."""
        order = (4, 2, 7, 8)
        for number, place in enumerate(order, 1):
            self._gather(order[:number])
            self._press(f"seat{place}")
            yield f"place {place} is in"
        self._gather((2, 4, 7))
        self._press("seat8")
        yield "place 8 is out again"
        self._hold("seat5")
        self._gather((2, 4, 5, 7), dealer=5)
        yield "place 5 deals first"
        self._gather((2, 4, 5, 7), dealer=5, armed=True)
        self._press("next")
        yield "asked once"
        self._press("next")
        self._do("start", ruleset="family", players=PLAYERS, places=[2, 4, 5, 7], dealer=3)
        yield "the night has begun"

    def _gather(
        self, places: Sequence[int], dealer: int | None = None, *, armed: bool = False
    ) -> None:
        # Nobody has been chosen to deal: the first place does.
        chosen = dealer or min(places)
        self._book.lobby = {"places": sorted(places), "dealer": chosen, "armed": armed}

    def first_deal(self) -> Iterator[str]:
        """Claims, undo and redo, a betting with everything, a showdown, counts."""
        self._press("next")
        self._do("deal")
        yield "the first deal"
        self._refused("ace", "your place before the pool")
        yield "a pool without a seat"
        self._press("seat2", then={"seat": 1})
        yield "seat 1 is chosen"
        self._press("ace", then={"seat": 1})
        self._do("claim", seat=1, pool="ace")
        yield "Ace is claimed"
        self._press("king", then={"seat": 1})
        self._do("claim", seat=1, pool="king")
        yield "King is claimed"
        self._press("seat7", then={"seat": 4})
        yield "seat 4 is chosen"
        self._refused("marriage", "has shown a card")
        yield "no marriage without the king"
        self._press("sequence", then={"seat": 4})
        self._do("claim", seat=4, pool="sequence")
        yield "Sequence is claimed"
        self._press("undo")
        self._do("undo")
        yield "the claim is taken back"
        self._hold("undo")
        self._do("redo")
        yield "and applied again"
        self._press("next")
        self._do("next")
        yield "the betting"
        yield from self._betting()
        yield from self._cards()

    def _betting(self) -> Iterator[str]:
        self._refused("next", "next")
        yield "next means nothing here"
        self._press("seat7", then={"seat": 4, "chips": 1})
        yield "one chip in the hand"
        self._press("seat7", then={"seat": 4, "chips": 2})
        self._refused("next", "pool")
        yield "two chips in the hand"
        self._refused("seat2", "turn")
        yield "not your turn"
        self._press("pinke")
        self._do("stake", seat=4, chips=2)
        yield "a knock"
        self._press("seat2", "seat2", then={"seat": 1, "chips": 3})
        yield "three chips in the hand"
        self._hold("seat2")
        yield "let go of"
        self._press("seat2", then={"seat": 1, "chips": 2})
        yield "taken up again"
        self._press("pinke")
        self._do("stake", seat=1, chips=2)
        yield "a hold"
        self._hold("seat4")
        self._do("pass", seat=2)
        yield "a pass"
        self._press("seat5", "seat5", "seat5", then={"seat": 3, "chips": 4})
        self._press("undo")
        yield "undo lets go, too"
        self._press("seat5", "seat5", "seat5", then={"seat": 3, "chips": 4})
        yield "four chips in the hand"
        self._press("pinke")
        self._do("stake", seat=3, chips=4)
        yield "a raise"
        self._press("seat7", then={"seat": 4, "chips": 2})
        self._press("pinke")
        self._do("stake", seat=4, chips=2)
        yield "the raise is held"
        self._hold("seat2")
        self._do("pass", seat=1)
        yield "a showdown"
        self._refused("seat4", "showdown")
        self._press("seat5")
        self._do("showdown", ranking=[3])
        yield "one hand decides"

    def _cards(self) -> Iterator[str]:
        self._press("seat4", then={"seat": 2})
        yield "seat 2 is chosen"
        self._press("pinke")
        self._do("out", seat=2)
        yield "seat 2 is out of cards"
        self._book.centre = 3
        self._press("seat2", "seat2", "seat2", then={"cards": {"1": 3}})
        yield "three cards"
        self._book.centre = 0
        self._hold("seat7", then={"cards": {"1": 3, "4": 0}})
        yield "no cards"
        self._refused("next", "place 5")
        yield "a count is missing"
        self._book.centre = 2
        self._press("seat5", "seat5", then={"cards": {"1": 3, "3": 2, "4": 0}})
        yield "two cards"
        self._book.centre = 0
        self._hold("seat5", then={"cards": {"1": 3, "4": 0}})
        yield "to be counted again"
        self._book.centre = 2
        self._press("seat5", "seat5", then={"cards": {"1": 3, "3": 2, "4": 0}})
        yield "two cards again"
        self._book.centre = 1
        self._press("undo", then={"cards": {"1": 3, "3": 1, "4": 0}})
        yield "one too many"
        self._book.centre = None
        self._press("next")
        self._do("settle", cards={"1": 3, "3": 1, "4": 0})
        yield "settled"

    def second_deal(self) -> Iterator[str]:
        """All-in, hands in their order, players who are broke."""
        stacks = self._book.public["stacks"]
        assert len({stacks[seat] for seat in "123"}) == 3, "each pot has its own players"
        self._press("next")
        self._do("deal")
        yield "the second deal"
        self._press("next")
        self._do("next")
        yield "nobody shows anything"
        self._press("seat2", then={"seat": 1, "chips": 1})
        self._hold("pinke")
        self._do("stake", seat=1, chips=self._stack(1))
        yield "all of it"
        self._press("seat4", then={"seat": 2, "chips": self._due(2)})
        yield "as much as is needed"
        self._hold("pinke")
        self._do("stake", seat=2, chips=self._stack(2))
        yield "all of it, too"
        need = self._due(3)
        assert need < self._stack(3)
        more = self._stack(3) - need
        self._press(*["seat5"] * (1 + more), then={"seat": 3, "chips": need + more})
        self._press("pinke")
        self._do("stake", seat=3, chips=need + more)
        yield "and the third"
        while (seat := self._book.public["to_act"]) is not None:
            self._hold(f"seat{self._book.public['places'][str(seat)]}")
            self._do("pass", seat=seat)
            yield "another pass"
        by_stack = sorted((1, 2, 3), key=lambda seat: self._book.public["committed"][str(seat)])
        yield from self._hands(*by_stack[:2])
        yield from self._no_cards()

    def _hands(self, first: int, second: int) -> Iterator[str]:
        self._press(self._seat(first), then={"hands": [first]})
        yield "the best hand"
        self._press("undo")
        yield "or was it"
        self._press(self._seat(first), then={"hands": [first]})
        self._press(self._seat(second))
        self._do("showdown", ranking=[first, second])
        yield "the second best hand"

    def _no_cards(self) -> Iterator[str]:
        self._press("seat7", then={"seat": 4})
        self._press("pinke")
        self._do("out", seat=4)
        yield "seat 4 is out of cards"
        self._book.centre = 0
        for number, seat in enumerate((1, 2, 3), 1):
            counted = dict.fromkeys(map(str, range(1, number + 1)), 0)
            self._hold(self._seat(seat), then={"cards": counted})
            yield f"seat {seat} has none"
        self._book.centre = None
        self._press("next")
        self._do("settle", cards={"1": 0, "2": 0, "3": 0})
        yield "settled again"

    def between_deals(self) -> Iterator[str]:
        """Buying in, coming and going."""
        broke = [seat for seat in (1, 2, 3) if self._stack(seat) < 9]
        assert broke
        self._refused("next", "ante")
        warned = self.window.daemon.get("/api/state")
        assert warned["phase"] == "idle"
        for seat in broke:
            self._press(self._seat(seat), then={"seat": seat})
            self._press("pinke")
            self._do("rebuy", seat=seat, chips=50)
            yield "chips from the bank"
        self._press("seat7", then={"seat": 4})
        self._refused("pinke", "enough")
        yield "has chips enough"
        self._press("seat7")
        yield "not chosen any more"
        self._press("seat8", then={"place": 8})
        yield "an empty place"
        self._press("pinke")
        self._do("join", name="Place 8", place=8)
        yield "a new player"
        self._hold("seat4")
        self._do("leave", seat=2)
        yield "one goes home"

    def third_deal(self) -> Iterator[str]:
        """A misdeal, a deal that nobody wins, and the end of the night."""
        self._press("next")
        self._do("deal")
        yield "the third deal"
        self._hold("next", "undo")
        self._do("void")
        yield "a misdeal"
        self._press("next")
        self._do("deal")
        self._press("next")
        self._do("next")
        yield "dealt again"
        first = self._book.public["to_act"]
        self._press(self._seat(first), then={"seat": first, "chips": 1})
        self._press("pinke")
        self._do("stake", seat=first, chips=1)
        second = self._book.public["to_act"]
        self._press(self._seat(second), then={"seat": second, "chips": 1})
        self._press("pinke")
        self._do("stake", seat=second, chips=1)
        yield "two in"
        while (seat := self._book.public["to_act"]) is not None:
            self._hold(self._seat(seat))
            self._do("pass", seat=seat)
        yield "nobody has a set"
        self._hold("pinke")
        self._do("showdown", ranking=[])
        yield "the chips stay"
        self._press("seat8", then={"seat": 5})
        self._press("pinke")
        self._do("out", seat=5)
        counted = {}
        for seat in (1, 3, 4):
            counted[str(seat)] = 1
            self._book.centre = 1
            self._press(self._seat(seat), then={"cards": dict(counted)})
            yield "one card left"
        self._book.centre = None
        self._press("next")
        self._do("settle", cards=counted)
        yield "the last deal is settled"

    def end(self) -> Iterator[str]:
        """`next` and `undo` together, and everything that follows."""
        self._hold("next", "undo")
        self._do("end")
        self._book.lobby = None
        yield "the end"
        self._press("undo")
        self._do("undo")
        yield "not yet"
        self._hold("undo")
        self._do("redo")
        yield "the end after all"

    def whole(self) -> Iterator[str]:
        """From the empty board to the end."""
        yield from self.lobby()
        yield from self.first_deal()
        yield from self.second_deal()
        yield from self.between_deals()
        yield from self.third_deal()
        yield from self.end()

    def _seat(self, seat: int) -> str:
        return f"seat{self._book.public['places'][str(seat)]}"

    def _stack(self, seat: int) -> int:
        return int(self._book.public["stacks"][str(seat)])

    def _due(self, seat: int) -> int:
        """The chips of a first press: the need, or the whole stack if that is less."""
        state = self._book.book.state
        return min(max(state.need(seat), 1), state.stack_of(seat))
