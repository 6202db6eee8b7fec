"""Nights in sentences: who won, and how a list describes a night."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pochboard.ledger.replay import NightSummary
from pochboard.messages.labels import headline_text, seat_names, signed
from pochboard.messages.translator import ENGLISH, Translator, gettext_noop
from pochboard.rules.state import State

FORMAT_NAMES: Final[Mapping[str, str]] = {
    "sheet": gettext_noop("Score sheet"),
    "csv": gettext_noop("Spreadsheet (CSV)"),
    "json": gettext_noop("Data (JSON)"),
    "beancount": gettext_noop("Accounting (beancount)"),
    "hledger": gettext_noop("Accounting (hledger)"),
}


def night_result(state: State, t: Translator = ENGLISH) -> str:
    """Who has won a night that is over."""
    rows = state.standings
    net = rows[0][2]
    best = [seat for seat, _, other in rows if other == net]
    if len(best) == 1:
        return t.gettext(
            "The night is over: {name} wins with a net of {net}.",
            name=state.name_of(best[0]),
            net=signed(net),
        )
    return t.gettext(
        "The night is over: {names} share the win with a net of {net} each.",
        names=seat_names(state, best, t),
        net=signed(net),
    )


def listed_headline(night: NightSummary, t: Translator) -> tuple[str, ...]:
    """The headline of a night, in parts: `Night 3`, `modern`, `from paper`."""
    parts = (t.gettext("Night {number}", number=night.number), night.ruleset)
    return (*parts, t.gettext("from paper")) if night.imported else parts


def night_title(night: NightSummary, name: str | None, t: Translator) -> str:
    """The headline of a night as one line, after its name if it has one."""
    return headline_text((*([name] if name else []), *listed_headline(night, t)))


def listed_winners(night: NightSummary, t: Translator) -> str | None:
    """The names of those who won, or None while the night is open."""
    winners = _winners(night)
    return t.listed(winners) if winners else None


def listed_result(night: NightSummary, t: Translator) -> str:
    """How a night in the list ended."""
    if night.status == "damaged":
        return t.gettext("This night is damaged and cannot be shown.")
    winners = _winners(night)
    if not night.standings or not winners:
        return t.gettext("Still open")
    _, stack, net = night.standings[0]
    if len(winners) > 1:
        return t.gettext(
            "{names} shared the win with a net of {net} each.",
            names=t.listed(winners),
            net=signed(net),
        )
    return t.ngettext(
        "{name} won with {count} chip, a net of {net}.",
        "{name} won with {count} chips, a net of {net}.",
        stack,
        name=winners[0],
        net=signed(net),
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


def _winners(night: NightSummary) -> list[str]:
    """The players with the highest net; nobody while the night is open."""
    rows = night.standings or []
    return [night.players[seat - 1] for seat, _, net in rows if net == rows[0][2]]
