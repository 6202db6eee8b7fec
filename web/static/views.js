// @ts-check
// What several pages show: messages, seats, standings, steps back.

import { html, nothing, render } from "./vendor/lit-html.js";
import { byId, targetOf } from "./elements.js";
import { text } from "./texts.js";

/** @import { Actions, SeatRow, StandingsRow, StateAnswer } from "../types" */

const TOAST_MS = 5_000;

/** @param {Pick<SeatRow, "flags">} row */
export const isToAct = ({ flags }) => flags.some(({ name }) => name === "turn");

/** @param {SeatRow} row @param {string} [kind] a class */
export const seatRow = ({ seat, place, name, stack, net_text: net, flags }, kind = "") =>
  html`<li
    id="seat-${seat}"
    class="${kind} ${isToAct({ flags }) ? "turn" : ""}"
    data-flags=${flags.map((flag) => flag.name).join(" ")}
  >
    <span class="where">${place ?? "–"}</span>
    <span class="who">
      <span class="name">${name}</span>
      ${flags.map((flag) => html`<em class="flag ${flag.name}">${flag.text}</em> `)}
    </span>
    <span class="net" title=${text("won or lost so far")}>${net}</span>
    <span class="stack">${stack}</span>
  </li>`;

/** Attributes that are there or not. */
const FLAGS = ["disabled", "hidden", "data-dead"];

/** The templates of buttons, by their attributes: lit has to see the same one each time.
 * @type {Map<string, TemplateStringsArray>} */
const BUTTONS = new Map();

/** A button that does something at once. @param {unknown} label @param {unknown} press
 * @param {Record<string, unknown>} [attributes] */
export function pushButton(label, press, attributes = {}) {
  const shown = { class: "soft", ...attributes };
  const names = Object.keys(shown).map((name) => (FLAGS.includes(name) ? `?${name}` : name));
  const key = names.join(" ");
  const parts = [...names.map((name) => ` ${name}=`), " @click=", ">", "</button>"];
  parts[0] = `<button type="button"${parts[0]}`;
  const strings = BUTTONS.get(key) ?? Object.assign(parts, { raw: parts });
  BUTTONS.set(key, strings);
  return html(strings, ...Object.values(shown), press, label);
}

/**
 * A field for a whole number, in the digits of any script. A wheel changes nothing in it.
 * @param {{name?: string, value: unknown, label?: unknown, describedBy?: unknown,
 *   required?: boolean, kind?: unknown, input?: (event: Event) => unknown,
 *   change?: (event: Event) => unknown}} field
 */
export const numberField = (field) =>
  html`<input
    name=${field.name ?? nothing}
    class=${field.kind ?? nothing}
    inputmode="numeric"
    pattern="\\p{Nd}*"
    autocomplete="off"
    aria-label=${field.label ?? nothing}
    aria-describedby=${field.describedBy ?? nothing}
    ?required=${field.required ?? true}
    .value=${String(field.value)}
    @focus=${(/** @type {Event} */ event) => targetOf(event, HTMLInputElement).select()}
    @input=${field.input ?? nothing}
    @change=${field.change ?? nothing}
  />`;

/** Says what is to be done. Set once, so that it is read aloud once. @param {string} title */
export function showTitle(title) {
  if (byId("ask").textContent !== title) byId("ask").textContent = title;
  document.title = text("{what} – Pochboard", { what: title });
}

/** What has failed, with commands to type set as code. @param {string | null} message */
export function showFault(message) {
  const element = byId("fault");
  element.hidden = message === null;
  const parts = message?.split("`") ?? [];
  render(
    parts.map((part, index) => (index % 2 ? html`<code>${part}</code>` : part)),
    element,
  );
}

/** Whether no night is played: the lobby is shown in place of the controls.
 * @param {Pick<StateAnswer, "phase">} state */
export const isBetweenNights = ({ phase }) => phase === "none" || phase === "closed";

/** The buttons that take a step back, or take it again.
 * @param {Pick<Actions, "undo" | "redo">} actions
 * @param {(command: {do: "undo" | "redo"}) => unknown} send */
export const historyButtons = (actions, send) =>
  /** @type {const} */ (["undo", "redo"]).map((command) => {
    const { label, hint } = actions[command] ?? {};
    const words = html`<b>${label}</b> <small class="quiet">${hint}</small>`;
    const act = () => send({ do: command });
    return label ? pushButton(words, act, { "data-command": command }) : nothing;
  });

/** The options of a choice. @param {readonly {value: unknown, label: unknown}[]} options
 * @param {unknown} [chosen] */
export const optionsView = (options, chosen) =>
  options.map(
    ({ value, label }) =>
      html`<option value=${value} ?selected=${value === chosen}>${label}</option>`,
  );

/** Why something was refused, if it was. @param {string} problem
 * @param {unknown} [of] what was refused */
export const problemView = (problem, of = nothing) =>
  problem ? html`<p class="error" role="alert" data-error=${of}>${problem}</p>` : nothing;

/** A table of names and numbers. @param {readonly unknown[]} heads
 * @param {readonly (readonly unknown[])[]} rows @param {string} [kind] a class */
export const tableView = (heads, rows, kind = "") =>
  html`<table class="standings ${kind}">
    <tr>
      ${heads.map((head) => html`<th>${head}</th>`)}
    </tr>
    ${rows.map(
      (cells) =>
        html`<tr>
          ${cells.map((cell) => html`<td>${cell}</td>`)}
        </tr>`,
    )}
  </table>`;

/** @param {readonly StandingsRow[]} rows */
export const standingsView = (rows) =>
  tableView(
    [text("Player"), text("Chips"), text("Net")],
    rows.map(({ rank, name, stack, net_text: net }) => [`${rank}. ${name}`, stack, net]),
  );

/**
 * A message that disappears by itself, and a mark on the parts of the board it is about. It
 * replaces the text in the bar, so it covers no control. An empty one takes back the last.
 * @param {HTMLElement} box
 */
export function createToast(box) {
  let timer = 0;
  const inDialog = document.createElement("p");
  inDialog.className = "message";
  inDialog.setAttribute("role", "alert");
  function hide() {
    box.classList.remove("shown");
    inDialog.remove();
  }
  return (/** @type {string} */ message, /** @type {readonly string[]} */ buttons = []) => {
    clearTimeout(timer);
    if (!message) return hide();
    // Anything behind an open dialog is neither visible nor read aloud.
    const dialog = document.querySelector("dialog[open]");
    if (dialog) dialog.append(inDialog);
    (dialog ? inDialog : box).textContent = message;
    box.classList.toggle("shown", !dialog);
    timer = setTimeout(hide, TOAST_MS);
    for (const button of buttons) {
      const part = document.querySelector(`[data-shape="${CSS.escape(button)}"]`);
      part?.classList.remove("refused");
      requestAnimationFrame(() => part?.classList.add("refused")); // restarts the animation
    }
  };
}
