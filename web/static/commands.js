// @ts-check
// Commands of this phone: sent with what was on the screen, one at a time.

import { NO_ANSWER, postCommand, putCount, request } from "./requests.js";
import { GUARD_MS, STAGE_GUARD_MS, createTapGuard } from "./taps.js";
import { followZone, text } from "./texts.js";
import { pause } from "./time.js";

/** @import { StateAnswer } from "../types" */
/** @import { Command, CommandResult } from "./requests.js" */
/** @import { Store } from "./store.js" */

const EVENTS_LATE_MS = 150;
const CLAIM = "[data-command=claim]";

/** How long a tap may be meant for what was there before, and which controls it may reach all the
 * same; null if nothing has changed for it. What one's own tap has changed may be tapped twice.
 * @param {StateAnswer} before @param {StateAnswer} now @param {boolean} isOwn */
export function guardOf(before, now, isOwn) {
  const selects = now.pending?.place !== before.pending?.place; // it changes whom a claim is for
  if (!selects && (now.basis === before.basis || isOtherCount(before, now))) return null;
  const isNext = before.phase !== now.phase || before.deal !== now.deal;
  // Others claim other pools, and no tile moves.
  const free = isNext || selects || isOwn ? "" : CLAIM;
  return { ms: isNext ? STAGE_GUARD_MS : GUARD_MS, free };
}

/** Whether only cards were counted elsewhere, which leaves every control in its place.
 * @param {StateAnswer} before @param {StateAnswer} now */
const isOtherCount = (before, now) =>
  now.night === before.night && now.entry === before.entry && Boolean(now.actions.settle);

/** @param {Store} store @param {(message: string) => void} toast
 * @param {(message: string) => void} hear what is shown elsewhere */
export function createCommands(store, toast, hear) {
  const taps = createTapGuard(() =>
    toast(text("The table has just changed. Look, then tap again.")),
  );
  const basis = () => store.get().state?.basis;

  /** @param {StateAnswer} next */
  function receive(next) {
    const { state } = store.get();
    const guard = state && guardOf(state, next, taps.isSending());
    if (guard) taps.changed(guard.ms, guard.free);
    followZone(next.board.zone);
    store.set({ state: next });
  }

  /** The events may be late, or their stream may be reopening. */
  async function fetchState() {
    const answer = await request("GET", "/api/state");
    const latest = store.get().state?.revision ?? 0;
    if (answer?.status === 200 && answer.json.revision > latest) receive(answer.json);
  }

  /** A message has one place: the sender's own, if it still has one. But that no answer came is
   * nothing that the sender could be told for good.
   * @param {CommandResult & {ok: false}} refused @param {(message: string) => unknown} [refuse] */
  function tell({ code, message }, refuse) {
    if (!refuse || code === NO_ANSWER || refuse(message) === false) return toast(message);
    hear(message);
  }

  /** @param {(basis: string | undefined) => Promise<CommandResult>} post
   * @param {(message: string) => unknown} [refuse] */
  async function sendBased(post, refuse) {
    // Send what was on the screen, so that it is refused if the table has moved on.
    const before = basis();
    const result = await post(before);
    if (result.ok) {
      toast(""); // what was refused before
    } else tell(result, refuse);
    if (result.ok || result.code === "changed") {
      if (basis() === before) await pause(EVENTS_LATE_MS);
      if (basis() === before) await fetchState();
    }
    return result;
  }

  return {
    receive,
    /** Marks the controls that have been drawn. */
    mark: taps.mark,
    /** Something has opened, perhaps under a finger: the second half of a double tap is not for
     * it. */
    opened() {
      taps.changed(GUARD_MS);
      taps.mark();
    },
    /** @param {Command} command @param {(message: string) => unknown} [refuse] */
    send: (command, refuse) =>
      taps.during(() => sendBased((before) => postCommand({ basis: before, ...command }), refuse)),
    /** @param {number} seat @param {number} cards */
    enterCount: (seat, cards) =>
      taps.during(() => sendBased((before) => putCount({ seat, cards, basis: before ?? null }))),
  };
}
