// @ts-check
// What may be done now by people, and what the controls of each stage are drawn with.

import { html } from "./vendor/lit-html.js";

/** @import * as Api from "../types" */
/** @import { FormName } from "./forms.js" */
/** @import { Choice } from "./plates.js" */
/** @import { Command } from "./requests.js" */
/**
 * What has been tapped and is not sent yet.
 * @typedef {object} Draft
 * @property {string} stage it is of; the next one begins with an empty draft
 * @property {number | null} seat
 * @property {number | null} chips
 * @property {number[][]} ranking best first, more than one seat for a tie
 * @property {boolean} tie whether the next seat ties with the last one
 * @property {boolean | null} asksTrump whether to ask for trumps, if somebody has said
 * @property {boolean} others whether an owner's phone acts for somebody else
 * @property {boolean} run whether to say who ended the last run, while cards are counted
 * @property {boolean} manyCards whether a count is larger than the first numbers
 * @property {number} enteredMs when a count was last entered
 */

/**
 * What a control is drawn with.
 * @typedef {object} Tools
 * @property {Api.StateAnswer} state
 * @property {Draft} draft
 * @property {number | null} own the seat of the person whose phone it is
 * @property {(said: string) => void} why says why a control does nothing now
 * @property {(change: Partial<Draft>) => void} edit
 * @property {SendDraft} send
 * @property {(command: Command, label: unknown, options?: ButtonOptions) => unknown} commandButton
 * @property {(seat: number, cards: number) => Promise<unknown>} enterCount
 * @property {() => unknown} refereeButton for the question that cards could settle, if there is one
 * @property {(form: FormName) => void} openForm
 */
/** Sends what has been tapped; `next` is chosen after it, unless something else is by then.
 * @typedef {(command: Command, refuse?: (message: string) => unknown, next?: Partial<Draft>) =>
 *   Promise<boolean>} SendDraft */
/** @typedef {{kind?: string, dead?: string}} ButtonOptions `dead`: why it does nothing now */

/**
 * @typedef {object} Stage
 * @property {string} [ask] what is to be done, if the daemon does not say it
 * @property {unknown} [facts] what one needs to know for it
 * @property {unknown} [controls]
 * @property {readonly unknown[]} [row] the lowest controls, beside each other; what leads on stands
 *   at one end in one stage, and at the other one in the next
 * @property {Choice} [choice] what a tap on a plate means
 * @property {readonly number[]} [others] whose it is, besides the phone's owner
 */

/** What computer players do by themselves, where there are any. */
const BOTS_DO = ["turn", "rebuy", "showdown", "go", "out", "settle"];

/** Whether computer players send what the cards settle.
 * @param {Api.StateAnswer["bots"]} bots */
export const botsSettle = (bots) => bots !== null && bots.stuck === null;

/** What people do. @param {Api.StateAnswer} state @returns {Api.Actions} */
export const actionsOf = ({ actions, bots }) =>
  botsSettle(bots)
    ? Object.fromEntries(Object.entries(actions).filter(([name]) => !BOTS_DO.includes(name)))
    : actions;

/** Where no control is. */
export const SPACE = html`<span class="space"></span>`;
