// @ts-check
// The people round the table: a plate for each with the name, the chips, and one word of what they
// did. Where a seat is to be chosen, the plates are the buttons for it.

import { html, nothing } from "./vendor/lit-html.js";
import { text } from "./texts.js";

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
export const wordOf = ({ flags }) =>
  TOLD.map((name) => flags.find((flag) => flag.name === name)).find(Boolean)?.text ?? "";

/** The plates of those who are there. @param {readonly SeatRow[]} rows
 * @param {{own?: number | null, choice?: Choice | null}} [how] */
export const platesView = (rows, { own = null, choice = null } = {}) =>
  rows.filter(({ place }) => place !== null).map((row) => plateView(row, row.seat === own, choice));

/** In how many columns the plates stand on a phone. @param {readonly SeatRow[]} rows */
export function columnsOf(rows) {
  const count = rows.filter(({ place }) => place !== null).length;
  return count > FEW ? Math.ceil(count / 2) : Math.max(count, 1);
}

/** @param {SeatRow} row @param {boolean} isOwn @param {Choice | null} choice */
function plateView(row, isOwn, choice) {
  const { seat, turn, flags } = row;
  const names = flags.map(({ name }) => name);
  const chosen = choice?.chosen?.includes(seat) ?? false;
  const kind = [turn && "turn", isOwn && "own", chosen && "chosen"].filter(Boolean).join(" ");
  const dealer = flags.find(({ name }) => name === "dealer");
  return html`<li
    id="seat-${seat}"
    class="plate ${kind}"
    data-flags=${names.join(" ")}
    aria-current=${turn ? "true" : nothing}
  >
    ${choice?.seats.includes(seat) ? buttonView(row, choice, chosen) : faceView(row, choice)}
    ${
      dealer
        ? html`<span class="dealer" role="img" aria-label=${dealer.text} title=${dealer.text}
            >${text("board.dealer_mark")}</span
          >`
        : nothing
    }
  </li>`;
}

/** @param {SeatRow} row @param {Choice} choice @param {boolean} chosen */
function buttonView(row, choice, chosen) {
  const { seat } = row;
  const { command } = choice;
  return html`<button
    type="button"
    class="face"
    data-seat=${seat}
    data-command=${command ?? nothing}
    aria-pressed=${command ? nothing : String(chosen)}
    @click=${() => choice.choose(seat)}
  >
    ${partsView(row, choice)}
  </button>`;
}

/** @param {SeatRow} row @param {Choice | null} choice */
const faceView = (row, choice) => html`<div class="face">${partsView(row, choice)}</div>`;

/** @param {SeatRow} row @param {Choice | null} choice */
const partsView = (row, choice) =>
  html`<span class="name" dir="auto">${row.name}</span> <b class="stack">${row.stack}</b>
    <span class="word">${choice?.marks?.[row.seat] ?? wordOf(row)}</span>`;
