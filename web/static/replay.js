// @ts-check
// The replay of a night, entry by entry: the board, the stacks and the sentence of each.

import { html, nothing, render } from "./vendor/lit-html.js";
import { showAfterwards } from "./afterwards.js";
import { bowlsView } from "./bowls.js";
import { chartTable, chartView, colourOf } from "./chart.js";
import { byId, find, kindById, revealPage, targetOf } from "./elements.js";
import { isCalm } from "./ending.js";
import { playerView } from "./player.js";
import { at, embedded, reason, request } from "./requests.js";
import { clockTime, dateText, longDate, text } from "./texts.js";
import { flyChips } from "./stage.js";
import { legendView, markView, timelineView } from "./timeline.js";
import { seatRow, standingsView, pushButton } from "./views.js";

/** @import { EntryAnswer, NightAnswer } from "../types" */
/** @typedef {Required<EntryAnswer>} Entry with what `?table=1` adds */
/** @import { Doing } from "./player.js" */

const STEP_MS = 900;
const FLIGHT_MS = 700;
const ADDRESS_MS = 200;
const COPIED_MS = 2_000;
const LINES_AT_ONCE = 40;
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
  render(html`<p class="card">${why} <a href="">${text("try_again")}</a></p>`, byId("replay"));
}

/** @param {NightAnswer} night @param {Entry[]} entries */
async function startReplay(night, entries) {
  let width = 0; // of the timeline, once it is laid out
  const steps = createSteps(entries, () => {
    show();
    address.follow();
  });
  const { total, current, go } = steps;
  const address = createAddress(night.number, current, show);
  const playing = createPlaying(() => (current() < total ? go(current() + 1) : null), show);
  showHeadline(night);
  find(".listed", HTMLElement).hidden = false;
  await nextTask();
  const showTable = createTable(entries);
  /** @type {ReturnType<typeof createCharts> | null} */
  let charts = null;
  const list = createList(entries, go);

  /** What the controls do. @type {Doing} */
  const doing = {
    go,
    goDeal: steps.goDeal,
    togglePlaying() {
      if (!playing.isOn() && current() === total) go(1);
      playing.toggle();
    },
    setSpeed: playing.setSpeed,
    copyAddress: address.copy,
  };

  function show() {
    const entry = entries[current() - 1];
    if (!entry) return;
    const speed = playing.speed();
    showTable(entry, speed);
    const player = { entry, total, playing: playing.isOn(), speed, doing };
    const link = address.label();
    render(playerView({ ...player, link }), byId("replay"));
    if (width) render(timelineView(entries, width), byId("timeline"));
    render(legendView(entries), byId("legend"));
    charts?.show(entry);
    list.mark(current());
  }

  /** Only paired phones may know the address of this machine. */
  async function learnAddress() {
    const state = await request("GET", "/api/state");
    if (state?.json?.pairing?.paired) await address.learn();
  }

  /** Charts, the list of entries and what follows a night come after the controls. */
  async function showRest() {
    const learnt = learnAddress();
    charts = createCharts(night, entries, go);
    byId("charts").hidden = false;
    show();
    const after = { deals: charts.printed };
    const filled = list.fill();
    await Promise.all([showAfterwards(byId("afterwards"), night, after), learnt, filled]);
    if (new URLSearchParams(location.search).has("print")) print();
  }

  followReader(steps, doing, show);
  show();
  new ResizeObserver(() => {
    width = byId("timeline").clientWidth;
    show();
  }).observe(byId("timeline"));
  if (night.standings_rows.length) showStandings(night);
  revealPage();
  await showRest();
}

/** @typedef {ReturnType<typeof createSteps>} Steps */
/** Which entry is shown: at first that of the address, else the last.
 * @param {Entry[]} entries @param {() => void} onStep */
function createSteps(entries, onStep) {
  const total = entries.length;
  const deals = entries.filter(({ mark }) => mark === "deal");
  let current = entryOfAddress(location.hash, total) ?? total;

  /** @param {number} entry */
  function go(entry) {
    current = Math.max(1, Math.min(total, entry));
    onStep();
  }

  return {
    total,
    current: () => current,
    go,
    /** The deal before or after; before the first one is the beginning. @param {1 | -1} by */
    goDeal(by) {
      const numbers = deals.map(({ number }) => number);
      const next = numbers.find((number) => number > current) ?? total;
      const previous = numbers.filter((number) => number < current).at(-1) ?? 1;
      go(by > 0 ? next : previous);
    },
  };
}

/** Goes where keys and addresses lead. @param {Steps} steps @param {Doing} doing
 * @param {() => void} show */
function followReader({ current, total, go }, doing, show) {
  addEventListener("keydown", (event) => goByKey(event, current(), total, doing));
  addEventListener("resize", show);
  addEventListener("hashchange", ({ newURL }) => {
    // Not `location`: the address of the entry before may have been written to it meanwhile.
    const named = entryOfAddress(new URL(newURL).hash, total);
    if (named !== null && named !== current()) go(named);
  });
}

/** The entry that an address names, or the nearest there is. @param {string} hash
 * @param {number} total */
function entryOfAddress(hash, total) {
  const named = Number(hash.slice(1));
  return Number.isInteger(named) && named >= 1 ? Math.min(named, total) : null;
}

/** The address of an entry, and the button that copies it.
 * @param {number} night @param {() => number} entry @param {() => void} show */
function createAddress(night, entry, show) {
  let root = new URL(at("/"), location.origin).href;
  let label = "replay.copy";
  let timer = 0;

  const write = () => history.replaceState(null, "", `#${entry()}`);

  /** @param {string} next */
  function showLabel(next) {
    label = next;
    show();
  }

  return {
    label: () => label,
    /** The address follows without filling the history, and not at every step of a quick hand. */
    follow() {
      clearTimeout(timer);
      timer = setTimeout(write, ADDRESS_MS);
    },
    copy() {
      write();
      const field = kindById("address", HTMLInputElement);
      field.hidden = false;
      field.value = new URL(`nights/${night}#${entry()}`, root).href;
      field.select();
      // The Clipboard API exists in secure contexts only.
      const copied = document.execCommand("copy");
      showLabel(copied ? "replay.copied" : "replay.copy_here");
      setTimeout(showLabel, COPIED_MS, "replay.copy");
      if (copied) field.hidden = true;
    },
    /** This machine's own name is of no use to other phones. */
    async learn() {
      const reach = await request("GET", "/api/reach");
      root = reach?.json?.url ?? root;
    },
  };
}

/** Steps at a speed, until a step leads nowhere.
 * @param {() => unknown} step null at the end @param {() => void} show */
function createPlaying(step, show) {
  let timer = 0;
  let speed = 1;

  function stop() {
    clearInterval(timer);
    timer = 0;
  }

  function start() {
    stop();
    timer = setInterval(() => {
      if (step() === null) toggle();
    }, STEP_MS / speed);
  }

  function toggle() {
    if (timer) stop();
    else start();
    show();
  }

  return {
    isOn: () => timer !== 0,
    speed: () => speed,
    toggle,
    /** @param {number} chosen */
    setSpeed(chosen) {
      speed = chosen;
      if (timer) start();
      show();
    },
  };
}

/** The table, and the chips that move on it: with a step, or back with a step back.
 * @param {Entry[]} entries @returns {(entry: Entry, speed: number) => void} */
function createTable(entries) {
  let shown = 0;
  return ({ number, pool_details: pools, board_label: label }, speed) => {
    render(bowlsView(pools, label), byId("board"));
    const by = shown && number - shown;
    if (by) byId("flights").replaceChildren();
    const moves = entries[Math.max(number, shown) - 1]?.moves ?? [];
    shown = number;
    if (Math.abs(by) !== 1 || isCalm()) return;
    const back = moves.map((move) => ({ ...move, source: move.target, target: move.source }));
    flyChips(by > 0 ? moves : back, FLIGHT_MS / Math.max(1, speed));
  };
}

/** The lines of the stacks, and the same as a table.
 * @param {NightAnswer} night @param {Entry[]} entries @param {(entry: number) => void} go */
function createCharts(night, entries, go) {
  const lines = stackLines(night, entries);
  const rows = dealRows(entries);
  const drawn = lines.map(({ chips, ...line }) => ({
    ...line,
    // A seat that joins later has no stack before.
    points: chips.flatMap((one, i) =>
      one === undefined ? [] : [/** @type {const} */ ([i + 1, one])],
    ),
  }));
  return {
    /** What is printed of the deals. */
    printed: html`<h2>${text("replay.stacks")}</h2>
      ${chartTable(lines, rows, tableView(0))}`,
    /** @param {Entry} entry */
    show(entry) {
      const content = html`<div id="chart"></div>
        <ul class="seats">
          ${entry.rows.map((row) => seatRow(row, colourOf(row.seat)))}
        </ul>
        <details id="chart-table" class="chart-table">
          <summary>${text("replay.table")}</summary>
          ${chartTable(lines, rows, tableView(entry.number))}
        </details>`;
      render(content, byId("charts"));
      const host = byId("chart");
      const label = text("replay.chart_stacks");
      const view = { width: host.clientWidth, step: entry.number, label, go };
      render(chartView(drawn, view), host);
    },
  };
}

/** The list of entries, filled after all else: a long night keeps a phone busy for a while.
 * @param {Entry[]} entries @param {(entry: number) => void} go */
function createList(entries, go) {
  const list = byId("entries");
  /** @type {Map<number, HTMLLIElement>} */
  const lines = new Map();
  let marked = 0;

  /** Marks the line of an entry, and keeps it in sight there. @param {number} entry */
  function mark(entry) {
    lines.get(marked)?.removeAttribute("aria-current");
    marked = entry;
    const line = lines.get(entry);
    line?.setAttribute("aria-current", "step");
    if (line) list.scrollTop = line.offsetTop - (list.clientHeight - line.offsetHeight) / 2;
  }

  return {
    /** @param {number} entry */
    mark(entry) {
      if (entry !== marked) mark(entry);
    },
    async fill() {
      for (let first = 0; first < entries.length; first += LINES_AT_ONCE) {
        for (const entry of entries.slice(first, first + LINES_AT_ONCE)) {
          const line = entryLine(entry, go);
          lines.set(entry.number, line);
          list.append(line);
        }
        await nextTask();
      }
      mark(marked);
    },
  };
}

/** Lets the browser draw and take taps; a timer would make it wait. */
function nextTask() {
  const { port1, port2 } = new MessageChannel();
  return new Promise((resolve) => {
    port1.onmessage = () => {
      port1.close();
      resolve(null);
    };
    port2.postMessage(null);
  });
}

/** @param {Entry} entry @param {(entry: number) => void} go */
function entryLine({ number, mark, sentence, taken_back: gone, time_ms: time }, go) {
  const line = document.createElement("li");
  line.dataset["entry"] = String(number);
  line.classList.toggle("struck", gone);
  line.classList.toggle("begins", mark === "deal");
  const content = pushButton(
    html`<time>${clockTime(time)}</time>
      ${mark ? markView(mark) : html`<span></span>`}
      <span class="sentence">${sentence}</span>`,
    () => go(number),
    { class: nothing },
  );
  render(content, line);
  return line;
}

/** @param {KeyboardEvent} event @param {number} current @param {number} total
 * @param {Doing} doing */
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
    : text("records.night", { night: title, date: longDate(ms) });

/** @param {NightAnswer} night */
function showHeadline(night) {
  const headline = datedTitle(night.title, night.started_ms);
  byId("headline").textContent = headline;
  document.title = text("title.now", { what: headline });
}

/** @param {NightAnswer} night */
function showStandings({ standings_rows: standings }) {
  byId("standings").hidden = false;
  const content = html`<h2>${text("replay.standings")}</h2>
    ${standingsView(standings)}`;
  render(content, byId("standings"));
}

/** @param {NightAnswer} night @param {Entry[]} entries */
const stackLines = (night, entries) =>
  Object.entries(night.names).map(([seat, name]) => ({
    id: Number(seat),
    name,
    chips: entries.map(({ state }) => state.stacks[seat]),
  }));

/** @param {number} entry that is marked */
const tableView = (entry) => ({ head: text("replay.until"), label: text("replay.table"), entry });

/** The last entry of each deal; one that was dealt again has one row. @param {Entry[]} entries */
function dealRows(entries) {
  const ends = entries.filter(
    ({ number }) => number === entries.length || entries[number]?.mark === "deal",
  );
  const byDeal = new Map(ends.map(({ number, state: { deal } }) => [deal, number]));
  return [...byDeal].map(([deal, entry]) => ({
    entry,
    name: deal ? text("replay.deal", { deal }) : text("replay.after_start"),
  }));
}
