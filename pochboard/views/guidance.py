"""What may happen now: a title and a few lines for the page, a large screen or speech."""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

import msgspec

from pochboard.buttons.press import NOTHING, Lobby
from pochboard.ledger.results import results_of, winners
from pochboard.messages.labels import (
    pool_name,
    pool_names,
    seat_names,
    seconds,
)
from pochboard.table.snapshot import Snapshot
from pochboard.text.names import card_name_in
from pochboard.text.translator import N_, Translator


class Guidance(msgspec.Struct, frozen=True):
    """What may happen now. Each line is one or more whole sentences."""

    title: str
    lines: tuple[str, ...]


def guidance(snapshot: Snapshot, t: Translator) -> Guidance:
    """What may happen now on the board."""
    if snapshot.switching_off:
        return _switching_off(snapshot.switching_off == "confirmed", t)
    title, lines = _Guide(snapshot, t).by_phase()
    return Guidance(title, tuple(lines))


def _switching_off(confirmed: bool, t: Translator) -> Guidance:
    """While the board asks whether to switch the machine off, and afterwards."""
    if not confirmed:
        line = t.gettext("Press next on the board to switch it off. Any other button cancels.")
        return Guidance(t.gettext("Switch the board off?"), (line,))
    lines = (
        t.gettext("The night continues when it is switched on again."),
        t.gettext("Once all lights are out, wait ten seconds before you pull the plug."),
    )
    return Guidance(t.gettext("The board is switching off"), lines)


class _Guide:
    """The guidance of one moment; each method gives the title and lines of a phase."""

    def __init__(self, snapshot: Snapshot, t: Translator) -> None:
        self.snapshot = snapshot
        self.state = snapshot.state
        self.pending = snapshot.pending or NOTHING
        self.t = t

    def by_phase(self) -> tuple[str, list[str]]:
        phase = self.state.phase
        match phase:
            case "none" | "closed":
                return self.lobby()
            case "idle":
                return self.between_deals()
            case "meld":
                return self.melding()
            case "pochen":
                return self.betting()
            case "showdown":
                return self.showdown()
            case "shed":
                return self.shedding() if self.state.winner is None else self.counting()
            case _:
                assert_never(phase)

    def lobby(self) -> tuple[str, list[str]]:
        state, t, lobby = self.state, self.t, self.pending.lobby
        if state.phase == "none" or lobby is not None:
            title = t.gettext("A new night")
        else:
            results = results_of(state, self.snapshot.aliases)
            best = winners(results)
            title = t.ngettext(
                "{names} wins the night",
                "{names} win the night",
                len(best),
                names=t.listed(winner.name for winner in best),
            )
            if len(best) == len(results):
                title = t.gettext("The night is over")
        if lobby is None and any((self.snapshot.model or state).places):
            line = t.gettext(
                "To play again at the same places, press next twice."
                " Press a place to put it in or out."
            )
            return title, [line]
        if lobby is None:
            line = t.gettext(
                "To begin without a phone, press the place of each player, then press next twice."
            )
            return title, [line]
        return title, [self._gathered(lobby), self._lobby_next(lobby)]

    def _gathered(self, lobby: Lobby) -> str:
        t = self.t
        if lobby.dealer is None:
            return t.gettext("Nobody is in yet. Press the place of each player.")
        return t.ngettext(
            "Place {places} is in. Place {dealer} deals first.",
            "Places {places} are in. Place {dealer} deals first.",
            len(lobby.places),
            places=t.listed(map(str, lobby.places)),
            dealer=lobby.dealer,
        )

    def _lobby_next(self, lobby: Lobby) -> str:
        if lobby.armed:
            return self.t.gettext("Press next once more to begin.")
        if lobby.dealer is None:
            return self.t.gettext("Then press next twice to begin.")
        return self.t.gettext(
            "Press next to begin, or {centre} to draw who deals first.", centre=self._centre()
        )

    def between_deals(self) -> tuple[str, list[str]]:
        state, t = self.state, self.t
        assert state.dealer is not None
        lines = [self._selected_to_buy(), self._deal(), self._end()]
        short = [seat for seat in state.live if state.is_short(seat)]
        if short and "deal" not in self.snapshot.legal.commands:
            title = t.gettext("{names} cannot pay the ante", names=self._names(short))
        else:
            title = t.gettext("{name} deals next", name=state.name_of(state.dealer))
        return title, list(filter(None, lines))

    def _selected_to_buy(self) -> str:
        state, place, t = self.state, self.pending.place, self.t
        if place is None:
            return ""
        seat = state.seat_at(place)
        if seat is None:
            return t.gettext(
                "Place {place} is selected. Press {centre} to join there.",
                place=place,
                centre=self._centre(),
            )
        name = state.name_of(seat)
        if seat in state.sitting_out:
            return t.gettext(
                "{name} sits out. Press {centre} to play again.", name=name, centre=self._centre()
            )
        if state.is_short(seat):
            return t.gettext(
                "{name} is selected. Press {centre} to buy in.", name=name, centre=self._centre()
            )
        return t.gettext("{name} is selected, and has enough chips to play on.", name=name)

    def _deal(self) -> str:
        state, t = self.state, self.t
        rules = state.rules
        if rules.ante_from == "bank":
            return t.gettext("Press next to deal: the bank fills the pools.")
        short = state.short_seats
        if not short and state.banker is not None:
            return t.ngettext(
                "Press next to deal: {name}, the banker, puts in {count} chip.",
                "Press next to deal: {name}, the banker, puts in {count} chips.",
                state.ante_due,
                name=state.name_of(state.banker),
            )
        if not short:
            return t.ngettext(
                "Press next to deal: everybody antes {count} chip.",
                "Press next to deal: everybody antes {count} chips.",
                state.ante_due,
            )
        if "deal" in self.snapshot.legal.commands and state.banker is not None:
            return t.gettext(
                "Press next to deal. {names} cannot fill the pools, so somebody else becomes the"
                " banker.",
                names=self._names(short),
            )
        if "deal" in self.snapshot.legal.commands:
            return t.ngettext(
                "Press next to deal. {names} cannot pay the ante of {count} chip and will be out."
                " To buy in first, press the place, then {centre}.",
                "Press next to deal. {names} cannot pay the ante of {count} chips and will be out."
                " To buy in first, press the place, then {centre}.",
                state.ante_due,
                names=self._names(short),
                centre=self._centre(),
            )
        return t.ngettext(
            "{names} cannot pay the ante of {count} chip."
            " To buy in, press the place, then {centre}."
            " To leave, hold the place for {seconds} s.",
            "{names} cannot pay the ante of {count} chips."
            " To buy in, press the place, then {centre}."
            " To leave, hold the place for {seconds} s.",
            state.ante_due,
            names=self._names(short),
            centre=self._centre(),
            seconds=seconds(self.snapshot.times.leave_us),
        )

    def _end(self) -> str:
        return self.t.gettext(
            "To end the night, hold next and undo together for {seconds} s.",
            seconds=seconds(self.snapshot.times.both_us),
        )

    def melding(self) -> tuple[str, list[str]]:
        state, t = self.state, self.t
        selected = self._selected()
        if selected is None:
            line = t.gettext(
                "If you hold the cards for a pool, show them and press your place, then the pool."
            )
        else:
            line = t.gettext(
                "{name} is selected. Press each pool that {name} shows the cards for.",
                name=state.name_of(selected),
            )
        lines = [line]
        if state.turned is not None:
            sentence = (
                N_("The last card dealt is the {card}, so {suit} are trumps.")
                if state.rules.turned_is_held
                else N_("The {card} is turned up, so {suit} are trumps.")
            )
            lines.append(
                t.gettext(
                    sentence,
                    card=card_name_in(t, state.turned),
                    suit=card_name_in(t, state.turned[1]),
                )
            )
        elif state.told_suit is not None:
            lines.append(
                t.gettext("The trump suit is {suit}.", suit=card_name_in(t, state.told_suit))
            )
        elif state.trump is not None:
            lines.append(
                t.gettext(
                    "With these rules, {suit} are always trumps.", suit=card_name_in(t, state.trump)
                )
            )
        elif "turn" in self.snapshot.legal.commands:
            lines.append(
                t.gettext("Has the last card been shown? Enter it on a phone: its suit is trumps.")
                if state.rules.turned_is_held
                else t.gettext(
                    "Has a card been turned up? Enter it on a phone: it may block pools."
                )
            )
        if state.blocked:
            lines.append(
                t.gettext(
                    "Nobody can win {pools}.", pools=pool_names(state.blocked, t, state.rules)
                )
            )
        lines.append(t.gettext("When everybody is done, press next to start the betting."))
        return t.gettext("Show your cards"), lines

    def betting(self) -> tuple[str, list[str]]:
        state, t = self.state, self.t
        seat = state.to_act
        assert seat is not None
        need, stack = state.need(seat), state.stack_of(seat)
        name = state.name_of(seat)
        if not need:
            title = t.gettext("Who’s betting? {name}’s turn", name=name)
        elif need <= stack:
            title = t.ngettext(
                "{name}’s turn: {count} chip to stay in",
                "{name}’s turn: {count} chips to stay in",
                need,
                name=name,
            )
        elif state.rules.all_in:
            title = t.gettext("{name}’s turn: all in with {chips}, or pass", name=name, chips=stack)
        else:
            title = t.gettext("{name}’s turn: too few chips to stay in", name=name)
        lines = self._chips_in_hand(seat) if self.pending.chips else self._chips_to_take(seat)
        return title, lines

    def _chips_in_hand(self, seat: int) -> list[str]:
        state, t, hand = self.state, self.t, self.pending.chips
        places = {
            "place": state.places[seat - 1],
            "pool": pool_name(state.rules.bet_pool, t, state.rules),
        }
        stakes = self.snapshot.legal.stakes
        if stakes is None:
            return [
                t.ngettext(
                    "{count} chip in hand is too few to stay in."
                    " Hold place {place} to take it back.",
                    "{count} chips in hand are too few to stay in."
                    " Hold place {place} to take them back.",
                    hand,
                    **places,
                )
            ]
        lines = [
            t.ngettext(
                "{count} chip in hand. Press {pool} to put it in,"
                " or hold place {place} to take it back.",
                "{count} chips in hand. Press {pool} to put them in,"
                " or hold place {place} to take them back.",
                hand,
                **places,
            )
        ]
        if hand < stakes.most:
            lines.append(t.gettext("Press place {place} again for one more chip.", **places))
        if stakes.most == stakes.stack:
            lines.append(
                t.ngettext(
                    "Hold {pool} to go all in with {count} chip.",
                    "Hold {pool} to go all in with {count} chips.",
                    stakes.stack,
                    **places,
                )
            )
        return lines

    def _chips_to_take(self, seat: int) -> list[str]:
        state, t = self.state, self.t
        places = {
            "place": state.places[seat - 1],
            "pool": pool_name(state.rules.bet_pool, t, state.rules),
        }
        need, stack, stakes = state.need(seat), state.stack_of(seat), self.snapshot.legal.stakes
        lines = []
        if stakes is None:
            pass
        elif need == 0:
            lines.append(
                t.gettext(
                    "To knock, press place {place} once for each chip, then {pool}.", **places
                )
            )
        elif need >= stack:
            lines.append(
                t.ngettext(
                    "Press place {place} for the {count} chip you have, then {pool}.",
                    "Press place {place} for all {count} chips you have, then {pool}.",
                    stack,
                    **places,
                )
            )
        elif stakes.most > need:
            lines.append(
                t.ngettext(
                    "Press place {place} for the {count} chip you need,"
                    " again for each chip you raise, then {pool}.",
                    "Press place {place} for the {count} chips you need,"
                    " again for each chip you raise, then {pool}.",
                    need,
                    **places,
                )
            )
        else:
            lines.append(
                t.ngettext(
                    "Press place {place} for the {count} chip you need, then {pool}.",
                    "Press place {place} for the {count} chips you need, then {pool}.",
                    need,
                    **places,
                )
            )
        lines.append(t.gettext("To pass, hold place {place}.", **places))
        if state.rules.bet_needs_set:
            lines.append(
                t.gettext(
                    "Only a player with two or more cards of a rank may stake; all others pass."
                )
            )
        return lines

    def showdown(self) -> tuple[str, list[str]]:
        state, t = self.state, self.t
        first, *others = state.still_in
        if others:
            line = t.gettext(
                "{names} compare their hands."
                " Press their places in the order of the hands, the best first.",
                names=self._names(state.still_in),
            )
        else:
            line = t.gettext(
                "{name} must show a set to win: press place {place}.",
                name=state.name_of(first),
                place=state.places[first - 1],
            )
        pool = pool_name(state.rules.bet_pool, t, state.rules)
        nobody = t.gettext("If nobody has a set, hold {pool}.", pool=pool)
        # Where high cards win, somebody always wins.
        lines = [line] if state.rules.high_card else [line, nobody]
        if others:
            lines.append(t.gettext("If hands tie, enter the order on a phone."))
        if hands := self.pending.hands:
            order = ", ".join(
                f"{rank}. {t.person(state.name_of(seat))}" for rank, seat in enumerate(hands, 1)
            )
            lines.insert(1, t.gettext("So far: {order}.", order=order))
        return t.gettext("Show your hands"), lines

    def shedding(self) -> tuple[str, list[str]]:
        state, t = self.state, self.t
        assert state.leader is not None
        bonus, selected = state.rules.run_bonus, self._selected()
        if selected is not None:
            name = state.name_of(selected)
            lines = [
                t.gettext(
                    "{name} is selected. Press {centre} if {name} has played the last card.",
                    name=name,
                    centre=self._centre(),
                )
            ]
            if bonus:
                lines.append(
                    t.gettext(
                        "Press {poch} if {name} played the last card of a run.",
                        poch=self._poch(),
                        name=name,
                    )
                )
        else:
            lines = [
                t.gettext(
                    "When you play your last card, press your place, then {centre}.",
                    centre=self._centre(),
                )
            ]
            if bonus:
                lines.append(
                    t.ngettext(
                        "The last card of a run brings {count} chip from everybody else:"
                        " press your place, then {poch}.",
                        "The last card of a run brings {count} chips from everybody else:"
                        " press your place, then {poch}.",
                        bonus,
                        poch=self._poch(),
                    )
                )
        lines.append(
            t.gettext(
                "Misdeal? Hold next and undo together for {seconds} s.",
                seconds=seconds(self.snapshot.times.both_us),
            )
        )
        return t.gettext("{name} leads", name=state.name_of(state.leader)), lines

    def counting(self) -> tuple[str, list[str]]:
        state, t = self.state, self.t
        assert state.winner is not None
        title = t.gettext("{name} is out of cards", name=state.name_of(state.winner))
        counted = {state.winner, *self.pending.cards}
        missing = [seat for seat in state.live if seat not in counted]
        if not missing:
            return title, [t.gettext("Everybody has counted. Press next to settle the deal.")]
        return title, [
            t.ngettext(
                "How many cards does {names} have left? Press your place once for each card.",
                "How many cards do {names} have left? Press your place once for each card.",
                len(missing),
                names=self._names(missing),
            ),
            t.gettext("No cards left, or miscounted? Hold your place."),
        ]

    def _selected(self) -> int | None:
        """The seat at the selected place."""
        place = self.pending.place
        return None if place is None else self.state.seat_at(place)

    def _centre(self) -> str:
        """The button in the middle: Pinke, unless this ruleset has no such pool."""
        ruleset = self.state.ruleset
        if ruleset is None or "pinke" in ruleset.pools:
            return pool_name("pinke", self.t, self.state.ruleset)
        return self.t.gettext("the middle")

    def _poch(self) -> str:
        """The button for a run: Poch, unless this ruleset has no such pool."""
        if "poch" in self.state.rules.pools:
            return pool_name("poch", self.t, self.state.ruleset)
        return self.t.gettext("the pool at the upper left")

    def _names(self, seats: Iterable[int]) -> str:
        return seat_names(self.state, seats, self.t)
