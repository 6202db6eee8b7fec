// @ts-check
// The face of the board, as the daemon has it.

import { embedded, requestUntilAnswered } from "./requests.js";
import { pause } from "./time.js";

/** @import { FaceAnswer, StateAnswer } from "../types" */

export const FACE = "/api/board/face";

/**
 * Returns a function to call with the board of each state; it calls `draw` when the face changes.
 * @param {(face: FaceAnswer) => void} draw
 */
export function createFaceLoader(draw) {
  let shape = "";
  let brought = embedded("face");

  /** @param {string} wanted */
  async function load(wanted) {
    const face = brought ?? (await requestUntilAnswered(FACE, () => shape === wanted));
    brought = null;
    await pause(0); // in a separate task, so that a tap need not wait for the whole first drawing
    if (shape === wanted) draw(face);
  }

  /** @param {StateAnswer["board"]} board */
  return ({ simulated, places, pixels_per_ring: perRing }) => {
    const wanted = [simulated, places, perRing].join();
    if (shape === wanted) return;
    shape = wanted;
    void load(wanted);
  };
}
