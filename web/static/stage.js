// @ts-check
// What happens on a screen: chips that fly; on the large one, to be seen from the sofa, also knocks
// that pulse, and who has won the betting.

import { html, nothing, render } from "./vendor/lit-html.js";
import { byId } from "./elements.js";
import { isCalm } from "./ending.js";

/** @import { AwardRow, LastEntry, StateAnswer } from "../types" */
/** @typedef {readonly [source: string, target: string, chips: number]} Flight */
/** @typedef {Pick<AwardRow, "title" | "sentence">} Line what is said large */

const FLIGHT_MS = 1_100;
const APART_MS = 70; // between chips that fly at once
const PULSE_MS = 500;
const COUNT_MS = 300;
/** How long it is said large who has done what.
 * @type {Partial<Record<NonNullable<LastEntry["sound"]>, number>>} */
const LARGE_MS = { knock: 2_500, win: 5_000, out: 4_000 };
const MARKED_MS = 2_500;

/** Plays the moment of each entry that is recorded while the screen watches. */
export function createStage() {
  /** @type {StateAnswer | null} */
  let last = null;
  let [spotTimer, markTimer] = [0, 0];

  function clear() {
    clearTimeout(spotTimer);
    clearTimeout(markTimer);
    spotlight();
    mark([]);
    byId("flights").replaceChildren();
  }

  /** @param {StateAnswer} state */
  function show(state) {
    const before = last;
    last = state;
    if (!before || (before.night === state.night && before.entry === state.entry)) return;
    clear();
    const { last: moment } = state;
    if (!moment?.sound || before.night !== state.night || state.entry !== before.entry + 1) return;
    const { sound } = moment;
    const largeMs = LARGE_MS[sound];
    if (largeMs) {
      spotlight("deed", [{ title: moment.names, sentence: moment.sentence }]);
      spotTimer = setTimeout(spotlight, largeMs);
    }
    mark(moment.seats);
    markTimer = setTimeout(() => mark([]), MARKED_MS);
    if (isCalm()) return;
    flyChips(moment.flights, FLIGHT_MS);
    if (sound === "knock") moment.flights.forEach(([, target]) => knock(target));
  }

  /** Shows the awards of a night instead, for as long as it is over.
   * @param {readonly Line[]} awards */
  function crown(awards) {
    clear();
    spotlight("award", awards);
  }

  return { show, crown };
}

/** Says something large. @param {string} kind @param {readonly Line[]} lines */
function spotlight(kind = "", lines = []) {
  const line = (/** @type {Line} */ { title, sentence }) =>
    html`<p class=${kind}><b>${title}</b><span>${sentence}</span></p>`;
  render(lines.length ? html`<div>${lines.map(line)}</div>` : nothing, byId("spotlight"));
}

/** Marks the plates of seats. @param {readonly number[]} seats */
function mark(seats) {
  for (const row of document.querySelectorAll(".plate")) {
    row.classList.toggle("spot", seats.includes(Number(row.id.slice("seat-".length))));
  }
}

/** What shows an account: the plate of a seat, a bowl; else the edge of the table, as for the bank.
 * @param {string} account */
function partOf(account) {
  const [kind, which] = account.split(":");
  const row = kind === "seat" && document.querySelector(`#seat-${which} .stack`);
  const pool = kind === "pool" && document.querySelector(`[data-bowl="${which}"]`);
  return row || pool || document.querySelector(".bowls");
}

/** @param {string} account */
function middleOf(account) {
  const part = partOf(account);
  const frame = part?.getBoundingClientRect() ?? new DOMRect();
  const low = part?.matches(".bowls") ? 0.97 : 0.5;
  return { x: frame.left + frame.width * (1 - low), y: frame.top + frame.height * low };
}

/** Chips on their way, and numbers that count. @param {readonly Flight[]} flights
 * @param {number} ms that each takes */
export function flyChips(flights, ms) {
  byId("flights").replaceChildren();
  flights.forEach((flight, i) => fly(flight, i, ms));
  /** @type {Map<string, number>} */
  const changes = new Map();
  for (const [source, target, chips] of flights) {
    changes.set(source, (changes.get(source) ?? 0) - chips);
    changes.set(target, (changes.get(target) ?? 0) + chips);
  }
  const chip = byId("flights").lastElementChild; // it leaves when something newer happens
  for (const [account, change] of changes)
    requestAnimationFrame(() => chip?.isConnected && count(account, change));
}

/** The number of an account counts to what it is now, unless it changes meanwhile.
 * @param {string} account @param {number} change */
function count(account, change) {
  const part = partOf(account);
  const host = part?.matches("[data-bowl]") ? part.querySelector("b") : part;
  const node = [...(host?.childNodes ?? [])].find(
    ({ nodeType, nodeValue }) => nodeType === Node.TEXT_NODE && nodeValue?.trim(),
  );
  if (!node || host?.matches(".bowls")) return;
  const last = Number(node.nodeValue);
  const began = performance.now();
  let written = node.nodeValue;
  const step = () => {
    const share = Math.min(1, (performance.now() - began) / COUNT_MS);
    if (node.nodeValue !== written) return;
    written = node.nodeValue = String(Math.round(last - change * (1 - share)));
    if (share < 1) requestAnimationFrame(step);
  };
  step();
}

/** @param {Flight} flight @param {number} index @param {number} ms */
function fly([source, target, chips], index, ms) {
  const chip = document.createElement("span");
  chip.className = "chip";
  chip.textContent = String(chips);
  byId("flights").append(chip);
  const [from, to] = [source, target].map((account) => {
    const { x, y } = middleOf(account);
    return `translate(${x}px, ${y}px) translate(-50%, -50%)`;
  });
  const steps = [
    { transform: `${from} scale(0.6)`, opacity: 0 },
    { transform: `${from} scale(1.2)`, opacity: 1, offset: 0.2 },
    { transform: `${to} scale(1)`, opacity: 1, offset: 0.9 },
    { transform: `${to} scale(0.6)`, opacity: 0 },
  ];
  // Before its time it looks as in its first step, not as without any.
  const timing = /** @type {const} */ ({
    duration: ms,
    delay: APART_MS * index,
    easing: "ease-in-out",
    fill: "backwards",
  });
  chip.animate(steps, timing).onfinish = () => chip.remove();
}

/** Two rings that spread from a pool, like a knock on the table. @param {string} account */
function knock(account) {
  const { x, y } = middleOf(account);
  for (const index of [0, 1]) {
    const ring = document.createElement("span");
    ring.className = "knock";
    byId("flights").append(ring);
    const at = `translate(${x}px, ${y}px) translate(-50%, -50%)`;
    ring.animate(
      [
        { transform: `${at} scale(0.4)`, opacity: 0.9 },
        { transform: `${at} scale(1.6)`, opacity: 0 },
      ],
      { duration: PULSE_MS, delay: index * PULSE_MS, easing: "ease-out", fill: "backwards" },
    ).onfinish = () => ring.remove();
  }
}
