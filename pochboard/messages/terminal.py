"""What the commands `nights` and `show` print."""

from __future__ import annotations

from pochboard.text.translator import Translator


def no_night(t: Translator) -> str:
    """The answer if the ledger is empty."""
    return t.gettext("No night has been played yet. Start the table with: pochboard run")


def nights_columns(t: Translator) -> tuple[str, str, str, str, str]:
    """The headings of the list of nights."""
    return (
        t.pgettext("column", "night"),
        t.pgettext("column", "date"),
        t.pgettext("column", "ruleset"),
        t.pgettext("column", "deals"),
        t.pgettext("column", "result"),
    )


def standings_columns(t: Translator) -> tuple[str, str]:
    """The headings of chips and net."""
    return t.pgettext("column", "chips"), t.pgettext("column", "net")


def nights_won_columns(t: Translator) -> tuple[str, str, str]:
    """The headings of nights, nights won and net."""
    return t.pgettext("column", "nights"), t.pgettext("column", "won"), t.pgettext("column", "net")


def in_progress(t: Translator) -> str:
    """The result of a night that is not over."""
    return t.gettext("in progress")


def night_title(number: int, day: str, ruleset: str, t: Translator, *, closed: bool) -> str:
    """The first line about a night."""
    places: dict[str, object] = {"number": number, "day": day, "ruleset": ruleset}
    if closed:
        return t.gettext("Night {number}, {day}: {ruleset}", **places)
    return t.gettext("Night {number}, {day}: {ruleset}, in progress", **places)
