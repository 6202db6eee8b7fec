// @ts-check
// People across all nights: nets from night to night, luck, pools, who has won from whom.

import { html, nothing, render } from "./vendor/lit-html.js";
import { chartView } from "./chart.js";
import { byId, formValues, revealPage } from "./elements.js";
import { reason, request } from "./requests.js";
import { longDate, ntext, text } from "./texts.js";
import { pause } from "./time.js";
import { tableView } from "./views.js";

/** @import { PersonRow, StatisticsText } from "../types" */

const WIDEST = 680;
const NARROWEST = 260;
const PADDING = 40;
const MOST_LINES = 8;
const AGAIN_MS = 200;
/** The only year that counts; null for all. */
const YEAR = new URLSearchParams(location.search).get("year") || null;

/** As wide as a card, so that letters keep their size on a phone. */
const chartWidth = () =>
  Math.max(NARROWEST, Math.min(WIDEST, byId("statistics").clientWidth - PADDING));

/** @param {boolean} paired whether this phone may say that two names are one person
 * @param {string} said why that was refused */
async function showStatistics(paired = false, said = "") {
  const host = byId("statistics");
  for (;;) {
    const chosen = YEAR ? `?${new URLSearchParams({ year: YEAR })}` : "";
    const answer = await request("GET", `/api/statistics${chosen}`);
    if (answer?.status !== 200) {
      const failed = html`<p class="card">
        ${reason(answer)} <a href="">${text("Try again")}</a>
      </p>`;
      render(failed, host);
      return;
    }
    /** @type {StatisticsText} */
    const statistics = answer.json;
    const merge = paired ? mergeView(statistics, said) : nothing;
    render([yearsView(statistics), view(statistics), merge], host);
    if (!statistics.pending) return;
    revealPage(); // counting may take long
    await pause(AGAIN_MS);
  }
}

/** The choice of a year, or of all. @param {StatisticsText} statistics */
function yearsView({ years }) {
  if (years.length < 2 && !YEAR) return nothing;
  /** @param {string} label @param {string | null} year */
  function link(label, year) {
    const current = year === YEAR ? "page" : nothing;
    return html`<a href="?${year ? `year=${year}` : ""}" aria-current=${current}>${label}</a>`;
  }
  return html`<nav class="years" aria-label=${text("Year")}>
    ${link(text("All years"), null)} ${years.map((year) => link(`${year}`, `${year}`))}
  </nav>`;
}

/** @param {StatisticsText} statistics */
function view({ summary, pending, people, heads }) {
  const counting = html`<p role="status">
    ${ntext("{count} more night is being counted …", "{count} more nights are being counted …", {
      count: pending,
    })}
  </p>`;
  const found = html`<p class="summary">${summary}</p>
    ${pending ? counting : nothing}`;
  if (!people.length) return html`<section class="card">${found}</section>`;
  return html`<section class="card">
      ${found} ${coursesView(people.slice(0, MOST_LINES))}
      ${tableView(
        [text("Person"), text("Nights"), text("Won"), text("Net")],
        people.map(({ name, nights, nights_won: won, net_text: net }) => [name, nights, won, net]),
        "people",
      )}
    </section>
    ${people.map(personView)}
    <section class="card">
      <h2>${text("Who has won from whom")}</h2>
      <ul class="heads">
        ${heads.map((head) => html`<li>${head}</li>`)}
      </ul>
    </section>`;
}

/** Says that two names are one person. @param {StatisticsText} statistics
 * @param {string} said why that was refused */
function mergeView({ people, merged }, said) {
  /** @param {string | undefined} name @param {string | undefined} called the same name separates */
  async function call(name, called) {
    const body = { about: "same-person", name, called };
    const answer = await request("POST", "/api/remarks", { body });
    await showStatistics(true, answer?.status === 204 ? "" : reason(answer));
  }
  /** @param {SubmitEvent} event */
  async function merge(event) {
    const { name, called } = formValues(event);
    await call(name, called);
  }
  return html`<section class="card" id="merge">
    <h2>${text("Two names, one person")}</h2>
    <p class="about">
      ${text(
        "If somebody was written in two ways, or wants another name, say so here. You can take it back.",
      )}
    </p>
    <form class="row" @submit=${merge}>
      <label>
        ${text("The name")}
        <input name="name" list="people" required maxlength="100" autocomplete="off" />
      </label>
      <label>
        ${text("counts as")}
        <input name="called" list="people" required maxlength="100" autocomplete="off" />
      </label>
      <datalist id="people">
        ${people.map(({ name }) => html`<option value=${name}></option>`)}
      </datalist>
      <button class="soft">${text("Merge")}</button>
    </form>
    ${
      merged.length
        ? html`<ul class="merged">
            ${merged.map((names) => mergedRow(names, call))}
          </ul>`
        : nothing
    }
    ${said ? html`<p role="alert">${said}</p>` : nothing}
  </section>`;
}

/** @param {readonly [string, string]} names
 * @param {(name: string, called: string) => Promise<void>} call */
const mergedRow = ([name, called], call) =>
  html`<li data-merged=${name}>
    <span>${text("{name} counts as {called}.", { name, called })}</span>
    <button
      class="soft"
      aria-label=${text("Separate {name} from {called}", { name, called })}
      @click=${() => call(name, name)}
    >
      ${text("Separate")}
    </button>
  </li>`;

/** @param {PersonRow} person */
const personView = ({ name, facts, luck, pools }) =>
  html`<details class="card person">
    <summary>${name}</summary>
    <ul>
      ${facts.map((fact) => html`<li>${fact}</li>`)}
    </ul>
    <p>${luck}</p>
    ${tableView(
      [text("Pool"), text("Times won"), text("Expected by the cards"), text("Chips")],
      pools.map(({ name: pool, wins, expected, chips }) => [pool, wins, expected ?? "–", chips]),
      "pools",
    )}
  </details>`;

/** The nets of people over the nights; the table below has the last ones.
 * @param {readonly PersonRow[]} people */
function coursesView(people) {
  const points = people.flatMap((person) => person.points);
  const before = Math.min(...points.map(({ night }) => night)) - 1; // a single night is a line too
  const lines = people.map(({ name, points: nights }, index) => ({
    id: index + 1,
    name,
    // Before somebody's first night there is nothing yet.
    points: [
      /** @type {const} */ ([(nights[0]?.night ?? before + 1) - 1, 0]),
      ...nights.map(({ night, total }) => /** @type {const} */ ([night, total])),
    ],
  }));
  const times = points.map(({ started_ms: started }) => started);
  const [from = "", to = ""] = [Math.min(...times), Math.max(...times)].map(longDate);
  const label = text("Nets from night to night");
  return html`<figure>
    ${chartView(lines, { width: chartWidth(), kind: "courses", label })}
    <figcaption>${from === to ? from : text("{from} – {to}", { from, to })}</figcaption>
  </figure>`;
}

async function load() {
  const [answer] = await Promise.all([request("GET", "/api/state"), showStatistics()]);
  if (answer?.status === 200 && answer.json.pairing.paired) await showStatistics(true);
}

addEventListener("pageshow", (event) => {
  if (event.persisted) void load();
});
void load().finally(revealPage);
