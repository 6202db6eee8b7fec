// @ts-check
// The controls on a phone that belongs to somebody. What the owner may do comes first and is large;
// what is for others looks different, and is one tap further away.

import { html, nothing } from "./vendor/lit-html.js";
import { actionsOf, seatControl, showdownControl, stakeControl } from "./controls.js";
import { countControl } from "./counting.js";
import { claimControl, poolButtons, turnControl } from "./melding.js";
import { text } from "./texts.js";

/** @import * as Api from "../types" */
/** @import { Tools } from "./controls.js" */
/**
 * Something that may be done now.
 * @typedef {object} Act
 * @property {readonly number[]} seats whose it is to do
 * @property {() => unknown} mine the control for the owner, if it is theirs
 * @property {(seats: number[]) => unknown} others the control for all others whose it is
 */

/** @param {Tools} tools */
export function ownStage(tools) {
  const { state, own, draft, edit, commandButton } = tools;
  const { next } = state.actions;
  const acts = actsOf(tools);
  const mine = acts.filter(({ seats }) => seats.some((seat) => seat === own));
  const others = acts
    .map((act) => ({ view: act.others, seats: act.seats.filter((seat) => seat !== own) }))
    .filter(({ seats }) => seats.length);
  const [first, ...more] = new Set(others.flatMap(({ seats }) => seats));
  const isOne = first !== undefined && !more.length;
  const whom = isOne ? text("others.for", { name: state.names[first] ?? "" }) : text("others.some");
  if (draft.others && first !== undefined) {
    return html`<div class="others">
      <div class="row">
        <h3>${whom} <small>${state.actions.stake?.detail ?? ""}</small></h3>
        <button
          type="button"
          class="plain"
          data-own
          @click=${() => edit({ others: false, seat: null, asksCard: null })}
        >
          ${text("cancel")}
        </button>
      </div>
      ${others.map(({ view, seats }) => view(seats))}
    </div>`;
  }
  const othersButton = html`<button
    type="button"
    class="soft whom"
    data-others
    @click=${() => edit({ others: true, seat: null })}
  >
    ${whom}
  </button>`;
  return html`${mine.map((act) => act.mine())}
    <div class="row">
      ${next ? commandButton({ do: "next" }, next.label) : nothing}
      ${first === undefined ? nothing : othersButton}
    </div>`;
}

/** What may be done now, in the order of the page. @param {Tools} tools @returns {Act[]} */
function actsOf(tools) {
  const { state, own, commandButton } = tools;
  const { deal, stake, showdown, go, out, settle } = actionsOf(state);
  /** @param {readonly number[]} seats @param {(seats: readonly number[]) => unknown} view */
  const alike = (seats, view) => ({ seats, mine: () => view(seats), others: view });
  // Whoever shows a hand ranks it with the others.
  const isShown = showdown?.seats.some((seat) => seat === own);
  return [
    ...buyIns(tools),
    deal && alike([state.dealer ?? 0], () => commandButton({ do: "deal" }, deal.label)),
    ...meldActs(tools),
    stake && {
      seats: [stake.seat],
      mine: () => stakeControl(tools, stake),
      others: () => stakeControl(tools, stake, nothing),
    },
    showdown &&
      alike(isShown ? [own ?? 0] : showdown.seats, () => showdownControl(tools, showdown)),
    settle && alike(state.live, () => countControl(tools, settle)),
    go && seatAct(tools, "go", go),
    out && seatAct(tools, "out", out),
  ].filter((act) => act !== undefined);
}

/** Those who are short of chips buy in. @param {Tools} tools @returns {Act[]} */
function buyIns({ state, commandButton }) {
  const { deal, rebuy } = actionsOf(state);
  const kind = deal ? "soft" : "main";
  return (rebuy?.short ?? []).map(({ seat, label, own_label: ownLabel }) => {
    const command = { do: "rebuy", seat, chips: rebuy?.chips };
    return {
      seats: [seat],
      mine: () => commandButton(command, ownLabel, { kind }),
      others: () => commandButton(command, label, { kind }),
    };
  });
}

/** The dealer turns up the card before anybody claims. @param {Tools} tools @returns {Act[]} */
function meldActs(tools) {
  const { state, own, draft, edit } = tools;
  const { claim, turn } = actionsOf(state);
  const asksCard = turn && (draft.asksCard ?? (own === state.dealer || !claim));
  const cards = turn && asksCard ? turnControl(tools, turn) : nothing;
  /** @param {boolean} asks @param {string} name @param {string} label */
  const button = (asks, name, label) =>
    html`<button
      type="button"
      class="soft"
      data-turn=${name}
      @click=${() => edit({ asksCard: asks })}
    >
      ${label}
    </button>`;
  const switchButton = asksCard
    ? button(false, "later", text("turn.later"))
    : button(true, "enter", text("turn.enter"));
  const turning = () => [cards, claim ? switchButton : nothing];
  /** @type {Act[]} */
  const acts = turn ? [{ seats: [state.dealer ?? 0], mine: turning, others: turning }] : [];
  if (claim && !asksCard) acts.push(claimAct(tools, claim));
  return acts;
}

/** @param {Tools} tools @param {Api.ClaimAction} claim @returns {Act} */
function claimAct(tools, claim) {
  const { own, draft } = tools;
  return {
    seats: claim.seats,
    mine: () =>
      html`<div class="own-pools">${poolButtons(tools, claim, own, claim.own_labels)}</div>`,
    others(seats) {
      const seat = draft.seat ?? (seats.length > 1 ? null : (seats[0] ?? null));
      return claimControl({ ...tools, draft: { ...draft, seat } }, { ...claim, seats });
    },
  };
}

/** @param {Tools} tools @param {"go" | "out"} command @param {Api.SeatAction} action
 * @returns {Act} */
const seatAct = (tools, command, action) => ({
  seats: action.seats,
  mine: () =>
    tools.commandButton({ do: command, seat: tools.own }, action.own_label, {
      // The last run of a deal is rarely remembered when the cards are counted.
      kind: tools.state.actions.settle ? "soft" : "main",
    }),
  others: (seats) => seatControl(tools, command, { ...action, seats }),
});
