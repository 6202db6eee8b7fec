"""A real nginx, in front of a daemon."""

from __future__ import annotations

import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

LOOPBACK: Final = "127.0.0.1"
_PATIENCE_S: Final = 120
_TRIES: Final = 5
_CONFIGURATION: Final = """
daemon off; master_process off; pid {folder}/pid; error_log {folder}/error.log;
events {{ worker_connections 64; }}
http {{
  access_log off; client_body_temp_path {folder}/b; proxy_temp_path {folder}/p;
  fastcgi_temp_path {folder}/f; uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;
  server {{
    listen 127.0.0.1:{port}{ssl};
    location {path} {{ {settings} }}
    {more}
  }}
}}
"""
_SSL: Final = " ssl;\n    ssl_certificate {0}/certificate; ssl_certificate_key {0}/key"


@contextmanager
def nginx(
    folder: Path, path: str, settings: str, *, tls: bool = False, more: str = ""
) -> Iterator[int]:
    """Runs nginx with a location, and `more` of them, and yields its port."""
    folder.mkdir(exist_ok=True)
    if tls:
        make_certificate(folder)
    for _ in range(_TRIES):
        port = free_port()
        text = _CONFIGURATION.format(
            folder=folder,
            port=port,
            ssl=_SSL.format(folder) if tls else "",
            path=path,
            settings=settings,
            more=more,
        )
        (folder / "nginx.conf").write_text(text, "utf-8")
        command = ["/usr/sbin/nginx", "-p", str(folder), "-e", str(folder / "error.log")]
        process = subprocess.Popen([*command, "-c", str(folder / "nginx.conf")])
        try:
            if listens(process, port):
                yield port
                return
        finally:
            process.terminate()
            process.wait()
    raise AssertionError((folder / "error.log").read_text("utf-8"))


def free_port() -> int:
    with socket.create_server((LOOPBACK, 0)) as probe:
        return int(probe.getsockname()[1])


def listens(process: subprocess.Popen[bytes], port: int) -> bool:
    """Waits until a server listens; False if it has ended, as when somebody else took the port."""
    deadline = time.monotonic() + _PATIENCE_S
    while process.poll() is None:
        with suppress(OSError), socket.create_connection((LOOPBACK, port)):
            return True
        assert time.monotonic() < deadline, "it does not listen"
        time.sleep(0.02)
    return False


def make_certificate(folder: Path) -> None:
    kind = ["-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"]
    names = ["-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"]
    files = ["-keyout", str(folder / "key"), "-out", str(folder / "certificate")]
    command = ["openssl", "req", *kind, "-subj", "/CN=localhost", *names, *files]
    subprocess.run(command, check=True, capture_output=True)
