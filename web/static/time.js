// @ts-check
// Moments and pauses.

/** @typedef {{steadyMs: number, wallMs: number}} Moment */

/** Now, by two clocks. @returns {Moment} */
export const moment = () => ({ steadyMs: performance.now(), wallMs: Date.now() });

/** How long ago a moment was, in ms. One clock may be set; the other stands still while the device
 * sleeps, except on Windows (w3c/hr-time, issue 115). So the longer time counts.
 * @param {Moment} since */
export const msSince = ({ steadyMs, wallMs }) =>
  Math.max(performance.now() - steadyMs, Date.now() - wallMs);

/** How long to wait for the next try: longer after each one that fails.
 * @param {number} firstMs @param {number} longestMs */
export function createBackoff(firstMs, longestMs) {
  let failures = 0;
  return {
    nextMs: () => Math.min(longestMs, firstMs * 2 ** failures++),
    reset: () => void (failures = 0),
  };
}

/** @param {number} ms */
export const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
