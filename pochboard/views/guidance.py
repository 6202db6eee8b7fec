"""What may happen now: a title and a few lines for the page, a large screen or speech."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, assert_never

import msgspec

from pochboard.buttons.press import NOTHING, Lobby
from pochboard.ledger.results import results_of, winners
from pochboard.messages.labels import pool_name, pool_names, seat_names, seconds
from pochboard.table.snapshot import Snapshot
from pochboard.text.names import card_name_in
from pochboard.text.translator import Translator
from pochboard.views.seats import stake_words


class Guidance(msgspec.Struct, frozen=True):
    """What may happen now. Each line is one or more whole sentences."""

    title: str
    lines: tuple[str, ...]


def guidance(snapshot: Snapshot, t: Translator) -> Guidance:
    """The guidance for this moment."""
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
        state, t, short = self.state, self.t, self.state.short_seats
        ante = t.ngettext("{count} chip", "{count} chips", state.ante_due)
        if state.rules.ante_from == "bank":
            return t.gettext("Press next to deal: the bank fills the pools.")
        if "deal" not in self.snapshot.legal.commands:
            return t.gettext(
                "To buy in, press the place, then {centre}. To leave, hold the place for"
                " {seconds} s. The ante is {chips}.",
                centre=self._centre(),
                seconds=seconds(self.snapshot.times.leave_us),
                chips=ante,
            )
        if short and state.banker is not None:
            return t.gettext(
                "Press next to deal. {names} cannot fill the pools, so somebody else becomes the"
                " banker.",
                names=self._names(short),
            )
        if short:
            return t.gettext(
                "Press next to deal without {names}, who cannot pay the ante of {chips}."
                " To buy in first, press the place, then {centre}.",
                names=self._names(short),
                chips=ante,
                centre=self._centre(),
            )
        if state.banker is not None:
            return t.gettext(
                "Press next to deal: {name}, the banker, puts in {chips}.",
                name=state.name_of(state.banker),
                chips=ante,
            )
        return t.gettext("Press next to deal: everybody antes {chips}.", chips=ante)

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
        if state.trump is not None:
            suit = card_name_in(t, state.trump)
            lines.append(t.gettext("The trump suit is {suit}.", suit=suit))
        elif "turn" in self.snapshot.legal.commands:
            lines.append(
                t.gettext("Has the last card been shown? Enter it on a phone: its suit is trumps.")
                if state.rules.turned_is_held
                else t.gettext(
                    "Has a card been turned up? Enter it on a phone: it may block pools."
                )
            )
        if state.blocked:
            pools = pool_names(state.blocked, t, state.rules)
            lines.append(t.gettext("Nobody can win {pools}.", pools=pools))
        lines.append(t.gettext("When everybody is done, press next to start the betting."))
        return t.gettext("Show your cards"), lines

    def betting(self) -> tuple[str, list[str]]:
        state, t, seat = self.state, self.t, self.state.to_act
        assert seat is not None
        name = state.name_of(seat)
        title = (
            t.gettext("{name}’s turn: {what}", name=name, what=stake_words(state, seat, t))
            if state.need(seat)
            else t.gettext("Who’s betting? {name}’s turn", name=name)
        )
        places = {
            "place": state.places[seat - 1],
            "pool": pool_name(state.rules.bet_pool, t, state.rules),
        }
        says = self._chips_in_hand if self.pending.chips else self._chips_to_take
        return title, says(places)

    def _chips_in_hand(self, places: dict[str, Any]) -> list[str]:
        t, hand, stakes = self.t, self.pending.chips, self.snapshot.legal.stakes
        chips = t.ngettext("{count} chip", "{count} chips", hand)
        if stakes is None:
            return [
                t.gettext(
                    "{chips} in hand: too few to stay in. Hold place {place} to cancel.",
                    chips=chips,
                    **places,
                )
            ]
        lines = [
            t.gettext(
                "{chips} in hand. Press {pool} to stake, or hold place {place} to cancel.",
                chips=chips,
                **places,
            )
        ]
        if hand < stakes.most:
            lines.append(t.gettext("Press place {place} again for one more chip.", **places))
        if stakes.most == stakes.stack:
            lines.append(t.gettext("Hold {pool} to go all in.", **places))
        return lines

    def _chips_to_take(self, places: dict[str, Any]) -> list[str]:
        t, lines = self.t, []
        if self.snapshot.legal.stakes is not None:
            lines.append(
                t.gettext(
                    "To stake, press place {place} once for each chip, then {pool}.", **places
                )
            )
        lines.append(t.gettext("To pass, hold place {place}.", **places))
        if self.state.rules.bet_needs_set:
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
        state, t, selected = self.state, self.t, self._selected()
        assert state.leader is not None
        words = {"centre": self._centre(), "poch": self._poch()}
        if selected is None:
            last = t.gettext(
                "When you play your last card, press your place, then {centre}.", **words
            )
            run = t.gettext(
                "When you play the last card of a run, press your place, then {poch}.", **words
            )
        else:
            words["name"] = state.name_of(selected)
            last = t.gettext(
                "{name} is selected. Press {centre} if {name} has played the last card.", **words
            )
            run = t.gettext("Press {poch} if {name} played the last card of a run.", **words)
        misdeal = t.gettext(
            "Misdeal? Hold next and undo together for {seconds} s.",
            seconds=seconds(self.snapshot.times.both_us),
        )
        lines = [last, run, misdeal] if state.rules.run_bonus else [last, misdeal]
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
