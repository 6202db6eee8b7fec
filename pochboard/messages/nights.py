"""Nights in sentences: who won, and how a list describes a night."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from pochboard.ledger.replay import NightSummary
from pochboard.ledger.results import Result, results_of, winners
from pochboard.messages.labels import headline_text, signed
from pochboard.rules.state import State
from pochboard.text.translator import ENGLISH, Translator, gettext_noop

FORMAT_NAMES: Final[Mapping[str, str]] = {
    "sheet": gettext_noop("Score sheet"),
    "csv": gettext_noop("Spreadsheet (CSV)"),
    "json": gettext_noop("Data (JSON)"),
    "beancount": gettext_noop("Accounting (beancount)"),
    "hledger": gettext_noop("Accounting (hledger)"),
}


def night_result(state: State, t: Translator = ENGLISH, called: Mapping[str, str] = {}) -> str:
    """Who has won a night that is over."""
    best = winners(results_of(state, called))
    net = best[0].net
    if len(best) == 1:
        return t.gettext(
            "The night is over: {name} wins with a net of {net}.",
            name=best[0].name,
            net=signed(net),
        )
    return t.gettext(
        "The night is over: {names} share the win with a net of {net} each.",
        names=t.listed(one.name for one in best),
        net=signed(net),
    )


def listed_headline(night: NightSummary, t: Translator) -> tuple[str, ...]:
    """The headline of a night, in parts: `Night 3`, `modern`, `from paper`."""
    parts = (t.gettext("Night {number}", number=night.number), night.ruleset)
    return (*parts, t.gettext("from paper")) if night.imported else parts


def night_title(night: NightSummary, name: str | None, t: Translator) -> str:
    """The headline of a night as one line, after its name if it has one."""
    return headline_text((*([name] if name else []), *listed_headline(night, t)))


def listed_winners(results: Sequence[Result], t: Translator) -> str | None:
    """The names of those who won, or None while the night is open."""
    return t.listed(one.name for one in winners(results)) if results else None


def listed_result(night: NightSummary, results: Sequence[Result], t: Translator) -> str:
    """How a night in the list ended. There are no results while it is open."""
    if night.status == "damaged":
        return t.gettext("This night is damaged and cannot be shown.")
    if not results:
        return t.gettext("Still open")
    first, *others = winners(results)
    if others:
        return t.gettext(
            "{names} shared the win with a net of {net} each.",
            names=t.listed(one.name for one in (first, *others)),
            net=signed(first.net),
        )
    return t.ngettext(
        "{name} won with {count} chip, a net of {net}.",
        "{name} won with {count} chips, a net of {net}.",
        first.stack,
        name=first.name,
        net=signed(first.net),
    )


def listed_summary(night: NightSummary, t: Translator) -> str:
    """A night in the list: its number, ruleset, players, deals and entries."""
    if night.status == "damaged":
        return t.gettext("Night {number} is damaged.", number=night.number)
    sentences = [
        t.gettext(
            "Night {number}, {ruleset}: {names}.",
            number=night.number,
            ruleset=night.ruleset,
            names=t.listed(night.players),
        ),
        t.ngettext("{count} deal.", "{count} deals.", night.deals),
        t.ngettext("{count} entry.", "{count} entries.", night.entries),
    ]
    if night.imported:
        sentences.append(t.gettext("Kept on paper."))
    return " ".join(sentences)


def format_label(name: str, t: Translator) -> str:
    """What a format of exported nights is called."""
    return t.gettext(FORMAT_NAMES[name])


def csv_labels(t: Translator) -> tuple[str, str]:
    """What CSV with semicolons and CSV with commas are called, where both are offered."""
    return t.gettext("Spreadsheet (CSV; for Excel)"), t.gettext("Spreadsheet (CSV, with commas)")
