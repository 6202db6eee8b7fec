// @ts-check
// The bar under the thumb: what has happened, what is to be done, messages, and whose phone it is;
// and the board that can be folded away above it.

import { html, nothing, render } from "./vendor/lit-html.js";
import { byId, parse, text } from "./page.js";

/** @import { SeatRow, StateAnswer } from "../types" */

const TOAST_MS = 5_000;
const BOARD = "board"; // how this phone wants the board, in its storage

/** What this browser keeps; null if it keeps nothing. @param {string} key */
export function stored(key) {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** @param {string} key @param {string | null} value null removes it */
export function store(key, value) {
  try {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, value);
  } catch {
    // It lasts as long as the page.
  }
}

/**
 * A message that disappears by itself, and a mark on the parts of the board it is about. It takes
 * the place of what is said in the bar, so it covers no control.
 * @param {HTMLElement} box
 */
export function createToast(box) {
  let timer = 0;
  return (/** @type {string} */ message, /** @type {readonly string[]} */ buttons = []) => {
    box.textContent = message;
    box.classList.add("shown");
    clearTimeout(timer);
    timer = setTimeout(() => box.classList.remove("shown"), TOAST_MS);
    for (const button of buttons) {
      const part = document.querySelector(`[data-shape="${CSS.escape(button)}"]`);
      part?.classList.remove("refused");
      requestAnimationFrame(() => part?.classList.add("refused")); // restarts the animation
    }
  };
}

/** What has happened last. @param {StateAnswer} state */
export function showNews({ demo, last_sentence: last }) {
  // Bots comment on the game themselves.
  const said = demo ? "" : (last ?? "");
  if (byId("said").textContent !== said) byId("said").textContent = said;
}

/** The board is folded on request; on a phone beside a real board it is folded at first. */
export function createFold() {
  const table = /** @type {HTMLElement} */ (document.querySelector(".table"));
  const button = byId("fold");
  let folded = stored(BOARD) ? stored(BOARD) === "folded" : table.classList.contains("real");

  function show() {
    table.classList.toggle("folded", folded);
    table.classList.toggle("unfolded", !folded);
    button.setAttribute("aria-expanded", String(!folded));
    button.textContent = text(folded ? "board.unfold" : "board.fold");
  }
  button.addEventListener("click", () => {
    folded = !folded;
    store(BOARD, folded ? "folded" : "shown");
    show();
  });
  show();
}

/** Whether this phone takes part in a night. @param {StateAnswer} state */
const isAtTable = ({ phase, pairing }) => pairing.paired && phase !== "none" && phase !== "closed";

/** Whose phone it is: nobody's yet, the table's, or a person's, who may have another seat tonight.
 * @typedef {{ask?: boolean, table?: boolean, name?: string, night?: number | null, seat?: number}}
 *   Owner */

const OWNER = "owner";
const SOUND = "sound";
const VIBRATION_MS = [80, 60, 80];
const TONES_HZ = [660, 880];
const TONE_S = 0.16;

/** After pairing, the phone asks whose it is. */
export const askForOwner = () => stored(OWNER) ?? store(OWNER, JSON.stringify({ ask: true }));

/** What the phone's owner is called, if it belongs to somebody. */
export const ownerName = () => readOwner().name;

/** From now on the phone belongs to this person. @param {string} name */
export const nameOwner = (name) => store(OWNER, JSON.stringify({ name }));

/** @returns {Owner} */
const readOwner = () => /** @type {Owner} */ (parse(stored(OWNER) ?? "{}") ?? {});

/**
 * Whose phone this is: its seat, its stack, and a sign when it is that person's turn.
 * @param {() => void} update shows the latest state again
 */
export function createOwner(update) {
  let owner = readOwner();
  let open = false;
  let lastTask = /** @type {string | null} */ (null);
  let audio = /** @type {AudioContext | null} */ (null);

  /** @param {Owner} next */
  function keep(next) {
    owner = next;
    store(OWNER, JSON.stringify(next));
  }

  const isAsking = () => open || Boolean(owner.ask);

  /** The row of the owner's seat tonight. @param {StateAnswer} state */
  function rowOf({ night, rows, demo }) {
    const { name, seat } = owner;
    const here = rows.filter(({ place }) => place !== null);
    // A seat among computer players is the owner's only as long as it has their name.
    if (demo) return here.find((row) => row.name === name) ?? null;
    const found = here.find((row) =>
      owner.night === night && seat ? row.seat === seat : row.name === name,
    );
    // A new night, or a new name.
    if (found && (owner.night !== night || found.name !== name)) {
      keep({ name: found.name, night, seat: found.seat });
    }
    return found ?? null;
  }

  /** @param {Owner} next */
  function choose(next) {
    open = false;
    keep(next);
    update();
  }

  /** @param {StateAnswer} state */
  function show(state) {
    if (readOwner().ask && !owner.ask) owner = readOwner();
    if (state.demo && readOwner().name !== owner.name) owner = readOwner();
    const row = isAtTable(state) ? rowOf(state) : null;
    // Computer players have no phones.
    const known = isAtTable(state) && Boolean(row || !state.demo);
    const asks = known && isAsking();
    byId("me").hidden = !known;
    byId("me").setAttribute("aria-expanded", String(asks));
    render(buttonView(row), byId("me"));
    byId("who").hidden = !asks;
    render(asks ? chooserView(state, row) : nothing, byId("who"));
    showTask(row?.task ?? null, state.guidance.title);
  }

  /** @param {string | null} task of the owner @param {string} title what anybody may do */
  function showTask(task, title) {
    byId("ask").textContent = task ?? title;
    byId("bar").classList.toggle("own-turn", task !== null);
    document.title = text("title.now", { what: task ?? title });
    if (task && task !== lastTask) callOwner();
    lastTask = task;
  }

  /** @param {SeatRow | null} row */
  function buttonView(row) {
    if (row) {
      return html`<span class="quiet">${text("me.own")}</span> <span>${row.name}</span>
        <b>${row.stack}</b>`;
    }
    return html`<span>${owner.table ? text("me.table") : text("me.who")}</span>`;
  }

  /** @param {StateAnswer} state @param {SeatRow | null} own */
  function chooserView({ night, rows }, own) {
    /** @param {boolean} chosen @param {Owner} next @param {string} label */
    const pick = (chosen, next, label) =>
      html`<button
        type="button"
        class="pick"
        data-owner=${next.seat ?? "table"}
        aria-pressed=${String(chosen)}
        @click=${() => choose(next)}
      >
        ${label}
      </button>`;
    const quiet = stored(SOUND) === "off";
    return html`<h3>${text("me.who")}</h3>
      <div class="picks">
        ${rows
          .filter(({ place }) => place !== null)
          .map(({ seat, name }) => pick(seat === own?.seat, { name, night, seat }, name))}
        ${pick(Boolean(owner.table), { table: true }, text("me.table"))}
      </div>
      <button
        type="button"
        class="plain"
        id="sound"
        aria-pressed=${String(!quiet)}
        @click=${() => {
          store(SOUND, quiet ? null : "off");
          update();
        }}
      >
        ${quiet ? text("me.sound_off") : text("me.sound_on")}
      </button>`;
  }

  /** It is the owner's turn. Browsers allow neither sign before the first tap on the page. */
  function callOwner() {
    if (!navigator.userActivation?.hasBeenActive || stored(SOUND) === "off") return;
    navigator.vibrate?.(VIBRATION_MS);
    audio ??= new AudioContext();
    TONES_HZ.forEach((hz, i) => playTone(/** @type {AudioContext} */ (audio), hz, i * TONE_S));
  }

  byId("me").addEventListener("click", () => {
    open = !(open || owner.ask);
    if (owner.ask) keep({});
    update();
  });

  return {
    show,
    /** The seat of the phone's owner, if they are at the table. @param {StateAnswer} state */
    seat: (state) => rowOf(state)?.seat ?? null,
  };
}

/** @param {AudioContext} audio @param {number} hz @param {number} after seconds */
function playTone(audio, hz, after) {
  const [oscillator, volume] = [audio.createOscillator(), audio.createGain()];
  const start = audio.currentTime + after;
  oscillator.frequency.value = hz;
  volume.gain.setValueAtTime(0.2, start);
  volume.gain.exponentialRampToValueAtTime(0.001, start + TONE_S);
  oscillator.connect(volume).connect(audio.destination);
  oscillator.start(start);
  oscillator.stop(start + TONE_S);
}
