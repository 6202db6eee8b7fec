// @ts-check
// The simulated board: drawn as it stands on the table, lit pixel by pixel, and pressed.

import { addControls } from "./board_buttons.js";
import {
  drawAction,
  drawGround,
  drawPlace,
  drawPool,
  element,
  engrave,
  scaled,
} from "./board_parts.js";
import { requestUntilAnswered } from "./requests.js";
import { ptext, shorten } from "./texts.js";

/** @import { FaceAnswer, Plaque, PoolDetail } from "../types" */
/** @import { Presses } from "./presses.js" */

/**
 * @typedef {object} BoardView
 * @property {readonly PoolDetail[]} pools
 * @property {readonly Plaque[]} plaques the places that are taken
 * @property {Record<string, string>} labels what to call the other buttons, by name
 * @property {readonly string[]} meaningful buttons that mean something now
 * @property {(button: string) => boolean} enabled
 * @property {Record<string, number>} holds how many seconds to hold a button
 */
/** @typedef {ReturnType<typeof drawPool>} PoolParts */
/** @typedef {ReturnType<typeof drawPlace>} PlaceParts */

const LETTERS_PER_TURN = 104;
/** As many letters fit in a bowl. */
const LETTERS_IN_POOL = 12;
/** No letter is smaller on the screen. */
const LEAST_LETTER_PX = 11;
/** Below this width the drawing leaves out details that have no room. */
const COMPACT_PX = 500;

/** The gamma of screens: half of the light is written as 73 % of the number. */
const SEEN_POWER = 1 / 2.2;
const BRIGHTEN = 1.15;

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

/** Draws a board into `host` and returns what changes it.
 * @param {HTMLElement} host @param {FaceAnswer} face what it looks like, in mm
 * @param {Pick<Presses, "attach">} presses
 * @param {() => void} onDead a button was tapped that is off */
export function createBoard(host, face, presses, onDead) {
  const drawn = scaled(face);
  const seats = drawn.places.map((place, i) => drawPlace(place, i + 1, drawn));
  const wells = drawn.pools.map((pool, i) => drawPool(pool, i, drawn));
  const root = element("svg", { viewBox: "0 0 1000 1000", class: "board" });
  const actions = /** @type {const} */ (["undo", "next"]).map((name) => drawAction(name, drawn));
  root.append(drawGround(), ...[...seats, ...wells].map(({ group }) => group), ...actions);

  const frame = document.createElement("div");
  frame.className = "board-frame";
  frame.append(root);
  const controls = addControls(frame, root, drawn, presses);
  // Disabled buttons let taps through to the frame.
  frame.addEventListener("click", ({ target }) => {
    if (target instanceof Element && !target.closest(".press")) onDead();
  });
  let isFolded = false;
  let hasArt = false;
  /** @type {readonly string[]} */
  let latest = [];
  keepLegible(frame, host.clientWidth, (folded) => {
    isFolded = folded;
    if (!folded && !hasArt && frame.clientWidth >= COMPACT_PX) {
      hasArt = true;
      void requestUntilAnswered("/api/board/face/art", () => root.isConnected).then(
        (art) => art && engrave(root, drawn.unit, art),
      );
    }
    light(latest);
  });

  host.replaceChildren(frame);

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
  function update({ pools, plaques, labels, meaningful, enabled, holds }) {
    pools.forEach((pool, i) => updatePool(/** @type {PoolParts} */ (wells[i]), pool));
    const byPlace = new Map(plaques.map((plaque) => [plaque.place, plaque]));
    seats.forEach((seat, i) => updatePlace(seat, byPlace.get(i + 1)));
    const called = new Map([
      ...Object.entries(labels),
      ...pools.map((pool) => /** @type {const} */ ([pool.pool, pool.label])),
      ...plaques.map((plaque) => /** @type {const} */ ([`seat${plaque.place}`, plaque.label])),
    ]);
    nameActions(actions, labels);
    for (const [button, { control, drawing }] of controls) {
      const name = called.get(button) ?? button;
      control.setAttribute("aria-label", name);
      control.disabled = !enabled(button);
      drawing.classList.toggle("may", meaningful.includes(button));
      control.dataset["hold"] = String(holds[button] ?? 0);
      drawing.style.setProperty("--hold", `${holds[button] ?? 0}s`);
    }
  }

  return { light, update };
}

/** Letters are drawn larger where the drawing is small. All its styles depend on how wide it is, so
 * that is set before they are computed.
 * @param {HTMLElement} frame @param {number} first how wide it will be
 * @param {(folded: boolean) => void} onFold */
function keepLegible(frame, first, onFold) {
  let fitted = 0;
  /** @param {number} width */
  function fit(width) {
    if (!width || width === fitted) return;
    fitted = width;
    frame.style.setProperty("--least", `${(LEAST_LETTER_PX * 1000) / width}px`);
    frame.classList.toggle("compact", width < COMPACT_PX);
  }
  fit(first);
  new ResizeObserver(() => {
    const width = frame.clientWidth;
    onFold(!width);
    fit(width);
  }).observe(frame);
}

/** Even the same text, set again, would lay out the drawing again.
 * @param {Element} part @param {string} said */
function write(part, said) {
  if (part.textContent !== said) part.textContent = said;
}

/** @param {PoolParts} parts @param {PoolDetail} pool */
function updatePool({ group, title, chips, note }, pool) {
  write(title, shorten(pool.name, LETTERS_IN_POOL));
  write(chips, pool.chips === null ? "" : String(pool.chips));
  write(note, pool.blocked ? ptext("pool", "blocked") : "");
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

/** @param {readonly SVGElement[]} actions @param {Record<string, string>} labels */
function nameActions(actions, labels) {
  for (const action of actions) {
    const name = labels[action.dataset["shape"] ?? ""];
    const run = action.querySelector("textPath");
    if (run && name) write(run, name);
  }
}
