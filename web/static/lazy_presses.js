// @ts-check
// Loads the module of the presses after the first drawing: a phone beside a real board does not
// need it.

import { persist } from "./time.js";

/** @import { Presses } from "./presses.js" */

/**
 * Presses of the simulated board, whose module is loaded when they are first needed.
 * @typedef {ReturnType<typeof createLazyPresses>} LazyPresses
 * @param {Parameters<typeof import("./presses.js")["createPresses"]>} options
 */
export function createLazyPresses(...options) {
  /** @type {Presses | null} */
  let loaded = null;

  async function load() {
    const { createPresses } = await persist(() => import("./presses.js"));
    return (loaded = createPresses(...options));
  }
  /** @type {Promise<Presses> | null} */
  let loading = null;
  const ready = () => (loading ??= load());

  return {
    ready,
    isReady: () => loaded !== null,
    /** @param {Parameters<Presses["attach"]>} part */
    attach: (...part) => void ready().then((presses) => presses.attach(...part)),
    /** @param {Parameters<Presses["hold"]>} how */
    hold: async (...how) => (await ready()).hold(...how),
    cancelAll: () => loaded?.cancelAll(),
  };
}
