// @ts-check
// The controls of a replay, the sentence of its entry, and the list of its keys.

import { html, nothing } from "./vendor/lit-html.js";
import { closeDialog, openDialog } from "./dialog.js";
import { render } from "./drawing.js";
import { kindById, targetOf, valueOf } from "./elements.js";
import { KEYS_OFF, remember, stored } from "./storage.js";
import { clockTime, text } from "./texts.js";

/** @import { EntryAnswer } from "../types" */
/** @typedef {Required<EntryAnswer>} Entry with what `?pixels=1` adds */
/**
 * @typedef {object} Doing
 * @property {(entry: number) => void} go
 * @property {(by: 1 | -1) => void} goDeal
 * @property {() => void} togglePlaying
 * @property {(speed: number) => void} setSpeed
 * @property {() => void} copyAddress
 * @property {() => void} toggleFollow
 * @property {() => void} showKeys
 */
/**
 * @typedef {object} Player
 * @property {Entry} entry
 * @property {number} total
 * @property {Entry[]} deals
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
 * @param {Player} player @param {{following: () => boolean} | null} follow of the real board, if
 *   this phone may lead it
 * @param {string} said why the board follows no longer */
export function playerView(player, follow, said) {
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
    <div class="row settings">${speeds(player)} ${dealChoice(player)}</div>
    <p class="row links">
      <button type="button" class="plain" id="link" @click=${doing.copyAddress}>
        ${text(link)}
      </button>
      <button type="button" class="plain" id="keys-help" @click=${doing.showKeys}>
        ${text("board.keys")}
      </button>
      ${follow ? followButton(follow.following(), doing) : nothing}
    </p>
    <p role="status" id="follow-said" class="follow-note">${said}</p>
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
    ${SPEEDS.map(
      (one) =>
        html`<button
          type="button"
          class="soft"
          data-speed=${one}
          aria-pressed=${one === speed}
          @click=${() => doing.setSpeed(one)}
        >
          ${one === 0.5 ? "½" : one}×
        </button>`,
    )}
  </div>`;

/** @param {Player} player */
function dealChoice({ entry, deals, doing }) {
  const chosen = deals.filter(({ number }) => number <= entry.number).at(-1)?.number ?? 1;
  /** @param {number} number @param {string} name */
  const option = (number, name) =>
    html`<option value=${number} .selected=${number === chosen}>${name}</option>`;
  return html`<select
    id="deals"
    class="deal-choice"
    aria-label=${text("replay.go_to_deal")}
    @change=${(/** @type {Event} */ event) => doing.go(Number(valueOf(event)))}
  >
    ${option(1, text("replay.start"))}
    ${deals.map(({ number, state }) => option(number, text("replay.deal", { deal: state.deal })))}
  </select>`;
}

/** @param {boolean} following @param {Doing} doing */
const followButton = (following, doing) =>
  html`<button
    type="button"
    class="soft"
    id="follow"
    aria-pressed=${following}
    @click=${doing.toggleFollow}
  >
    ${text("replay.follow")}
  </button>`;

/** The dialog that lists the keys. */
export function showKeys() {
  const dialog = kindById("keys", HTMLDialogElement);
  /** @param {string[]} keys @param {string} says */
  const row = (keys, says) =>
    html`<dt>${keys.map((key) => html`<kbd>${key}</kbd> `)}</dt>
      <dd>${says}</dd>`;
  const content = html`<h2>${text("board.keys")}</h2>
    <dl class="keys">
      ${row([text("replay.space")], text("replay.key_play"))}
      ${row(["←", "→"], text("replay.key_step"))} ${row(["[", "]"], text("replay.key_deal"))}
      ${row([text("replay.home"), text("replay.end")], text("replay.key_ends"))}
      ${row(["?"], text("replay.key_help"))}
    </dl>
    <label class="check">
      <input type="checkbox" id="keys-on" .checked=${signsAct()} @change=${keepSigns} />
      ${text("replay.keys_on")}
    </label>
    <button type="button" class="soft" @click=${() => closeDialog(dialog)}>
      ${text("referee.close")}
    </button>`;
  render(content, dialog);
  openDialog(dialog);
}

/** Whether keys that write a sign act: speech that is recognised writes some by chance. */
export const signsAct = () => stored(KEYS_OFF) !== "off";

/** @param {Event} event */
const keepSigns = (event) =>
  remember(KEYS_OFF, targetOf(event, HTMLInputElement).checked ? null : "off");

/** @param {string} id @param {keyof typeof ICONS} icon @param {() => void} press */
const iconButton = (id, icon, press, disabled = false) =>
  html`<button
    type="button"
    class="soft ${id}"
    id=${id}
    aria-label=${text(`replay.${icon}`)}
    ?disabled=${disabled}
    @click=${press}
  >
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d=${ICONS[icon]}></path></svg>
  </button>`;
