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

/** @param {number} ms */
export const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
