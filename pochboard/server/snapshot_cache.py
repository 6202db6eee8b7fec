"""The JSON of snapshots and frames, made once however many clients want it."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import Final

import msgspec

from pochboard.lights.display import DisplayConfig
from pochboard.lights.frame import Frame, hex_colours
from pochboard.server.responses import FrameEvent
from pochboard.server.serializers import state_answer
from pochboard.table.records import Snapshot

_KEPT: Final = 32


class SnapshotCache:
    """Encodes each revision once for those that are paired and once for those that are not."""

    def __init__(self, look: DisplayConfig) -> None:
        self._look = look
        self._lock = threading.Lock()
        self._states: OrderedDict[tuple[int, bool], bytes] = OrderedDict()
        self._frame: tuple[Frame, bytes] | None = None

    def state(self, snapshot: Snapshot, *, paired: bool) -> bytes:
        """The JSON of a snapshot. From any thread."""
        key = snapshot.revision, paired
        with self._lock:
            known = self._states.get(key)
        if known is not None:
            return known
        made = msgspec.json.encode(state_answer(snapshot, self._look, paired=paired))
        with self._lock:
            self._states[key] = made
            while len(self._states) > _KEPT:
                self._states.popitem(last=False)
        return made

    def frame(self, frame: Frame) -> bytes:
        """The JSON of a frame."""
        known = self._frame
        if known is None or known[0] != frame:
            known = self._frame = frame, msgspec.json.encode(FrameEvent(hex_colours(frame)))
        return known[1]
