// @ts-check
// Melding: the card that is turned up after the deal, and the pools that are claimed.

import { html, nothing } from "./vendor/lit-html.js";
import { SPACE } from "./actions.js";
import { cardLanguage, rankSign, suitName, suitView } from "./suits.js";
import { ptext, text } from "./texts.js";
import { pushButton } from "./views.js";

/** @import * as Api from "../types" */
/** @import { Stage, Tools } from "./actions.js" */

/** The trump suit; or, where it counts and somebody asks for it, the rank that was turned up.
 * @param {Tools} tools @param {Api.Actions} actions @returns {Stage} */
export function trumpStage({ state, edit, send }, { turn }) {
  const { title = "", ranks = [], suits = [] } = turn ?? {};
  /** @param {string} card @param {unknown} view @param {string} label */
  const tile = (card, view, label) =>
    pushButton(view, () => send({ do: "turn", card }, undefined, { asksTrump: false }), {
      "data-command": "turn",
      "data-card": card,
      "aria-label": label,
      lang: cardLanguage(),
    });
  const later = pushButton(text("Not now"), () => edit({ asksTrump: false }), {
    "data-turn": "later",
  });
  const { trump } = state;
  const tiles = trump
    ? ranks.map((rank) => {
        const label = `${suitName(trump)} ${rankSign(rank)}`;
        return tile(rank + trump, html`${rankSign(rank)}${suitView(trump)}`, label);
      })
    : suits.map((suit) => {
        const name = suitName(suit);
        return tile(suit, html`${suitView(suit)} <span>${name}</span>`, name);
      });
  return {
    ask: trump ? title : text("Which suit is trumps?"),
    facts: trump ? nothing : text("It lies open on the table. Anybody may tap it."),
    controls: html`<div class="tiles ${trump ? "ranks" : "suits"}">${tiles}</div>`,
    row: [SPACE, later],
  };
}

/** Who shows the cards of which pool, and when everybody is done.
 * @param {Tools} tools @param {Api.Actions} actions @returns {Stage} */
export function meldStage(tools, { claim, next }) {
  const { state, own, draft, edit, commandButton } = tools;
  const row = [next ? commandButton({ do: "next" }, next.label) : SPACE, SPACE];
  if (!claim) return { row };
  const { seats } = claim;
  const known = [own, draft.seat, selectedSeat(state)].find((one) => seats.includes(one ?? 0));
  const seat = known ?? (seats.length === 1 ? (seats[0] ?? null) : null);
  const controls = html`<div class="tiles claims">${tilesOf(tools, claim, seat)}</div>`;
  if (own !== null) {
    return {
      ask: text("Do you hold one of these?"),
      facts: text("Show the card, then tap it here."),
      controls,
      row,
      others: seats,
    };
  }
  const name = state.names[seat ?? 0] ?? "";
  const words = {
    ask: text("What does {name} show?", { name }),
    facts: text("Show the card, then tap it here."),
  };
  return {
    ...(seat === null ? { facts: text("Tap the name first, then the card.") } : words),
    controls,
    row,
    choice: {
      seats,
      chosen: seat === null ? [] : [seat],
      choose: (one) => edit({ seat: one === draft.seat ? null : one }),
    },
  };
}

/** The seat whose place is pressed. @param {Api.StateAnswer} state */
const selectedSeat = ({ pending, rows }) =>
  rows.find(({ place }) => place !== null && place === pending?.place)?.seat;

/** A tile for each pool that is played for, so that none moves when another is taken.
 * @param {Tools} tools @param {Api.ClaimAction} claim @param {number | null} seat */
function tilesOf({ state, own, send, why }, { claims, pools: played, others }, seat) {
  const claimable = seat === null ? [] : (claims[seat] ?? []);
  const pools = state.pool_details.filter(({ pool }) => played.includes(pool));

  /** One that the seat cannot claim is sent too: the daemon says why not. @param {string} pool */
  function take(pool) {
    if (seat === null) return why(text("Tap first who shows the card."));
    // The next claim is the owner's again, or else the same seat's.
    return send({ do: "claim", seat, pool }, undefined, own === null ? { seat } : {});
  }

  return pools.map(({ pool, name, chips, blocked, claimable: isOpen }) => {
    const may = seat === null ? isOpen : claimable.includes(pool);
    const withIt = others[pool] ?? [];
    const holds = blocked ? ptext("pool", "blocked") : chips;
    const small = may && withIt.length ? `+ ${withIt.join(", ")}` : holds;
    return pushButton(html`${name} <small>${small}</small>`, () => take(pool), {
      class: pool in others ? "soft double" : "soft",
      "data-command": "claim",
      "data-pool": pool,
      "data-dead": !may,
      "aria-disabled": may ? nothing : "true",
    });
  });
}
