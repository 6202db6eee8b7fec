// @ts-check
// The question whose phone it is, and what follows from its answer.

import { html } from "./vendor/lit-html.js";
import { request } from "./requests.js";
import { text } from "./texts.js";

/** @import { PairingAnswer, SeatRow, StateAnswer } from "../types" */
/** Whose phone it is: nobody's yet, the table's, or a person's, who may have another seat tonight.
 * @typedef {{ask?: boolean, table?: boolean, name?: string, night?: number | null, seat?: number}}
 *   Owner */

const LONGEST_LABEL = 40; // of a paired phone

/** Says in the list of paired phones whose this one is, unless somebody has named it otherwise.
 * @param {Owner} owner */
export async function namePhone({ name }) {
  const answer = await request("GET", "/api/pairings");
  /** @type {PairingAnswer[]} */
  const pairings = answer?.status === 200 ? answer.json : [];
  const own = pairings.find((pairing) => pairing.this);
  if (!own?.device || !(own.label === own.device || own.label.endsWith(`(${own.device})`))) return;
  const phone = name === undefined ? text("me.table") : text("me.phone", { name });
  const whole = text("me.on_device", { phone, device: own.device });
  const label = whole.length > LONGEST_LABEL ? phone.slice(0, LONGEST_LABEL) : whole;
  await request("PATCH", `/api/pairings/${own.number}`, { body: { label } });
}

/** @param {StateAnswer} state @param {SeatRow | null} own @param {boolean} isTables
 * @param {(owner: Owner) => void} choose */
export function chooserView({ night, rows }, own, isTables, choose) {
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
  return html`<h3>${text("me.who")}</h3>
    <div class="picks">
      ${rows
        .filter(({ place }) => place !== null)
        .map(({ seat, name }) => pick(seat === own?.seat, { name, night, seat }, name))}
      ${pick(isTables, { table: true }, text("me.table"))}
    </div>
    <button type="button" class="plain" data-device>${text("nav.device")}</button>`;
}
