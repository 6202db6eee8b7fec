"""`pochboard simulate --cluster` with a real Dask scheduler and workers (docs/SIMULATE.md)."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest

from tests.outside.dask_cluster import DaskCluster, hanging
from tests.outside.nginx import LOOPBACK, free_port, make_certificate
from tests.shell.daemons import PROGRAM, Home
from tests.shell.server_kit import LONG_S, wait_until

SHORT = ("--ruleset", "thirty-one", "--nights", "200")
ENDLESS = ("--nights", "1000000000")


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[DaskCluster]:
    """A scheduler without workers."""
    with DaskCluster(tmp_path / "cluster") as running:
        yield running


@pytest.fixture
def home(tmp_path: Path) -> Home:
    folder = tmp_path / "home"
    folder.mkdir()
    return Home(folder)


@pytest.fixture
def short_of_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, seconds in [("PATIENCE_S", 3.0), ("_AGAIN_S", 1.0), ("_ANSWER_S", 2.0)]:
        monkeypatch.setattr(f"pochboard.simulate.cluster.{name}", seconds)


def simulating(home: Home, *words: str | Path) -> subprocess.Popen[str]:
    """A simulation whose rows have begun to arrive."""
    process = subprocess.Popen(
        [PROGRAM, "simulate", "--csv", home.folder / "deals.csv", *words],
        env=home.environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    wait_for_rows(home)
    return process


def wait_for_rows(home: Home) -> None:
    parts = home.folder.glob
    wait_until("rows", lambda: any(p.stat().st_size > 2000 for p in parts(".*.part")))


def test_a_cluster_gives_the_same_as_one_process_though_a_worker_is_killed(
    home: Home, cluster: DaskCluster
) -> None:
    worker, _ = cluster.worker(), cluster.worker()
    many = ("--ruleset", "thirty-one", "--nights", "1000")
    with simulating(home, *many, *cluster.options) as process:
        worker.kill()
        out, err = process.communicate(timeout=LONG_S)
    assert (process.returncode, err) == (0, "")
    alone = home.here("simulate", *many, "--csv", home.folder / "alone.csv", "--jobs", "1")
    assert out == alone.out
    assert (home.folder / "deals.csv").read_bytes() == (home.folder / "alone.csv").read_bytes()


@pytest.mark.usefixtures("short_of_patience")
def test_a_cluster_without_workers(home: Home, cluster: DaskCluster) -> None:
    ran = home.here("simulate", *ENDLESS, *cluster.options)
    assert (ran.status, ran.said) == (
        1, f"The cluster has no workers. Start some with: dask worker {cluster.address}",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("has", "sentence"),
    [
        ("no", "pochboard cannot be imported there (No module named 'pochboard')."),
        ("another", "another pochboard is installed there, which might play other nights."),
    ],
)
def test_a_worker_with_the_wrong_package(
    home: Home, cluster: DaskCluster, has: Literal["no", "another"], sentence: str
) -> None:
    cluster.worker()
    cluster.worker(has)
    ran = home.here("simulate", *ENDLESS, "--csv", home.folder / "deals.csv", *cluster.options)
    assert ran.status == 1
    assert ran.said.startswith(f"tls://{LOOPBACK}:")
    assert sentence in ran.said
    assert ran.said.count("tls://") == 1, "the other worker lacks nothing"
    assert not (home.folder / "deals.csv").exists()


@pytest.mark.usefixtures("short_of_patience")
def test_a_worker_that_hangs(home: Home, cluster: DaskCluster) -> None:
    with hanging(cluster.worker()):
        ran = home.here("simulate", *ENDLESS, *cluster.options)
    assert ran.status == 1
    assert ran.said.startswith(f"tls://{LOOPBACK}:")
    assert ran.said.endswith(": no answer. Start the worker again, or end it.")


def test_a_scheduler_that_is_killed(home: Home, cluster: DaskCluster) -> None:
    cluster.worker()
    with simulating(home, *ENDLESS, *cluster.options) as process:
        cluster.scheduler.kill()
        out, err = process.communicate(timeout=LONG_S)
    assert (process.returncode, out) == (1, "")
    assert err == (
        f"pochboard: The connection to the scheduler {cluster.address} was lost; the simulation"
        " has stopped.\n"
    )
    assert list(home.folder.glob("*.csv")) == []


def test_ctrl_c(home: Home, cluster: DaskCluster) -> None:
    cluster.worker()
    with simulating(home, *ENDLESS, *cluster.options) as process:
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=LONG_S)
    assert (process.returncode, out) == (130, "")
    assert err == "pochboard: The simulation was interrupted; nothing was written.\n"
    # The cluster is free at once for whoever comes next. On Debian 13 the worker may have ended
    # with the connection; its nanny, which these workers do without, would start it again.
    cluster.worker()
    assert home.here("simulate", *SHORT, *cluster.options).status == 0


def test_a_scheduler_that_cannot_be_reached(home: Home, cluster: DaskCluster) -> None:
    # Dask leaves the thread of a connection that failed behind, so each has its own process.
    def said(*words: str | Path) -> str:
        ran = home.cli("simulate", *ENDLESS, *words)
        assert ran.status == 1
        return ran.said.removeprefix(f"The scheduler tls://{LOOPBACK}:").partition(" ")[2]

    nowhere = f"tls://{LOOPBACK}:{free_port()}"
    assert said(*cluster.options, "--cluster", nowhere) == "cannot be reached: Connection refused."
    with hanging(cluster.scheduler):
        assert said(*cluster.options) == "cannot be reached: no answer."
    make_certificate(home.folder)
    own = ("--cluster-cert", home.folder / "certificate", "--cluster-key", home.folder / "key")
    assert "it does not accept these certificates" in said(*cluster.options, *own)


ADDRESS = "'--cluster': Write the address of the scheduler as tls://HOST:8786, not "


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--cluster", "host:8786"], f'{ADDRESS}"host:8786".'),
        (["--cluster", "ws://host:8786"], f'{ADDRESS}"ws://host:8786".'),
        (["--cluster", "tls://host"], f'{ADDRESS}"tls://host".'),
        (["--cluster", "tls://h:1"], "tls:// needs --cluster-ca, --cluster-cert and --"),
        (["--cluster", "tcp://192.0.2.1:8786"], "'--cluster': Without TLS, whoever reaches a "),
        (["--cluster", "tcp://host:8786"], "'--cluster': Without TLS, whoever reaches a "),
        (["--cluster", "tcp://[::1]:1", "--cluster-ca", "/dev/null"], "--cluster-ca, --cluster-c"),
        (["--cluster-key", "/dev/null"], "--cluster-ca, --cluster-cert and --cluster-key need "),
        (["--cluster", "tcp://localhost:1", "--jobs", "2"], "A cluster has its own processes: "),
    ],
)  # fmt: skip
def test_wrong_use(home: Home, words: list[str], sentence: str) -> None:
    ran = home.here("simulate", *ENDLESS, *words)
    assert ran.misused.removeprefix("Invalid value for ").startswith(sentence), ran
