"""The first light of a board that has one fault: the conversation names that fault and no other.

The board here is one of wires and pixels. A person answers by what there is to see and to hear of
it, and knows nothing of the fault.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import get_args

import pytest

from pochboard.buttons.press import CONTROLS, SEAT_BUTTONS
from pochboard.config import ColourOrder
from pochboard.ledger.entry import Cue
from pochboard.lights.first_light import (
    ABSENT,
    PLACES,
    SECTIONS,
    Ask,
    BoardUnderTest,
    Fault,
    frame_of,
    next_step,
    questions_of,
)
from pochboard.lights.lights_config import LightsConfig
from pochboard.messages import first_light as words
from pochboard.rules.accounts import POOLS

BUTTONS = (*POOLS, *SEAT_BUTTONS, *CONTROLS)
Spot = tuple[str, int]
"""A hole for a pixel: of which part, and which one clockwise from the top, or which place."""


class Built:
    """A board as somebody has soldered it, and as it behaves."""

    def __init__(self, ring: int = 12, places: int = 8) -> None:
        self.tested = BoardUnderTest(
            (*POOLS, *SEAT_BUTTONS[:places], *CONTROLS),
            LightsConfig(pixels_per_ring=ring, places=places),
        )
        self.rest = ""
        self.wires: dict[str, list[str]] = {button: [button] for button in self.tested.buttons}
        self.chain: list[Spot] = [(pool, n) for pool in POOLS for n in range(ring)]
        self.chain += [(PLACES, n) for n in range(places)]
        self.spots = [*self.chain]
        self.order: ColourOrder = "RGB"
        self.bytes_per_pixel = 3
        self.broken: set[Spot] = set()
        self.told: dict[str, str] = {
            "full": "white", "count": "yes", "display": "yes", "sound": "rising", "powered": "yes",
        }  # fmt: skip
        """What people find where it takes more than a look at the pixels."""

    def light(self, frame: bytes) -> dict[Spot, str]:
        """How each pixel looks: a letter for each colour that it shines in, or "" if dark."""
        size = self.bytes_per_pixel
        letters = {3: self.order, 4: f"{self.order}W"}[size]
        seen = dict.fromkeys(self.spots, "")
        for number, spot in enumerate(self.chain):
            sent = frame[size * number : size * (number + 1)]
            colours = {letter for letter, level in zip(letters, sent, strict=False) if level}
            seen[spot] = "" if spot in self.broken else "".join(sorted(colours))
        return seen

    def answer(self, ask: Ask) -> str:
        """What a person says, or what the board has heard."""
        if ask.listens:
            return self.rest if ask.kind == "rest" else " ".join(self.wires[ask.part])
        if ask.kind in self.told:
            return self.told[ask.kind]
        seen = self.light(frame_of(ask, self.tested))
        return LOOK[ask.kind](ask, seen)


def colour(_: Ask, seen: Mapping[Spot, str]) -> str:
    looks = set(seen.values())
    if len(looks) == 1:
        return {"R": "red", "G": "green", "B": "blue", "": "dark"}.get(looks.pop(), "mixed")
    return "mixed" if len(looks - {""}) > 1 else "some"


def where(_: Ask, seen: Mapping[Spot, str]) -> str:
    return next(part for (part, _), look in seen.items() if not look)


def lit_clockwise(ask: Ask, seen: Mapping[Spot, str]) -> str:
    looks = [look for (part, _), look in seen.items() if part == ask.part]
    return str(looks.index(""))


def behind(_: Ask, seen: Mapping[Spot, str]) -> str:
    dark = where(_, seen)
    parts = [*POOLS, PLACES]
    after = parts[parts.index(dark) + 1 :]
    return "yes" if any(look for (part, _), look in seen.items() if part in after) else "no"


def ring(ask: Ask, seen: Mapping[Spot, str]) -> str:
    lit = [spot for spot, look in seen.items() if look]
    if lit[0][0] != ask.part:
        return lit[0][0]
    numbers = {n for _, n in lit}
    size = max(n for part, n in seen if part == ask.part) + 1
    if numbers == set(range(len(lit))):
        return "yes"
    return "reversed" if numbers == {-n % size for n in range(len(lit))} else "turned"


def place(ask: Ask, seen: Mapping[Spot, str]) -> str:
    [(part, number)] = [spot for spot, look in seen.items() if look]
    assert part == PLACES
    return "yes" if f"seat{number + 1}" == ask.part else f"seat{number + 1}"


LOOK: dict[str, Callable[[Ask, Mapping[Spot, str]], str]] = {
    "red": colour, "green": colour, "where": where, "lit": lit_clockwise, "behind": behind,
    "ring": ring, "place": place,
}  # fmt: skip


def conversation(board: Built) -> tuple[Fault | None, dict[str, str]]:
    """Holds the conversation to its end."""
    answers: dict[str, str] = {}
    for _ in range(100):
        step = next_step(answers, board.tested)
        if not isinstance(step, Ask):
            return step, answers
        said = board.answer(step)
        assert step.listens or said in {*step.choices, *step.picks}, f"{said} to {step.name}"
        answers[step.name] = said
    raise AssertionError("it does not end")


def rewired(board: Built, **wires: str) -> None:
    for button, heard in wires.items():
        board.wires[button] = heard.split()


def replugged(board: Built, *parts: str) -> None:
    """The rings are connected in this order."""
    own = {part: [spot for spot in board.spots if spot[0] == part] for part in (*POOLS, PLACES)}
    board.chain = [spot for part in parts for spot in own[part]]


def turned(board: Built, pool: str, places: Callable[[int], int]) -> None:
    """The pixels of a ring are in these of its holes."""
    board.chain = [(part, places(n) % 12 if part == pool else n) for part, n in board.chain]


def swapped_rings(board: Built) -> None:
    replugged(
        board, *("king" if p == "ace" else "ace" if p == "king" else p for p in POOLS), PLACES
    )


def cycled_rings(board: Built) -> None:
    order = ("queen", "ace", "king", *POOLS[3:], PLACES)
    replugged(board, *order)


def skipped_ring(board: Built) -> None:
    replugged(board, *(pool for pool in POOLS if pool != "jack"), PLACES)


def shifted_places(board: Built) -> None:
    for n in range(8):
        board.wires[f"seat{n + 1}"] = [f"seat{(n + 3) % 8 + 1}"]


def mirrored_places(board: Built) -> None:
    for n in range(8):
        board.wires[f"seat{n + 1}"] = [f"seat{8 - n}"]


def mirrored_lights(board: Built) -> None:
    board.chain = [(part, 7 - n if part == PLACES else n) for part, n in board.chain]


def shifted_lights(board: Built) -> None:
    board.chain = [(part, (n + 1) % 8 if part == PLACES else n) for part, n in board.chain]


def swapped_lights(board: Built) -> None:
    swap = {4: 5, 5: 4}
    board.chain = [(part, swap.get(n, n) if part == PLACES else n) for part, n in board.chain]


def with_(**values: object) -> Callable[[Built], None]:
    def change(board: Built) -> None:
        for name, value in values.items():
            assert hasattr(board, name)
            setattr(board, name, value)

    return change


def told(**answers: str) -> Callable[[Built], None]:
    return lambda board: board.told.update(answers)


def wired(**wires: str) -> Callable[[Built], None]:
    return lambda board: rewired(board, **wires)


SEATS = SEAT_BUTTONS
FAULTS: dict[str, tuple[Callable[[Built], None], Fault]] = {
    "a button is always pressed": (
        with_(rest="=queen"), Fault("closed", ("queen",), section="contacts")),
    "a wire touches ground now and then": (
        with_(rest="ten ten poch ten"), Fault("flickers", ("ten",), 4, section="contacts")),
    "the ground of the buttons is open": (
        with_(wires={button: [] for button in BUTTONS}), Fault("no-ground", section="contacts")),
    "one button is not connected": (
        wired(jack=""), Fault("silent", ("jack",), section="contacts")),
    "a piece of ground is open": (
        wired(seat3="", seat4=""), Fault("silent-several", ("seat3", "seat4"), section="contacts")),
    "two buttons touch": (
        wired(ace="ace king", king="king ace"),
        Fault("touching", ("ace", "king"), section="contacts")),
    "two buttons are swapped": (
        wired(marriage="sequence", sequence="marriage"),
        Fault("buttons-swapped", ("marriage", "sequence"), section="contacts")),
    "two buttons are on one pin": (
        wired(undo="next"), Fault("joined", ("undo", "next"), section="contacts")),
    "the places begin elsewhere": (
        shifted_places, Fault("buttons-rotated", SEATS, 3, section="contacts")),
    "the places run the other way": (
        mirrored_places, Fault("buttons-reversed", SEATS, section="contacts")),
    "three buttons are mixed up": (
        wired(ace="king", king="queen", queen="ace"),
        Fault("buttons-permuted", ("ace", "king", "queen"), section="contacts")),
    "a button bounces": (
        wired(poch="poch poch poch"), Fault("bounces", ("poch",), 3, section="contacts")),
    "no data arrive": (
        with_(chain=[], told={"powered": "yes"}),
        Fault("no-data", number=1, section="chain")),
    "no 5 V arrive": (
        with_(chain=[], told={"powered": "no"}),
        Fault("no-power", number=1, section="chain")),
    "the fuse of the second branch has blown": (
        with_(chain=[(pool, n) for pool in POOLS[:3] for n in range(12)], told={"powered": "no"}),
        Fault("no-power", ("jack",), 37, section="chain")),
    "the 37th pixel gets no data": (
        lambda board: board.chain.__delitem__(slice(36, None)),
        Fault("ends-before", ("jack",), 37, section="chain")),
    "the chain ends within a ring": (
        lambda board: board.chain.__delitem__(slice(29, None)),
        Fault("ends-inside", ("queen",), 30, section="chain")),
    "one pixel is broken": (
        with_(broken={("ten", 4)}), Fault("pixel", ("ten",), 53, section="chain")),
    "a ring was left out": (
        skipped_ring, Fault("skipped", ("jack",), 37, section="chain")),
    "the light flickers": (
        told(red="unsteady"), Fault("unsteady", section="chain")),
    "green comes first": (
        with_(order="GRB"), Fault("order", order="GRB", section="chain")),
    "blue comes first": (
        with_(order="BRG"), Fault("order", order="BRG", section="chain")),
    "the pixels have a white of their own": (
        with_(bytes_per_pixel=4), Fault("kind", section="chain")),
    "two rings are swapped": (
        swapped_rings, Fault("rings-swapped", ("ace", "king"), section="chain")),
    "three rings are mixed up": (
        cycled_rings, Fault("rings-permuted", ("ace", "king", "queen"), section="chain")),
    "a ring runs anticlockwise": (
        lambda board: turned(board, "poch", lambda n: -n),
        Fault("reversed", ("poch",), section="chain")),
    "a ring does not begin at its top": (
        lambda board: turned(board, "pinke", lambda n: n + 3),
        Fault("turned", ("pinke",), section="chain")),
    "the lights of the places run the other way": (
        mirrored_lights, Fault("lights-reversed", SEATS, section="chain")),
    "the lights of the places begin elsewhere": (
        shifted_lights, Fault("lights-rotated", SEATS, 1, section="chain")),
    "the lights of two places are swapped": (
        swapped_lights, Fault("lights-swapped", ("seat5", "seat6"), section="chain")),
    "the wires are too thin": (
        told(full="fades", supply="yes"), Fault("thin-wires", section="brightness")),
    "the supply sags": (
        told(full="fades", supply="no"), Fault("sagging-supply", section="brightness")),
    "the supply is too weak": (
        told(full="restarts"), Fault("weak-supply", section="brightness")),
    "light leaks to the neighbour": (
        told(count="leaks"), Fault("leaking", section="brightness")),
    "the display has no contact": (
        told(display="dark"), Fault("display-dark", section="display")),
    "the display is disturbed": (
        told(display="garbled"), Fault("display-garbled", section="display")),
    "the piezo has an oscillator": (
        told(sound="same"), Fault("sound-same", section="sound")),
    "the piezo is a magnetic buzzer": (
        told(sound="faint"), Fault("sound-faint", section="sound")),
    "the piezo is not connected": (
        told(sound="none"), Fault("sound-none", section="sound")),
}  # fmt: skip


@pytest.mark.parametrize("name", FAULTS)
def test_each_fault_is_named_as_itself(name: str) -> None:
    inject, fault = FAULTS[name]
    board = Built()
    inject(board)
    assert conversation(board)[0] == fault


@pytest.mark.parametrize(("ring", "places"), [(12, 8), (16, 6), (8, 4), (4, 3)])
def test_a_board_without_a_fault_is_right_and_every_part_was_asked_for(
    ring: int, places: int
) -> None:
    board = Built(ring, places)
    fault, answers = conversation(board)
    assert fault is None
    asked = {name.split()[-1] for name in answers}
    assert {*board.tested.buttons, "rest", "full", "count", "display", "sound"} <= asked


def test_every_question_and_every_fault_has_its_words() -> None:
    board = Built()
    asked = {name.partition(" ")[0] for name in conversation(board)[1]}
    for inject, fault in FAULTS.values():
        broken = Built()
        inject(broken)
        asked |= {name.partition(" ")[0] for name in conversation(broken)[1]}
        assert fault.cause in words.FAULTS
    assert asked == set(words.ASKS)
    assert set(words.SECTIONS) == set(SECTIONS)
    assert set(words.TUNES) == set(get_args(Cue)) | {"refused", "volume"}


def test_a_section_that_is_not_built_yet_is_left_out() -> None:
    board = Built()
    answers = {"rest": "", "press ace": ABSENT}
    step = next_step(answers, board.tested)
    assert (step and step.section) == "chain"
    assert questions_of("contacts", answers, board.tested) == ["rest", "press ace"]
