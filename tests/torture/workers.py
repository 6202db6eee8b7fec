"""Processes with the shim preloaded that carry out one task after the other.

A module that has them play defines the structs `Task` and `Result`, and `play`, which makes the one
of the other.
"""

from __future__ import annotations

import importlib
import logging
import os
import queue
import subprocess
import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import Any, TypeVar

import msgspec

from tests.torture.shim import library

Result = TypeVar("Result")


def play_all(
    module: str, tasks: Iterable[msgspec.Struct], result: type[Result], jobs: int = 1
) -> Iterator[Result]:
    """The results of a module's tasks as they arrive, from this number of processes."""
    idle: queue.SimpleQueue[subprocess.Popen[bytes]] = queue.SimpleQueue()
    processes = [_start(module) for _ in range(jobs)]
    for process in processes:
        idle.put(process)

    def play(task: msgspec.Struct) -> Result:
        process = idle.get()
        try:
            assert process.stdin
            assert process.stdout
            process.stdin.write(msgspec.json.encode(task) + b"\n")
            process.stdin.flush()
            line = process.stdout.readline()
            assert line, f"it ended with {process.wait()}: {task}"
            return msgspec.json.decode(line, type=result)
        finally:
            # Also after it has ended: otherwise those that wait for it would wait for ever.
            idle.put(process)

    try:
        with ThreadPoolExecutor(jobs) as executor:
            for done in as_completed([executor.submit(play, task) for task in tasks]):
                yield done.result()
    finally:
        for process in processes:
            process.communicate()


def _start(module: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "tests.torture.workers", module],
        env={**os.environ, "LD_PRELOAD": str(library())},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )


def _work(module: Any) -> None:
    """Carries out the tasks that arrive as lines of JSON, and prints the results likewise."""
    logging.disable()
    for line in sys.stdin.buffer:
        result = module.play(msgspec.json.decode(line, type=module.Task))
        print(msgspec.json.encode(result).decode(), flush=True)


if __name__ == "__main__":
    _work(importlib.import_module(sys.argv[1]))
