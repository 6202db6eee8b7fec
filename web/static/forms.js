// @ts-check
// The forms of commands that are rarely needed: buying in, coming and going, recounts, the end.

import { html, nothing } from "./vendor/lit-html.js";
import { formValues } from "./elements.js";
import { text } from "./texts.js";

/** @import * as Api from "../types" */
/** @import { Command } from "./requests.js" */
/** @typedef {Record<string, string>} Values of the fields, by name */
/**
 * @typedef {"rebuy" | "join" | "leave" | "sit_out" | "sit_in" | "rename" | "dealer" | "adjust" |
 *   "void" | "end"} FormName
 */
/**
 * What a form is drawn with.
 * @typedef {object} Tools
 * @property {Api.StateAnswer} state
 * @property {number | null} own the seat of the person whose phone it is
 * @property {(command: Command) => Promise<boolean>} send whether it was accepted
 * @property {(command: Command, label: unknown) => unknown} commandButton
 */

/** @type {{[N in FormName]: (tools: Tools, action: NonNullable<Api.Actions[N]>) => unknown}} */
const FORM_OF = {
  rebuy: rebuyForm,
  join: joinForm,
  leave: (tools, action) => seatForm(tools, "leave", action, html`<p>${action.hint}</p>`),
  sit_out: (tools, action) => seatForm(tools, "sit_out", action, html`<p>${action.hint}</p>`),
  sit_in: (tools, action) => seatForm(tools, "sit_in", action),
  rename: (tools, action) => seatForm(tools, "rename", action, nameField(text("form.new_name"))),
  dealer: (tools, action) => seatForm(tools, "dealer", action),
  adjust: adjustForm,
  void: (tools, action) => confirmation(tools, "void", action),
  end: (tools, action) => confirmation(tools, "end", action),
};

/** The form of a command that would be accepted now.
 * @param {FormName} command @param {Tools} tools */
export const formOf = (command, tools) =>
  FORM_OF[command](tools, /** @type {any} */ (tools.state.actions[command]));

/**
 * @param {Tools} tools @param {string} command @param {string} label of the button
 * @param {unknown} fields @param {(values: Values) => object} argumentsOf
 */
function form({ send }, command, label, fields, argumentsOf) {
  /** @param {SubmitEvent} event */
  const submit = (event) => send({ do: command, ...argumentsOf(formValues(event)) });
  return html`<form data-form=${command} class="fields" @submit=${submit}>
    ${fields}
    <button class="main" data-command=${command}>${label}</button>
  </form>`;
}

/** @param {Tools} tools @param {string} title @param {readonly number[]} seats */
const seatField = ({ state, own }, title, seats) =>
  html`<label>
    ${title}
    <select name="seat">
      ${seats.map(
        (seat) =>
          html`<option value=${seat} ?selected=${seat === own}>${state.names[seat]}</option>`,
      )}
    </select>
  </label>`;

/** @param {string} label */
const nameField = (label) =>
  html`<label>${label} <input name="name" required maxlength="40" autocomplete="off" /></label>`;

/** @param {number} chips */
const chipsField = (chips) =>
  html`<label>
    ${text("form.chips")}
    <input name="chips" type="number" min="1" inputmode="numeric" required value=${chips} />
  </label>`;

/** @param {Tools} tools @param {string} command @param {Api.SeatAction} action
 * @param {unknown} [more] */
const seatForm = (tools, command, { label, title, seats }, more = nothing) =>
  form(tools, command, label, [seatField(tools, title, seats), more], ({ seat, ...others }) => ({
    seat: Number(seat),
    ...others,
  }));

/** @param {Tools} tools @param {Api.RebuyAction} action */
function rebuyForm(tools, { label, title, seats, chips }) {
  const fields = [seatField(tools, title, seats), chipsField(chips)];
  return form(tools, "rebuy", label, fields, (values) => ({
    seat: Number(values["seat"]),
    chips: Number(values["chips"]),
  }));
}

/** @param {Tools} tools @param {Api.JoinAction} action */
function joinForm(tools, { label, places }) {
  const fields = html`${nameField(text("form.name"))}
    <label>
      ${text("form.place")}
      <select name="place">
        ${places.map((place) => html`<option value=${place}>${place}</option>`)}
      </select>
    </label>`;
  return form(tools, "join", label, fields, ({ name, place }) => ({ name, place: Number(place) }));
}

/** @param {Tools} tools @param {Api.AdjustAction} action */
function adjustForm(tools, { label, hint, accounts }) {
  /** @param {string} name @param {string} title @param {number} selected */
  const account = (name, title, selected) =>
    html`<label>
      ${title}
      <select name=${name}>
        ${accounts.map(
          (choice, i) =>
            html`<option value=${choice.value} ?selected=${i === selected}>
              ${choice.label}
            </option>`,
        )}
      </select>
    </label>`;
  const fields = html`<p>${hint}</p>
    ${account("from", text("form.from"), 0)} ${account("to", text("form.to"), 1)} ${chipsField(1)}
    <label>
      ${text("form.reason")}
      <input
        name="reason"
        required
        maxlength="200"
        autocomplete="off"
        placeholder=${text("form.reason_example")}
      />
    </label>`;
  return form(tools, "adjust", label, fields, ({ chips, ...others }) => ({
    ...others,
    chips: Number(chips),
  }));
}

/** @param {Tools} tools @param {string} command @param {Api.ConfirmAction} action */
const confirmation = ({ commandButton }, command, { question, confirm }) =>
  html`<p>${question}</p>
    ${commandButton({ do: command }, confirm)}`;
