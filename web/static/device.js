// @ts-check
// The settings of this phone: sounds, speech, and whether its screen stays on. Also the brightness
// and volume of the board.

import { html, nothing, render } from "./vendor/lit-html.js";
import { closeDialog, openDialog } from "./dialog.js";
import { findAll } from "./elements.js";
import { reason, request } from "./requests.js";
import { findVoice, HEARD } from "./sounds.js";
import { AWAKE, remember, stored } from "./storage.js";
import { languageName, OWN_ZONE, text, wordOf } from "./texts.js";
import { pushButton } from "./views.js";

/** @import { SettingsBody, StateAnswer } from "../types" */

/**
 * Opens the dialog, and returns what follows the table while it is open.
 * @param {HTMLDialogElement} drawer @param {StateAnswer} opened the state at that moment
 * @param {(message: string) => void} toast
 * @param {() => void} onChange
 * @returns {(state: StateAnswer) => void}
 */
export function openDevice(drawer, opened, toast, onChange) {
  let state = opened;

  function changed() {
    onChange();
    show();
  }

  /** @param {SettingsBody} body */
  async function change(body) {
    const answer = await request("PUT", "/api/board/settings", { body });
    if (answer?.status !== 204) toast(reason(answer));
    showAgain();
  }

  /** Unless the dialog has been closed meanwhile, or is another one's. */
  function showAgain() {
    if (drawer.open && drawer.querySelector("[name=awake]")) show();
  }

  function show() {
    render(
      html`<h2 id="drawer-title">${text("Sound, screen, light")}</h2>
        ${choices().map((one) => choiceView(one, changed))}
        ${state.pairing.paired ? boardView(state, change) : nothing}
        ${pushButton(text("Done"), () => closeDialog(drawer), { class: "main" })}`,
      drawer,
    );
    // Show what applies, even if the browser shows a choice that was refused.
    for (const input of findAll("[data-on]", HTMLInputElement, drawer)) {
      input.checked = input.dataset["on"] === "true";
    }
  }

  // Some browsers find their voices only after they have been asked for them.
  if ("speechSynthesis" in window) {
    speechSynthesis.onvoiceschanged = showAgain;
  }
  show();
  openDialog(drawer);
  return (next) => {
    state = next;
    showAgain();
  };
}

/**
 * Something that this phone does or not.
 * @typedef {object} Choice
 * @property {string} key in the browser's storage
 * @property {boolean} on
 * @property {string} label
 * @property {string} kept what is stored if it is switched to what it is not by itself
 * @property {string} [problem] why it is not possible
 */

/** @returns {Choice[]} */
const choices = () => [
  {
    key: "sound",
    on: HEARD.turn(),
    label: text("Sound and vibration when it is your turn"),
    kept: "off",
  },
  {
    key: "table-sounds",
    on: HEARD.table(),
    label: text("Sounds of the table: knocks, chips, refusals"),
    kept: "on",
  },
  {
    key: "announce",
    on: HEARD.speech(),
    label: text("Read aloud what happens and whose turn it is"),
    kept: "on",
    problem: speechProblem(),
  },
  {
    key: AWAKE,
    on: stored(AWAKE) !== "off",
    label: text("Keep the screen on during a night"),
    kept: "off",
    problem: awakeProblem(),
  },
];

/** @param {Choice} choice @param {() => void} changed */
function choiceView({ key, on, label, kept, problem = "" }, changed) {
  function change() {
    remember(key, stored(key) === kept ? null : kept);
    changed();
  }
  return html`<label class="check">
      <input
        type="checkbox"
        name=${key}
        .checked=${on && !problem}
        ?disabled=${Boolean(problem)}
        @change=${change}
      />
      ${label}
    </label>
    ${problem ? html`<p class="quiet-note">${problem}</p>` : nothing}`;
}

/** What people choose for the board.
 * @param {StateAnswer} state @param {(body: SettingsBody) => void} change */
function boardView({ board, holds }, change) {
  const { brightness, night, volume, has_sound: hasSound } = board;
  /** @param {"radio" | "checkbox"} kind @param {string} label @param {string} name
   * @param {boolean} on @param {SettingsBody} body what it asks for */
  const setting = (kind, label, name, on, body) =>
    html`<label class="check">
      <input type=${kind} name=${name} data-on=${on} @change=${() => change(body)} />
      ${label}
    </label>`;
  const lightSteps = board.brightness_steps.map((step) => {
    const label = wordOf(`brightness.${step}`);
    return setting("radio", label, "brightness", brightness === step, { brightness: step });
  });
  const soundSteps = board.volume_steps.map((step) => {
    const label = wordOf(`volume.${step}`);
    return setting("radio", label, "volume", volume === step, { volume: step });
  });
  const languages = board.languages.map((name) => {
    const on = board.language === name;
    return setting("radio", languageName(name), "language", on, { language: name });
  });
  const places = board.places_steps.map((count) => {
    const on = board.next_places === count;
    return setting("radio", String(count), "places", on, { places: count });
  });
  const zones = [...new Set([board.zone, OWN_ZONE])].filter(Boolean).map((zone) => {
    return setting("radio", zone, "zone", board.zone === zone, { zone });
  });
  const soon = html`<p class="quiet-note at-board">
    ${text("A new number of places takes effect at the next start.")}
  </p>`;
  const seconds = holds.pairing;
  const atBoard = hasSound
    ? text(
        "At the board: hold “next” for {seconds} s and keep holding it. Press “undo” for the next step of the brightness, or hold it for the next step of the volume.",
        { seconds },
      )
    : text(
        "At the board: hold “next” for {seconds} s and keep holding it. Each press of “undo” is the next step.",
        { seconds },
      );
  return html`<h3 class="light">${text("The board")}</h3>
    ${stepsView(text("Brightness"), lightSteps)}
    ${setting("checkbox", text("Night mode: half as bright"), "night", night, { night: !night })}
    ${hasSound ? stepsView(text("Volume"), soundSteps) : nothing}
    ${stepsView(text("Language of the display"), languages)} ${stepsView(text("Time zone"), zones)}
    ${places.length > 0 ? [stepsView(text("Places round the rim"), places), soon] : nothing}
    <p class="quiet-note at-board">${atBoard}</p>`;
}

/** @param {string} legend @param {unknown[]} steps */
const stepsView = (legend, steps) =>
  html`<fieldset class="steps">
    <legend>${legend}</legend>
    ${steps}
  </fieldset>`;

/** Why nothing can be read aloud; empty if it can. */
function speechProblem() {
  if (!("speechSynthesis" in window)) return text("This browser cannot read aloud.");
  return findVoice() ? "" : text("This device has no voice for the language of this page.");
}

/** Why the screen cannot be kept on; empty if it can. */
function awakeProblem() {
  if ("wakeLock" in navigator) return "";
  return text(
    isSecureContext
      ? "This browser cannot keep the screen on."
      : "Browsers allow this only over HTTPS, which this page does not use. Let the phone’s own settings keep the screen on for longer.",
  );
}
