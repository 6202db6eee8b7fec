// @ts-check
// The table for a large screen: read from across the room, all night, without a touch.
//
// Hooks for tests, kept stable: #headline #badge #ask #toast #fault #seat-2 .stack
//   #news li                 the last entries, newest first (data-entry, .struck when taken back)
//   #reach                   the address of the page and its QR code, between nights

import { html, nothing } from "./vendor/lit-html.js";
import { createBoard } from "./board.js";
import { followEvents } from "./connection.js";
import { render } from "./drawing.js";
import { byId, pageStarted } from "./elements.js";
import { createFaceLoader } from "./face.js";
import { request } from "./requests.js";
import { trumpView } from "./suits.js";
import { actionLabels, LANGUAGE, text } from "./texts.js";
import { createBackoff, pause } from "./time.js";
import { createToast, isBetweenNights, seatRow, standingsView } from "./views.js";

/** @import { EntryAnswer, SeatRow, StateAnswer } from "../types" */

const MOST_NEWS = 6;
const LONG_TITLE = 70; // letters
const FETCH_AGAIN_MS = 1_000;
const LONGEST_AGAIN_MS = 5_000;

startScreen();

function startScreen() {
  /** @type {StateAnswer | null} */
  let state = null;
  let live = false;
  const board = createPicture(byId("board"));
  const toast = createToast(byId("toast"));
  const news = createNews(byId("news"));
  const reloadIfChanged = createReloader();

  followEvents({
    known: () => state,
    state(next) {
      state = next;
      board.show(next);
      showFacts(next);
      void news.follow(next);
    },
    refused: ({ message, button }) => toast(message, button),
    frame: board.light,
    health: ({ message }) => showFault(state?.fault?.message ?? message),
    reconnecting: () => showBadge("connection.reconnecting"),
    live(now) {
      if (now && !live) void reloadIfChanged();
      live = now;
      if (now) pageStarted();
      document.body.classList.remove("waiting", "live", "stale");
      document.body.classList.add(now ? "live" : "stale");
      showBadge(now ? "connection.live" : "connection.reconnecting");
    },
  });
}

/** Reloads the page if the daemon now has another one, as after an update: nobody is there to do
 * it. */
function createReloader() {
  /** @type {string | null} */
  let first = null;
  return async () => {
    const answer = await fetch(location.href).catch(() => null);
    const sent = answer?.ok ? await answer.text().catch(() => "") : "";
    // In another language, because of another window, it says nothing about an update.
    const page = sent.includes(`data-language="${LANGUAGE}"`) ? sent : null;
    if (first !== null && page !== null && page !== first) location.reload();
    first ??= page;
  };
}

/** The board as a picture, drawn again whenever its shape changes. @param {HTMLElement} host */
function createPicture(host) {
  /** @type {ReturnType<typeof createBoard> | null} */
  let board = null;
  /** @type {string[]} */
  let pixels = [];
  /** @type {StateAnswer | null} */
  let latest = null;
  const fit = createFaceLoader((face) => {
    if (!latest) return;
    board = createBoard(host, { face });
    board.light(pixels);
    update(latest);
  });

  /** @param {StateAnswer} state */
  function update({ pool_details: pools, rim, board_label: label }) {
    board?.update({ pools, plaques: rim, label, labels: actionLabels() });
  }

  return {
    /** @param {string[]} frame */
    light(frame) {
      pixels = frame;
      board?.light(frame);
    },
    /** @param {StateAnswer} state */
    show(state) {
      latest = state;
      update(state);
      fit(state.board);
    },
  };
}

/** @param {string} name */
function showBadge(name) {
  byId("badge").textContent = text(name);
}

/** @param {string | null} message */
function showFault(message) {
  byId("fault").hidden = message === null;
  byId("fault").textContent = message;
}

/** @param {StateAnswer} state */
function showFacts(state) {
  const { phase, rows, standings_rows: standings } = state;
  const { title, lines } = state.guidance;
  const betweenNights = isBetweenNights(state);
  document.title = text("title.now", { what: title });
  document.body.classList.toggle("between-nights", betweenNights);
  byId("headline").textContent = state.headline_phase;
  render(state.trump ? trumpView(state.trump) : nothing, byId("trump"));
  if (byId("ask").textContent !== title) byId("ask").textContent = title;
  byId("ask").classList.toggle("long", title.length > LONG_TITLE);
  showFault(state.fault?.message ?? null);
  render(phase === "closed" ? standingsView(standings) : seatsView(rows), byId("seats"));
  render(phase === "none" ? lines.map((line) => html`<p>${line}</p>`) : nothing, byId("lines"));
  byId("reach").hidden = !betweenNights;
}

/** @param {readonly SeatRow[]} rows */
const seatsView = (rows) =>
  html`<ul class="seats">
    ${rows.filter(({ place }) => place !== null).map((row) => seatRow(row))}
  </ul>`;

/** The last entries of the night. @param {HTMLElement} list */
function createNews(list) {
  /** @type {StateAnswer | null} */
  let latest = null;
  let fetching = false;
  const backoff = createBackoff(FETCH_AGAIN_MS, LONGEST_AGAIN_MS);

  /** @param {StateAnswer} state */
  async function follow(state) {
    const other = latest?.night !== state.night;
    latest = state;
    if (other || state.phase === "closed") render(nothing, list);
    if (fetching) return;
    fetching = true;
    /** @type {StateAnswer | null} */
    let shown = null;
    while (shown !== latest) {
      /** @type {StateAnswer} */
      const wanted = latest;
      if (await fetchNews(wanted)) {
        shown = wanted;
        backoff.reset();
      } else await pause(backoff.nextMs());
    }
    fetching = false;
  }

  /** Whether there was an answer. @param {StateAnswer} state */
  async function fetchNews({ night, entry, phase, taken_back: takenBack }) {
    if (night === null || phase === "closed") return true;
    const after = Math.max(0, entry - MOST_NEWS);
    const answer = await request("GET", `/api/nights/${night}/entries?after=${after}`);
    if (answer?.status !== 200) return false;
    if (latest?.night !== night || latest.phase === "closed") return true;
    /** @type {EntryAnswer[]} */
    const entries = answer.json;
    render(
      entries
        .reverse()
        .map(
          ({ number, sentence }) =>
            html`<li data-entry=${number} class=${takenBack.includes(number) ? "struck" : ""}>
              ${sentence}
            </li>`,
        ),
      list,
    );
    return true;
  }

  return { follow };
}
