"""Whole nights in Chromium: from phones, from the board, and from both at once.

    python -m tests.torture.phones --seed 1 --jobs 2

Every ruleset is played in each of the three ways. Sizes of windows, colours, languages and round
trips are dealt out by the seed, so that one run has all of them. After each step the API, the
ledger, the lights and every page agree with a book of this process, to the last chip; what is
tapped is on the screen without scrolling, and taps are counted.
"""

from __future__ import annotations

import argparse
import contextlib
import random
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path
from random import Random
from typing import Any, Final, TypeVar

import msgspec
from playwright.sync_api import Browser, sync_playwright

from pochboard.rules.commands import Start
from pochboard.rules.ruleset_files import shipped_rulesets
from tests.browser.chromium import PATIENCE_MS, launch_chromium
from tests.browser.daemons import LOOPBACK, Daemon
from tests.browser.evening import MOST_TAPS, Evening
from tests.browser.reference import check_the_sheet
from tests.browser.slow_link import slow_link
from tests.browser.watch import Watch
from tests.browser.window import Window
from tests.forked import running_fork_server

SIZES: Final = ((360, 640), (390, 844), (768, 1024), (1280, 800), (1920, 1080))
TOUCHED: Final = 1024
"""Windows up to this height and width belong to devices with a touch screen."""
SCHEMES: Final = ("light", "dark")
LANGUAGES: Final = ("en", "de")
DELAYS_MS: Final = (0, 400)
WAYS: Final = {"phones": 2, "board": 1, "both": 2}
"""How many windows there are if phones play, the board does, or both."""
NAMES: Final = ("Anna", "Benjamin der Jüngere", "Zoë", "Dörte", "Emil", "Friederike")
_Choice = TypeVar("_Choice")


class Look(msgspec.Struct, frozen=True):
    """A window: its size in pixels, its colours, its language and its round trip."""

    size: tuple[int, int]
    scheme: str
    language: str
    delay_ms: int

    def __str__(self) -> str:
        """On one line."""
        width, height = self.size
        return f"{width}x{height} {self.scheme} {self.language} {self.delay_ms} ms"


class Plan(msgspec.Struct, frozen=True):
    """Which night is played, and on what it is shown."""

    number: int
    way: str
    ruleset: str
    players: int
    deals: int
    looks: tuple[Look, ...]

    def __str__(self) -> str:
        """On one line."""
        shown = "; ".join(map(str, self.looks))
        return f"{self.ruleset}, {self.players} players, {self.way}: {shown}"


def plans(seed: str, deals: int) -> list[Plan]:
    """All nights of a run."""
    chance = Random(seed)
    nights = [(way, ruleset) for ruleset in shipped_rulesets() for way in WAYS]
    windows = sum(WAYS[way] for way, _ in nights)
    dealt = zip(
        *(_dealt(chance, all_, windows) for all_ in (SIZES, SCHEMES, LANGUAGES, DELAYS_MS)),
        strict=True,
    )
    looks = iter([Look(*look) for look in dealt])
    return [
        Plan(
            number,
            way,
            ruleset,
            chance.randint(3, 6),
            deals,
            tuple(next(looks) for _ in range(WAYS[way])),
        )
        for number, (way, ruleset) in enumerate(nights, 1)
    ]


def _dealt(chance: Random, choices: Sequence[_Choice], count: int) -> list[_Choice]:
    """Each choice as often as every other, in random order."""
    chosen = [choices[number % len(choices)] for number in range(count)]
    chance.shuffle(chosen)
    return chosen


def play(seed: str, plan: Plan) -> tuple[Counter[tuple[str, int]], Counter[str]]:
    """Plays a night. Returns how often a command took how many taps, and who sent how many."""
    with (
        tempfile.TemporaryDirectory(prefix="phones") as name,
        running_fork_server(),
        sync_playwright() as playwright,
        contextlib.closing(launch_chromium(playwright)) as browser,
        contextlib.ExitStack() as running,
    ):
        folder, watch = Path(name), Watch()
        daemon = Daemon(folder)
        daemon.start()
        running.callback(daemon.stop)
        windows = [running.enter_context(_window(browser, daemon, watch, x)) for x in plan.looks]
        # Of two taps at the same moment, one is refused.
        watch.expect_refusals(409)
        # On a busy machine Chromium waits longer for the modules than it likes.
        watch.expect("was preloaded using link preload but not used")
        evening = Evening(
            windows,
            daemon,
            f"{seed} {plan.number}",
            phones=plan.way != "board",
            board=plan.way != "phones",
        )
        chance = Random(f"{seed} {plan.number}")
        places = chance.sample(range(1, 9), plan.players)
        if plan.way == "board":
            places.sort()  # the board lists players by their places
        start = Start(
            ruleset=plan.ruleset,
            players=NAMES[: plan.players],
            places=tuple(places),
            dealer=chance.randint(1, plan.players),
        )
        try:
            evening.play(start, plan.deals)
            check_the_sheet(daemon, evening.book.night)
        except BaseException:
            for number, window in enumerate(windows):
                window.page.screenshot(path=f"/tmp/phones-{plan.number}-{number}.png")
            raise
        assert not watch.complaints, "\n".join(watch.complaints)
        assert not daemon.complaints, "\n".join(daemon.complaints)
        watch.close()
        return evening.taps, evening.by


@contextlib.contextmanager
def _window(browser: Browser, daemon: Daemon, watch: Watch, look: Look) -> Iterator[Window]:
    """A window, behind a slow network if it has a round trip."""
    width, height = look.size
    touch = max(look.size) <= TOUCHED
    options: dict[str, Any] = {
        "viewport": {"width": width, "height": height},
        "has_touch": touch,
        "is_mobile": touch,
        "color_scheme": look.scheme,
        "locale": look.language,
    }
    with contextlib.ExitStack() as stack:
        port = daemon.port
        if look.delay_ms:
            port = stack.enter_context(slow_link(port, look.delay_ms / 2_000)).port
        context = browser.new_context(**options)
        stack.callback(context.close)
        context.set_default_timeout(PATIENCE_MS)
        page = context.new_page()
        watch.follow(page)
        window = Window(page, daemon, watch, host=LOOPBACK, touch=touch)
        window.language, window.is_far = look.language, look.delay_ms > 0
        page.goto(f"http://{LOOPBACK}:{port}/")
        window.wait_until_live()
        yield window


def main() -> None:
    """Plays the nights, and fails if anything differs in one of them."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seed", default=str(random.randrange(10**9)))
    parser.add_argument("--deals", type=int, default=2, help="of each night")
    parser.add_argument("--only", type=int, nargs="+", help="the numbers of nights")
    parser.add_argument("--jobs", type=int, default=1, help="nights at once")
    parser.add_argument("--plan", action="store_true", help="print the plans and end")
    args = parser.parse_args()
    print(f"phones, --seed {args.seed} --deals {args.deals}", flush=True)
    chosen = [
        plan for plan in plans(args.seed, args.deals) if not args.only or plan.number in args.only
    ]
    if args.plan:
        for plan in chosen:
            print(plan.number, plan)
        return
    begun, failed = time.monotonic(), list[int]()
    taps, by = Counter[tuple[str, int]](), Counter[str]()
    with ProcessPoolExecutor(args.jobs, mp_context=get_context("spawn")) as executor:
        runs = {executor.submit(play, args.seed, plan): plan for plan in chosen}
        for run in as_completed(runs):
            plan = runs[run]
            try:
                found, sent = run.result()
            except Exception:  # noqa: BLE001 - whatever it is, the seed has to be printed
                traceback.print_exc()
                failed.append(plan.number)
                print(f"night {plan.number}: {plan}: FAILED", flush=True)
                continue
            taps += found
            by += sent
            print(f"night {plan.number}: {plan}: {dict(sent)}", flush=True)
    for name in MOST_TAPS:
        counted = {count: times for (one, count), times in sorted(taps.items()) if one == name}
        print(f"taps for {name}: " + ", ".join(f"{n} ({counted[n]}x)" for n in counted))
    said = ", ".join(f"{count} from {who}" for who, count in sorted(by.items()))
    end = f"--only {' '.join(map(str, failed))}: FAILED" if failed else "passed"
    print(f"phones: {len(chosen)} nights ({said}), {time.monotonic() - begun:.0f} s: {end}")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
