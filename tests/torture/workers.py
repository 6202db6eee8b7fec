"""What the long tests share: a command line with a verdict, and processes with the shim preloaded.

A module that has such processes play defines the structs `Task` and `Result`, and `play`, which
makes the one of the other.
"""

from __future__ import annotations

import argparse
import importlib
import logging
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from random import Random
from typing import Final, TypeVar

import msgspec

from tests.torture.shim import library

Result = TypeVar("Result")
REPORTED: Final = 20
"""How many problems are printed."""


def campaign(
    title: str,
    play: Callable[[argparse.Namespace], tuple[str, Sequence[str]]],
    **numbers: int | None,
) -> None:
    """A program with the options --seed, --jobs and some numbers, which ends with a verdict.

    `play` returns what was done and the problems that were found.
    """
    parser = argparse.ArgumentParser(description=sys.modules["__main__"].__doc__)
    parser.add_argument("--seed", default=f"{Random().randrange(10**9)}")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes")
    for name, default in numbers.items():
        parser.add_argument(f"--{name}", type=int, default=default)
    args = parser.parse_args()
    print(f"{title}, --seed {args.seed}", flush=True)
    begun = time.monotonic()
    done, problems = play(args)
    for problem in problems[:REPORTED]:
        print(problem)
    verdict = "FAILED" if problems else "passed"
    seconds = time.monotonic() - begun
    print(f"{title}: {done}, {len(problems)} problems, {seconds:.0f} s: {verdict}")
    sys.exit(bool(problems))


def play_all(
    module: str, tasks: Iterable[msgspec.Struct], result: type[Result], jobs: int = 1
) -> Iterator[Result]:
    """The results of a module's tasks as they arrive; so many processes at once, one for each."""
    words = [sys.executable, "-m", "tests.torture.workers", module]
    environment = {**os.environ, "LD_PRELOAD": str(library())}

    def play(task: msgspec.Struct) -> Result:
        given = msgspec.json.encode(task)
        done = subprocess.run(
            words, env=environment, input=given, stdout=subprocess.PIPE, check=False
        )
        assert not done.returncode, f"it ended with {done.returncode}: {task}"
        return msgspec.json.decode(done.stdout, type=result)

    with ThreadPoolExecutor(jobs) as executor:
        for done in as_completed([executor.submit(play, task) for task in tasks]):
            yield done.result()


if __name__ == "__main__":
    logging.disable()
    played = importlib.import_module(sys.argv[1])
    task = msgspec.json.decode(sys.stdin.buffer.read(), type=played.Task)
    sys.stdout.buffer.write(msgspec.json.encode(played.play(task)))
