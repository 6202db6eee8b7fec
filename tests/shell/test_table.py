"""The table in process, on a real ledger: it commits, then publishes, and answers everybody."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from pochboard.buttons.press import CONTROLS, PressTimes
from pochboard.errors import (
    Refusal,
    RefusedInput,
    StoppedError,
    UnknownOutcomeError,
)
from pochboard.ledger.entry import Entry
from pochboard.ledger.replay import StoredNight, replay
from pochboard.lights.frame import Frame
from pochboard.rules.commands import Deal, parse_command
from pochboard.rules.ruleset_files import shipped_rulesets
from pochboard.rules.seating import resolve_among
from pochboard.rules.state import State, public_state
from pochboard.runtime.threads import now_us
from pochboard.sheets import DoLine, PressLine, RejectLine, Sheet, SheetPlayer, run_sheet
from pochboard.store import Store
from pochboard.table import clock
from pochboard.table import table as table_module
from pochboard.table.snapshot import BoardInfo, Listener, Recorded, Setup, Snapshot
from pochboard.table.table import Table
from tests.count_reader import read_counts
from tests.shell.server_kit import LONG_S, QUICK, wait_until

NIGHTS = Path(__file__).parent.parent / "nights"
SHEETS = sorted(NIGHTS.glob("*.jsonl"))
START: dict[str, Any] = {"do": "start", "ruleset": "modern", "players": ["Anna", "Jörg", "Clara"]}
RESOLVE = resolve_among(shipped_rulesets())
HOUR_US = 3_600_000_000
CALM = PressTimes(too_soon_us=0)
"""So that a short press stays one on a slow machine."""


class RecordingListener(Listener):
    """Follows a table, and keeps its reports in order."""

    def __init__(self) -> None:
        self.snapshots: list[Snapshot] = []
        self.refused: list[RefusedInput] = []
        self.frames: list[Frame] = []

    def on_snapshot(self, snapshot: Snapshot) -> None:
        self.snapshots.append(snapshot)

    def on_refused(self, refused: RefusedInput) -> None:
        self.refused.append(refused)

    def on_frame(self, frame: Frame) -> None:
        self.frames.append(frame)


def table_on(
    store: Store,
    times: PressTimes = CALM,
    window_s: float = 60.0,
    switch_off: Callable[[], None] | None = None,
    *,
    has_sound: bool = False,
) -> Table:
    # Draws give the same result as on a score sheet.
    setup = Setup(
        resolve=RESOLVE,
        times=times,
        window_s=window_s,
        draw=lambda places: places[-1],
        switch_off=switch_off,
    )
    board = BoardInfo("simulator", link=True, simulated=True, has_sound=has_sound)
    return Table(store, setup, board)


@contextmanager
def sitting(
    folder: Path, times: PressTimes = CALM, window_s: float = 60.0, *, has_sound: bool = False
) -> Iterator[tuple[Table, Store, RecordingListener]]:
    """A running table, its ledger, and an listener."""
    with Store.open(folder / "ledger.db") as store:
        table, listener = table_on(store, times, window_s, has_sound=has_sound), RecordingListener()
        table.start()
        try:
            table.listen(listener)
            yield table, store, listener
        finally:
            table.stop()


def recorded(answer: Recorded | Refusal) -> Recorded:
    assert isinstance(answer, Recorded), answer
    return answer


def press(table: Table, button: str) -> list[RefusedInput]:
    """A short press, however long threads have to wait; returns what was refused."""
    at_us = now_us()
    return table.edges_at_once([(button, True, at_us), (button, False, at_us)]).result()


def in_turn(table: Table, act: Callable[[], object]) -> None:
    """Acts, and waits until the table has done it: answers come only afterwards."""
    act()
    table.pairings.revoke(0)


# Everything reported has been stored.


def test_damage_found_meanwhile_does_not_make_an_unknown_outcome_certain(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A failing disk often does both: it fails in a commit, and returns damaged pages."""

    def fail(*_: object, **__: object) -> None:
        raise UnknownOutcomeError("The disk failed.")

    with sitting(tmp_path) as (table, store, _):
        recorded(table.command(parse_command(START)))
        monkeypatch.setattr(store, "append", fail)
        monkeypatch.setattr(store, "recover", fail)
        deal = parse_command({"do": "deal", "id": "deal"})
        other = parse_command({"do": "rename", "seat": 1, "name": "Ida"})
        refusals = [table.command(command) for command in (deal, other)]
        codes = [refusal.code for refusal in refusals if isinstance(refusal, Refusal)]
        assert codes == ["unknown", "not-stored"]


class Checking(RecordingListener):
    """Asks the ledger, by a connection that does not write, for all it is told."""

    def __init__(self, table: Table, store: Store) -> None:
        super().__init__()
        self._table = table
        self._store = store
        self._replayed: dict[int, tuple[Sequence[Entry], State]] = {}
        self.wrong: list[str] = []

    def _state_of(self, night: StoredNight) -> State:
        """The state after what is stored, replayed only where that has changed."""
        entries, state = self._replayed.get(night.number, ([], State()))
        if entries != night.entries:
            state = replay(night).state
            self._replayed[night.number] = night.entries, state
        return state

    def on_snapshot(self, snapshot: Snapshot) -> None:
        super().on_snapshot(snapshot)
        if snapshot.night is None:
            return
        night = self._store.night(snapshot.night)
        if len(night.entries) != snapshot.entry or self._state_of(night) != snapshot.state:
            self.wrong.append(f"entry {snapshot.entry} was told with {len(night.entries)} stored")

    def on_frame(self, frame: Frame) -> None:
        super().on_frame(frame)
        shown = self._table._journal.state
        current = self._store.current()
        if shown.phase != "none" and (current is None or self._state_of(current) != shown):
            self.wrong.append(f"a frame shows the phase {shown.phase}, which is not stored")


def test_listeners_and_callers_see_only_what_is_stored(tmp_path: Path) -> None:
    with sitting(tmp_path) as (table, store, _):
        table.command(parse_command(START))
        check = Checking(table, store)
        table.listen(check)
        for number, command in enumerate(
            [
                {"do": "deal"},
                {"do": "claim", "seat": 1, "pool": "ace"},
                {"do": "undo"},
                {"do": "redo"},
                {"do": "next"},
                {"do": "stake", "seat": 2, "chips": 5},
            ],
            start=2,
        ):
            answer = recorded(table.command(parse_command(command)))
            assert answer.entry == number
            assert replay(store.night(1)).state == answer.state == table.snapshot.state
            assert answer.revision == table.snapshot.revision
        assert press(table, "seat3") == []
        assert press(table, "poch") == []
        assert table.snapshot.entry == 8
        assert check.wrong == []
        assert check.snapshots[-1].entry == 8
        assert check.frames


def play(table: Table, line: Any, since_us: int) -> list[str | None]:
    """Does what a line of a score sheet says; returns the codes of the refusals.

    The presses lie in the future, so that no timer of this table comes between.
    """
    if isinstance(line, DoLine | RejectLine):
        done = table.command(parse_command(line.command))
        return [done.code] if isinstance(done, Refusal) else []
    if isinstance(line, PressLine):
        done_at = ((True, line.at_us), (False, line.at_us + line.for_us))
        futures = [
            table.edge(button, down, since_us + at_us)
            for down, at_us in done_at
            for button in line.buttons
        ]
        return [refused.code for future in futures for refused in future.result()]
    return []


def entries_of(bench: SheetPlayer) -> int:
    return sum(len(night.entries) for night in bench.nights)


@pytest.mark.parametrize("sheet", SHEETS[::3], ids=lambda path: path.stem)
def test_whole_nights(tmp_path: Path, sheet: Path) -> None:
    bench = SheetPlayer(RESOLVE)
    since_us = time.monotonic_ns() // 1000 + HOUR_US
    with Store.open(tmp_path / "ledger.db") as store:
        table = table_on(store, PressTimes())
        table.start()
        check = Checking(table, store)
        table.listen(check)
        try:
            for line in Sheet(sheet.read_bytes()):
                told, refused_before = len(check.snapshots), len(check.refused)
                before, entries = table.snapshot, entries_of(bench)
                refused = play(table, line, since_us)
                assert run_sheet([line], bench) is None
                assert table.snapshot.state == bench.state, line
                assert [refusal.code for refusal in check.refused[refused_before:]] == refused
                if isinstance(line, DoLine):
                    # Nothing is told of a command whose id was applied before.
                    assert len(check.snapshots) == told + entries_of(bench) - entries
                elif isinstance(line, RejectLine):
                    assert refused == [line.code]
                    assert table.snapshot is before
                elif isinstance(line, PressLine) and line.refused:
                    assert line.refused in refused
                else:
                    assert refused == []
        finally:
            table.stop()
        assert check.wrong == []
        revisions = [snapshot.revision for snapshot in check.snapshots]
        assert revisions == list(range(revisions[0], revisions[0] + len(revisions)))
        for one, other in zip(check.snapshots, check.snapshots[1:], strict=False):
            assert one.state != other.state or one != other
        for night, played in enumerate(bench.nights, start=1):
            again = replay(store.night(night))
            assert again.state == played.state
            assert [(e.command, e.postings, e.ref) for e in again.entries] == [
                (e.command, e.postings, e.ref) for e in played.entries
            ]


# Revisions.


def test_every_change_raises_the_revision_once(tmp_path: Path) -> None:
    with sitting(tmp_path) as (table, _, listener):

        def raises(times: int, act: Callable[[], object]) -> None:
            before, published = table.snapshot.revision, len(listener.snapshots)
            done = act()
            if isinstance(done, Future):
                done.result()
            assert table.snapshot.revision - before == times
            assert len(listener.snapshots) - published == times
            if times:
                assert listener.snapshots[-1] is table.snapshot

        raises(1, lambda: table.command(parse_command(START)))
        raises(1, lambda: table.command(parse_command({"do": "deal", "id": "deal"})))
        raises(0, lambda: table.command(parse_command({"do": "deal", "id": "deal"})))
        raises(0, lambda: table.command(parse_command({"do": "deal"})))
        raises(0, lambda: table.command(parse_command("deal")))
        raises(1, lambda: table.edge("seat1", True))  # selected
        raises(0, lambda: table.edge("seat1", False))
        raises(1, lambda: press(table, "seat2"))
        raises(1, lambda: press(table, "undo"))  # let go
        raises(1, lambda: table.command(parse_command({"do": "undo"})))
        raises(1, lambda: table.command(parse_command({"do": "redo"})))
        raises(0, lambda: table.edge("seat8", True))  # nobody sits there
        raises(0, lambda: table.edge("seat8", False))
        for times, up in ((1, False), (0, False), (1, True), (0, True)):
            raises(times, lambda up=up: in_turn(table, lambda: table.set_link(up)))  # type: ignore[misc]
            assert table.snapshot.board.link is up
        raises(0, lambda: in_turn(table, table.release_all))
        raises(0, lambda: table.pairings.pair("phone", "", ""))
        raises(0, lambda: table.pairings.revoke(1))
        raises(0, lambda: list(table.nights.each()))
        raises(0, lambda: table.nights.night(1))
        raises(1, lambda: table.command(parse_command({"do": "void"})))
        raises(1, lambda: table.command(parse_command({"do": "rename", "seat": 1, "name": "Ida"})))
        raises(1, lambda: table.command(parse_command({"do": "end"})))
        raises(1, lambda: table.command(parse_command(START)))
        assert table.snapshot.night == 2
        revisions = [snapshot.revision for snapshot in listener.snapshots]
        assert revisions == sorted(set(revisions))


@pytest.mark.parametrize("first_days", [36_500, 10_000_000])
def test_the_revision_is_higher_even_after_the_clock_was_far_ahead(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, first_days: int
) -> None:
    real_ns, before = time.time_ns, 0
    for days in (first_days, 0, -20_000, 1, -20_000):
        monkeypatch.setattr(time, "time_ns", lambda d=days: real_ns() + d * 86_400 * 10**9)
        with sitting(tmp_path) as (table, _, _):
            assert before < table.snapshot.revision < 2**53
            assert press(table, "seat1") == []
            before = table.snapshot.revision


def test_the_revision_starts_from_the_time_if_none_can_be_reserved(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "ledger.revision").mkdir()
    with sitting(tmp_path) as (table, _, _):
        assert table.snapshot.revision >= 1_000 * (clock.now_ms() - 600_000)
    assert "revision" in caplog.text
    caplog.clear()


def test_a_clock_that_is_not_set_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with sitting(tmp_path) as (table, _, _):
        recorded(table.command(parse_command(START)))
    assert "clock" not in caplog.text
    monkeypatch.setattr(time, "time_ns", lambda: 5 * 10**9)
    with sitting(tmp_path) as (table, _, _):
        assert "The clock says 1970-01-01" in caplog.text
        # Numbers give the order of entries; times are only what the clock showed.
        entry = recorded(table.command(parse_command({"do": "deal"})))
        assert entry.entry == 2
        assert table.nights.night(1).stored.entries[-1].time_ms == 5_000


def test_a_ledger_that_fails_is_not_tried_again_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tries = 0

    def fail(*_: object, **__: object) -> None:
        raise UnknownOutcomeError("The disk failed.")

    def recover() -> None:
        nonlocal tries
        tries += 1
        fail()

    monkeypatch.setattr(table_module, "_RETRY_US", HOUR_US)
    with sitting(tmp_path) as (table, store, _):
        recorded(table.command(parse_command(START)))
        monkeypatch.setattr(store, "append", fail)
        monkeypatch.setattr(store, "recover", recover)
        assert isinstance(table.command(Deal()), Refusal)
        for _ in range(3):
            table.pairings.revoke(0)  # timers that are due run in between
    assert tries == 1


# A disk that accepts nothing more.


@contextmanager
def full(store: Store) -> Iterator[None]:
    """The ledger may not grow by a single page."""
    assert store._writer is not None
    (pages,) = store._writer.execute("PRAGMA page_count").fetchone()
    store._writer.execute(f"PRAGMA max_page_count = {pages}")
    yield
    store._writer.execute("PRAGMA max_page_count = 1000000")


@contextmanager
def readonly(store: Store) -> Iterator[None]:
    """The ledger may not be written."""
    assert store._writer is not None
    store._writer.execute("PRAGMA query_only = 1")
    yield
    store._writer.execute("PRAGMA query_only = 0")


LONG_ID = "x" * 3_000
"""Too long to fit on an existing page, and for a client to send."""


@pytest.mark.parametrize("failing", [full, readonly])
def test_what_cannot_be_stored_is_refused_and_not_recorded(tmp_path: Path, failing: Any) -> None:
    with sitting(tmp_path) as (table, store, listener):
        table.command(parse_command(START))
        table.command(parse_command({"do": "rebuy", "seat": 1, "chips": 5}))
        table.command(parse_command({"do": "undo"}))
        before, frame, published = table.snapshot, table.lighting.frame, len(listener.snapshots)
        with failing(store):
            for _ in range(2):
                answer = table.command(Deal(id=LONG_ID))
                assert isinstance(answer, Refusal)
                assert answer.code == "not-stored"
                assert answer.sentence.endswith("Nothing was recorded.")
                assert answer.sentence.count("Nothing was recorded") == 1
                assert listener.refused[-1] == RefusedInput(answer, (), "deal")
            assert table.snapshot is before
            assert table.lighting.frame == frame
            assert len(listener.snapshots) == published
            assert len(store.night(1).entries) == 3
        # Once there is room again, everything is as if nothing had happened.
        assert recorded(table.command(parse_command({"do": "redo"}))).entry == 4
        assert recorded(table.command(Deal(id=LONG_ID))).entry == 5
        assert recorded(table.command(Deal(id=LONG_ID))).entry == 5
        assert replay(store.night(1)).state == table.snapshot.state


# Many at once.


def test_many_threads_at_once(tmp_path: Path) -> None:
    with sitting(tmp_path) as (table, store, listener):
        table.command(parse_command(START))
        answers: list[tuple[str, Recorded | Refusal]] = []

        def send(seed: int) -> None:
            chance = random.Random(seed)
            for number in range(25):
                # Half of the ids are sent by every thread, each time with other chips.
                name = f"shared {number}" if number % 2 else f"{seed} {number}"
                command = {"do": "rebuy", "seat": chance.randint(1, 3), "chips": 1, "id": name}
                answers.append((name, table.command(parse_command(command))))

        threads = [threading.Thread(target=send, args=(seed,)) for seed in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        entries = store.night(1).entries
        assert len(answers) == 200
        assert len(entries) == 1 + 8 * 13 + 12
        assert [entry.number for entry in entries] == list(range(1, len(entries) + 1))
        by_id = {entry.id: entry.number for entry in entries}
        for name, answer in answers:
            assert recorded(answer).entry == by_id[name]
        assert sum(public_state(table.snapshot.state)["stacks"].values()) == 150 + len(by_id) - 1
        assert [snapshot.entry for snapshot in listener.snapshots] == list(
            range(1, len(entries) + 1)
        )


def test_stopping_answers_everybody(tmp_path: Path) -> None:
    with Store.open(tmp_path / "ledger.db") as store:
        table = table_on(store)
        table.start()
        recorded(table.command(parse_command(START)))
        done: list[Recorded] = []
        stopped: list[StoppedError] = []

        def send() -> None:
            try:
                while True:
                    done.append(
                        recorded(
                            table.command(parse_command({"do": "rebuy", "seat": 1, "chips": 1}))
                        )
                    )
            except StoppedError as error:
                stopped.append(error)

        threads = [threading.Thread(target=send) for _ in range(12)]
        for thread in threads:
            thread.start()
        wait_until("some are recorded", lambda: len(done) > 50)
        stoppers = [threading.Thread(target=table.stop) for _ in range(3)]
        for thread in stoppers:
            thread.start()
        for thread in [*threads, *stoppers]:
            thread.join()
        assert len(stopped) == len(threads)
        assert len(done) == len(store.night(1).entries) - 1
        assert sorted(answer.entry for answer in done) == list(range(2, len(done) + 2))
        with pytest.raises(StoppedError):
            table.command(parse_command({"do": "deal"}))
        with pytest.raises(StoppedError):
            table.edge("ace", True)
        table.stop()
        assert not any(table.lighting.frame), "the board is dark"


# Lights and the clock.


def counts(frame: Frame, table: Table) -> list[int | None] | None:
    """The counts of the rings; None while an effect is under way."""
    try:
        return list(read_counts(frame, table.lights))
    except ValueError:
        return None


def test_a_button_held_acts_by_the_clock(tmp_path: Path) -> None:
    with sitting(tmp_path, QUICK) as (table, _, _):
        table.command(parse_command(START))
        table.command(parse_command({"do": "deal"}))
        at_us = now_us()
        assert table.edges_at_once([(button, True, at_us) for button in CONTROLS]).result() == []
        # Both held: a misdeal, without another edge.
        wait_until("the deal is void", lambda: table.snapshot.state.phase == "idle")
        assert table.edge("next", False).result() == []
        assert table.edge("undo", False).result() == []
        assert table.snapshot.entry == 3


def code_of(table: Table) -> str:
    """The code that the board shows."""
    assert table.pairings.window is not None
    return "".join(map(str, table.pairings.window.code))


def test_the_machine_is_switched_off_at_the_board_and_the_night_stays(tmp_path: Path) -> None:
    times = PressTimes(next_long_us=1_000_000, off_us=2_000_000, too_soon_us=0)
    off = threading.Event()
    with Store.open(tmp_path / "ledger.db") as store:
        table = table_on(store, times, switch_off=off.set)
        listener = RecordingListener()
        table.listen(listener)
        table.start()
        try:
            assert isinstance(table.command(parse_command(START)), Recorded)
            before = table.snapshot.state

            def hold() -> None:
                # Held since before the daemon started, so that the test need not wait.
                at_us = now_us() - times.off_us
                table.edge("next", True, at_us)
                wait_until("it asks", lambda: table.snapshot.switching_off == "asked")

            hold()
            assert table.snapshot.pairing_open_until_ms is None, "the hold had opened it"
            table.edge("next", False).result()
            table.command(parse_command({"do": "rebuy", "seat": 1, "chips": 1}))
            assert table.snapshot.switching_off is None, "somebody plays on"
            table.command(parse_command({"do": "undo"}))
            hold()
            table.edge("seat1", True).result()
            assert table.snapshot.switching_off is None
            table.edge("seat1", False).result()
            table.edge("next", False).result()
            hold()
            table.edge("next", False).result()
            table.edge("next", True).result()
            assert table.snapshot.switching_off == "confirmed"
            assert off.wait(LONG_S)
            assert not any(listener.frames[-1])
            assert table.snapshot.state == before
        finally:
            table.stop()


def test_pairing(tmp_path: Path) -> None:
    with sitting(tmp_path, QUICK) as (table, _, listener):
        closed = table.pairings.pair("early", "11111", "192.0.2.1")
        assert isinstance(closed, Refusal)
        assert closed.code == "pairing-closed"
        assert table.edge("next", True).result() == []
        wait_until("the window is open", lambda: table.snapshot.pairing_open_until_ms)
        table.edge("next", False).result()
        code = code_of(table)
        answers: list[object] = []
        threads = [
            threading.Thread(
                target=lambda: answers.append(table.pairings.pair("phone", code, "192.0.2.1"))
            )
            for _ in range(8)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        ((token, pairing),) = [answer for answer in answers if isinstance(answer, tuple)]
        assert table.snapshot.pairing_open_until_ms is None, "the first phone closes it"
        assert len(listener.snapshots) == 2
        assert table.pairings.of(token) == pairing
        assert [paired.number for paired in table.pairings.all()] == [pairing.number]
        assert table.pairings.of(token + "x") is None
        told = len(listener.snapshots)
        assert table.pairings.revoke(pairing.number)
        assert len(listener.snapshots) > told, "a client learns that it is no longer paired"
        told = len(listener.snapshots)
        assert table.pairings.of(token) is None
        assert not table.pairings.revoke(pairing.number)
        assert len(listener.snapshots) == told


# Nights.
