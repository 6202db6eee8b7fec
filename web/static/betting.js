// @ts-check
// The betting: one number with a chip less and a chip more, hold, pass, and all in.

import { html } from "./vendor/lit-html.js";
import { SPACE } from "./actions.js";
import { targetOf, valueOf } from "./elements.js";
import { fill, text } from "./texts.js";
import { numberField, pushButton } from "./views.js";

/** @import * as Api from "../types" */
/** @import { Stage, Tools } from "./actions.js" */
/**
 * How many chips are to be staked.
 * @typedef {object} ChipsChoice
 * @property {Api.StakeAction} action
 * @property {number} chips
 * @property {(chips: number) => void} choose
 */

const SOFT = { kind: "soft" };

/** What the button says for a stake.
 * @param {Pick<Api.StakeAction, "steps">} action @param {number} need @param {number} chips */
export function stakeLabel({ steps }, need, chips) {
  const step = steps.filter(({ least }) => least <= chips).at(-1);
  return fill(step?.label ?? "", { chips, more: chips - need });
}

/** @param {Tools} tools @param {Api.Actions} actions @returns {Stage} */
export function betStage(tools, { stake: action }) {
  const { state, own, commandButton } = tools;
  const { to_act: seat, need } = state;
  if (!action || seat === null) return {};
  const facts = state.pot ? text("{chips} in the pot", { chips: state.pot }) : "";
  if (own !== null && own !== seat) return { facts, row: [SPACE, SPACE], others: [seat] };
  const { pass } = state.actions;
  const passButton = pass && commandButton({ do: "pass", seat }, pass.label, SOFT);
  const chips = chipsOf(tools, action);
  const stakeButton = commandButton(
    { do: "stake", seat, chips },
    stakeLabel(action, need ?? 0, chips),
  );
  return { facts, controls: stepperView(tools, action, chips), row: [passButton, stakeButton] };
}

/** @param {number} chips @param {Api.StakeAction} action */
const within = (chips, { least, most }) => Math.max(least, Math.min(most, chips));

/** What is to be staked as things are. @param {Tools} tools @param {Api.StakeAction} action */
const chipsOf = ({ draft }, action) => within(draft.chips ?? action.least, action);

/** @param {Tools} tools @param {Api.StakeAction} action @param {number} chips */
function stepperView({ edit }, action, chips) {
  const { most, most_label: mostLabel } = action;
  /** @type {ChipsChoice} */
  const choice = { action, chips, choose: (to) => edit({ chips: within(to, action) }) };
  return html`<div class="stepper">
    ${stepButton(choice, -1, "−", text("one chip less"))} ${chipsTyped(choice)}
    <output id="stake-chips" class="quiet" aria-live="polite">${chips}</output>
    ${stepButton(choice, 1, "+", text("one chip more"))}
    ${pushButton(mostLabel, () => choice.choose(most), { class: "soft all", "data-chips": most })}
  </div>`;
}

/** @param {ChipsChoice} choice @param {-1 | 1} step @param {string} sign @param {string} label */
const stepButton = ({ chips, choose }, step, sign, label) =>
  pushButton(sign, () => choose(chips + step), { "data-step": step, "aria-label": label });

/** @param {ChipsChoice} choice */
function chipsTyped({ action, chips, choose }) {
  /** The first digits of a number may be too small. @param {Event} event */
  function input(event) {
    const typed = Number(valueOf(event));
    if (typed === within(typed, action)) choose(typed);
  }
  /** What is left in the field is what is staked. @param {Event} event */
  function change(event) {
    const typed = within(Math.round(Number(valueOf(event))) || chips, action);
    targetOf(event, HTMLInputElement).value = String(typed);
    choose(typed);
  }
  return numberField({ value: chips, label: text("Chips"), kind: "typed", input, change });
}
