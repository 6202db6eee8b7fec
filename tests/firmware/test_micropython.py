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
    assert wire.frame(message) == sent, message
    assert wire.FrameDecoder().feed(sent) == [message], message
    fields = wire.unpack(message)
    if fields[0] == wire.PIXELS:
        again = wire.pack_pixels(fields[1], wire.pixels_of(message))
    elif fields[0] in (wire.BAND, wire.TUNE):
        again = wire.pack(*fields) + wire.data_of(message)
    elif fields[0] == wire.EDGES:
        again = wire.pack_edges(*fields[1:], wire.edges_of(message))
    else:
        again = wire.pack(*fields)
    assert again == message, (again, message)
    print(wire.version_of(message))
"""
    told = run(drive, program)
    assert told == ["2", "2", *["None"] * (len(examples) - 2)]


def test_long_and_damaged_frames_behave_as_on_the_host(drive: Path) -> None:
    program = """
from pochboard import wire
for size in (1, 249, 250, 251, 253, 254, 255, 505, 508, 1000, wire.MAX_MESSAGE):
    for byte in (0, 1, 255):
        message = bytes([byte]) * size
        sent = wire.frame(message)
        frames = wire.FrameDecoder()
        assert frames.feed(sent[:3]) == []
        assert frames.feed(sent[3:]) == [message]
        broken = bytearray(sent)
        broken[size // 2] ^= 1
        assert message not in frames.feed(bytes(broken))
        assert frames.feed(wire.END + sent) == [message]
assert wire.ticks_between(wire.TICKS - 1, 1) == 2
print("as on the host")
"""
    assert run(drive, program) == ["as on the host"]


SESSION = """
from firmware.session import DARK, LIT, SILENT, Greeting, Session
from firmware.selftest import SelfTest
from firmware.show import Show
from pochboard import wire

def answers(session):
    data = session.waiting()
    session.sent(len(data))
    return [wire.unpack(message)[:3] for message in wire.FrameDecoder().feed(data)]

host, number, now = 0xF441AABB, 0xF0C0FFEE, (1 << 29) - 1000
hello = wire.pack(wire.HELLO, 2, host, 12, 8, 3000, 3, 8)
session, show = Session(number, Greeting((0, 1, 0), id_=0xE6614C311B7D7A2F), now), Show(3000)
print(len(show.next(session.state, session.layout, session.frame, now)))
session.receive(wire.frame(wire.pack(wire.BEAT, host)), now)
print(answers(session) == [(wire.GREETING, 2, 0)])
session.receive(wire.frame(hello), now)
print(answers(session) == [(wire.GREETING, 2, host)])
show.next(session.state, session.layout, session.frame, now)
session.receive(wire.frame(wire.pack_pixels(1, b"\\xff" * 348)), now)
light = show.next(session.state, session.layout, session.frame, now)
session.shown()
print(answers(session) == [(wire.SHOWN, number, 1)], sum(light) * 55 // 765 + 116)
for tap in range(5):
    session.edge(9, True, now)
    session.edge(9, False, now)
session.tick(now)
print(answers(session) == [(wire.EDGES, number, 1)])
session.receive(wire.frame(wire.pack(wire.SEEN, number, 8)), now)
session.tick(now)
print(answers(session) == [(wire.EDGES, number, 9)])
for passed in range(2001):
    session.tick((now + passed) % (1 << 29))
    answers(session)
print(session.state == SILENT, session.number == number + 1, session.dropped)
light = show.next(session.state, session.layout, session.frame, 1000)
print(sum(light[:-24]), max(light) > 0)
session.receive(wire.frame(wire.pack(wire.BYE, host)), 1000)
print(session.state == DARK)
test = SelfTest(session.layout, 0)
test.edge(9, True, 0)
print(len(test.frame(20)), test.over)
"""


def test_session_runs_on_micropython(drive: Path) -> None:
    assert run(drive, SESSION) == [
        str(4 * 584),
        "True",
        "True",
        # At the limit of 3000 mA, except for the rounding to whole levels.
        "True 2993",
        "True",
        "True",
        "True True 2",
        "0 True",
        "True",
        "348 False",
    ]


BUSY = """
def busy(ring):
    session, show = Session(0xF0C0FFEE, Greeting((0, 1, 0), id_=0xE6614C311B7D7A2F), 0), Show(3000)
    pixels = 9 * ring + 8
    session.receive(wire.frame(wire.pack(wire.HELLO, 2, 0xF441AABB, ring, 8, 3000, 3, 8)), 0)
    frame = wire.frame(wire.pack_pixels(1, b"\\xff" * 3 * pixels))
    # One frame is shown, and nearly all of the next one has come.
    session.receive(frame + frame[:-1], 0)
    for number in range(128):
        session.edge(number // 2 % 19, number % 2 == 0, (1 << 29) - 130 + number)
    session.sent(len(session.waiting()))
    session.tick(1)
    while show.next(session.state, session.layout, session.frame, 0) is not None:
        pass
    assert session.dropped == 0 and len(session.waiting()) > 50
    return session, show
"""


def test_code_and_buffers_fit_into_60_kb(drive: Path) -> None:
    imports = (
        "from pochboard import wire\nfrom firmware.session import Greeting, Session\n"
        "from firmware.show import Show\nfrom firmware.selftest import SelfTest\n"
        "from firmware.oled import Oled\n"
        "from firmware.buzzer import Buzzer"
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
