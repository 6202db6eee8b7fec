"""The configuration of the daemon. `config_file.py` reads it.

All keys are optional; docs/CONFIG.md lists them with their defaults.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from ipaddress import ip_network
from pathlib import Path
from typing import Annotated, Any, Final, Literal, Self

import msgspec
from msgspec import Meta

from pochboard.errors import ConfigError
from pochboard.text.unicode_names import is_unfit, shown

LEDGER: Final = "ledger.db"

Pin = Annotated[int, Meta(ge=2, le=27)]
# Python's resolver raises UnicodeError for an empty label, and for one of more than 63 characters.
LABELS: Final = r"(?!\.|\S*\.\.|\S*[^.\s]{64})"
Host = Annotated[str, Meta(pattern=rf"\A{LABELS}\S+\Z")]
HostNames = tuple[
    Annotated[str, Meta(pattern=r"\A[0-9A-Za-z][0-9A-Za-z.-]{0,252}(:[0-9]{1,5})?\Z")], ...
]
PREFIX: Final = r"(/(?!\.{1,2}(/|\Z))[0-9A-Za-z._~-]+)+"
"""A path below which a proxy may serve the page."""
OWN_PATHS: Final = (
    "api", "build", "healthz", "manifest.webmanifest", "nights", "rules", "static",
    "statistics", "tv",
)  # fmt: skip
"""What the paths of the page and the API begin with."""
Prefix = Annotated[
    str, Meta(max_length=200, pattern=rf"\A((?!/({'|'.join(OWN_PATHS)})(/|\Z)){PREFIX})?\Z")
]
TrustedProxies = tuple[str, ...]
Palette = Annotated[
    tuple[Annotated[str, Meta(pattern=r"\A#[0-9a-fA-F]{6}\Z")], ...],
    Meta(min_length=6, max_length=6),
]
SerialPort = Annotated[str, Meta(pattern=r"\A(/\S+)?\Z")]
BoardId = Annotated[str, Meta(pattern=r"\A([0-9A-Fa-f]{16})?\Z")]
Folder = Annotated[str, Meta(pattern=r"\A(/[^\x00-\x1f]*)?\Z")]
WifiName = Annotated[str, Meta(pattern=r"\A[ -~]{1,32}\Z")]
WifiPassword = Annotated[str, Meta(pattern=r"\A([ -~]{8,63})?\Z")]
I2cBus = Annotated[str, Meta(pattern=r"\A(/dev/i2c-[0-9]{1,3})?\Z")]


PARTS: Final[Mapping[str, str]] = {
    "mqtt": "pochboard.mqtt",
    "sheets": "pochboard.daemon.sheet_folders",
}
"""The optional parts (`table/part.py`): the module of each, by the name of its table.

Its `PART` is imported only where the table says something.
"""


def optional_part(name: str) -> Any:
    """An optional part, an `OptionalPart`."""
    return import_module(PARTS[name]).PART


def check_host(key: str, address: str) -> None:
    """Checks that this is an address or a host name alone. Raises ConfigError."""
    if is_unfit(address) or any(mark in address for mark in "'\"“”„‘’‚`"):
        raise ConfigError(f"{key}: {shown(address)} has a character that no host name has")
    # A single colon stands before a port; an IPv6 address has more of them.
    if address.count(":") == 1 or any(mark in address for mark in "/@[]"):
        raise ConfigError(
            f"{key}: {address} is not an address or a host name alone, without scheme, port or path"
        )


class Times(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
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


class Lights(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The lights: the table `[lights]`. `LightsConfig` checks that the values fit together."""

    pixels_per_ring: Annotated[int, Meta(ge=4, le=64)] = 12
    limit_ma: Annotated[int, Meta(ge=100, le=20_000)] = 3000
    brightness: Annotated[float, Meta(gt=0, le=1)] = 1.0
    gamma: Annotated[float, Meta(ge=1, le=4)] = 2.2
    night: bool = False
    palette: Palette = ("#00adee", "#dbee00", "#c60090", "#00ffc6", "#0000ff", "#ee9000")


class Pins(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
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
ColourOrder = Literal["RGB", "RBG", "GRB", "GBR", "BRG", "BGR"]
"""The order in which pixels expect their colours."""


class Gpio(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The board on a Pi's own header: the table `[gpio]`."""

    driver: Literal["neopixel", "neopixel_spi"] = "neopixel"
    kind: PixelKind = "rgb"
    order: ColourOrder = "GRB"
    display: I2cBus = ""
    piezo: bool = False
    pins: Pins = Pins()


class PicoTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The board with a Raspberry Pi Pico on USB: the table `[pico]`."""

    port: SerialPort = ""
    id: BoardId = ""
    kind: PixelKind = "rgb"
    order: ColourOrder = "GRB"


class WifiTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The Wi-Fi that the machine opens where it finds no known network: the table `[wifi]`."""

    own: bool = True
    name: WifiName = "pochboard"
    password: WifiPassword = ""
    open: bool = False
    wait_s: Annotated[float, Meta(ge=10, le=600)] = 45.0


Design = Literal["modern", "1713", "plain"]
"""What is engraved on the board besides names."""


class Config(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All settings of the daemon. `data`, the folder of the ledger, is not read from the file."""

    data: Path
    host: Host = "127.0.0.1"
    port: Annotated[int, Meta(ge=0, le=65_535)] = 8441
    board: Literal["simulator", "gpio", "pico", "none"] = "simulator"
    names: HostNames = ()
    prefix: Prefix = ""
    trusted_proxies: TrustedProxies = ()
    backup_to: Folder = ""
    backups_kept: Annotated[int, Meta(ge=1, le=10_000)] = 60
    switch_off: bool = True
    places: Literal[0, 3, 4, 5, 6, 7, 8] = 0
    design: Design = "modern"
    language: Literal["", "de", "en"] = ""
    volume: Annotated[float, Meta(ge=0, le=1)] = 0.5
    times: Times = Times()
    lights: Lights = Lights()
    gpio: Gpio = Gpio()
    pico: PicoTable = PicoTable()
    wifi: WifiTable = WifiTable()
    parts: Mapping[str, Any] = {}
    """The settings of the optional parts that there are, by the names of their tables."""

    def __post_init__(self) -> None:
        """Checks what the types do not express. Raises ConfigError."""
        check_host("host", self.host)
        for name in self.names:
            if int(name.partition(":")[2] or 1) not in range(1, 65_536):
                raise ConfigError(f"names: {name} has no port from 1 to 65535")
        for proxy in self.trusted_proxies:
            try:
                ip_network(proxy, strict=False)
            except ValueError as error:
                raise ConfigError(f"trusted_proxies: {error}") from None
        for name, settings in self.parts.items():
            if refusal := optional_part(name).refuse(settings, self.board):
                raise ConfigError(f"{name}.{refusal}")

    @property
    def ledger(self) -> Path:
        """The file of the ledger."""
        return self.data / LEDGER

    @property
    def colour_order(self) -> ColourOrder:
        """The order in which the board's pixels expect their colours."""
        return self.pico.order if self.board == "pico" else self.gpio.order

    @property
    def number_of_places(self) -> int:
        """The places round the rim: 8 until somebody says otherwise."""
        return self.places or 8

    def with_found(self, order: ColourOrder | None, places: int | None) -> Self:
        """A copy with the order of the colours and the places that people have found out.

        An order comes before the configured one, a number of places after it.
        """
        order = order or self.colour_order
        return msgspec.structs.replace(
            self,
            places=self.places or places or 0,
            gpio=msgspec.structs.replace(self.gpio, order=order),
            pico=msgspec.structs.replace(self.pico, order=order),
        )
