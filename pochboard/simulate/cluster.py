"""Plays a simulation on the machines of a Dask cluster (docs/SIMULATE.md).

Calls travel as bytes that only a worker unpickles, so the scheduler needs no pochboard. A worker
compares its package with that of this machine before it unpickles the rest: another package would
play other nights, and nobody would notice.
"""

from __future__ import annotations

import hashlib
import logging
import pickle
import warnings
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import (
    CancelledError,
    Executor,
    Future,
    InvalidStateError,
    ThreadPoolExecutor,
    wait,
)
from contextlib import contextmanager, suppress
from functools import cache, partial
from pathlib import Path
from random import Random
from socket import create_connection
from ssl import SSLError
from typing import Any, Final, ParamSpec, TypeVar
from urllib.parse import urlsplit

from distributed import Client, KilledWorker, Security
from tornado.iostream import StreamClosedError

import pochboard
from pochboard.errors import SimulationError
from pochboard.simulate.bots_night import Plan
from pochboard.simulate.runner import Batch, simulate
from pochboard.text.lazy import os_reason
from pochboard.text.translator import ENGLISH

P = ParamSpec("P")
T = TypeVar("T")

PATIENCE_S: Final = 30.0
"""A batch takes tenths of a second, some seconds on a small Pi. None for so long is an error."""
_ANSWER_S: Final = 5.0
"""How long the scheduler may take to accept a connection, or to answer a question."""
_AGAIN_S: Final = 8.0
"""A batch that is waited for this long is given to another worker as well."""
_JOBS: Final = 128
"""Batches that are played or kept at a time, two for each: enough for all workers, and some
ten megabytes."""


@contextmanager
def connect(address: str, tls: tuple[Path, Path, Path] | None) -> Iterator[Cluster]:
    """A cluster, by the address of its scheduler. Raises SimulationError if there is none.

    `tls` is the PEM files of the authority, of this machine's certificate and of its key.
    """
    logged = logging.root.manager.disable
    # What goes wrong is said in a sentence. Dask would log pages of tracebacks beside it.
    logging.disable(logging.CRITICAL)
    try:
        client = _client(address, tls)
        try:
            yield Cluster(client, address)
        finally:
            # A busy scheduler that does not say goodbye must not hide how the simulation ended.
            with suppress(TimeoutError):
                client.close(timeout=_ANSWER_S)
    finally:
        logging.disable(logged)


class Cluster(Executor):
    """Runs calls on the workers of a cluster."""

    def __init__(self, client: Client, address: str) -> None:
        self._client = client
        self._address = address
        self._executor = client.get_executor(pure=False)

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Lets a worker run the call."""
        work = pickle.dumps(partial(fn, *args, **kwargs))
        call = _call(_run_on_worker, fingerprint(), work)
        return _Answer(partial(self._executor.submit, pickle.loads, call))

    def simulate(self, plan: Plan, *, as_rows: bool = False) -> Generator[Batch]:
        """Plays all nights of the plan, as `runner.simulate` does.

        Raises SimulationError that says what is missing, at the latest when no batch has come for
        `PATIENCE_S`.
        """
        try:
            yield from simulate(plan, self, jobs=_JOBS, as_rows=as_rows, patience_s=PATIENCE_S)
        except Exception as error:
            reason = self._trouble(error)
            if reason is None:
                raise
            raise SimulationError(reason) from None

    def _trouble(self, error: Exception) -> str | None:
        """What is wrong with the cluster; None if the error has another cause."""
        if isinstance(error, CancelledError) or self._client.status != "running":
            return (
                f"The connection to the scheduler {self._address} was lost; the simulation has"
                " stopped."
            )
        try:
            packages = self._packages()
        except (OSError, TimeoutError):
            return f"The scheduler {self._address} does not answer."
        if not packages:
            return f"The cluster has no workers. Start some with: dask worker {self._address}"

        def workers(kind: type) -> list[str]:
            return sorted(name for name, found in packages.items() if isinstance(found, kind))

        if lacking := workers(ImportError):
            return (
                f"{ENGLISH.listed(lacking)}: pochboard cannot be imported there"
                f" ({packages[lacking[0]]}). Install it, and start the worker again."
            )
        if silent := workers(OSError):
            return f"{ENGLISH.listed(silent)}: no answer. Start the worker again, or end it."
        if others := [name for name, found in packages.items() if found != fingerprint()]:
            return (
                f"{ENGLISH.listed(sorted(others))}: another pochboard is installed there, which"
                " might play other nights. Install the one of this machine, and start the worker"
                " again."
            )
        if isinstance(error, KilledWorker):
            return (
                f"{error.last_worker.address} and others were killed while they played the same"
                " batch. Do they have enough memory?"
            )
        if isinstance(error, TimeoutError):
            return (
                f"{ENGLISH.listed(sorted(packages))}: no batch within {round(PATIENCE_S)} s. Are"
                " they busy with something else, or can this machine not reach them?"
            )
        return None

    def _packages(self) -> dict[str, object]:
        """The fingerprint of each worker, or the error that it has instead."""
        info = self._ask(self._client.sync, self._client.scheduler.identity, n_workers=-1)
        workers = list(info["workers"])
        with ThreadPoolExecutor(_JOBS) as threads:
            return dict(zip(workers, threads.map(self._package, workers), strict=True))

    def _package(self, worker: str) -> object:
        call = _call(fingerprint)
        try:
            return self._ask(
                self._client.run, pickle.loads, call, workers=[worker], on_error="return"
            )[worker]
        except TimeoutError as error:  # an OSError, as those that Dask returns
            return error

    @staticmethod
    def _ask(question: Callable[..., Any], *args: Any, **options: Any) -> Any:
        """The answer to a question. Raises TimeoutError if there is none."""
        return question(*args, callback_timeout=_ANSWER_S, **options)


class _Answer(Future[T]):
    """What a call gives. Whoever waits for it has it made again, if it does not come soon.

    A worker that hangs would otherwise hold it up: Dask gives up such a worker after five minutes.
    """

    def __init__(self, start: Callable[[], Future[tuple[str, bytes]]]) -> None:
        super().__init__()
        self._start = start
        self._there: list[Future[tuple[str, bytes]]] = []
        self._make()

    def cancel(self) -> bool:
        """Cancels the call, also where it is made."""
        for there in tuple(self._there):
            there.cancel()
        return super().cancel()

    def result(self, timeout: float | None = None) -> T:
        """The result. Raises TimeoutError if it does not come."""
        soon_s = _AGAIN_S if timeout is None else min(timeout, _AGAIN_S)
        wait([self], soon_s)
        if not self.done():
            self._make()
        return super().result(None if timeout is None else timeout - soon_s)

    def _make(self) -> None:
        there = self._start()
        self._there.append(there)
        there.add_done_callback(self._take)

    def _take(self, there: Future[tuple[str, bytes]]) -> None:
        self._there.clear()  # or both would hold each other, and the outcome, in memory
        # Nobody waits any more, or another worker was quicker.
        with suppress(InvalidStateError):
            try:
                found, outcome = there.result()
            except Exception as error:  # noqa: BLE001 - raised again by result()
                self.set_exception(error)
                return
            if found == fingerprint():
                self.set_result(pickle.loads(outcome))  # noqa: S301
            else:
                self.set_exception(SimulationError("A worker has another pochboard."))


def _client(address: str, tls: tuple[Path, Path, Path] | None) -> Client:
    security = None
    if tls is not None:
        ca, certificate, key = map(str, tls)
        security = Security(
            require_encryption=True, tls_ca_file=ca, tls_client_cert=certificate, tls_client_key=key
        )
    try:
        with warnings.catch_warnings():
            # The versions of packages matter only if something fails.
            warnings.simplefilter("ignore")
            # Through the scheduler, all results would wait for those of a worker that has ended: it
            # tries to connect to it for 30 s.
            return Client(
                address,
                security=security,
                timeout=_ANSWER_S,
                direct_to_workers=True,
                set_as_default=False,
            )
    except OSError as error:
        raise SimulationError(
            f"The scheduler {address} cannot be reached: {_reason(error, address)}."
        ) from None


def _reason(error: BaseException, address: str) -> str:
    """What is behind an error of Dask's: the last system error in its chain."""
    root = error
    while (cause := root.__cause__ or root.__context__) and isinstance(cause, OSError):
        root = cause
    if isinstance(root, (SSLError, StreamClosedError, ConnectionResetError, BrokenPipeError)):
        # A refused certificate is reported, or the connection just closes: with TLS 1.3 this side
        # may already send while the other still checks it.
        return f"it does not accept these certificates ({root!s})"
    if isinstance(root, TimeoutError):
        # Dask's last try may have had a few milliseconds only, whatever those before it met.
        root = _plain_error(address)
    if isinstance(root, TimeoutError):
        return "no answer"
    assert isinstance(root, OSError), "Dask raises these"
    return os_reason(root)


def _plain_error(address: str) -> OSError:
    """What a plain connection to this address meets; a time-out if it is accepted."""
    url = urlsplit(address)
    try:
        create_connection((url.hostname, url.port), _ANSWER_S).close()
    except OSError as error:
        return error
    return TimeoutError()


@cache
def fingerprint() -> str:
    """What decides how nights are played: the program, and how this Python shuffles."""
    deck = list(range(52))
    # Python promises the same numbers for ever, but not the same use of them.
    Random("fingerprint").shuffle(deck)  # noqa: S311 - not a secret
    digest = hashlib.sha256(bytes(deck))
    root = Path(pochboard.__file__).parent
    # A wheel has further files beside the package, such as the firmware.
    for path in sorted(
        path for path in root.rglob("*.py") if (path.parent / "__init__.py").exists()
    ):
        digest.update(b"%s %d\n" % (str(path.relative_to(root)).encode(), path.stat().st_size))
        digest.update(path.read_bytes())
    return digest.hexdigest()


class _Call:
    """A call that is made where it is unpickled."""

    def __init__(self, fn: Callable[..., object], args: tuple[object, ...]) -> None:
        self._reduced = fn, args

    def __reduce__(self) -> tuple[Callable[..., object], tuple[object, ...]]:
        return self._reduced


def _call(fn: Callable[..., object], *args: object) -> bytes:
    return pickle.dumps(_Call(fn, args))


def _run_on_worker(wanted: str, work: bytes) -> tuple[str, bytes]:
    """The fingerprint of the worker's package and, if it is the wanted one, what the work gave."""
    found = fingerprint()
    return found, pickle.dumps(pickle.loads(work)()) if found == wanted else b""  # noqa: S301
