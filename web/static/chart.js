// @ts-check
// Stacks or pools over a night: a line chart, each line named at its end, and the same as a table.

import { html, svg } from "./vendor/lit-html.js";
import { shorten } from "./texts.js";

/** @typedef {{id: number, name: string, chips: (number | undefined)[]}} Line by entry */
/** @typedef {{name: string, id: number, y: number}} LineEnd */

const HEIGHT = 220;
const LEFT = 30;
const RIGHT = 92;
const TOP = 10;
const BOTTOM = 22;
const NAME_GAP = 8;
const NAME_HEIGHT = 15;
const NAME_LETTERS = 11;
const NAME_FONT = "600 13px system-ui, sans-serif"; // as in chart.css
const COLOURS = 8;

/** The class of a line's colour; after eight lines they begin again. @param {number} id */
export const colourOf = (id) => `line-${id % COLOURS}${id > COLOURS ? " again" : ""}`;

const RULER = globalThis.document?.createElement?.("canvas").getContext("2d");

/** A name that is too long or too wide for a chart, with an ellipsis.
 * @param {string} name @param {number} most pixels */
export function fitName(name, most) {
  const few = shorten(name, NAME_LETTERS);
  if (!RULER) return few;
  RULER.font = NAME_FONT;
  return cut(RULER, few, most);
}

/** A text that is too wide, with an ellipsis. @param {CanvasRenderingContext2D} pen
 * @param {string} said @param {number} most */
export function cut(pen, said, most) {
  let letters = said.length;
  while (letters > 1 && pen.measureText(shorten(said, letters)).width > most) letters--;
  return shorten(said, letters);
}

/**
 * Where entries and chips are drawn, and which entry is drawn at a point.
 * @param {number} width @param {number} entries @param {number} most chips
 */
export function scale(width, entries, most) {
  const inner = width - LEFT - RIGHT;
  const steps = Math.max(1, entries - 1);
  return {
    /** @param {number} entry */
    x: (entry) => +(LEFT + ((entry - 1) / steps) * inner).toFixed(1),
    /** @param {number} chips */
    y: (chips) => +(TOP + (1 - chips / most) * (HEIGHT - TOP - BOTTOM)).toFixed(1),
    /** @param {number} x */
    entryAt: (x) => Math.min(entries, Math.max(1, Math.round(1 + ((x - LEFT) / inner) * steps))),
  };
}

/** Moves names apart that would overlap, from the top down, and all up if the last one is too low.
 * @param {LineEnd[]} ends */
export function separate(ends) {
  const sorted = [...ends].sort((a, b) => a.y - b.y);
  let least = -Infinity;
  const apart = sorted.map((end) => {
    const y = Math.max(end.y, least);
    least = y + NAME_HEIGHT;
    return { ...end, y };
  });
  const over = Math.max(0, (apart.at(-1)?.y ?? 0) - (HEIGHT - 4));
  return apart.map((end) => ({ ...end, y: end.y - over }));
}

/**
 * @param {Line[]} lines @param {number} entries
 * @param {{width: number, entry: number, label: string, go: (entry: number) => void}} view
 */
export function chartView(lines, entries, { width, entry, label, go }) {
  const most = lines.reduce(
    (high, { chips }) =>
      chips.reduce((/** @type {number} */ h, one) => Math.max(h, one ?? 0), high),
    1,
  );
  const { x, y, entryAt } = scale(width, entries, most);
  const right = width - RIGHT;
  const ends = lines.map(({ id, name, chips }) => ({ id, name, y: y(chips.at(-1) ?? 0) }));
  /** @param {PointerEvent} event */
  function drag(event) {
    if (!event.buttons) return;
    const box = /** @type {Element} */ (event.currentTarget).getBoundingClientRect();
    go(entryAt(event.clientX - box.left));
  }
  return html`<svg
    class="chart"
    viewBox="0 0 ${width} ${HEIGHT}"
    role="img"
    aria-label=${label}
    @pointerdown=${drag}
    @pointermove=${drag}
  >
    <line class="axis" x1=${LEFT} y1=${y(0)} x2=${right} y2=${y(0)}></line>
    <line class="axis" x1=${LEFT} y1=${y(most)} x2=${right} y2=${y(most)}></line>
    <text class="axis-text" x=${LEFT - 6} y=${y(0) + 4} text-anchor="end">0</text>
    <text class="axis-text" x=${LEFT - 6} y=${y(most) + 4} text-anchor="end">${most}</text>
    <g>${lines.map((line) => lineView(line, x, y))}</g>
    <line class="cursor" x1=${x(entry)} y1=${TOP} x2=${x(entry)} y2=${HEIGHT - BOTTOM}></line>
    <g>${separate(ends).map((end) => nameView(end, right + NAME_GAP))}</g>
  </svg>`;
}

/** @param {Line} line @param {(entry: number) => number} x @param {(chips: number) => number} y */
function lineView({ id, chips }, x, y) {
  // A seat that joins later has no stack before.
  const points = chips.flatMap((one, i) => (one === undefined ? [] : [`${x(i + 1)},${y(one)}`]));
  return svg`<polyline class=${colourOf(id)} points=${points.join(" ")}></polyline>`;
}

/** @param {LineEnd} end @param {number} x */
const nameView = ({ id, name, y }, x) =>
  svg`<text class=${colourOf(id)} x=${x} y=${y + 4}>${fitName(name, RIGHT - NAME_GAP)}</text>`;

/**
 * The same numbers as a table.
 * @param {Line[]} lines
 * @param {{entry: number, name: string}[]} rows which entries to show, and what they are called
 * @param {{head: string, label: string, entry: number}} view the row of the entry, or the next one,
 *   is marked
 */
export function chartTable(lines, rows, { head, label, entry }) {
  const current = rows.find((row) => row.entry >= entry);
  return html`<div class="wide" role="group" tabindex="0" aria-label=${label}>
    <table class="standings">
      <tr>
        <th scope="col">${head}</th>
        ${lines.map(({ name }) => html`<th scope="col">${name}</th>`)}
      </tr>
      ${rows.map(
        (row) =>
          html`<tr aria-current=${row === current ? "step" : "false"}>
            <th scope="row">${row.name}</th>
            ${lines.map(({ chips }) => html`<td>${chips[row.entry - 1] ?? "–"}</td>`)}
          </tr>`,
      )}
    </table>
  </div>`;
}
