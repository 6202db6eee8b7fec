"""Tests of the shell open files and sockets and start threads and processes."""

from tests.leak_check import leak_check

__all__ = ["leak_check"]
