// @ts-check
// Melding: the card that is turned up after the deal, and the pools that are claimed.

import { html, nothing } from "./vendor/lit-html.js";
import { cardLanguage, rankSign, suitName, suitView } from "./suits.js";
import { text } from "./texts.js";
import { seatButtons } from "./views.js";

/** @import { ClaimAction, StateAnswer, TurnAction } from "../types" */
/** @import { Command } from "./requests.js" */

/**
 * What of the draft is about melding.
 * @typedef {object} MeldDraft
 * @property {number | null} seat whose claims are entered, if one is chosen
 * @property {boolean | null} asksCard whether to show the cards that may have been turned up, if
 *   somebody has said
 */
/**
 * What the controls are drawn with.
 * @typedef {object} Tools
 * @property {StateAnswer} state
 * @property {MeldDraft} draft
 * @property {number | null} own the seat of the person whose phone it is
 * @property {(said: string) => void} why says why a control does nothing now
 * @property {(change: Partial<MeldDraft>) => void} edit
 * @property {(command: Command) => Promise<boolean>} send whether it was accepted
 */

/** Nobody can claim a pool before it is known what is trumps, so the card comes first.
 * @param {Tools} tools */
export function meldControls(tools) {
  const { claim, turn } = tools.state.actions;
  // Computer players turn up their card themselves.
  if (!turn || tools.state.bots_settle) return claim ? claimControl(tools, claim) : nothing;
  const asked = isAsked(tools);
  if (!claim || (asked && tools.own !== null)) return turnControl(tools, turn);
  return asked ? claimControl(tools, claim, turn) : [claimControl(tools, claim), turnButton(tools)];
}

/** Whether this phone asks for the card. The dealer turns it up. @param {Tools} tools */
const isAsked = ({ state, draft, own }) => draft.asksCard ?? (own === null || own === state.dealer);

/** Who claims which pool. Until somebody is chosen, the card is asked for in place of the pools.
 * @param {Tools} tools @param {ClaimAction} action @param {TurnAction} [asked] */
function claimControl(tools, action, asked) {
  const { state, draft, own, edit } = tools;
  const { title, seats } = action;
  const mine = own !== null && seats.includes(own) ? own : null;
  // Not whom the board has selected, if the phone belongs to somebody.
  const seat = draft.seat ?? mine ?? state.pending?.seat ?? null;
  return html`<h3>${title}</h3>
    ${seatButtons(
      state,
      seats,
      (one) => edit({ seat: one === draft.seat ? null : one }),
      seat === null ? [] : [seat],
    )}
    ${seat === null && asked ? turnControl(tools, asked) : poolButtons(tools, action, seat)}`;
}

/** All pools that are played for, so that none moves when another is taken.
 * @param {Tools} tools @param {ClaimAction} action @param {number | null} seat */
function poolButtons({ state, own, edit, send, why }, { claims, seats, pools: played }, seat) {
  const claimable = seat === null ? [] : (claims[seat] ?? []);
  const pools = state.pool_details.filter(({ pool }) => played.includes(pool));
  /** One that the seat cannot claim is sent too: the daemon says why not. @param {string} pool */
  async function claim(pool) {
    if (seat === null) return why(text("claim.seat_first"));
    // The next claim is the owner's again.
    if (await send({ do: "claim", seat, pool }))
      edit({ seat: own !== null && seats.includes(own) ? null : seat });
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
          ${name} <small>${note || chips}</small>
        </button>`,
    )}
  </div>`;
}

/** More go over two rows. */
const MOST_IN_A_ROW = 9;

/** The cards of the deck, each a tap, and a way past them.
 * @param {Tools} tools @param {TurnAction} action */
function turnControl({ own, edit, send }, { title, ranks, suits }) {
  const later = html`<button
    type="button"
    class="soft"
    data-turn="later"
    @click=${() => edit({ asksCard: false })}
  >
    ${text("turn.later")}
  </button>`;
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
    </div>
    ${own === null ? nothing : later}`;
}

/** Opens the cards where they are not asked for. @param {Tools} tools */
const turnButton = ({ edit }) =>
  html`<button
    type="button"
    class="soft"
    data-turn="enter"
    @click=${() => edit({ asksCard: true })}
  >
    ${text("turn.enter")}
  </button>`;
