// @ts-check
// The dialog that corrects the night at an entry: what it says, or what was forgotten before it.

import { html, nothing, render } from "./vendor/lit-html.js";
import { closeDialog, openDialog, stillOpen } from "./dialog.js";
import { formValues, kindById, valueOf, wholeIn } from "./elements.js";
import { postCorrection, randomId, reason, request } from "./requests.js";
import { oneAtATime } from "./taps.js";
import { ntext, ptext, text } from "./texts.js";
import {
  numberField,
  optionsView,
  problemView,
  pushButton,
  standingsView,
  tableView,
} from "./views.js";

/** @import * as Api from "../types" */
/** @import { App } from "./store.js" */
/** @typedef {{body: Api.CorrectionBody, preview: Api.CorrectionPreview}} Asked */

/** Opens the dialog that corrects an entry. @param {App} app @param {number} number */
export async function openCorrection(app, number) {
  const drawer = kindById("drawer", HTMLDialogElement);
  const address = `/api/entries/${number}/correction`;
  const answer = await request("GET", address);
  if (answer?.status !== 200) return app.toast(reason(answer));
  /** @type {Api.CorrectionForm} */
  const form = answer.json;
  let chosen = form.forms[0];
  /** @type {Asked | null} */
  let asked = null;
  let problem = "";

  let asking = 0; // only what was asked last is shown

  /** @param {Asked | null} preview @param {string} [refused] */
  function show(preview, refused = "") {
    [asked, problem] = [preview, refused];
    asking += 1;
    draw();
  }

  /** @param {Api.CorrectionBody["command"]} command */
  async function ask(command) {
    const current = (asking += 1);
    const isOpen = stillOpen(drawer);
    // It is refused if the table moves on before it is recorded.
    const insert = command !== null && Boolean(chosen?.insert);
    const body = { command, insert, basis: app.state().basis, id: randomId(), preview: false };
    const found = await request("POST", address, { body: { ...body, preview: true } });
    if (current !== asking || !isOpen()) return;
    if (found?.status === 200) show({ body, preview: found.json.preview });
    else show(null, reason(found));
  }

  const recordOnce = oneAtATime(async (/** @type {Asked} */ { body }) => {
    const isOpen = stillOpen(drawer);
    const result = await postCorrection(address, body);
    if (!result.ok) return isOpen() ? show(null, result.message) : app.toast(result.message);
    if (isOpen()) closeDialog(drawer);
  });

  /** Another kind of entry has other fields, which begin with their own values.
   * @param {Event} event */
  function choose(event) {
    const picked = form.forms[Number(valueOf(event))];
    chosen = undefined;
    draw();
    chosen = picked;
    show(null);
  }

  function draw() {
    const { sentence, forms } = form;
    const isSaid = forms[0]?.insert === false;
    render(
      html`<h2 id="drawer-title">${text("Correct entry {number}", { number })}</h2>
        <p>${sentence}</p>
        <form
          data-form="correction"
          class="fields"
          @submit=${(/** @type {SubmitEvent} */ event) => {
            if (chosen) void ask(commandOf(chosen, formValues(event)));
          }}
          @input=${() => show(null)}
        >
          ${whatView(forms, choose)} ${chosen?.fields.map(fieldView)}
          ${
            chosen?.do === "showdown"
              ? html`<p>
                  ${text("1 is the best hand; equal numbers tie. Leave empty what was not shown.")}
                </p>`
              : nothing
          }
          <button class="main">${text("Show what changes")}</button>
        </form>
        ${
          isSaid
            ? pushButton(text("Leave this entry out"), () => ask(null), { "data-leave-out": "" })
            : nothing
        }
        <div role="status">
          ${problemView(problem, "correction")} ${asked ? previewView(asked.preview) : nothing}
        </div>
        ${
          asked
            ? pushButton(text("Correct"), () => asked && recordOnce(asked), {
                class: "main",
                "data-record": "",
              })
            : nothing
        }
        ${pushButton(text("Cancel"), () => closeDialog(drawer))}`,
      drawer,
    );
  }

  draw();
  openDialog(drawer);
}

/** Whether this entry is wrong, or what was forgotten before it.
 * @param {readonly Api.CommandForm[]} forms @param {(event: Event) => void} choose */
function whatView(forms, choose) {
  const options = forms.map(({ label, insert }, value) => ({
    value,
    label: insert ? text("Add what was forgotten: {what}", { what: label }) : label,
  }));
  return html`<label>
    ${text("What was wrong?")}
    <select name="what" @change=${choose}>
      ${optionsView(options)}
    </select>
  </label>`;
}

/** @param {Api.CorrectionField} field */
function fieldView({ name, label, value, numeric, required, choices }) {
  if (choices.length) {
    return html`<label>
      ${label}
      <select name=${name}>
        ${optionsView(choices, value)}
      </select>
    </label>`;
  }
  return html`<label>
    ${label}
    ${
      numeric
        ? numberField({ name, value, required })
        : html`<input name=${name} ?required=${required} autocomplete="off" .value=${value} />`
    }
  </label>`;
}

/** What the form says now.
 * @param {Api.CommandForm} form @param {Record<string, string>} values */
function commandOf({ do: name, fields }, values) {
  /** @type {Record<string, any>} */
  const command = { do: name };
  for (const field of fields) {
    const written = values[field.name] ?? "";
    if (written === "") continue;
    const value = field.numeric ? wholeIn(written) : written;
    const [key = "", seat] = field.name.split(".");
    if (seat === undefined) command[key] = value;
    else command[key] = { ...command[key], [seat]: value };
  }
  if (name === "showdown") command["ranking"] = ranking(command["ranking"] ?? {});
  return command;
}

/** Seats by their places, best first; those of the same place tie.
 * @param {Record<string, number>} places */
function ranking(places) {
  const ranked = [...new Set(Object.values(places))].sort((a, b) => a - b);
  return ranked.map((place) => {
    const seats = Object.keys(places).filter((seat) => places[seat] === place);
    return seats.length === 1 ? Number(seats[0]) : seats.map(Number);
  });
}

/** @param {Api.CorrectionPreview} preview */
const previewView = ({ sentence, again, accounts, standings_after: standings }) =>
  html`<div data-preview>
    <p>
      ${
        sentence === null
          ? text("The entry is left out.")
          : text("It will say: {sentence}", { sentence })
      }
    </p>
    ${
      again
        ? html`<p>
            ${ntext(
              "{count} later entry is recorded again.",
              "{count} later entries are recorded again.",
              { count: again },
            )}
          </p>`
        : nothing
    }
    ${
      accounts.length
        ? html`${tableView(
              [text("Pool or stack"), text("Before"), ptext("chips", "After")],
              accounts.map(({ name, before, after }) => [name, before, after]),
              "changes",
            )}
            <h3>${text("Standings afterwards")}</h3>
            ${standingsView(standings)}`
        : html`<p>${text("No chips move.")}</p>`
    }
  </div>`;
