// @ts-check
// The people round the table: a plate for each with the name, the chips, and one word of what they
// did. Where a seat is to be chosen, the plates are the buttons for it.

import { html, nothing } from "./vendor/lit-html.js";
import { ptext } from "./texts.js";
import { isToAct, pushButton } from "./views.js";

/** @import { SeatRow } from "../types" */
/**
 * What a tap on a plate means.
 * @typedef {object} Choice
 * @property {readonly number[]} seats that may be chosen
 * @property {(seat: number) => unknown} choose
 * @property {readonly number[]} [chosen]
 * @property {string} [command] that a tap sends at once
 * @property {Record<number, string>} [marks] what a plate says instead of its word
 */

/** What a plate has room to say of its flags, the most telling first. */
const TOLD = [
  "cards",
  "hand",
  "counting",
  "winner",
  "turn",
  "passed",
  "committed",
  "leads",
  "sitting-out",
  "out",
];
const FEW = 4; // more go over two rows

/** One word of what somebody did or has to do. @param {Pick<SeatRow, "flags">} row */
export function wordOf({ flags }) {
  const told = TOLD.map((name) => flags.find((flag) => flag.name === name)).find(Boolean);
  if (told?.name !== "committed") return told?.text ?? "";
  // Where many have little room, the number alone is seen.
  const [before = "", after = ""] = told.text.split(/\d+/);
  const number = told.text.slice(before.length, told.text.length - after.length);
  return html`<i>${before}</i>${number}<i>${after}</i>`;
}

/** The plates of those who are there. @param {readonly SeatRow[]} rows
 * @param {{own?: number | null, choice?: Choice | null}} [how] */
export function platesView(rows, { own = null, choice = null } = {}) {
  const here = rows.filter(({ place }) => place !== null);
  return here.map((row) => plateView(row, row.seat === own, choice));
}

/** In how many columns the plates stand on a phone. @param {readonly SeatRow[]} rows */
export function columnsOf(rows) {
  const count = rows.filter(({ place }) => place !== null).length;
  return count > FEW ? Math.ceil(count / 2) : Math.max(count, 1);
}

/** @param {SeatRow} row @param {boolean} isOwn @param {Choice | null} choice */
function plateView(row, isOwn, choice) {
  const { seat, flags } = row;
  const turn = isToAct(row);
  const { seats = [], chosen = [], marks = {} } = choice ?? {};
  const kind = [turn && "turn", isOwn && "own", chosen.includes(seat) && "chosen"]
    .filter(Boolean)
    .join(" ");
  const parts = partsView(row, marks[seat] ?? wordOf(row));
  const face = html`<div class="face">${parts}</div>`;
  return html`<li
    id="seat-${seat}"
    class="plate ${kind}"
    data-flags=${flags.map(({ name }) => name).join(" ")}
    aria-current=${turn ? "true" : nothing}
  >
    ${choice && seats.includes(seat) ? buttonView(seat, parts, choice) : face} ${dealerMark(row)}
  </li>`;
}

/** @param {SeatRow} row @param {unknown} word */
const partsView = ({ name, stack }, word) =>
  html`<span class="name" dir="auto" ?data-long=${/\S{11}/.test(name)}>${name}</span>
    <b class="stack">${stack}</b> <span class="word">${word}</span>`;

/** @param {SeatRow} row */
function dealerMark({ flags }) {
  const dealer = flags.find(({ name }) => name === "dealer");
  if (!dealer) return nothing;
  const { text: label } = dealer;
  return html`<span class="dealer" role="img" aria-label=${label} title=${label}
    >${ptext("the dealer's mark on the board", "D")}</span
  >`;
}

/** @param {number} seat @param {unknown} parts @param {Choice} choice */
function buttonView(seat, parts, { command, choose, chosen = [] }) {
  const tap = () => choose(seat);
  if (command) {
    return pushButton(parts, tap, { class: "face", "data-seat": seat, "data-command": command });
  }
  return pushButton(parts, tap, {
    class: "face",
    "data-seat": seat,
    "aria-pressed": String(chosen.includes(seat)),
  });
}
