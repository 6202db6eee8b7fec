// @ts-check
// The seat among bots that this tab has taken over.

import { createTabMemory } from "./storage.js";

/** @import { DemoState } from "../types" */
/** @typedef {{seat: number, key: string, was?: string}} OwnSeat a seat of this tab, what opens its
 * cards, and its bot's name */

const memory = createTabMemory("seat");

/** The seat that this tab has taken over, kept as long as the tab. */
export function createOwnSeat() {
  /** @type {OwnSeat | null} */
  let own = stored();
  let confirmed = true; // whether the daemon ought to know by now that a person plays the seat

  return {
    get() {
      if (!own) [own, confirmed] = [stored(), false];
      return own;
    },
    /** @param {OwnSeat | null} taken */
    keep(taken) {
      if (own === taken) return;
      [own, confirmed] = [taken, false];
      keepSeat(taken);
    },
    /** Whether a bot plays the seat again. @param {DemoState} demo */
    isLost({ players }) {
      if (!own) return false;
      const isPerson = (players[own.seat] ?? "person") === "person";
      const lost = !isPerson && confirmed;
      confirmed ||= isPerson;
      return lost;
    },
  };
}

/** What this tab finds again. @param {OwnSeat | null} taken */
export const keepSeat = (taken) => memory.keep(taken && JSON.stringify(taken));

/** @returns {OwnSeat | null} */
const stored = () => JSON.parse(memory.get() ?? "null");
