// @ts-check
// A picture of how a night ended, to share or to keep.

import { longDate } from "./page.js";

/** @import { NightAnswer } from "../types" */

const WIDTH = 1080;
const MARGIN = 80;
const ROW = 76;
const HEADER = 260;
const PAPER = "#f3ecdd";
const INK = "#2a2219";
const SOFT = "#665a48";
const FELT = "#23563f";
const SANS = "system-ui, sans-serif";

/** Draws the standings. @param {NightAnswer} night @returns {HTMLCanvasElement} */
function draw(night) {
  const canvas = document.createElement("canvas");
  const rows = night.standings_rows;
  canvas.width = WIDTH;
  canvas.height = HEADER + ROW * rows.length + MARGIN;
  const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  pen.fillStyle = PAPER;
  pen.fillRect(0, 0, canvas.width, canvas.height);
  /** @param {string} said @param {number} y @param {string} colour @param {number} size */
  const write = (said, y, colour, size) => {
    pen.fillStyle = colour;
    pen.font = `${size}px ${SANS}`;
    pen.fillText(said, MARGIN, y, WIDTH - 2 * MARGIN);
  };
  write(night.headline.join(" · "), 100, FELT, 54);
  write(longDate(night.started_ms), 160, SOFT, 36);
  write(night.result, 216, INK, 36);
  rows.forEach(({ rank, name, net_text: net }, index) => {
    const y = HEADER + ROW * index + 50;
    write(`${rank}. ${name}`, y, INK, 44);
    pen.textAlign = "right";
    pen.fillText(net, WIDTH - MARGIN, y);
    pen.textAlign = "left";
  });
  return canvas;
}

/** Shares the picture where the browser can, and otherwise saves it.
 * @param {NightAnswer} night */
export async function sharePicture(night) {
  const canvas = draw(night);
  const blob = await new Promise((/** @type {(blob: Blob | null) => void} */ resolve) =>
    canvas.toBlob(resolve, "image/png"),
  );
  if (!blob) return;
  const file = new File([blob], `night-${night.number}.png`, { type: "image/png" });
  if (navigator.canShare?.({ files: [file] })) {
    // Closing the dialog without sharing is not a failure.
    await navigator.share({ files: [file] }).catch(() => undefined);
    return;
  }
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = file.name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 0);
}
