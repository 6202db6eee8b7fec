"""A display's controller as seen from the bus, according to its data sheet."""

from __future__ import annotations


class DisplayChip:
    """An SSD1306. Its memory starts with noise."""

    def __init__(self) -> None:
        self.memory = bytearray(b"\xa5" * 1024)
        self.is_on = False
        self.contrast = 0x7F
        self._band = self._column = 0
        self._pages = False

    @property
    def seen(self) -> bytes:
        """What somebody would see: nothing while it is off."""
        return bytes(self.memory) if self.is_on else bytes(1024)

    def write(self, data: bytes) -> None:
        """A transfer on the bus: the first byte says whether commands or data follow."""
        if data[0] == 0x40:
            for byte in data[1:]:
                assert self._column < 128, "in this mode the column does not leave its band"
                self.memory[128 * self._band + self._column] = byte
                self._column += 1
            return
        assert data[0] == 0x00, data[0]
        commands = list(data[1:])
        while commands:
            self._command(commands.pop(0), commands)

    def _command(self, command: int, more: list[int]) -> None:
        if command in (0xAE, 0xAF):
            assert self._pages or command == 0xAE, "it was not prepared"
            self.is_on = command == 0xAF
        elif command == 0x20:
            self._pages = more.pop(0) == 2
        elif command == 0x81:
            self.contrast = more.pop(0)
        elif command in (0xD5, 0xA8, 0xD3, 0x8D, 0xDA, 0xD9, 0xDB):
            more.pop(0)
        elif 0xB0 <= command <= 0xB7:
            self._band = command & 7
        elif command < 0x10:
            self._column = self._column & 0xF0 | command
        elif command < 0x20:
            self._column = self._column & 0x0F | (command & 0x0F) << 4
        else:
            assert command in (0x40, 0xA1, 0xC8, 0xA4, 0xA6), hex(command)
