// @ts-check
// A pool or a stack: what wins it, where its chips came from, and the recount.

import { html, nothing, render } from "./vendor/lit-html.js";
import { closeDialog, openDialog, stillOpen } from "./dialog.js";
import { byId, formValues, kindById, valuesOf, wholeIn } from "./elements.js";
import { reason, request } from "./requests.js";
import { oneAtATime } from "./taps.js";
import { clockTime, ntext, text } from "./texts.js";
import { numberField, optionsView, pushButton } from "./views.js";

/** @import { AccountAnswer, Choice, MovementRow, RecountAnswer } from "../types" */
/** @import { App } from "./store.js" */

/** Opens the dialog of an account. @param {App} app @param {string} account
 * @param {string} [written] the count so far */
export async function openAccount(app, account, written) {
  const drawer = kindById("drawer", HTMLDialogElement);
  // A recount is of the chips that are shown, so it is refused if the table moves on meanwhile.
  const { basis } = app.state();
  const answer = await request("GET", `/api/accounts/${account}`);
  if (answer?.status !== 200) return app.toast(reason(answer));
  /** @type {AccountAnswer} */
  const found = answer.json;
  const { name, chips, rules, rows, taken, hints } = found;
  const { actions, pairing } = app.state();
  const { adjust } = actions;
  const canCount = adjust && pairing.paired;
  const suspects = rows.some(({ uncounted }) => uncounted);
  render(
    html`<h2 id="drawer-title">
        ${ntext("{name}: {count} chip", "{name}: {count} chips", { name, count: chips })}
      </h2>
      ${canCount ? recountView(app, found, written, adjust.accounts, basis) : nothing}
      ${rules.map((rule) => html`<p>${rule}</p>`)}
      ${hints.map((hint) => html`<p class="hint">${hint}</p>`)}
      ${taken ? html`<p>${taken}</p>` : nothing}
      ${rows.length ? movementsView(rows) : html`<p>${text("Nothing has come in yet.")}</p>`}
      ${
        canCount && suspects
          ? html`<p>
              ${text(
                "If the numbers differ, the error is in one of the marked entries: they came after the last recount.",
              )}
            </p>`
          : nothing
      }
      ${sitButtons(app, account, drawer)} ${pushButton(text("Done"), () => closeDialog(drawer))}`,
    drawer,
  );
  openDialog(drawer);
  app.opened();
}

/** The form that records how many chips lie there, and says beforehand what it will record.
 * @param {App} app @param {AccountAnswer} found @param {string | undefined} written
 * @param {readonly Choice[]} accounts @param {string} basis what was on the screen */
function recountView(app, found, written, accounts, basis) {
  const { account, chips, count_hints: hints } = found;
  const drawer = kindById("drawer", HTMLDialogElement);
  const recountOnce = oneAtATime(record);
  let asked = ""; // what the daemon was asked last

  /** @param {Record<string, string>} values of the form */
  function ask({ counted = "", against }) {
    const body = { counted: wholeIn(counted), against };
    asked = JSON.stringify(body);
    return request("POST", `/api/accounts/${account}/recount`, { body });
  }

  /** @param {Record<string, string>} values */
  async function record(values) {
    const isOpen = stillOpen(drawer);
    const answer = await ask(values);
    if (answer?.status !== 200) return app.toast(reason(answer));
    /** @type {RecountAnswer} */
    const { command } = answer.json;
    const result = command && (await app.sendCommand({ ...command, basis }));
    if (!isOpen()) return;
    if (!result || result.ok) return closeDialog(drawer);
    if (result.code === "changed") await openAccount(app, account, values["counted"]);
  }

  /** @param {Event} event */
  async function explain({ currentTarget: form }) {
    if (!(form instanceof HTMLFormElement)) return;
    const isOpen = stillOpen(drawer);
    const { counted = "", against = "" } = valuesOf(form);
    const number = wholeIn(counted);
    byId("count-hint").textContent = hints[number] ?? "";
    const answer = counted ? await ask({ counted, against }) : null;
    if (!isOpen() || asked !== JSON.stringify({ counted: number, against })) return;
    byId("count-says").textContent = answer?.status === 200 ? answer.json.sentence : "";
  }

  const describedBy = "count-hint count-says";
  const field = numberField({ name: "counted", value: written ?? chips, describedBy });
  const others = accounts.filter(({ value }) => value !== account);
  return html`<form
    data-form="recount"
    class="fields"
    @submit=${(/** @type {SubmitEvent} */ event) => recountOnce(formValues(event))}
    @input=${explain}
  >
    <div class="row">
      <label> ${text("Chips counted")} ${field} </label>
      <label>
        ${text("The difference is with")}
        <select name="against">
          ${optionsView(others)}
        </select>
      </label>
    </div>
    <output id="count-hint" class="hint"></output>
    <output id="count-says"></output>
    <button class="main" data-command="adjust">${text("Record the difference")}</button>
  </form>`;
}

/** The player of a stack sits out, or plays again.
 * @param {App} app @param {string} account @param {HTMLDialogElement} drawer */
function sitButtons(app, account, drawer) {
  const { actions, pairing } = app.state();
  const seat = Number(account.replace("seat:", ""));
  /** @param {"sit_out" | "sit_in"} command */
  const button = (command) =>
    pairing.paired && actions[command]?.seats.includes(seat)
      ? pushButton(
          actions[command]?.label,
          () => {
            closeDialog(drawer);
            void app.sendCommand({ do: command, seat });
          },
          { "data-command": command },
        )
      : nothing;
  return [button("sit_out"), button("sit_in")];
}

/** @param {readonly MovementRow[]} rows */
const movementsView = (rows) =>
  html`<h3>${text("Why so many")}</h3>
    <ul class="movements">
      ${rows.map(
        ({ number, time_ms: time, sentence, text: chips, uncounted }) =>
          html`<li data-movement=${number} class=${uncounted ? "uncounted" : ""}>
            <time>${clockTime(time)}</time> <span>${sentence}</span> <b>${chips}</b>
          </li>`,
      )}
    </ul>`;
