"""What the routes work with; an application passes it to them."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, TypeVar
from urllib.parse import urlsplit

import msgspec

from pochboard.backup import BackupService
from pochboard.config import Config
from pochboard.errors import RefusedInput, refused_event
from pochboard.lights.frame import Frame, hex_colours
from pochboard.lights.lights_config import LightsConfig
from pochboard.rulesets import RulesetCatalog
from pochboard.rulesets.house_rules import HouseRules
from pochboard.runtime.process import LastFault
from pochboard.runtime.threads import ErrorBoundary, HealthMonitor
from pochboard.server.arrival import Arrival, chosen_language, current_arrival
from pochboard.server.errors import ApiError
from pochboard.server.hosts import KnownHosts, is_address, is_loopback, plain_address
from pochboard.store import Pairing
from pochboard.table.bot_runner import BotRunner
from pochboard.table.pairing import not_paired
from pochboard.table.snapshot import Snapshot
from pochboard.table.table import NO_TABLE, Table
from pochboard.text.translator import Translator
from pochboard.views.board import FrameEvent
from pochboard.views.state import state_answer
from pochboard.wifi import WifiState, read_state

T = TypeVar("T")
D = TypeVar("D")

_SNAPSHOTS_KEPT: Final = 32


class SnapshotCache:
    """The JSON of snapshots and frames, encoded once for any number of clients."""

    def __init__(
        self, lights: LightsConfig, house_rules: HouseRules, boundary: ErrorBoundary
    ) -> None:
        self._lights = lights
        self._boundary = boundary
        self._house_rules = house_rules
        self._states: dict[tuple[int, str, bool], tuple[RulesetCatalog, bytes]] = {}
        """With the catalog of that moment, because rulesets change without a new snapshot."""
        self._frames: tuple[tuple[Frame, bytes], ...] = ()

    def state(self, snapshot: Snapshot, t: Translator, *, paired: bool) -> bytes:
        """The JSON of a snapshot for a paired client, or for one that is not. Thread-safe."""
        key = snapshot.revision, t.language, paired
        catalog = self._house_rules.catalog
        known = self._states.get(key)
        if known is not None and known[0] is catalog:
            return known[1]
        rulesets = catalog.rulesets

        def attempt(part: str, act: Callable[[], T], default: D) -> T | D:
            return self._boundary.attempt(f"{part} ({t.language})", act, default)

        answer = state_answer(snapshot, self._lights, t, attempt, paired=paired, rulesets=rulesets)
        encoded = msgspec.json.encode(answer)
        if len(self._states) >= _SNAPSHOTS_KEPT:
            self._states.clear()
        self._states[key] = catalog, encoded
        return encoded

    def refused(self, refused: RefusedInput, t: Translator) -> bytes:
        """The JSON of a refusal; empty if its sentence fails."""
        return self._boundary.attempt(
            f"refusal {refused.code} ({t.language})",
            lambda: msgspec.json.encode(refused_event(refused, t)),
            b"",
        )

    def frame(self, frame: Frame) -> bytes:
        """The JSON of a frame. The last two are cached, with and without a pairing code."""
        for known, encoded in self._frames:
            if known == frame:
                return encoded
        encoded = msgspec.json.encode(FrameEvent(hex_colours(frame)))
        self._frames = ((frame, encoded), *self._frames[:1])
        return encoded


class Reach(msgspec.Struct, frozen=True):
    """How phones reach the page."""

    urls: list[str]
    """The addresses to type in, best first."""
    wifi: WifiState | None = None
    """The machine's own Wi-Fi, if it is open."""

    @property
    def numeric(self) -> str | None:
        """The best address for a code: not every phone can resolve names on the LAN."""
        return next((url for url, host in self._hosts() if is_address(host)), None)

    @property
    def named(self) -> str | None:
        """The best address that has a name, which is easier to type in."""
        return next((url for url, host in self._hosts() if not is_address(host)), None)

    def _hosts(self) -> Iterator[tuple[str, str]]:
        """The addresses that other machines may reach, with their hosts."""
        for url in self.urls:
            host = urlsplit(url).hostname or ""
            if host != "localhost" and not is_loopback(host):
                yield url, host


class Client(msgspec.Struct, frozen=True):
    """Who sent a request, and what they may do."""

    address: str
    paired: bool
    """Whether it may change anything."""
    pairing: Pairing | None = None
    token: str | None = None
    """The cookie's token, if the pairing is by cookie and valid."""


@dataclass(kw_only=True)
class Context:
    """The table and what belongs to it. The routes are passed it."""

    config: Config
    table: Table
    house_rules: HouseRules
    backups: BackupService
    bots: BotRunner | None = None
    """Plays at the simulated board; None only where a test has none."""
    health: HealthMonitor = field(default_factory=HealthMonitor)
    """Finds faults, which clients are told."""
    closed: Callable[[], frozenset[str]] = frozenset
    """The buttons whose contacts are closed now."""
    pins: Mapping[str, str] = field(default_factory=dict)
    """The pin of each button, as a builder reads it; empty if the board has no wires."""
    local_token: str | None = None
    """Admits the command line on this machine, which gets it from a file that only the daemon's
    user can read."""

    def __post_init__(self) -> None:
        self.hosts = KnownHosts(self.config.names, bound=self.config.host)
        self.port = self.config.port
        """The port of the web server, once it is bound."""
        self.snapshots = SnapshotCache(self.table.lights, self.house_rules, self.table.boundary)
        self.faults = LastFault()
        self.stopping = threading.Event()

    def reach(self, arrived: str | None = None) -> Reach:
        """How phones reach the page now. `arrived` is where this one came in (`KnownHosts`)."""
        wifi, urls = read_state(), self.hosts.urls(self.port, arrived)
        return Reach(urls, wifi if wifi is not None and wifi.mode == "own" else None)

    @property
    def has_table(self) -> bool:
        """Whether people play here; a machine without a board only collects nights."""
        return self.table.snapshot.board.kind != "none"

    @property
    def catalog(self) -> RulesetCatalog:
        """The rulesets as they are now."""
        return self.house_rules.catalog

    def adopt_language(self) -> None:
        """Makes the language of a page that of the board's display, if nobody has chosen one.

        Whoever plays at the simulated board may never pair a phone.
        """
        language = chosen_language()
        if language is not None and self.table.snapshot.settings.language is None:
            self.table.settings.adopt(language=language)

    def client_of(self, arrival: Arrival) -> Client:
        """The client that sent a request. May wait for the table."""
        token = arrival.token
        pairing = self.table.pairings.of(token) if token else None
        if token and pairing:
            return Client(arrival.address, paired=True, pairing=pairing, token=token)
        scheme, _, given = arrival.headers.get("authorization", "").partition(" ")
        is_local = self._is_at_the_simulator(arrival)
        if self.local_token and scheme.lower() == "bearer":
            is_local |= secrets.compare_digest(given.strip().encode(), self.local_token.encode())
        return Client(arrival.address, paired=is_local)

    def _is_at_the_simulator(self, arrival: Arrival) -> bool:
        """Whether it is a client on this machine, which is as paired without a board of wood.

        Clients of a proxy on this machine are elsewhere, so they do not count (BOARD.md 5).
        """
        board = self.table.snapshot.board
        if not (board.simulated or board.kind == "none") or not arrival.direct:
            return False
        # A connection to this machine's own address on the LAN has that address at both ends.
        address, own = plain_address(arrival.address), plain_address(arrival.own_address)
        return is_loopback(address) or address == own

    def client(self) -> Client:
        """The client that sent the current request."""
        return self.client_of(current_arrival())

    def paired_client(self) -> Client:
        """The client that sent the current request. Raises ApiError 401 if it is not paired."""
        client = self.client()
        if not client.paired:
            hold_us = self.table.snapshot.times.next_long_us
            raise ApiError(401, not_paired(hold_us) if self.has_table else NO_TABLE)
        return client
