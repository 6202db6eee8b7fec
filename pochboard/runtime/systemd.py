"""Notifies systemd of the daemon's state, as in sd_notify(3): one datagram per message."""

from __future__ import annotations

import logging
import os
import socket
from collections.abc import Mapping

log = logging.getLogger(__name__)


class ServiceManager:
    """systemd, if it started this process with `Type=notify`; otherwise messages are dropped."""

    def __init__(self, environment: Mapping[str, str] = os.environ) -> None:
        address = environment.get("NOTIFY_SOCKET", "")
        # A leading @ stands for the zero byte of an abstract address.
        self._address = f"\0{address[1:]}" if address.startswith("@") else address
        self.watchdog_s: float | None = None
        """`WATCHDOG=1` has to be sent at least this often; None without a watchdog."""
        limit_us = environment.get("WATCHDOG_USEC", "")
        ours = environment.get("WATCHDOG_PID", str(os.getpid())) == str(os.getpid())
        if self._address and ours and limit_us.isdigit() and int(limit_us):
            self.watchdog_s = int(limit_us) / 1_000_000

    def notify(self, *assignments: str) -> None:
        """Sends assignments such as `READY=1`. A failure is only logged, so that play continues."""
        if not self._address:
            return
        message = "\n".join(" ".join(one.split()) for one in assignments)
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as one:
                # systemd normally reads at once. If it does not, this thread must not wait.
                one.setblocking(False)
                one.sendto(message.encode(), self._address)
        except OSError as error:
            log.warning("%s could not be sent to systemd: %s", assignments[0], error)
