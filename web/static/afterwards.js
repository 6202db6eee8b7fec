// @ts-check
// After a night: who pays whom, and the night as a file for other programs.

import { html, nothing, render } from "./vendor/lit-html.js";
import { find, valuesOf } from "./elements.js";
import { at, inLanguage, parse, reason, request } from "./requests.js";
import { sharePicture } from "./share.js";
import { remember, stored } from "./storage.js";
import { text } from "./texts.js";
import { pause } from "./time.js";
import { optionsView, problemView, pushButton, tableView } from "./views.js";

/** @import { AwardRow, NightAnswer, SettlementText } from "../types" */
/** @import { StateAnswer, TransferRow } from "../types" */
/** @typedef {{way: string, worth: string, currency: string, bank: string}} Choice */

const KEPT = "settlement";
const AGAIN_MS = 2_000;

const WAYS = { fewest: text("Fewest payments"), pairwise: text("Every pair separately") };
const BANKS = { shared: text("Share the bank’s chips"), kept: text("The bank pays and is paid") };

/** What this phone settled with last time. @returns {Choice} */
const lastChoice = () => ({
  way: "fewest",
  worth: "",
  currency: "€",
  bank: "shared",
  ...parse(stored(KEPT) ?? "{}"),
});

/** Below the table, while the night that has just ended is there. @param {HTMLElement} host */
export function createAfterwards(host) {
  let shown = "";

  /** @param {StateAnswer} state */
  async function show({ phase, night, entry }) {
    const wanted = phase === "closed" ? `${night}.${entry}` : "";
    if (wanted === shown) return;
    shown = wanted;
    if (!wanted) {
      render(nothing, host);
      return;
    }
    const isWanted = () => shown === wanted; // else the table has moved on
    while (isWanted()) {
      const answer = await request("GET", `/api/nights/${night}`);
      if (answer && isWanted()) {
        if (answer.status === 200) await showAfterwards(host, answer.json, { isWanted });
        else shown = ""; // the next state tries again
        return;
      }
      // Between nights it may take until the next evening for another state to come.
      await pause(AGAIN_MS);
    }
  }

  return { show };
}

/**
 * Shows how a night is settled once it is over, and where else it can go.
 * @param {HTMLElement} host @param {NightAnswer} night
 * @param {object} [how]
 * @param {unknown} [how.deals] what is printed of the deals, in the replay only
 * @param {() => boolean} [how.isWanted] whether it is still to be shown when the answers arrive
 */
export async function showAfterwards(host, night, { deals, isWanted = () => true } = {}) {
  let choice = lastChoice();
  /** @type {SettlementText | null} */
  let shown = null;
  let problem = "";
  let asked = 0;

  /** @param {Event} event of the form or one of its fields */
  function choose(event) {
    event.preventDefault();
    const form = find(".settle-choices", HTMLFormElement, host);
    if (!form.reportValidity()) return;
    choice = { ...choice, ...valuesOf(form) };
    void settle();
  }

  async function settle() {
    const query = new URLSearchParams({ way: choice.way, bank: choice.bank });
    if (choice.worth.trim()) {
      query.set("worth", choice.worth);
      query.set("currency", choice.currency);
    }
    const number = ++asked;
    const answer = await request("GET", `/api/nights/${night.number}/settlement?${query}`);
    if (number !== asked) return; // a later choice has been asked for
    if (answer?.status === 200) {
      shown = answer.json;
      remember(KEPT, JSON.stringify(choice));
    }
    problem = answer?.status === 200 ? "" : reason(answer);
    update();
  }

  function update() {
    if (!isWanted()) return;
    const card =
      shown || problem ? settlementView({ choice, choose, problem, settlement: shown }) : nothing;
    // At the table nobody is asked to export a night that has just ended.
    render([recordsView(night, deals), card, deals ? downloadsView(night) : nothing], host);
  }

  update();
  if (night.standings_rows.length) await settle();
}

/**
 * What is chosen, and what comes of it.
 * @param {object} shown
 * @param {Choice} shown.choice
 * @param {(event: Event) => void} shown.choose
 * @param {string} shown.problem
 * @param {SettlementText | null} shown.settlement
 */
const settlementView = ({ choice, choose, problem, settlement }) =>
  html`<section id="settlement" class="settlement card">
    <h2>${text("Settling up")}</h2>
    <form class="settle-choices" @change=${choose} @submit=${choose}>
      <label>
        ${text("A chip is worth")}
        <input
          name="worth"
          inputmode="decimal"
          pattern="\\p{Nd}{1,6}([.,]\\p{Nd}{1,4})?"
          title=${text("An amount, such as 0.05")}
          size="5"
          maxlength="11"
          autocomplete="off"
          .value=${choice.worth}
        />
      </label>
      <label>
        <span class="quiet">${text("Currency")}</span>
        <input
          name="currency"
          size="3"
          maxlength="8"
          autocomplete="off"
          .value=${choice.currency}
        />
      </label>
      ${choiceOf("way", text("Who pays whom"), WAYS, choice.way)}
      ${choiceOf("bank", text("What the bank has won or lost"), BANKS, choice.bank)}
    </form>
    <div aria-live="polite">
      ${problemView(problem)} ${settlement ? resultView(settlement) : nothing}
    </div>
  </section>`;

/** @param {"way" | "bank"} name @param {string} label @param {Record<string, string>} choices
 * @param {string} chosen */
const choiceOf = (name, label, choices, chosen) =>
  html`<select name=${name} aria-label=${label}>
    ${optionsView(
      Object.entries(choices).map(([value, said]) => ({ value, label: said })),
      chosen,
    )}
  </select>`;

/** @param {SettlementText} settlement */
const resultView = ({ parties, chips_label: chips, transfers, note }) =>
  html`<ul class="payments">
      ${transfers.map(paymentView)}
    </ul>
    ${note ? html`<p class="about">${note}</p>` : nothing}
    ${tableView(
      [text("Player"), chips, ...(parties[0]?.amount_text ? [text("To settle")] : [])],
      parties.map((party) => [
        party.name,
        party.chips_text,
        ...(party.amount_text ? [party.amount_text] : []),
      ]),
    )}`;

/** @param {TransferRow} transfer */
const paymentView = ({ text: sentence, why }) =>
  html`<li>
    <details>
      <summary>${sentence}</summary>
      <p class="why">${why}</p>
    </details>
  </li>`;

/** What three people get an award for. @param {readonly AwardRow[]} awards */
const awardsView = (awards) =>
  html`<h2>${text("The awards of the night")}</h2>
    <ul class="awards">
      ${awards.map(
        ({ title, sentence }) =>
          html`<li>
            <b>${title}</b>
            <span>${sentence}</span>
          </li>`,
      )}
    </ul>`;

/** Who did most of what, and the night on paper or as a picture.
 * @param {NightAnswer} night @param {unknown} deals */
function recordsView(night, deals) {
  const { awards, records, rules, number } = night;
  if (!records.length) return nothing;
  const share = () => sharePicture(night);
  const here = pushButton(text("Print this night"), () => print(), { id: "print" });
  const elsewhere = html`<a class="soft" id="print" href=${at(`/nights/${number}?print`)}>
    ${text("Print this night")}
  </a>`;
  return html`<section id="records" class="records card">
    ${awards.length ? awardsView(awards) : nothing}
    <h2>${text("The night in numbers")}</h2>
    <ul>
      ${records.map((record) => html`<li>${record}</li>`)}
    </ul>
    <div class="printed">
      <p>${rules}</p>
      ${deals ?? nothing}
    </div>
    <p class="row">
      ${pushButton(text("Share a picture"), share, { id: "share" })} ${deals ? here : elsewhere}
    </p>
  </section>`;
}

/** @param {NightAnswer} night */
function downloadsView({ number, downloads, bgstats }) {
  const link = html`<a class="plain" data-format="bgstats" rel="noreferrer" href=${bgstats ?? ""}>
    ${text("Send to BG Stats")}
  </a>`;
  return html`<section id="downloads" class="downloads card">
    <h2>${text("Download this night")}</h2>
    <p class="links">
      ${downloads.map(
        ({ format, label, file }) =>
          html`<a
            class="plain"
            data-format=${format}
            href=${inLanguage(`/api/nights/${number}/${format}`)}
            download=${file}
            >${label}</a
          >`,
      )}
      ${bgstats ? link : nothing}
    </p>
    ${
      bgstats
        ? html`<p class="about">
            ${text(
              "BG Stats is an app that records board games. The link passes names and results to bgstatsapp.com; nothing is sent before you tap it.",
            )}
          </p>`
        : nothing
    }
  </section>`;
}
