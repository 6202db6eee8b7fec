// @ts-check
// A night again, entry by entry: the board, the stacks and the sentence of each.
//
// Hooks for tests: #scrubber, #replay-sentence, #replay-entry (data-entry), #first #prev #play
// #next #last, #link, #pool-ace .chips, #seat-2 .stack, circle[data-pixel], #standings, svg.chart

import { html, nothing, render } from "./vendor/lit-html.js";
import { showAfterwards } from "./afterwards.js";
import { createBoard } from "./board.js";
import { chartView, colourOf } from "./chart.js";
import {
  byId,
  clockTime,
  longDate,
  reason,
  request,
  seatRow,
  standingsView,
  text,
  valueOf,
} from "./page.js";

/** @import { EntryAnswer, NightAnswer } from "../types" */
/** @typedef {Required<EntryAnswer>} Entry with what `?pixels=1` adds */

const STEP_MS = 900;
const ADDRESS_MS = 200;
const COPIED_MS = 2_000;
const ICONS = {
  first: "M5 5h3v14H5zM19 5v14l-10-7z",
  previous: "M17 5v14L7 12z",
  play: "M6 3v18l14-9z",
  stop: "M7 5h4v14H7zM13 5h4v14h-4z",
  next: "M7 5v14l10-7z",
  last: "M16 5h3v14h-3zM5 5v14l10-7z",
};

void loadNight(Number(location.pathname.split("/").filter(Boolean).pop()));

/** @param {number} number */
async function loadNight(number) {
  const [night, entries] = await Promise.all([
    request("GET", `/api/nights/${number}`),
    request("GET", `/api/nights/${number}/entries?pixels=1`),
  ]);
  let answer = night?.status === 200 ? entries : night;
  const all = /** @type {Entry[]} */ ([]);
  while (answer?.status === 200) {
    all.push(...answer.json);
    if (!answer.json.length || all.length >= night?.json.entries) {
      startReplay(night?.json, all);
      return;
    }
    answer = await request("GET", `/api/nights/${number}/entries?pixels=1&after=${all.length}`);
  }
  const why = reason(answer);
  render(html`<p class="card">${why} <a href="">${text("try_again")}</a></p>`, byId("replay"));
}

/** @param {NightAnswer} night @param {Entry[]} entries */
function startReplay(night, entries) {
  const { places, pixels_per_ring: perRing } = night.board;
  const total = entries.length;
  const pools = entries[0]?.pool_details.map(({ pool }) => pool) ?? [];
  const board = createBoard(byId("board"), { pools, places, perRing });
  const lines = Object.entries(night.names).map(([seat, name]) => ({
    seat: Number(seat),
    name,
    stacks: entries.map(({ state }) => state.stacks[seat]),
  }));
  let current = entryOfAddress(location.hash) ?? total;
  let playing = 0;
  let addressTimer = 0;

  /** The entry that an address names, or the nearest there is. @param {string} hash */
  function entryOfAddress(hash) {
    const named = Number(hash.slice(1));
    return Number.isInteger(named) && named >= 1 ? Math.min(named, total) : null;
  }

  /** @param {number} entry */
  function go(entry) {
    current = Math.max(1, Math.min(total, entry));
    show();
    // The address follows without filling the history, and not at every step of a quick hand.
    clearTimeout(addressTimer);
    addressTimer = setTimeout(writeAddress, ADDRESS_MS);
  }

  const writeAddress = () => history.replaceState(null, "", `#${current}`);

  function togglePlaying() {
    if (playing) {
      clearInterval(playing);
      playing = 0;
    } else {
      if (current === total) go(1);
      playing = setInterval(() => (current < total ? go(current + 1) : togglePlaying()), STEP_MS);
    }
    show();
  }

  function copyAddress() {
    writeAddress();
    const field = /** @type {HTMLInputElement} */ (byId("address"));
    field.hidden = false;
    field.value = location.href;
    field.select();
    // The Clipboard API exists in secure contexts only.
    const copied = document.execCommand("copy");
    byId("link").textContent = text(copied ? "replay.copied" : "replay.copy_here");
    setTimeout(() => (byId("link").textContent = text("replay.copy")), COPIED_MS);
    if (copied) field.hidden = true;
  }

  function show() {
    const entry = entries[current - 1];
    if (!entry) return;
    board.light(entry.pixels);
    board.update({
      pools: entry.pool_details,
      plaques: entry.rim,
      label: text("board.label", {
        pools: entry.pool_details.map(({ label }) => label).join("; "),
      }),
    });
    render(replayView(entry), byId("replay"));
    const host = byId("chart");
    const label = text("replay.chart");
    const view = { width: host.clientWidth, entry: current, label, go };
    render(chartView(lines, total, view), host);
  }

  /** @param {Entry} entry */
  const replayView = (entry) =>
    html`<section class="card" aria-label=${text("replay.title")}>
        <p id="replay-sentence" aria-live="polite">${entry.sentence}</p>
        <p id="replay-entry" data-entry=${current}>${positionText(entry)}</p>
        <input
          id="scrubber"
          type="range"
          min="1"
          max=${total}
          .value=${String(current)}
          aria-label=${text("replay.title")}
          aria-valuetext="${positionText(entry)}: ${entry.sentence}"
          @input=${(/** @type {Event} */ event) => go(Number(valueOf(event)))}
        />
        <div class="transport">${transport()}</div>
        <p>
          <button type="button" class="plain" id="link" @click=${copyAddress}>
            ${text("replay.copy")}
          </button>
          <input id="address" readonly hidden aria-label=${text("replay.link")} />
        </p>
      </section>
      <section class="card">
        <h2>${text("replay.stacks")}</h2>
        <div id="chart"></div>
        <ul class="seats">
          ${entry.rows.map((row) => seatRow(row, colourOf(row.seat)))}
        </ul>
      </section>
      ${night.standings_rows.length ? standings : nothing}
      <div id="afterwards"></div>`;

  const standings = html`<section id="standings" class="card">
    <h2>${text("replay.standings")}</h2>
    ${standingsView(night.standings_rows)}
  </section>`;

  /** @param {Entry} entry */
  const positionText = (entry) =>
    `${text("replay.entry", { number: current, total })} · ${clockTime(entry.time_ms, true)}`;

  const transport = () => [
    iconButton("first", "first", () => go(1), current === 1),
    iconButton("prev", "previous", () => go(current - 1), current === 1),
    iconButton("play", playing ? "stop" : "play", togglePlaying),
    iconButton("next", "next", () => go(current + 1), current === total),
    iconButton("last", "last", () => go(total), current === total),
  ];

  /** @param {KeyboardEvent} event */
  function goByKey(event) {
    const target = /** @type {Element} */ (event.target);
    const own = target.id === "scrubber" || target.id === "address";
    if (event.ctrlKey || event.metaKey || event.altKey || own) return;
    const to = { ArrowLeft: current - 1, ArrowRight: current + 1, Home: 1, End: total }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    go(to);
  }

  byId("headline").textContent = [
    text("replay.night", { number: night.number }),
    night.ruleset,
    longDate(night.started_ms),
    ...(night.imported ? [text("replay.imported")] : []),
  ].join(" · ");
  addEventListener("keydown", goByKey);
  addEventListener("resize", show);
  addEventListener("hashchange", ({ newURL }) => {
    // Not `location`: the address of the entry before may have been written to it meanwhile.
    const named = entryOfAddress(new URL(newURL).hash);
    if (named !== null && named !== current) go(named);
  });
  show();
  void showAfterwards(byId("afterwards"), night);
}

/** @param {string} id @param {keyof typeof ICONS} icon @param {() => void} press */
const iconButton = (id, icon, press, disabled = false) =>
  html`<button
    type="button"
    class="soft"
    id=${id}
    aria-label=${text(`replay.${icon}`)}
    ?disabled=${disabled}
    @click=${press}
  >
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d=${ICONS[icon]}></path></svg>
  </button>`;
