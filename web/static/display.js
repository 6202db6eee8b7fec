// @ts-check
// The board's display, as a picture on the page.

import { penOf } from "./elements.js";

/** @import { DisplayEvent } from "../types" */

const FULL_CONTRAST = 127; // after power-on

/**
 * Draws the board's display, 128 × 64 pixels.
 * @param {HTMLCanvasElement} canvas @param {DisplayEvent} shown
 */
export function drawDisplay(canvas, { bitmap, text: words, language, contrast }) {
  const bytes = atob(bitmap);
  const context = penOf(canvas);
  const lit = 235 * Math.min(1, contrast / FULL_CONTRAST) ** (1 / 2.2); // the gamma of screens
  const picture = context.createImageData(canvas.width, canvas.height);
  for (let y = 0; y < canvas.height; y += 1) {
    for (let x = 0; x < canvas.width; x += 1) {
      const column = bytes.charCodeAt((y >> 3) * canvas.width + x);
      const at = 4 * (y * canvas.width + x);
      picture.data.fill((column >> (y & 7)) & 1 ? lit : 16, at, at + 3);
      picture.data[at + 3] = 255;
    }
  }
  context.putImageData(picture, 0, 0);
  canvas.setAttribute("aria-label", words);
  canvas.lang = language;
}
