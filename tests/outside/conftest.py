"""Tests with programs that nobody here wrote: servers, office programs, accounting tools.

`.ci/setup test` installs them, so a test may expect them to be there.
"""

from tests.browser.conftest import chromium, make_daemon, open_window, watch
from tests.forked import share_fork_server
from tests.leak_check import leak_check

__all__ = ["chromium", "leak_check", "make_daemon", "open_window", "share_fork_server", "watch"]
