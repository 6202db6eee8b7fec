"""Where the files of the pages are, how modules are sent, and the script within each page."""

from __future__ import annotations

import base64
import hashlib
import re
from functools import cache
from pathlib import Path
from typing import Final

_PACKAGE: Final = Path(__file__).resolve().parents[1]
_COMMENTS: Final = re.compile(
    rb"^[ \t]*(?://[^\n]*|/\*\*(?:(?!\*/).)*\*/[ \t]*)$", re.MULTILINE | re.DOTALL
)
"""The comments of our scripts that have lines of their own."""


def web_folder() -> Path:
    """Where templates and static files are: in the installed package, else in the repository."""
    installed = _PACKAGE / "web"
    return installed if installed.is_dir() else _PACKAGE.parent / "web"


def without_comments(script: bytes) -> bytes:
    """A script with empty lines in place of its comments. Errors keep their line numbers."""
    return _COMMENTS.sub(lambda comment: b"\n" * comment[0].count(b"\n"), script)


@cache
def start_script() -> str:
    """The script in the HTML of every page, which says why the page does not start."""
    written = (web_folder() / "templates" / "start.js").read_bytes()
    # Within HTML nobody looks for its lines.
    return re.sub(r"\n\s*", "\n", without_comments(written).decode()).strip()


@cache
def start_script_source() -> bytes:
    """What allows that script in a content security policy (CSP 3, section 2.3.1)."""
    digest = hashlib.sha256(start_script().encode()).digest()
    return b"'sha256-%s'" % base64.b64encode(digest)
