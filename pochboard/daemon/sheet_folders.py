"""Folders of score sheets: a board writes its nights into one, and a collection reads several.

What carries the files from one machine to the other is another program (docs/COLLECTION.md). A
folder may be gone, full, read-only or hang for days. So each has a thread of its own for which
nobody waits, and which asks the ledger for all that it has to do: nothing is queued meanwhile.
"""

from __future__ import annotations

import contextlib
import logging
import os
import shutil
import stat
import threading
import time
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Final

from msgspec import Meta, Struct

from pochboard.config import Config, Folder
from pochboard.errors import (
    KnownNightError,
    LedgerError,
    PochboardError,
    SheetError,
    StoppedError,
)
from pochboard.exports import ExportedNight, write_night
from pochboard.ledger.remarks import (
    NightDate,
    NightDeleted,
    NightFromFolder,
    NightName,
    NightOfBots,
)
from pochboard.ledger.replay import is_possible, summarize
from pochboard.rules.seating import Resolve
from pochboard.runtime.threads import LoopThread
from pochboard.sheets import Heading, Sheet, SheetNight, closed_nights
from pochboard.store import Store, read_regular, write_durably
from pochboard.table.clock import begun_ms, local_time
from pochboard.table.journal import replayed
from pochboard.table.ledger_nights import nameless, timed
from pochboard.table.part import Driver, OptionalPart, Probe, Seat
from pochboard.table.table import Table
from pochboard.text.lazy import LazyText, lazy_gettext, lazy_ngettext, lazy_text, os_reason
from pochboard.text.unicode_names import shown

log = logging.getLogger(__name__)

_LOOK_S: Final = 5.0
"""How often to look."""
_SILENT_S: Final = 30.0
"""A file that takes longer than this hangs."""
_LONGEST_PAUSE_S: Final = 0.05
_MOST_BYTES: Final = 4 * 1024 * 1024
"""As for a sheet that is uploaded."""
_MOST_FILES: Final = 20_000
_ANSWER_S: Final = 5.0
"""How long the doctor waits for a folder."""
_LEAST_BYTES: Final = 1_000_000
_LONGEST_REASON: Final = 500
"""A reason may quote a line of several megabytes."""
_CONFLICT: Final = ".sync-conflict-"
"""In the names of Syncthing's copies of a file that two machines have changed."""


class SheetsTable(
    Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename={"from_": "from"}
):
    """The folders of score sheets of several boards (docs/COLLECTION.md): the table `[sheets]`."""

    to: Folder = ""
    from_: tuple[Annotated[str, Meta(pattern=r"\A/[^\x00-\x1f]*\Z")], ...] = ()


class SheetFolder(LoopThread):
    """A folder that is looked at again and again. Start it once, and close it once."""

    def __init__(self, folder: str, table: Table, store: Store) -> None:
        super().__init__("sheets")
        self._folder = Path(folder)
        self._table = table
        self._store = store
        self._failure = LazyText("")
        self._busy_s: float | None = None
        """When it began to do something that may hang."""

    @property
    def problem(self) -> LazyText:
        """What is wrong with the folder now, as a sentence; empty if nothing is. Does not wait."""
        busy_s = self._busy_s
        if busy_s is not None and time.monotonic() - busy_s > _SILENT_S:
            return lazy_gettext("The folder {folder} does not respond.", folder=self._folder)
        return self._failure

    def _run(self) -> None:
        while not self._closing:
            try:
                self._breathe()
                failure = self.look()
            except (FileNotFoundError, NotADirectoryError):
                failure = lazy_gettext("The folder {folder} is missing.", folder=self._folder)
            except OSError as error:
                failure = self._failed(os_reason(error))
            except PochboardError as error:
                failure = lazy_text(error)
            except Exception as error:  # an error of the program must not end the table
                failure = self._failed(LazyText("{error}", error=repr(error)))
                if failure != self._failure:
                    log.exception("%s", failure)
            self._failure, self._busy_s = failure, None
            self._wait(_LOOK_S)

    def _breathe(self) -> None:
        """Lets others go first, and shows that nothing hangs."""
        busy_s, self._busy_s = self._busy_s, None
        if busy_s is not None:
            self._pause(min(time.monotonic() - busy_s, _LONGEST_PAUSE_S))
        self._busy_s = time.monotonic()

    @abstractmethod
    def look(self) -> LazyText:
        """Reads or writes what is new. Returns any problem that leaves the folder usable.

        Raises OSError, PochboardError.
        """

    @abstractmethod
    def _failed(self, reason: LazyText) -> LazyText:
        """The sentence that says that it cannot be done now."""


class SheetWriter(SheetFolder):
    """Writes the sheet of each night that is over, and again whenever the night has changed."""

    def __init__(self, folder: str, table: Table, store: Store) -> None:
        super().__init__(folder, table, store)
        self._known: dict[int, tuple[object, bool]] = {}
        """By night, its contents at the last look, and whether it had a file then."""
        self._complete: object = None
        """What there was when all nights had been written."""

    def _failed(self, reason: LazyText) -> LazyText:
        return lazy_gettext(
            "Nights cannot be written to {folder}: {reason}.", folder=self._folder, reason=reason
        )

    def look(self) -> LazyText:
        """Writes what is missing."""
        blocked = LazyText("")
        with os.scandir(self._folder) as found:
            there = {entry.name: entry.is_file() for entry in found}
        files = {name for name, is_file in there.items() if is_file}
        remarks = self._store.remarks()
        now = self._table.snapshot
        all_now = files, remarks, now.night, now.entry, self._store.next_number()
        if all_now == self._complete:
            return blocked
        identities = {number: identity for identity, number in self._store.identities().items()}
        for night in self._table.nights.each():
            number = night.number
            if self._closing:
                return blocked
            if night.status != "over" or number not in identities:
                continue
            heading = Heading(
                id=identities[number],
                ledger=self._store.ledger_id(),
                name=remarks.names.get(number, ""),
                deleted=number in remarks.deleted,
                bots=number in remarks.bots,
            )
            file = f"night-{number:04}-{identities[number][:16]}.jsonl"
            is_now = night.entries, night.started_ms, heading
            was, had_file = self._known.get(number, (None, False))
            if was == is_now and (file in files or not had_file):
                continue
            self._breathe()
            if there.get(file) is False:
                blocked = lazy_gettext(
                    "{file} in {folder} is not a file. Remove it; night {night} can then be"
                    " written.",
                    file=file,
                    folder=self._folder,
                    night=number,
                )
                continue
            sheet = b""
            # A night that does not count is of no use elsewhere, unless it is known there.
            if file in files or not (heading.deleted or heading.bots):
                sheet = self._sheet(number, heading)
            if sheet and not (file in files and self._contains(file, sheet)):
                write_durably(self._folder / file, sheet)
                files.add(file)
            self._known[number] = is_now, bool(sheet)
        self._complete = None if blocked else all_now
        return blocked

    def _sheet(self, number: int, heading: Heading) -> bytes:
        """The sheet of a night; empty if it is another board's, or goes on just now."""
        try:
            stored = self._store.night(number)
            if stored.origin is not None:
                return b""
            states = replayed(stored).states
        except LedgerError as error:
            log.warning("night %d is not written to %s: %s", number, self._folder, error)
            return b""
        if states[-1].phase != "closed":
            return b""
        exported = ExportedNight(stored, states, local_time, identity=heading.id)
        return "".join(write_night(exported, heading)).encode()

    def _contains(self, file: str, sheet: bytes) -> bool:
        with contextlib.suppress(FileNotFoundError):
            return read_regular(self._folder / file, len(sheet) + 1) == sheet
        return False


class SheetCollector(SheetFolder):
    """Takes in what is new in a folder of sheets."""

    _taking: Final = threading.Lock()
    """One sheet at a time, whatever the folder: two folders must not get one ledger."""

    def __init__(
        self, folder: str, table: Table, store: Store, folders: Sequence[str], resolve: Resolve
    ) -> None:
        """`folders` are all that are collected."""
        super().__init__(folder, table, store)
        self._folders = [str(Path(name)) for name in folders]
        self._resolve = resolve
        self._seen: dict[str, tuple[int, ...]] = {}
        """Files that were imported or refused, with their size and times then."""
        self.refusals: dict[str, str] = {}
        """Why a sheet was refused, by file name."""

    def _failed(self, reason: LazyText) -> LazyText:
        return lazy_gettext(
            "The nights in {folder} cannot be collected: {reason}.",
            folder=self._folder,
            reason=reason,
        )

    def look(self) -> LazyText:
        """Takes in what is new."""
        files = dict(self._files())
        self._seen = {file: mark for file, mark in self._seen.items() if file in files}
        self.refusals = {file: why for file, why in self.refusals.items() if file in files}
        for file, mark in sorted(files.items()):
            if self._closing:
                break
            if self._seen.get(file) == mark:
                continue
            self._breathe()
            why, seen = "", mark
            try:
                self._take(file)
            except FileNotFoundError:
                continue  # it was deleted or renamed just now
            except SheetError as error:
                why = str(error)
            except OSError as error:
                why, seen = f"It cannot be read: {os_reason(error)}.", ()  # the next time, perhaps
            except (LedgerError, StoppedError):
                raise
            except Exception:  # whoever wrote it must not stop the others
                log.exception("%s", self._folder / file)
                why = "It cannot be read."
            self._seen[file] = seen
            self._note_refusal(file, why[:_LONGEST_REASON])
        for file, why in self.refusals.items():
            return lazy_ngettext(
                "The sheet {file} in {folder} is refused: {reason}",
                "{count} sheets in {folder} are refused, such as {file}: {reason}",
                len(self.refusals),
                folder=self._folder,
                file=shown(file),
                reason=why,
            )
        return LazyText("")

    def _note_refusal(self, file: str, why: str) -> None:
        if not why:
            self.refusals.pop(file, None)
        elif self.refusals.get(file) != why:
            log.warning("%s is refused: %s", self._folder / file, why)
            self.refusals[file] = why

    def _files(self) -> Iterator[tuple[str, tuple[int, ...]]]:
        """The sheets in the folder, each with what changes when it does.

        Hidden files are those that somebody is still writing, and Syncthing's own.
        """
        with os.scandir(self._folder) as entries:
            for count, entry in enumerate(entries):
                if count == _MOST_FILES:
                    raise PochboardError(f"{self._folder} has more than {_MOST_FILES:,} files.")
                if entry.name.startswith((".", "~")) or not entry.name.endswith(".jsonl"):
                    continue
                with contextlib.suppress(FileNotFoundError):
                    status = entry.stat(follow_symlinks=False)
                    if stat.S_ISREG(status.st_mode):
                        yield entry.name, (status.st_ino, status.st_size, status.st_ctime_ns)

    def _take(self, file: str) -> None:
        """Takes in a sheet. Raises OSError, SheetError, LedgerError."""
        if _CONFLICT in file:
            raise SheetError(
                "It is a copy that Syncthing has kept, because two machines changed the sheet."
                " Delete it."
            )
        content = read_regular(self._folder / file, _MOST_BYTES + 1)
        if len(content) > _MOST_BYTES:
            raise SheetError("It is too large for a score sheet.")
        night, *others = closed_nights(Sheet(content), self._resolve)
        heading = night.heading
        identity, ledger = heading.identity, heading.ledger
        if others or night.added or identity is None or ledger is None or heading.begun is None:
            raise SheetError(
                "It is not the sheet of one night that is over, as a board writes it into a folder."
            )
        with self._taking:
            owner = self._owner(ledger)
            number = self._store.identities().get(identity)
            if number is None:
                try:
                    (number,) = self._table.nights.import_sheet(content).nights
                except KnownNightError as error:
                    log.info("%s: %s", self._folder / file, error)
                    return
            else:
                self._go_on(number, night)
            if owner is None:
                self._table.nights.add_remark(NightFromFolder(number, str(self._folder), ledger))
            self._note(number, heading, begun_ms(heading.begun))

    def _owner(self, ledger: str) -> str | None:
        """The ledger to which the folder belongs, if it does. Raises SheetError."""
        owners = self._store.remarks().folders
        owner = owners.get(str(self._folder))
        if owner not in (None, ledger):
            raise SheetError("It belongs to another ledger than the folder's first sheet.")
        for folder in self._folders:
            if owner is None and owners.get(folder) == ledger:
                raise SheetError(f"The sheets of this ledger are in {folder}.")
        return owner

    def _go_on(self, number: int, night: SheetNight) -> None:
        """Appends the entries that a night has gained since it was collected. Raises SheetError."""
        stored = self._store.night(number, dated=False)
        known, entries = len(stored.entries), timed(night.entries, stored.entries[0].time_ms)
        same = stored.ruleset.parameters() == night.ruleset.parameters()
        if not same or any(
            (nameless(old.command), old.time_ms) != (nameless(new.command), new.time_ms)
            for old, new in zip(stored.entries, entries, strict=False)
        ):
            raise SheetError(
                f"It is not how night {number} went. Only what comes after the end that is known"
                " can be added."
            )
        if len(entries) > known:
            summary = summarize(number, entries, night.state, imported=True)
            self._table.nights.append(number, entries[known:], summary)

    def _note(self, number: int, heading: Heading, began_ms: int) -> None:
        """Notes what the people at the board say about their night."""
        nights, remarks = self._table.nights, self._store.remarks()
        dated_ms = self._store.night(number).entries[0].time_ms
        if began_ms != dated_ms and is_possible(began_ms):
            nights.add_remark(NightDate(number, began_ms))
        if heading.name != remarks.names.get(number, ""):
            nights.add_remark(NightName(number, heading.name))
        if heading.deleted != (number in remarks.deleted):
            nights.add_remark(NightDeleted(number, heading.deleted))
        if heading.bots != (number in remarks.bots):
            nights.add_remark(NightOfBots(number, heading.bots))


def _made(seat: Seat, config: SheetsTable) -> Iterator[Driver]:
    table, store = seat.table, seat.store
    if config.to:
        yield SheetWriter(config.to, table, store)
    folders = tuple(dict.fromkeys(str(Path(folder)) for folder in config.from_))
    for folder in folders:
        yield SheetCollector(folder, table, store, folders, seat.resolve)


def _probes(config: SheetsTable, _: Config) -> Iterator[tuple[str, Probe]]:
    for folder in filter(None, (config.to, *config.from_)):
        yield "sheets", partial(_tried, Path(folder), writes=folder == config.to)


def _tried(folder: Path, *, writes: bool) -> str:
    """Whether a folder is there, and can be written to or read."""
    answers: list[str] = []
    # The disk of another machine may hang; this thread then ends with the process.
    asking = threading.Thread(target=lambda: answers.append(_wrong(folder, writes)), daemon=True)
    asking.start()
    asking.join(_ANSWER_S)
    wrong = answers[0] if answers else f"The folder {folder} does not respond."
    if wrong:
        raise PochboardError(wrong)
    return f"{folder} can be used."


def _wrong(folder: Path, writes: bool) -> str:
    """What is wrong with a folder; empty if nothing is."""
    try:
        if not folder.is_dir():
            return f"The folder {folder} is missing."
        mode = os.R_OK | os.X_OK | (os.W_OK if writes else 0)
        if not os.access(folder, mode, effective_ids=True):
            return f"This user has no access to {folder}."
        if writes and shutil.disk_usage(folder).free < _LEAST_BYTES:
            return f"The disk of {folder} is full."
    except OSError as error:
        return f"{folder} cannot be accessed: {error.strerror}."
    return ""


def _refused(config: SheetsTable, board: str) -> str:
    if board == "none" and config.to:
        return 'to is for a board, but board is "none"'
    if board != "none" and config.from_:
        return 'from is for a machine without a board: board = "none"'
    return ""


PART: Final = OptionalPart(
    SheetsTable,
    _made,
    _probes,
    fix="docs/COLLECTION.md says what it needs.",
    problem=lambda folder: folder.problem,
    refuse=_refused,
)
