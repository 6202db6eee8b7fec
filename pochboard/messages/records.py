"""The end of a night in sentences: what was left on the board, and who did most of what."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pochboard.history.night_statistics import NightStatistics, PersonNight
from pochboard.messages.history import decimal
from pochboard.messages.labels import pool_name
from pochboard.rules.accounts import MELD_POOLS
from pochboard.text.translator import Translator


def night_records(
    night: NightStatistics, left: Mapping[str, int], t: Translator
) -> tuple[str, ...]:
    """The records of a night that is over. `left` is what lay in the pools at its end."""
    if not night.deals:
        return ()
    pools = ", ".join(f"{pool_name(pool, t)} {chips}" for pool, chips in left.items())
    said = [
        t.gettext("Left on the board: {pools}.", pools=pools)
        if pools
        else t.gettext("Nothing was left on the board.")
    ]
    names, count = _most(night, lambda one: one.largest_poch, t)
    if count:
        said.append(
            t.ngettext(
                "Largest Poch: {names}, {count} chip.",
                "Largest Poch: {names}, {count} chips.",
                count,
                names=names,
            )
        )
    names, count = _most(night, lambda one: sum(one.wins[: len(MELD_POOLS)]), t)
    if count:
        said.append(
            t.ngettext(
                "Most pools with cards: {names}, {count} pool.",
                "Most pools with cards: {names}, {count} pools.",
                count,
                names=names,
            )
        )
    names, count = _most(night, lambda one: one.knocks, t)
    if count:
        said.append(
            t.ngettext(
                "Most knocks: {names}, {count} knock.",
                "Most knocks: {names}, {count} knocks.",
                count,
                names=names,
            )
        )
    names, count = _most(night, lambda one: one.outs, t)
    if count:
        said.append(
            t.ngettext(
                "Out first most often: {names}, in {count} deal.",
                "Out first most often: {names}, in {count} deals.",
                count,
                names=names,
            )
        )
    luckiest = max(night.people, key=lambda one: one.luck)
    if luckiest.luck > 0:
        expected = sum(luckiest.expected)
        said.append(
            t.gettext(
                "Luckiest with the cards: {name}. Pools won: {wins}, expected: {expected}.",
                name=luckiest.name,
                wins=f"{expected + luckiest.luck:.0f}",
                expected=decimal(expected, t),
            )
        )
    return tuple(said)


def _most(
    night: NightStatistics, number: Callable[[PersonNight], int], t: Translator
) -> tuple[str, int]:
    """The names of those with the highest number, and that number."""
    count = max(map(number, night.people))
    return t.listed(one.name for one in night.people if number(one) == count), count
