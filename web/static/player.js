// @ts-check
// The controls of a replay, and the sentence of its entry.

import { html } from "./vendor/lit-html.js";
import { valueOf } from "./elements.js";
import { clockTime, text } from "./texts.js";
import { pushButton } from "./views.js";

/** @import { EntryAnswer } from "../types" */
/** @typedef {Required<EntryAnswer>} Entry with what `?table=1` adds */
/**
 * @typedef {object} Doing
 * @property {(entry: number) => void} go
 * @property {(by: 1 | -1) => void} goDeal
 * @property {() => void} togglePlaying
 * @property {(speed: number) => void} setSpeed
 * @property {() => void} copyAddress
 */
/**
 * @typedef {object} Player
 * @property {Entry} entry
 * @property {number} total
 * @property {boolean} playing
 * @property {number} speed
 * @property {string} link what the button says that copies the address
 * @property {Doing} doing
 */

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
  const { entry, total, link, doing } = player;
  const { number, sentence } = entry;
  const at = { number, total, time: clockTime(entry.time_ms, true) };
  return html`<div id="timeline" class="timeline"></div>
    <input
      id="scrubber"
      class="scrubber"
      type="range"
      min="1"
      max=${total}
      .value=${String(number)}
      aria-label=${text("replay.title")}
      aria-valuetext=${text("replay.entry_says", { ...at, sentence })}
      @input=${(/** @type {Event} */ event) => doing.go(Number(valueOf(event)))}
    />
    <div class="transport">${transport(player)}</div>
    <p id="replay-sentence" class="replay-sentence" aria-live="polite">${sentence}</p>
    <p id="replay-entry" class="replay-entry" data-entry=${number}>${text("replay.entry", at)}</p>
    <ul class="paid" aria-label=${text("replay.moves")}>
      ${entry.moves_text.map((paid) => html`<li>${paid}</li>`)}
    </ul>
    <div class="row settings">${speeds(player)}</div>
    <p class="row links">
      ${pushButton(text(link), doing.copyAddress, { class: "plain", id: "link" })}
    </p>
    <input id="address" readonly hidden aria-label=${text("replay.link")} />
    <div id="legend" class="legend"></div>`;
}

/** @param {Player} player */
function transport({ entry: { number }, total, playing, doing }) {
  const { go, goDeal, togglePlaying } = doing;
  const [atFirst, atLast] = [number === 1, number === total];
  return [
    iconButton("first", "first", () => go(1), atFirst),
    iconButton("prev-deal", "previous_deal", () => goDeal(-1), atFirst),
    iconButton("prev", "previous", () => go(number - 1), atFirst),
    iconButton("play", playing ? "stop" : "play", togglePlaying),
    iconButton("next", "next", () => go(number + 1), atLast),
    iconButton("next-deal", "next_deal", () => goDeal(1), atLast),
    iconButton("last", "last", () => go(total), atLast),
  ];
}

/** @param {Player} player */
const speeds = ({ speed, doing }) =>
  html`<div class="speeds" role="group" aria-label=${text("replay.speed")}>
    ${SPEEDS.map((one) =>
      pushButton(html`${one === 0.5 ? "½" : one}×`, () => doing.setSpeed(one), {
        "data-speed": one,
        "aria-pressed": one === speed,
      }),
    )}
  </div>`;

/** @param {string} id @param {keyof typeof ICONS} icon @param {() => void} press */
const iconButton = (id, icon, press, disabled = false) =>
  pushButton(
    html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d=${ICONS[icon]}></path>
    </svg>`,
    press,
    { class: `soft ${id}`, id, "aria-label": text(`replay.${icon}`), disabled },
  );
