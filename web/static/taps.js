// @ts-check
// Taps that count: one at a time, and none that was meant for what was there before.

import { moment, msSince } from "./time.js";

/** @import { Moment } from "./time.js" */

/** Longer than a double tap, and than people need to see that all has changed. */
export const GUARD_MS = 400;
/** After the next stage has come: what leads on from it may be where a finger still taps. */
export const STAGE_GUARD_MS = 1_000;

/**
 * Lets taps make one change at a time, and none in the first moments after a change: the tapped
 * control has moved, and another one is in its place.
 * @template {unknown[]} A @param {(...values: A) => Promise<void>} change
 */
export function oneAtATime(change) {
  let changing = false;
  /** @type {Moment | null} */
  let changed = null;
  return async (/** @type {A} */ ...values) => {
    if (changing || (changed && msSince(changed) < GUARD_MS)) return;
    changing = true;
    try {
      await change(...values);
    } finally {
      changing = false;
      changed = moment();
    }
  };
}

/** Controls that send a command, or enter what one will record for whoever is next. */
const COMMANDS = "[data-command], [data-action], [data-record], [data-number]";

/**
 * Lets a tap count only if it cannot have been meant for something else: not while another command
 * is being sent, and not in the first moments after the table has changed.
 * @param {() => void} onEarly is told that a tap came too soon after a change
 */
export function createTapGuard(onEarly) {
  /** @type {Element | null} */
  let tapped = null;
  let sending = false;
  let guardTimer = 0;
  let free = ""; // the controls that a change leaves as they were

  /** @param {Element} control */
  const isHeldBack = (control) => guardTimer !== 0 && !(free && control.matches(free));

  /** Marks the controls; also called when some have been drawn. */
  function mark() {
    for (const control of document.querySelectorAll(COMMANDS)) {
      // Not `disabled`: that would take the focus away.
      const dead = control.hasAttribute("data-dead");
      if (sending || isHeldBack(control) || dead) control.setAttribute("aria-disabled", "true");
      else control.removeAttribute("aria-disabled");
      if (sending && control === tapped) control.setAttribute("aria-busy", "true");
      else control.removeAttribute("aria-busy");
    }
  }

  /** The table has changed. @param {number} ms for which no tap counts
   * @param {string} [besides] a selector of controls that it leaves as they were */
  function changed(ms, besides = "") {
    // What an earlier change holds back stays so.
    free = guardTimer && free !== besides ? "" : besides;
    clearTimeout(guardTimer);
    guardTimer = setTimeout(() => {
      guardTimer = 0;
      mark();
    }, ms);
  }

  /** Sends a command, with the controls off until it is answered.
   * @template T @param {() => Promise<T>} send */
  async function during(send) {
    sending = true;
    mark();
    try {
      return await send();
    } finally {
      sending = false;
      mark();
    }
  }

  /** @param {Event} event */
  function stop(event) {
    event.preventDefault();
    event.stopPropagation();
  }

  /** @param {Event} event */
  const controlOf = ({ target }) => (target instanceof Element ? target.closest(COMMANDS) : null);

  // Enter in a form clicks its button too.
  const click = (/** @type {MouseEvent} */ event) => {
    const control = controlOf(event);
    if (!control) return;
    if (!sending && !isHeldBack(control)) {
      tapped = control;
      return;
    }
    stop(event);
    if (!sending && control !== tapped) onEarly();
  };
  const keydown = (/** @type {KeyboardEvent} */ event) => {
    if (event.repeat && event.key === "Enter" && controlOf(event)) stop(event);
  };
  document.addEventListener("click", click, { capture: true });
  document.addEventListener("keydown", keydown, { capture: true });
  return { mark, changed, during, isSending: () => sending };
}
