// @ts-check
// The controls of a replay, its timeline, and the sentence of its entry.

import { html, nothing, svg } from "./vendor/lit-html.js";
import { valueOf } from "./elements.js";
import { clockTime, ptext, text } from "./texts.js";
import { pushButton } from "./views.js";

/** @import { EntryAnswer } from "../types" */
/** @typedef {Required<EntryAnswer>} Entry with what `?table=1` adds */
/** @typedef {NonNullable<Entry["mark"]>} MarkKind */
/**
 * @typedef {object} Player
 * @property {Entry[]} entries
 * @property {Entry} entry that is shown
 * @property {number} width of the timeline; 0 before it is laid out
 * @property {boolean} playing
 * @property {number} speed
 * @property {{go: (entry: number) => void, goDeal: (by: 1 | -1) => void,
 *   togglePlaying: () => void, setSpeed: (speed: number) => void}} doing
 */

const HEIGHT = 26;
const THUMB = 20; // as in replay.css
const NUMBER_WIDTH = 20;
/** What the kinds mean, in the order of the legend. @type {Record<MarkKind, string>} */
const KINDS = {
  deal: ptext("timeline", "deal"),
  claim: ptext("timeline", "pool won by cards"),
  showdown: ptext("timeline", "showdown"),
  undo: ptext("timeline", "taken back or restored"),
};
const SPEEDS = [0.5, 1, 2, 4];
const ICONS = {
  first: "M5 5h3v14H5zM19 5v14l-10-7z",
  previous_deal: "M12 5v14L3 12zM21 5v14l-9-7z",
  previous: "M17 5v14L7 12z",
  play: "M6 3v18l14-9z",
  stop: "M7 5h4v14H7zM13 5h4v14h-4z",
  next: "M7 5v14l10-7z",
  next_deal: "M12 5v14l9-7zM3 5v14l9-7z",
  last: "M16 5h3v14h-3zM5 5v14l10-7z",
};

/** The controls come first, so that a longer sentence does not move them.
 * @param {Player} player */
export function playerView(player) {
  const { entries, entry, width, doing } = player;
  const { number, sentence } = entry;
  const total = entries.length;
  const at = { number, total, time: clockTime(entry.time_ms, true) };
  return html`<div id="timeline" class="timeline">
      ${width ? timelineView(entries, width) : nothing}
    </div>
    <input
      id="scrubber"
      class="scrubber"
      type="range"
      min="1"
      max=${total}
      .value=${String(number)}
      aria-label=${text("Entry")}
      aria-valuetext=${text("Entry {number} of {total}, {time}: {sentence}", { ...at, sentence })}
      @input=${(/** @type {Event} */ event) => doing.go(Number(valueOf(event)))}
    />
    <div class="transport">${transport(player)}</div>
    <p id="replay-sentence" class="replay-sentence" aria-live="polite">${sentence}</p>
    <p id="replay-entry" class="replay-entry" data-entry=${number}>
      ${text("Entry {number} of {total} · {time}", at)}
    </p>
    <ul class="paid" aria-label=${text("Who paid whom")}>
      ${entry.moves_text.map((paid) => html`<li>${paid}</li>`)}
    </ul>
    <div class="row settings">${speeds(player)}</div>
    <div id="legend" class="legend">${legendView(entries)}</div>`;
}

/** @param {Player} player */
function transport({ entry: { number }, entries: { length: total }, playing, doing }) {
  const { go, goDeal, togglePlaying } = doing;
  const [atFirst, atLast] = [number === 1, number === total];
  return [
    iconButton("first", "first", text("First entry"), () => go(1), atFirst),
    iconButton("prev-deal", "previous_deal", text("Previous deal"), () => goDeal(-1), atFirst),
    iconButton("prev", "previous", text("Previous entry"), () => go(number - 1), atFirst),
    iconButton("play", playing ? "stop" : "play", text(playing ? "Stop" : "Play"), togglePlaying),
    iconButton("next", "next", text("Next entry"), () => go(number + 1), atLast),
    iconButton("next-deal", "next_deal", text("Next deal"), () => goDeal(1), atLast),
    iconButton("last", "last", text("Last entry"), () => go(total), atLast),
  ];
}

/** @param {Player} player */
const speeds = ({ speed, doing }) =>
  html`<div class="speeds" role="group" aria-label=${text("Speed")}>
    ${SPEEDS.map((one) =>
      pushButton(html`${one === 0.5 ? "½" : one}×`, () => doing.setSpeed(one), {
        "data-speed": one,
        "aria-pressed": one === speed,
      }),
    )}
  </div>`;

/** @param {string} id @param {keyof typeof ICONS} icon @param {string} label
 * @param {() => void} press */
const iconButton = (id, icon, label, press, disabled = false) =>
  pushButton(
    html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d=${ICONS[icon]}></path>
    </svg>`,
    press,
    { class: `soft ${id}`, id, "aria-label": label, disabled },
  );

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

/** @param {readonly Entry[]} entries @param {number} width */
function timelineView(entries, width) {
  const x = markScale(width, entries.length);
  const marked = entries.filter(({ mark }) => mark);
  // Deals last, so that their lines are on top.
  const ordered = [...marked].sort((a, b) => Number(a.mark === "deal") - Number(b.mark === "deal"));
  let free = -Infinity;
  const numbers = marked.flatMap(({ number, mark, deal }) => {
    const at = x(number);
    if (mark !== "deal" || at < free || at > width - THUMB / 2) return [];
    free = at + NUMBER_WIDTH;
    return [svg`<text x=${at} y=${HEIGHT - 1}>${deal}</text>`];
  });
  return html`<svg class="timeline" viewBox="0 0 ${width} ${HEIGHT}" aria-hidden="true">
    ${ordered.map(({ number, mark }) => shape(/** @type {MarkKind} */ (mark), x(number)))}
    ${numbers}
  </svg>`;
}

/** The legend of the marks that this night has. @param {readonly Entry[]} entries */
function legendView(entries) {
  const found = Object.entries(KINDS).filter(([kind]) => entries.some(({ mark }) => mark === kind));
  if (!found.length) return nothing;
  return html`<ul class="marks">
    ${found.map(
      ([kind, label]) => html`<li>${markView(/** @type {MarkKind} */ (kind))} ${label}</li>`,
    )}
  </ul>`;
}

/** @param {MarkKind} kind */
export const markView = (kind) =>
  html`<svg class="mark-icon" viewBox="0 0 16 16" aria-hidden="true">${shape(kind, 8)}</svg>`;
