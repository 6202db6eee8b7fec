// @ts-check
// The face of the board, as the daemon has it.

import { embedded, request } from "./requests.js";
import { pause } from "./time.js";

/** @import { FaceAnswer, StateAnswer } from "../types" */

export const FACE = "/api/board/face";
const FACE_AGAIN_MS = 1_000;

/**
 * Returns a function to call with the board of each state; it calls `draw` when the face changes.
 * @param {(face: FaceAnswer) => void} draw
 */
export function createFaceLoader(draw) {
  let shape = "";
  const face = embedded("face");
  // If the page has none, while the first state is on its way.
  let loading = face ? Promise.resolve({ status: 200, json: face }) : request("GET", FACE);

  /** @param {string} wanted */
  async function load(wanted) {
    let answer = await loading;
    while (answer?.status !== 200 && shape === wanted) {
      await pause(FACE_AGAIN_MS);
      answer = await request("GET", FACE);
    }
    await pause(0); // in a separate task, so that a tap need not wait for the whole first drawing
    if (shape === wanted) draw(answer?.json);
  }

  /** @param {StateAnswer["board"]} board */
  return ({ simulated, places, pixels_per_ring: perRing }) => {
    const wanted = [simulated, places, perRing].join();
    if (shape === wanted) return;
    if (shape) loading = request("GET", FACE);
    shape = wanted;
    void load(wanted);
  };
}
