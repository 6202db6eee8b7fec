// @ts-check
// The replay of a night, entry by entry: the table, the stacks and the sentence of each.

import { html, nothing, render } from "./vendor/lit-html.js";
import { showAfterwards } from "./afterwards.js";
import { bowlsView } from "./bowls.js";
import { chartTable, chartView, colourOf } from "./chart.js";
import { byId, find, revealPage, targetOf } from "./elements.js";
import { isCalm } from "./ending.js";
import { markView, playerView } from "./player.js";
import { embedded, reason, request } from "./requests.js";
import { clockTime, dateText, longDate, text } from "./texts.js";
import { flyChips } from "./stage.js";
import { seatRow, standingsView, pushButton } from "./views.js";

/** @import { NightAnswer } from "../types" */
/** @import { Entry } from "./player.js" */

const STEP_MS = 900;
const FLIGHT_MS = 700;
const ADDRESS_MS = 200;
void loadNight(Number(location.pathname.split("/").filter(Boolean).pop())).finally(revealPage);

/** @param {number} number */
async function loadNight(number) {
  const brought = embedded("night");
  const [night, entries] = await Promise.all([
    brought ? { status: 200, json: brought } : request("GET", `/api/nights/${number}`),
    request("GET", `/api/nights/${number}/entries?table=1`),
  ]);
  let answer = night?.status === 200 ? entries : night;
  /** @type {Entry[]} */
  const all = [];
  while (answer?.status === 200) {
    all.push(...answer.json);
    if (!answer.json.length || all.length >= night?.json.entries) {
      await startReplay(night?.json, all);
      return;
    }
    answer = await request("GET", `/api/nights/${number}/entries?table=1&after=${all.length}`);
  }
  const why = reason(answer);
  render(html`<p class="card">${why} <a href="">${text("Try again")}</a></p>`, byId("replay"));
}

/** @param {NightAnswer} night @param {Entry[]} entries */
async function startReplay(night, entries) {
  const total = entries.length;
  const deals = entries.flatMap(({ mark, number }) => (mark === "deal" ? [number] : []));
  const showTable = createTable(entries);
  let current = entryOfAddress(location.hash, total) ?? total; // the entry that is shown
  let speed = 1;
  let width = 0; // of the timeline, once it is laid out
  let [playTimer, addressTimer] = [0, 0];
  /** @type {ReturnType<typeof createRest> | null} */
  let rest = null;

  /** The address follows without filling the history, and not at every step of a quick hand. */
  const follow = () => history.replaceState(null, "", `#${current}`);

  /** @param {number} entry */
  function go(entry) {
    current = Math.max(1, Math.min(total, entry));
    show();
    clearTimeout(addressTimer);
    addressTimer = setTimeout(follow, ADDRESS_MS);
  }

  /** @param {boolean} on */
  function play(on) {
    clearInterval(playTimer);
    playTimer = on ? setInterval(step, STEP_MS / speed) : 0;
    show();
  }

  function step() {
    if (current < total) go(current + 1);
    else play(false);
  }

  const doing = {
    go,
    /** The deal before or after; before the first one is the beginning. @param {1 | -1} by */
    goDeal(by) {
      const next = deals.find((number) => number > current) ?? total;
      const previous = deals.filter((number) => number < current).at(-1) ?? 1;
      go(by > 0 ? next : previous);
    },
    togglePlaying() {
      if (!playTimer && current === total) go(1);
      play(!playTimer);
    },
    /** @param {number} chosen */
    setSpeed(chosen) {
      speed = chosen;
      play(playTimer !== 0);
    },
  };

  function show() {
    const entry = entries[current - 1];
    if (!entry) return;
    showTable(entry, speed);
    const playing = playTimer !== 0;
    render(playerView({ entries, entry, width, playing, speed, doing }), byId("replay"));
    rest?.show(entry);
  }

  const headline = datedTitle(night.title, night.started_ms);
  byId("headline").textContent = headline;
  document.title = text("{what} – Pochboard", { what: headline });
  find(".listed", HTMLElement).hidden = false;
  addEventListener("keydown", (event) => goByKey(event, current, total, doing));
  addEventListener("resize", show);
  addEventListener("hashchange", ({ newURL }) => {
    // Not `location`: the address of the entry before may have been written to it meanwhile.
    const named = entryOfAddress(new URL(newURL).hash, total);
    if (named !== null && named !== current) go(named);
  });
  show();
  new ResizeObserver(() => {
    width = byId("timeline").clientWidth;
    show();
  }).observe(byId("timeline"));
  if (night.standings_rows.length) showStandings(night);
  revealPage();
  // Charts, the list of entries and what follows a night come after the controls.
  rest = createRest(night, entries, go);
  show();
  await showAfterwards(byId("afterwards"), night, { deals: rest.printed });
  if (new URLSearchParams(location.search).has("print")) print();
}

/** The entry that an address names, or the nearest there is. @param {string} hash
 * @param {number} total */
function entryOfAddress(hash, total) {
  const named = Number(hash.slice(1));
  return Number.isInteger(named) && named >= 1 ? Math.min(named, total) : null;
}

/** The table, and the chips that move on it: with a step, or back with a step back.
 * @param {Entry[]} entries @returns {(entry: Entry, speed: number) => void} */
function createTable(entries) {
  let shown = 0;
  return ({ number, pool_details: pools }, speed) => {
    render(bowlsView(pools), byId("board"));
    const by = shown && number - shown;
    if (by) byId("flights").replaceChildren();
    const moves = entries[Math.max(number, shown) - 1]?.moves ?? [];
    shown = number;
    if (Math.abs(by) !== 1 || isCalm()) return;
    const back = moves.map(
      ([source, target, chips]) => /** @type {const} */ ([target, source, chips]),
    );
    flyChips(by > 0 ? moves : back, FLIGHT_MS / Math.max(1, speed));
  };
}

/** The stacks as lines and as a table, and the list of entries.
 * @param {NightAnswer} night @param {Entry[]} entries @param {(entry: number) => void} go */
function createRest(night, entries, go) {
  const lines = Object.entries(night.names).map(([seat, name]) => {
    const chips = entries.map(({ rows }) => rows.find((row) => row.seat === Number(seat))?.stack);
    // A seat that joins later has no stack before.
    const points = chips.flatMap((one, i) =>
      one === undefined ? [] : [/** @type {const} */ ([i + 1, one])],
    );
    return { id: Number(seat), name, chips, points };
  });
  const rows = dealRows(entries);
  const list = byId("entries");
  let marked = 0;

  /** @param {number} entry that is marked */
  const table = (entry) =>
    chartTable(lines, rows, { head: text("After"), label: text("The same as a table"), entry });

  byId("charts").hidden = false;
  return {
    /** What is printed of the deals. */
    printed: html`<h2>${text("Stacks")}</h2>
      ${table(0)}`,
    /** @param {Entry} entry */
    show({ number, rows: seats }) {
      const content = html`<div id="chart"></div>
        <ul class="seats">
          ${seats.map((row) => seatRow(row, colourOf(row.seat)))}
        </ul>
        <details id="chart-table" class="chart-table">
          <summary>${text("The same as a table")}</summary>
          ${table(number)}
        </details>`;
      render(content, byId("charts"));
      const host = byId("chart");
      const label = text("The stacks over the night; a table follows");
      render(chartView(lines, { width: host.clientWidth, step: number, label, go }), host);
      if (marked === number) return;
      marked = number;
      render(
        entries.map((one) => entryView(one, one.number === number, go)),
        list,
      );
      const line = list.children[number - 1];
      if (!(line instanceof HTMLElement)) return;
      list.scrollTop = line.offsetTop - (list.clientHeight - line.offsetHeight) / 2;
    },
  };
}

/** @param {Entry} entry @param {boolean} isCurrent @param {(entry: number) => void} go */
const entryView = ({ number, mark, sentence, taken_back: gone, time_ms: time }, isCurrent, go) =>
  html`<li
    class="${gone ? "struck" : ""} ${mark === "deal" ? "begins" : ""}"
    data-entry=${number}
    aria-current=${isCurrent ? "step" : nothing}
  >
    ${pushButton(
      html`<time>${clockTime(time)}</time>
        ${mark ? markView(mark) : html`<span></span>`}
        <span class="sentence">${sentence}</span>`,
      () => go(number),
      { class: nothing },
    )}
  </li>`;

/** @param {KeyboardEvent} event @param {number} current @param {number} total
 * @param {{go: (entry: number) => void, togglePlaying: () => void}} doing */
function goByKey(event, current, total, { go, togglePlaying }) {
  const { key, ctrlKey, metaKey, altKey } = event;
  const part = targetOf(event, Element);
  if (ctrlKey || metaKey || altKey || part.closest("input:not(#scrubber), select")) return;
  if (part.id === "scrubber" && key !== " ") return;
  // A focused control has its own meaning for the space bar.
  if (key === " " && part.closest("button, a, summary")) return;
  const act = {
    ArrowLeft: () => go(current - 1),
    ArrowRight: () => go(current + 1),
    Home: () => go(1),
    End: () => go(total),
    " ": togglePlaying,
  }[key];
  if (!act) return;
  event.preventDefault();
  act();
}

/** What a night is called, with its date unless the name says it. @param {string} title
 * @param {number} ms */
const datedTitle = (title, ms) =>
  title.includes(dateText(ms))
    ? title
    : text("{night} · {date}", { night: title, date: longDate(ms) });

/** @param {NightAnswer} night */
function showStandings({ standings_rows: standings }) {
  byId("standings").hidden = false;
  const content = html`<h2>${text("At the end")}</h2>
    ${standingsView(standings)}`;
  render(content, byId("standings"));
}

/** The last entry of each deal; one that was dealt again has one row. @param {Entry[]} entries */
function dealRows(entries) {
  const ends = entries.filter(
    ({ number }) => number === entries.length || entries[number]?.mark === "deal",
  );
  const byDeal = new Map(ends.map(({ number, deal }) => [deal, number]));
  return [...byDeal].map(([deal, entry]) => ({
    entry,
    name: deal ? text("Deal {deal}", { deal }) : text("the start"),
  }));
}
