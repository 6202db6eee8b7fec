// @ts-check
// A line chart, each line named at its end, and the chips of a night as a table.

import { html, nothing, svg } from "./vendor/lit-html.js";
import { shorten } from "./texts.js";

/** @typedef {{id: number, name: string, points: (readonly [number, number])[]}} Line the number at
 * each step */
/** @typedef {{name: string, id: number, y: number}} LineEnd */

const HEIGHT = 220;
const LEFT = 44;
const RIGHT = 96;
const TOP = 10;
const BOTTOM = 22;
const NAME_GAP = 8;
const NAME_HEIGHT = 15;
const NAME_LETTERS = 11;
const NAME_FONT = "600 13px system-ui, sans-serif"; // as in chart.css
const COLOURS = 8;
const MINUS = "\u2212"; // as in the tables

/** The class of a line's colour; after eight lines they begin again. @param {number} id */
export const colourOf = (id) => `line-${id % COLOURS}${id > COLOURS ? " again" : ""}`;

const RULER = globalThis.document?.createElement?.("canvas").getContext("2d");

/** A name that is too long or too wide for a chart, with an ellipsis.
 * @param {string} name @param {number} most pixels */
function fitName(name, most) {
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

/** Where steps and numbers are drawn, and which step is drawn at a point.
 * @param {number} width @param {readonly [number, number]} steps the first and the last
 * @param {readonly [number, number]} numbers the lowest and the highest */
export function scale(width, [first, last], [low, high]) {
  const inner = width - LEFT - RIGHT;
  const steps = Math.max(1, last - first);
  const tall = (HEIGHT - TOP - BOTTOM) / Math.max(1, high - low);
  return {
    /** @param {number} step */
    x: (step) => +(LEFT + ((step - first) / steps) * inner).toFixed(1),
    /** @param {number} number */
    y: (number) => +(TOP + (high - number) * tall).toFixed(1),
    /** @param {number} x */
    stepAt: (x) =>
      Math.min(last, Math.max(first, Math.round(first + ((x - LEFT) / inner) * steps))),
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
 * A chart, which leads to the step that is tapped, if it leads anywhere.
 * @param {readonly Line[]} lines
 * @param {{width: number, label: string, kind?: string, step?: number,
 *   go?: (step: number) => void}} view
 */
export function chartView(lines, { width, label, kind = "", step, go }) {
  const all = lines.flatMap(({ points }) => points);
  const [low, high] = ends([0, ...all.map(([, number]) => number)]);
  const { x, y, stepAt } = scale(width, ends(all.map(([at]) => at)), [low, high]);
  const right = width - RIGHT;
  const names = lines.map(({ id, name, points }) => ({ id, name, y: y(points.at(-1)?.[1] ?? 0) }));
  /** @param {PointerEvent} event */
  function drag(event) {
    if (!event.buttons) return;
    const box = /** @type {Element} */ (event.currentTarget).getBoundingClientRect();
    go?.(stepAt(event.clientX - box.left));
  }
  /** Whether a number has room beside those before it.
   * @param {number} number @param {number} index @param {number[]} numbers */
  const isApart = (number, index, numbers) =>
    numbers.slice(0, index).every((other) => Math.abs(y(other) - y(number)) >= NAME_HEIGHT);
  const axis = (/** @type {number} */ number) =>
    svg`<line class="axis" x1=${LEFT} y1=${y(number)} x2=${right} y2=${y(number)}></line>
      <text class="axis-text" x=${LEFT - 6} y=${y(number) + 4} text-anchor="end"
        >${String(number).replace("-", MINUS)}</text>`;
  const cursor = (at = 0) =>
    svg`<line class="cursor" x1=${x(at)} y1=${TOP} x2=${x(at)} y2=${HEIGHT - BOTTOM}></line>`;
  return html`<svg
    class="chart ${kind}"
    viewBox="0 0 ${width} ${HEIGHT}"
    role="img"
    aria-label=${label}
    @pointerdown=${drag}
    @pointermove=${drag}
  >
    ${[0, high, low].filter(isApart).map(axis)}
    ${lines.map(({ id, points }) => {
      const drawn = points.map(([at, number]) => `${x(at)},${y(number)}`);
      return svg`<polyline class=${colourOf(id)} points=${drawn.join(" ")}></polyline>`;
    })}
    ${step === undefined ? nothing : cursor(step)}
    ${separate(names).map((end) => nameView(end, right + NAME_GAP))}
  </svg>`;
}

/** The lowest and the highest. @param {readonly number[]} numbers @returns {[number, number]} */
const ends = (numbers) =>
  numbers.reduce(
    ([low, high], one) => [Math.min(low, one), Math.max(high, one)],
    [Infinity, -Infinity],
  );

/** @param {LineEnd} end @param {number} x */
const nameView = ({ id, name, y }, x) =>
  svg`<text class=${colourOf(id)} x=${x} y=${y + 4}>${fitName(name, RIGHT - NAME_GAP)}</text>`;

/**
 * The chips of each after some entries as a table.
 * @param {readonly {name: string, chips: (number | undefined)[]}[]} lines
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
