"""Tests of the shell open files and sockets and start threads and processes."""

from tests.forked import share_fork_server
from tests.leak_check import leak_check

__all__ = ["leak_check", "share_fork_server"]
