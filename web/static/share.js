// @ts-check
// A picture of a night, to send or to keep: who won, the table as it was left, and the awards.
//
// It has to be read as a small preview in a chat, so the winner and the chips won are large.

import { cut } from "./chart.js";
import { penOf } from "./elements.js";
import { longDate, text } from "./texts.js";

/** @import { NightAnswer } from "../types" */
/** @typedef {(said: string, x: number, y: number, how: Letters) => void} Write */
/** @typedef {{font: string, colour?: string, most?: number, align?: CanvasTextAlign}} Letters */

const WIDTH = 1080;
const MARGIN = 60;
const INNER = WIDTH - 2 * MARGIN;
const BAND = 330;
const TABLE = 440;
const AROUND = 8; // bowls round the one in the middle
const ROW = 66;
const AWARD = 104;
const FOOTER = 84;
const GAP = 40;
const SERIF = "Georgia, serif";
const SANS = "system-ui, sans-serif";
const PAPER = "#f6f0e2";
const INK = "#1f1911";
const SOFT = "#5b503f";
const FELT = "#1d4a36";
const BRASS = "#f2cf83";
const RULE = "#d6c8ab";
// As in chart.css, by day.
const LINES = [
  "#1f6b4a",
  "#b0441f",
  "#2463a0",
  "#8a6a00",
  "#a02767",
  "#5d4c9c",
  "#33707a",
  "#6b5236",
];

/** @param {number} rank of a line, from 0 */
const colourOf = (rank) => LINES[rank % LINES.length] ?? INK;

/** Draws the night. @param {NightAnswer} night */
function draw(night) {
  const canvas = document.createElement("canvas");
  const pen = penOf(canvas);
  const { standings_rows: rows, awards, left } = night;
  const beside = Math.min(rows.length, Math.floor(TABLE / ROW));
  const top = BAND + GAP;
  const below = top + TABLE;
  const award = below + (rows.length - beside) * ROW + GAP;
  canvas.width = WIDTH;
  canvas.height = award + (awards.length ? awards.length * AWARD + GAP : 0) + FOOTER;
  pen.fillStyle = PAPER;
  pen.fillRect(0, 0, WIDTH, canvas.height);

  /** @type {Write} */
  const write = (said, x, y, { font, colour = INK, most = INNER, align = "left" }) => {
    pen.font = font;
    pen.fillStyle = colour;
    pen.textAlign = align;
    pen.fillText(cut(pen, said, most), x, y);
  };

  drawBand(pen, write, night);
  drawTable(pen, left, MARGIN, top);
  rows.forEach((row, index) => {
    const isBeside = index < beside;
    drawRow(pen, write, {
      row,
      index,
      x: isBeside ? MARGIN + TABLE + GAP : MARGIN,
      y: isBeside ? top + index * ROW : below + (index - beside) * ROW,
    });
  });
  awards.forEach((one, index) => drawAward(pen, write, { ...one, y: award + index * AWARD }));
  write(text("Pochboard"), MARGIN, canvas.height - 34, { font: `28px ${SERIF}`, colour: SOFT });
  return canvas;
}

/** Who has won, and how much: what a preview shows.
 * @param {CanvasRenderingContext2D} pen @param {Write} write @param {NightAnswer} night */
function drawBand(pen, write, night) {
  const { name, title, winners, result, standings_rows: rows } = night;
  const date = longDate(night.started_ms);
  pen.fillStyle = FELT;
  pen.fillRect(0, 0, WIDTH, BAND);
  pen.fillStyle = BRASS;
  pen.fillRect(0, BAND - 8, WIDTH, 8);
  const about = name ? text("{night} · {date}", { night: name, date }) : date;
  write(about, MARGIN, 78, { font: `34px ${SANS}`, colour: "#e6dfca" });
  const net = rows[0]?.net_text ?? "";
  pen.font = `700 112px ${SERIF}`;
  const width = pen.measureText(net).width;
  write(winners ?? title, MARGIN, 206, {
    font: `700 96px ${SERIF}`,
    colour: "#ffffff",
    most: INNER - width - GAP,
  });
  write(net, WIDTH - MARGIN, 206, { font: `700 112px ${SERIF}`, colour: BRASS, align: "right" });
  write(result, MARGIN, 280, { font: `36px ${SANS}`, colour: "#f7f1e1" });
}

/**
 * @param {CanvasRenderingContext2D} pen @param {Write} write
 * @param {{row: NightAnswer["standings_rows"][number], index: number, x: number, y: number}} place
 */
function drawRow(pen, write, { row: { rank, name, net_text: net }, index, x, y }) {
  const right = WIDTH - MARGIN;
  pen.fillStyle = RULE;
  pen.fillRect(x, y + ROW - 2, right - x, 2);
  pen.fillStyle = colourOf(index);
  pen.beginPath();
  pen.arc(x + 12, y + ROW / 2 - 2, 11, 0, 2 * Math.PI);
  pen.fill();
  const weight = rank === 1 ? "700 " : "";
  const line = y + 44;
  pen.font = `${weight}40px ${SANS}`;
  const width = pen.measureText(net).width;
  write(net, right, line, { font: `${weight}40px ${SANS}`, align: "right" });
  write(`${rank}.`, x + 38, line, { font: `34px ${SANS}`, colour: SOFT });
  write(name, x + 92, line, {
    font: `${weight}40px ${SANS}`,
    most: right - x - 92 - width - 24,
  });
}

/** The table with the chips that were left on it, as bowls.css draws it.
 * @param {CanvasRenderingContext2D} pen @param {NightAnswer["left"]} pools
 * @param {number} left @param {number} top */
function drawTable(pen, pools, left, top) {
  /** @param {number} x @param {number} y @param {number} r @param {string} colour */
  const disc = (x, y, r, colour) => {
    pen.fillStyle = colour;
    pen.beginPath();
    pen.arc(x, y, r, 0, 2 * Math.PI);
    pen.fill();
  };
  disc(left + TABLE / 2, top + TABLE / 2, TABLE / 2, "#6f4120");
  pools.forEach(({ name, chips }, number) => {
    const isMiddle = number === AROUND;
    const turn = (number / AROUND) * 2 * Math.PI;
    const out = isMiddle ? 0 : 0.352 * TABLE;
    const [x, y] = [
      left + TABLE / 2 + out * Math.sin(turn),
      top + TABLE / 2 - out * Math.cos(turn),
    ];
    const r = (isMiddle ? 0.16 : 0.123) * TABLE;
    disc(x, y, r + 2, "#1c120a");
    disc(x, y, r, chips === null ? "#2b1a0d" : FELT);
    if (chips === null) return;
    pen.textAlign = "center";
    pen.fillStyle = "#f7edd3";
    pen.font = `700 ${isMiddle ? 52 : 38}px ${SERIF}`;
    pen.fillText(String(chips), x, y + 6);
    pen.font = `600 17px ${SANS}`;
    pen.fillText(cut(pen, name, 2 * r), x, y + r * 0.55);
  });
}

/** @param {CanvasRenderingContext2D} pen @param {Write} write
 * @param {{title: string, name: string, sentence: string, y: number}} award */
function drawAward(pen, write, { title, name, sentence, y }) {
  pen.fillStyle = BRASS;
  pen.fillRect(MARGIN, y, 8, AWARD - 20);
  const x = MARGIN + 30;
  const head = text("{title}: {name}", { title, name });
  write(head, x, y + 34, { font: `700 36px ${SERIF}`, colour: FELT, most: INNER - 30 });
  write(sentence, x, y + 76, { font: `30px ${SANS}`, colour: SOFT, most: INNER - 30 });
}

/** Sends the picture where the browser can, and otherwise saves it.
 * @param {NightAnswer} night */
export async function sharePicture(night) {
  const blob = await new Promise((/** @type {(blob: Blob | null) => void} */ resolve) =>
    draw(night).toBlob(resolve, "image/png"),
  );
  if (!blob) return;
  const file = new File([blob], `night-${night.number}.png`, { type: "image/png" });
  if (!(await isSent(file))) save(file);
}

/** Whether people have sent a file or decided not to. @param {File} file */
async function isSent(file) {
  if (!navigator.canShare?.({ files: [file] })) return false;
  try {
    await navigator.share({ files: [file] });
    return true;
  } catch (error) {
    // Closing the dialog is a decision. A browser that takes too long to ask has not asked.
    return error instanceof DOMException && error.name === "AbortError";
  }
}

/** @param {File} file */
function save(file) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = file.name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 0);
}
