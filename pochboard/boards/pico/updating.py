"""Sends a new firmware to a board over its serial line (PROTOCOL.md 6)."""

from __future__ import annotations

import secrets
import select
import time
from binascii import crc32
from collections.abc import Callable, Mapping
from typing import Final, Self

import msgspec

from pochboard import wire
from pochboard.boards.pico.greeting import Firmware, Layout, firmware_of, pack_hello
from pochboard.boards.pico.lines import Line, open_line
from pochboard.boards.pico.ports import Port, no_answer_problem, open_problem, unusable_problem
from pochboard.errors import PochboardError
from pochboard.text.lazy import lazy_gettext, lazy_text

_BLOCK: Final = 512
_AGAIN_S: Final = 0.5
"""An unanswered message is sent again after this time; storing a block can take some 100 ms."""
ANSWER_S: Final = 15.0
"""How long to wait for an answer."""
RESET_S: Final = 1.0
"""How long after its last answer the port of the board has certainly disappeared."""
RESTART_S: Final = 40.0
"""How long the board may take to restart, with attempts that fail."""
_UNPLUGGED: Final = "The board was unplugged. It keeps the firmware it has."
_BY_DRIVE: Final = lazy_gettext(
    "Hold its “next” button while you plug it in, then run pochboard firmware install."
)


class UpdateError(PochboardError, RuntimeError):
    """The firmware could not be updated. The board keeps the one it has."""


class Updated(msgspec.Struct, frozen=True):
    """The result of an update."""

    board: Firmware
    """The board, with the new firmware."""
    before: tuple[int, int, int]
    files: int
    """How many files were sent."""


def update_firmware(
    ports: Callable[[], list[Port]],
    layout: Layout,
    files: Mapping[str, bytes],
    version: tuple[int, int, int],
    *,
    last: str,
    force: bool = False,
) -> Updated:
    """Sends these files, `last` at the end, and waits until the board runs them.

    `version` is theirs. Sends nothing if the board has it already, unless forced. Raises
    UpdateError.
    """
    with _OpenLine.open(ports, layout) as line:
        before = line.firmware
        if before.version == version and not force:
            return Updated(before, version, 0)
        if not before.capabilities & wire.UPDATE:
            raise UpdateError(
                lazy_gettext(
                    "This board cannot be updated over the line. {by_drive}", by_drive=_BY_DRIVE
                )
            )
        try:
            for name in sorted(files, key=lambda name: (name == last, name)):
                line.send_file(name, files[name])
        except OSError:
            raise UpdateError(_UNPLUGGED) from None
        line.switch(len(files))
    after = _wait_for_restart(ports, layout, before)
    if after.version != version:
        raise UpdateError(
            lazy_gettext(
                "The new firmware did not start, so the board has returned to version {version}."
                " {by_drive}",
                version=_dotted(after.version),
                by_drive=_BY_DRIVE,
            )
        )
    return Updated(after, before.version, len(files))


def _dotted(version: tuple[int, int, int]) -> str:
    return ".".join(map(str, version))


def _wait_for_restart(
    ports: Callable[[], list[Port]], layout: Layout, before: Firmware
) -> Firmware:
    """The board after its restart. Raises UpdateError."""
    until_s = time.monotonic() + RESTART_S
    why: Exception | None = None
    time.sleep(RESET_S)
    while time.monotonic() < until_s:
        try:
            with _OpenLine.open(ports, layout, patience_s=_AGAIN_S) as line:
                if line.firmware.id == before.id:
                    return line.firmware
        except (UpdateError, OSError) as error:
            why = error
        time.sleep(0.2)
    raise UpdateError(
        lazy_gettext(
            "The board has not come back after the update. {why} {by_drive}",
            why=lazy_text(why) if why else "",
            by_drive=_BY_DRIVE,
        )
    )


class _OpenLine:
    """The open line to a board that has been greeted."""

    def __init__(self, port: Line, device: str) -> None:
        self._port = port
        self._device = device
        self._host = secrets.randbelow(0xFFFF_FFFF) + 1
        self._frames = wire.FrameDecoder()
        self._come: list[bytes] = []
        self.firmware = Firmware((0, 0, 0), 0, 0)

    @classmethod
    def open(
        cls, ports: Callable[[], list[Port]], layout: Layout, *, patience_s: float = ANSWER_S
    ) -> Self:
        """The line to the first usable board. Raises UpdateError."""
        picos = ports()
        usable = [port for port in picos if port.usable]
        if not usable:
            raise UpdateError(unusable_problem(picos).text)
        if len(usable) > 1:
            boards = ", ".join(f"{port.device} ({port.id})" for port in usable)
            raise UpdateError(
                lazy_gettext(
                    "There are {count} boards: {boards}. Unplug the others, or set id in [pico] of"
                    " config.toml.",
                    count=len(usable),
                    boards=boards,
                )
            )
        device = usable[0].device
        try:
            port = open_line(usable[0])
        except OSError as error:  # a SerialException is one
            raise UpdateError(open_problem(device, error).text) from None
        line = cls(port, device)
        try:
            line._greet(layout, patience_s)
        except BaseException:
            port.close()
            raise
        return line

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._port.close()

    def _greet(self, layout: Layout, patience_s: float) -> None:
        """Says hello until a greeting answers it. Raises UpdateError."""
        until_s = time.monotonic() + patience_s
        hello = wire.END + wire.frame(pack_hello(wire.VERSION, self._host, layout))
        while time.monotonic() < until_s:
            self._write(hello)
            for message in self._read(0.25):
                fields = wire.unpack(message)
                if fields is None or fields[0] != wire.GREETING:
                    continue
                if fields[2] == self._host:
                    self.firmware = firmware_of(fields)
                    return
                if fields[1] != wire.VERSION:
                    raise UpdateError(
                        lazy_gettext(
                            "This firmware is too old to be updated. {by_drive}", by_drive=_BY_DRIVE
                        )
                    )
        raise UpdateError(no_answer_problem(self._device).text)

    def send_file(self, name: str, content: bytes) -> None:
        """Sends a file, and has the board compare its checksum. Raises UpdateError."""
        crc = crc32(content) & 0xFFFFFFFF
        answer = self.ask(wire.pack(wire.FILE, len(content), crc) + name.encode())
        while answer[1] == wire.READY:
            at = answer[2]
            answer = self.ask(wire.pack(wire.DATA, at) + content[at : at + _BLOCK])
        if answer[1] != wire.STORED:
            raise UpdateError(
                lazy_gettext(
                    "The board could not store {name}: its drive is full or damaged. {by_drive}",
                    name=name,
                    by_drive=_BY_DRIVE,
                )
            )

    def switch(self, files: int) -> None:
        """Has the board restart with the new firmware. Raises UpdateError."""
        try:
            answer = self.ask(wire.pack(wire.SWITCH, files))
        except (UpdateError, OSError):
            # The answer was lost, so the board may have restarted already. Its version will tell.
            return
        if answer[1] != wire.STORED:
            raise UpdateError(lazy_gettext("The board has not received all files. Try again."))

    def ask(self, message: bytes) -> tuple[int, ...]:
        """The progress that answers a message. Raises UpdateError."""
        until_s = time.monotonic() + ANSWER_S
        while time.monotonic() < until_s:
            # A late answer belongs to an earlier message.
            self._read(0)
            self._write(wire.frame(message))
            again_s = time.monotonic() + _AGAIN_S
            while (left := again_s - time.monotonic()) > 0:
                for answer in self._read(left):
                    fields = wire.unpack(answer)
                    if fields is not None and fields[0] == wire.PROGRESS:
                        return fields
        raise UpdateError(
            lazy_gettext("The board no longer answers. It keeps the firmware it has.")
        )

    def _write(self, data: bytes) -> None:
        until_s = time.monotonic() + ANSWER_S
        while data or self._port.is_waiting:
            wants_to = self._port.is_waiting or self._port.is_ready
            readable, writable, _ = select.select(
                [self._port], [self._port] if wants_to else [], [], 1.0
            )
            if readable:
                self._come += self._frames.feed(self._port.read())
            if writable:
                data = data[self._port.write(data) :]
            if time.monotonic() >= until_s:
                raise UpdateError(
                    lazy_gettext("The board accepts no data. It keeps the firmware it has.")
                )

    def _read(self, wait_s: float) -> list[bytes]:
        """The messages that have arrived. Waits, but only for the first byte."""
        if not self._come and select.select([self._port], [], [], wait_s)[0]:
            self._come += self._frames.feed(self._port.read())
        come, self._come = self._come, []
        return come
