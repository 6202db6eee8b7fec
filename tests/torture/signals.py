"""Signals at random moments of a daemon's life: python -m tests.torture.signals --trials 2000.

Each trial starts a real daemon, sends SIGINT or SIGTERM once or several times, and checks how the
process ended and what it left behind. Apart from the machine's timing, a trial depends only on its
seed.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Final

import msgspec

from pochboard.runtime.lock import find_daemon
from pochboard.store import Store
from tests.shell.daemons import Daemon, Home
from tests.shell.server_kit import LONG_S

INTERRUPTED: Final = "pochboard: Interrupted.\n"
_ENDED: Final = {
    (0, ""): "stopped cleanly",
    (130, INTERRUPTED): "interrupted before it had started",
    (-signal.SIGTERM, INTERRUPTED): "interrupted before it had started",
    (-signal.SIGTERM, ""): "terminated before it had started",
    (-signal.SIGINT, ""): "interrupted before Python had started",
}
"""The meaning of a status and standard error."""


class Trial(msgspec.Struct, frozen=True):
    """Which signals are sent, and when."""

    served: bool
    """Whether the first signal waits until the daemon serves."""
    pauses_s: tuple[float, ...]
    """Seconds before each signal."""
    signals: tuple[signal.Signals, ...]


def make_trial(seed: int, longest_s: float = 0.7) -> Trial:
    """The trial of a seed. The first signal comes within `longest_s` of the start."""
    chance = random.Random(seed)
    served = chance.random() < 0.3
    times = chance.choice((1, 1, 2, 2, 3))
    first_s = chance.uniform(0, 0.05 if served else longest_s)
    later_s = [chance.choice((0.0, chance.uniform(0, 0.2))) for _ in range(times - 1)]
    return Trial(
        served,
        (first_s, *later_s),
        tuple(chance.choice((signal.SIGINT, signal.SIGTERM)) for _ in range(times)),
    )


def run_trial(trial: Trial, folder: Path) -> str:
    """Runs a trial in an empty folder; returns how the daemon ended. Raises AssertionError."""
    home = Home(folder)
    home.installed = True
    daemon = home.launch("--port", "0")
    try:
        if trial.served:
            daemon.wait_for_address()
        for pause_s, number in zip(trial.pauses_s, trial.signals, strict=True):
            time.sleep(pause_s)
            daemon.process.send_signal(number)
        status = daemon.process.wait(LONG_S)
        return _check(daemon, status)
    finally:
        daemon.close()


def _check(daemon: Daemon, status: int) -> str:
    assert daemon.process.stdout is not None
    said = daemon.greeting + daemon.process.stdout.read().decode()
    errors = daemon.errors
    if _interpreter_was_starting(errors):
        return "interrupted before Python had started"
    how = _ENDED.get((status, errors))
    assert how is not None, f"status {status}: {errors}"
    assert (status == 0) == said.endswith("Good night.\n"), (status, said)
    assert find_daemon(daemon.home.data) is None
    if daemon.home.ledger.exists():
        with Store.open(daemon.home.ledger) as store:
            assert store.all_nights() == []
    return how


def _interpreter_was_starting(errors: str) -> bool:
    """Whether Python itself was interrupted before the first line of the program."""
    # SIGTERM may cut short the message of a Ctrl-C just before it.
    python_said = "KeyboardInterrupt" in errors or errors.startswith("Traceback")
    return python_said and "/pochboard/" not in errors.replace("/pochboard/cli/__init__.py", "")


def _run(seed: int) -> str:
    with tempfile.TemporaryDirectory() as name:
        return run_trial(make_trial(seed), Path(name))


def main() -> None:
    """Runs the trials and prints a verdict."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1, help="of the first trial; they count up")
    parser.add_argument("--jobs", type=int, default=2 * (os.cpu_count() or 1), help="at once")
    args = parser.parse_args()
    print(f"signals, --seed {args.seed} --trials {args.trials}", flush=True)
    # A shell starts background jobs with SIGINT ignored, and the daemons would inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    begun = time.monotonic()
    ends: Counter[str] = Counter()
    failed = 0
    with ThreadPoolExecutor(args.jobs) as executor:
        trials = {executor.submit(_run, args.seed + n): args.seed + n for n in range(args.trials)}
        for done, one in enumerate(as_completed(trials), start=1):
            try:
                ends[one.result()] += 1
            except Exception as error:  # noqa: BLE001 - reported, and the next trial follows
                failed += 1
                seed = trials[one]
                print(f"--seed {seed} --trials 1: {make_trial(seed)}: {error!r}", flush=True)
            if done % 100 == 0:
                seconds = time.monotonic() - begun
                print(f"  {done:,} trials, {failed} failed, {seconds:.0f} s", flush=True)
    for how, count in ends.most_common():
        print(f"{count:6} {how}")
    verdict = "FAILED" if failed else "passed"
    print(f"signals: {args.trials:,} trials from seed {args.seed}, {failed} failed: {verdict}")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
