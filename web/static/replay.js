// @ts-check
// The replay of a night, entry by entry: the board, the stacks and the sentence of each.
//
// Hooks for tests: #scrubber, #replay-sentence, #replay-entry (data-entry), #first #prev #play
// #next #last #prev-deal #next-deal, #deals, [data-speed], #follow, #keys-help, #keys, #link,
// #pool-ace .chips, #seat-2 .stack, circle[data-pixel], #entries li[data-entry], #standings,
// svg.timeline, svg.chart, [data-chart], #chart-table

import { html } from "./vendor/lit-html.js";
import { showAfterwards } from "./afterwards.js";
import { createBoard } from "./board.js";
import { chartTable, chartView, colourOf } from "./chart.js";
import { render } from "./drawing.js";
import { byId, pageStarted } from "./elements.js";
import { FACE } from "./face.js";
import { createFollow } from "./follow.js";
import { clearChips, moveChips } from "./moves.js";
import { playerView, showKeys } from "./player.js";
import { at, reason, request } from "./requests.js";
import { actionLabels, clockTime, longDate, text } from "./texts.js";
import { legendView, markView, timelineView } from "./timeline.js";
import { seatRow, standingsView } from "./views.js";

/** @import { EntryAnswer, FaceAnswer, NightAnswer } from "../types" */
/** @typedef {Required<EntryAnswer>} Entry with what `?pixels=1` adds */
/** @typedef {"stacks" | "pools"} Chart */

const STEP_MS = 900;
const FLIGHT_MS = 700;
const ADDRESS_MS = 200;
const COPIED_MS = 2_000;
void loadNight(Number(location.pathname.split("/").filter(Boolean).pop())).finally(pageStarted);

/** @param {number} number */
async function loadNight(number) {
  const [face, night, entries] = await Promise.all([
    request("GET", FACE),
    request("GET", `/api/nights/${number}`),
    request("GET", `/api/nights/${number}/entries?pixels=1`),
  ]);
  let answer = [face, night].find((one) => one?.status !== 200) ?? entries;
  /** @type {Entry[]} */
  const all = [];
  while (answer?.status === 200) {
    all.push(...answer.json);
    if (!answer.json.length || all.length >= night?.json.entries) {
      await startReplay(night?.json, all, face?.json);
      return;
    }
    answer = await request("GET", `/api/nights/${number}/entries?pixels=1&after=${all.length}`);
  }
  const why = reason(answer);
  render(html`<p class="card">${why} <a href="">${text("try_again")}</a></p>`, byId("replay"));
}

/** @param {NightAnswer} night @param {Entry[]} entries @param {FaceAnswer} face */
async function startReplay(night, entries, face) {
  const total = entries.length;
  const board = createBoard(byId("board"), { face });
  const charts = { stacks: stackLines(night, entries), pools: poolLines(entries) };
  const deals = entries.filter(({ mark }) => mark === "deal");
  const rows = dealRows(entries);
  const lines = new Map(entries.map((entry) => [entry.number, entryLine(entry)]));
  let chart = /** @type {Chart} */ ("stacks");
  let current = entryOfAddress(location.hash) ?? total;
  let shown = 0;
  let playing = 0;
  let speed = 1;
  let addressTimer = 0;
  let paired = false;
  let address = new URL(at("/"), location.origin).href;
  let followSaid = "";
  let link = "replay.copy";
  const follow = createFollow((_, why) => {
    followSaid = why;
    show();
  });

  /** The entry that an address names, or the nearest there is. @param {string} hash */
  function entryOfAddress(hash) {
    const named = Number(hash.slice(1));
    return Number.isInteger(named) && named >= 1 ? Math.min(named, total) : null;
  }

  /** @param {number} entry */
  function go(entry) {
    current = Math.max(1, Math.min(total, entry));
    show();
    follow.show({ night: night.number, entry: current });
    // The address follows without filling the history, and not at every step of a quick hand.
    clearTimeout(addressTimer);
    addressTimer = setTimeout(writeAddress, ADDRESS_MS);
  }

  const writeAddress = () => history.replaceState(null, "", `#${current}`);

  /** The deal before or after; before the first one is the beginning. @param {1 | -1} by */
  function goDeal(by) {
    const numbers = deals.map(({ number }) => number);
    const next = numbers.find((number) => number > current) ?? total;
    const previous = numbers.filter((number) => number < current).at(-1) ?? 1;
    go(by > 0 ? next : previous);
  }

  function togglePlaying() {
    if (playing) pausePlaying();
    else {
      if (current === total) go(1);
      playing = setInterval(step, STEP_MS / speed);
    }
    show();
  }

  const step = () => (current < total ? go(current + 1) : togglePlaying());

  function pausePlaying() {
    clearInterval(playing);
    playing = 0;
  }

  /** @param {number} chosen */
  function setSpeed(chosen) {
    speed = chosen;
    if (playing) {
      clearInterval(playing);
      playing = setInterval(step, STEP_MS / speed);
    }
    show();
  }

  function copyAddress() {
    writeAddress();
    const field = /** @type {HTMLInputElement} */ (byId("address"));
    field.hidden = false;
    field.value = new URL(`nights/${night.number}#${current}`, address).href;
    field.select();
    // The Clipboard API exists in secure contexts only.
    const copied = document.execCommand("copy");
    showLink(copied ? "replay.copied" : "replay.copy_here");
    setTimeout(showLink, COPIED_MS, "replay.copy");
    if (copied) field.hidden = true;
  }

  /** @param {string} label */
  function showLink(label) {
    link = label;
    show();
  }

  function toggleFollow() {
    if (follow.following()) follow.end();
    else follow.begin({ night: night.number, entry: current });
  }

  /** What the controls do. @type {import("./player.js").Doing} */
  const doing = { go, goDeal, togglePlaying, setSpeed, copyAddress, toggleFollow, showKeys };

  function show() {
    const entry = entries[current - 1];
    if (!entry) return;
    board.light(entry.pixels);
    board.update({
      pools: entry.pool_details,
      plaques: entry.rim,
      label: entry.board_label,
      labels: actionLabels(),
    });
    showMoves();
    const player = { entry, total, deals, playing: playing !== 0, speed, link, doing };
    render(playerView(player, paired ? follow : null, followSaid), byId("replay"));
    render(timelineView(entries, byId("timeline").clientWidth), byId("timeline"));
    render(legendView(entries), byId("legend"));
    render(chartsView(entry), byId("charts"));
    const host = byId("chart");
    const label = text(`replay.chart_${chart}`);
    const view = { width: host.clientWidth, entry: current, label, go };
    render(chartView(charts[chart], total, view), host);
    markLine();
    shown = current;
  }

  /** The chips of a step move with it, and back where they came from with a step back. */
  function showMoves() {
    const host = byId("board");
    const back = current < shown;
    const moved = entries[Math.max(current, shown) - 1];
    if (Math.abs(current - shown) === 1 && moved && shown > 0) {
      const ms = FLIGHT_MS / Math.max(1, speed);
      const rim = [...moved.rim, ...(entries[current - 1]?.rim ?? [])];
      moveChips(host, moved.moves, rim, { back, ms });
    } else if (current !== shown) clearChips(host);
  }

  /** Marks the line of this entry in the list, and keeps it in sight there. */
  function markLine() {
    if (current === shown) return;
    lines.get(shown)?.removeAttribute("aria-current");
    const line = lines.get(current);
    line?.setAttribute("aria-current", "step");
    const list = byId("entries");
    if (line) list.scrollTop = line.offsetTop - (list.clientHeight - line.offsetHeight) / 2;
  }

  /** @param {Entry} entry */
  const chartsView = (entry) =>
    html`<div class="speeds" role="group" aria-label=${text("replay.charts")}>
        ${Object.keys(charts).map(
          (one) =>
            html`<button
              type="button"
              class="soft"
              data-chart=${one}
              aria-pressed=${one === chart}
              @click=${() => {
                chart = /** @type {Chart} */ (one);
                show();
              }}
            >
              ${text(`replay.${one}`)}
            </button>`,
        )}
      </div>
      <div id="chart"></div>
      <ul class="seats">
        ${entry.rows.map((row) => seatRow(row, colourOf(row.seat)))}
      </ul>
      <details id="chart-table">
        <summary>${text("replay.table")}</summary>
        ${chartTable(charts[chart], rows, tableView(current))}
      </details>`;

  /** @param {Entry} entry */
  function entryLine({ number, mark, sentence, taken_back: gone, time_ms: time }) {
    const line = document.createElement("li");
    line.dataset["entry"] = String(number);
    line.classList.toggle("struck", gone);
    line.classList.toggle("begins", mark === "deal");
    const content = html`<button type="button" @click=${() => go(number)}>
      <time>${clockTime(time)}</time>
      ${mark ? markView(mark) : html`<span></span>`}
      <span class="sentence">${sentence}</span>
    </button>`;
    render(content, line);
    return line;
  }

  /** @param {KeyboardEvent} event */
  function goByKey(event) {
    const { key, ctrlKey, metaKey, altKey, target } = event;
    // On a German keyboard the brackets need AltGr, which also counts as Ctrl and Alt.
    const modified = (ctrlKey || metaKey || altKey) && !event.getModifierState("AltGraph");
    const part = /** @type {Element} */ (target);
    if (modified || part.closest("dialog, input:not(#scrubber), select")) return;
    if (part.id === "scrubber" && !["[", "]", " ", "?"].includes(key)) return;
    // A focused control has its own meaning for the space bar.
    if (key === " " && part.closest("button, a, summary")) return;
    const act = {
      ArrowLeft: () => go(current - 1),
      ArrowRight: () => go(current + 1),
      Home: () => go(1),
      End: () => go(total),
      "[": () => goDeal(-1),
      "]": () => goDeal(1),
      " ": togglePlaying,
      "?": showKeys,
    }[key];
    if (!act) return;
    event.preventDefault();
    act();
  }

  const headline = text("records.night", { night: night.title, date: longDate(night.started_ms) });
  byId("headline").textContent = headline;
  document.title = text("title.now", { what: headline });
  render([...lines.values()], byId("entries"));
  for (const part of document.querySelectorAll(".listed, #charts")) part.removeAttribute("hidden");
  addEventListener("keydown", goByKey);
  addEventListener("resize", show);
  addEventListener("hashchange", ({ newURL }) => {
    // Not `location`: the address of the entry before may have been written to it meanwhile.
    const named = entryOfAddress(new URL(newURL).hash);
    if (named !== null && named !== current) go(named);
  });
  show();
  if (night.standings_rows.length) showStandings(night);
  const printed = html`<h2>${text("replay.stacks")}</h2>
    ${chartTable(charts.stacks, rows, tableView(0))}`;
  const afterwards = showAfterwards(byId("afterwards"), night, { deals: printed });
  await Promise.all([afterwards, askAsPaired()]);
  pageStarted();
  if (new URLSearchParams(location.search).has("print")) print();

  /** What only paired phones may know or do. */
  async function askAsPaired() {
    const state = await request("GET", "/api/state");
    paired = state?.json?.pairing?.paired ?? false;
    if (!paired) return;
    show();
    // This machine's own name is of no use to other phones.
    const reach = await request("GET", "/api/reach");
    address = reach?.json?.url ?? address;
  }
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

/** The pools that the ruleset has. @param {Entry[]} entries */
const poolLines = (entries) =>
  (entries.at(-1)?.pool_details ?? []).flatMap(({ name, chips }, i) =>
    chips === null
      ? []
      : [{ id: i + 1, name, chips: entries.map((one) => one.pool_details[i]?.chips ?? undefined) }],
  );

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
    name: deal ? text("replay.deal", { deal }) : text("replay.start"),
  }));
}
