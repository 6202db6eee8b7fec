"""What Home Assistant is told: the entities of a board, their state, and events.

The document is that of *MQTT device discovery* in the documentation of Home Assistant's MQTT
integration: one message with the device, the origin and all components. Its short keys are those
of the page *MQTT abbreviations*.
"""

from __future__ import annotations

from typing import Any, Final, Literal, get_args

import msgspec
from msgspec.structs import replace

from pochboard import __version__
from pochboard.buttons.settings import BRIGHTNESS, VOLUME, BoardSettings
from pochboard.config import MqttTable
from pochboard.ledger.sounds import Cue, seats_of_entry
from pochboard.messages.labels import PHASE_NAMES, setting_name
from pochboard.mqtt.broker import Message
from pochboard.rules.state import BETWEEN_NIGHTS
from pochboard.table.records import BoardInfo, Snapshot
from pochboard.text.translator import Translator

SETTINGS: Final = ("night_mode", "brightness", "volume")
"""What may be changed from outside; no chips, and nothing that pairs."""
_ON_OFF: Final = {True: "ON", False: "OFF"}


class Topics:
    """The topics of a board. `ledger` is the id of its ledger, in hexadecimal."""

    def __init__(self, config: MqttTable, ledger: str) -> None:
        self.id = f"pochboard_{ledger[:12]}"
        base = f"{config.prefix}/{self.id}"
        self.availability = f"{base}/availability"
        self.state = f"{base}/state"
        self.events = f"{base}/event"
        self.discovery = f"{config.discovery}/device/{self.id}/config"
        self.birth = f"{config.discovery}/status"
        """Home Assistant says here that it has started."""
        self.settings = {f"{base}/{name}/set": name for name in SETTINGS}
        """By topic, what a message there changes."""

    @property
    def retained(self) -> tuple[str, ...]:
        """All topics with messages that the broker keeps."""
        return (self.discovery, self.availability, self.state)


def availability(topics: Topics, *, online: bool) -> Message:
    """Whether the daemon runs."""
    return Message(topics.availability, b"online" if online else b"offline")


def discovery(topics: Topics, board: BoardInfo, t: Translator) -> Message:
    """The board as a device with its entities."""
    sound = _select("volume", VOLUME, topics, t) if board.has_sound else {"p": "select"}
    components: dict[str, dict[str, Any]] = {
        "turn": {
            **_sensor("turn", t.pgettext("entity", "Turn"), "mdi:account-arrow-right"),
            "json_attr_t": topics.state,
            "json_attr_tpl": "{{ {'place': value_json.place, 'need': value_json.need} | tojson }}",
        },
        "phase": {
            **_sensor("phase", t.pgettext("entity", "Phase"), "mdi:cards-playing"),
            "dev_cla": "enum",
            "ops": list(PHASE_NAMES),
        },
        "pot": _sensor("pot", t.gettext("Pot"), "mdi:poker-chip"),
        "deal": _sensor("deal", t.pgettext("entity", "Deal"), "mdi:counter"),
        "night": _binary("night", t.pgettext("entity", "Night"), ic="mdi:weather-night"),
        "board": _binary(
            "board", t.pgettext("entity", "Board"), dev_cla="connectivity", ent_cat="diagnostic"
        ),
        "event": {
            "p": "event",
            "name": t.pgettext("entity", "Table"),
            "stat_t": topics.events,
            "evt_typ": list(get_args(Cue)),
            "ic": "mdi:gesture-tap-button",
        },
        "night_mode": {
            "p": "switch",
            "name": t.gettext("Night mode"),
            "val_tpl": "{{ value_json.night_mode }}",
            "cmd_t": _set_topic("night_mode", topics),
            "ic": "mdi:brightness-4",
        },
        "brightness": _select("brightness", BRIGHTNESS, topics, t),
        # A component without anything else is removed.
        "volume": sound,
    }
    for name, component in components.items():
        if len(component) > 1:
            component["uniq_id"] = f"{topics.id}_{name}"
            component.setdefault("stat_t", topics.state)
            component["avty_t"] = topics.availability
    document = {
        "dev": {
            "ids": [topics.id],
            "name": "pochboard",
            "mf": "pochboard",
            "mdl": board.kind,
            "sw": __version__,
        },
        "o": {"name": "pochboard", "sw": __version__},
        "cmps": components,
        "qos": 1,
    }
    return Message(topics.discovery, msgspec.json.encode(document))


def state(topics: Topics, snapshot: Snapshot) -> Message:
    """What holds now, for all entities but the events."""
    now, settings = snapshot.state, snapshot.settings
    seat = now.to_act
    values = {
        "turn": None if seat is None else now.name_of(seat),
        "place": None if seat is None else now.places[seat - 1],
        "need": None if seat is None else now.need(seat),
        "phase": now.phase,
        "pot": now.pot if now.ruleset else 0,
        "deal": now.deal,
        "night": _ON_OFF[now.phase not in BETWEEN_NIGHTS],
        "board": _ON_OFF[snapshot.board.link],
        "night_mode": _ON_OFF[settings.night],
        "brightness": settings.brightness,
        "volume": settings.volume,
    }
    return Message(topics.state, msgspec.json.encode(values))


def event(topics: Topics, cue: Cue, snapshot: Snapshot) -> Message:
    """Something that has just happened, and whom it is about or whose turn it is."""
    now, last = snapshot.state, snapshot.last
    seats: tuple[int, ...] = ()
    if cue == "turn":
        seats = () if now.to_act is None else (now.to_act,)
    elif last is not None:
        seats = seats_of_entry(last.before, last.after, last.entry.command)
    values = {"event_type": cue, "players": [now.name_of(seat) for seat in seats]}
    return Message(topics.events, msgspec.json.encode(values), retained=False)


def changed(settings: BoardSettings, name: str, payload: bytes) -> BoardSettings | None:
    """The settings after a message to one of them; None if they cannot be changed so."""
    value = payload.decode("utf-8", "replace")
    match name:
        case "night_mode" if value in _ON_OFF.values():
            return replace(settings, night=value == _ON_OFF[True])
        case "brightness" if value in BRIGHTNESS:
            return replace(settings, brightness=value)
        case "volume" if value in VOLUME:
            return replace(settings, volume=value)
        case _:
            return None


def _sensor(name: str, label: str, icon: str) -> dict[str, Any]:
    return {"p": "sensor", "name": label, "val_tpl": f"{{{{ value_json.{name} }}}}", "ic": icon}


def _binary(name: str, label: str, **more: str) -> dict[str, Any]:
    template = f"{{{{ value_json.{name} }}}}"
    return {"p": "binary_sensor", "name": label, "val_tpl": template, **more}


def _select(
    name: Literal["brightness", "volume"], options: tuple[str, ...], topics: Topics, t: Translator
) -> dict[str, Any]:
    return {
        "p": "select",
        "name": setting_name(name, t),
        "val_tpl": f"{{{{ value_json.{name} }}}}",
        "cmd_t": _set_topic(name, topics),
        "ops": list(options),
        "ic": {"brightness": "mdi:brightness-6", "volume": "mdi:volume-high"}[name],
    }


def _set_topic(name: str, topics: Topics) -> str:
    return next(topic for topic, setting in topics.settings.items() if setting == name)
