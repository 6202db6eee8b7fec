// @ts-check
// What is engraved on the board, where a drawing has room for it.

import { request } from "./requests.js";
import { pause } from "./time.js";

const SVG = "http://www.w3.org/2000/svg";
const AGAIN_MS = 1_000;

/** Draws it into a board, once the daemon answers.
 * @param {SVGElement} root @param {number} middle @param {number} unit the length of a millimetre
 */
export async function drawArt(root, middle, unit) {
  let answer = await request("GET", "/api/board/face/art");
  while (answer?.status !== 200) {
    if (!root.isConnected) return;
    await pause(AGAIN_MS);
    answer = await request("GET", "/api/board/face/art");
  }
  const { fields, wood } = answer.json;
  /** @param {string} d @param {string} stroke @param {number} opacity */
  const path = (d, stroke, opacity) => {
    const made = document.createElementNS(SVG, "path");
    const transform = `translate(${middle} ${middle}) scale(${unit})`;
    const look = { d, transform, stroke, fill: "none", "stroke-linejoin": "round" };
    for (const [name, value] of Object.entries(look)) made.setAttribute(name, value);
    made.setAttribute("stroke-width", "0.6");
    made.setAttribute("stroke-opacity", String(opacity));
    made.setAttribute("class", "art");
    return made;
  };
  root.querySelector(".grain")?.parentElement?.append(path(wood, "#e0bf80", 0.4));
  for (const [pool, d] of Object.entries(fields)) {
    const bowl = root.querySelector(`[data-shape=${pool}] .bowl`);
    bowl?.after(path(String(d), "#e0bf80", 0.7));
  }
}
