"""Guards loops of assertions against passing because there is nothing to go through."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

T = TypeVar("T")


def not_empty(values: Iterable[T]) -> list[T]:
    """The values that a test goes through, of which there must be one at least."""
    listed = list(values)
    assert listed, "there is nothing to go through, so nothing would be asserted"
    return listed
