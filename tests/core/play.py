"""A night to play in a test, and strategies for random ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from hypothesis import strategies as st

from pochboard.errors import Refusal
from pochboard.ledger.book import Book, Repeat, Step
from pochboard.rules.commands import parse_command
from pochboard.rules.ruleset import DECKS, Ruleset
from pochboard.rules.ruleset_files import BadParameterError, override, shipped_rulesets
from pochboard.rules.seating import Resolve, resolve_among
from pochboard.rules.state import public_state

NAMES: Final = ("Anna", "Ben", "Clara", "David", "Emma", "Felix", "Greta", "Hugo")
MELD: Final = ("ace", "king", "queen", "jack", "ten", "marriage", "sequence")
NINE: Final = (*MELD, "poch", "pinke")
RULESETS: Final = tuple(shipped_rulesets())
ALL_COMMANDS: Final = (
    "start", "deal", "turn", "claim", "next", "stake", "pass", "showdown", "go", "out", "settle",
    "void", "rebuy", "join", "leave", "sit_out", "sit_in", "rename", "dealer", "banker",
    "adjust", "undo", "redo", "end",
)  # fmt: skip

# What usually comes next, so that random nights progress. Everything else is tried sometimes.
USUAL: Final[Mapping[str, tuple[str, ...]]] = {
    "none": ("start",),
    "idle": (
        "deal",
        "deal",
        "deal",
        "deal",
        "rebuy",
        "join",
        "leave",
        "sit_out",
        "sit_in",
        "dealer",
        "adjust",
    ),
    "meld": ("next", "next", "next", "turn", "claim", "claim", "adjust"),
    "pochen": ("stake", "stake", "pass"),
    "showdown": ("showdown",),
    "shed": ("go", "out", "settle", "settle"),
    "closed": ("start", "undo"),
}


def resolve() -> Resolve:
    return resolve_among(shipped_rulesets())


class Night:
    """A book with short names for what a test does and sees."""

    def __init__(self, ruleset: str | None = "modern", players: int = 3, **start: Any) -> None:
        """Starts a night with this many players, or no night if the ruleset is None."""
        self.book = Book(resolve())
        if ruleset is not None:
            self.start(ruleset, players, **start)

    def start(self, ruleset: str = "modern", players: int = 3, **start: Any) -> None:
        self.do("start", ruleset=ruleset, players=list(NAMES[:players]), **start)

    def do(self, name: str, /, **fields: Any) -> Step:
        """Applies a command that must be accepted."""
        step = self.book.apply(command(name, fields))
        assert isinstance(step, Step), f"{name} {fields}: {step}"
        return step

    def refused(self, raw: object, /, **fields: Any) -> str:
        """The code with which a command is refused; it must change nothing."""
        tried = command(raw, fields) if isinstance(raw, str) else raw
        before = self.book.state, list(self.book.entries), self.book.undoes(), self.book.redoes()
        refusal = self.book.apply(tried)
        assert isinstance(refusal, Refusal), f"{tried} was accepted"
        assert refusal.sentence
        assert (
            self.book.state, self.book.entries, self.book.undoes(), self.book.redoes(),
        ) == before  # fmt: skip
        return refusal.code

    def would(self, name: str, /, **fields: Any) -> bool:
        return isinstance(self.book.consider(parse_command(command(name, fields))), Step)

    def repeats(self, name: str, /, **fields: Any) -> Repeat:
        answer = self.book.apply(command(name, fields))
        assert isinstance(answer, Repeat), f"{name} {fields}: {answer}"
        return answer

    def __getitem__(self, key: str) -> Any:
        """A value of the state by its name on score sheets."""
        return public_state(self.book.state)[key]

    @property
    def all(self) -> dict[str, Any]:
        return public_state(self.book.state)

    @property
    def stacks(self) -> list[int]:
        return list(self["stacks"].values())

    def pools(self, *names: str) -> list[int]:
        return [self["pools"][name] for name in names]

    def have(self, stacks: Mapping[int, int]) -> None:
        """Recounts stacks to given numbers, against the bank."""
        for seat, chips in stacks.items():
            self._recount(f"seat:{seat}", chips - self["stacks"][str(seat)])

    def fill(self, **pools: int) -> None:
        """Recounts pools to given numbers, against the bank."""
        for name, chips in pools.items():
            self._recount(f"pool:{name}", chips - self["pools"][name])

    def _recount(self, account: str, more: int) -> None:
        if more > 0:
            self.do("adjust", **{"from": "bank"}, to=account, chips=more, reason="recount")
        elif more < 0:
            self.do("adjust", **{"from": account}, to="bank", chips=-more, reason="recount")

    def shed(self) -> None:
        """Goes from between deals to the shedding; nobody bets."""
        self.do("deal")
        self.do("next")
        self.nobody_bets()

    def nobody_bets(self) -> None:
        """Goes from the betting to the shedding: whoever is to act passes."""
        while self["phase"] == "pochen":
            self.do("pass", seat=self["to_act"])

    def settle(self, winner: int, cards: int = 0) -> None:
        """Goes from the shedding to the end of the deal; each other seat holds this many cards."""
        self.do("out", seat=winner)
        others = [seat for seat in self["live"] if seat != winner]
        self.do("settle", cards={str(seat): cards for seat in others})

    def whole_deal(self, winner: int = 1, cards: int = 0) -> None:
        self.shed()
        self.settle(winner, cards)


def melding(ruleset: str = "modern", players: int = 3, **start: Any) -> Night:
    """A night whose first deal has begun."""
    night = Night(ruleset, players, **start)
    night.do("deal")
    return night


def betting(ruleset: str = "modern", players: int = 3, **start: Any) -> Night:
    """A night in the betting of its first deal."""
    night = melding(ruleset, players, **start)
    night.do("next")
    return night


def command(name: str, fields: Mapping[str, Any]) -> dict[str, Any]:
    return {"do": name, **fields}


@st.composite
def options(draw: st.DrawFn, ruleset: str) -> dict[str, Any]:
    """Options that leave the ruleset playable for three to five players."""
    eight = ruleset in ("alvensleben-1853", "thirty-one", "pierer-1844")
    pools = NINE[:8] if eight else NINE
    # A smaller deck cannot hold five cards for each of eight players and the one turned up.
    decks = [52, "auto"] if ruleset in ("alvensleben-1853", "pierer-1844") else DECKS
    choices: dict[str, st.SearchStrategy[Any]] = {
        "deck": st.sampled_from(decks),
        "hand": st.sampled_from(["all", "all-but-one", 1, 3]),
        "packets": st.lists(st.integers(1, 10), min_size=1, max_size=3),
        "trump": st.sampled_from(["turned", "clubs", "diamonds", "hearts", "spades"]),
        "stack": st.integers(1, 60),
        "ante_from": st.sampled_from(["seats", "bank"]),
        "ante_pools": st.sets(st.sampled_from(pools), min_size=1).map(
            lambda chosen: [pool for pool in pools if pool in chosen]
        ),
        "ante": st.integers(1, 3),
        "sequence": st.sampled_from(["trump-789", "longest-run"]),
        "bet_pool": st.just("poch") if eight else st.sampled_from(["poch", "pinke"]),
        "bet_pool_takes_poch": st.booleans(),
        "bet_needs_set": st.booleans(),
        "tie_break": st.sampled_from(["trump", "side-cards", "suits", "split"]),
        "prove_set": st.booleans(),
        "all_in": st.booleans(),
        "raises": st.sampled_from(["free", "none", "capped"]),
        "bluff_penalty": st.integers(0, 3),
        "turned_card": st.sampled_from(["nobody", "dealer"]),
        "leader": st.sampled_from(["poch-winner", "forehand"]),
        "centre_to_winner": st.just(False) if eight else st.booleans(),
        "run_bonus": st.integers(0, 2),
        "out_when_broke": st.booleans(),
        "deals": st.sampled_from(["open", "round", "until-short", 1, 2, 3]),
        "last_deal_to": st.sampled_from(["none", "poch"] if eight else ["none", "poch", "pinke"]),
        "short_seats": st.sampled_from(["refuse", "retire"]),
        "leftover": st.sampled_from(["bank", "split"]),
        "direction": st.sampled_from(["clockwise", "anticlockwise"]),
    }
    keys = draw(st.sets(st.sampled_from(sorted(choices)), max_size=8))
    chosen = {key: draw(choices[key]) for key in sorted(keys)}
    return _playable(shipped_rulesets()[ruleset], chosen)


def _playable(rules: Ruleset, chosen: dict[str, Any]) -> dict[str, Any]:
    """The options without the combinations that RULES.md 2 refuses."""
    fixed = chosen.get("trump", "turned") != "turned"
    if fixed and chosen.get("hand", rules.hand) == "all-but-one":
        chosen["hand"] = "all"
    if fixed or chosen.get("hand") == "all":
        chosen.pop("turned_card", None)
    for key in ("last_deal_to", *OF_UNWINNABLE):
        try:
            override(rules, chosen)
        except BadParameterError:
            chosen.pop(key, None)
    return chosen


OF_UNWINNABLE: Final = (
    "centre_to_winner", "bet_pool", "bet_pool_takes_poch", "ante_pools", "bet_needs_set",
    "prove_set", "hand",
)  # fmt: skip
"""Parameters that decide whether a pool can be won."""


@st.composite
def starts(draw: st.DrawFn) -> dict[str, Any]:
    """Commands that start a night of any ruleset."""
    ruleset = draw(st.sampled_from(RULESETS))
    count = draw(st.integers(3, 5))
    started: dict[str, Any] = {
        "do": "start",
        "ruleset": ruleset,
        "players": list(NAMES[:count]),
        "places": draw(st.permutations(range(1, 9)))[:count],
        "dealer": draw(st.integers(1, count)),
    }
    chosen = draw(options(ruleset))
    return {**started, "options": chosen} if chosen else started


Attempt = dict[str, Any]


def attempts(name: str, state: Mapping[str, Any]) -> Iterator[Attempt]:
    """Many commands of a name: every kind that may be legal in this state, and some that are not.

    `state` is what score sheets see.
    """
    seats = range(1, len(state["stacks"]) + 2)
    tries = _TRIES.get(name)
    fields = tries(state, seats) if tries else iter([{}])
    return (command(name, given) for given in fields)


def _starts(_: Mapping[str, Any], __: range) -> Iterator[Attempt]:
    yield {"ruleset": "modern", "players": list(NAMES[:3])}


def _cards(_: Mapping[str, Any], __: range) -> Iterator[Attempt]:
    return ({"card": rank + suit} for suit in "CDHS" for rank in ("", *"AKQT972"))


def _claims(_: Mapping[str, Any], seats: range) -> Iterator[Attempt]:
    return ({"seat": seat, "pool": pool} for seat in seats for pool in NINE)


def _stakes(state: Mapping[str, Any], seats: range) -> Iterator[Attempt]:
    for seat in seats:
        for chips in range(1, state["stacks"].get(str(seat), 1) + 2):
            yield {"seat": seat, "chips": chips}


def _seats(_: Mapping[str, Any], seats: range) -> Iterator[Attempt]:
    return ({"seat": seat} for seat in seats)


def _rankings(state: Mapping[str, Any], _: range) -> Iterator[Attempt]:
    yield {"ranking": []}
    yield {"ranking": state["live"]}
    yield {"ranking": [[int(seat) for seat in state["committed"]]]}
    yield from ({"ranking": [seat]} for seat in state["live"])


def _counts(state: Mapping[str, Any], _: range) -> Iterator[Attempt]:
    for winner in (*state["live"], 0):
        for cards in (0, 1, 5, 99):
            yield {"cards": {str(seat): cards for seat in state["live"] if seat != winner}}


def _rebuys(_: Mapping[str, Any], seats: range) -> Iterator[Attempt]:
    return ({"seat": seat, "chips": chips} for seat in seats for chips in (1, 20))


def _joins(_: Mapping[str, Any], seats: range) -> Iterator[Attempt]:
    yield {"name": f"Guest {len(seats)}"}
    yield {"name": f"Guest {len(seats)}", "place": 8}
    yield {"name": "Anna"}


def _renames(_: Mapping[str, Any], seats: range) -> Iterator[Attempt]:
    for seat in seats:
        yield {"seat": seat, "name": f"Renamed {seat}"}
        yield {"seat": seat, "name": "Anna"}


def _recounts(_: Mapping[str, Any], seats: range) -> Iterator[Attempt]:
    accounts = ["bank", "pool:ace", "pool:pinke", *(f"seat:{seat}" for seat in seats)]
    for source in accounts:
        for target in accounts:
            yield {"from": source, "to": target, "chips": 1, "reason": "recount"}


_TRIES: Final[Mapping[str, Callable[[Mapping[str, Any], range], Iterator[Attempt]]]] = {
    "start": _starts,
    "turn": _cards,
    "sit_out": _seats,
    "sit_in": _seats,
    "claim": _claims,
    "stake": _stakes,
    "pass": _seats,
    "showdown": _rankings,
    "go": _seats,
    "out": _seats,
    "settle": _counts,
    "rebuy": _rebuys,
    "join": _joins,
    "leave": _seats,
    "rename": _renames,
    "dealer": _seats,
    "banker": _seats,
    "adjust": _recounts,
}
