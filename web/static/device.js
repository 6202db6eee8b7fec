// @ts-check
// What this phone does by itself: sounds, speech, and whether its screen stays on.

import { html, nothing, render } from "./vendor/lit-html.js";
import { AWAKE, store } from "./bar.js";
import { closeDialog, openDialog } from "./dialog.js";
import { KEYS_OFF, stored, text } from "./page.js";
import { findVoice, HEARD } from "./sounds.js";

/**
 * @param {HTMLDialogElement} drawer @param {boolean} simulated whether the board is
 * @param {() => void} onChange
 */
export function openDevice(drawer, simulated, onChange) {
  /** @param {string} key @param {boolean} on @param {string} label @param {string | null} kept
   * what is stored if it is switched to the state that it does not have by itself
   * @param {string} [problem] why it is not possible */
  const choice = (key, on, label, kept, problem = "") =>
    html`<label class="check">
        <input
          type="checkbox"
          name=${key}
          .checked=${on && !problem}
          ?disabled=${Boolean(problem)}
          @change=${() => {
            store(key, stored(key) === kept ? null : kept);
            onChange();
            show();
          }}
        />
        ${label}
      </label>
      ${problem ? html`<p class="quiet-note">${problem}</p>` : nothing}`;

  function show() {
    render(
      html`<h2 id="drawer-title">${text("nav.device")}</h2>
        ${choice("sound", HEARD.turn(), text("device.turn"), "off")}
        ${choice("table-sounds", HEARD.table(), text("device.table"), "on")}
        ${choice("announce", HEARD.speech(), text("device.announce"), "on", speechProblem())}
        ${choice(AWAKE, stored(AWAKE) !== "off", text("device.awake"), "off", awakeProblem())}
        ${
          simulated
            ? choice(KEYS_OFF, stored(KEYS_OFF) !== "off", text("device.keys"), "off")
            : nothing
        }
        <button type="button" class="main" @click=${() => closeDialog(drawer)}>
          ${text("device.done")}
        </button>`,
      drawer,
    );
  }

  // Some browsers find their voices only after they have been asked for them.
  if ("speechSynthesis" in window) {
    speechSynthesis.onvoiceschanged = () => {
      if (drawer.open && drawer.querySelector("[name=announce]")) show();
    };
  }
  show();
  openDialog(drawer);
}

/** Why nothing can be read aloud; empty if it can. */
function speechProblem() {
  if (!("speechSynthesis" in window)) return text("device.no_speech");
  return findVoice() ? "" : text("device.no_voice");
}

/** Why the screen cannot be kept on; empty if it can. */
function awakeProblem() {
  if ("wakeLock" in navigator) return "";
  return text(isSecureContext ? "device.awake_unknown" : "device.awake_insecure");
}
