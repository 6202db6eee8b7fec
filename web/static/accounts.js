// @ts-check
// A pool or a stack: what wins it, why it holds what it holds, and the recount.

import { html, nothing, render } from "./vendor/lit-html.js";
import { closeDialog, openDialog } from "./dialog.js";
import { byId, clockTime, formValues, reason, request, text, valueOf } from "./page.js";

/** @import { AccountAnswer, MovementRow } from "../types" */
/** @import { App } from "./page.js" */

const BANK = "bank";

/** Opens what is known of an account. @param {App} app @param {string} account */
export async function openAccount(app, account) {
  const drawer = /** @type {HTMLDialogElement} */ (byId("drawer"));
  // A recount is of the chips that are shown, so it is refused if the table moves on meanwhile.
  const { seen } = app.state();
  const answer = await request("GET", `/api/accounts/${account}`);
  if (answer?.status !== 200) return app.toast(reason(answer));
  const found = /** @type {AccountAnswer} */ (answer.json);
  const { name, chips, rules, rows, taken, hints, count_hints: countHints } = found;

  /** @param {SubmitEvent} event */
  async function recount(event) {
    const counted = Number(formValues(event)["counted"]);
    const [from, to] = counted > chips ? [BANK, account] : [account, BANK];
    const why = text("recount.reason", { name, counted, chips });
    const moved = Math.abs(counted - chips);
    if (!moved) return closeDialog(drawer);
    const adjust = { do: "adjust", from, to, chips: moved, reason: why, seen };
    const result = await app.sendCommand(adjust);
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

  const counted = html`<form data-form="recount" class="row" @submit=${recount}>
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
    <button class="main" data-command="adjust">${text("recount.book")}</button>
    <output id="count-hint" class="hint"></output>
  </form>`;
  const suspects = rows.filter(({ uncounted }) => uncounted);
  render(
    html`<h2 id="drawer-title">${text("account.title", { name, count: chips })}</h2>
      ${rules.map((rule) => html`<p>${rule}</p>`)}
      ${hints.map((hint) => html`<p class="hint">${hint}</p>`)}
      ${taken ? html`<p>${text("account.taken")} ${taken}</p>` : nothing}
      ${rows.length ? movementsView(rows) : html`<p>${text("account.nothing")}</p>`}
      ${
        "adjust" in app.state().actions && app.state().pairing.paired
          ? [counted, suspects.length ? html`<p>${text("recount.suspects")}</p>` : nothing]
          : nothing
      }
      <button type="button" class="soft" @click=${() => closeDialog(drawer)}>
        ${text("phones.done")}
      </button>`,
    drawer,
  );
  openDialog(drawer);
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
