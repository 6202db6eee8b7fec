"""Refusals as phones get them: a code, and a sentence."""

from __future__ import annotations

import msgspec

from pochboard.errors import Refusal, RefusedInput
from pochboard.text.translator import ENGLISH, Translator


class RefusalAnswer(msgspec.Struct, frozen=True):
    """Why a request was refused: one of the contracts' codes, and a sentence for people."""

    code: str
    message: str


class RefusedEvent(msgspec.Struct, frozen=True):
    """A press or command that was refused: the buttons pressed, or the command's name."""

    code: str
    message: str
    button: tuple[str, ...]
    command: str | None


def refusal_answer(refusal: Refusal, t: Translator = ENGLISH) -> RefusalAnswer:
    """A refusal as an answer."""
    return RefusalAnswer(refusal.code, refusal.sentence.in_language(t))


def refused_event(event: RefusedInput, t: Translator = ENGLISH) -> RefusedEvent:
    """A refusal as an event for the phones."""
    text = event.refusal.sentence.in_language(t)
    return RefusedEvent(event.code, text, event.buttons, event.command)
