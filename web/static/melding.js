// @ts-check
// Melding: the card that is turned up after the deal, and the pools that are claimed.

import { html, nothing } from "./vendor/lit-html.js";
import { SPACE } from "./actions.js";
import { cardLanguage, rankSign, suitName, suitView } from "./suits.js";
import { text } from "./texts.js";

/** @import * as Api from "../types" */
/** @import { Stage, Tools } from "./actions.js" */

/** What else is claimed with a pool by the same cards. @type {Record<string, string[]>} */
const TAKES_TOO = { marriage: ["king", "queen"] };

/** The card that was turned up, or the suit alone where that is all that matters.
 * @param {Tools} tools @param {Api.Actions} actions @returns {Stage} */
export function trumpStage({ draft, edit, send }, { turn, claim }) {
  const { title = "", ranks = [], suits = [] } = turn ?? {};
  const { suit } = draft;
  const later = html`<button
    type="button"
    class="soft"
    data-turn="later"
    @click=${() => edit({ asksTrump: false, suit: null })}
  >
    ${text("turn.later")}
  </button>`;
  const ahead = claim ? later : SPACE;

  /** @param {Api.Choice} choice */
  function suitTile({ value }) {
    const tap = () => (ranks.length ? edit({ suit: value }) : send({ do: "turn", card: value }));
    return html`<button
      type="button"
      class="soft"
      data-suit=${value}
      data-command=${ranks.length ? nothing : "turn"}
      lang=${cardLanguage()}
      @click=${tap}
    >
      ${suitView(value)} <span>${suitName(value)}</span>
    </button>`;
  }

  /** @param {string} rank */
  const rankTile = (rank) =>
    html`<button
      type="button"
      class="soft"
      data-command="turn"
      data-card=${rank + suit}
      aria-label="${suitName(suit ?? "")} ${rankSign(rank)}"
      lang=${cardLanguage()}
      @click=${() => send({ do: "turn", card: rank + suit })}
    >
      ${rankSign(rank)}${suitView(suit ?? "")}
    </button>`;
  const back = html`<button
    type="button"
    class="soft"
    data-turn="suits"
    @click=${() => edit({ suit: null })}
  >
    ${text("turn.suits")}
  </button>`;
  const tiles = suit === null ? suits.map(suitTile) : ranks.map(({ value }) => rankTile(value));
  return {
    ask: suit === null ? text("turn.ask") : title,
    facts: suit === null ? text("turn.facts") : nothing,
    controls: html`<div class="tiles ${suit === null ? "suits" : "ranks"}">${tiles}</div>`,
    row: [SPACE, suit === null ? ahead : back],
  };
}

/** Who shows the cards of which pool, and when everybody is done.
 * @param {Tools} tools @param {Api.Actions} actions @returns {Stage} */
export function meldStage(tools, { claim, next }) {
  const { state, own, draft, edit, commandButton } = tools;
  const row = [next ? commandButton({ do: "next" }, next.label) : SPACE, SPACE];
  if (!claim) return { row };
  const { seats } = claim;
  const known = [own, draft.seat, state.pending?.seat].find((one) => seats.includes(one ?? 0));
  const seat = known ?? (seats.length === 1 ? (seats[0] ?? null) : null);
  const controls = html`<div class="tiles claims">${tilesOf(tools, claim, seat)}</div>`;
  if (own !== null) {
    return { ask: text("meld.own"), facts: text("meld.show"), controls, row, others: seats };
  }
  const name = state.names[seat ?? 0] ?? "";
  const words = { ask: text("meld.of", { name }), facts: text("meld.show") };
  return {
    ...(seat === null ? { facts: text("meld.tap") } : words),
    controls,
    row,
    choice: {
      seats,
      chosen: seat === null ? [] : [seat],
      choose: (one) => edit({ seat: one === draft.seat ? null : one }),
    },
  };
}

/** A tile for each pool that is played for, so that none moves when another is taken.
 * @param {Tools} tools @param {Api.ClaimAction} claim @param {number | null} seat */
function tilesOf(tools, { claims, pools: played }, seat) {
  const { state, own, send, why } = tools;
  const claimable = seat === null ? [] : (claims[seat] ?? []);
  const pools = state.pool_details.filter(({ pool }) => played.includes(pool));

  /** One that the seat cannot claim is sent too: the daemon says why not.
   * @param {readonly string[]} taken */
  async function take(taken) {
    if (seat === null) return why(text("claim.seat_first"));
    for (const pool of taken) {
      // The next claim is the owner's again, or else the same seat's.
      const next = own === null ? { seat } : {};
      if (!(await send({ do: "claim", seat, pool }, undefined, next))) return undefined;
    }
    return undefined;
  }

  return pools.map(({ pool, name, chips, note, claimable: isOpen }) => {
    const also = (TAKES_TOO[pool] ?? []).filter((one) => claimable.includes(one));
    const names = pools.filter((one) => also.includes(one.pool)).map((one) => one.name);
    const may = seat === null ? isOpen : claimable.includes(pool);
    const small = may && also.length ? `+ ${names.join(", ")}` : note || chips;
    return html`<button
      type="button"
      class=${pool in TAKES_TOO ? "soft double" : "soft"}
      data-command="claim"
      data-pool=${pool}
      ?data-dead=${!may}
      aria-disabled=${may ? nothing : "true"}
      @click=${() => take(may ? [pool, ...also] : [pool])}
    >
      ${name} <small>${small}</small>
    </button>`;
  });
}
