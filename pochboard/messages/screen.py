"""What the board's display says: pot, chips to stay in, whose turn, refusals, the page's address.

A display is 128 pixels wide and 64 high. So a screen has a title, and then either numbers, or a
table of numbers, or sentences, or a QR code with a few words.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from pochboard.buttons.pending import NOTHING, Pending
from pochboard.buttons.press import PressTimes
from pochboard.buttons.settings import BoardSettings, SettingName
from pochboard.errors import Refusal
from pochboard.ledger.legal import LegalActions
from pochboard.ledger.results import results_of
from pochboard.messages.guidance import guidance, off_guidance
from pochboard.messages.labels import setting_name, setting_value, signed
from pochboard.rules.accounts import POOLS
from pochboard.rules.state import State
from pochboard.text.translator import Translator


class Figure(msgspec.Struct, frozen=True):
    """A number and what it counts."""

    label: str
    value: str


class Screen(msgspec.Struct, frozen=True):
    """What the display says at one moment."""

    title: str
    figures: tuple[Figure, ...] = ()
    """Up to three numbers to be read from afar."""
    cells: tuple[Figure, ...] = ()
    """A table of up to nine numbers with short labels."""
    lines: tuple[str, ...] = ()
    """Sentences, or what stands beside the QR code."""
    qr: str = ""
    """The text of a QR code."""
    alarm: bool = False
    """Whether the title is dark on light, or all of it if the sentences need its place."""


class Reachable(msgspec.Struct, frozen=True):
    """How phones reach the page, for a screen."""

    url: str = ""
    """The address of the page; empty while there is none."""
    wifi_name: str = ""
    """The machine's own Wi-Fi, if it is open."""
    wifi_password: str = ""
    wifi_qr: str = ""
    """What a QR code contains so that a phone joins it."""


class ScreenContext(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that the display depends on."""

    state: State
    pending: Pending | None
    legal: LegalActions
    times: PressTimes
    refused: Refusal | None = None
    """What was refused a moment ago."""
    fault: Refusal | None = None
    """Why nothing can be booked."""
    pairing: bool = False
    """Whether the pairing window is open."""
    code: str = ""
    """Its code; empty for those who may not see it."""
    switching_off: bool | None = None
    """Whether switching off is confirmed; None while nobody asks."""
    settings: BoardSettings = BoardSettings()
    setting: SettingName | None = None
    """The setting that was just stepped at the board."""
    reach: Reachable = Reachable()
    called: Mapping[str, str] = {}
    """As in the remarks."""
    turn: int = 0
    """Counts up while screens take turns."""


def screen_of(context: ScreenContext, t: Translator) -> Screen:
    """What the display says at this moment."""
    if context.switching_off is not None:
        guide = off_guidance(context.switching_off, t)
        return Screen(guide.title, lines=guide.lines, alarm=True)
    if context.setting is not None:
        return _chosen(context.settings, context.setting, t)
    if context.fault is not None:
        lines = (_reason(context.fault, t),)
        return Screen(t.gettext("Nothing can be booked"), lines=lines, alarm=True)
    if context.pairing:
        return Screen(
            t.gettext("Pair a phone"),
            figures=(Figure(context.reach.url.removeprefix("http://"), context.code or "· · ·"),),
        )
    if context.refused is not None:
        lines = (_reason(context.refused, t),)
        return Screen(t.gettext("Not possible"), lines=lines, alarm=True)
    match context.state.phase:
        case "none" | "closed":
            return _between_nights(context, t)
        case "pochen":
            return _betting(context.state, context.pending or NOTHING, t)
        case "showdown":
            return _showdown(context.state, t)
        case _:
            return _pools(context, t)


def _reason(refusal: Refusal, t: Translator) -> str:
    """The reason for a refusal, in a sentence that fits."""
    return (refusal.short or refusal.sentence).in_language(t)


def _chosen(settings: BoardSettings, setting: SettingName, t: Translator) -> Screen:
    """A setting of the board, and which of its steps it has."""
    step, steps = settings.step(setting)
    value = setting_value(settings, setting, t)
    return Screen(setting_name(setting, t), figures=(Figure(f"{step} / {steps}", value),))


def screen_text(screen: Screen) -> str:
    """The words of a screen, for those who cannot see it."""
    numbers = [f"{figure.label} {figure.value}" for figure in screen.figures + screen.cells]
    return "; ".join((screen.title, *numbers, *screen.lines))


def screens_take_turns(context: ScreenContext) -> bool:
    """Whether several screens take turns now."""
    return context.state.phase in ("none", "closed") and context.pending is None


def _between_nights(context: ScreenContext, t: Translator) -> Screen:
    """The lobby once somebody presses; until then how to reach the page, and the last night."""
    screens = [] if context.pending is not None else _addresses(context.reach, t)
    if context.state.phase == "closed" and context.pending is None:
        screens.insert(0, _standings(context, t))
    if not screens:
        return _guide(context, t)
    return screens[context.turn % len(screens)]


def _addresses(reach: Reachable, t: Translator) -> list[Screen]:
    screens = []
    if reach.wifi_qr:
        lines = (reach.wifi_name, reach.wifi_password)
        screens.append(Screen(t.gettext("Wi-Fi"), lines=lines, qr=reach.wifi_qr))
    if reach.url:
        host, _, port = reach.url.removeprefix("http://").rpartition(":")
        screens.append(Screen(t.gettext("The page"), lines=(host, f":{port}"), qr=reach.url))
    return screens


def _standings(context: ScreenContext, t: Translator) -> Screen:
    """The three best of the night, and what they have won."""
    best = results_of(context.state, context.called)[:3]
    lines = tuple(Figure(one.name, signed(one.net)) for one in best)
    return Screen(t.gettext("The night is over"), figures=lines)


def _guide(context: ScreenContext, t: Translator) -> Screen:
    guide = guidance(
        context.state, context.pending, context.legal, context.times, t, called=context.called
    )
    return Screen(guide.title, lines=guide.lines)


def _betting(state: State, pending: Pending, t: Translator) -> Screen:
    seat = state.to_act
    assert seat is not None, "somebody is to act in the betting"
    figures = [_pot(state, t), Figure(t.gettext("To stay in"), str(state.need(seat)))]
    if pending.chips:
        figures.append(Figure(t.gettext("In hand"), str(pending.chips)))
    return Screen(t.gettext("{name}’s turn", name=state.name_of(seat)), figures=tuple(figures))


def _pot(state: State, t: Translator) -> Figure:
    return Figure(t.gettext("Pot"), str(state.pool(state.rules.bet_pool)))


def _showdown(state: State, t: Translator) -> Screen:
    players = Figure(t.gettext("Still in"), str(len(state.still_in)))
    return Screen(t.gettext("Show your hands"), figures=(_pot(state, t), players))


def _pools(context: ScreenContext, t: Translator) -> Screen:
    """All pools, below what to do or the selected seat."""
    state, place = context.state, (context.pending or NOTHING).place
    seat = None if place is None else state.seat_at(place)
    title = _guide(context, t).title if seat is None else state.name_of(seat)
    labels = pool_letters(t)
    cells = tuple(
        Figure(labels[pool], str(state.pool(pool))) for pool in POOLS if pool in state.rules.pools
    )
    return Screen(title, cells=cells)


def pool_letters(t: Translator) -> Mapping[str, str]:
    """The pools in one or two letters each."""
    return {
        "ace": t.pgettext("pool on the display, at most two letters", "A"),
        "king": t.pgettext("pool on the display, at most two letters", "K"),
        "queen": t.pgettext("pool on the display, at most two letters", "Q"),
        "jack": t.pgettext("pool on the display, at most two letters", "J"),
        "ten": "10",
        "marriage": t.pgettext("pool on the display, at most two letters", "M"),
        "sequence": t.pgettext("pool on the display, at most two letters", "S"),
        "poch": t.pgettext("pool on the display, at most two letters", "P"),
        "pinke": t.pgettext("pool on the display, at most two letters", "Pi"),
    }
