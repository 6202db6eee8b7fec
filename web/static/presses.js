// @ts-check
// Presses of the simulated board: by pointer, focus and screen reader, sent as the edges of real
// buttons.

import { randomId, request } from "./requests.js";
import { text } from "./texts.js";
import { pause } from "./time.js";

/** @import { EdgeBody, PressAnswer, RefusedEvent } from "../types" */

/** @typedef {Pick<RefusedEvent, "message" | "button">} RefusedPress */

const KEEP_ALIVE_MS = 250; // a press counts as long only once the daemon has been told
const MOST_UNANSWERED = 4; // a browser opens six connections, and the event stream takes one
const CLICK_MS = 80;
const SIMULATED_MS = 100;

/**
 * A button that is held.
 * @typedef {object} Press
 * @property {number} number the number of this press on this page
 * @property {number} since when it went down
 * @property {number} longestMs its maximum length, however late the page ends it
 * @property {Set<string>} holders the pointers and keys that hold it down
 * @property {boolean} arrived whether the board has confirmed that it is down
 * @property {boolean} over whether its end need not be sent to the board, or was cancelled
 */

/** How long a press has lasted, until now or until an event. The event's own time counts, because a
 * busy page handles it late. @param {Press} press @param {Event} [end] */
function heldMs(press, end) {
  const ms = (end ? end.timeStamp : performance.now()) - press.since;
  return Math.round(Math.min(Math.max(ms, 0), press.longestMs));
}

/**
 * Tells the board about presses, one after another so that they arrive in order.
 * @param {(refused: RefusedPress) => void} onRefused
 * @param {() => number} lateMs after this silence the board has released a button
 * @param {(button: string, press: Press) => void} forget shows a button as released
 */
function createEdges(onRefused, lateMs, forget) {
  const client = randomId(); // tells the pages of one browser apart
  let queue = Promise.resolve();

  /** Tells the board about a press, and shows refusals. By the number of the press, the board drops
   * edges that arrive too late.
   * @param {string} button @param {Press} press @param {Partial<EdgeBody>} edge
   * @param {boolean} [keepalive] whether the page may close meanwhile */
  async function send(button, press, edge, keepalive) {
    const body = { button, client, press: press.number, held_ms: heldMs(press), ...edge };
    const answer = await request("POST", "/api/board/edge", { body, keepalive });
    if (answer?.status === 200) {
      /** @type {PressAnswer} */
      const { refused } = answer.json;
      // The events carry these too, but not while their stream is being reopened.
      refused.forEach(onRefused);
    } else if (answer && !press.over) {
      giveUp(button, press, answer.json?.message ?? text("The board refused this press."));
    }
    return answer;
  }

  /** Shows a press as released, and says why it has ended.
   * @param {string} button @param {Press} press @param {string} message */
  function giveUp(button, press, message) {
    press.over = true;
    forget(button, press);
    onRefused({ message, button: [button] });
  }

  /** @param {Press} press */
  const isLate = (press) => performance.now() - press.since > lateMs();

  /** @param {string} button @param {Press} press */
  async function sendDown(button, press) {
    if (isLate(press))
      return giveUp(
        button,
        press,
        text("This press took too long to reach the board, so it does not count. Press again."),
      );
    const answer = await send(button, press, { down: true, held_ms: 0 });
    press.arrived = answer?.status === 200;
    if (press.over || (answer && !isLate(press))) return;
    // Cancel it unless it has acted, because the table may have moved on.
    giveUp(
      button,
      press,
      text(
        "The board took too long to answer. Check whether your press counted before you press again.",
      ),
    );
    await send(button, press, { down: false, cancel: true });
  }

  /** @param {string} button @param {Press} press @param {number} held_ms */
  async function sendUp(button, press, held_ms) {
    if (press.over) return;
    const began = performance.now();
    const answer = await send(button, press, { down: false, held_ms });
    // After this silence the board has released the button without effect.
    if (press.over || (answer && performance.now() - began <= lateMs())) return;
    giveUp(
      button,
      press,
      text(
        "The board took too long to answer. Check whether your press counted before you press again.",
      ),
    );
  }

  /** @param {() => Promise<unknown>} edge */
  const enqueue = (edge) => void (queue = queue.then(async () => void (await edge())));

  return {
    /** @param {string} button @param {Press} press */
    down: (button, press) => enqueue(() => sendDown(button, press)),
    /** @param {string} button @param {Press} press @param {Event} [event] */
    up(button, press, event) {
      const ms = heldMs(press, event);
      enqueue(() => sendUp(button, press, ms));
    },
    /** The page may close meanwhile. @param {string} button @param {Press} press */
    cancel: (button, press) =>
      enqueue(() => send(button, press, { down: false, cancel: true }, true)),
    /** @param {string} button @param {Press} press */
    repeat: (button, press) => send(button, press, { down: true, repeat: true }),
  };
}

/**
 * Presses of the simulated board's buttons by pointer, key, focus and click, sent as the edges of
 * real buttons.
 * @typedef {ReturnType<typeof createPresses>} Presses
 * @param {(refused: RefusedPress) => void} onRefused
 * @param {() => number} lateMs after this silence the board has released a button
 */
export function createPresses(onRefused, lateMs) {
  /** The buttons that are held. @type {Map<string, Press>} */
  const held = new Map();
  /** @type {Map<string, {control: HTMLButtonElement, drawing: SVGElement}>} */
  const buttons = new Map();
  const edges = createEdges(onRefused, lateMs, forget);
  let count = 0;

  /** Shows a button as released. @param {string} button @param {Press} press */
  function forget(button, press) {
    if (held.get(button) !== press) return;
    held.delete(button);
    buttons.get(button)?.drawing.classList.remove("held");
  }

  /** @param {string} button @param {string} by @param {Event} [event]
   * @param {number} [longestMs] */
  function start(button, by, event, longestMs = Infinity) {
    if (buttons.get(button)?.control.disabled !== false) return;
    const known = held.get(button);
    if (known) {
      known.holders.add(by);
      return;
    }
    const begun = {
      number: ++count,
      since: event?.timeStamp ?? performance.now(),
      longestMs,
      holders: new Set([by]),
      arrived: false,
      over: false,
    };
    held.set(button, begun);
    buttons.get(button)?.drawing.classList.add("held");
    edges.down(button, begun);
  }

  /** @param {string} button @param {string} by @param {Event} [event] */
  function end(button, by, event) {
    const ended = held.get(button);
    if (!ended?.holders.delete(by) || ended.holders.size) return;
    forget(button, ended);
    edges.up(button, ended, event);
  }

  /** Ends presses that did not end with a lifted finger; they have no effect.
   * @param {string} [by] only what this pointer holds */
  function cancelAll(by) {
    for (const [button, press] of [...held]) {
      if (by !== undefined && !(press.holders.delete(by) && press.holders.size === 0)) continue;
      forget(button, press);
      edges.cancel(button, press);
    }
  }

  const hands = { start, end, cancelAll };
  addEventListener("keyup", (event) => {
    for (const button of [...held.keys()]) end(button, event.code, event);
  });
  addEventListener("blur", () => cancelAll());
  addEventListener("pagehide", () => cancelAll());
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "hidden") cancelAll();
  });
  setInterval(createReport(held, edges.repeat), KEEP_ALIVE_MS);
  return {
    /** @param {string} name @param {HTMLButtonElement} control @param {SVGElement} drawing */
    attach(name, control, drawing) {
      buttons.set(name, { control, drawing });
      listenTo(name, control, drawing, hands);
    },
    cancelAll,
  };
}

/** Reports the buttons that are still held. The board counts only the time reported.
 * @param {ReadonlyMap<string, Press>} held
 * @param {(button: string, press: Press) => Promise<unknown>} repeat */
function createReport(held, repeat) {
  let unanswered = 0;
  let lastLookMs = performance.now();
  return () => {
    const sinceLookMs = performance.now() - lastLookMs;
    lastLookMs += sinceLookMs;
    // The page was busy, so a release may not have been handled yet.
    if (sinceLookMs > 2 * KEEP_ALIVE_MS) return;
    for (const [button, press] of held) {
      if (!press.arrived) continue;
      if (unanswered >= MOST_UNANSWERED) return;
      unanswered++;
      void repeat(button, press).finally(() => unanswered--);
    }
  };
}

/**
 * What presses buttons.
 * @typedef {object} Hands
 * @property {(button: string, by: string, event?: Event, longestMs?: number) => void} start
 * @property {(button: string, by: string, event?: Event) => void} end
 * @property {(by?: string) => void} cancelAll
 */

/** @param {string} name @param {HTMLButtonElement} control @param {SVGElement} drawing
 * @param {Hands} hands */
function listenTo(name, control, drawing, hands) {
  /** @template {keyof HTMLElementEventMap} K
   * @param {K} kind @param {(event: HTMLElementEventMap[K]) => void} handle */
  const on = (kind, handle) => control.addEventListener(kind, handle);

  let clickIsDue = false; // after a press by a pointer
  let pointerMs = -Infinity;
  on("pointerdown", (event) => {
    if (event.button !== 0) return;
    clickIsDue = true;
    pointerMs = event.timeStamp;
    hands.start(name, `pointer${event.pointerId}`, event);
    control.setPointerCapture(event.pointerId);
  });
  on("pointerup", (event) => hands.end(name, `pointer${event.pointerId}`, event));
  on("pointercancel", ({ pointerId }) => {
    clickIsDue = false;
    hands.cancelAll(`pointer${pointerId}`);
  });
  on("lostpointercapture", ({ pointerId }) => hands.cancelAll(`pointer${pointerId}`));
  on("contextmenu", (event) => event.preventDefault());
  on("keydown", (event) => {
    if (event.key !== " " && event.key !== "Enter") return;
    event.preventDefault();
    if (!event.repeat) hands.start(name, event.code, event);
  });
  on("keyup", (event) => {
    if (event.key === " " || event.key === "Enter") event.preventDefault();
  });
  on("click", async (event) => {
    // A pointer's click may come long after its press. A screen reader's click (`detail` is 0) is
    // a press, unless the browser has simulated a pointer as well.
    const simulated = event.timeStamp - pointerMs < SIMULATED_MS;
    const pressed = event.detail > 0 ? clickIsDue : simulated;
    clickIsDue = false;
    if (pressed) return;
    hands.start(name, "click", undefined, CLICK_MS);
    await pause(CLICK_MS);
    hands.end(name, "click");
  });
  on("focus", () => drawing.classList.toggle("focused", control.matches(":focus-visible")));
  on("blur", () => drawing.classList.remove("focused"));
}
