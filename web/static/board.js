// @ts-check
// The board: drawn as it stands on the table, lit pixel by pixel, and pressed where it is simulated.

export const POOLS = /** @type {Pool[]} */ (
  "ace king queen jack ten marriage sequence poch pinke".split(" ")
);
export const MELD_POOLS = POOLS.slice(0, 7);

/** @param {string} pool */
export const poolName = (pool) => pool.charAt(0).toUpperCase() + pool.slice(1);

const SVG = "http://www.w3.org/2000/svg";
const MIDDLE = 500;
const CIRCLE = 252; // where the eight pools stand
const RIM = { inner: 356, outer: 486 };
/** @typedef {{x: number, y: number, r: number, ring: number, dot: number}} Well */

/**
 * @typedef {object} SeatView
 * @property {string} name
 * @property {string} detail the line under the name
 * @property {boolean} [dealer]
 * @property {boolean} [turn]
 * @property {boolean} [chosen]
 * @property {boolean} [dim]
 */
/**
 * @typedef {object} BoardView
 * @property {Partial<Record<Pool, number>>} pools
 * @property {readonly string[]} blocked
 * @property {readonly string[]} claimable
 * @property {Map<number, SeatView>} seats by place
 * @property {readonly string[]} [may] buttons that have a meaning now
 * @property {(button: string) => boolean} [enabled]
 * @property {(button: string) => number} [holdSeconds]
 */

/**
 * @param {string} name
 * @param {Record<string, string | number>} [attributes]
 * @param {Element[]} children
 */
function draw(name, attributes = {}, ...children) {
  const made = /** @type {SVGElement} */ (document.createElementNS(SVG, name));
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  made.append(...children);
  return made;
}

/**
 * A point at `turn` (0 to 1, clockwise from the top) and radius `r` round (x, y).
 * @param {number} turn @param {number} r
 * @returns {[number, number]}
 */
function around(turn, r, x = MIDDLE, y = MIDDLE) {
  const a = turn * 2 * Math.PI;
  return [+(x + r * Math.sin(a)).toFixed(2), +(y - r * Math.cos(a)).toFixed(2)];
}

/** @param {number} from @param {number} to @param {number} r */
function arc(from, to, r) {
  return `M${around(from, r)}A${r},${r},0,0,${to > from ? 1 : 0},${around(to, r)}`;
}

/** @param {number} from @param {number} to */
function plaque(from, to) {
  const { inner, outer } = RIM;
  return `${arc(from, to, outer)}L${around(to, inner)}A${inner},${inner},0,0,0,${around(from, inner)}Z`;
}

/** @type {Well[]} */
const WELLS = POOLS.map((_, i) => {
  if (i === 8) return { x: MIDDLE, y: MIDDLE, r: 132, ring: 114, dot: 14 };
  const [x, y] = around(i / 8, CIRCLE);
  return { x, y, r: 94, ring: 81, dot: 11 };
});
const CORNERS = { undo: [80, 920], next: [920, 920] };
const CORNER_R = 72;

/** @param {string} text @param {number} most */
const shorten = (text, most) => (text.length > most ? `${text.slice(0, most - 1).trim()}…` : text);

/**
 * Draws a board into `host` and returns what changes it.
 * @param {HTMLElement} host
 * @param {{places: number, perRing: number, presses?: {attach(name: string, button: HTMLButtonElement, group: SVGElement): void} | null}} shape
 */
export function createBoard(host, { places, perRing, presses = null }) {
  const root = draw("svg", { viewBox: "0 0 1000 1000", class: "board" });
  root.append(ground(), star());
  const span = Math.min(1 / places, 52 / 360) - 0.006;
  const seats = Array.from({ length: places }, (_, i) =>
    plaqueAt((i + 0.5) / places, span, i + 1, POOLS.length * perRing + i),
  );
  const pools = POOLS.map((pool, i) => well(pool, /** @type {Well} */ (WELLS[i]), perRing, i));
  root.append(...seats.map((s) => s.group), ...pools.map((p) => p.group));

  const buttons = /** @type {Map<string, {button: HTMLButtonElement, group: SVGElement}>} */ (
    new Map()
  );
  const frame = document.createElement("div");
  frame.className = "board-frame";
  frame.append(root);
  if (presses) {
    for (const [name, [x = 0, y = 0]] of Object.entries(CORNERS)) root.append(knob(name, x, y));
    for (const it of root.querySelectorAll("[data-shape]")) {
      const group = /** @type {SVGElement} */ (it);
      const name = group.dataset["shape"] ?? "";
      const button = overlay(group, span);
      presses.attach(name, button, group);
      buttons.set(name, { button, group });
    }
    // The order of the tab key: places, pools, then the two knobs.
    const order = [...seats.map((_, i) => `seat${i + 1}`), ...POOLS, "undo", "next"];
    frame.append(...order.flatMap((name) => buttons.get(name)?.button ?? []));
  } else {
    root.setAttribute("role", "img");
  }
  host.replaceChildren(frame);

  const dots = /** @type {SVGElement[]} */ ([]);
  for (const dot of root.querySelectorAll("[data-pixel]")) {
    dots[Number(dot.getAttribute("data-pixel"))] = /** @type {SVGElement} */ (dot);
  }
  const shown = /** @type {string[]} */ ([]);

  return {
    places,
    perRing,
    /** @param {readonly string[]} pixels amounts of light, or colours for a screen */
    light(pixels, screen = false) {
      pixels.forEach((colour, i) => {
        const dot = dots[i];
        if (!dot || shown[i] === colour) return;
        shown[i] = colour;
        dot.setAttribute("fill", colour);
        const { hue, part } = glow(colour, screen ? 1 : 1 / 2.2);
        for (const [near, opacity] of /** @type {const} */ ([
          [dot.previousElementSibling, part * 0.55],
          [dot.nextElementSibling, part],
        ])) {
          near?.setAttribute("fill", hue);
          near?.setAttribute("opacity", opacity.toFixed(2));
        }
      });
    },
    /** @param {BoardView} view */
    update(view) {
      const may = new Set(view.may ?? []);
      pools.forEach((p) => {
        const chips = view.pools[p.pool];
        const blocked = view.blocked.includes(p.pool);
        const claimable = view.claimable.includes(p.pool);
        p.chips.textContent = chips === undefined ? "" : String(chips);
        p.note.textContent = blocked ? "blocked" : "";
        p.group.classList.toggle("absent", chips === undefined);
        p.group.classList.toggle("blocked", blocked);
        p.group.classList.toggle("claimable", claimable);
        const marks = `${blocked ? ", blocked" : ""}${claimable ? ", can be claimed" : ""}`;
        const count =
          chips === undefined ? "not played" : chips === 1 ? "1 chip" : `${chips} chips`;
        name(p.pool, `${poolName(p.pool)}, ${count}${marks}`);
      });
      seats.forEach((s, i) => {
        const seat = view.seats.get(i + 1);
        s.title.textContent = seat ? shorten(seat.name, Math.round(span * 104)) : "";
        s.detail.textContent = seat?.detail ?? "";
        const flags = {
          taken: !!seat,
          dealer: !!seat?.dealer,
          turn: !!seat?.turn,
          chosen: !!seat?.chosen,
          dim: !!seat?.dim,
        };
        for (const [flag, on] of Object.entries(flags)) s.group.classList.toggle(flag, on);
        const who = seat ? `${seat.name}, ${seat.detail}${seat.dealer ? ", dealer" : ""}` : "empty";
        name(`seat${i + 1}`, `Place ${i + 1}, ${who}`);
      });
      name("next", "next");
      name("undo", "undo");
      if (!presses) {
        const list = pools
          .map((p) => `${poolName(p.pool)} ${view.pools[p.pool] ?? "–"}`)
          .join(", ");
        root.setAttribute("aria-label", `The board: ${list}.`);
      }
      for (const [button, it] of buttons) {
        it.button.disabled = view.enabled ? !view.enabled(button) : false;
        it.group.classList.toggle("may", may.has(button));
        it.group.style.setProperty("--hold", `${view.holdSeconds?.(button) ?? 0.8}s`);
      }
    },
  };

  /** @param {string} button @param {string} label */
  function name(button, label) {
    buttons.get(button)?.button.setAttribute("aria-label", label);
  }
}

/**
 * How a pixel looks that emits this much light. What the frame holds are amounts of light, which
 * the eye sees brighter than a screen shows numbers of that size: its hue, and how bright it seems.
 * @param {string} colour @param {number} power
 */
function glow(colour, power) {
  const light = [1, 3, 5].map((i) => parseInt(colour.slice(i, i + 2), 16));
  const most = Math.max(...light);
  if (!most) return { hue: "#000000", part: 0 };
  const seen = light.map((one) =>
    Math.round(255 * (one / most) ** power)
      .toString(16)
      .padStart(2, "0"),
  );
  return { hue: `#${seen.join("")}`, part: Math.min(1, (most / 255) ** power * 1.15) };
}

function ground() {
  const stops = (/** @type {string} */ id, /** @type {string[]} */ ...classes) =>
    draw(
      "radialGradient",
      { id, cx: "50%", cy: "42%", r: "62%" },
      ...classes.map((c, i) => draw("stop", { offset: i / (classes.length - 1), class: c })),
    );
  const grain = [472, 440, 418, 383, 366].map((r) =>
    draw("circle", { cx: MIDDLE, cy: MIDDLE, r, class: "grain" }),
  );
  return draw(
    "g",
    {},
    draw(
      "defs",
      {},
      stops("wood", "wood-a", "wood-b", "wood-c"),
      stops("felt", "felt-a", "felt-b", "felt-c"),
    ),
    draw("circle", { cx: MIDDLE, cy: MIDDLE + 6, r: 494, class: "shade" }),
    draw("circle", { cx: MIDDLE, cy: MIDDLE, r: 494, fill: "url(#wood)", class: "rim" }),
    ...grain,
    draw("circle", { cx: MIDDLE, cy: MIDDLE, r: 350, class: "bed" }),
  );
}

/** The inlaid star behind the pools. */
function star() {
  const points = Array.from({ length: 16 }, (_, i) => around(i / 16, i % 2 ? 336 : 205).join());
  return draw("polygon", { points: points.join(" "), class: "star" });
}

/** @param {number} index @param {number} x @param {number} y @param {number} r */
function pixel(index, x, y, r) {
  return [
    draw("circle", { cx: x, cy: y, r: r * 1.75, class: "halo", opacity: 0 }),
    draw("circle", { cx: x, cy: y, r, class: "pixel", fill: "#000000", "data-pixel": index }),
    draw("circle", { cx: x, cy: y, r: r * 0.8, class: "lens", opacity: 0 }),
  ];
}

/** @param {Pool} pool @param {Well} at @param {number} perRing @param {number} index */
function well(pool, { x, y, r, ring, dot }, perRing, index) {
  const chips = draw("text", { x, y: y + r * 0.34, class: "chips" });
  const note = draw("text", { x, y: y + r * 0.58, class: "note" });
  const title = draw("text", { x, y: y - r * 0.2, class: "pool-name" });
  title.textContent = poolName(pool);
  const size = Math.min(dot, (ring * 2 * Math.PI) / perRing / 2.6);
  const dots = Array.from({ length: perRing }, (_, i) =>
    pixel(index * perRing + i, ...around(i / perRing, ring, x, y), size),
  ).flat();
  const group = draw(
    "g",
    {
      id: `pool-${pool}`,
      class: "pool",
      "data-shape": pool,
      "data-x": x,
      "data-y": y,
      "data-r": r,
    },
    draw("circle", { cx: x, cy: y, r, class: "lip" }),
    draw("circle", { cx: x, cy: y, r: ring, class: "channel", "stroke-width": (r - ring) * 2 - 2 }),
    draw("circle", { cx: x, cy: y, r: ring * 2 - r + 1, fill: "url(#felt)", class: "bowl" }),
    ...dots,
    title,
    chips,
    note,
    draw("circle", { cx: x, cy: y, r: r + 2, class: "mark" }),
    draw("circle", {
      cx: x,
      cy: y,
      r: r + 2,
      class: "hold",
      pathLength: 1,
      transform: `rotate(-90 ${x} ${y})`,
    }),
  );
  return { pool, group, chips, note };
}

/** @param {number} turn @param {number} span @param {number} place @param {number} index */
function plaqueAt(turn, span, place, index) {
  const [from, to] = [turn - span / 2, turn + span / 2];
  const shape = plaque(from, to);
  const flipped = turn > 0.26 && turn < 0.74;
  const line = (
    /** @type {string} */ kind,
    /** @type {number} */ up,
    /** @type {number} */ down,
  ) => {
    const path = draw("path", {
      id: `arc-${kind}-${place}`,
      d: flipped ? arc(to, from, down) : arc(from, to, up),
      fill: "none",
    });
    const run = draw("textPath", { href: `#arc-${kind}-${place}`, startOffset: "50%" });
    return { path, run, text: draw("text", { class: kind }, run) };
  };
  const title = line("seat-name", 440, 427);
  const detail = line("seat-chips", 399, 467);
  const number = draw("text", { class: "place-number" });
  const [nx, ny] = around(from + 0.013, 376);
  number.setAttribute("x", String(nx));
  number.setAttribute("y", String(ny));
  number.textContent = String(place);
  const [dx, dy] = around(to - 0.015, 378);
  const group = draw(
    "g",
    { id: `place-${place}`, class: "place", "data-shape": `seat${place}`, "data-turn": turn },
    title.path,
    detail.path,
    draw("path", { d: shape, class: "lip" }),
    title.text,
    detail.text,
    number,
    draw(
      "g",
      { class: "button-d" },
      draw("circle", { cx: dx, cy: dy, r: 15 }),
      letter("D", dx, dy),
    ),
    ...pixel(index, ...around(turn, 374), 11),
    draw("path", { d: shape, class: "mark" }),
    draw("path", { d: shape, class: "hold", pathLength: 1 }),
  );
  return { group, title: title.run, detail: detail.run };
}

/** @param {string} text @param {number} x @param {number} y */
function letter(text, x, y) {
  const made = draw("text", { x, y: y + 8 });
  made.textContent = text;
  return made;
}

/** @param {string} name @param {number} x @param {number} y */
function knob(name, x, y) {
  const label = draw("text", { x, y: y + 11, class: "knob-name" });
  label.textContent = name;
  return draw(
    "g",
    { class: "knob", "data-shape": name, "data-x": x, "data-y": y, "data-r": CORNER_R },
    draw("circle", { cx: x, cy: y, r: CORNER_R, class: "lip" }),
    draw("circle", { cx: x, cy: y, r: CORNER_R - 12, class: "cap" }),
    label,
    draw("circle", { cx: x, cy: y, r: CORNER_R + 2, class: "mark" }),
    draw("circle", {
      cx: x,
      cy: y,
      r: CORNER_R + 2,
      class: "hold",
      pathLength: 1,
      transform: `rotate(-90 ${x} ${y})`,
    }),
  );
}

/**
 * A real button over a part of the drawing, of the same shape.
 * @param {SVGElement} group @param {number} span
 */
function overlay(group, span) {
  const button = document.createElement("button");
  button.type = "button";
  const { shape = "", x, y, r, turn } = group.dataset;
  button.dataset["button"] = shape;
  button.className = "press";
  let box = [
    Number(x) - Number(r),
    Number(y) - Number(r),
    Number(x) + Number(r),
    Number(y) + Number(r),
  ];
  if (turn !== undefined) {
    const [from, to] = [Number(turn) - span / 2, Number(turn) + span / 2];
    const steps = Array.from({ length: 9 }, (_, i) => from + (i / 8) * (to - from));
    const points = [
      ...steps.map((t) => around(t, 498)),
      ...steps.reverse().map((t) => around(t, RIM.inner)),
    ];
    const [xs, ys] = [points.map((p) => p[0]), points.map((p) => p[1])];
    box = [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
    const [left = 0, top = 0, right = 0, bottom = 0] = box;
    const cut = points.map(
      ([px, py]) =>
        `${((px - left) / (right - left)) * 100}% ${((py - top) / (bottom - top)) * 100}%`,
    );
    button.style.setProperty("clip-path", `polygon(${cut.join(",")})`);
  } else {
    button.style.setProperty("border-radius", "50%");
  }
  const [left = 0, top = 0, right = 0, bottom = 0] = box;
  const sides = { left, top, width: right - left, height: bottom - top };
  for (const [side, value] of Object.entries(sides))
    button.style.setProperty(side, `${value / 10}%`);
  return button;
}
