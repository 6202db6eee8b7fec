// @ts-check
// People across all nights: nets from night to night, luck, pools, who has won from whom.
//
// Hooks for tests: nav.years a, #statistics .summary, table.people tr[data-person], details.person,
// svg.courses, ul.heads li, ul.merged [data-merged] button

import { html, nothing, render, svg } from "./vendor/lit-html.js";
import { fitName } from "./chart.js";
import { byId, formValues, revealPage } from "./elements.js";
import { reason, request } from "./requests.js";
import { longDate, text } from "./texts.js";
import { pause } from "./time.js";

/** @import { Course, HeadRow, MergedName, PersonRow, PoolRow, StatisticsText } from "../types" */

const WIDEST = 680;
const NARROWEST = 260;
const PADDING = 40;
const HEIGHT = 260;
const LEFT = 44;
const RIGHT = 96;
const EDGE = 16;
const NAME_GAP = 8;
const NAME_HEIGHT = 15;
const COLOURS = 8;
const MOST_LINES = 8;
const AGAIN_MS = 200;
/** The only year that counts; null for all. */
const YEAR = new URLSearchParams(location.search).get("year") || null;
const MINUS = "\u2212"; // as in the table below

/** @param {number} index */
const colourOf = (index) => `line-${(index + 1) % COLOURS}`;

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
        ${reason(answer)} <a href="">${text("try_again")}</a>
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
  return html`<nav class="years" aria-label=${text("statistics.year")}>
    ${link(text("statistics.all"), null)} ${years.map((year) => link(`${year}`, `${year}`))}
  </nav>`;
}

/** @param {StatisticsText} statistics */
function view({ summary, pending, people, heads, courses }) {
  const counting = html`<p role="status">${text("statistics.counting", { count: pending })}</p>`;
  const found = html`<p class="summary">${summary}</p>
    ${pending ? counting : nothing}`;
  if (!people.length) return html`<section class="card">${found}</section>`;
  return html`<section class="card">
      ${found} ${coursesView(courses.slice(0, MOST_LINES))}
      <table class="standings people">
        <tr>
          <th>${text("statistics.person")}</th>
          <th>${text("statistics.nights")}</th>
          <th>${text("statistics.won")}</th>
          <th>${text("standings.net")}</th>
        </tr>
        ${people.map(personRow)}
      </table>
    </section>
    ${people.map(personView)}
    <section class="card">
      <h2>${text("statistics.heads")}</h2>
      <ul class="heads">
        ${heads.map((/** @type {HeadRow} */ head) => html`<li>${head.text}</li>`)}
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
    <h2>${text("statistics.merge")}</h2>
    <p class="about">${text("statistics.merge_about")}</p>
    <form class="row" @submit=${merge}>
      <label>
        ${text("statistics.merge_name")}
        <input name="name" list="people" required maxlength="100" autocomplete="off" />
      </label>
      <label>
        ${text("statistics.merge_called")}
        <input name="called" list="people" required maxlength="100" autocomplete="off" />
      </label>
      <datalist id="people">
        ${people.map(({ name }) => html`<option value=${name}></option>`)}
      </datalist>
      <button class="soft">${text("statistics.merge_save")}</button>
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

/** @param {MergedName} names @param {(name: string, called: string) => Promise<void>} call */
const mergedRow = ({ name, text: sentence, separate_label: label }, call) =>
  html`<li data-merged=${name}>
    <span>${sentence}</span>
    <button class="soft" aria-label=${label} @click=${() => call(name, name)}>
      ${text("statistics.separate")}
    </button>
  </li>`;

/** @param {PersonRow} person */
const personRow = ({ name, nights, nights_won: won, net_text: net }) =>
  html`<tr data-person=${name}>
    <td>${name}</td>
    <td>${nights}</td>
    <td>${won}</td>
    <td>${net}</td>
  </tr>`;

/** @param {PersonRow} person */
const personView = ({ name, facts, luck, pools }) =>
  html`<details class="card person">
    <summary>${name}</summary>
    <ul>
      ${facts.map((fact) => html`<li>${fact}</li>`)}
    </ul>
    <p>${luck}</p>
    <table class="standings pools">
      <tr>
        <th>${text("statistics.pool")}</th>
        <th>${text("statistics.times")}</th>
        <th>${text("statistics.expected")}</th>
        <th>${text("statistics.chips")}</th>
      </tr>
      ${pools.map(poolRow)}
    </table>
  </details>`;

/** @param {PoolRow} pool */
const poolRow = ({ name, wins, expected, chips }) =>
  html`<tr>
    <td>${name}</td>
    <td>${wins}</td>
    <td>${expected ?? "–"}</td>
    <td>${chips}</td>
  </tr>`;

/** The nets of people over the nights; the table below has the last ones.
 * @param {Course[]} courses */
function coursesView(courses) {
  const width = chartWidth();
  const all = courses.flatMap(({ points }) => points);
  const nights = all.map(({ night }) => night);
  const totals = [0, ...all.map(({ total }) => total)];
  const [first, last] = [Math.min(...nights), Math.max(...nights)];
  const [low, high] = [Math.min(...totals), Math.max(...totals)];
  const inner = { width: width - LEFT - RIGHT, height: HEIGHT - 2 * EDGE };
  /** @param {number} night */
  const x = (night) => LEFT + ((night - first + 1) / (last - first + 1)) * inner.width;
  /** @param {number} total */
  const y = (total) => EDGE + ((high - total) / Math.max(1, high - low)) * inner.height;
  const ends = courses
    .map((course, index) => ({ course, index, y: y(course.points.at(-1)?.total ?? 0) }))
    .sort((a, b) => a.y - b.y);
  let below = -Infinity;
  for (const end of ends) below = end.y = Math.max(end.y, below + NAME_HEIGHT);
  const axis = (/** @type {number} */ total) =>
    svg`<line class="axis" x1=${LEFT} y1=${y(total)} x2=${width - RIGHT} y2=${y(total)}></line>
      <text class="axis-text" x=${LEFT - 6} y=${y(total) + 4} text-anchor="end"
        >${String(total).replace("-", MINUS)}</text>`;
  /** Whether a number has room beside those before it.
   * @param {number} total @param {number} index @param {number[]} numbers */
  const apart = (total, index, numbers) =>
    numbers.slice(0, index).every((other) => Math.abs(y(other) - y(total)) >= NAME_HEIGHT);
  const drawn = html`<svg
    class="chart courses"
    viewBox="0 0 ${width} ${Math.max(HEIGHT, below + EDGE)}"
    role="img"
    aria-label=${text("statistics.courses")}
  >
    ${[0, high, low].filter(apart).map(axis)}
    ${courses.map((course, index) => courseView(course, index, x, y))}
    ${ends.map(
      (end) =>
        svg`<text class=${colourOf(end.index)} x=${width - RIGHT + NAME_GAP} y=${end.y + 4}>
          ${fitName(end.course.name, RIGHT - NAME_GAP)}</text>`,
    )}
  </svg>`;
  const times = all.map(({ started_ms: started }) => started);
  const [from = "", to = ""] = [Math.min(...times), Math.max(...times)].map(longDate);
  return html`<figure>
    ${drawn}
    <figcaption>${from === to ? from : text("statistics.span", { from, to })}</figcaption>
  </figure>`;
}

/** @param {Course} course @param {number} index @param {(night: number) => number} x
 * @param {(total: number) => number} y */
function courseView({ points }, index, x, y) {
  const start = points[0];
  if (!start) return nothing;
  // Before somebody's first night there is nothing yet; a single night is a line too.
  const line = [{ night: start.night - 1, total: 0 }, ...points].map(
    ({ night, total }) => `${x(night)},${y(total)}`,
  );
  return svg`<polyline class=${colourOf(index)} points=${line.join(" ")}></polyline>`;
}

async function load() {
  const [answer] = await Promise.all([request("GET", "/api/state"), showStatistics()]);
  if (answer?.status === 200 && answer.json.pairing.paired) await showStatistics(true);
}

addEventListener("pageshow", (event) => {
  if (event.persisted) void load();
});
void load().finally(revealPage);
