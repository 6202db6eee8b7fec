// @ts-check
// What the table shows, and who follows it.

/** @import { StateAnswer } from "../types" */
/** @import { Presses } from "./presses.js" */
/** @import { Command, CommandResult } from "./requests.js" */

/**
 * @typedef {object} Shown
 * @property {StateAnswer} state the latest one
 * @property {boolean} live connected, and the board can be pressed if it is simulated
 * @property {string | null} sick the daemon's message about its parts
 */
/** @typedef {ReturnType<typeof createStore>} Store */
/**
 * What the panels of the table page are given to work with.
 * @typedef {object} App
 * @property {Store} store
 * @property {(command: Command, refuse?: (message: string) => unknown) => Promise<CommandResult>
 *   } sendCommand a refusal is shown, by `refuse` if it is given and does not return false
 * @property {(seat: number, cards: number) => Promise<CommandResult>} enterCount of cards left
 * @property {() => void} opened lets no tap count for a moment, because a dialog is in its way
 * @property {(account: string) => unknown} openAccount opens the dialog of an account
 * @property {() => void} update shows the latest state again
 * @property {() => StateAnswer} state the latest state
 * @property {() => number | null} ownSeat of the person whose phone it is, if they are at the table
 * @property {Pick<ReturnType<typeof import("./ending.js")["createEnding"]>,
 *   "hasEnded" | "shows">} ending of the night that this page has watched
 * @property {(message: string, buttons?: readonly string[]) => void} toast
 * @property {Pick<Presses, "attach">} presses of the simulated board
 */

/** @param {StateAnswer | null} first the state that the page came with, if it counts */
export function createStore(first) {
  /** @type {((shown: Shown) => void)[]} */
  const followers = [];
  /** @type {Omit<Shown, "state"> & {state: StateAnswer | null}} */
  let shown = { state: first, live: false, sick: null };

  return {
    get: () => shown,
    /** The latest state, of which there must be one. */
    latest() {
      if (shown.state) return shown.state;
      throw new Error("nothing is shown yet");
    },
    /** Changes what is shown, once there is a state. @param {Partial<Shown>} [change] */
    set(change) {
      shown = { ...shown, ...change };
      const { state } = shown;
      if (state) for (const follow of followers) follow({ ...shown, state });
    },
    /** Calls what shows it, at each change. @param {(shown: Shown) => void} follow */
    subscribe: (follow) => void followers.push(follow),
  };
}
