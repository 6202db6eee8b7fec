"""Random presses at random times: what holds for every panel (BOARD.md 2 and 3)."""

from __future__ import annotations

from random import Random
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from pochboard.buttons.panel import Panel
from pochboard.buttons.press import BUTTONS
from pochboard.errors import Refusal, RefusedInput
from pochboard.rules.ruleset_files import shipped_rulesets
from tests.core.panel_driver import LEAVE_S, SHORT_S, PanelDriver, PanelPlayer, started

SEAT_BUTTONS = [name for name in BUTTONS if name.startswith("seat")]

# Buttons that move a night along come often, so that random presses reach every phase.
OFTEN = ["next", "pinke", "poch", "undo", *SEAT_BUTTONS[:4]]
PRESSED = st.sampled_from([*OFTEN, *OFTEN, *BUTTONS])
SECONDS = (0, 0.000_001, 0.05, 0.1, 0.299_999, 0.3, 0.799_999, 0.8, 1, 1.2, 2, 3, 5, 10)
GAPS_US = st.sampled_from([round(seconds * 1_000_000) for seconds in SECONDS])
EDGES = st.lists(st.tuples(PRESSED, GAPS_US), max_size=60)

PHONE: list[dict[str, Any]] = [
    {"do": "start", "ruleset": "modern", "players": ["A", "B", "C"]},
    {"do": "start", "ruleset": "banker", "players": ["A", "B", "C", "D"], "stack": 3},
    {"do": "start", "ruleset": "thirty-one", "players": ["A", "B", "C"], "stack": 9},
    {"do": "deal"},
    {"do": "next"},
    {"do": "claim", "seat": 1, "pool": "ace"},
    *({"do": "pass", "seat": seat} for seat in (1, 2, 3, 4)),
    *({"do": "stake", "seat": seat, "chips": chips} for seat in (1, 2, 3) for chips in (1, 3)),
    {"do": "showdown", "ranking": [1, 2, 3]},
    {"do": "out", "seat": 2},
    {"do": "settle", "cards": {"1": 2, "3": 1}},
    {"do": "leave", "seat": 2},
    {"do": "join", "name": "New", "place": 2},
    {"do": "rename", "seat": 1, "name": "Z"},
    {"do": "void"},
    {"do": "undo"},
    {"do": "redo"},
    {"do": "end"},
]
STEPS = st.lists(
    st.one_of(st.tuples(PRESSED, GAPS_US), st.tuples(st.sampled_from(PHONE), GAPS_US)),
    max_size=60,
)


class Counted(PanelPlayer):
    """A player that counts the commands sent, whether or not they were accepted."""

    def __init__(self) -> None:
        super().__init__()
        self.sent = 0

    def send(self, command: object) -> Refusal | None:
        self.sent += 1
        return super().send(command)


def warmed(random: Random) -> list[dict[str, Any]]:
    """Commands that bring a night to some phase."""
    ruleset = random.choice(tuple(shipped_rulesets()))
    start = {"do": "start", "ruleset": ruleset, "players": ["A", "B", "C", "D"]}
    stakes = [random.choice([1, 2, 3]) for _ in range(4)]
    way: list[dict[str, Any]] = [
        {**start, "stack": random.choice([3, 8, 20])},
        {"do": "deal"},
        {"do": "next"},
        *({"do": "stake", "seat": (2, 3, 4, 1)[n], "chips": stakes[n]} for n in range(4)),
        {"do": "showdown", "ranking": [2, 3, 4, 1]},
        {"do": "out", "seat": 3},
    ]
    return way[: random.randint(0, len(way))]


def consistent(panel: Panel, player: PanelPlayer) -> None:
    """What is pending belongs to the phase."""
    pending, state = panel.pending, player.state
    assert (pending.lobby is not None) == (state.phase in ("none", "closed"))
    assert not (pending.kept and pending.place is None and not pending.counts)
    if pending.place is not None:
        assert state.phase in ("idle", "meld", "shed")
        assert state.winner is None
        if state.phase != "idle":
            assert state.seat_at(pending.place) in state.live
    if pending.kept:
        assert state.phase == ("shed" if pending.counts else "meld")
    if pending.chips:
        assert state.phase == "pochen"
        assert state.to_act is not None
        assert pending.chips <= state.stack_of(state.to_act)
    if pending.hands:
        assert state.phase == "showdown"
        assert set(pending.hands) <= set(state.still_in)
        assert len(set(pending.hands)) == len(pending.hands)
        assert player.refusal({"do": "showdown", "ranking": list(pending.hands)})
    if pending.counts:
        assert state.phase == "shed"
        assert state.winner is not None
        assert set(pending.cards) <= set(state.live) - {state.winner}
    kinds = (pending.place, pending.chips, pending.hands, pending.counts, pending.lobby)
    assert sum(bool(kind) for kind in kinds) <= 1


@given(steps=STEPS, seed=st.integers(0, 1000), look=st.integers(100_000, 3_000_000))
def test_nothing_raises_and_extra_looks_at_the_clock_change_nothing(
    steps: list[tuple[str | dict[str, Any], int]], seed: int, look: int
) -> None:
    outcomes = []
    for looks in (False, True):
        player = PanelPlayer()
        for command in warmed(Random(seed)):
            player.send(command)
        panel, now_us = player.panel, 0
        held: set[str] = set()
        refused: list[RefusedInput] = []
        for what, gap_us in steps:
            after_us = now_us + gap_us
            while looks and (now_us := now_us + look) < after_us:
                refused += player.tick(now_us)
            now_us = after_us
            if isinstance(what, str):
                held ^= {what}
                refused += player.edge(what, what in held, now_us)
            else:
                refused += player.tick(now_us)
                player.send(what)
            consistent(panel, player)
            due_us = panel.due_us()
            assert due_us is None or due_us > now_us
        refused += player.tick(now_us + 60_000_000)
        commands = [entry.command for entry in player.book.entries]
        outcomes.append((commands, panel.pending, refused, player.pairings, player.state))
    assert outcomes[0] == outcomes[1]


@given(edges=EDGES, seed=st.integers(0, 1000))
def test_every_down_leads_to_at_most_one_act(edges: list[tuple[str, int]], seed: int) -> None:
    player = Counted()
    for command in warmed(Random(seed)):
        player.send(command)
    player.sent = 0
    panel, now_us = player.panel, 0
    held: set[str] = set()
    downs, acts = 0, 0
    drawn = player.drawn_from
    for name, gap_us in edges:
        now_us += gap_us
        before = panel.pending
        sent, pairings, lots = player.sent, player.pairings, len(drawn)
        held ^= {name}
        downs += name in held
        due_us = panel.due_us()
        refused = player.edge(name, name in held, now_us)
        # Commands that the player refused are already counted as sent.
        own = (player.sent - sent) + (player.pairings - pairings) + (len(drawn) - lots)
        if own or refused:
            acts += max(own, len(refused))
        elif panel.pending != before and (due_us is None or due_us > now_us):
            acts += 1
    assert acts <= downs


PRESSES = st.lists(
    st.tuples(
        st.sampled_from(["seat4", "seat5", "seat7", "ace"]),
        st.integers(0, 600_000),
        st.integers(0, 799_999),
    ),
    max_size=40,
)


@given(presses=PRESSES)
def test_no_down_is_lost_or_counted_twice(presses: list[tuple[str, int, int]]) -> None:
    driver = started()
    for do in ("deal", "next"):
        driver.phone(do)
    for seat in (2, 3, 4, 1):
        driver.phone("pass", seat=seat)
    driver.phone("out", seat=1)
    # Presses overlap at random, but those of one button follow each other.
    edges: list[tuple[int, bool, str]] = []
    free_us: dict[str, int] = {}
    now_us = driver.now_us
    for name, gap_us, held_us in presses:
        now_us += gap_us
        down_us = max(now_us, free_us.get(name, 0))
        free_us[name] = down_us + held_us + 1
        edges += [(down_us, True, name), (down_us + held_us, False, name)]
    refused: list[RefusedInput] = []
    for at_us, down, name in sorted(edges, key=lambda edge: edge[0]):
        refused += driver.player.edge(name, down, at_us)
    counted = sum(driver.panel.pending.cards.values())
    assert len(refused) + counted == len(presses)
    for button, seat, most in (("seat4", 2, 8), ("seat5", 3, 8), ("seat7", 4, 8)):
        downs = sum(name == button for name, *_ in presses)
        assert driver.panel.pending.cards.get(seat, 0) == min(downs, most)


@given(presses=st.lists(st.tuples(PRESSED, st.booleans()), max_size=30), seed=st.integers(0, 1000))
def test_what_is_announced_as_allowed_is_accepted_and_nothing_else(
    presses: list[tuple[str, bool]], seed: int
) -> None:
    def replayed() -> PanelDriver:
        driver = PanelDriver()
        for command in warmed(Random(seed)):
            driver.player.send(command)
        for name, long in presses:
            driver.hold(name, LEAVE_S if long else SHORT_S, gap_s=0.1)
        driver.wait(1.01)  # after this, no `next` is too soon
        driver.codes()
        return driver

    announced = replayed().panel.usable().allowed
    probe = Random(seed).sample(BUTTONS, 5)
    for name in probe:
        codes = []
        for seconds in (SHORT_S, LEAVE_S):
            if name == "next" and seconds == LEAVE_S:
                continue  # pairing is always possible
            driver = replayed()
            codes.append(driver.hold(name, seconds, gap_s=0))
        assert (name in announced) == (None in codes), (name, codes)
