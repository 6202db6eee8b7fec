// @ts-check
// The cards left in each hand. What a phone enters is on every phone at once, and the last count
// settles the deal.

import { html, nothing } from "./vendor/lit-html.js";
import { text } from "./texts.js";
import { nameView } from "./views.js";

/** @import * as Api from "../types" */

/**
 * What of the draft is about counting.
 * @typedef {object} CountDraft
 * @property {number | null} seat that is counted next, if one is chosen
 * @property {boolean} others whether an owner's phone counts somebody else's cards
 * @property {number} enteredMs when a count was last entered
 */
/**
 * What the control is drawn with.
 * @typedef {object} Tools
 * @property {Api.StateAnswer} state
 * @property {CountDraft} draft
 * @property {number | null} own the seat of the person whose phone it is
 * @property {(said: string) => void} why says why a control does nothing now
 * @property {(change: Partial<CountDraft>) => void} edit
 * @property {(seat: number, cards: number) => Promise<unknown>} enterCount
 * @property {(command: {do: string} & Record<string, unknown>, label: string) => unknown
 *   } commandButton
 */

const DOUBLE_TAP_MS = 400;

/** The seat whose cards are entered next: the first that is not counted.
 * @param {readonly Api.CardCount[]} counts @param {number} [besides] which is being entered now */
export const seatToCount = (counts, besides) =>
  counts.find(({ seat, cards }) => cards === null && seat !== besides)?.seat ?? null;

/** A person's phone asks for the owner's cards, unless it is to enter somebody else's.
 * @param {Tools} tools @param {Api.SettleAction} action */
export function countControl(tools, { label, title, counts }) {
  const { state, own, draft, edit, commandButton } = tools;
  const isComplete = counts.every(({ cards }) => cards !== null);
  const asksOwner = own !== null && !draft.others;
  const seat = asksOwner ? own : (draft.seat ?? seatToCount(counts));
  const count = counts.find((one) => one.seat === seat);
  const heading = asksOwner && count ? text("count.own", { count: count.most }) : title;
  const cards = Object.fromEntries(counts.map((one) => [one.seat, one.cards]));
  return html`<h3>${heading}</h3>
    ${asksOwner ? countedView(state, counts) : seatsView(state, counts, seat, edit)}
    ${asksOwner && !count ? nothing : padView(tools, counts, count, heading)}
    <div class="row">${isComplete ? commandButton({ do: "settle", cards }, label) : nothing}</div>`;
}

/** What is in, and who is missing. @param {Api.StateAnswer} state
 * @param {readonly Api.CardCount[]} counts */
const countedView = ({ names }, counts) =>
  html`<p class="counted">
    ${counts.map(
      ({ seat, cards }) =>
        html`<span data-counted=${seat}>${names[seat]} <b>${cards ?? "–"}</b></span>`,
    )}
  </p>`;

/** @param {Api.StateAnswer} state @param {readonly Api.CardCount[]} counts
 * @param {number | null} chosen @param {(change: Partial<CountDraft>) => void} edit */
const seatsView = ({ names }, counts, chosen, edit) =>
  html`<div class="picks">
    ${counts.map(
      ({ seat, cards }) =>
        html`<button
          type="button"
          class="pick"
          data-count=${seat}
          aria-pressed=${String(seat === chosen)}
          @click=${() => edit({ seat })}
        >
          ${nameView(names[seat])}
          <output>${cards ?? "–"}</output>
        </button>`,
    )}
  </div>`;

/** @param {Tools} tools @param {readonly Api.CardCount[]} counts
 * @param {Api.CardCount | undefined} count of the seat that is entered @param {string} heading */
function padView({ state, own, draft, why, edit, enterCount }, counts, count, heading) {
  const most = count?.most ?? -1;
  const highest = Math.max(...counts.map((one) => one.most));
  const name = count ? (state.names[count.seat] ?? "") : "";

  /** @param {number} number */
  function enter(number) {
    const now = performance.now();
    // A double tap must not count for the next seat too.
    if (!count || now - draft.enteredMs < DOUBLE_TAP_MS) return;
    if (number > most) return why(text("count.most", { name, count: most }));
    // The next seat stays chosen, whatever other phones enter. An owner's phone asks for its own.
    const next = own === null ? seatToCount(counts, count.seat) : null;
    edit({ seat: next, others: false, enteredMs: now });
    void enterCount(count.seat, number);
  }

  return html`<div
    class="pad"
    role="group"
    aria-label=${count ? text("count.pad", { name }) : heading}
  >
    ${Array.from(
      { length: highest + 1 },
      (_, number) =>
        html`<button
          type="button"
          class="soft"
          data-number=${number}
          aria-pressed=${String(number === count?.cards)}
          ?data-dead=${number > most}
          aria-disabled=${number > most ? "true" : nothing}
          @click=${() => enter(number)}
        >
          ${number}
        </button>`,
    )}
  </div>`;
}
