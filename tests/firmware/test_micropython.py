"""The firmware's logic on MicroPython with 32-bit words, the dialect that CircuitPython shares."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from pochboard.boards.pico.firmware_installer import write_firmware
from tests.core.wire.test_wire import EXAMPLES, documented

RUNNER = Path(__file__).with_name("micropython.mjs")
README = Path(__file__).parents[2] / "firmware" / "README.md"
MOST_BYTES = 60_000


@pytest.fixture(scope="module")
def drive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("drive")
    write_firmware(folder)
    return folder


def run(drive: Path, *programs: str) -> list[str]:
    """The output of the programs on MicroPython, one by one."""
    done = subprocess.run(
        ["node", RUNNER, drive],
        input=json.dumps(programs),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_protocol_matches_the_documented_examples(drive: Path) -> None:
    examples = [(message, sent) for _, message, sent in documented()]
    assert len(examples) == len(EXAMPLES)
    program = f"""
from pochboard import wire
for message, sent in {examples!r}:
    assert wire.line(message) == sent, message
    assert wire.LineReader().feed(sent) == [message], message
    fields = wire.unpack(message)
    again = wire.pack(*fields)
    if fields[0] == wire.BOARD:
        again += wire.edges_data(wire.edges_of(message))
    elif fields[0] == wire.TUNE:
        again += wire.notes_data(wire.notes_of(message))
    else:
        again += wire.data_of(message)
    assert again == message, (again, message)
    print(wire.version_of(message))
"""
    assert run(drive, program) == [str({0x10: 1, 0x90: 1}.get(one[0])) for one, _ in examples]


TALK = """
from firmware.link import DARK, LIT, SILENT, Link
from firmware.selftest import SelfTest
from firmware.show import Show
from pochboard import wire

def said(link):
    data = link.waiting()
    link.sent(len(data))
    return [wire.unpack(message)[:4] for message in wire.LineReader().feed(data)]

number, boot, now = 0xF441AABB, 0xF0C0FFEE, (1 << 29) - 1000
about = 0, 1, 0, 0, 0xE6614C311B7D7A2F, 12, 3
host = wire.pack(wire.HOST, wire.VERSION, number, 12, 8, 3000, 3, 8, 2)
link, show = Link(boot, about, now), Show(3000)
print(len(show.next(link.state, link.layout, link.frame, now)))
link.tick(now)
print(said(link) == [(wire.BOARD, 1, boot, 0)])
link.receive(wire.line(host), now)
link.tick(now)
print(said(link) == [(wire.BOARD, 1, boot, number)])
show.next(link.state, link.layout, link.frame, now)
link.receive(wire.line(wire.pack(wire.PIXELS, 1) + b"\\xff" * 348), now)
light = show.next(link.state, link.layout, link.frame, now)
print(sum(light) * 55 // 765 + 116)
for tap in range(20):
    link.edge(9, True, now)
    link.edge(9, False, now)
link.tick(now)
message, = wire.LineReader().feed(link.waiting())
print(wire.unpack(message)[23], len(wire.edges_of(message)))
said(link)
for passed in range(2001):
    link.tick((now + passed) % (1 << 29))
    last = said(link) or last
print(link.state == SILENT, last == [(wire.BOARD, 1, boot, 0)])
light = show.next(link.state, link.layout, link.frame, 1000)
print(sum(light[:-24]), max(light) > 0)
link.receive(wire.line(wire.pack(wire.HOST, wire.VERSION, 0, 12, 8, 3000, 3, 8, 2)), 1000)
print(link.state == DARK)
test = SelfTest(link.layout, 0)
test.edge(9, True, 0)
print(len(test.frame(20)), test.over)
"""


def test_firmware_runs_on_micropython(drive: Path) -> None:
    assert run(drive, "last = []", TALK) == [
        str(4 * 584),
        "True",
        "True",
        # At the limit of 3000 mA, except for the rounding to whole levels.
        "2993",
        "20 32",
        "True True",
        "0 True",
        "True",
        "348 False",
    ]


BUSY = """
def busy(ring):
    link, show = Link(0xF0C0FFEE, (0, 1, 0, 0, 0xE6614C311B7D7A2F, 12, 3), 0), Show(3000)
    pixels = 9 * ring + 8
    host = wire.pack(wire.HOST, wire.VERSION, 0xF441AABB, ring, 8, 3000, 3, 8, 2)
    link.receive(wire.line(host), 0)
    frame = wire.line(wire.pack(wire.PIXELS, 1) + b"\\xff" * 3 * pixels)
    # One frame is shown, and nearly all of the next one has come.
    link.receive(frame + frame[:-1], 0)
    for number in range(128):
        link.edge(number // 2 % 19, number % 2 == 0, (1 << 29) - 130 + number)
    link.sent(len(link.waiting()))
    link.tick(1)
    while show.next(link.state, link.layout, link.frame, 0) is not None:
        pass
    assert link.frame is not None and len(link.waiting()) > 150
    return link, show
"""


def test_code_and_buffers_fit_into_60_kb(drive: Path) -> None:
    imports = (
        "from pochboard import wire\nfrom firmware.link import Link\n"
        "from firmware.show import Show\nfrom firmware.selftest import SelfTest\n"
        "from firmware.oled import Oled\nfrom firmware.buzzer import Buzzer"
    )
    told = run(
        drive,
        "before = 0",
        "before = gc.mem_alloc()",
        imports,
        "print(gc.mem_alloc() - before)",
        BUSY,
        "before = gc.mem_alloc()",
        "kept = busy(12)",
        "print(gc.mem_alloc() - before)",
        "kept = None",
        "kept = busy(64)",
        "print(gc.mem_alloc() - before)",
        "print(sys.maxsize)",
    )
    code, small, large, word = map(int, told)
    assert word == 2**31 - 1
    print(f"Bytes: code {code}, 116 pixels {small}, 584 pixels {large}")
    assert 0 < small < large
    assert code + large < MOST_BYTES
    said = " ".join(README.read_text().split())
    for bytes_, what in (
        (code, "The code takes"),
        (small, "almost received, take"),
        (large, "116 pixels and"),
    ):
        assert f"{what} {round(bytes_ / 1000)} kB" in said
