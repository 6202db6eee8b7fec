// @ts-check
// A picture of a night, to send or to keep: who won, the board as it was left, the course of the
// night, and the awards.
//
// It has to be read as a small preview in a chat, so the winner and the chips won are large.

import { glow } from "./glow.js";
import { cut } from "./chart.js";
import { penOf } from "./elements.js";
import { FACE } from "./face.js";
import { request } from "./requests.js";
import { longDate, text } from "./texts.js";

/** @import { FaceAnswer, NightAnswer, NightPicture } from "../types" */
/** @typedef {{face: FaceAnswer | null, parts: NightPicture | null}} Extras what is drawn if it
 * could be loaded */
/** @typedef {(said: string, x: number, y: number, how: Letters) => void} Write */
/** @typedef {{font: string, colour?: string, most?: number, align?: CanvasTextAlign}} Letters */

const WIDTH = 1080;
const MARGIN = 60;
const INNER = WIDTH - 2 * MARGIN;
const BAND = 330;
const BOARD = 440;
const ROW = 66;
const CHART = 250;
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

/** Where the parts of the picture are. @param {NightAnswer} night @param {Extras} extras */
function layOut({ standings_rows: rows, awards }, { face, parts }) {
  const board = face && parts?.pools.length ? BOARD : 0;
  const beside = board ? Math.min(rows.length, Math.floor(board / ROW)) : 0;
  const below = BAND + GAP + board;
  const chart = below + (rows.length - beside) * ROW + GAP;
  const isDrawn = (parts?.courses[0]?.net.length ?? 0) > 2;
  const award = chart + (isDrawn ? CHART + GAP : 0);
  const height = award + (awards.length ? awards.length * AWARD + GAP : 0) + FOOTER;
  return { board, beside, below, chart: isDrawn ? chart : null, award, height };
}

/** Draws the night. @param {NightAnswer} night @param {Extras} extras
 * @returns {HTMLCanvasElement} */
function draw(night, extras) {
  const { face, parts } = extras;
  const canvas = document.createElement("canvas");
  const pen = penOf(canvas);
  const { board, beside, below, chart, award, height } = layOut(night, extras);
  canvas.width = WIDTH;
  canvas.height = height;
  pen.fillStyle = PAPER;
  pen.fillRect(0, 0, WIDTH, height);

  /** @type {Write} */
  const write = (said, x, y, { font, colour = INK, most = INNER, align = "left" }) => {
    pen.font = font;
    pen.fillStyle = colour;
    pen.textAlign = align;
    pen.fillText(cut(pen, said, most), x, y);
  };

  drawBand(pen, write, night);
  const top = BAND + GAP;
  if (board && face && parts) drawBoard(pen, face, parts, MARGIN + BOARD / 2, top + BOARD / 2);
  night.standings_rows.forEach((row, index) => {
    const isBeside = index < beside;
    drawRow(pen, write, {
      row,
      index,
      x: isBeside ? MARGIN + BOARD + GAP : MARGIN,
      y: isBeside ? top + index * ROW : below + (index - beside) * ROW,
    });
  });
  if (chart !== null) drawChart(pen, parts?.courses ?? [], chart);
  night.awards.forEach((one, index) => drawAward(pen, write, { ...one, y: award + index * AWARD }));
  write(text("title"), MARGIN, height - 34, { font: `28px ${SERIF}`, colour: SOFT });
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
  const about = name ? text("records.night", { night: name, date }) : date;
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

/** The board with the chips and the lights that were left on it.
 * @param {CanvasRenderingContext2D} pen @param {FaceAnswer} face @param {NightPicture} parts
 * @param {number} x @param {number} y of its middle */
function drawBoard(pen, face, { pools, pixels }, x, y) {
  // The rim with the places says nothing here, so only its edge is drawn.
  const mm = BOARD / 2 / (face.rim * 1.06);
  /** @param {number} left @param {number} top @param {number} r @param {string} colour */
  const disc = (left, top, r, colour) => {
    pen.fillStyle = colour;
    pen.beginPath();
    pen.arc(left, top, r, 0, 2 * Math.PI);
    pen.fill();
  };
  disc(x, y, BOARD / 2, "#5b3418");
  disc(x, y, face.rim * mm, "#6f4120");
  face.pools.forEach(({ pool, x: across, y: down, flange, bowl, ring, width }, number) => {
    const [left, top] = [x + across * mm, y + down * mm];
    const { name = "", chips = null } = pools.find((one) => one.pool === pool) ?? {};
    disc(left, top, flange * mm, "#1c120a");
    disc(left, top, bowl * mm, chips === null ? "#2b1a0d" : FELT);
    for (let i = 0; i < face.pixels_per_ring; i++) {
      const { hue, brightness } = glow(pixels[number * face.pixels_per_ring + i] ?? "#000000");
      const angle = (i / face.pixels_per_ring) * 2 * Math.PI;
      const at = [left + ring * mm * Math.sin(angle), top - ring * mm * Math.cos(angle)];
      pen.globalAlpha = brightness;
      disc(at[0] ?? 0, at[1] ?? 0, Math.max(width * mm, 3), hue);
      pen.globalAlpha = 1;
    }
    if (chips === null) return;
    pen.textAlign = "center";
    pen.fillStyle = "#f7edd3";
    pen.font = `600 17px ${SANS}`;
    pen.fillText(cut(pen, name, 2 * flange * mm), left, top - bowl * mm * 0.42);
    pen.font = `700 34px ${SERIF}`;
    pen.fillText(String(chips), left, top + bowl * mm * 0.62);
  });
}

/** What each had won after each deal. @param {CanvasRenderingContext2D} pen
 * @param {NightPicture["courses"]} courses @param {number} y */
function drawChart(pen, courses, y) {
  const nets = courses.flatMap(({ net }) => net);
  const [most, least] = [Math.max(...nets, 1), Math.min(...nets, -1)];
  /** @param {number} net */
  const high = (net) => y + ((most - net) / (most - least)) * CHART;
  pen.fillStyle = RULE;
  pen.fillRect(MARGIN, high(0) - 1, INNER, 2);
  pen.lineJoin = "round";
  pen.lineWidth = 6;
  // The winner's line last, above the others.
  [...courses.entries()].reverse().forEach(([index, { net }]) => {
    pen.strokeStyle = colourOf(index);
    pen.beginPath();
    net.forEach((chips, i) => {
      pen.lineTo(MARGIN + (i / Math.max(1, net.length - 1)) * INNER, high(chips));
    });
    pen.stroke();
  });
}

/** @param {CanvasRenderingContext2D} pen @param {Write} write
 * @param {{title: string, name: string, sentence: string, y: number}} award */
function drawAward(pen, write, { title, name, sentence, y }) {
  pen.fillStyle = BRASS;
  pen.fillRect(MARGIN, y, 8, AWARD - 20);
  const x = MARGIN + 30;
  const head = text("records.award", { title, name });
  write(head, x, y + 34, { font: `700 36px ${SERIF}`, colour: FELT, most: INNER - 30 });
  write(sentence, x, y + 76, { font: `30px ${SANS}`, colour: SOFT, most: INNER - 30 });
}

/** Sends the picture where the browser can, and otherwise saves it.
 * @param {NightAnswer} night */
export async function sharePicture(night) {
  const [face, parts] = await Promise.all([
    request("GET", FACE),
    request("GET", `/api/nights/${night.number}/picture`),
  ]);
  /** @param {typeof face} answer */
  const loaded = (answer) => (answer?.status === 200 ? answer.json : null);
  const canvas = draw(night, { face: loaded(face), parts: loaded(parts) });
  const blob = await new Promise((/** @type {(blob: Blob | null) => void} */ resolve) =>
    canvas.toBlob(resolve, "image/png"),
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
