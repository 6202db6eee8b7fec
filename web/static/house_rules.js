// @ts-check
// The parameters of a ruleset as a form, made from the description that the daemon gives of them.

import { html, nothing } from "./vendor/lit-html.js";
import { text, valueOf } from "./page.js";

/** @import { ParameterField } from "../types" */
/** @typedef {(value: unknown) => void} SetValue */

const NUMBER = "number";

/**
 * @param {readonly ParameterField[]} form @param {Record<string, unknown>} values
 * @param {(name: string, value: unknown) => void} set
 */
export const fieldsOf = (form, values, set) =>
  form.map((field) => fieldOf(field, values[field.name], (value) => set(field.name, value)));

/** @param {ParameterField} field @param {any} value @param {SetValue} set */
function fieldOf(field, value, set) {
  switch (field.kind) {
    case "flag":
      return flagField(field, value, set);
    case "number":
      return html`<label>${field.label} ${numberInput(field, value, set)}</label>`;
    case "choice":
      return html`<label>${field.label} ${choiceSelect(field, value, set)}</label>`;
    case "number-or-choice":
      return html`<label>
        ${field.label} ${choiceSelect(field, value, set)}
        ${typeof value === "number" ? numberInput(field, value, set, "-number") : nothing}
      </label>`;
    case "list":
      return listField(field, value, set);
    case "numbers":
      return numbersField(field, value, set);
    case "range":
      return rangeField(field, value, set);
    case "text":
      return html`<label>
        ${field.label}
        <input
          name=${nameOf(field)}
          .value=${String(value)}
          @change=${(/** @type {Event} */ event) => set(valueOf(event))}
        />
      </label>`;
  }
}

/** @param {ParameterField} field */
const nameOf = ({ name }, part = "") => `option-${name}${part}`;

/** @param {ParameterField} field @param {boolean} value @param {SetValue} set */
const flagField = (field, value, set) =>
  html`<label class="check">
    <input type="checkbox" name=${nameOf(field)} .checked=${value} @change=${() => set(!value)} />
    ${field.label}
  </label>`;

/** @param {ParameterField} field @param {number} value @param {SetValue} set
 * @param {string} [part] of the name @param {string} [label] */
const numberInput = (field, value, set, part = "", label = field.label) =>
  html`<input
    type="number"
    name=${nameOf(field, part)}
    aria-label=${label}
    min=${field.least ?? nothing}
    max=${field.most ?? nothing}
    inputmode="numeric"
    .value=${String(value)}
    @change=${(/** @type {Event} */ event) => set(Number(valueOf(event)))}
  />`;

/** @param {ParameterField} field @param {string | number} value @param {SetValue} set */
function choiceSelect(field, value, set) {
  const { choices = [], kind, least } = field;
  /** @param {Event} event */
  function choose(event) {
    const chosen = valueOf(event);
    const choice = choices.find((one) => String(one.value) === chosen);
    set(choice ? choice.value : (least ?? 1));
  }
  const isNumber = !choices.some((choice) => choice.value === value);
  const number = html`<option value=${NUMBER} ?selected=${isNumber}>
    ${text("lobby.number")}
  </option>`;
  return html`<select name=${nameOf(field)} @change=${choose}>
    ${choices.map(
      (choice) =>
        html`<option value=${choice.value} ?selected=${choice.value === value}>
          ${choice.label}
        </option>`,
    )}
    ${kind === "number-or-choice" ? number : nothing}
  </select>`;
}

/** @param {ParameterField} field @param {(string | number)[]} value @param {SetValue} set */
function listField(field, value, set) {
  const { choices = [], label } = field;
  const all = choices.map((choice) => choice.value);
  /** @param {string | number} one */
  const toggle = (one) => () =>
    set(all.filter((other) => (other === one) !== value.includes(other)));
  return html`<fieldset>
    <legend>${label}</legend>
    ${choices.map(
      (choice) =>
        html`<label class="check">
          <input
            type="checkbox"
            name=${nameOf(field)}
            value=${choice.value}
            .checked=${value.includes(choice.value)}
            @change=${toggle(choice.value)}
          />
          ${choice.label}
        </label>`,
    )}
  </fieldset>`;
}

/** @param {ParameterField} field @param {number[]} value @param {SetValue} set */
const numbersField = (field, value, set) =>
  html`<label>
    ${field.label}
    <input
      name=${nameOf(field)}
      inputmode="text"
      .value=${value.join(", ")}
      @change=${(/** @type {Event} */ event) => set(numbersIn(valueOf(event)))}
    />
  </label>`;

/** The whole numbers in a text; what else is there, the daemon has to refuse.
 * @param {string} written */
export const numbersIn = (written) =>
  written
    .split(/[\s,;]+/)
    .filter(Boolean)
    .map((one) => (/^\d+$/.test(one) ? Number(one) : one));

/** @param {ParameterField} field @param {[number, number]} value @param {SetValue} set */
const rangeField = (field, [from, to], set) =>
  html`<fieldset>
    <legend>${field.label}</legend>
    <span class="pair">
      ${numberInput(field, from, (value) => set([value, to]), "", text("lobby.least"))}
      ${numberInput(field, to, (value) => set([from, value]), "-most", text("lobby.most"))}
    </span>
  </fieldset>`;
