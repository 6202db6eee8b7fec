// @ts-check
// The parts of the drawn board: the wooden disc, pools, places, the buttons on the rim.

import { actionLabels, ptext } from "./texts.js";

/** @import { ArtAnswer, FaceAnswer } from "../types" */

const SVG = "http://www.w3.org/2000/svg";
// The drawing is 1000 units wide; angles are turns, clockwise from the top. hardware/ builds the
// same board; only what the page writes on it has its own sizes.
const MIDDLE = 500;
export const EDGE = 494;
/** Radii of the two lines on the rim: the name at the edge, the chips at the button. */
const NAME_LINE = 470;
const CHIPS_LINE = 437;
/** Inside of the buttons next and undo. */
const ACTION_LINE = 421;
/** Half of the part of the rim that is next or undo, to see and to press, in turns. */
const ACTION_SHOWN = 0.024;
const ACTION_PRESSED = 0.029;
const ACTION_INNER = 392;
const CHIPS_GAP = 9;
/** The number of a place stands on the line between the board's middle and the place. */
const NUMBER_ROOM = 16;

/**
 * @param {string} name
 * @param {Record<string, string | number>} [attributes]
 * @param {Element[]} children
 */
export function element(name, attributes = {}, ...children) {
  const node = /** @type {SVGElement} */ (document.createElementNS(SVG, name));
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, String(value));
  node.append(...children);
  return node;
}

/** @param {string} content @param {Record<string, string | number>} attributes */
function svgText(content, attributes) {
  const node = element("text", attributes);
  node.textContent = content;
  return node;
}

/** The point at `turn` and radius `r` round (x, y).
 * @param {number} turn @param {number} r @returns {[number, number]} */
export function around(turn, r, x = MIDDLE, y = MIDDLE) {
  const angle = turn * 2 * Math.PI;
  return [+(x + r * Math.sin(angle)).toFixed(2), +(y - r * Math.cos(angle)).toFixed(2)];
}

/** @param {number} from @param {number} to @param {number} r */
function arc(from, to, r) {
  return `M${around(from, r)}A${r},${r},0,0,${to > from ? 1 : 0},${around(to, r)}`;
}

/** A part of the rim. @param {number} from @param {number} to @param {number} inner */
function sectorPath(from, to, inner, outer = EDGE - 8) {
  const back = `A${inner},${inner},0,0,0,${around(from, inner)}Z`;
  return `${arc(from, to, outer)}L${around(to, inner)}${back}`;
}

/** The face in the units of the drawing. @param {FaceAnswer} face */
export function scaled(face) {
  const unit = EDGE / face.radius;
  /** @param {number} x @param {number} y */
  const point = (x, y) => ({ x: MIDDLE + x * unit, y: MIDDLE + y * unit });
  /** @param {readonly number[]} at */
  const spot = ([x = 0, y = 0]) => point(x, y);
  /** @param {string} name */
  const buttonAt = (name) => spot(face.buttons[name] ?? []);
  /** The direction of a button, in turns. @param {string} name */
  const turnOf = (name) => {
    const [x = 0, y = 0] = face.buttons[name] ?? [];
    return (Math.atan2(x, -y) / (2 * Math.PI) + 1) % 1;
  };
  /** @param {number} count */
  const turns = (count) => Array.from({ length: count }, (_, i) => i / count);
  return {
    unit,
    rim: face.rim * unit,
    buttonRadius: (face.button / 2) * unit,
    placeRadius: (face.flange / 2) * unit,
    markRadius: (face.dealer_mark / 2) * unit,
    buttonAt,
    turnOf,
    pools: face.pools.map(({ pool, x, y, flange, bowl, ring, length, width }) => ({
      pool,
      ...point(x, y),
      r: flange * unit,
      bowl: bowl * unit,
      inlays: turns(face.pixels_per_ring).map((turn) => ({
        at: around(turn, ring * unit, point(x, y).x, point(x, y).y),
        turn,
        length: length * unit,
        width: width * unit,
      })),
    })),
    places: face.places.map(({ start, end, pixel, number, dealer }, i) => ({
      index: face.pools.length * face.pixels_per_ring + i,
      start,
      end,
      number: spot(number),
      dealer: spot(dealer),
      inlay: {
        at: around(0, 0, spot(pixel).x, spot(pixel).y),
        turn: (start + end) / 2,
        length: (face.inlay[0] ?? 0) * unit,
        width: (face.inlay[1] ?? 0) * unit,
      },
    })),
  };
}

/** @typedef {ReturnType<typeof scaled>} Drawn */

/** The wooden disc. */
export function drawGround() {
  /** @param {string} id */
  const gradient = (id) =>
    element(
      "radialGradient",
      { id, cx: "50%", cy: "42%", r: "62%" },
      ...["a", "b", "c"].map((stop, i) =>
        element("stop", { offset: i / 2, class: `${id}-${stop}` }),
      ),
    );
  /** @param {number} r @param {Record<string, string | number>} attributes */
  const disc = (r, attributes) => element("circle", { cx: MIDDLE, cy: MIDDLE, r, ...attributes });
  return element(
    "g",
    {},
    element("defs", {}, gradient("wood"), gradient("felt")),
    disc(EDGE, { cy: MIDDLE + 6, class: "shade" }),
    disc(EDGE, { fill: "url(#wood)", class: "rim" }),
    ...[472, 440, 403, 366, 262].map((r) => disc(r, { class: "grain" })),
  );
}

/** Draws the engravings into the board.
 * @param {SVGElement} root @param {number} unit of a millimetre @param {ArtAnswer} art */
export function engrave(root, unit, { fields, wood }) {
  const transform = `translate(${MIDDLE} ${MIDDLE}) scale(${unit})`;
  const path = (/** @type {string} */ d) => element("path", { d, transform, class: "art" });
  root.querySelector(".grain")?.parentElement?.append(path(wood));
  for (const [pool, d] of Object.entries(fields)) {
    root.querySelector(`[data-shape=${pool}] .bowl`)?.after(path(d));
  }
}

/** @param {number} index @param {Drawn["pools"][number]["inlays"][number]} inlay */
function drawPixel(index, { at: [x, y], turn, length, width }) {
  /** @param {number} more @param {Record<string, string | number>} attributes */
  const bar = (more, attributes) =>
    element("rect", {
      x: -length / 2 - more,
      y: -width / 2 - more,
      width: length + 2 * more,
      height: width + 2 * more,
      rx: width / 2 + more,
      ...attributes,
    });
  return element(
    "g",
    { transform: `translate(${x} ${y}) rotate(${turn * 360})` },
    bar(0, { class: "inlay" }),
    bar(width * 0.45, { class: "halo", "fill-opacity": 0 }),
    element("circle", { r: width / 2, class: "pixel", fill: "#000000", "data-pixel": index }),
    bar(0, { class: "lens", "fill-opacity": 0 }),
  );
}

/** @param {{x: number, y: number}} at @param {number} r */
function drawCap({ x, y }, r) {
  return element("circle", { cx: x, cy: y, r, class: "cap" });
}

/** The two rings that mark a round button: as refused or claimable, and while it is held.
 * @param {number} x @param {number} y @param {number} r */
function roundMarks(x, y, r) {
  const ring = { cx: x, cy: y, r: r + 2 };
  const transform = `rotate(-90 ${x} ${y})`;
  return [
    element("circle", { ...ring, class: "mark" }),
    element("circle", { ...ring, class: "hold", pathLength: 1, transform }),
  ];
}

/** @param {Drawn["pools"][number]} pool @param {number} index @param {Drawn} drawn */
export function drawPool({ pool, x, y, r, bowl, inlays }, index, { buttonAt, buttonRadius }) {
  const cap = buttonAt(pool);
  const title = svgText("", { x, y: y - bowl * 0.22, class: "pool-name" });
  const chips = svgText("", { x, y: y + bowl * 0.5, class: "chips" });
  const note = svgText("", { x, y: y + bowl * 0.8, class: "note" });
  const group = element(
    "g",
    {
      id: `pool-${pool}`,
      class: "pool",
      "data-shape": pool,
      "data-x": x,
      "data-y": y,
      "data-r": r,
      "data-cap-x": cap.x,
      "data-cap-y": cap.y,
      "data-cap-r": buttonRadius,
    },
    element("circle", { cx: x, cy: y, r, class: "lip" }),
    element("circle", { cx: x, cy: y, r: bowl, fill: "url(#felt)", class: "bowl" }),
    drawCap(cap, buttonRadius),
    ...inlays.map((inlay, i) => drawPixel(index * inlays.length + i, inlay)),
    title,
    chips,
    note,
    ...roundMarks(x, y, r),
  );
  return { group, title, chips, note };
}

/** @param {Drawn["places"][number]} place @param {number} number @param {Drawn} drawn */
export function drawPlace({ index, start, end, number: numberAt, dealer, inlay }, number, drawn) {
  const { rim, buttonAt, buttonRadius, placeRadius, markRadius, turnOf } = drawn;
  const turn = (start + end) / 2;
  const shape = sectorPath(start, end, rim + NUMBER_ROOM);
  const free = ["next", "undo"].map((name) => Math.abs(turnOf(name) - turn) - ACTION_SHOWN);
  const span = Math.min(end - start, ...free.map((half) => 2 * half));
  const name = `seat${number}`;
  const title = curvedText("seat-name", number, { start, end, line: NAME_LINE });
  const detail = curvedText("seat-chips", number, {
    start,
    end,
    line: CHIPS_LINE,
    after: buttonRadius + CHIPS_GAP,
  });
  const group = element(
    "g",
    {
      id: `place-${number}`,
      class: "place",
      "data-shape": name,
      "data-from": start,
      "data-to": end,
    },
    title.path,
    detail.path,
    element("path", { d: shape, class: "lip" }),
    drawCap(buttonAt(name), buttonRadius),
    title.text,
    detail.text,
    svgText(String(number), { x: numberAt.x, y: numberAt.y, class: "place-number" }),
    element(
      "g",
      { class: "button-d" },
      element("circle", { cx: dealer.x, cy: dealer.y, r: markRadius }),
      svgText(ptext("the dealer's mark on the board", "D"), { x: dealer.x, y: dealer.y }),
    ),
    element("circle", { cx: inlay.at[0], cy: inlay.at[1], r: placeRadius, class: "collar" }),
    drawPixel(index, inlay),
    element("path", { d: shape, class: "mark" }),
    element("path", { d: shape, class: "hold", pathLength: 1 }),
  );
  return { group, title: title.run, detail: detail.run, span };
}

/**
 * A text along the rim, upright in the lower half too.
 * @param {string} kind @param {string | number} id
 * @param {{start: number, end: number, line: number, after?: number}} where the radius of the
 *   letters' middle, and how far from the middle of the arc the text begins, if it is not there
 */
function curvedText(kind, id, { start, end, line, after }) {
  const middle = (start + end) / 2;
  const upsideDown = middle > 0.26 && middle < 0.74;
  const d = upsideDown ? arc(end, start, line + 11) : arc(start, end, line - 11);
  const name = `arc-${kind}-${id}`;
  const half = (end - start) * Math.PI * (line + (upsideDown ? 11 : -11));
  const startOffset = after === undefined ? "50%" : half + after;
  const run = element("textPath", { href: `#${name}`, startOffset });
  return {
    path: element("path", { id: name, d, fill: "none" }),
    run,
    text: element("text", { class: kind }, run),
  };
}

/** The buttons next and undo. @param {"next" | "undo"} name @param {Drawn} drawn */
export function drawAction(name, { buttonAt, buttonRadius, turnOf }) {
  const turn = turnOf(name);
  const [from, to] = [turn - ACTION_SHOWN, turn + ACTION_SHOWN];
  const shape = sectorPath(from, to, ACTION_INNER);
  const wide = { start: turn - ACTION_PRESSED, end: turn + ACTION_PRESSED, line: ACTION_LINE };
  const title = curvedText("knob-name", name, wide);
  title.run.textContent = actionLabels()[name];
  return element(
    "g",
    {
      class: "knob",
      "data-shape": name,
      "data-from": turn - ACTION_PRESSED,
      "data-to": turn + ACTION_PRESSED,
    },
    title.path,
    element("path", { d: shape, class: "lip" }),
    drawCap(buttonAt(name), buttonRadius),
    title.text,
    element("path", { d: shape, class: "mark" }),
    element("path", { d: shape, class: "hold", pathLength: 1 }),
  );
}
