// @ts-check
// A pool or a stack: what wins it, where its chips came from, and the recount.

import { html, nothing } from "./vendor/lit-html.js";
import { closeDialog, openDialog } from "./dialog.js";
import { render } from "./drawing.js";
import { byId, formValues, kindById, valueOf } from "./elements.js";
import { reason, request } from "./requests.js";
import { oneAtATime } from "./taps.js";
import { clockTime, text } from "./texts.js";

/** @import { AccountAnswer, MovementRow, RecountAnswer } from "../types" */
/** @import { App } from "./store.js" */

/** Opens the dialog of an account. @param {App} app @param {string} account */
export async function openAccount(app, account) {
  const drawer = kindById("drawer", HTMLDialogElement);
  // A recount is of the chips that are shown, so it is refused if the table moves on meanwhile.
  const { seen } = app.state();
  const answer = await request("GET", `/api/accounts/${account}`);
  if (answer?.status !== 200) return app.toast(reason(answer));
  /** @type {AccountAnswer} */
  const found = answer.json;
  const { name, chips, rules, rows, taken_text: taken, hints, count_hints: countHints } = found;

  const recountOnce = oneAtATime(recount);

  /** @param {number} counted */
  async function recount(counted) {
    const body = { counted };
    const recorded = await request("POST", `/api/accounts/${account}/recount`, { body });
    if (recorded?.status !== 200) return app.toast(reason(recorded));
    /** @type {RecountAnswer} */
    const { command } = recorded.json;
    if (!command) return closeDialog(drawer);
    const result = await app.sendCommand({ ...command, seen });
    if (!result.ok && result.code === "changed") return openAccount(app, account);
    closeDialog(drawer);
    if (!result.ok) app.toast(result.message);
  }

  /** Says what a count may mean. @param {Event} event */
  function explain(event) {
    const number = Number(valueOf(event));
    const meant = countHints.find((hint) => hint.counted === number);
    byId("count-hint").textContent = meant?.sentence ?? "";
  }

  /** @param {SubmitEvent} event */
  const submit = (event) => recountOnce(Number(formValues(event)["counted"]));
  const recountForm = html`<form data-form="recount" class="row" @submit=${submit}>
    <label>
      ${text("recount.counted")}
      <input
        name="counted"
        type="number"
        min="0"
        inputmode="numeric"
        required
        value=${chips}
        aria-describedby="count-hint"
        @input=${explain}
      />
    </label>
    <button class="main" data-command="adjust">${text("recount.record")}</button>
    <output id="count-hint" class="hint"></output>
  </form>`;
  const suspects = rows.filter(({ uncounted }) => uncounted);
  render(
    html`<h2 id="drawer-title">${text("account.title", { name, count: chips })}</h2>
      ${rules.map((rule) => html`<p>${rule}</p>`)}
      ${hints.map((hint) => html`<p class="hint">${hint}</p>`)}
      ${taken ? html`<p>${taken}</p>` : nothing}
      ${rows.length ? movementsView(rows) : html`<p>${text("account.nothing")}</p>`}
      ${
        "adjust" in app.state().actions && app.state().pairing.paired
          ? [recountForm, suspects.length ? html`<p>${text("recount.suspects")}</p>` : nothing]
          : nothing
      }
      ${sitButtons(app, account, drawer)}
      <button type="button" class="soft" @click=${() => closeDialog(drawer)}>
        ${text("phones.done")}
      </button>`,
    drawer,
  );
  openDialog(drawer);
}

/** The player of a stack sits out, or plays again.
 * @param {App} app @param {string} account @param {HTMLDialogElement} drawer */
function sitButtons(app, account, drawer) {
  const { actions, pairing } = app.state();
  const seat = Number(account.replace("seat:", ""));
  /** @param {"sit_out" | "sit_in"} command */
  const button = (command) =>
    pairing.paired && actions[command]?.seats.includes(seat)
      ? html`<button
          type="button"
          class="soft"
          data-command=${command}
          @click=${() => {
            closeDialog(drawer);
            void app.sendCommand({ do: command, seat });
          }}
        >
          ${actions[command]?.label}
        </button>`
      : nothing;
  return [button("sit_out"), button("sit_in")];
}

/** @param {readonly MovementRow[]} rows */
const movementsView = (rows) =>
  html`<h3>${text("account.why")}</h3>
    <ul class="movements">
      ${rows.map(
        ({ number, time_ms: time, sentence, text: chips, uncounted }) =>
          html`<li data-movement=${number} class=${uncounted ? "uncounted" : ""}>
            <time>${clockTime(time)}</time> <span>${sentence}</span> <b>${chips}</b>
          </li>`,
      )}
    </ul>`;
