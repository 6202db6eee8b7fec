// @ts-check
// The end of a night that this page has watched: its result is revealed from the last place to the
// first, and the next night does not begin by a careless tap.

import { isBetweenNights } from "./views.js";

/** @import { StateAnswer } from "../types" */

const RANK_MS = 1_000; // as the lights of the board do it
const SKIPPED_BY = ["pointerdown", "keydown"];

/** Whether whoever looks wants things to stand still. */
export const isCalm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/** @param {() => void} update shows the latest state again */
export function createEnding(update) {
  /** @type {StateAnswer | null} */
  let last = null;
  let ended = false;
  /** The ranks that are still to be revealed, the last one first. @type {number[]} */
  let hidden = [];
  let timer = 0;

  /** @param {number[]} ranks */
  function hide(ranks) {
    clearTimeout(timer);
    hidden = ranks;
    if (hidden.length) timer = setTimeout(next, RANK_MS);
    else for (const kind of SKIPPED_BY) removeEventListener(kind, skip);
    document.body.classList.toggle("revealing", hidden.length > 0);
  }

  function next() {
    hide(hidden.slice(1));
    update();
  }

  function skip() {
    hide([]);
    update();
  }

  /** @param {StateAnswer} state */
  function follow(state) {
    const before = last;
    last = state;
    if (state.phase !== "closed") {
      if (!ended) return;
      ended = false;
      hide([]);
    } else if (before && !isBetweenNights(before) && before.night === state.night) {
      ended = true;
      const ranks = new Set(state.standings_rows.map(({ rank }) => rank).reverse());
      hide(isCalm() ? [] : [...ranks]);
      if (!hidden.length) return;
      for (const kind of SKIPPED_BY) addEventListener(kind, skip);
      const result = () => document.getElementById("result")?.scrollIntoView({ block: "nearest" });
      requestAnimationFrame(result);
    }
  }

  return {
    follow,
    /** Whether a night has ended while this page was watching. */
    hasEnded: () => ended,
    isRevealing: () => hidden.length > 0,
    /** Whether the result shows those of a rank. @param {number} rank */
    shows: (rank) => !hidden.includes(rank),
  };
}
