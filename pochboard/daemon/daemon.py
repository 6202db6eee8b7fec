"""The daemon: connects store, table, board and server, and runs until it is stopped."""

from __future__ import annotations

import contextlib
import ctypes
import faulthandler
import logging
import os
import secrets
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import Final

import msgspec

from pochboard.backup import BackupService, apply_restore
from pochboard.boards import lights_of, make_board
from pochboard.boards.base import Board
from pochboard.boards.pico.firmware_installer import button_pins
from pochboard.buttons.press import PressTimes
from pochboard.buttons.settings import Question
from pochboard.config import Config, Gpio, optional_part
from pochboard.daemon.drivers import ScreenDriver, SoundDriver
from pochboard.errors import ConfigError, DamagedLedgerError, PartDiedError
from pochboard.lights.lights_config import LightsConfig
from pochboard.rulesets import RulesetCatalog
from pochboard.rulesets.house_rules import HouseRules
from pochboard.runtime.process import (
    SWITCHED_OFF,
    DaemonInfo,
    DaemonLock,
    ServiceManager,
    StopEvent,
)
from pochboard.runtime.threads import STATUS, HealthMonitor, Part
from pochboard.server.context import Context, Reach
from pochboard.server.routes.pairing import terminal_code
from pochboard.server.server import Server
from pochboard.store import Store
from pochboard.store.durable import fleeting, with_found
from pochboard.table.bot_runner import BotRunner
from pochboard.table.part import Driver, Seat
from pochboard.table.snapshot import BoardInfo, Setup
from pochboard.table.table import Table
from pochboard.text.lazy import LazyText
from pochboard.views.screen import Reachable

log = logging.getLogger(__name__)

Say = Callable[[str], None]

_ADDRESSES_S: Final = 10.0
"""How often to check this machine's addresses for changes; reading them takes a millisecond."""
_M_ARENA_MAX: Final = -8
"""From glibc's malloc.h."""
MakeBoard = Callable[[Config, LightsConfig], Board]
LOOPBACK = ("127.0.0.1", "localhost", "::1")


@contextlib.contextmanager
def daemon(
    config: Config,
    catalog: RulesetCatalog,
    died: Callable[[str], None] = lambda _: None,
    switch_off: Callable[[], None] | None = None,
    make_board: MakeBoard = make_board,
) -> Iterator[Server]:
    """Runs a daemon for as long as the context lasts. Calls `died` if one of its parts ends.

    `switch_off` is called when the players switch the machine off at the board. `make_board` may
    check first what the board needs.

    Raises LedgerInUseError, LedgerError, ConfigError, BoardError, ListenError.
    """
    # With a heap for each thread, glibc's default, no other thread can use what one frees.
    with contextlib.suppress(AttributeError):  # other C libraries have no such setting
        ctypes.CDLL(None).mallopt(_M_ARENA_MAX, 1)
    house_rules = HouseRules(catalog)
    left_open, config = _left_open(config), with_found(config)
    setup = _setup(config, house_rules, switch_off)
    token = secrets.token_urlsafe(32)
    with contextlib.ExitStack() as stack:
        board = make_board(config, setup.lights)
        lock = stack.enter_context(DaemonLock(config.data, DaemonInfo(os.getpid(), token=token)))
        replaced = apply_restore(config.data)
        if replaced:
            log.warning("the ledger was restored from a backup; the earlier one is in %s", replaced)
        _warn(config)
        store = stack.enter_context(_open_store(config))
        # A thread that computes yields to the table after 1 ms, not 5.
        sys.setswitchinterval(0.001)
        info = BoardInfo(
            board.kind,
            board.link,
            board.simulated,
            has_sound=board.has_sound,
            order=config.colour_order,
            left_open=left_open,
        )
        table = Table(store, setup, info, board.show)
        bots = BotRunner(table)
        manager = ServiceManager()
        health = HealthMonitor(manager, died)
        boundary = table.boundary
        boundary.failed = lambda: health.hurry("view")
        context = Context(
            config=config,
            table=table,
            house_rules=house_rules,
            backups=BackupService(store, config.data, catalog.settings),
            bots=bots,
            health=health,
            closed=lambda: board.closed,
            pins=_pins_of(config),
            local_token=token,
        )
        server = Server(context)
        # They stop in reverse order: first the monitor, then the server, the bots, the board, which
        # sends the presses, and the table last.
        stack.callback(server.stop)
        server.bind()
        table.start()
        stack.callback(table.stop)
        stack.callback(board.close)
        stack.callback(bots.close)
        stack.callback(server.stop)
        board.start(table)
        server.start()
        lock.update(_local_url(config.host, server.port))
        screen = ScreenDriver(table, board, lambda: _reachable(context))
        sound = SoundDriver(table, board, config.volume)
        seat = Seat(table, store, setup.resolve, lambda: _reachable(context).url)
        optional = {
            name: tuple(optional_part(name).make(seat, settings))
            for name, settings in config.parts.items()
        }
        drivers: list[Driver] = [screen, sound, *chain.from_iterable(optional.values())]
        for driver in drivers:
            stack.callback(driver.close)
            driver.start()
        stack.callback(health.close)
        health.watch(
            [
                Part("table", table.worker.ping, table.worker.is_alive),
                Part("board", board.ping, board.is_alive),
                Part("web", server.ping, server.is_alive),
                Part("display", screen.ping, screen.is_alive),
                # They answer at once: people can play on while one of them fails or hangs.
                Part("view", problem=lambda: boundary.problem),
                *(
                    Part(name, problem=partial(_problem, name, made))
                    for name, made in optional.items()
                ),
            ],
            store.check,
        )
        manager.notify("READY=1", f"STATUS={STATUS}")
        stack.callback(manager.notify, "STOPPING=1")
        yield server


def _warn(config: Config) -> None:
    """Logs what makes a start pointless although it succeeds."""
    if kind := fleeting(config.data):
        log.warning("%s is on %s: its ledger is lost at the next start", config.data, kind)
    if config.board == "none" and "sheets" not in config.parts:
        log.warning("there is no board, and sheets.from names no folder to collect nights from")


def _problem(name: str, drivers: Sequence[Driver]) -> LazyText:
    """What is wrong with the first driver of an optional part that does not work."""
    problem = optional_part(name).problem
    return next(filter(None, map(problem, drivers)), LazyText(""))


def _reachable(context: Context) -> Reachable:
    """How phones reach the page, for the display. A code with an address works for all phones."""
    if context.config.host in LOOPBACK:
        return Reachable()
    reach = context.reach()
    url = reach.numeric or next(iter(reach.urls), "")
    if reach.wifi is None:
        return Reachable(url)
    return Reachable(url, reach.wifi.name, reach.wifi.password, reach.wifi.qr_text)


def _left_open(config: Config) -> tuple[Question, ...]:
    """What the configuration does not say about a real board."""
    if config.board not in ("gpio", "pico"):
        return ()
    is_open: dict[Question, bool] = {
        "language": not config.language,
        "places": not config.places,
        "colours": config.colour_order == Gpio().order,
    }
    return tuple(question for question in is_open if is_open[question])


def _pins_of(config: Config) -> Mapping[str, str]:
    """The pin of each button, as labelled on the board; empty for the simulated board."""
    if config.board == "gpio":
        pins = msgspec.structs.asdict(config.gpio.pins)
        return {button: f"GPIO {number}" for button, number in pins.items()}
    return button_pins() if config.board == "pico" else {}


def _open_store(config: Config) -> Store:
    """The ledger. A damaged one can only be read, and the board and the page show why."""
    try:
        return Store.open(config.ledger)
    except DamagedLedgerError as error:
        store = Store.open_damaged(config.ledger, error, or_empty=True)
        log.warning("%s", error)
        return store


def _setup(config: Config, house_rules: HouseRules, switch_off: Callable[[], None] | None) -> Setup:
    """The table's setup from the configuration. Raises ConfigError."""
    lights = lights_of(config)
    seconds = config.times
    if seconds.off_s <= seconds.next_long_s:
        raise ConfigError("times.off_s must be longer than times.next_long_s.")
    times = PressTimes(
        **{
            f"{key}_us": round(getattr(seconds, f"{key}_s") * 1_000_000)
            for key in (name.removesuffix("_us") for name in PressTimes.__struct_fields__)
        }
    )
    return Setup(
        resolve=house_rules.resolve,
        times=times,
        lights=lights,
        window_s=seconds.pairing_window_s,
        # Everybody on the LAN may hold `next` on the drawn board.
        switch_off=switch_off if config.switch_off and config.board != "simulator" else None,
        language=config.language or None,
        silent=config.volume == 0,
    )


def run_daemon(
    config: Config,
    catalog: RulesetCatalog,
    say: Say,
    stop: StopEvent,
    *,
    make_board: MakeBoard,
    may_switch_off: bool,
) -> bool:
    """Runs the daemon until the event is set, or until the players switch it off at the board.

    Returns whether they did. They can do so only if it `may_switch_off` the machine. Raises what
    `daemon` raises, and PartDiedError if a part has died.
    """
    dead: list[str] = []
    switched_off = threading.Event()

    def end() -> None:
        # As a signal does, so that the time to stop is limited.
        os.kill(os.getpid(), signal.SIGTERM)

    def died(name: str) -> None:
        if not dead and not stop.is_set():
            dead.append(name)
            end()

    def thread_ended(how: threading.ExceptHookArgs) -> None:
        name = how.thread.name if how.thread else "an unknown thread"
        error = (how.exc_type, how.exc_value or how.exc_type(), how.exc_traceback)
        log.critical("The thread of %s has ended.", name, exc_info=error)
        died(name)

    def switch_off() -> None:
        switched_off.set()
        # Even if a part hangs while the daemon stops, the players have switched the machine off.
        stop.forced_status = SWITCHED_OFF
        end()

    # The terminal from which it was started may be closed.
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    if sys.stderr is not None:
        # When systemd gives up on a daemon that hangs, it sends SIGABRT. The stack of each thread
        # is then printed.
        faulthandler.enable()
    threading.excepthook = thread_ended
    asked = switch_off if may_switch_off else None
    with daemon(config, catalog, died, asked, make_board) as server:
        follow_addresses(server.context, say, stop)
        say("Good night.")
    if dead:
        raise PartDiedError(f"A part of the daemon has died ({dead[0]}). Start the daemon again.")
    return switched_off.is_set()


def follow_addresses(context: Context, say: Say, stop: threading.Event) -> None:
    """Says where the page is, on the LAN with a QR code for phones, until the event is set.

    Says it again whenever that changes: the daemon does not wait for a network, and a network may
    come and go.
    """
    config = context.config
    if config.host in LOOPBACK:
        what = "The nights are collected" if config.board == "none" else "The table is set"
        say(f"{what}: {context.reach().urls[0]}")
        say(
            "Only this machine can see it; with --lan, phones in the house can, too. Ctrl-C "
            "stops it."
        )
        stop.wait()
        return
    shown = context.reach()
    _say_reach(shown, say, "The table is set.")
    say("Ctrl-C stops it.")
    while not stop.wait(_ADDRESSES_S):
        reach = context.reach()
        if reach != shown:
            shown = reach
            _say_reach(reach, say, "The network has changed.")


def _say_reach(reach: Reach, say: Say, why: str) -> None:
    if reach.wifi is not None:
        # The password does not belong in the log.
        say(f"{why} Phones can join the Wi-Fi “{reach.wifi.name}”: sudo pochboard wifi")
        why = "Then open the page."
    if reach.numeric is None:
        say(
            f"{why} There is no network yet. You can play at the board; the page's address"
            " will follow."
        )
        return
    say(f"{why} Point a phone's camera at the code, or open one of these:")
    for url in reach.urls:
        say(f"  {url}")
    say(terminal_code(reach.numeric))


def _local_url(host: str, port: int) -> str:
    """The URL at which commands on this machine reach the daemon."""
    reached = {"0.0.0.0": "127.0.0.1", "::": "127.0.0.1"}.get(host, host)  # noqa: S104
    return f"http://[{reached}]:{port}" if ":" in reached else f"http://{reached}:{port}"
