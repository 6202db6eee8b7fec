// @ts-check
// The board: drawn as it stands on the table, lit pixel by pixel, and pressed if it is simulated.

/** @import { Plaque, PoolDetail } from "../types" */

/**
 * @typedef {object} BoardView
 * @property {readonly PoolDetail[]} pools
 * @property {readonly Plaque[]} plaques the places that are taken
 * @property {string} label the board in words, where it is only a picture
 * @property {Record<string, string>} [labels] what to call the other buttons, by name
 * @property {readonly string[]} [meaningful] buttons that mean something now
 * @property {(button: string) => boolean} [enabled]
 * @property {Record<string, number>} [holds] how many seconds to hold a button
 */
/**
 * @typedef {object} BoardOptions
 * @property {readonly string[]} pools in the order of the chain, the centre last
 * @property {number} places
 * @property {number} perRing pixels of a ring
 * @property {Pick<import("./page.js").Presses, "attach"> | null} [presses] of a simulated
 *   board
 * @property {() => void} [onDead] a button was tapped that is off
 */
/** @typedef {{x: number, y: number, r: number, ring: number, dot: number}} Well */
/** @typedef {ReturnType<typeof drawPool>} PoolParts */
/** @typedef {ReturnType<typeof drawPlace>} PlaceParts */

const SVG = "http://www.w3.org/2000/svg";
// The drawing is 1000 units wide; angles are turns, clockwise from the top.
const MIDDLE = 500;
const POOL_CIRCLE = 252;
const OUTER_WELL = { r: 94, ring: 81, dot: 11 };
const CENTRE_WELL = { r: 132, ring: 114, dot: 14 };
const RIM = { inner: 356, outer: 486, press: 498 };
const WIDEST_PLAQUE = 52 / 360;
const PLAQUE_GAP = 0.006;
const LETTERS_PER_TURN = 104;
const KNOBS = { undo: [80, 920], next: [920, 920] };
const KNOB_R = 72;
/** What the eye sees of an amount of light is brighter than a screen's number of that size. */
const SEEN_POWER = 1 / 2.2;
const BRIGHTEN = 1.15;
/** No letter is smaller on the screen. */
const LEAST_LETTER_PX = 11;
/** Below this width the drawing leaves out what has no room. */
const COMPACT_PX = 540;

/**
 * Draws a board into `host` and returns what changes it.
 * @param {HTMLElement} host @param {BoardOptions} options
 */
export function createBoard(host, { pools: names, places, perRing, presses = null, onDead }) {
  const span = Math.min(1 / places, WIDEST_PLAQUE) - PLAQUE_GAP;
  const seats = Array.from({ length: places }, (_, i) =>
    drawPlace((i + 0.5) / places, span, i + 1, names.length * perRing + i),
  );
  const wells = names.map((pool, i) => drawPool(pool, wellAt(i, names.length), perRing, i));
  const root = element("svg", { viewBox: "0 0 1000 1000", class: "board" });
  root.append(drawGround(), drawStar(), ...[...seats, ...wells].map(({ group }) => group));

  const frame = document.createElement("div");
  frame.className = "board-frame";
  frame.append(root);
  const controls = presses ? addControls(frame, root, span, presses) : new Map();
  if (!presses) root.setAttribute("role", "img");
  host.replaceChildren(frame);
  // Disabled buttons let taps through to the frame.
  frame.addEventListener("click", ({ target }) => {
    if (presses && target instanceof Element && !target.closest(".press")) onDead?.();
  });
  keepLegible(frame);

  const dots = [...root.querySelectorAll("[data-pixel]")].sort(
    (a, b) => Number(a.getAttribute("data-pixel")) - Number(b.getAttribute("data-pixel")),
  );
  const shown = /** @type {string[]} */ ([]);

  /** Lights the pixels. @param {readonly string[]} pixels amounts of light, as `#rrggbb` */
  function light(pixels) {
    pixels.forEach((colour, i) => {
      const dot = dots[i];
      if (!dot || shown[i] === colour) return;
      shown[i] = colour;
      lightDot(dot, colour);
    });
  }

  /** @param {BoardView} view */
  function update({ pools, plaques, label, labels = {}, meaningful = [], enabled, holds = {} }) {
    pools.forEach((pool, i) => updatePool(/** @type {PoolParts} */ (wells[i]), pool));
    const byPlace = new Map(plaques.map((plaque) => [plaque.place, plaque]));
    seats.forEach((seat, i) => updatePlace(seat, byPlace.get(i + 1), span));
    if (!presses) root.setAttribute("aria-label", label);

    const called = new Map([
      ...Object.entries(labels),
      ...pools.map((pool) => /** @type {const} */ ([pool.pool, pool.label])),
      ...plaques.map((plaque) => /** @type {const} */ ([`seat${plaque.place}`, plaque.label])),
    ]);
    for (const [button, { control, drawing }] of controls) {
      const name = called.get(button) ?? button;
      control.setAttribute("aria-label", name);
      const printed = drawing.querySelector(".knob-name");
      if (printed) printed.textContent = name;
      control.disabled = enabled ? !enabled(button) : false;
      drawing.classList.toggle("may", meaningful.includes(button));
      drawing.style.setProperty("--hold", `${holds[button] ?? 0}s`);
    }
  }

  return { places, perRing, light, update };
}

/** Letters are drawn larger where the drawing is small. @param {HTMLElement} frame */
function keepLegible(frame) {
  new ResizeObserver(() => {
    const width = frame.clientWidth;
    if (!width) return; // it is folded away
    frame.style.setProperty("--least", `${(LEAST_LETTER_PX * 1000) / width}px`);
    frame.classList.toggle("compact", width < COMPACT_PX);
  }).observe(frame);
}

/** @param {PoolParts} parts @param {PoolDetail} pool */
function updatePool({ group, title, chips, note }, pool) {
  title.textContent = pool.name;
  chips.textContent = pool.chips === null ? "" : String(pool.chips);
  note.textContent = pool.note;
  group.classList.toggle("absent", pool.chips === null);
  group.classList.toggle("blocked", pool.blocked);
  group.classList.toggle("claimable", pool.claimable);
}

const EMPTY = /** @type {Plaque} */ ({ name: "", detail: "" });

/** @param {PlaceParts} parts @param {Plaque | undefined} plaque @param {number} span */
function updatePlace({ group, title, detail }, plaque = EMPTY, span) {
  title.textContent = shorten(plaque.name, Math.round(span * LETTERS_PER_TURN));
  detail.textContent = plaque.detail;
  group.classList.toggle("taken", plaque !== EMPTY);
  group.classList.toggle("dealer", Boolean(plaque.dealer));
  group.classList.toggle("turn", Boolean(plaque.turn));
  group.classList.toggle("chosen", Boolean(plaque.selected));
  group.classList.toggle("dim", Boolean(plaque.dim));
}

/** @param {string} name @param {number} most letters */
export const shorten = (name, most) =>
  name.length > most ? `${name.slice(0, most - 1).trim()}…` : name;

/** @param {Element} dot @param {string} colour */
function lightDot(dot, colour) {
  dot.setAttribute("fill", colour);
  const { hue, brightness } = glow(colour);
  const [halo, lens] = [dot.previousElementSibling, dot.nextElementSibling];
  for (const part of [halo, lens]) part?.setAttribute("fill", hue);
  halo?.setAttribute("opacity", (brightness * 0.55).toFixed(2));
  lens?.setAttribute("opacity", brightness.toFixed(2));
}

/** How a pixel that emits this much light looks: its hue, and its brightness from 0 to 1.
 * @param {string} colour as `#rrggbb` */
export function glow(colour) {
  const light = [1, 3, 5].map((i) => parseInt(colour.slice(i, i + 2), 16));
  const most = Math.max(...light);
  if (!most) return { hue: "#000000", brightness: 0 };
  const seen = light.map((part) => Math.round(255 * (part / most) ** SEEN_POWER));
  const hue = `#${seen.map((part) => part.toString(16).padStart(2, "0")).join("")}`;
  return { hue, brightness: Math.min(1, (most / 255) ** SEEN_POWER * BRIGHTEN) };
}

/**
 * @param {string} name
 * @param {Record<string, string | number>} [attributes]
 * @param {Element[]} children
 */
function element(name, attributes = {}, ...children) {
  const made = /** @type {SVGElement} */ (document.createElementNS(SVG, name));
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  made.append(...children);
  return made;
}

/** @param {string} content @param {Record<string, string | number>} attributes */
function svgText(content, attributes) {
  const made = element("text", attributes);
  made.textContent = content;
  return made;
}

/** The point at `turn` and radius `r` round (x, y).
 * @param {number} turn @param {number} r @returns {[number, number]} */
function around(turn, r, x = MIDDLE, y = MIDDLE) {
  const angle = turn * 2 * Math.PI;
  return [+(x + r * Math.sin(angle)).toFixed(2), +(y - r * Math.cos(angle)).toFixed(2)];
}

/** @param {number} from @param {number} to @param {number} r */
function arc(from, to, r) {
  return `M${around(from, r)}A${r},${r},0,0,${to > from ? 1 : 0},${around(to, r)}`;
}

/** @param {number} from @param {number} to */
function plaquePath(from, to) {
  const { inner, outer } = RIM;
  const back = `A${inner},${inner},0,0,0,${around(from, inner)}Z`;
  return `${arc(from, to, outer)}L${around(to, inner)}${back}`;
}

/** Where a pool stands: the last one in the centre, the others round it.
 * @param {number} index @param {number} count @returns {Well} */
function wellAt(index, count) {
  if (index === count - 1) return { x: MIDDLE, y: MIDDLE, ...CENTRE_WELL };
  const [x, y] = around(index / (count - 1), POOL_CIRCLE);
  return { x, y, ...OUTER_WELL };
}

/** The wooden disc. */
function drawGround() {
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
    disc(494, { cy: MIDDLE + 6, class: "shade" }),
    disc(494, { fill: "url(#wood)", class: "rim" }),
    ...[472, 440, 418, 383, 366].map((r) => disc(r, { class: "grain" })),
    disc(350, { class: "bed" }),
  );
}

/** The inlaid star behind the pools. */
function drawStar() {
  const points = Array.from({ length: 16 }, (_, i) => around(i / 16, i % 2 ? 336 : 205).join());
  return element("polygon", { points: points.join(" "), class: "star" });
}

/** @param {number} index @param {number} x @param {number} y @param {number} r */
function drawPixel(index, x, y, r) {
  return [
    element("circle", { cx: x, cy: y, r: r * 1.75, class: "halo", opacity: 0 }),
    element("circle", { cx: x, cy: y, r, class: "pixel", fill: "#000000", "data-pixel": index }),
    element("circle", { cx: x, cy: y, r: r * 0.8, class: "lens", opacity: 0 }),
  ];
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

/** @param {string} pool @param {Well} well @param {number} perRing @param {number} index */
function drawPool(pool, { x, y, r, ring, dot }, perRing, index) {
  const title = svgText("", { x, y: y - r * 0.2, class: "pool-name" });
  const chips = svgText("", { x, y: y + r * 0.34, class: "chips" });
  const note = svgText("", { x, y: y + r * 0.58, class: "note" });
  const size = Math.min(dot, (ring * 2 * Math.PI) / perRing / 2.6);
  const pixels = Array.from({ length: perRing }, (_, i) =>
    drawPixel(index * perRing + i, ...around(i / perRing, ring, x, y), size),
  );
  const channel = { cx: x, cy: y, r: ring, class: "channel", "stroke-width": (r - ring) * 2 - 2 };
  const group = element(
    "g",
    {
      id: `pool-${pool}`,
      class: "pool",
      "data-shape": pool,
      "data-x": x,
      "data-y": y,
      "data-r": r,
    },
    element("circle", { cx: x, cy: y, r, class: "lip" }),
    element("circle", channel),
    element("circle", { cx: x, cy: y, r: ring * 2 - r + 1, fill: "url(#felt)", class: "bowl" }),
    ...pixels.flat(),
    title,
    chips,
    note,
    ...roundMarks(x, y, r),
  );
  return { group, title, chips, note };
}

/** @param {number} turn @param {number} span @param {number} place @param {number} index */
function drawPlace(turn, span, place, index) {
  const [from, to] = [turn - span / 2, turn + span / 2];
  const shape = plaquePath(from, to);
  const title = curvedText("seat-name", place, { from, to, upper: 440, lower: 427 });
  const detail = curvedText("seat-chips", place, { from, to, upper: 399, lower: 467 });
  const [numberX, numberY] = around(from + 0.013, 376);
  const [dealerX, dealerY] = around(to - 0.015, 378);
  const group = element(
    "g",
    { id: `place-${place}`, class: "place", "data-shape": `seat${place}`, "data-turn": turn },
    title.path,
    detail.path,
    element("path", { d: shape, class: "lip" }),
    title.text,
    detail.text,
    svgText(String(place), { x: numberX, y: numberY, class: "place-number" }),
    element(
      "g",
      { class: "button-d" },
      element("circle", { cx: dealerX, cy: dealerY, r: 15 }),
      svgText("D", { x: dealerX, y: dealerY }),
    ),
    ...drawPixel(index, ...around(turn, 374), 11),
    element("path", { d: shape, class: "mark" }),
    element("path", { d: shape, class: "hold", pathLength: 1 }),
  );
  return { group, title: title.run, detail: detail.run };
}

/**
 * A text along the rim, upright in the lower half too.
 * @param {string} kind @param {number} place
 * @param {{from: number, to: number, upper: number, lower: number}} arcs radii of its baseline
 */
function curvedText(kind, place, { from, to, upper, lower }) {
  const middle = (from + to) / 2;
  const upsideDown = middle > 0.26 && middle < 0.74;
  const d = upsideDown ? arc(to, from, lower) : arc(from, to, upper);
  const id = `arc-${kind}-${place}`;
  const run = element("textPath", { href: `#${id}`, startOffset: "50%" });
  return {
    path: element("path", { id, d, fill: "none" }),
    run,
    text: element("text", { class: kind }, run),
  };
}

/** @param {string} name @param {number} x @param {number} y */
function drawKnob(name, x, y) {
  return element(
    "g",
    { class: "knob", "data-shape": name, "data-x": x, "data-y": y, "data-r": KNOB_R },
    element("circle", { cx: x, cy: y, r: KNOB_R, class: "lip" }),
    element("circle", { cx: x, cy: y, r: KNOB_R - 12, class: "cap" }),
    svgText(name, { x, y: y + 11, class: "knob-name" }),
    ...roundMarks(x, y, KNOB_R),
  );
}

/**
 * Adds the knobs, and a real button over each part of the drawing that can be pressed.
 * @param {HTMLElement} frame @param {SVGElement} root @param {number} span
 * @param {Pick<import("./page.js").Presses, "attach">} presses
 * @returns {Map<string, {control: HTMLButtonElement, drawing: SVGElement}>}
 */
function addControls(frame, root, span, presses) {
  for (const [name, [x = 0, y = 0]] of Object.entries(KNOBS)) root.append(drawKnob(name, x, y));
  const controls = new Map();
  // Drawn in the order of the tab key: places, pools, then the two knobs.
  for (const part of root.querySelectorAll("[data-shape]")) {
    const drawing = /** @type {SVGElement} */ (part);
    const name = drawing.dataset["shape"] ?? "";
    const control = drawing.dataset["turn"] ? plaqueButton(drawing, span) : roundButton(drawing);
    control.type = "button";
    control.className = "press";
    control.dataset["button"] = name;
    presses.attach(name, control, drawing);
    controls.set(name, { control, drawing });
    frame.append(control);
  }
  return controls;
}

/** @param {SVGElement} drawing */
function roundButton({ dataset }) {
  const [x, y, r] = [Number(dataset["x"]), Number(dataset["y"]), Number(dataset["r"])];
  const button = buttonOver([x - r, x + r], [y - r, y + r]);
  button.style.setProperty("border-radius", "50%");
  return button;
}

/** @param {SVGElement} drawing @param {number} span */
function plaqueButton({ dataset }, span) {
  const turn = Number(dataset["turn"]);
  const steps = Array.from({ length: 9 }, (_, i) => turn + span * (i / 8 - 0.5));
  const outer = steps.map((step) => around(step, RIM.press));
  const inner = steps.reverse().map((step) => around(step, RIM.inner));
  const points = [...outer, ...inner];
  const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)];
  const button = buttonOver(xs, ys);
  const [left, top] = [Math.min(...xs), Math.min(...ys)];
  const [width, height] = [Math.max(...xs) - left, Math.max(...ys) - top];
  const corners = points.map(
    ([x, y]) => `${((x - left) / width) * 100}% ${((y - top) / height) * 100}%`,
  );
  button.style.setProperty("clip-path", `polygon(${corners.join(",")})`);
  return button;
}

/** A button over the box of these coordinates. @param {number[]} xs @param {number[]} ys */
function buttonOver(xs, ys) {
  const [left, top] = [Math.min(...xs), Math.min(...ys)];
  const [width, height] = [Math.max(...xs) - left, Math.max(...ys) - top];
  const button = document.createElement("button");
  for (const [side, value] of Object.entries({ left, top, width, height })) {
    button.style.setProperty(side, `${value / 10}%`);
  }
  return button;
}
