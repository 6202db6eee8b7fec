// @ts-check
// Pairing: how a phone that only watches is paired, and the list of paired phones.

import { html, nothing, render } from "./vendor/lit-html.js";
import { askForOwner } from "./bar.js";
import { closeDialog, openDialog } from "./dialog.js";
import { byId, reason, request, text } from "./page.js";

/** @import { PairingAnswer, StateAnswer } from "../types" */

const LONGEST_COUNTDOWN_S = 90;

/**
 * How a phone that only watches is paired.
 * @param {HTMLElement} host @param {(message: string) => void} toast
 * @param {() => void} reconnect
 */
export function createPairing(host, toast, reconnect) {
  let countdown = 0;

  async function pair() {
    const field = /** @type {HTMLInputElement} */ (byId("code"));
    const code = field.value.replace(/\D/g, "");
    const answer = await request("POST", "/api/pair", { body: { code } });
    if (answer?.status === 200) {
      askForOwner();
      reconnect(); // with the cookie just received
      return;
    }
    toast(reason(answer));
    field.value = "";
    field.focus();
  }

  /** @param {StateAnswer} state */
  function show(state) {
    const { paired, open, until_ms: until, digits, how, code } = state.pairing;
    clearTimeout(countdown);
    host.hidden = paired && !code;
    if (paired) {
      render(code ? html`<p id="shown">${text("pairing.shown", { code })}</p>` : nothing, host);
      return;
    }
    if (open) countdown = setTimeout(show, 1_000, state);
    const seconds = Math.ceil(((until ?? 0) - Date.now()) / 1_000);
    // The clock of a phone may be wrong by any amount.
    const counting = open && seconds > 0 && seconds <= LONGEST_COUNTDOWN_S;
    render(
      html`<h2 class="quiet">${text("pairing.title")}</h2>
        <p>${how}</p>
        <label>
          ${text("pairing.code")}
          <input
            id="code"
            inputmode="numeric"
            autocomplete="off"
            size=${digits}
            maxlength=${2 * digits}
            ?disabled=${!open}
            @keydown=${(/** @type {KeyboardEvent} */ event) => event.key === "Enter" && pair()}
          />
        </label>
        <button type="button" id="pair" class="main" ?disabled=${!open} @click=${pair}>
          ${counting ? text("pairing.pair_left", { seconds }) : text("pairing.pair")}
        </button>`,
      host,
    );
  }

  return { show };
}

/**
 * Opens the list, or shows it again.
 * @param {HTMLDialogElement} drawer @param {StateAnswer} state
 * @param {(message: string) => void} toast
 */
export async function openPhones(drawer, state, toast) {
  const answer = await request("GET", "/api/pairings");
  if (answer?.status !== 200) return toast(reason(answer));
  /** @param {PairingAnswer} pairing */
  async function revoke(pairing) {
    await request("DELETE", `/api/pairings/${pairing.number}`);
    if (pairing.this) location.reload();
    else await openPhones(drawer, state, toast);
  }
  const pairings = /** @type {PairingAnswer[]} */ (answer.json);
  const list = html`<ul class="phones">
    ${pairings.map((pairing) => pairingView(pairing, () => revoke(pairing)))}
  </ul>`;
  render(
    html`<h2>${text("phones.title")}</h2>
      <p>${text("phones.about", { seconds: state.holds.pairing })}</p>
      ${pairings.length ? list : html`<p>${text("phones.none")}</p>`}
      <button type="button" class="main" @click=${() => closeDialog(drawer)}>
        ${text("phones.done")}
      </button>`,
    drawer,
  );
  openDialog(drawer);
}

/** @param {PairingAnswer} pairing @param {() => void} revoke */
function pairingView({ number, label, paired_ms: paired, used_ms: used, this: own }, revoke) {
  const flag = html` <em class="flag">${text("phones.this")}</em>`;
  return html`<li data-pairing=${number}>
    <span>
      ${label}${own ? flag : nothing}
      <small>${text("phones.used", { paired: day(paired), used: day(used) })}</small>
    </span>
    <button type="button" class="soft" @click=${revoke}>${text("phones.revoke")}</button>
  </li>`;
}

/** @param {number} ms */
const day = (ms) =>
  new Date(ms).toLocaleDateString(document.documentElement.lang, { day: "numeric", month: "long" });
