"""OctoPrint beside the page: it, too, serves a device in the room with Flask."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from tests.bench.peers import Peer
from tests.bench.process import free_port

# It signs its reader in, and asks nobody outside for news, plugins or updates.
_CONFIG: Final = """
server:
  firstRun: false
  onlineCheck:
    enabled: false
accessControl:
  autologinLocal: true
  autologinAs: bench
  localNetworks: ["127.0.0.0/8"]
plugins:
  _disabled: [achievements, announcements, backup, discovery, errortracking, health_check,
    pluginmanager, softwareupdate, tracking]
"""
_READY: Final = b"octoprint.server - INFO - Listening on"
"""Until it logs this, another server answers that OctoPrint is starting."""
_PATIENCE_S: Final = 120
_NOBODY: Final = "http://127.0.0.1:9"


@contextmanager
def octoprint_server(folder: Path, peer: Peer) -> Iterator[tuple[int | None, str]]:
    """The port of an OctoPrint once its page is there, else None; and the reason."""
    python, reason = peer("octoprint")
    if python is None:
        yield None, reason
        return
    folder.mkdir(parents=True)
    (folder / "config.yaml").write_text(_CONFIG, "utf-8")
    # Whatever it wants from elsewhere goes to a proxy that is not there.
    proxies = {"http_proxy": _NOBODY, "https_proxy": _NOBODY, "no_proxy": "127.0.0.1,localhost"}
    environment = {**os.environ, **proxies}
    program = (python.with_name("octoprint"), "--iknowwhatimdoing", "--basedir", folder)
    account = ("user", "add", "bench", "--password", "bench", "--admin")
    subprocess.run((*program, *account), env=environment, check=True, capture_output=True)
    port = free_port()
    serve = ("serve", "--iknowwhatimdoing", "--host", "127.0.0.1", "--port", str(port))
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen((*program, *serve), env=environment, stdout=log, stderr=log)
    try:
        deadline = time.monotonic() + _PATIENCE_S
        while _READY not in (folder / "log").read_bytes():
            assert process.poll() is None, (folder / "log").read_text("utf-8")
            assert time.monotonic() < deadline, "OctoPrint does not start"
            time.sleep(0.1)
        yield port, ""
    finally:
        process.terminate()
        process.wait(60)
