// @ts-check
// Melding: the card that is turned up after the deal, and the pools that are claimed.

import { html, nothing } from "./vendor/lit-html.js";
import { cardLanguage, rankSign, suitName, suitView } from "./suits.js";
import { text } from "./texts.js";
import { nameView } from "./views.js";

/** @import { ClaimAction, StateAnswer, TurnAction } from "../types" */
/** @import { Command } from "./requests.js" */

/**
 * What of the draft is about melding.
 * @typedef {object} MeldDraft
 * @property {number | null} seat whose claims are entered, if one is chosen
 */
/**
 * What the controls are drawn with.
 * @typedef {object} Tools
 * @property {StateAnswer} state
 * @property {MeldDraft} draft
 * @property {number | null} own the seat of the person whose phone it is
 * @property {(said: string) => void} why says why a control does nothing now
 * @property {(change: Partial<MeldDraft>) => void} edit
 * @property {(command: Command, refuse?: undefined, next?: Partial<MeldDraft>) => unknown} send
 *   `next` is chosen once it is accepted
 */

/** Nobody can claim a pool before it is known what is trumps, so the card comes first: until
 * somebody is chosen, it is asked for in place of the pools.
 * @param {Tools} tools */
export function meldControls(tools) {
  const { claim, turn } = tools.state.actions;
  // Computer players turn up their card themselves.
  const asked = turn && !tools.state.bots_settle ? turnControl(tools, turn) : nothing;
  return claim ? claimControl(tools, claim, asked) : asked;
}

/** Who claims which pool. @param {Tools} tools @param {ClaimAction} action
 * @param {unknown} [unchosen] in place of the pools until somebody is chosen */
export function claimControl(tools, action, unchosen = nothing) {
  const { state, draft, edit } = tools;
  const { title, seats } = action;
  const seat = [draft.seat, state.pending?.seat].find((one) => seats.includes(one ?? 0)) ?? null;
  return html`<h3>${title}</h3>
    ${seatButtons(
      state,
      seats,
      (one) => edit({ seat: one === draft.seat ? null : one }),
      seat === null ? [] : [seat],
    )}
    ${seat === null && unchosen !== nothing ? unchosen : poolButtons(tools, action, seat)}`;
}

/** All pools that are played for, so that none moves when another is taken.
 * @param {Tools} tools @param {ClaimAction} action @param {number | null} seat
 * @param {ClaimAction["own_labels"]} [labels] instead of the names */
export function poolButtons(tools, { claims, pools: played }, seat, labels = {}) {
  const { state, own, send, why } = tools;
  const claimable = seat === null ? [] : (claims[seat] ?? []);
  const pools = state.pool_details.filter(({ pool }) => played.includes(pool));
  /** One that the seat cannot claim is sent too: the daemon says why not. @param {string} pool */
  function claim(pool) {
    if (seat === null) return why(text("claim.seat_first"));
    // The next claim is the owner's again, or else the same seat's.
    return send({ do: "claim", seat, pool }, undefined, own === null ? { seat } : {});
  }
  return html`<div class="picks">
    ${pools.map(
      ({ pool, name, chips, note }) =>
        html`<button
          type="button"
          class="pick pool"
          data-command="claim"
          data-pool=${pool}
          ?data-dead=${!claimable.includes(pool)}
          aria-disabled=${claimable.includes(pool) ? nothing : "true"}
          @click=${() => claim(pool)}
        >
          ${labels[pool] ?? name} <small>${note || chips}</small>
        </button>`,
    )}
  </div>`;
}

/** More go over two rows. */
const MOST_IN_A_ROW = 9;

/** The cards of the deck, each a tap. @param {Tools} tools @param {TurnAction} action */
export function turnControl({ send }, { title, ranks, suits }) {
  /** @param {string} rank @param {string} suit */
  const card = (rank, suit) =>
    html`<button
      type="button"
      class="pick"
      data-command="turn"
      data-card=${rank + suit}
      aria-label="${suitName(suit)} ${rankSign(rank)}"
      @click=${() => send({ do: "turn", card: rank + suit })}
    >
      ${rankSign(rank)}${suitView(suit)}
    </button>`;
  return html`<h3>${title}</h3>
    <div class="deck ${ranks.length > MOST_IN_A_ROW ? "large" : ""}" lang=${cardLanguage()}>
      ${suits.map(
        ({ value: suit }) => html`<div>${ranks.map(({ value: rank }) => card(rank, suit))}</div>`,
      )}
    </div>`;
}

/**
 * Buttons to choose a seat.
 * @param {Pick<StateAnswer, "names">} state @param {readonly number[]} seats
 * @param {(seat: number) => void} choose @param {readonly number[]} [chosen]
 */
export const seatButtons = ({ names }, seats, choose, chosen = []) =>
  html`<div class="picks">
    ${seats.map(
      (seat) =>
        html`<button
          type="button"
          class="pick"
          data-seat=${seat}
          aria-pressed=${chosen.includes(seat) ? "true" : "false"}
          @click=${() => choose(seat)}
        >
          ${nameView(names[seat])}
        </button>`,
    )}
  </div>`;
