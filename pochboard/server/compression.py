"""Compression with gzip: over plain HTTP browsers accept nothing better."""

from __future__ import annotations

import zlib
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from flask import request

if TYPE_CHECKING:
    from zlib import _Compress

_SENT_AGAIN: Final = 48
"""Bodies whose compressed form is kept: the page's files, and what all phones ask for."""
_BEGINNINGS: Final = 2
"""Beginnings whose compressor is kept, at a quarter of a megabyte each: a page in two languages."""
_LEVEL: Final = 9
_GZIP: Final = 16 + zlib.MAX_WBITS
"""What makes zlib write gzip, without a time."""


def accepts_gzip() -> bool:
    """Whether the client of the current request does."""
    return request.accept_encodings["gzip"] > 0


@lru_cache(_SENT_AGAIN)
def gzipped(body: bytes, *, beginning: bytes = b"") -> bytes:
    """The beginning and the body, compressed.

    The beginning is what many bodies share; it is compressed once, and the result is the same.
    """
    if not beginning:
        return zlib.compress(body, _LEVEL, _GZIP)
    begun, compressor = _begun(beginning)
    rest = compressor.copy()
    return begun + rest.compress(body) + rest.flush()


@lru_cache(_BEGINNINGS)
def _begun(beginning: bytes) -> tuple[bytes, _Compress]:
    """What is compressed of a beginning, and the compressor that goes on from there."""
    compressor = zlib.compressobj(_LEVEL, wbits=_GZIP)
    return compressor.compress(beginning), compressor
