// @ts-check
// The marks on a night's timeline: deals, claims, showdowns, and what was taken back.

import { html, nothing, svg } from "./vendor/lit-html.js";
import { text } from "./texts.js";

/** @import { EntryAnswer } from "../types" */
/** @typedef {Pick<Required<EntryAnswer>, "number" | "mark" | "state">} Marked */
/** @typedef {NonNullable<Required<EntryAnswer>["mark"]>} MarkKind */

const HEIGHT = 26;
const THUMB = 20; // as in replay.css
const NUMBER_WIDTH = 20;
/** The kinds in the order of the legend. @type {MarkKind[]} */
const KINDS = ["deal", "claim", "showdown", "undo"];

/** Where an entry is drawn, so that the thumb of the scrubber is above it.
 * @param {number} width @param {number} total @returns {(entry: number) => number} */
export const markScale = (width, total) => (entry) =>
  +(THUMB / 2 + ((entry - 1) / Math.max(1, total - 1)) * (width - THUMB)).toFixed(1);

/** The shape of a mark round (x, y); each kind has its own shape, not only a colour.
 * @param {MarkKind} kind @param {number} x */
function shape(kind, x, y = 8) {
  const d = {
    deal: `M${x} ${y - 8}v16`,
    claim: `M${x - 3} ${y}a3 3 0 1 0 6 0a3 3 0 1 0 -6 0z`,
    showdown: `M${x} ${y - 6}l5 6l-5 6l-5 -6z`,
    undo: `M${x - 4} ${y - 4}l8 8m0 -8l-8 8`,
  }[kind];
  return svg`<path class="mark-${kind}" d=${d}></path>`;
}

/** @param {readonly Marked[]} entries @param {number} width */
export function timelineView(entries, width) {
  const x = markScale(width, entries.length);
  const marked = entries.filter(({ mark }) => mark);
  // Deals last, so that their lines are on top.
  const ordered = [...marked].sort((a, b) => Number(a.mark === "deal") - Number(b.mark === "deal"));
  let free = -Infinity;
  const numbers = marked.flatMap(({ number, mark, state }) => {
    const at = x(number);
    if (mark !== "deal" || at < free || at > width - THUMB / 2) return [];
    free = at + NUMBER_WIDTH;
    return [svg`<text x=${at} y=${HEIGHT - 1}>${state.deal}</text>`];
  });
  return html`<svg class="timeline" viewBox="0 0 ${width} ${HEIGHT}" aria-hidden="true">
    ${ordered.map(({ number, mark }) => shape(/** @type {MarkKind} */ (mark), x(number)))}
    ${numbers}
  </svg>`;
}

/** What the marks mean; only those that this night has. @param {readonly Marked[]} entries */
export function legendView(entries) {
  const found = KINDS.filter((kind) => entries.some(({ mark }) => mark === kind));
  if (!found.length) return nothing;
  return html`<ul class="marks">
    ${found.map((kind) => html`<li>${markView(kind)} ${text(`replay.mark_${kind}`)}</li>`)}
  </ul>`;
}

/** @param {MarkKind} kind */
export const markView = (kind) =>
  html`<svg class="mark-icon" viewBox="0 0 16 16" aria-hidden="true">${shape(kind, 8)}</svg>`;
