// @ts-check
// The dialogs of commands that are rarely needed: buying in, coming and going, recounts, the end.

import { html, nothing, render } from "./vendor/lit-html.js";
import { closeDialog, openDialog, stillOpen } from "./dialog.js";
import { formValues, kindById, valueOf, wholeIn } from "./elements.js";
import { accountButtons } from "./overview.js";
import { fill, text } from "./texts.js";
import { numberField, optionsView, problemView, pushButton } from "./views.js";

/** @import * as Api from "../types" */
/** @import { Command } from "./requests.js" */
/** @import { App } from "./store.js" */
/** Returns whether it was accepted. `refuse` shows why not; a message does without it, or if it
 * returns false.
 * @typedef {(command: Command, refuse?: (message: string) => unknown) => Promise<boolean>} Send */
/**
 * @typedef {"rebuy" | "join" | "leave" | "sit_out" | "sit_in" | "rename" | "dealer" | "banker" |
 *   "adjust" | "void" | "end"} FormName
 */
/**
 * What a form is drawn with.
 * @typedef {object} Tools
 * @property {Api.StateAnswer} state
 * @property {number | null} own the seat of the person whose phone it is
 * @property {(command: Command) => void} send
 * @property {App["openAccount"]} openAccount
 * @property {(next: () => unknown) => void} leaveFor closes the form for what follows it
 * @property {number | null} chosen the seat, once one has been chosen
 * @property {(seat: number) => void} choose
 * @property {unknown} ending what every form ends with: why it was refused, and how to leave it
 */

/** Where the focus is on what changes nothing at first. @type {readonly FormName[]} */
const CONFIRMED = ["void", "end"];

/** @param {App} app @param {Send} send */
export function createForms(app, send) {
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
    draw(app.state());
    openDialog(drawer);
    app.opened();
  }

  /** @param {number} seat */
  function choose(seat) {
    chosen = seat;
    app.update();
  }

  /** @param {Command} command */
  async function submit(command) {
    const isOpen = stillOpen(drawer);
    refusal = "";
    const isSent = await send(command, (message) => {
      if (isOpen()) refusal = message;
      app.update();
      return isOpen();
    });
    if (isSent && isOpen()) close();
  }

  /** @param {() => unknown} next */
  function leaveFor(next) {
    close();
    next();
  }

  /** Draws the open form. Closed with Escape, it stays closed even before the browser says so.
   * @param {Api.StateAnswer} state */
  function show(state) {
    if (opened && drawer.open) draw(state);
  }

  /** Closes the form once its command is no longer possible. @param {Api.StateAnswer} state */
  function draw(state) {
    if (!opened) return;
    const action = actionOf(opened, state);
    if (!action || confirmed(action) !== asked) return close();
    const tools = {
      state,
      own: app.ownSeat(),
      send: submit,
      openAccount: app.openAccount,
      leaveFor,
      chosen,
      choose,
      ending: endingView(opened, refusal, close),
    };
    const view = "accounts" in action ? adjustView(tools, action) : formView(tools, opened, action);
    render(
      html`<h2 id="drawer-title">${action.label}</h2>
        <div data-sheet=${opened}>${view}</div>`,
      drawer,
    );
  }

  return { open, show };
}

/** @param {FormName} form @param {Api.StateAnswer} state */
const actionOf = (form, { actions }) => actions[form];

/** @param {NonNullable<ReturnType<typeof actionOf>>} action */
const confirmed = (action) => action.confirm;

/** @param {FormName} form @param {string} refusal @param {() => void} close */
const endingView = (form, refusal, close) =>
  html`${problemView(refusal, form)}
  ${pushButton(text("Cancel"), close, { "data-cancel": "", autofocus: CONFIRMED.includes(form) })}`;

/** @typedef {Api.Action & Partial<Api.RebuyAction & Api.JoinAction>} Action */

/** The form of a command. @param {Tools} tools @param {FormName} command @param {Action} action */
function formView(tools, command, action) {
  const { label, seats, named, confirm } = action;
  const name = tools.state.names[chosenAmong(tools, seats) ?? 0] ?? "";
  const says = named ? fill(named, { name }) : label;
  /** @param {SubmitEvent} event */
  function submit(event) {
    const { name: written, ...numbers } = formValues(event);
    const fields = Object.entries(numbers).map(([field, number]) => [field, wholeIn(number)]);
    const called = written === undefined ? {} : { name: written };
    return tools.send({ do: command, ...Object.fromEntries(fields), ...called });
  }
  return html`<form data-form=${command} class="fields" @submit=${submit}>
    ${fieldsOf(tools, command, action)}
    <button class="main" data-command=${command}>${confirm || says}</button>
    ${tools.ending}
  </form>`;
}

/** What the command needs to be told. @param {Tools} tools @param {FormName} command
 * @param {Action} action */
function fieldsOf(tools, command, { title, seats, chips, places, hint }) {
  const about = hint || (seats.length ? "" : title);
  const names = { join: text("Name"), rename: text("New name") };
  const nameLabel = command === "join" || command === "rename" ? names[command] : "";
  return [
    about ? html`<p>${about}</p>` : nothing,
    seats.length ? seatField(tools, title, seats) : nothing,
    nameLabel ? nameField(nameLabel) : nothing,
    places ? placeField(places) : nothing,
    chips ? chipsField(chips) : nothing,
  ];
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
      ${optionsView(
        seats.map((value) => ({ value, label: names[value] })),
        chosen,
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

/** @param {readonly number[]} places */
const placeField = (places) =>
  html`<label>
    ${text("Place")}
    <select name="place">
      ${optionsView(places.map((value) => ({ value, label: value })))}
    </select>
  </label>`;

/** @param {number} chips */
const chipsField = (chips) =>
  html`<label> ${text("Chips")} ${numberField({ name: "chips", value: chips })} </label>`;

/** What has been counted is chosen first. @param {Tools} tools @param {Api.AdjustAction} action */
const adjustView = ({ state, openAccount, leaveFor, ending }, { hint }) =>
  html`<div class="fields">
    <p>${hint}</p>
    ${state.hints.map((one) => html`<p class="hint">${one}</p>`)}
    ${accountButtons(state, (account) => leaveFor(() => openAccount(account)))} ${ending}
  </div>`;
