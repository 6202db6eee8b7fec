"""The configuration file, and the folders of data and configuration.

All keys are optional; docs/CONFIG.md lists them with their defaults.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cache
from ipaddress import ip_network
from pathlib import Path
from typing import Annotated, Any, Final, Literal, Self, get_type_hints

import msgspec
from msgspec import Meta

from pochboard.colour_order import ColourOrder
from pochboard.errors import ConfigError
from pochboard.text.allowed_values import MustBe, suggest, why_refused
from pochboard.text.decoding import decode_toml
from pochboard.text.encodings import written_text
from pochboard.text.lazy import LazyText, gettext_noop, lazy_gettext, os_reason, toml_reason

FILE: Final = "config.toml"
LEDGER: Final = "ledger.db"

Pin = Annotated[
    int,
    Meta(ge=2, le=27),
    MustBe(gettext_noop("a GPIO number: 2 to 6, 12, 13, or 16 to 27")),
]
# Python's resolver raises UnicodeError for an empty label, and for one of more than 63 characters.
_LABELS: Final = r"(?!\.|\S*\.\.|\S*[^.\s]{64})"
Host = Annotated[
    str,
    Meta(pattern=rf"\A{_LABELS}\S+\Z"),
    MustBe(gettext_noop("an address or a host name")),
]
HostNames = Annotated[
    tuple[Annotated[str, Meta(pattern=r"\A[0-9A-Za-z][0-9A-Za-z.-]{0,252}(:[0-9]{1,5})?\Z")], ...],
    MustBe(gettext_noop('a list of host names, such as ["poch.home"]')),
]
PREFIX: Final = r"(/(?!\.{1,2}(/|\Z))[0-9A-Za-z._~-]+)+"
"""A path below which a proxy may serve the page."""
OWN_PATHS: Final = (
    "api", "favicon.ico", "healthz", "manifest.webmanifest", "nights", "rules", "static",
    "statistics", "tv",
)  # fmt: skip
"""What the paths of the page and the API begin with."""
Prefix = Annotated[
    str,
    Meta(max_length=200, pattern=rf"\A((?!/({'|'.join(OWN_PATHS)})(/|\Z)){PREFIX})?\Z"),
    MustBe(
        gettext_noop('a path that pochboard does not use itself, such as "/poch", or "" for none')
    ),
]
TrustedProxies = Annotated[
    tuple[str, ...],
    MustBe(
        gettext_noop('a list of addresses or networks, such as ["127.0.0.1", "172.30.32.0/23"]')
    ),
]
Palette = Annotated[
    tuple[Annotated[str, Meta(pattern=r"\A#[0-9a-fA-F]{6}\Z")], ...],
    Meta(min_length=6, max_length=6),
    MustBe(gettext_noop('a list of six colours such as "#00adee"')),
]


SerialPort = Annotated[
    str,
    Meta(pattern=r"\A(/\S+)?\Z"),
    MustBe(gettext_noop('a serial port, such as "/dev/ttyACM1", or "" to find it automatically')),
]


NetworkHost = Annotated[
    str,
    Meta(pattern=rf"\A{_LABELS}\S*\Z"),
    MustBe(gettext_noop('an address or a host name, or "" for none')),
]
BoardId = Annotated[
    str,
    Meta(pattern=r"\A([0-9A-Fa-f]{16})?\Z"),
    MustBe(
        gettext_noop('16 hexadecimal digits, as pochboard doctor shows them, or "" for any board')
    ),
]


Folder = Annotated[
    str,
    Meta(pattern=r"\A(/[^\x00-\x1f]*)?\Z"),
    MustBe(gettext_noop('a folder, such as "/mnt/backups", or "" for none')),
]


WifiName = Annotated[
    str,
    Meta(pattern=r"\A[ -~]{1,32}\Z"),
    MustBe(gettext_noop("1 to 32 unaccented letters, digits, spaces or punctuation marks")),
]
WifiPassword = Annotated[
    str,
    Meta(pattern=r"\A([ -~]{8,63})?\Z"),
    MustBe(
        gettext_noop(
            '8 to 63 unaccented letters, digits or punctuation marks, or "" for a random one that'
            " is kept"
        ),
        is_secret=True,
    ),
]


File = Annotated[
    str,
    Meta(pattern=r"\A(/[^\x00-\x1f]*)?\Z"),
    MustBe(gettext_noop('a file, such as "/etc/ssl/broker.pem", or "" for none')),
]
_LOGIN: Final = r"\A[^\x00-\x1f\x7f]{0,200}\Z"
MqttUser = Annotated[
    str, Meta(pattern=_LOGIN), MustBe(gettext_noop('at most 200 characters, or "" for none'))
]
MqttPassword = Annotated[
    str,
    Meta(pattern=_LOGIN),
    MustBe(gettext_noop('at most 200 characters, or "" for none'), is_secret=True),
]
MqttTopic = Annotated[
    str,
    Meta(pattern=r"\A[0-9A-Za-z_-]{1,40}(/[0-9A-Za-z_-]{1,40}){0,3}\Z"),
    MustBe(gettext_noop('the beginning of a topic, such as "pochboard"')),
]


I2cBus = Annotated[
    str,
    Meta(pattern=r"\A(/dev/i2c-[0-9]{1,3})?\Z"),
    MustBe(gettext_noop('an I²C bus, such as "/dev/i2c-3", or "" for none')),
]


class Times(msgspec.Struct, frozen=True, kw_only=True):
    """The times of BOARD.md 2, 3 and 5, in seconds: the table `[times]`."""

    long_s: Annotated[float, Meta(ge=0.3, le=3)] = 0.8
    next_long_s: Annotated[float, Meta(ge=1, le=10)] = 3.0
    leave_s: Annotated[float, Meta(ge=1, le=10)] = 3.0
    both_s: Annotated[float, Meta(ge=0.5, le=10)] = 2.0
    overlap_s: Annotated[float, Meta(ge=0, le=1)] = 0.3
    select_s: Annotated[float, Meta(ge=1, le=60)] = 5.0
    too_soon_s: Annotated[float, Meta(ge=0, le=2)] = 1.0
    lobby_s: Annotated[float, Meta(ge=3, le=60)] = 10.0
    off_s: Annotated[float, Meta(ge=2, le=30)] = 8.0
    off_ask_s: Annotated[float, Meta(ge=3, le=60)] = 10.0
    pairing_window_s: Annotated[float, Meta(ge=10, le=600)] = 60.0
    debounce_s: Annotated[float, Meta(ge=0.001, le=0.05)] = 0.008


class Lights(msgspec.Struct, frozen=True, kw_only=True):
    """The lights: the table `[lights]`. `LightsConfig` checks that the values fit together."""

    pixels_per_ring: Annotated[int, Meta(ge=4, le=64)] = 12
    limit_ma: Annotated[int, Meta(ge=100, le=20_000)] = 3000
    brightness: Annotated[float, Meta(gt=0, le=1)] = 1.0
    gamma: Annotated[float, Meta(ge=1, le=4)] = 2.2
    night: bool = False
    palette: Palette = ("#00adee", "#dbee00", "#c60090", "#00ffc6", "#0000ff", "#ee9000")


class Pins(msgspec.Struct, frozen=True, kw_only=True):
    """The GPIO number of each button on a Pi's header: the table `[gpio.pins]`.

    The defaults are those of hardware/pins.toml.
    """

    ace: Pin = 4
    king: Pin = 17
    queen: Pin = 27
    jack: Pin = 22
    ten: Pin = 5
    marriage: Pin = 6
    sequence: Pin = 13
    poch: Pin = 19
    pinke: Pin = 26
    seat1: Pin = 18
    seat2: Pin = 23
    seat3: Pin = 24
    seat4: Pin = 25
    seat5: Pin = 12
    seat6: Pin = 16
    seat7: Pin = 20
    seat8: Pin = 21
    next: Pin = 3
    undo: Pin = 2


PixelKind = Literal["rgb", "rgbw"]


class Wled(msgspec.Struct, frozen=True, kw_only=True):
    """The pixels on an ESP32 with WLED: the table `[gpio.wled]`."""

    host: NetworkHost = ""
    port: Annotated[int, Meta(ge=1, le=65_535)] = 4048
    http_port: Annotated[int, Meta(ge=1, le=65_535)] = 80


class Gpio(msgspec.Struct, frozen=True, kw_only=True):
    """The board on a Pi's own header: the table `[gpio]`."""

    driver: Literal["neopixel", "neopixel_spi", "wled"] = "neopixel"
    kind: PixelKind = "rgb"
    order: ColourOrder = "GRB"
    display: I2cBus = ""
    piezo: bool = False
    light_sensor: I2cBus = ""
    pins: Pins = Pins()
    wled: Wled = Wled()


class PicoTable(msgspec.Struct, frozen=True, kw_only=True):
    """The board with a Raspberry Pi Pico on USB: the table `[pico]`."""

    port: SerialPort = ""
    id: BoardId = ""
    kind: PixelKind = "rgb"
    order: ColourOrder = "GRB"


class WifiTable(msgspec.Struct, frozen=True, kw_only=True):
    """The Wi-Fi that the machine opens where it finds no known network: the table `[wifi]`."""

    own: bool = True
    name: WifiName = "pochboard"
    password: WifiPassword = ""
    open: bool = False
    wait_s: Annotated[float, Meta(ge=10, le=600)] = 45.0


class MqttTable(msgspec.Struct, frozen=True, kw_only=True):
    """The MQTT broker of the home (docs/HOME.md): the table `[mqtt]`."""

    host: NetworkHost = ""
    port: Annotated[int, Meta(ge=1, le=65_535)] = 1883
    user: MqttUser = ""
    password: MqttPassword = ""
    tls: bool = False
    ca: File = ""
    prefix: MqttTopic = "pochboard"
    discovery: MqttTopic = "homeassistant"


Design = Literal["modern", "1713", "plain"]
"""What is engraved on the board besides names."""


class Config(msgspec.Struct, frozen=True, kw_only=True):
    """All settings of the daemon. `data`, the folder of the ledger, is not read from the file."""

    data: Path
    host: Host = "127.0.0.1"
    port: Annotated[int, Meta(ge=0, le=65_535)] = 8441
    board: Literal["simulator", "gpio", "pico"] = "simulator"
    names: HostNames = ()
    prefix: Prefix = ""
    trusted_proxies: TrustedProxies = ()
    backup_to: Folder = ""
    switch_off: bool = True
    places: Annotated[int, Meta(ge=3, le=8)] = 8
    design: Design = "modern"
    language: Literal["", "de", "en"] = ""
    volume: Annotated[float, Meta(ge=0, le=1)] = 0.5
    times: Times = Times()
    lights: Lights = Lights()
    gpio: Gpio = Gpio()
    pico: PicoTable = PicoTable()
    wifi: WifiTable = WifiTable()
    mqtt: MqttTable = MqttTable()

    def __post_init__(self) -> None:
        """Checks what the types do not express. Raises ConfigError."""
        if any(int(name.partition(":")[2] or 1) not in range(1, 65_536) for name in self.names):
            raise ConfigError(why_refused(HostNames, list(self.names), "names", bare=True))
        for proxy in self.trusted_proxies:
            try:
                ip_network(proxy, strict=False)
            except ValueError:
                proxies = list(self.trusted_proxies)
                why = why_refused(TrustedProxies, proxies, "trusted_proxies", bare=True)
                raise ConfigError(why) from None

    @property
    def ledger(self) -> Path:
        """The file of the ledger."""
        return self.data / LEDGER

    @property
    def pixel_kind(self) -> PixelKind:
        """The kind of the board's pixels; the simulated board has the usual ones."""
        match self.board:
            case "gpio":
                return self.gpio.kind
            case "pico":
                return self.pico.kind
            case _:
                return "rgb"

    @property
    def colour_order(self) -> ColourOrder:
        """The order in which the board's pixels expect their colours."""
        return self.pico.order if self.board == "pico" else self.gpio.order

    def with_colour_order(self, order: ColourOrder | None) -> Self:
        """A copy in which the pixels have the order that people have found out, if they have."""
        if order is None:
            return self
        gpio = msgspec.structs.replace(self.gpio, order=order)
        pico = msgspec.structs.replace(self.pico, order=order)
        return msgspec.structs.replace(self, gpio=gpio, pico=pico)

    def for_demo(self) -> Self:
        """A copy for the demo: the simulated board, and a ledger in a subfolder."""
        return msgspec.structs.replace(self, board="simulator", data=self.data / "demo")

    def with_host(self, host: str) -> Self:
        """A copy that listens on another address."""
        return msgspec.structs.replace(self, host=host)

    def with_port(self, port: int) -> Self:
        """A copy that listens on another port."""
        return msgspec.structs.replace(self, port=port)


def config_dir() -> Path:
    """`$XDG_CONFIG_HOME/pochboard`, else `~/.config/pochboard`. Raises ConfigError."""
    return _base("XDG_CONFIG_HOME", ".config") / "pochboard"


def data_dir() -> Path:
    """`$XDG_DATA_HOME/pochboard`, else `~/.local/share/pochboard`. Raises ConfigError."""
    return _base("XDG_DATA_HOME", ".local/share") / "pochboard"


def _base(variable: str, fallback: str) -> Path:
    # The XDG base directory specification says that relative paths must be ignored.
    given = os.environ.get(variable, "")
    if Path(given).is_absolute():
        return Path(given)
    try:
        return Path.home().absolute() / fallback
    except RuntimeError:
        raise ConfigError(
            lazy_gettext("This user has no home folder. Set {variable}.", variable=variable)
        ) from None


def load_config(settings: Path, data: Path) -> Config:
    """The configuration in `config.toml` of the folder `settings`, or the defaults without a file.

    Raises ConfigError, which names the file, the key and its allowed values.
    """
    return load_config_file(settings / FILE, data)


def load_config_file(file: Path, data: Path) -> Config:
    """The configuration in this file, or the defaults without it. Raises ConfigError."""
    values = _read(file)
    try:
        return Config(data=data, **_checked(Config, values, ""))
    except ConfigError as error:
        raise ConfigError(LazyText("{file}: {error}", file=file, error=error)) from None


def _read(file: Path) -> dict[str, Any]:
    try:
        # Reading a pipe would block for ever.
        special = file.exists() and not file.is_file()
        text = "" if special else written_text(file.read_bytes())
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise ConfigError(
            lazy_gettext("{file} cannot be read: {reason}.", file=file, reason=os_reason(error))
        ) from None
    except UnicodeDecodeError as error:
        raise ConfigError(
            lazy_gettext(
                "{file} is not UTF-8 at byte {start}. Save it as UTF-8.",
                file=file,
                start=error.start,
            )
        ) from None
    if special:
        raise ConfigError(lazy_gettext("{file} is not a regular file.", file=file))
    try:
        return decode_toml(text)
    except ValueError as error:
        raise ConfigError(
            lazy_gettext("{file} is not TOML: {reason}", file=file, reason=toml_reason(error))
        ) from None


def _checked(kind: type[msgspec.Struct], values: Mapping[str, Any], within: str) -> dict[str, Any]:
    """The values of a table by field, converted and within range."""
    hints = _hints(kind)
    checked = {}
    for key, value in values.items():
        name = within + key
        if key not in hints:
            raise ConfigError(_unknown(name))
        hint = hints[key]
        if isinstance(hint, type) and issubclass(hint, msgspec.Struct):
            if not isinstance(value, Mapping):
                raise ConfigError(
                    lazy_gettext(
                        "{name} must be a table. Begin it with the line [{name}].", name=name
                    )
                )
            checked[key] = hint(**_checked(hint, value, f"{name}."))
            continue
        try:
            checked[key] = msgspec.convert(value, hint)
        except msgspec.ValidationError:
            raise ConfigError(why_refused(hint, value, name, bare=True)) from None
    return checked


@cache
def _hints(kind: type[msgspec.Struct]) -> dict[str, Any]:
    hints = get_type_hints(kind, include_extras=True)
    return {key: hints[key] for key in kind.__struct_fields__ if key != "data"}


def keys() -> dict[str, Any]:
    """The type of every key by its full name, such as `lights.night`."""
    return _keys(Config, "")


def _keys(kind: type[msgspec.Struct], within: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, hint in _hints(kind).items():
        name = within + key
        if isinstance(hint, type) and issubclass(hint, msgspec.Struct):
            found |= _keys(hint, f"{name}.")
        else:
            found[name] = hint
    return found


def _unknown(name: str) -> str:
    # The key may be in the wrong table. Among keys of the same name in several tables, suggest the
    # one of this table, or else the first.
    table, _, own = name.rpartition(".")
    candidates = sorted(keys(), key=lambda key: key.rpartition(".")[0] != table)
    known = {key.rpartition(".")[2]: key for key in reversed(candidates)}
    return suggest(
        lazy_gettext("{name} is not a key.", name=name),
        own,
        known,
        lazy_gettext("The keys are {keys}.", keys=", ".join(keys())),
        name=known.__getitem__,
    )
