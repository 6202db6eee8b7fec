// @ts-check
// The card that is turned up after the deal: its suit is trumps.

import { html, nothing } from "./vendor/lit-html.js";
import { cardLanguage, suitName, suitView } from "./suits.js";
import { text } from "./texts.js";

/** @import { TurnAction } from "../types" */
/** @import { Tools } from "./controls.js" */

/** The cards of the deck, each a tap, and a way past them.
 * @param {Tools} tools @param {TurnAction} action */
export function turnControl({ own, edit, send, error }, { title, ranks, suits }) {
  const later = html`<button
    type="button"
    class="soft"
    data-turn="later"
    @click=${() => edit({ asksCard: false })}
  >
    ${text("turn.later")}
  </button>`;
  /** @param {string} rank @param {string} suit @param {string} label */
  const card = (rank, suit, label) =>
    html`<button
      type="button"
      class="pick"
      data-command="turn"
      data-card=${rank + suit}
      aria-label="${suitName(suit)}: ${label}"
      @click=${() => send({ do: "turn", card: rank + suit })}
    >
      ${short(rank, label)}${suitView(suit)}
    </button>`;
  return html`<h3>${title}</h3>
    <div class="deck ${ranks.length > MOST_IN_A_ROW ? "large" : ""}" lang=${cardLanguage()}>
      ${suits.map(({ value: suit }) =>
        ranks.map(({ value: rank, label }) => card(rank, suit, label)),
      )}
    </div>
    ${own === null ? nothing : later}${error("turn")}`;
}

/** Opens the cards where they are not asked for. @param {Tools} tools */
export const turnButton = ({ edit }) =>
  html`<button
    type="button"
    class="soft"
    data-turn="enter"
    @click=${() => edit({ asksCard: true })}
  >
    ${text("turn.enter")}
  </button>`;

/** More go over two rows. */
const MOST_IN_A_ROW = 9;

/** A court card by its initial, a number by itself. @param {string} rank @param {string} label */
const short = (rank, label) => (/^\d/.test(label) ? label : rank === "T" ? "10" : label.slice(0, 1));

/** The trump suit of the deal, for the head of every screen. @param {string | null} suit */
export const trumpView = (suit) =>
  suit
    ? html`<span class="trump" data-trump=${suit}
        >${text("trump")} ${suitView(suit)}
        <span class="suit-name" lang=${cardLanguage()}>${suitName(suit)}</span></span
      >`
    : nothing;
