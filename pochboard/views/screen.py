"""What the board's display says: pot, chips to stay in, whose turn, refusals, the page's address.

A display is 128 pixels wide and 64 high. So a screen has a title, and then either numbers, or a
table of numbers, or sentences, or a QR code with a few words.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from pochboard.buttons.press import NOTHING, Pending
from pochboard.buttons.settings import BoardSettings, SettingName
from pochboard.errors import Refusal
from pochboard.ledger.results import results_of
from pochboard.messages.labels import pool_name, setting_name, setting_value, signed
from pochboard.rules.accounts import POOLS
from pochboard.rules.ruleset import Ruleset
from pochboard.rules.state import BETWEEN_NIGHTS, State
from pochboard.screen import Figure, Screen
from pochboard.table.snapshot import Snapshot
from pochboard.text.names import card_name_in
from pochboard.text.translator import Translator
from pochboard.views.guidance import guidance


class Reachable(msgspec.Struct, frozen=True):
    """How phones reach the page, for a screen."""

    url: str = ""
    """The address of the page; empty while there is none."""
    wifi_name: str = ""
    """The machine's own Wi-Fi, if it is open."""
    wifi_password: str = ""
    wifi_qr: str = ""
    """What a QR code contains so that a phone joins it."""


def needs_reach(snapshot: Snapshot) -> bool:
    """Whether the screen depends on how phones reach the page."""
    return snapshot.pairing_open_until_ms is not None or _is_untouched(snapshot)


def _is_untouched(snapshot: Snapshot) -> bool:
    """Whether nobody has pressed anything between nights: then several screens take turns."""
    return snapshot.state.phase in BETWEEN_NIGHTS and snapshot.pending is None


def screen_of(
    snapshot: Snapshot,
    t: Translator,
    *,
    reach: Reachable,
    refused: Refusal | None = None,
    turn: int | None = 0,
) -> Screen:
    """The screen that the display shows now.

    `refused` is a refusal of a moment ago; `turn` counts up while screens take turns, and is None
    until the result of a night has been revealed.
    """
    if snapshot.switching_off:
        guide = guidance(snapshot, t)
        return Screen(guide.title, lines=guide.lines, alarm=True)
    if snapshot.setting is not None:
        return _chosen(snapshot.settings, snapshot.setting.setting, t)
    if snapshot.fault is not None:
        lines = (_reason(snapshot.fault, t),)
        return Screen(t.gettext("Nothing can be recorded"), lines=lines, alarm=True)
    if snapshot.pairing_open_until_ms is not None:
        code = snapshot.pairing_code or "· · ·"
        figure = Figure(reach.url.removeprefix("http://"), code)
        return Screen(t.gettext("Pair a phone"), figures=(figure,))
    if refused is not None:
        lines = (_reason(refused, t),)
        return Screen(t.gettext("Not possible"), lines=lines, alarm=True)
    if snapshot.test is not None and snapshot.test.digits:
        return Screen("Pochboard", figures=(Figure("", snapshot.test.digits),))
    if turn is None:
        return Screen(t.gettext("The night is over"))
    if snapshot.state.phase in BETWEEN_NIGHTS:
        return _between_nights(snapshot, reach, turn, t)
    match snapshot.state.phase:
        case "pochen":
            screen = _betting(snapshot.state, snapshot.pending or NOTHING, t)
        case "showdown":
            players = Figure(t.gettext("Still in"), str(len(snapshot.state.still_in)))
            figures = (_pot(snapshot.state, t), players)
            screen = Screen(t.gettext("Show your hands"), figures=figures)
        case _:
            screen = _pools(snapshot, t)
    return msgspec.structs.replace(screen, trump=_trump(snapshot.state, t))


def _trump(state: State, t: Translator) -> Figure | None:
    """The trump suit of the deal, which people ask for until its end."""
    suit = state.trump
    if suit is None:
        return None
    return Figure(t.gettext("The trump suit is {suit}.", suit=card_name_in(t, suit)), suit)


def _reason(refusal: Refusal, t: Translator) -> str:
    """The reason for a refusal, in a sentence that fits."""
    return (refusal.short or refusal.sentence).in_language(t)


def _chosen(settings: BoardSettings, setting: SettingName, t: Translator) -> Screen:
    """A setting of the board, and which of its steps it has."""
    step, steps = settings.step(setting)
    value = setting_value(settings, setting, t)
    return Screen(setting_name(setting, t), figures=(Figure(f"{step} / {steps}", value),))


def _between_nights(snapshot: Snapshot, reach: Reachable, turn: int, t: Translator) -> Screen:
    """The lobby once somebody presses; until then how to reach the page, and the last night."""
    if not _is_untouched(snapshot):
        return _guide(snapshot, t)
    screens = [_standings(snapshot, t)] if snapshot.state.phase == "closed" else []
    screens += _addresses(reach, t)
    return screens[turn % len(screens)] if screens else _guide(snapshot, t)


def _addresses(reach: Reachable, t: Translator) -> list[Screen]:
    screens = []
    if reach.wifi_qr:
        lines = (reach.wifi_name, reach.wifi_password)
        screens.append(Screen(t.gettext("Wi-Fi"), lines=lines, qr=reach.wifi_qr))
    if reach.url:
        host, _, port = reach.url.removeprefix("http://").rpartition(":")
        screens.append(Screen(t.gettext("The page"), lines=(host, f":{port}"), qr=reach.url))
    return screens


def _standings(snapshot: Snapshot, t: Translator) -> Screen:
    """The three best of the night, and what they have won."""
    best = results_of(snapshot.state, snapshot.aliases)[:3]
    lines = tuple(Figure(t.person(person.name), signed(person.net)) for person in best)
    return Screen(t.gettext("The night is over"), figures=lines)


def _guide(snapshot: Snapshot, t: Translator) -> Screen:
    guide = guidance(snapshot, t)
    return Screen(guide.title, lines=guide.lines)


def _betting(state: State, pending: Pending, t: Translator) -> Screen:
    seat = state.to_act
    assert seat is not None, "somebody is to act in the betting"
    figures = [_pot(state, t), Figure(t.gettext("To stay in"), str(state.need(seat)))]
    if pending.chips:
        figures.append(Figure(t.gettext("In hand"), str(pending.chips)))
    return Screen(t.gettext("{name}’s turn", name=state.name_of(seat)), figures=tuple(figures))


def _pot(state: State, t: Translator) -> Figure:
    return Figure(t.gettext("Pot"), str(state.pot))


def _pools(snapshot: Snapshot, t: Translator) -> Screen:
    """All pools, below what to do or the selected seat."""
    state, place = snapshot.state, (snapshot.pending or NOTHING).place
    seat = None if place is None else state.seat_at(place)
    title = _guide(snapshot, t).title if seat is None else t.person(state.name_of(seat))
    labels = pool_letters(t, state.rules)
    cells = tuple(
        Figure(labels[pool], str(state.pool(pool))) for pool in POOLS if pool in state.rules.pools
    )
    return Screen(title, cells=cells)


def pool_letters(t: Translator, rules: Ruleset) -> Mapping[str, str]:
    """The pools in one or two letters each: the first ones of a name that is not Poch's."""
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
        **{one.at: pool_name(one.at, t, rules)[:2] for one in rules.pool if one.name},
    }
