// @ts-check
// What the board looks like, from the daemon: asked for once, and again if the daemon is configured
// for another board.

import { pause, request } from "./page.js";

/** @import { FaceAnswer, StateAnswer } from "../types" */

export const FACE = "/api/board/face";
const LOAD_AGAIN_MS = 1_000;

/**
 * Returns a function that takes each state's board, and calls `draw` when there is a face to draw.
 * @param {(face: FaceAnswer) => void} draw
 */
export function createFaceLoader(draw) {
  let shape = "";
  let loading = request("GET", FACE); // while the first state is on its way

  /** @param {string} wanted */
  async function load(wanted) {
    let answer = await loading;
    while (answer?.status !== 200 && shape === wanted) {
      await pause(LOAD_AGAIN_MS);
      answer = await request("GET", FACE);
    }
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
