"""Tests with programs that nobody here wrote: servers, office programs, accounting tools.

`.ci/setup test` installs them, so a test may expect them to be there.
"""

from tests.forked import share_fork_server
from tests.leak_check import leak_check

__all__ = ["leak_check", "share_fork_server"]
