"""Tells systemd how the daemon is, by the protocol of sd_notify(3): one datagram a message."""

from __future__ import annotations

import logging
import os
import socket
from collections.abc import Mapping

log = logging.getLogger(__name__)


class ServiceManager:
    """systemd, if it has started this process with `Type=notify`; else messages go nowhere."""

    def __init__(self, environment: Mapping[str, str] = os.environ) -> None:
        address = environment.get("NOTIFY_SOCKET", "")
        # A leading @ stands for the zero byte of an abstract address.
        self._address = f"\0{address[1:]}" if address.startswith("@") else address
        self.watchdog_s: float | None = None
        """Within this many seconds `WATCHDOG=1` has to be sent again; None without a watchdog."""
        limit_us = environment.get("WATCHDOG_USEC", "")
        ours = environment.get("WATCHDOG_PID", str(os.getpid())) == str(os.getpid())
        if self._address and ours and limit_us.isdigit() and int(limit_us):
            self.watchdog_s = int(limit_us) / 1_000_000

    def notify(self, *assignments: str) -> None:
        """Sends assignments such as `READY=1`. A failure is logged, because the night goes on."""
        if not self._address:
            return
        message = "\n".join(" ".join(one.split()) for one in assignments)
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as one:
                # systemd reads at once. If it does not, this thread must not wait for it.
                one.setblocking(False)
                one.sendto(message.encode(), self._address)
        except OSError as error:
            log.warning("systemd was not told %s: %s", assignments[0], error)
