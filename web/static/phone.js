// @ts-check
// What the phone does beside the table: its screen stays on, and its focus stays in sight.

import { AWAKE, stored } from "./storage.js";

/** Keeps the screen on while it is wanted, where the browser lets it: in secure contexts. */
export function createAwake() {
  /** @type {WakeLockSentinel | null} */
  let lock = null;
  let wanted = false;
  let queue = Promise.resolve();

  async function follow() {
    const on = wanted && stored(AWAKE) !== "off" && document.visibilityState === "visible";
    if (lock?.released) lock = null;
    if (on && !lock) {
      lock = (await navigator.wakeLock?.request("screen").catch(() => null)) ?? null;
    } else if (!on && lock) {
      await lock.release();
      lock = null;
    }
  }
  const followNext = () => (queue = queue.then(follow));
  document.addEventListener("visibilitychange", followNext);
  return (/** @type {boolean} */ now = wanted) => {
    wanted = now;
    void followNext();
  };
}

/** Moves the focus home if its control is gone, and back to one that is enabled again.
 * @param {() => HTMLElement} home */
export function createFocusRestorer(home) {
  /** @type {HTMLElement | null} */
  let last = null;
  let wasOff = false;
  document.addEventListener("focusin", ({ target }) => {
    last = target instanceof HTMLElement ? target : null;
    wasOff = false;
  });
  return () => {
    if (!last || document.activeElement !== document.body) return;
    const off = last.matches(":disabled, [inert] *");
    if (off) wasOff = true;
    else if (!last.getClientRects().length) home().focus({ preventScroll: true });
    else if (wasOff) last.focus({ preventScroll: true });
  };
}
