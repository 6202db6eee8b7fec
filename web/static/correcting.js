// @ts-check
// The dialog that corrects an entry of the night: its fields, and what would change.
//
//   form[data-form="correction"]  has a field for each part of the command that may be changed
//   [data-leave-out]              asks what changes without this entry
//   [data-preview] [data-record]  what would change; corrects the entry

import { html, nothing } from "./vendor/lit-html.js";
import { closeDialog, openDialog, stillOpen } from "./dialog.js";
import { render } from "./drawing.js";
import { formValues, kindById } from "./elements.js";
import { postCorrection, randomId, reason, request } from "./requests.js";
import { oneAtATime } from "./taps.js";
import { text } from "./texts.js";
import { standingsView } from "./views.js";

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
    const body = { command, seen: app.state().seen, id: randomId(), preview: false };
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

  function draw() {
    const { sentence, fields } = form;
    render(
      html`<h2 id="drawer-title">${text("correct.title", { number })}</h2>
        <p>${sentence}</p>
        <form
          data-form="correction"
          class="fields"
          @submit=${(/** @type {SubmitEvent} */ e) => ask(commandOf(form, formValues(e)))}
          @input=${() => show(null)}
        >
          ${fields.map(fieldView)}
          ${form.do === "showdown" ? html`<p>${text("correct.ranking")}</p>` : nothing}
          <button class="main">${text("correct.preview")}</button>
        </form>
        <button type="button" class="soft" data-leave-out @click=${() => ask(null)}>
          ${text("correct.leave_out")}
        </button>
        <div role="status">
          ${problem ? html`<p class="error" data-error="correction">${problem}</p>` : nothing}
          ${asked ? previewView(asked.preview) : nothing}
        </div>
        ${
          asked
            ? html`<button
                type="button"
                class="main"
                data-record
                @click=${() => asked && recordOnce(asked)}
              >
                ${text("correct.record")}
              </button>`
            : nothing
        }
        <button type="button" class="soft" @click=${() => closeDialog(drawer)}>
          ${text("cancel")}
        </button>`,
      drawer,
    );
  }

  draw();
  openDialog(drawer);
}

/** @param {Api.CorrectionField} field */
function fieldView({ name, label, value, numeric, least, required, choices }) {
  if (choices.length) {
    return html`<label>
      ${label}
      <select name=${name}>
        ${choices.map(
          (choice) =>
            html`<option value=${choice.value} ?selected=${choice.value === value}>
              ${choice.label}
            </option>`,
        )}
      </select>
    </label>`;
  }
  return html`<label>
    ${label}
    <input
      name=${name}
      type=${numeric ? "number" : "text"}
      inputmode=${numeric ? "numeric" : "text"}
      min=${numeric ? least : nothing}
      ?required=${required}
      autocomplete="off"
      value=${value}
    />
  </label>`;
}

/** What the form says now.
 * @param {Api.CorrectionForm} form @param {Record<string, string>} values */
function commandOf({ do: name, fields }, values) {
  /** @type {Record<string, any>} */
  const command = { do: name };
  for (const field of fields) {
    const written = values[field.name] ?? "";
    if (written === "") continue;
    const value = field.numeric ? Number(written) : written;
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
    <p>${sentence === null ? text("correct.left_out") : text("correct.says", { sentence })}</p>
    ${again ? html`<p>${text("correct.again", { count: again })}</p>` : nothing}
    ${
      accounts.length
        ? html`<table class="standings">
              <tr>
                <th>${text("correct.account")}</th>
                <th>${text("correct.before")}</th>
                <th>${text("correct.after")}</th>
              </tr>
              ${accounts.map(
                ({ account, name, before, after }) =>
                  html`<tr data-change=${account}>
                    <td>${name}</td>
                    <td>${before}</td>
                    <td>${after}</td>
                  </tr>`,
              )}
            </table>
            <h3>${text("correct.standings")}</h3>
            ${standingsView(standings)}`
        : html`<p>${text("correct.nothing")}</p>`
    }
  </div>`;
