"""Makes the API's responses from the table's records."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, get_args

import msgspec
from msgspec import UNSET

from pochboard.buttons.pending import Pending
from pochboard.buttons.press import PAIRING_BUTTON
from pochboard.buttons.settings import BRIGHTNESS, VOLUME
from pochboard.demo.options import DemoOptions
from pochboard.demo.session import Hand
from pochboard.errors import Refusal, RefusalEvent
from pochboard.exports.bgstats import bgstats_link
from pochboard.exports.exported_night import ExportedNight
from pochboard.exports.formats import FORMATS
from pochboard.geometry.dimensions import dimensions
from pochboard.geometry.face import Face, Point, turn_of
from pochboard.history.night_statistics import left_on_board, night_statistics
from pochboard.ledger.hints import count_hints, hints
from pochboard.ledger.legal import LegalActions
from pochboard.ledger.remarks import Remarks
from pochboard.ledger.replay import NightSummary, summarize, taken_back
from pochboard.ledger.results import results_of, summary_results
from pochboard.ledger.settling import BankChoice, Way
from pochboard.ledger.sounds import Sound, passes_turn, sound_of_entry
from pochboard.ledger.times import utc_text
from pochboard.lights.count_code import code_format
from pochboard.lights.display import DisplayConfig
from pochboard.lights.frame import hex_colours
from pochboard.lights.render import settled_frame
from pochboard.messages.accounts import (
    count_hint_text,
    hint_text,
    last_taken,
    last_taken_text,
    movements,
    pool_rules,
    since_counted,
    since_empty,
)
from pochboard.messages.actions import ActionsContext, actions, both_action
from pochboard.messages.bots import (
    HandContext,
    hand_actions,
    hand_prompt,
    short_name,
    table_message,
)
from pochboard.messages.entries import EntryContext, posting_name, sentence
from pochboard.messages.guidance import guidance, headline, off_guidance, pairing_how
from pochboard.messages.health import fault_text
from pochboard.messages.labels import account_name, headline_text, phase_name, signed
from pochboard.messages.nights import (
    csv_labels,
    format_label,
    listed_headline,
    listed_result,
    listed_summary,
    listed_winners,
    night_title,
)
from pochboard.messages.parameters import parameter_form, problem_text, ruleset_summary
from pochboard.messages.records import night_records
from pochboard.messages.referee import referee_question
from pochboard.messages.seats import board_label, pool_details, rim, seat_rows, standings_rows
from pochboard.messages.settling import CURRENCY
from pochboard.messages.timeline import mark_of, moves_of, moves_text
from pochboard.rules.accounts import POOLS
from pochboard.rules.ruleset import (
    USUAL,
    Ruleset,
    nearest_preset,
    shipped_rulesets,
    with_older_names,
)
from pochboard.rules.state import BETWEEN_NIGHTS, IN_A_DEAL, State, public_state
from pochboard.rulesets.catalog import RulesetCatalog
from pochboard.runtime.health import HealthMonitor
from pochboard.server.responses import (
    AccountAnswer,
    Allowed,
    BoardLook,
    BoardState,
    BotsOffer,
    CountedHint,
    DemoState,
    DisplayFace,
    Download,
    EntryAnswer,
    FaceAnswer,
    HandAnswer,
    HealthEvent,
    HoldTimes,
    ListedNight,
    ListedRuleset,
    ListSection,
    LobbyAnswer,
    MovementRow,
    NewNight,
    NewPlayer,
    NextNight,
    NightAnswer,
    PairingState,
    PendingAnswer,
    PlaceFace,
    PoolFace,
    PostingRow,
    PublicState,
    RefusalAnswer,
    RefusedEvent,
    RulesetAnswer,
    RulesetProblem,
    RulesetsAnswer,
    SettlementForm,
    StateAnswer,
)
from pochboard.table.clock import local_time
from pochboard.table.records import Demo, Night, Snapshot
from pochboard.table.simulated_board import HOLD_S
from pochboard.text.translator import ENGLISH, Translator
from pochboard.text.visible import encodable


def public_answer(state: State) -> PublicState:
    """The public state of a night."""
    return PublicState(**public_state(state))


def face_answer(board: Face) -> FaceAnswer:
    """The face of the board, to a hundredth of a millimetre."""
    size = dimensions()
    half = board.place_width / 2
    ring = (len(board.inlays) - len(board.places)) // len(board.wells)
    pools = zip(POOLS, board.wells, board.inlays[::ring], strict=False)
    places = zip(board.places, board.numbers, board.dealer_holes, strict=True)
    return FaceAnswer(
        radius=_mm(board.radius),
        rim=_mm(board.rim),
        pools=tuple(
            PoolFace(
                pool,
                *_at(well.centre),
                *(_mm(radius) for radius in (well.bowl, well.ring, well.flange)),
                *(_mm(side) for side in (inlay.length, inlay.width)),
            )
            for pool, well, inlay in pools
        ),
        pixels_per_ring=ring,
        places=tuple(
            PlaceFace(
                start=round(turn_of(hole.centre) - half, 5),
                end=round(turn_of(hole.centre) + half, 5),
                pixel=_at(hole.centre),
                number=_at(number),
                dealer=_at(dealer.centre),
            )
            for hole, number, dealer in places
        ),
        buttons={hole.name: _at(hole.centre) for hole in board.buttons},
        button=size.button.head,
        inlay=size.place.inlay,
        flange=size.place.flange,
        dealer_mark=size.dealer_mark.diameter,
        displays=tuple(
            DisplayFace(
                *_at(block.at(0, 0)),
                turn=round(block.turn, 5),
                frame=block.size,
                active=size.display.active,
                out=_mm(size.display.active_out),
            )
            for block in board.displays
        ),
    )


def _mm(value: float) -> float:
    return round(value, 2) + 0.0  # which turns -0.0 into 0.0


def _at(point: Point) -> Point:
    return _mm(point[0]), _mm(point[1])


def ruleset_answer(ruleset: Ruleset) -> RulesetAnswer:
    """A ruleset by name and parameters."""
    return RulesetAnswer(ruleset.name, with_older_names(ruleset.parameters()))


def state_answer(
    snapshot: Snapshot,
    display: DisplayConfig,
    t: Translator = ENGLISH,
    *,
    paired: bool,
    rulesets: Mapping[str, Ruleset],
) -> StateAnswer:
    """A snapshot for one kind of client. `rulesets` are those a night can be started with."""
    state, board = snapshot.state, snapshot.board
    in_a_deal = state.phase in IN_A_DEAL
    until_ms = snapshot.pairing_open_until_ms
    digits, _ = code_format(display)
    return StateAnswer(
        **public_state(state),
        night=snapshot.night,
        ruleset=ruleset_answer(state.ruleset) if state.ruleset else None,
        names={str(seat): state.name_of(seat) for seat in state.seats},
        entry=snapshot.entry,
        pending=pending_answer(snapshot.pending, state) if snapshot.pending else None,
        allowed=Allowed(snapshot.legal.commands, snapshot.buttons.allowed),
        board=BoardState(
            board.kind,
            board.link,
            board.simulated,
            display.places,
            display.pixels_per_ring,
            has_sound=snapshot.board.has_sound,
            has_sensor=snapshot.board.has_sensor,
            brightness=snapshot.settings.brightness,
            night=snapshot.settings.night,
            volume=snapshot.settings.volume,
            follows_room=snapshot.settings.follows_room,
            brightness_steps=BRIGHTNESS,
            volume_steps=VOLUME if snapshot.board.has_sound else (),
        ),
        pairing=PairingState(
            open=until_ms is not None,
            until_ms=until_ms,
            window_s=snapshot.pairing_window_s,
            button=PAIRING_BUTTON,
            paired=paired,
            digits=digits,
            how=pairing_how(
                snapshot.times.next_long_us,
                digits,
                t,
                is_open=until_ms is not None,
                simulated=snapshot.board.simulated,
            ),
            code=snapshot.pairing_code if paired else None,
        ),
        revision=snapshot.revision,
        clock_set=snapshot.clock_set,
        seen=snapshot.seen,
        need=state.need(state.to_act) if state.to_act is not None else None,
        deck=state.deck if in_a_deal else None,
        turned=state.turned,
        winner=state.winner,
        hand_sizes=(
            {str(seat): size for seat, size in state.hand_sizes.items()} if in_a_deal else {}
        ),
        passed=sorted(state.passed),
        stack=state.stack or None,
        demo=demo_state(snapshot.demo, state, t) if snapshot.demo else None,
        bots_seed=snapshot.bots_seed,
        switching_off=snapshot.switching_off,
        fault=fault_answer(snapshot.fault, t) if snapshot.fault else None,
        last_sentence=_sentence(snapshot.last, t, snapshot.called),
        last_sound=_sound(snapshot.last),
        turn_played=_turn_played(snapshot),
        new_night=_new_night(snapshot, rulesets),
        **_in_words(snapshot, display, t),
    )


def fault_answer(fault: Refusal, t: Translator = ENGLISH) -> RefusalAnswer:
    """Why nothing can be booked."""
    return RefusalAnswer(fault.code, fault.sentence.in_language(t))


def _sentence(context: EntryContext | None, t: Translator, called: Mapping[str, str]) -> str | None:
    return None if context is None else sentence(context, t, called)


def _sound(context: EntryContext | None) -> Sound | None:
    if context is None:
        return None
    return sound_of_entry(context.before, context.after, context.entry.command)


def _turn_played(snapshot: Snapshot) -> bool:
    audible = snapshot.board.has_sound and snapshot.settings.volume != "silent"
    last = snapshot.last
    return audible and last is not None and passes_turn(last.before, last.after)


def _legal_on_board(legal: LegalActions, display: DisplayConfig) -> LegalActions:
    """The legal actions without places that this board lacks, and so perhaps without `join`."""
    places = tuple(place for place in legal.places if place <= display.places)
    commands = tuple(name for name in legal.commands if name != "join" or places)
    return msgspec.structs.replace(legal, commands=commands, places=places)


def _in_words(snapshot: Snapshot, display: DisplayConfig, t: Translator) -> dict[str, Any]:
    """A state in words: the text fields of StateAnswer."""
    state, pending, times = snapshot.state, snapshot.pending, snapshot.times
    legal = _legal_on_board(snapshot.legal, display)
    context = ActionsContext(
        state=state,
        pending=pending,
        legal=legal,
        undoes=_sentence(snapshot.undoes, t, snapshot.called),
        redoes=_sentence(snapshot.redoes, t, snapshot.called),
    )
    demo = snapshot.demo
    possible = actions(context, t)
    pools = pool_details(state, legal.claims, t)
    headed, phase = headline(state, snapshot.night, t), phase_name(state.phase, t)
    return {
        "undoes": context.undoes,
        "redoes": context.redoes,
        "headline": headed,
        "headline_text": headline_text(headed),
        "phase_name": phase,
        "headline_phase": headline_text((*headed, phase)),
        "guidance": (
            off_guidance(snapshot.switching_off == "confirmed", t)
            if snapshot.switching_off
            else guidance(
                state,
                pending,
                legal,
                times,
                t,
                replayed=snapshot.replayed,
                model=snapshot.model,
                called=snapshot.called,
            )
        ),
        "actions": possible,
        "both": both_action(state, possible),
        "rows": seat_rows(state, pending, t),
        "rim": rim(state, pending, t, _bots(demo), snapshot.lobby_names),
        "pool_details": pools,
        "board_label": board_label(pools, t),
        "standings_rows": (
            standings_rows(results_of(state, snapshot.called)) if state.phase == "closed" else ()
        ),
        "holds": HoldTimes(
            {button: held_us / 1e6 for button, held_us in snapshot.buttons.hold_us.items()},
            both=times.both_us / 1e6,
            pairing=times.next_long_us / 1e6,
            silence=HOLD_S,
        ),
        "referee": referee_question(state, t),
        "bots_settle": demo is not None and demo.stuck is None,
        "taken_back": snapshot.taken_back,
        "hints": tuple(hint_text(one, t) for one in hints(state)),
        "next_night": _next_night(snapshot.model, t),
    }


def _next_night(model: State | None, t: Translator) -> NextNight | None:
    if model is None:
        return None
    ruleset = ruleset_answer(model.ruleset) if model.ruleset else None
    return NextNight(seat_rows(model, None, t), ruleset, model.stack or None)


def _new_night(snapshot: Snapshot, rulesets: Mapping[str, Ruleset]) -> NewNight | None:
    if snapshot.state.phase not in BETWEEN_NIGHTS:
        return None
    state, start = snapshot.model or snapshot.state, snapshot.start
    # A ruleset of the house may have been deleted since.
    again = start if start and start.ruleset in rulesets else None
    rules = state.rules if again else rulesets[USUAL]
    here = sorted((place, seat) for seat, place in enumerate(state.places, 1) if place)
    return NewNight(
        players=tuple(NewPlayer(state.name_of(seat), place) for place, seat in here),
        fewest=rules.players[0],
        ruleset=again.ruleset if again else USUAL,
        options=again.options if again and again.options is not UNSET else {},
        stack=state.stack if again else None,
    )


def demo_state(demo: Demo, state: State, t: Translator = ENGLISH) -> DemoState:
    """The bots and the open cards."""
    # The fields are the same, but seats become keys of JSON.
    fields = msgspec.to_builtins(demo.cards, str_keys=True)
    said = demo.commentary.get(t.language)
    # The cards are hidden until everybody knows the trump suit.
    dealt, bots = bool(demo.cards.held) and state.trump is not None, _bots(demo)
    return msgspec.convert(
        {
            **fields,
            **(msgspec.structs.asdict(said) if said else {}),
            "seed": "",
            "speed": demo.speed,
            "stuck": demo.stuck.sentence.in_language(t) if demo.stuck else None,
            "message": table_message(state, bots, dealt=dealt, t=t),
            "short_names": {
                str(seat): short_name(state, seat, bots) for seat in demo.cards.players
            },
        },
        DemoState,
    )


def _bots(demo: Demo | None) -> list[int]:
    """The seats that computer players play."""
    players = demo.cards.players if demo else {}
    return [seat for seat, name in players.items() if name != "person"]


def hand_answer(hand: Hand, snapshot: Snapshot, t: Translator = ENGLISH) -> HandAnswer:
    """The hand of a person who has taken a seat, and what to do with it."""
    state, demo = snapshot.state, snapshot.demo
    waits = demo.cards.waits if demo else None
    context = HandContext(
        seat=hand.seat,
        has_cards=bool(hand.cards),
        may_lay=bool(hand.playable),
        due=hand.due,
        awaited_seat=waits.seat if waits else None,
        awaited=waits.what if waits else None,
    )
    return HandAnswer(
        **msgspec.structs.asdict(hand),
        prompt=hand_prompt(state, context, _bots(demo), t),
        actions=hand_actions(context, snapshot.legal, t),
    )


def pending_answer(pending: Pending, state: State) -> PendingAnswer | None:
    """What has been pressed but is not yet a command, or None."""
    if lobby := pending.lobby:
        return PendingAnswer(lobby=LobbyAnswer(lobby.places, lobby.dealer, lobby.armed))
    if pending.hands:
        return PendingAnswer(hands=pending.hands)
    if pending.chips:
        assert state.to_act is not None, "chips are in the hand of the seat to act"
        return PendingAnswer(seat=state.to_act, chips=pending.chips)
    if pending.counts:
        return PendingAnswer(cards={str(s): n for s, n in sorted(pending.cards.items())})
    if pending.place is not None:
        seat = state.seat_at(pending.place)
        return PendingAnswer(place=pending.place) if seat is None else PendingAnswer(seat=seat)
    return None


def refused_event(event: RefusalEvent, t: Translator = ENGLISH) -> RefusedEvent:
    """A refusal as an event for the phones."""
    text = event.refusal.sentence.in_language(t)
    return RefusedEvent(event.code, text, event.buttons, event.command)


def night_answer(
    night: Night, display: DisplayConfig, remarks: Remarks, t: Translator = ENGLISH
) -> NightAnswer:
    """A night, and its state after the last entry."""
    stored, last = night.stored, night.states[-1]
    summary = summarize(stored.number, stored.entries, last, imported=stored.imported)
    closed, name = last.phase == "closed", remarks.names.get(stored.number)
    results = results_of(last, remarks.called) if closed else ()
    headed = listed_headline(summary, t)
    return NightAnswer(
        number=stored.number,
        started_ms=stored.entries[0].time_ms,
        ended_ms=stored.entries[-1].time_ms if closed else None,
        ruleset=last.rules.name,
        parameters=with_older_names(last.rules.parameters()),
        players=list(last.names),
        names=_names(last),
        board=BoardLook(display.places, display.pixels_per_ring, display.palette),
        deals=last.deal,
        entries=len(stored.entries),
        imported=stored.imported,
        standings=last.standings if closed else None,
        standings_rows=standings_rows(results),
        taken_back=taken_back(stored.entries),
        headline=headed,
        headline_text=headline_text(headed),
        title=night_title(summary, name, t),
        section=_section(stored.number, remarks),
        status=summary.status,
        winners=listed_winners(results, t),
        result=listed_result(summary, results, t),
        summary=listed_summary(summary, t),
        state=public_answer(last),
        downloads=tuple(_downloads(stored.number, t)),
        name=name,
        settling=SettlementForm(get_args(Way), get_args(BankChoice), CURRENCY),
        archived=stored.number in remarks.archived,
        deleted=stored.number in remarks.deleted,
        bots=stored.number in remarks.bots,
        records=_records(night, remarks, t) if closed else (),
        rules=ruleset_summary(last.rules, t),
        bgstats=bgstats_link(exported_night(night, remarks)),
    )


def _downloads(night: int, t: Translator) -> Iterator[Download]:
    """The formats of a night. Where decimals have a comma, Excel wants CSV with semicolons."""
    for name, how in FORMATS.items():
        href, file = f"/api/nights/{night}/{name}", f"night-{night}.{how.extension}"
        if name == "csv" and t.decimal_mark == ",":
            semicolons, commas = csv_labels(t)
            yield Download(name, semicolons, f"{href}?separator=semicolon", file)
            yield Download(name, commas, href, file)
        else:
            yield Download(name, format_label(name, t), href, file)


def _records(night: Night, remarks: Remarks, t: Translator) -> tuple[str, ...]:
    stored = night.stored
    counted = night_statistics(stored.number, stored.entries, night.states, called=remarks.called)
    return night_records(counted, left_on_board(stored.entries, night.states), t)


def exported_night(night: Night, remarks: Remarks, identity: str | None = None) -> ExportedNight:
    """A night as the exports take it."""
    stored = night.stored
    return ExportedNight(
        stored.number,
        stored.entries,
        night.states,
        local_time,
        imported=stored.imported,
        called=remarks.called,
        identity=identity,
        origin=stored.origin,
    )


def nights_answer(
    nights: Iterable[NightSummary],
    remarks: Remarks,
    t: Translator = ENGLISH,
    *,
    deleted: bool = False,
    bots: bool = False,
) -> Iterator[ListedNight]:
    """The list of nights one by one, with the deleted ones and those of bots if asked for."""
    return (
        ListedNight(
            **msgspec.structs.asdict(night),
            standings_rows=standings_rows(results),
            winners=listed_winners(results, t),
            result=listed_result(night, results, t),
            summary=listed_summary(night, t),
            name=remarks.names.get(night.number),
            archived=night.number in remarks.archived,
            deleted=night.number in remarks.deleted,
            bots=night.number in remarks.bots,
            section=_section(night.number, remarks),
            status=night.status,
        )
        for night in nights
        if (deleted or night.number not in remarks.deleted)
        and (bots or night.number not in remarks.bots)
        for results in [summary_results(night, remarks.called)]
    )


def _section(night: int, remarks: Remarks) -> ListSection:
    """Where a night is listed."""
    if night in remarks.deleted:
        return "deleted"
    if night in remarks.bots:
        return "bots"
    return "archived" if night in remarks.archived else "nights"


def account_answer(
    account: str, night: Night, t: Translator = ENGLISH, called: Mapping[str, str] = {}
) -> AccountAnswer:
    """A pool or stack, and the entries that made it what it is."""
    state, contexts = night.states[-1], night.contexts
    kind, _, which = account.partition(":")
    moved = movements(account, contexts, t, called)
    gone = taken_back(night.stored.entries)
    uncounted = since_counted(account, moved, contexts, gone)
    rows = max(since_empty(moved), uncounted, key=len)
    is_pool = kind == "pool"
    taken = last_taken(moved, contexts, gone) if is_pool else None
    return AccountAnswer(
        account=account,
        name=account_name(account, state, t),
        chips=state.pool(which) if is_pool else state.stack_of(int(which)),
        rules=tuple(pool_rules(which, state, t)) if is_pool else (),
        rows=tuple(
            MovementRow(**row._asdict(), text=signed(row.chips), uncounted=row in uncounted)
            for row in rows
        ),
        taken=taken,
        taken_text=last_taken_text(taken, t) if taken else None,
        hints=tuple(hint_text(one, t) for one in hints(state) if one.account in ("", account)),
        count_hints=tuple(
            CountedHint(one.counted, count_hint_text(one, t)) for one in count_hints(account, state)
        ),
    )


def rulesets_answer(
    catalog: RulesetCatalog, display: DisplayConfig, t: Translator = ENGLISH
) -> RulesetsAnswer:
    """The rulesets that a night can be started with, and the form of their parameters."""
    shipped, bots = shipped_rulesets(), DemoOptions()
    return RulesetsAnswer(
        [
            ListedRuleset(
                name,
                name in shipped,
                with_older_names(rules.parameters()),
                ruleset_summary(rules, t),
                name if name in shipped else nearest_preset(rules).name,
                (rules.players[0], min(rules.players[1], display.places)),
            )
            for name, rules in catalog.rulesets.items()
        ],
        # Only the file's name: clients on the LAN need not know its folder.
        [
            RulesetProblem(
                file,
                problem.key,
                problem.reason,
                problem_text(file, problem.key, problem.reason, t),
            )
            for problem in catalog.problems
            for file in [encodable(problem.file.name)]
        ],
        parameter_form(t),
        BotsOffer(bots.ruleset, bots.players),
    )


def entry_answers(
    night: Night,
    after: int,
    limit: int,
    t: Translator = ENGLISH,
    *,
    display: DisplayConfig | None = None,
    called: Mapping[str, str] = {},
) -> Iterator[EntryAnswer]:
    """Up to `limit` entries of a night numbered above `after`.

    With a display also how the table looked.
    """
    gone = set(taken_back(night.stored.entries))
    contexts = night.contexts
    for place in range(after, min(after + limit, len(contexts))):
        context = contexts[place]
        gone_now = context.entry.number in gone
        yield _entry_answer(context, t, display, called, taken_back=gone_now)


def _entry_answer(
    context: EntryContext,
    t: Translator,
    display: DisplayConfig | None,
    called: Mapping[str, str],
    *,
    taken_back: bool,
) -> EntryAnswer:
    entry, state = context.entry, context.after
    return EntryAnswer(
        number=entry.number,
        time=utc_text(entry.time_ms),
        time_ms=entry.time_ms,
        command=entry.command,
        sentence=sentence(context, t, called),
        postings=entry.postings,
        ref=entry.ref,
        state=public_answer(state),
        names=_names(state),
        posting_rows=tuple(
            PostingRow(
                account, posting_name(account, context.before, state, t), chips, signed(chips)
            )
            for account, chips in entry.postings
        ),
        taken_back=taken_back,
        **(_replayed(context, display, t) if display else {}),
    )


def _replayed(context: EntryContext, display: DisplayConfig, t: Translator) -> dict[str, Any]:
    """What a replay shows of an entry: the fields of EntryAnswer from `pixels` on."""
    state = context.after
    pools = pool_details(state, {}, t)
    return {
        "pixels": tuple(hex_colours(settled_frame(state, display))),
        "rows": seat_rows(state, None, t),
        "rim": rim(state, None, t),
        "pool_details": pools,
        "board_label": board_label(pools, t),
        "mark": mark_of(context),
        "moves": moves_of(context, t),
        "moves_text": moves_text(context, t),
    }


def _names(state: State) -> dict[str, str]:
    return {str(seat): state.name_of(seat) for seat in state.seats}


def health_event(health: HealthMonitor, t: Translator = ENGLISH) -> HealthEvent:
    """What does not work in the daemon."""
    faults = health.faults
    restarts = health.restarts(faults)
    message = fault_text(faults.items(), restarts=restarts, t=t) if faults else None
    return HealthEvent(sorted(faults), message)
