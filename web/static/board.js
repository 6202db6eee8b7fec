// @ts-check
// The board: drawn as it stands on the table, lit pixel by pixel, and pressed if it is simulated.

import { findAll, penOf } from "./elements.js";
import { text } from "./texts.js";
import { pause } from "./time.js";

/** @import { DisplayEvent, FaceAnswer, Plaque, PoolDetail } from "../types" */
/** @import { Presses } from "./presses.js" */

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
 * @property {FaceAnswer} face what the board looks like, in mm
 * @property {Pick<LazyPresses, "attach"> | null} [presses] of a simulated
 *   board
 * @property {() => void} [onDead] a button was tapped that is off
 */
/** @typedef {ReturnType<typeof drawPool>} PoolParts */
/** @typedef {ReturnType<typeof drawPlace>} PlaceParts */

const LOAD_AGAIN_MS = 1_000;
const SVG = "http://www.w3.org/2000/svg";
// The drawing is 1000 units wide; angles are turns, clockwise from the top. hardware/ builds the
// same board; only what the page writes on it has its own sizes.
const MIDDLE = 500;
const FULL_CONTRAST = 127; // of the display, after power-on
const EDGE = 494;
/** Radii of the two lines on the rim: the name at the edge, the chips at the button. */
const NAME_LINE = 463;
const CHIPS_LINE = 425;
const NAME_TURN = 2 * Math.PI * NAME_LINE;
/** Half of how much of the rim is next or undo, to see and to press, in turns. */
const ACTION_SHOWN = 0.024;
const ACTION_PRESSED = 0.029;
const ACTION_INNER = 392;
const CHIPS_GAP = 9;
const PRESS_MARGIN = 12;
const CAP_MARGIN = 8;
const LETTERS_PER_TURN = 104;
/** The eye sees an amount of light as brighter than a screen shows a number of that size. */
const SEEN_POWER = 1 / 2.2;
const BRIGHTEN = 1.15;
/** No letter is smaller on the screen. */
const LEAST_LETTER_PX = 11;
/** Below this width the drawing leaves out details that have no room. */
const COMPACT_PX = 540;

/**
 * Draws a board into `host` and returns what changes it.
 * @param {HTMLElement} host @param {BoardOptions} options
 */
export function createBoard(host, { face, presses = null, onDead }) {
  const drawn = scaled(face);
  const seats = drawn.places.map((place, i) => drawPlace(place, i + 1, drawn));
  const wells = drawn.pools.map((pool, i) => drawPool(pool, i, drawn));
  const root = element("svg", { viewBox: "0 0 1000 1000", class: "board" });
  const actions = ["undo", "next"].map((name) => drawAction(name, drawn));
  const displays = drawn.displays.map(drawFrame);
  root.append(
    drawGround(),
    ...[...seats, ...wells].map(({ group }) => group),
    ...actions,
    ...displays,
  );

  const frame = document.createElement("div");
  frame.className = "board-frame";
  frame.append(root);
  const controls = presses ? addControls(frame, root, drawn, presses) : new Map();
  if (!presses) root.setAttribute("role", "img");
  host.replaceChildren(frame);
  // Disabled buttons let taps through to the frame.
  frame.addEventListener("click", ({ target }) => {
    if (presses && target instanceof Element && !target.closest(".press")) onDead?.();
  });
  let isFolded = false;
  /** @type {readonly string[]} */
  let latest = [];
  keepLegible(frame, (folded) => {
    isFolded = folded;
    light(latest);
  });

  const dots = [...root.querySelectorAll("[data-pixel]")].sort(
    (a, b) => Number(a.getAttribute("data-pixel")) - Number(b.getAttribute("data-pixel")),
  );
  /** @type {string[]} */
  const shown = [];

  /** Lights the pixels, once they can be seen.
   * @param {readonly string[]} pixels amounts of light, as `#rrggbb` */
  function light(pixels) {
    latest = pixels;
    if (isFolded) return;
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
    seats.forEach((seat, i) => updatePlace(seat, byPlace.get(i + 1)));
    if (!presses) root.setAttribute("aria-label", label);

    const called = new Map([
      ...Object.entries(labels),
      ...pools.map((pool) => /** @type {const} */ ([pool.pool, pool.label])),
      ...plaques.map((plaque) => /** @type {const} */ ([`seat${plaque.place}`, plaque.label])),
    ]);
    nameActions(actions, labels);
    for (const [button, { control, drawing }] of controls) {
      const name = called.get(button) ?? button;
      control.setAttribute("aria-label", name);
      control.disabled = enabled ? !enabled(button) : false;
      drawing.classList.toggle("may", meaningful.includes(button));
      drawing.style.setProperty("--hold", `${holds[button] ?? 0}s`);
    }
  }

  return { light, update };
}

/**
 * Presses of the simulated board. Their module is loaded after the first drawing: a phone beside a
 * real board does not need it.
 * @typedef {ReturnType<typeof createLazyPresses>} LazyPresses
 * @param {Parameters<typeof import("./presses.js")["createPresses"]>} made
 */
export function createLazyPresses(...made) {
  /** @type {Presses | null} */
  let loaded = null;

  async function load() {
    for (;;) {
      const module = await import("./presses.js").catch(() => null);
      if (module) return (loaded = module.createPresses(...made));
      await pause(LOAD_AGAIN_MS); // the network failed just now
    }
  }
  /** @type {Promise<Presses> | null} */
  let loading = null;
  const ready = () => (loading ??= load());

  return {
    ready,
    isReady: () => loaded !== null,
    /** @param {Parameters<Presses["attach"]>} part */
    attach: (...part) => void ready().then((presses) => presses.attach(...part)),
    /** @param {Parameters<Presses["hold"]>} how */
    hold: async (...how) => (await ready()).hold(...how),
    cancelAll: () => loaded?.cancelAll(),
  };
}

/**
 * Draws the board's display, 128 × 64 pixels.
 * @param {HTMLCanvasElement} canvas @param {DisplayEvent} shown
 */
export function drawDisplay(canvas, { bitmap, text: words, language, contrast }) {
  const bytes = atob(bitmap);
  const context = penOf(canvas);
  const lit = 235 * Math.min(1, contrast / FULL_CONTRAST) ** (1 / 2.2); // light, not a screen's
  const picture = context.createImageData(canvas.width, canvas.height);
  for (let y = 0; y < canvas.height; y += 1) {
    for (let x = 0; x < canvas.width; x += 1) {
      const column = bytes.charCodeAt((y >> 3) * canvas.width + x);
      const at = 4 * (y * canvas.width + x);
      picture.data.fill((column >> (y & 7)) & 1 ? lit : 16, at, at + 3);
      picture.data[at + 3] = 255;
    }
  }
  context.putImageData(picture, 0, 0);
  canvas.setAttribute("aria-label", words);
  canvas.lang = language;
}

/** Letters are drawn larger where the drawing is small.
 * @param {HTMLElement} frame @param {(folded: boolean) => void} onFold */
function keepLegible(frame, onFold) {
  new ResizeObserver(() => {
    const width = frame.clientWidth;
    onFold(!width);
    if (!width) return;
    frame.style.setProperty("--least", `${(LEAST_LETTER_PX * 1000) / width}px`);
    frame.classList.toggle("compact", width < COMPACT_PX);
  }).observe(frame);
}

/** Even the same text, set again, would lay out the drawing again.
 * @param {Element} part @param {string} said */
function write(part, said) {
  if (part.textContent !== said) part.textContent = said;
}

/** @param {PoolParts} parts @param {PoolDetail} pool */
function updatePool({ group, title, chips, note }, pool) {
  write(title, pool.name);
  write(chips, pool.chips === null ? "" : String(pool.chips));
  write(note, pool.note);
  group.classList.toggle("absent", pool.chips === null);
  group.classList.toggle("blocked", pool.blocked);
  group.classList.toggle("claimable", pool.claimable);
}

/** @type {Partial<Plaque> & Pick<Plaque, "name" | "detail">} */
const EMPTY = { name: "", detail: "" };

/** @param {PlaceParts} parts @param {typeof EMPTY} [plaque] */
function updatePlace({ group, title, detail, span }, plaque = EMPTY) {
  write(title, shorten(plaque.name, Math.round(span * LETTERS_PER_TURN)));
  write(detail, plaque.detail);
  group.classList.toggle("taken", plaque !== EMPTY);
  group.classList.toggle("dealer", Boolean(plaque.dealer));
  group.classList.toggle("turn", Boolean(plaque.turn));
  group.classList.toggle("chosen", Boolean(plaque.selected));
  group.classList.toggle("dim", Boolean(plaque.dim));
}

/** @param {string} name @param {number} most letters, as a reader counts them */
export function shorten(name, most) {
  if (name.length <= most) return name; // making a segmenter takes longer than drawing all names
  // Firefox before 125 has no segmenter, and may cut a letter that is made of several.
  const letters =
    "Segmenter" in Intl
      ? [...new Intl.Segmenter().segment(name)].map(({ segment }) => segment)
      : [...name];
  return letters.length > most
    ? `${letters
        .slice(0, most - 1)
        .join("")
        .trim()}…`
    : name;
}

/** @param {Element} dot @param {string} colour */
function lightDot(dot, colour) {
  dot.setAttribute("fill", colour);
  const { hue, brightness } = glow(colour);
  const [halo, lens] = [dot.previousElementSibling, dot.nextElementSibling];
  for (const part of [halo, lens]) part?.setAttribute("fill", hue);
  // An opacity that becomes 1 would lay out the drawing again.
  halo?.setAttribute("fill-opacity", (brightness * 0.55).toFixed(2));
  lens?.setAttribute("fill-opacity", brightness.toFixed(2));
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

/** A part of the rim. @param {number} from @param {number} to @param {number} inner */
function sectorPath(from, to, inner, outer = EDGE - 8) {
  const back = `A${inner},${inner},0,0,0,${around(from, inner)}Z`;
  return `${arc(from, to, outer)}L${around(to, inner)}${back}`;
}

/** The face in the units of the drawing. @param {FaceAnswer} face */
function scaled(face) {
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
    rim: face.rim * unit,
    buttonRadius: (face.button / 2) * unit,
    placeRadius: (face.flange / 2) * unit,
    markRadius: (face.dealer_mark / 2) * unit,
    buttonAt,
    turnOf,
    displays: face.displays.map(({ x, y, turn, frame, active, out }) => ({
      ...point(x, y),
      turn,
      frame: frame.map((side) => side * unit),
      active: active.map((side) => side * unit),
      out: out * unit,
    })),
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
        turn: 0,
        length: face.inlay * unit,
        width: face.inlay * unit,
      },
    })),
  };
}

/** @typedef {ReturnType<typeof scaled>} Drawn */

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
    disc(EDGE, { cy: MIDDLE + 6, class: "shade" }),
    disc(EDGE, { fill: "url(#wood)", class: "rim" }),
    ...[472, 440, 403, 366, 262].map((r) => disc(r, { class: "grain" })),
  );
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
function drawPool({ pool, x, y, r, bowl, inlays }, index, { buttonAt, buttonRadius }) {
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
function drawPlace({ index, start, end, number: numberAt, dealer, inlay }, number, drawn) {
  const { rim, buttonAt, buttonRadius, placeRadius, markRadius, turnOf } = drawn;
  const turn = (start + end) / 2;
  const shape = sectorPath(start, end, rim);
  const free = [
    ...["next", "undo"].map((name) => Math.abs(turnOf(name) - turn) - ACTION_SHOWN),
    ...drawn.displays.map((one) => Math.abs(one.turn - turn) - (one.frame[0] ?? 0) / 2 / NAME_TURN),
  ];
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
      svgText(text("board.dealer_mark"), { x: dealer.x, y: dealer.y }),
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

/** A display, dark: what it shows would be too small here. @param {Drawn["displays"][number]} at */
function drawFrame({ x, y, turn, frame, active, out }) {
  /**
   * @param {readonly number[]} size @param {number} down
   * @param {Record<string, string | number>} more
   */
  const rectangle = ([width = 0, height = 0], down, more) =>
    element("rect", { x: -width / 2, y: down - height / 2, width, height, ...more });
  return element(
    "g",
    { class: "screen", transform: `translate(${x} ${y}) rotate(${turn * 360})` },
    rectangle(frame, 0, { class: "collar", rx: 8 }),
    rectangle(active, -out, { fill: "#08090b" }),
  );
}

/** @param {readonly SVGElement[]} actions @param {Record<string, string>} labels */
function nameActions(actions, labels) {
  for (const action of actions) {
    const name = labels[action.dataset["shape"] ?? ""];
    const run = action.querySelector("textPath");
    if (run && name) write(run, name);
  }
}

/** The buttons next and undo. @param {string} name @param {Drawn} drawn */
function drawAction(name, { buttonAt, buttonRadius, turnOf }) {
  const turn = turnOf(name);
  const [from, to] = [turn - ACTION_SHOWN, turn + ACTION_SHOWN];
  const shape = sectorPath(from, to, ACTION_INNER);
  const wide = { start: turn - ACTION_PRESSED, end: turn + ACTION_PRESSED, line: NAME_LINE };
  const title = curvedText("knob-name", name, wide);
  title.run.textContent = text(`board.${name}`);
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

/**
 * Adds a real button over each part of the drawing that can be pressed.
 * @param {HTMLElement} frame @param {SVGElement} root @param {Drawn} drawn
 * @param {Pick<LazyPresses, "attach">} presses
 * @returns {Map<string, {control: HTMLButtonElement, drawing: SVGElement}>}
 */
function addControls(frame, root, { rim }, presses) {
  const controls = new Map();
  // Drawn in the order of the tab key: places, pools, then undo and next.
  for (const drawing of findAll("[data-shape]", SVGElement, root)) {
    const name = drawing.dataset["shape"] ?? "";
    const control = drawing.dataset["from"] ? rimButton(drawing, rim) : poolButton(drawing);
    control.type = "button";
    control.className = "press";
    control.dataset["button"] = name;
    presses.attach(name, control, drawing);
    controls.set(name, { control, drawing });
    frame.append(control);
  }
  return controls;
}

/** Over a pool and its button. @param {SVGElement} drawing */
function poolButton({ dataset }) {
  const [x, y, r] = [Number(dataset["x"]), Number(dataset["y"]), Number(dataset["r"])];
  const [capX, capY] = [Number(dataset["capX"]), Number(dataset["capY"])];
  const towards = Math.atan2(capX - x, y - capY) / (2 * Math.PI);
  const circle = Array.from({ length: 41 }, (_, i) => around(towards + i / 40, r, x, y));
  const cap = Array.from({ length: 17 }, (_, i) =>
    around(towards + 0.5 + i / 16, Number(dataset["capR"]) + CAP_MARGIN, capX, capY),
  );
  return buttonOver([...circle, ...cap]);
}

/** @param {SVGElement} drawing @param {number} rim */
function rimButton({ dataset }, rim) {
  const [from, to] = [Number(dataset["from"]), Number(dataset["to"])];
  const steps = Array.from({ length: 9 }, (_, i) => from + (to - from) * (i / 8));
  const outer = steps.map((step) => around(step, EDGE - 8 + PRESS_MARGIN));
  const inner = steps.reverse().map((step) => around(step, rim));
  return buttonOver([...outer, ...inner]);
}

/** A button of the shape of these points. @param {[number, number][]} points */
function buttonOver(points) {
  const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)];
  const [left, top] = [Math.min(...xs), Math.min(...ys)];
  const [width, height] = [Math.max(...xs) - left, Math.max(...ys) - top];
  const button = document.createElement("button");
  for (const [side, value] of Object.entries({ left, top, width, height })) {
    button.style.setProperty(side, `${value / 10}%`);
  }
  const corners = points.map(
    ([x, y]) => `${((x - left) / width) * 100}% ${((y - top) / height) * 100}%`,
  );
  button.style.setProperty("clip-path", `polygon(${corners.join(",")})`);
  return button;
}
