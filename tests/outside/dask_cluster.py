"""A real Dask cluster on loopback: a scheduler and workers, as processes of their own."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import sysconfig
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final, Literal, Self

import pochboard
from tests.outside.nginx import LOOPBACK, free_port, listens, make_certificate

_PATIENCE_S: Final = 60
_WITHOUT_POCHBOARD: Final = """
import sys
sys.path[:0] = [{packages!r}]
from distributed.cli.dask_worker import main
main()
"""
"""Python's -S leaves out the link to this checkout, which is in the same folder as Dask."""


class DaskCluster:
    """A scheduler, with the workers that a test gives it. All end with it."""

    def __init__(self, folder: Path, *, tls: bool = True) -> None:
        folder.mkdir(exist_ok=True)
        self._folder = folder
        self._port = free_port()
        self.address = f"{'tls' if tls else 'tcp'}://{LOOPBACK}:{self._port}"
        self._tls: list[str] = []
        self.files: tuple[Path, Path, Path] | None = None
        """The authority, the certificate and its key."""
        self.options = ["--cluster", self.address]
        if tls:
            make_certificate(folder)
            self.files = folder / "certificate", folder / "certificate", folder / "key"
            for name, of_dask, file in zip(
                ("ca", "cert", "key"), ("ca-file", "cert", "key"), self.files, strict=True
            ):
                self.options += [f"--cluster-{name}", str(file)]
                self._tls += [f"--tls-{of_dask}", str(file)]
        self._processes = ExitStack()
        self._started = 0

    def __enter__(self) -> Self:
        """Starts the scheduler."""
        self.scheduler = self._start(
            "scheduler", "--host", LOOPBACK, "--port", str(self._port), "--no-jupyter",
            "--protocol", self.address[:3],
        )  # fmt: skip
        assert listens(self.scheduler, self._port), self._log("scheduler")
        return self

    def __exit__(self, *_: object) -> None:
        """Kills them all."""
        self._processes.close()

    def worker(self, has: Literal["this", "another", "no"] = "this") -> subprocess.Popen[bytes]:
        """Starts a worker with one thread, which has this pochboard, another one or none."""
        self._started += 1
        name = f"worker-{self._started}"
        environment = dict(os.environ)
        if has == "another":
            other = self._folder / "other"
            shutil.copytree(Path(pochboard.__file__).parent, other / "pochboard")
            with (other / "pochboard" / "rules" / "shedding.py").open("a") as file:
                file.write("# One more line.\n")
            environment["PYTHONPATH"] = str(other)
        # The name is unique to this process: it stands before the process's own words.
        process = self._start(
            "worker", self.address, "--name", name, "--nthreads", "1", "--no-nanny",
            "--local-directory", str(self._folder),
            log=name, environment=environment, bare=has == "no",
        )  # fmt: skip
        deadline = time.monotonic() + _PATIENCE_S
        while "Registered to" not in self._log(name):
            assert process.poll() is None, self._log(name)
            assert time.monotonic() < deadline, self._log(name)
            time.sleep(0.02)
        return process

    def _start(
        self,
        what: str,
        *words: str,
        log: str = "scheduler",
        environment: dict[str, str] | None = None,
        bare: bool = False,
    ) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "dask", what]
        if bare:
            packages = sysconfig.get_path("purelib")
            command = [sys.executable, "-S", "-c", _WITHOUT_POCHBOARD.format(packages=packages)]
        with (self._folder / log).open("wb") as file:
            process = subprocess.Popen(
                [*command, *words, "--no-dashboard", *self._tls],
                stdout=file, stderr=file, env=environment, cwd=self._folder,
            )  # fmt: skip
        self._processes.callback(_kill, process)
        return process

    def _log(self, name: str) -> str:
        return (self._folder / name).read_text("utf-8")


def _kill(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()


@contextmanager
def hanging(process: subprocess.Popen[bytes]) -> Iterator[None]:
    """It does nothing, and keeps its connections."""
    process.send_signal(signal.SIGSTOP)
    try:
        yield
    finally:
        process.send_signal(signal.SIGCONT)
