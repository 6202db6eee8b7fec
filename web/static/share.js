// @ts-check
// A picture of how a night ended, to share or to keep.

import { cut } from "./chart.js";
import { penOf } from "./elements.js";
import { longDate, text } from "./texts.js";

/** @import { NightAnswer } from "../types" */

const WIDTH = 1080;
const MARGIN = 80;
const INNER = WIDTH - 2 * MARGIN;
const ROW = 76;
const LINE = 48;
const HEADER = 216;
const FOOTER = 120;
const RANK = 64;
const GAP = 40;
const RULE = "#ddd0b6";
const SERIF = "Georgia, serif";
const PAPER = "#f3ecdd";
const INK = "#2a2219";
const SOFT = "#665a48";
const FELT = "#23563f";
const SANS = "system-ui, sans-serif";

/** Draws the standings. @param {NightAnswer} night @returns {HTMLCanvasElement} */
function draw(night) {
  const canvas = document.createElement("canvas");
  const pen = penOf(canvas);
  const rows = night.standings_rows;
  const { headline_text: headline } = night;
  const date = longDate(night.started_ms);
  const title = night.name ?? headline;
  const about = night.name ? text("records.night", { night: headline, date }) : date;
  pen.font = font(36);
  const result = wrapped(pen, night.result, INNER);
  const header = HEADER + LINE * result.length;
  canvas.width = WIDTH;
  canvas.height = header + ROW * rows.length + FOOTER;
  pen.fillStyle = PAPER;
  pen.fillRect(0, 0, canvas.width, canvas.height);
  pen.fillStyle = FELT;
  pen.fillRect(0, 0, WIDTH, 16);
  /** @param {string} said @param {number} y @param {string} colour @param {string} letters */
  const write = (said, y, colour, letters, { x = MARGIN, most = INNER } = {}) => {
    pen.fillStyle = colour;
    pen.font = letters;
    pen.fillText(cut(pen, said, most), x, y);
  };
  write(title, 100, FELT, font(54, SERIF));
  write(about, 160, SOFT, font(36));
  result.forEach((line, index) => write(line, 216 + LINE * index, INK, font(36)));
  rows.forEach(({ rank, name, net_text: net }, index) => {
    const y = header + ROW * index + 50;
    pen.fillStyle = RULE;
    pen.fillRect(MARGIN, y - 50, INNER, 2);
    const letters = font(44, rank === 1 ? `${SERIF}; 700` : SANS);
    pen.font = letters;
    const width = pen.measureText(net).width;
    write(net, y, INK, letters, { x: WIDTH - MARGIN - width });
    write(`${rank}.`, y, SOFT, letters);
    write(name, y, INK, letters, { x: MARGIN + RANK, most: INNER - RANK - width - GAP });
  });
  write(text("title"), canvas.height - 50, SOFT, font(30, SERIF));
  return canvas;
}

/** @param {number} size @param {string} family with a weight after a semicolon, if it has one */
function font(size, family = SANS) {
  const [letters, weight = "400"] = family.split("; ");
  return `${weight} ${size}px ${letters}`;
}

/** A text in lines that are not too wide. @param {CanvasRenderingContext2D} pen
 * @param {string} said @param {number} most */
function wrapped(pen, said, most) {
  const lines = [""];
  for (const word of said.split(" ")) {
    const longer = `${lines.at(-1)} ${word}`.trim();
    if (pen.measureText(longer).width > most) lines.push(word);
    else lines[lines.length - 1] = longer;
  }
  return lines;
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
