// @ts-check
// The dialogs of commands that are rarely needed: buying in, coming and going, recounts, the end.

import { html, nothing } from "./vendor/lit-html.js";
import { closeDialog, openDialog } from "./dialog.js";
import { render } from "./drawing.js";
import { formValues, kindById, valueOf } from "./elements.js";
import { fill, text } from "./texts.js";

/** @import * as Api from "../types" */
/** @import { Command } from "./requests.js" */
/** @import { App } from "./store.js" */
/** @typedef {Record<string, string>} Values of the fields, by name */
/** Returns whether it was accepted. `refuse` shows why not; without it a message does.
 * @typedef {(command: Command, refuse?: (message: string) => void) => Promise<boolean>} Send */
/**
 * @typedef {"rebuy" | "join" | "leave" | "sit_out" | "sit_in" | "rename" | "dealer" | "adjust" |
 *   "void" | "end" | "both"} FormName `both`: the question before both buttons are held
 */
/**
 * What a form is drawn with.
 * @typedef {object} Tools
 * @property {Api.StateAnswer} state
 * @property {number | null} own the seat of the person whose phone it is
 * @property {(command: Command) => void} send
 * @property {() => void} holdBoth
 * @property {number | null} chosen the seat, once one has been chosen
 * @property {(seat: number) => void} choose
 * @property {unknown} ending what every form ends with: why it was refused, and how to leave it
 */

/** @type {{[N in Exclude<FormName, "both">]:
 *   (tools: Tools, action: NonNullable<Api.Actions[N]>) => unknown}} */
const FORM_OF = {
  rebuy: rebuyForm,
  join: joinForm,
  leave: (tools, action) => seatForm(tools, "leave", action, html`<p>${action.hint}</p>`),
  sit_out: (tools, action) => seatForm(tools, "sit_out", action, html`<p>${action.hint}</p>`),
  sit_in: (tools, action) => seatForm(tools, "sit_in", action),
  rename: (tools, action) => seatForm(tools, "rename", action, nameField(text("form.new_name"))),
  dealer: (tools, action) => seatForm(tools, "dealer", action),
  adjust: adjustForm,
  void: (tools, action) => confirmation(tools, action, sendButton(tools, "void", action)),
  end: (tools, action) => confirmation(tools, action, sendButton(tools, "end", action)),
};
/** Where the focus is on what changes nothing at first. @type {readonly FormName[]} */
const CONFIRMED = ["void", "end", "both"];

/** @param {App} app @param {Send} send @param {() => void} holdBoth */
export function createForms(app, send, holdBoth) {
  const drawer = kindById("drawer", HTMLDialogElement);
  /** @type {FormName | null} */
  let opened = null;
  /** @type {string | undefined} what was about to be confirmed */
  let asked;
  let refusal = "";
  /** @type {number | null} */
  let chosen = null;

  function close() {
    opened = null;
    refusal = "";
    render(nothing, drawer);
    closeDialog(drawer);
  }
  // As by the escape key. It may be something else's by the time this is told.
  drawer.addEventListener("close", () => opened && !drawer.open && close());

  /** @param {FormName} form */
  function open(form) {
    const action = actionOf(form, app.state());
    if (!action) return;
    opened = form;
    asked = confirmed(action);
    chosen = null;
    show(app.state());
    app.opened();
  }

  /** @param {number} seat */
  function choose(seat) {
    chosen = seat;
    app.update();
  }

  /** @param {string} message */
  function refuse(message) {
    refusal = message;
    app.update();
  }

  /** @param {Command} command */
  async function submit(command) {
    const form = opened;
    refusal = "";
    if ((await send(command, refuse)) && opened === form) close();
  }

  function hold() {
    close();
    holdBoth();
  }

  /** A form whose command is not possible any more closes. @param {Api.StateAnswer} state */
  function show(state) {
    if (!opened) return;
    const action = actionOf(opened, state);
    if (!action || confirmed(action) !== asked) return close();
    const tools = {
      state,
      own: app.ownSeat(),
      send: submit,
      holdBoth: hold,
      chosen,
      choose,
      ending: endingView(opened, refusal, close),
    };
    render(
      html`<h2 id="drawer-title">${"label" in action ? action.label : text("board.both")}</h2>
        <div data-sheet=${opened}>${formOf(opened, tools)}</div>`,
      drawer,
    );
    openDialog(drawer);
  }

  return { open, show };
}

/** @param {FormName} form @param {Api.StateAnswer} state */
const actionOf = (form, { actions, both }) => (form === "both" ? both : actions[form]);

/** @param {NonNullable<ReturnType<typeof actionOf>>} action */
const confirmed = (action) => ("confirm" in action ? action.confirm : undefined);

/** @param {FormName} form @param {string} refusal @param {() => void} close */
const endingView = (form, refusal, close) =>
  html`${refusal ? html`<p class="error" data-error=${form} role="alert">${refusal}</p>` : nothing}
    <button
      type="button"
      class="soft"
      data-cancel
      ?autofocus=${CONFIRMED.includes(form)}
      @click=${close}
    >
      ${text("cancel")}
    </button>`;

/** @param {FormName} form @param {Tools} tools */
function formOf(form, tools) {
  if (form !== "both") return FORM_OF[form](tools, /** @type {any} */ (tools.state.actions[form]));
  const { both } = tools.state;
  return both
    ? confirmation(
        tools,
        both,
        html`<button type="button" class="main" id="both-confirm" @click=${tools.holdBoth}>
          ${both.confirm}
        </button>`,
      )
    : nothing;
}

/**
 * @param {Tools} tools @param {string} command @param {string} label of the button
 * @param {unknown} fields @param {(values: Values) => object} argumentsOf
 */
function formView({ send, ending }, command, label, fields, argumentsOf) {
  /** @param {SubmitEvent} event */
  const submit = (event) => send({ do: command, ...argumentsOf(formValues(event)) });
  return html`<form data-form=${command} class="fields" @submit=${submit}>
    ${fields}
    <button class="main" data-command=${command}>${label}</button>
    ${ending}
  </form>`;
}

/** @param {Tools} tools @param {string} title @param {readonly number[]} seats */
function seatField(tools, title, seats) {
  const { names } = tools.state;
  const chosen = chosenAmong(tools, seats);
  return html`<label>
    ${title}
    <select
      name="seat"
      @change=${(/** @type {Event} */ event) => tools.choose(Number(valueOf(event)))}
    >
      ${seats.map(
        (seat) => html`<option value=${seat} ?selected=${seat === chosen}>${names[seat]}</option>`,
      )}
    </select>
  </label>`;
}

/** The seat that a form is about: the owner's, until another one is chosen.
 * @param {Tools} tools @param {readonly number[]} seats */
const chosenAmong = ({ own, chosen }, seats) =>
  [chosen, own].find((seat) => seat !== null && seats.includes(seat)) ?? seats[0];

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
function seatForm(tools, command, { label, named_label: named, title, seats }, more = nothing) {
  const name = tools.state.names[chosenAmong(tools, seats) ?? 0] ?? "";
  const fields = [seatField(tools, title, seats), more];
  const says = named ? fill(named, { name }) : label;
  return formView(tools, command, says, fields, ({ seat, ...others }) => ({
    seat: Number(seat),
    ...others,
  }));
}

/** @param {Tools} tools @param {Api.RebuyAction} action */
function rebuyForm(tools, { label, title, seats, chips }) {
  const fields = [seatField(tools, title, seats), chipsField(chips)];
  return formView(tools, "rebuy", label, fields, (values) => ({
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
  return formView(tools, "join", label, fields, ({ name, place }) => ({
    name,
    place: Number(place),
  }));
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
  return formView(tools, "adjust", label, fields, ({ chips, ...others }) => ({
    ...others,
    chips: Number(chips),
  }));
}

/** @param {Tools} tools @param {string} command @param {Api.ConfirmAction} action */
const sendButton = ({ send }, command, { confirm }) =>
  html`<button
    type="button"
    class="main"
    data-command=${command}
    @click=${() => send({ do: command })}
  >
    ${confirm}
  </button>`;

/** @param {Tools} tools @param {Api.ConfirmAction} action @param {unknown} button */
const confirmation = ({ ending }, { question }, button) =>
  html`<div class="fields">
    <p>${question}</p>
    ${button} ${ending}
  </div>`;
