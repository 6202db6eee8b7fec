"""Power cuts at every write: whatever is left on the disk, nothing acknowledged is lost.

The file operations of the real store are recorded while it creates a ledger, records evenings,
pairs phones, imports, checkpoints, closes and recovers, also after a kill that left unsynced writes
in the page cache. From each recording, images of the disk are built as a
power cut may leave it (see disk.py). The real store opens each image. Everything acknowledged has
to be there, and at most the change that was being written besides. Every night has to be
consistent, and the evening continues. Some of these openings are recorded and cut again.

With a weak setting, losses have to be found.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import sqlite3
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Final

import msgspec

from pochboard.errors import PochboardError
from pochboard.store import Store
from tests.torture import evenings
from tests.torture.disk import ALL, FIXED, Disk, Fate, Image, random_fate
from tests.torture.evenings import WEAK, Evening, content
from tests.torture.shim import Operation, Recorder, memory_folder
from tests.torture.workers import campaign, play_all

ROUND: Final = 4000
"""Images of one round, which has its own evenings."""
STAGES: Final = ("creation", "recovery", "cut twice", "killed before")
CHANGES: Final = 12
"""Changes to a ledger in one recording."""
TWICE: Final = 4
"""Recordings of a recovery in a round."""
KILLS: Final = 10
"""Recordings of an opening after a kill in a round."""
PLAYED_ON: Final = 0.25
"""The share of images whose night continues; with the others a phone is paired."""
REOPENED: Final = 0.1
"""The share of images that are opened a second time."""
BROKEN: Final = (PochboardError, sqlite3.Error, AssertionError)
EARLIER: Final = "an earlier state"
"""The problem if something acknowledged is lost."""


class Task(msgspec.Struct, frozen=True):
    """One round."""

    seed: str
    round: int
    images: int
    weak: str | None = None
    one_loss: bool = False
    """Whether it ends at the first loss."""


class Recording(msgspec.Struct):
    """What the store did to the disk, and what it held at each mark."""

    stage: str
    image: Image
    operations: list[Operation]
    contents: list[str]
    """Before anything was acknowledged, after the first acknowledgement, and so on."""
    shared_memory: bytes
    """The latest state, which is not synced; after a power cut it may be there."""
    before: list[Operation] = []
    """What a process that was killed had done to the disk, not all of it synced."""


class Result(msgspec.Struct):
    """The results of one round."""

    round: int
    images: int = 0
    opened: int = 0
    """The number of different images."""
    stages: dict[str, int] = msgspec.field(default_factory=dict)
    problems: list[str] = msgspec.field(default_factory=list)


class _LostOneError(Exception):
    """Ends a round that is to find one loss."""


class Round:
    """Records some evenings and cuts their power. Runs in a process with the shim preloaded."""

    def __init__(self, task: Task, folder: Path) -> None:
        self._task = task
        self._chance = Random(f"{task.seed} {task.round}")
        # Changes after opening an image must not affect which images follow.
        self._openings = Random(0)
        self._folder = folder
        self._path = folder / "ledger.db"
        self._recorder = Recorder(folder)
        self._known: dict[bytes, str] = {}
        self._result = Result(task.round)

    def run(self) -> Result:
        """Builds the images, the same number for each stage."""
        with evenings.counted_clock(), contextlib.suppress(_LostOneError):
            self._all_stages(self._task.images)
        return self._result

    def _all_stages(self, images: int) -> None:
        share = images // len(STAGES)
        created = self._record("creation", {})
        assert created, "creating a ledger fails"
        self._cut(created, share)
        # The next recording begins with what a power cut left of this one.
        self._cut(self._record("recovery", self._any_image(created)), share)
        for _ in range(TWICE):
            self._cut(
                self._record("cut twice", self._any_image(created), changes=1), share // TWICE
            )
        for _ in range(KILLS):
            self._cut(self._after_kill(created), share // KILLS)

    # Recording

    def _record(self, stage: str, image: Image, *, changes: int = CHANGES) -> Recording | None:
        """What the store does with an image; None if it fails, which is itself a problem."""
        self._put(image)
        try:
            with evenings.settings(self._task.weak), self._recorder:
                return self._recorded(stage, image, changes)
        except BROKEN as error:
            self._report(f"{stage}: {type(error).__name__}: {error}")
            return None

    def _recorded(self, stage: str, image: Image, changes: int) -> Recording:
        with Store.open(self._path) as store:
            assert store._writer
            # Let checkpoints, which the store makes after 1000 pages, happen within these evenings.
            pages = self._chance.choice((3, 10, 40, 1000))
            store._writer.execute(f"PRAGMA wal_autocheckpoint = {pages}")
            evening = Evening(store, self._chance)
            contents = [content(store)]
            if stage == "killed before":
                self._recorder.mark()  # people see it now
            for _ in range(changes):
                evening.change()
                self._recorder.mark()
                contents.append(content(store))
            shared = self._path.with_name("ledger.db-shm")
            memory = shared.read_bytes() if shared.exists() else b""
        return Recording(stage, image, self._recorder.take(), contents, memory)

    def _after_kill(self, first: Recording) -> Recording | None:
        """What the store does after a kill, while the page cache holds what was not synced."""
        cuts = list(range(1, len(first.operations)))
        if self._chance.random() < 0.5:
            cuts = [cut for cut in cuts if first.operations[cut].what == "s"]
        before = first.operations[: self._chance.choice(cuts)]
        disk = _disk_after(first.image, before)
        acknowledged = sum(operation.what == "a" for operation in before)
        cached = disk.image(ALL, self._chance)
        found = self._record("killed before", cached, changes=1)
        if found is None:
            return None
        held = first.contents[min(acknowledged, len(first.contents) - 1)]
        return Recording(
            found.stage,
            first.image,
            found.operations,
            [held, *found.contents],
            found.shared_memory,
            before,
        )

    def _report(self, problem: str) -> None:
        self._result.problems.append(f"round {self._result.round}, {problem}")
        if self._task.one_loss and EARLIER in problem:
            raise _LostOneError

    # Images

    def _cut(self, recording: Recording | None, images: int) -> None:
        if recording is None:
            return
        disk, acknowledged, done = _disk_after(recording.image, recording.before), 0, 0
        for number, operation in enumerate(recording.operations, start=1):
            disk.apply(operation)
            acknowledged += operation.what == "a"
            while done < images * number // len(recording.operations):
                fate = FIXED[done % 16] if done % 16 < len(FIXED) else random_fate(self._chance)
                image = disk.image(fate, self._chance)
                if self._chance.random() < 0.2:
                    image["ledger.db-shm"] = self._stale(recording.shared_memory)
                self._judge(recording, number, acknowledged, fate, image)
                done += 1

    def _any_image(self, recording: Recording) -> Image:
        cut = self._chance.randint(len(recording.operations) // 2, len(recording.operations))
        disk = _disk_after(recording.image, recording.operations[:cut])
        return disk.image(self._chance.choice((FIXED[0], random_fate(self._chance))), self._chance)

    def _stale(self, memory: bytes) -> bytes:
        return self._chance.choice((memory, bytes(len(memory)), self._chance.randbytes(32768)))

    def _judge(
        self, recording: Recording, cut: int, acknowledged: int, fate: Fate, image: Image
    ) -> None:
        digest = _digest(image)
        if digest not in self._known:
            self._known[digest] = self._open(image)
            self._result.opened += 1
        self._result.images += 1
        stages = self._result.stages
        stages[recording.stage] = stages.get(recording.stage, 0) + 1
        held = self._known[digest]
        if held not in recording.contents[acknowledged : acknowledged + 2]:
            lost = EARLIER if held in recording.contents else held
            self._report(
                f"{recording.stage}, after operation {cut} of {len(recording.operations)}, "
                f"{acknowledged} acknowledged: {lost} ({fate})"
            )

    def _open(self, image: Image) -> str:
        """What the store finds in an image. It has to be usable afterwards."""
        self._put(image)
        try:
            with Store.open(self._path) as store:
                found = content(store)
                self._go_on(store)
                after = content(store) if self._openings.random() < REOPENED else ""
            if after:
                with Store.open(self._path) as store:
                    assert content(store) == after, "what was stored then was lost by closing"
        except BROKEN as error:
            return f"{type(error).__name__}: {error}"
        return found

    def _go_on(self, store: Store) -> None:
        """Makes one more change, which is an entry for some of the images."""
        if self._openings.random() < PLAYED_ON:
            evening = Evening(store, self._openings)
            evening.entry()
            night = store.current()
            assert night
            assert night.entries == list(evening.journal.book.entries), "an entry was not stored"
        else:
            digest = self._openings.randbytes(32)
            store.pair(digest, "tablet", 99)
            assert store.pairing(digest), "a pairing was not stored"

    # Files

    def _put(self, image: Image) -> None:
        self._clear()
        for name, data in image.items():
            (self._folder / name).write_bytes(data)

    def _clear(self) -> None:
        for path in self._folder.iterdir():
            path.unlink()


def _disk_after(image: Image, operations: Sequence[Operation]) -> Disk:
    disk = Disk(image)
    for operation in operations:
        disk.apply(operation)
    return disk


def _digest(image: Image) -> bytes:
    digest = hashlib.blake2b()
    for name in sorted(image):
        digest.update(f"{name} {len(image[name])} ".encode())
        digest.update(image[name])
    return digest.digest()


# Processes


def play(task: Task) -> Result:
    """Plays a round."""
    with memory_folder() as folder:
        return Round(task, folder).run()


def run(tasks: Sequence[Task], jobs: int = 1) -> Result:
    """The results of all tasks together."""
    whole, stages = Result(0), Counter[str]()
    for one in play_all(__spec__.name, tasks, Result, jobs):
        whole.images += one.images
        whole.opened += one.opened
        stages.update(one.stages)
        whole.problems += one.problems
    whole.stages = dict(stages)
    return whole


def rounds(seed: str, images: int, weak: str | None = None) -> list[Task]:
    """This number of images in rounds of equal size."""
    number = -(-images // ROUND)
    return [Task(seed, one, -(-images // number), weak) for one in range(number)]


def main() -> None:
    """Cuts the power, and fails if anything was lost, or nothing with a weak setting."""

    def cut(args: argparse.Namespace) -> tuple[str, list[str]]:
        result = run(rounds(args.seed, args.images), args.jobs)
        losses = {
            weak: len(run(rounds(args.seed, args.weak, weak), args.jobs).problems) for weak in WEAK
        }
        done = f"{result.images:,} images, {result.opened:,} different ones opened ({losses})"
        blind = [f"no losses were found with {weak}" for weak, found in losses.items() if not found]
        return done, [*result.problems, *blind]

    campaign("power cuts", cut, images=1_000_000, weak=20_000)


if __name__ == "__main__":
    main()
