"""The first light of a board: what a builder is asked, and the one fault that the answers name.

Each section is a conversation, written as it is held: it yields a question, gets the answer, and
returns the fault that it has found, if any. Nothing is kept but the answers, from which the
conversation is held again: the contacts first, then the chain of pixels, its brightness, the
display, the sound. The next section is asked about only when the one before is right.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from typing import Final, Literal, get_args

import msgspec

from pochboard.buttons.press import CONTROLS
from pochboard.config import ColourOrder
from pochboard.lights.frame import BLUE, RED, WHITE, Frame
from pochboard.lights.lights_config import LightsConfig, dark_frame, lit, part_pixels
from pochboard.lights.render import Scene, render
from pochboard.rules.accounts import POOLS
from pochboard.rules.ruleset_files import shipped_rulesets
from pochboard.rules.state import State

GREEN: Final = "#00ff00"
PLACES: Final = "places"
ABSENT: Final = "absent"
"""The answer that leaves a section out, because that part is not built yet."""
CLOSED: Final = "="
"""Before the name of a button whose contact was closed at rest."""
COUNTS: Final = (1, 5, 12, 14, 23, 25, 37, 49, 62)
"""The chips on each ring while people read counts."""


class Ask(msgspec.Struct, frozen=True):
    """A question. `name` is its kind, and then the part that it is about, if any."""

    name: str
    choices: tuple[str, ...] = ()
    listens: bool = False
    """The board answers: with the buttons that were heard, separated by spaces."""
    picks: tuple[str, ...] = ()
    """The parts of the picture that may be tapped instead."""
    section: str = ""

    @property
    def kind(self) -> str:
        """What is asked."""
        return self.name.partition(" ")[0]

    @property
    def part(self) -> str:
        """The part that it is about, or ""."""
        return self.name.partition(" ")[2]


class Fault(msgspec.Struct, frozen=True):
    """What is wrong: one cause."""

    cause: str
    parts: tuple[str, ...] = ()
    """The buttons, pools or places, the one that was asked for first."""
    number: int = 0
    """The pixel in the chain, counted from 1; by how many places; or how often a contact moved."""
    order: ColourOrder | None = None
    """That the pixels expect, where that is the cause."""
    section: str = ""


class BoardUnderTest(msgspec.Struct, frozen=True):
    """The board that is tested, as it is configured."""

    buttons: tuple[str, ...]
    lights: LightsConfig
    order: ColourOrder = "RGB"

    @property
    def places(self) -> tuple[str, ...]:
        """The places by the names of their buttons."""
        return tuple(f"seat{place}" for place in range(1, self.lights.places + 1))


Answers = Mapping[str, str]
"""What was said, by the name of the question, in the order of the conversation."""
Talk = Generator[Ask, str, Fault | None]


def next_step(answers: Answers, board: BoardUnderTest) -> Ask | Fault | None:
    """The question that follows these answers, or the fault that they name; None if all is right.

    Answers to questions that no longer come up count for nothing.
    """
    for section in SECTIONS:
        asked, end = _hold(section, answers, board)
        if isinstance(end, Fault) or (end is None and asked[-1].name not in answers):
            return msgspec.structs.replace(end or asked[-1], section=section)
    return None


def questions_of(section: str, answers: Answers, board: BoardUnderTest) -> list[str]:
    """The names of a section's questions that these answers lead to."""
    return [ask.name for ask in _hold(section, answers, board)[0]]


def _hold(
    section: str, answers: Answers, board: BoardUnderTest
) -> tuple[list[Ask], Fault | Literal["right"] | None]:
    """The questions asked in a section, and its result; None if one is open or skipped."""
    conversation = SECTIONS[section](board)
    asked = [next(conversation)]
    try:
        while answers.get(asked[-1].name, ABSENT) != ABSENT:
            asked.append(conversation.send(answers[asked[-1].name]))
    except StopIteration as end:
        return asked, end.value or "right"
    return asked, None


# The sections.


def _contacts(board: BoardUnderTest) -> Talk:
    """First nobody touches the board, then each button is asked for."""
    rest = (yield Ask("rest", (ABSENT,), listens=True)).split()
    closed = tuple(name.removeprefix(CLOSED) for name in rest if name.startswith(CLOSED))
    if closed:
        return Fault("closed", closed)
    if rest:
        return Fault("flickers", (max(rest, key=rest.count),), len(rest))
    heard: dict[str, list[str]] = {}
    for button in board.buttons:
        ask = Ask(f"press {button}", ("silent", ABSENT), listens=True)
        said = (yield ask).split()
        heard[button] = [] if said == ["silent"] else said
    return _contact_fault(heard, board.places)


def _contact_fault(heard: Mapping[str, list[str]], places: Sequence[str]) -> Fault | None:
    silent = tuple(button for button, names in heard.items() if not names)
    if len(silent) == len(heard):
        return Fault("no-ground")
    for button, names in heard.items():
        if len(set(names)) > 1:
            other = next(name for name in names if name != button)
            return Fault("touching", (button, other))
    seen = {button: names[0] for button, names in heard.items() if names}
    taken = next((b for b in seen if seen[b] != b and seen.get(seen[b]) == seen[b]), None)
    if taken is not None:
        return Fault("joined", (taken, seen[taken]))
    moved = _moved(seen, places, "buttons")
    if moved is not None:
        return moved
    if silent:
        return Fault("silent" if len(silent) == 1 else "silent-several", silent)
    bouncing = max(heard, key=lambda button: len(heard[button]))
    times = len(heard[bouncing])
    return Fault("bounces", (bouncing,), times) if times > 1 else None


def _chain(board: BoardUnderTest) -> Talk:
    """The colours, how far the chain is lit, the order of its parts, and their direction."""
    red = yield Ask("red", ("red", "green", "blue", "mixed", "some", "dark", "unsteady", ABSENT))
    match red:
        case "dark":
            powered = yield Ask("powered", ("yes", "no"))
            return Fault("no-data" if powered == "yes" else "no-power", number=1)
        case "unsteady":
            return Fault("unsteady")
        case "mixed":
            return Fault("kind")
        case "some":
            return (yield from _partly(board))
        case _:
            pass
    green = yield Ask("green", ("red", "green", "blue"))
    if red == green:
        return Fault("same-colours")
    (blue,) = {"red", "green", "blue"} - {red, green}
    order = order_seen(board.order, {"red": red, "green": green, "blue": blue})
    if order != board.order:
        return Fault("order", order=order)
    seen = {}
    for pool in POOLS:
        others = (*(one for one in POOLS if one != pool), PLACES)
        said = yield Ask(f"ring {pool}", ("yes", "reversed", "turned"), picks=others)
        if said in ("reversed", "turned"):
            return Fault(said, (pool,))
        seen[pool] = pool if said == "yes" else said
    fault = _moved(seen, board.places, "rings")
    if fault is not None:
        return fault
    lights = {}
    for place in board.places:
        others = tuple(one for one in board.places if one != place)
        said = yield Ask(f"place {place}", ("yes",), picks=others)
        lights[place] = place if said == "yes" else said
    return _moved(lights, board.places, "lights")


def _partly(board: BoardUnderTest) -> Talk:
    """The whole chain should be lit, and only some of it is."""
    part = yield Ask("where", picks=(*POOLS, PLACES))
    pixels = part_pixels(board.lights, part)
    lit_there = int((yield Ask(f"lit {part}", tuple(map(str, range(len(pixels)))))))
    first_dark = pixels.start + lit_there + 1
    if part != PLACES and (yield Ask("behind", ("yes", "no"))) == "yes":
        return Fault("pixel" if lit_there else "skipped", (part,), first_dark)
    # A branch whose fuse has blown takes no data on either.
    if not lit_there and (yield Ask("powered", ("yes", "no"))) == "no":
        return Fault("no-power", (part,), first_dark)
    return Fault("ends-inside" if lit_there else "ends-before", (part,), first_dark)


def _brightness(_: BoardUnderTest) -> Talk:
    full = yield Ask("full", ("white", "fades", "restarts", "unsteady", ABSENT))
    match full:
        case "fades":
            supply = yield Ask("supply", ("yes", "no"))
            return Fault("thin-wires" if supply == "yes" else "sagging-supply")
        case "restarts":
            return Fault("weak-supply")
        case "unsteady":
            return Fault("unsteady")
        case _:
            pass
    read = yield Ask("count", ("yes", "leaks", "colours"))
    return None if read == "yes" else Fault("leaking" if read == "leaks" else "alike")


def _one_question(name: str, right: str, *wrong: str) -> Callable[[BoardUnderTest], Talk]:
    """A section that asks for one thing."""

    def talk(_: BoardUnderTest) -> Talk:
        seen = yield Ask(name, (right, *wrong, ABSENT))
        return None if seen == right else Fault(f"{name}-{seen}")

    return talk


SECTIONS: Final[Mapping[str, Callable[[BoardUnderTest], Talk]]] = {
    "contacts": _contacts,
    "chain": _chain,
    "brightness": _brightness,
    "display": _one_question("display", "yes", "dark", "garbled"),
    "sound": _one_question("sound", "rising", "same", "faint", "none"),
}


def _moved(seen: Mapping[str, str], places: Sequence[str], what: str) -> Fault | None:
    """What came instead of what was asked for, as one cause: swapped, turned, or reversed."""
    wrong = {asked: came for asked, came in seen.items() if asked != came}
    if not wrong:
        return None
    around = {place: seen.get(place, place) for place in places}
    if wrong.keys() <= set(places) and len(wrong) > 2:
        count = len(places)
        shifts = {(places.index(around[place]) - n) % count for n, place in enumerate(places)}
        if len(shifts) == 1:
            return Fault(f"{what}-rotated", tuple(places), shifts.pop())
        if len({(places.index(around[place]) + n) % count for n, place in enumerate(places)}) == 1:
            return Fault(f"{what}-reversed", tuple(places))
    asked = next(iter(wrong))
    if len(wrong) == 2 and set(wrong) == set(wrong.values()):
        return Fault(f"{what}-swapped", (asked, wrong[asked]))
    return Fault(f"{what}-permuted", tuple(wrong))


# What is lit.


def frame_of(ask: Ask, board: BoardUnderTest) -> Frame:
    """What the board shows while it asks."""
    lights = board.lights
    quarter = max(2, lights.pixels_per_ring // 4)
    match ask.kind:
        case "red" | "powered" | "where" | "lit" | "behind":
            return lit(lights, range(lights.pixels), RED)
        case "green":
            return lit(lights, range(lights.pixels), GREEN)
        case "full" | "supply":
            return lit(lights, range(lights.pixels), WHITE)
        case "ring":
            return lit(lights, part_pixels(lights, ask.part)[:quarter], WHITE)
        case "place":
            return lit(lights, part_pixels(lights, ask.part), WHITE)
        case "press" if ask.part not in CONTROLS:
            return lit(lights, part_pixels(lights, ask.part), BLUE)
        case "count":
            chips = tuple(min(count, lights.max_chips) for count in COUNTS)
            state = State(
                phase="idle",
                ruleset=shipped_rulesets()["modern"],
                balances=(-sum(chips), *chips),
            )
            return render(Scene(state=state), lights, 0)
        case _:
            return dark_frame(lights)


# The order of the colours.

_NAMES: Final = {"R": "red", "G": "green", "B": "blue"}


def order_seen(sent: ColourOrder, seen: Mapping[str, str]) -> ColourOrder | None:
    """The order that pixels have, by what people saw of each colour that was sent in another order.

    None if they saw one colour twice.
    """
    letters = "".join(seen[_NAMES[letter]][0].upper() for letter in sent)
    return next((order for order in get_args(ColourOrder) if order == letters), None)
