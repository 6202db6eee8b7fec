// @ts-check
// Presses of the simulated board: by pointer, focus and screen reader. Each is one message, sent
// when the button goes up, or once it has been held for as long as its long meaning takes.

import { request } from "./requests.js";
import { text } from "./texts.js";
import { moment, msSince } from "./time.js";

/** @import { RefusedEvent } from "../types" */
/** @typedef {Pick<RefusedEvent, "message" | "button">} RefusedPress */
/** @typedef {ReturnType<typeof createPresses>} Presses */
/**
 * A button that is held.
 * @typedef {object} Held
 * @property {string} by which pointer or key
 * @property {number} since when it went down
 * @property {number} timer that sends it as a long press
 * @property {boolean} isSent whether it was
 * @property {SVGElement} drawing
 */

const LATE_MS = 2_000; // a press that has waited for longer counts no more
const LONGEST_MS = 10_000;
const SETTLED_MS = 50; // by then a busy page has handled earlier events
const SIMULATED_MS = 100;

/** @param {(refused: RefusedPress) => void} onRefused */
export function createPresses(onRefused) {
  /** @type {Map<string, Held>} */
  const held = new Map();
  let queue = Promise.resolve();

  /** @param {string} button @param {number} ms */
  function send(button, ms) {
    const made = moment();
    queue = queue.then(() => tell(button, ms, msSince(made) > LATE_MS));
  }

  /** @param {string} button @param {number} ms @param {boolean} isLate */
  async function tell(button, ms, isLate) {
    const refuse = (/** @type {string} */ message) => onRefused({ message, button: [button] });
    if (isLate) {
      return refuse(
        text("This press took too long to reach the board, so it does not count. Press again."),
      );
    }
    const body = { button, ms: Math.round(Math.min(Math.max(ms, 0), LONGEST_MS)) };
    const answer = await request("POST", "/api/board/press", { body });
    // A proxy, or the sign-in page of a Wi-Fi, may have answered instead.
    const { refused, message } = answer?.json ?? {};
    if (refused) return refused.forEach(onRefused);
    const uncertain = text(
      "The board took too long to answer. Check whether your press counted before you press again.",
    );
    refuse(message ?? uncertain);
  }

  /** Shows a button as released. @param {string} button @param {string} by */
  function forget(button, by) {
    const press = held.get(button);
    if (press?.by !== by) return null;
    held.delete(button);
    clearTimeout(press.timer);
    press.drawing.classList.remove("held");
    return press;
  }

  /** The event's own time counts, because a busy page handles it late.
   * @param {string} button @param {string} by @param {number} endMs */
  function end(button, by, endMs) {
    const press = forget(button, by);
    if (press && !press.isSent) send(button, endMs - press.since);
  }

  /** @param {HTMLButtonElement} control @param {SVGElement} drawing @param {string} by
   * @param {Event} event */
  function start({ disabled, dataset }, drawing, by, { timeStamp: since }) {
    const button = dataset["button"] ?? "";
    if (disabled || held.has(button)) return;
    const holdMs = 1_000 * Number(dataset["hold"]);
    const press = { by, since, timer: 0, isSent: false, drawing };
    function actAsLong() {
      press.isSent = true;
      send(button, holdMs);
    }
    if (holdMs) press.timer = setTimeout(actAsLong, holdMs + SETTLED_MS);
    held.set(button, press);
    drawing.classList.add("held");
  }

  /** Ends presses that did not end with a lifted finger; they have no effect.
   * @param {string} [which] only what this pointer holds */
  function cancelAll(which) {
    for (const [button, { by }] of [...held]) {
      if (which === undefined || which === by) forget(button, by);
    }
  }

  addEventListener("keyup", ({ code, timeStamp }) => {
    for (const button of [...held.keys()]) end(button, code, timeStamp);
  });
  addEventListener("blur", () => cancelAll());
  addEventListener("pagehide", () => cancelAll());
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "hidden") cancelAll();
  });

  /** Lets a control press the button of its `data-button`, which is held for its `data-hold`, in
   * seconds, to act as long. @param {HTMLButtonElement} control @param {SVGElement} drawing */
  function attach(control, drawing) {
    /** @template {keyof HTMLElementEventMap} K
     * @param {K} kind @param {(event: HTMLElementEventMap[K]) => void} handle */
    const on = (kind, handle) => control.addEventListener(kind, handle);
    const button = control.dataset["button"] ?? "";
    let clickIsDue = false; // after a press by a pointer
    let pointerMs = -Infinity;
    on("pointerdown", (event) => {
      if (event.button !== 0) return;
      clickIsDue = true;
      pointerMs = event.timeStamp;
      start(control, drawing, `pointer${event.pointerId}`, event);
      control.setPointerCapture(event.pointerId);
    });
    on("pointerup", ({ pointerId, timeStamp }) => end(button, `pointer${pointerId}`, timeStamp));
    on("pointercancel", ({ pointerId }) => {
      clickIsDue = false;
      cancelAll(`pointer${pointerId}`);
    });
    on("lostpointercapture", ({ pointerId }) => cancelAll(`pointer${pointerId}`));
    on("contextmenu", (event) => event.preventDefault());
    on("keydown", (event) => {
      if (event.key !== " " && event.key !== "Enter") return;
      event.preventDefault();
      if (!event.repeat) start(control, drawing, event.code, event);
    });
    on("keyup", (event) => {
      if (event.key === " " || event.key === "Enter") event.preventDefault();
    });
    on("click", (event) => {
      // A pointer's click may come long after its press. A screen reader's click (`detail` is 0) is
      // a press, unless the browser has simulated a pointer as well.
      const simulated = event.timeStamp - pointerMs < SIMULATED_MS;
      const pressed = event.detail > 0 ? clickIsDue : simulated;
      clickIsDue = false;
      if (!pressed && !control.disabled) send(button, 0);
    });
    on("focus", () => drawing.classList.toggle("focused", control.matches(":focus-visible")));
    on("blur", () => drawing.classList.remove("focused"));
  }

  return { attach, cancelAll };
}
