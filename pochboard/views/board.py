"""The board: how it is set, its pools, pixels, display and piezo, pairing with it, and its face."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import get_args

import msgspec
from msgspec.structs import replace

from pochboard.buttons.press import PAIRING_BUTTON
from pochboard.buttons.settings import (
    BRIGHTNESS,
    VOLUME,
    Brightness,
    DisplayLanguage,
    Question,
    Volume,
)
from pochboard.errors import Attempt, directly
from pochboard.geometry.art import Art
from pochboard.geometry.dimensions import Stroke, dimensions
from pochboard.geometry.face import PLACE_WIDTH, Face, Point, turn_of
from pochboard.lights.lights_config import LightsConfig
from pochboard.lights.render import code_format
from pochboard.messages.labels import pool_name, seconds
from pochboard.rules.accounts import MOST_PLACES, POOLS
from pochboard.rules.state import State
from pochboard.table.snapshot import BoardTest, Snapshot
from pochboard.text.translator import Translator


class BoardState(msgspec.Struct, frozen=True):
    """The board that is connected, and whether its link is up."""

    kind: str
    link: bool
    simulated: bool
    places: int
    pixels_per_ring: int
    has_sound: bool
    """Whether the board plays tunes."""
    brightness: Brightness
    """The step that people have chosen."""
    night: bool
    """Whether night mode halves the brightness."""
    volume: Volume
    """The part of the configured volume that people have chosen."""
    brightness_steps: tuple[Brightness, ...]
    """The steps to choose from."""
    test: BoardTest | None
    """The test of the board that is under way."""
    volume_steps: tuple[Volume, ...]
    language: DisplayLanguage = "en"
    """Of the display."""
    zone: str = ""
    """The IANA name of the time zone in which dates and times are written; empty if not known."""
    languages: tuple[DisplayLanguage, ...] = get_args(DisplayLanguage)
    asks: tuple[Question, ...] = ()
    """Before the first night of a real board: what people have not been asked yet."""
    places_steps: tuple[int, ...] = ()
    """The numbers of places to choose from, where the configuration leaves that open."""
    next_places: int = 0
    """How many places it has from its next start on."""


class FrameEvent(msgspec.Struct, frozen=True):
    """The pixels of the board, `#rrggbb`."""

    pixels: list[str]


class PoolDetail(msgspec.Struct, frozen=True):
    """A pool of the board; one that the ruleset lacks has neither a name nor a number of chips."""

    pool: str
    name: str
    chips: int | None
    blocked: bool = False
    claimable: bool = False
    label: str = ""
    """The pool in words, for screen readers."""


class PoolFace(msgspec.Struct, frozen=True):
    """A pool on the board's face: its centre, the radii of its parts, and the size of its inlays.

    The middles of the inlays are at equal distances on the ring, clockwise from its top. Each is a
    bar with round ends, at right angles to the ring's radius.
    """

    pool: str
    x: float
    y: float
    bowl: float
    ring: float
    flange: float
    length: float
    width: float


class PlaceFace(msgspec.Struct, frozen=True):
    """A place on the rim: its ends, in turns, and the middles of its pixel, number and mark."""

    start: float
    end: float
    pixel: tuple[float, float]
    number: tuple[float, float]
    dealer: tuple[float, float]


class FaceAnswer(msgspec.Struct, frozen=True):
    """The face of the board as it is built, from above, in mm from its centre.

    x points right and y down. Angles are in turns, clockwise from the top.
    """

    radius: float
    rim: float
    """Where the rim with the places begins."""
    pools: tuple[PoolFace, ...]
    """In board order."""
    pixels_per_ring: int
    places: tuple[PlaceFace, ...]
    buttons: dict[str, tuple[float, float]]
    """The middle of each button."""
    button: float
    """The diameter of a button's head."""
    inlay: tuple[float, float]
    """The length and width of the inlay of a place, a bar across the place's direction."""
    flange: float
    """The diameter of the flange around it."""
    dealer_mark: float
    """Its diameter."""


def board_state(
    snapshot: Snapshot, lights: LightsConfig, attempt: Attempt = directly
) -> BoardState:
    """The board and what people have chosen for it."""
    board, settings = snapshot.board, snapshot.settings
    return BoardState(
        board.kind,
        board.link,
        board.simulated,
        lights.places,
        lights.pixels_per_ring,
        has_sound=board.has_sound,
        brightness=settings.brightness,
        night=settings.night,
        volume=settings.volume,
        brightness_steps=BRIGHTNESS,
        test=snapshot.test,
        volume_steps=VOLUME if board.has_sound else (),
        language=settings.language or "en",
        zone=snapshot.zone,
        asks=attempt("questions", lambda: _open_questions(snapshot), ()),
        places_steps=tuple(range(3, MOST_PLACES + 1)) if "places" in board.left_open else (),
        next_places=settings.places or lights.places,
    )


def _open_questions(snapshot: Snapshot) -> tuple[Question, ...]:
    settings = snapshot.settings
    if settings.answered or snapshot.night is not None:
        return ()
    open_ = snapshot.board.left_open
    return tuple(one for one in open_ if one != "colours" or settings.order is None)


class PairingState(msgspec.Struct, frozen=True):
    """Whether the pairing window is open, and whether this client is paired."""

    open: bool
    button: str
    """The button that opens it. A client that is not paired may hold it too."""
    paired: bool
    digits: int
    """The length of a code."""
    phones: bool
    """Whether a paired phone has been used since the daemon started."""
    how: str
    """How to pair a phone, in words."""
    code: str | None = None
    """The code on the board while the window is open; null for clients that are not paired."""


def pairing_state(
    snapshot: Snapshot, lights: LightsConfig, t: Translator, attempt: Attempt, *, paired: bool
) -> PairingState:
    """Pairing for a client that is paired, or for one that is not."""
    digits, _ = code_format(lights)
    return PairingState(
        open=snapshot.pairing_open_until_ms is not None,
        button=PAIRING_BUTTON,
        paired=paired,
        digits=digits,
        phones=snapshot.phones,
        how=attempt("pairing", lambda: _how_to_pair(snapshot, digits, t), ""),
        code=snapshot.pairing_code if paired else None,
    )


def _how_to_pair(snapshot: Snapshot, digits: int, t: Translator) -> str:
    """What to do next to pair a phone that only watches."""
    if snapshot.board.simulated:
        code = t.gettext(
            "Type the code shown by the page on the computer that runs pochboard, and by every"
            " paired phone."
        )
    else:
        code = t.gettext(
            "Count the white lights on the rings {pools} of the board, and type these numbers in"
            " this order.",
            pools=t.listed(pool_name(pool, t) for pool in POOLS[:digits]),
        )
    if snapshot.pairing_open_until_ms is not None:
        return code
    hold = t.gettext(
        "To play from this phone, hold next on the board for {seconds} s.",
        seconds=seconds(snapshot.times.next_long_us),
    )
    return f"{hold} {code}"


def pool_details(
    state: State, claims: Mapping[int, tuple[str, ...]], t: Translator
) -> tuple[PoolDetail, ...]:
    """The nine pools in board order. `claims` are the pools that each seat may claim now."""
    played = state.ruleset.pools if state.ruleset else ()
    claimable = {pool for pools in claims.values() for pool in pools}
    details = []
    for pool in POOLS:
        name = pool_name(pool, t, state.ruleset) if pool in (played or POOLS) else ""
        detail = PoolDetail(
            pool,
            name,
            state.pool(pool) if pool in played else None,
            blocked=pool in state.blocked,
            claimable=pool in claimable,
        )
        details.append(replace(detail, label=_pool_label(detail, t)))
    return tuple(details)


def _pool_label(pool: PoolDetail, t: Translator) -> str:
    """A pool in words. The middle has a use even where the ruleset lacks it."""
    if not pool.name:
        middle = pool.pool == "pinke"
        return t.gettext("The middle") if middle else t.gettext("A pool that is not played")
    if pool.chips is None:
        return t.gettext("{pool}, not played", pool=pool.name)
    words = [pool.name, t.ngettext("{count} chip", "{count} chips", pool.chips)]
    if pool.blocked:
        words.append(t.pgettext("pool", "blocked"))
    elif pool.claimable:
        words.append(t.pgettext("pool", "can be claimed"))
    return ", ".join(words)


def face_answer(board: Face) -> FaceAnswer:
    """The face of the board, to a hundredth of a millimetre."""
    size = dimensions()
    half = PLACE_WIDTH / 2
    ring = (len(board.inlays) - len(board.places)) // len(board.wells)
    pools = zip(POOLS, board.wells, board.inlays[::ring], strict=False)
    places = zip(board.places, board.numbers, board.dealers, strict=True)
    return FaceAnswer(
        radius=_mm(board.radius),
        rim=_mm(board.rim),
        pools=tuple(
            PoolFace(
                pool,
                *_at(well.centre),
                *(_mm(radius) for radius in (well.bowl, well.ring, well.flange)),
                *(_mm(side) for side in (inlay.length, inlay.width)),
            )
            for pool, well, inlay in pools
        ),
        pixels_per_ring=ring,
        places=tuple(
            PlaceFace(
                start=round(turn_of(hole.centre) - half, 5),
                end=round(turn_of(hole.centre) + half, 5),
                pixel=_at(hole.centre),
                number=_at(number),
                dealer=_at(dealer),
            )
            for hole, number, dealer in places
        ),
        buttons={hole.name: _at(hole.centre) for hole in board.buttons},
        button=size.button.head,
        inlay=(size.place.length, size.place.width),
        flange=size.place.flange,
        dealer_mark=size.dealer_mark.diameter,
    )


class ArtAnswer(msgspec.Struct, frozen=True):
    """What is engraved on the board besides its names, as paths of SVG in mm from its centre."""

    fields: dict[str, str]
    """The sign of each pool, on the wood beside it."""
    wood: str


def art_answer(art: Art) -> ArtAnswer:
    """The lines of a board, to a tenth of a millimetre."""
    fields = {pool: _path(lines) for pool, lines in zip(POOLS, art.fields, strict=True)}
    return ArtAnswer(fields, _path(art.wood))


def _path(lines: Iterable[Stroke]) -> str:
    """Lines as one path, each point relative to the one before it."""
    parts, at = [], (0, 0)
    for line in lines:
        for number, point in enumerate(line):
            tenths = round(10 * point[0]), round(10 * point[1])
            step = " ".join(f"{(new - old) / 10:g}" for new, old in zip(tenths, at, strict=True))
            parts.append(("m" if number == 0 else "l" if number == 1 else " ") + step)
            at = tenths
    return "".join(parts)


def _mm(value: float) -> float:
    return round(value, 2) + 0.0  # which turns -0.0 into 0.0


def _at(point: Point) -> Point:
    return _mm(point[0]), _mm(point[1])
