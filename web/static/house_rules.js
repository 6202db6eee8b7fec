// @ts-check
// The parameters of a ruleset as a form, made from the daemon's description of them, and saving
// them as a house ruleset.

import { html, nothing } from "./vendor/lit-html.js";
import { valueOf, wholeIn } from "./elements.js";
import { reason, request } from "./requests.js";
import { text } from "./texts.js";
import { numberField, optionsView, problemView, pushButton } from "./views.js";

/** @import { ListedRuleset, ParameterField, RulesetsAnswer } from "../types" */
/** @import { App } from "./store.js" */
/** @typedef {(value: unknown) => void} SetValue */

const NUMBER = "number";

/**
 * What the form is drawn from.
 * @typedef {object} Rules
 * @property {readonly ParameterField[]} form
 * @property {ListedRuleset} ruleset that is chosen
 * @property {ListedRuleset | undefined} preset that its parameters are compared with
 * @property {Record<string, unknown>} options that differ from the chosen ruleset's
 * @property {(name: string, value: unknown) => void} set
 * @property {(answer: RulesetsAnswer, chosen: string) => void} saved
 */

/** @param {App} app */
export function createHouseRules(app) {
  let name = "";
  let of = ""; // the ruleset that the name was written for
  let problem = "";
  let exists = false; // a ruleset of this name, and may be replaced
  let busy = false;
  let showsAll = false;

  /** @param {string} method @param {string} address @param {unknown} body
   * @param {(answer: RulesetsAnswer) => void} done */
  async function send(method, address, body, done) {
    busy = true;
    app.update();
    const answer = await request(method, address, body ? { body } : {});
    busy = false;
    const ok = answer !== null && answer.status < 300;
    problem = ok ? "" : reason(answer);
    exists = answer?.json?.code === "ruleset-exists";
    if (ok) done(answer.json);
    app.update();
  }

  /** @param {Rules} rules @param {boolean} replace */
  function save({ ruleset, options, saved }, replace) {
    const wanted = name.trim();
    const body = { name: wanted, base: ruleset.name, options, replace };
    void send("POST", "/api/rulesets", body, (answer) => {
      of = wanted;
      app.toast(text("{name} is saved, and chosen for the next night.", { name: wanted }));
      saved(answer, wanted);
    });
  }

  /** @param {Rules} rules */
  function remove({ ruleset: { name: called }, preset, saved }) {
    const question = text(
      "Delete the ruleset {name}? Nights that were played with it keep their rules.",
      { name: called },
    );
    if (!confirm(question)) return;
    void send("DELETE", `/api/rulesets/${encodeURIComponent(called)}`, null, (answer) =>
      saved(answer, preset?.name ?? answer.usual),
    );
  }

  /** @param {Rules} rules */
  function view(rules) {
    const { ruleset } = rules;
    if (of !== ruleset.name) {
      of = ruleset.name;
      name = ruleset.shipped ? "" : ruleset.name;
      problem = "";
      exists = false;
    }
    /** @param {string} written */
    function rename(written) {
      name = written;
      problem = "";
      exists = false;
      app.update();
    }
    const replace = () => save(rules, true);
    const again = pushButton(text("Replace {name}", { name }), replace, { id: "replace-ruleset" });
    function showAll() {
      showsAll = true;
      app.update();
    }
    const all = pushButton(text("All rules"), showAll, { "data-all": "" });
    const removal = pushButton(text("Delete {name}", { name: ruleset.name }), () => remove(rules), {
      id: "delete-ruleset",
    });
    return html`${showsAll ? groupsView(rules) : [fewView(rules), all]}
      <div class="save">
        ${nameView(name, busy, rename, () => save(rules, false))}
        ${ruleset.shipped ? nothing : removal}
      </div>
      ${problemView(problem, "ruleset")} ${exists ? again : nothing}`;
  }

  return { view };
}

/** The name that the ruleset is saved under.
 * @param {string} name @param {boolean} busy @param {(written: string) => void} rename
 * @param {() => void} save */
function nameView(name, busy, rename, save) {
  /** @param {KeyboardEvent} event */
  function onKey(event) {
    if (event.key !== "Enter") return;
    event.preventDefault(); // it would begin the night
    save();
  }
  const off = busy || !name.trim();
  return html`<label>
      ${text("Name of your own ruleset")}
      <input
        name="house-name"
        maxlength="40"
        autocomplete="off"
        .value=${name}
        @keydown=${onKey}
        @input=${(/** @type {Event} */ event) => rename(valueOf(event))}
      />
    </label>
    ${pushButton(text("Save as a house ruleset"), save, { id: "save-ruleset", disabled: off })}`;
}

/** @param {Rules} rules */
const fewView = (rules) =>
  html`<div class="group">
    ${rules.form
      .filter(({ name, usual }) => usual || name in rules.options)
      .map((field) => explainedField(rules, field))}
  </div>`;

/** The fields under their headings, in the order in which the daemon lists them.
 * @param {Rules} rules */
function groupsView(rules) {
  const groups = new Set(rules.form.map(({ group }) => group ?? ""));
  return [...groups].map(
    (group) =>
      html`<fieldset class="group">
        <legend>${group}</legend>
        ${rules.form
          .filter((field) => (field.group ?? "") === group)
          .map((field) => explainedField(rules, field))}
      </fieldset>`,
  );
}

/** A field with what it means, marked if it is not as in the preset.
 * @param {Rules} rules @param {ParameterField} field */
function explainedField({ ruleset, preset, options, set }, field) {
  const { name, label, help } = field;
  const value = name in options ? options[name] : ruleset.parameters[name];
  const usual = preset?.parameters[name];
  const compared = preset !== undefined && field.is_rule;
  const differs = compared && JSON.stringify(value) !== JSON.stringify(usual);
  const reset = pushButton(
    text("as in “{ruleset}”", { ruleset: preset?.title ?? "" }),
    () => set(name, usual),
    {
      class: "link",
      "data-reset": name,
      "aria-label": text("{label}: as in “{ruleset}”", { label, ruleset: preset?.title ?? "" }),
    },
  );
  return html`<div class="field" data-field=${name} ?data-changed=${differs}>
    ${fieldOf(field, value, (changed) => set(name, changed))}
    ${help ? html`<small id="help-${name}">${help}</small>` : nothing} ${differs ? reset : nothing}
  </div>`;
}

/** @param {ParameterField} field */
const helpId = ({ name, help }) => (help ? `help-${name}` : nothing);

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
          aria-describedby=${helpId(field)}
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
    <input
      type="checkbox"
      aria-describedby=${helpId(field)}
      name=${nameOf(field)}
      .checked=${value}
      @change=${() => set(!value)}
    />
    ${field.label}
  </label>`;

/** @param {ParameterField} field @param {number} value @param {SetValue} set
 * @param {string} [part] of the name @param {string} [label] */
const numberInput = (field, value, set, part = "", label = field.label) =>
  numberField({
    name: nameOf(field, part),
    value,
    label,
    describedBy: helpId(field),
    change: (event) => set(wholeIn(valueOf(event))),
  });

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
  const number = { value: NUMBER, label: text("a number") };
  const offered = kind === "number-or-choice" ? [...choices, number] : choices;
  return html`<select name=${nameOf(field)} aria-describedby=${helpId(field)} @change=${choose}>
    ${optionsView(offered, isNumber ? NUMBER : value)}
  </select>`;
}

/** @param {ParameterField} field @param {(string | number)[]} value @param {SetValue} set */
function listField(field, value, set) {
  const { choices = [], label } = field;
  const all = choices.map((choice) => choice.value);
  /** @param {string | number} one */
  const toggle = (one) => () =>
    set(all.filter((other) => (other === one) !== value.includes(other)));
  return html`<fieldset aria-describedby=${helpId(field)}>
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
      inputmode="decimal"
      aria-describedby=${helpId(field)}
      .value=${value.join(", ")}
      @change=${(/** @type {Event} */ event) => set(numbersIn(valueOf(event)))}
    />
  </label>`;

/** The whole numbers in a text. The daemon refuses anything else in it.
 * @param {string} written */
export const numbersIn = (written) =>
  written
    .split(/[\s,;]+/)
    .filter(Boolean)
    .map(wholeIn);

/** @param {ParameterField} field @param {[number, number]} value @param {SetValue} set */
const rangeField = (field, [from, to], set) =>
  html`<fieldset>
    <legend>${field.label}</legend>
    <span class="pair">
      ${numberInput(field, from, (value) => set([value, to]), "", text("fewest"))}
      ${numberInput(field, to, (value) => set([from, value]), "-most", text("most"))}
    </span>
  </fieldset>`;
