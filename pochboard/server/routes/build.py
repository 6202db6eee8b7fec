"""The first light of a board: one question after the other, on a phone beside the workbench."""

from __future__ import annotations

from typing import Final, Literal

import msgspec

from pochboard.errors import Refusal
from pochboard.ledger.entry import SoundName
from pochboard.lights.first_light import SECTIONS, Ask, Fault
from pochboard.messages import first_light as words
from pochboard.messages.first_light import part_name
from pochboard.server.arrival import request_translator
from pochboard.server.context import Context
from pochboard.server.routing import Routes
from pochboard.text.translator import Translator

routes: Final = Routes()
Mark = Literal["right", "wrong", "now"]


class Option(msgspec.Struct, frozen=True):
    """What may be answered, or played, and how it is called."""

    name: str
    label: str


class SectionState(msgspec.Struct, frozen=True):
    """A part of the test."""

    name: str
    label: str
    state: str
    """`right`, `wrong`, `absent` or `open`."""


class BuildAnswer(msgspec.Struct, frozen=True):
    """The question that is open, or the fault and what to do; neither if all is right."""

    sections: tuple[SectionState, ...]
    marks: dict[str, Mark]
    """By `button NAME` and `light NAME` of the picture: what is right, wrong, or asked about."""
    tunes: tuple[Option, ...]
    """All that the board plays, once it has been tested."""
    ask: str = ""
    question: str = ""
    choices: tuple[Option, ...] = ()
    listens: bool = False
    """The board answers: nothing is chosen, unless nothing was heard."""
    rests: bool = False
    """It does so after some seconds in which nobody touches it."""
    picks: tuple[Option, ...] = ()
    """The parts of the picture that may be tapped."""
    fault: str = ""
    fix: str = ""
    section: str = ""


class BuildBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What to do. Nothing: show what is asked.

    `ask` with `said` answers a question; `again` asks those of a section again, or `all`; `tune` is
    played.
    """

    ask: str = ""
    said: str = ""
    again: Literal["contacts", "chain", "brightness", "display", "sound", "all"] | None = None
    tune: SoundName | None = None


@routes.add("GET", "/api/build")
def get_build(context: Context) -> BuildAnswer:
    """What is asked of whoever builds the board, and what is right and wrong so far."""
    return _answer(context, request_translator())


@routes.add("POST", "/api/build")
def post_build(context: Context, body: BuildBody) -> BuildAnswer | Refusal:
    """While no night is in progress, the board shows what is asked, and presses are only heard.

    It ends with `DELETE`, with any change at the table, and 2 minutes after the last request or
    press. The answers are kept for the next time. As long as no phone is paired, any client may.
    """
    _check_builder(context)
    test = context.table.first_light
    order = test.learnt()
    # With another order the answers about colours are wrong: it holds once they are asked again.
    if order is not None and (body.again == "chain" or order == test.board().order):
        context.table.set_order(order)
    if body.again:
        test.again("" if body.again == "all" else body.again)
    elif body.ask:
        refused = test.answer(body.ask, body.said, context.closed())
        if refused is not None:
            return refused
    refused = test.show(body.tune)
    return refused or _answer(context, request_translator())


@routes.add("DELETE", "/api/build")
def end_build(context: Context) -> None:
    """The board shows the table again, and presses act again."""
    _check_builder(context)
    context.table.first_light.leave()


def _check_builder(context: Context) -> None:
    """A board whose `next` is silent, or whose rings are dark, could pair no phone."""
    if context.table.pairings.all():
        context.paired_client()


def _answer(context: Context, t: Translator) -> BuildAnswer:
    test = context.table.first_light
    step = test.step()
    sections = tuple(
        SectionState(name, t.gettext(words.SECTIONS[name]), test.state_of(name))
        for name in SECTIONS
    )
    tunes = (
        ()
        if step
        else tuple(Option(name, t.gettext(meaning)) for name, meaning in words.TUNES.items())
    )
    answer = BuildAnswer(sections, _marks(context, step), tunes)
    match step:
        case Ask():
            part = part_name(step.part, t) if step.part else ""
            return msgspec.structs.replace(
                answer,
                ask=step.name,
                section=step.section,
                question=t.gettext(words.ASKS[step.kind], part=part),
                choices=tuple(Option(name, _label(name, t)) for name in step.choices),
                listens=step.listens,
                rests=step.kind == "rest",
                picks=tuple(Option(name, part_name(name, t)) for name in step.picks),
            )
        case Fault():
            fault, fix = _fault_words(step, context, t)
            return msgspec.structs.replace(answer, fault=fault, fix=fix, section=step.section)
        case None:
            return answer


def _label(name: str, t: Translator) -> str:
    return name if name.isdigit() else t.gettext(words.CHOICES[name])


def _fault_words(fault: Fault, context: Context, t: Translator) -> tuple[str, str]:
    names = [part_name(part, t) for part in fault.parts]
    first = fault.parts[0] if fault.parts else ""
    places = {
        "part": names[0] if names else "",
        "other": names[-1] if names else "",
        "parts": t.listed(names) if names else "",
        "number": fault.number,
        "before": fault.number - 1,
        "order": fault.order or "",
        "pin": context.pins.get(first) or t.gettext("its pin"),
    }
    cause, fix = words.FAULTS[fault.cause]
    return t.gettext(cause, **places), t.gettext(fix, **places)


def _marks(context: Context, step: Ask | Fault | None) -> dict[str, Mark]:
    """How the parts of the picture are drawn."""
    marks: dict[str, Mark] = {}
    for name, said in context.table.first_light.answers.items():
        kind, _, part = name.partition(" ")
        if kind == "press" and set(said.split()) == {part}:
            marks[f"button {part}"] = "right"
        elif kind in ("ring", "place") and said == "yes":
            marks[f"light {part}"] = "right"
    if step is None:
        return marks
    what = "button" if step.section == "contacts" else "light"
    if isinstance(step, Fault):
        for part in step.parts:
            marks[f"{what} {part}"] = "wrong"
    elif step.part:
        marks[f"{what} {step.part}"] = "now"
    return marks
