// @ts-check
// The stacks over a night as a line chart, each line named at its end.

import { html, svg } from "./vendor/lit-html.js";
import { shorten } from "./board.js";

/** @typedef {{seat: number, name: string, stacks: (number | undefined)[]}} Line by entry */
/** @typedef {{name: string, seat: number, y: number}} LineEnd */

const HEIGHT = 220;
const LEFT = 30;
const RIGHT = 92;
const TOP = 10;
const BOTTOM = 22;
const NAME_HEIGHT = 15;
const NAME_LETTERS = 11;
const COLOURS = 8;

/** The class of a line's colour. @param {number} seat */
export const colourOf = (seat) => `line-${seat % COLOURS}`;

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
  const most = Math.max(1, ...lines.flatMap(({ stacks }) => stacks.map((stack) => stack ?? 0)));
  const { x, y, entryAt } = scale(width, entries, most);
  const right = width - RIGHT;
  const ends = lines.map(({ seat, name, stacks }) => ({ seat, name, y: y(stacks.at(-1) ?? 0) }));
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
    <g>${separate(ends).map((end) => nameView(end, right + 8))}</g>
  </svg>`;
}

/** @param {Line} line @param {(entry: number) => number} x @param {(chips: number) => number} y */
function lineView({ seat, stacks }, x, y) {
  // A seat that joins later has no stack before.
  const points = stacks.flatMap((stack, i) =>
    stack === undefined ? [] : [`${x(i + 1)},${y(stack)}`],
  );
  return svg`<polyline class=${colourOf(seat)} points=${points.join(" ")}></polyline>`;
}

/** @param {LineEnd} end @param {number} x */
const nameView = ({ seat, name, y }, x) =>
  svg`<text class=${colourOf(seat)} x=${x} y=${y + 4}>${shorten(name, NAME_LETTERS)}</text>`;
