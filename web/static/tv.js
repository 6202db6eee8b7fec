// @ts-check
// The table for a large screen: read from across the room, all night, without a touch.
//
// Hooks for tests, kept stable: #headline #badge #ask #do #toast #fault #seat-2 .stack
//   #stakes [data-stake]     trumps, what the betting is about, what it takes to stay in
//   #spotlight, #flights     what has just happened, large; chips on their way
//   #news li                 the last entries, newest first (data-entry, .struck when taken back)
//   #reach                   the address of the page and its QR code, between nights

import { html, nothing } from "./vendor/lit-html.js";
import { createBoard } from "./board.js";
import { followEvents } from "./connection.js";
import { render } from "./drawing.js";
import { byId, revealPage } from "./elements.js";
import { createEnding } from "./ending.js";
import { createFaceLoader } from "./face.js";
import { request } from "./requests.js";
import { createStage } from "./stage.js";
import { suitView, suitName } from "./suits.js";
import { actionLabels, text } from "./texts.js";
import { createBackoff, pause } from "./time.js";
import { createToast, isBetweenNights, seatRow, showFault, standingsView } from "./views.js";

/** @import { EntryAnswer, NightAnswer, SeatRow, StateAnswer } from "../types" */

const MOST_NEWS = 6;
const LONG_TITLE = 70; // letters
const SHORT_TITLE = 24;
const FEW_SEATS = 5; // more of them are written smaller
const FETCH_AGAIN_MS = 1_000;
const LONGEST_AGAIN_MS = 5_000;

startScreen();

function startScreen() {
  /** @type {StateAnswer | null} */
  let state = null;
  const board = createPicture(byId("board"));
  const toast = createToast(byId("toast"));
  const news = createNews(byId("news"));
  const stage = createStage();
  const crown = createCrown(stage);
  const ending = createEnding(() => state && showAll(state));
  /** @param {StateAnswer} shown */
  function showAll(shown) {
    showFacts(shown, ending);
    if (!ending.isRevealing()) void crown(shown);
  }
  followEvents({
    known: () => state,
    state(next) {
      state = next;
      board.show(next);
      ending.follow(next);
      stage.show(next);
      showAll(next);
      void news.follow(next);
    },
    refused: ({ message, button }) => toast(message, button),
    frame: board.light,
    health: ({ message }) => showFault(state?.fault?.message ?? message),
    reconnecting: () => showBadge("connection.reconnecting"),
    live(now) {
      if (now) revealPage();
      document.body.classList.remove("waiting", "live", "stale");
      document.body.classList.add(now ? "live" : "stale");
      showBadge(now ? "connection.live" : "connection.reconnecting");
    },
  });
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

/** Shows the awards of a night once it is over.
 * @param {ReturnType<typeof createStage>} stage */
function createCrown(stage) {
  let shown = "";
  /** @param {StateAnswer} state */
  return async ({ phase, night, entry }) => {
    const wanted = phase === "closed" ? `${night}.${entry}` : "";
    if (wanted === shown) return;
    shown = wanted;
    const answer = wanted ? await request("GET", `/api/nights/${night}`) : null;
    if (shown !== wanted || !wanted) return;
    if (answer?.status !== 200) {
      shown = ""; // the next state asks again
      return;
    }
    /** @type {NightAnswer} */
    const { awards } = answer.json;
    stage.crown(awards);
  };
}

/** @param {StateAnswer} state @param {ReturnType<typeof createEnding>} ending */
function showFacts(state, ending) {
  const { phase, rows, standings_rows: standings } = state;
  const { lines } = state.guidance;
  const title = ending.isRevealing() ? text("tv.reveal") : state.guidance.title;
  const betweenNights = isBetweenNights(state);
  document.title = text("title.now", { what: title });
  document.body.classList.toggle("between-nights", betweenNights);
  byId("headline").textContent = state.headline_phase;
  render(betweenNights ? nothing : stakesView(state), byId("stakes"));
  if (byId("ask").textContent !== title) byId("ask").textContent = title;
  byId("ask").classList.toggle("long", title.length > LONG_TITLE);
  byId("ask").classList.toggle("short", title.length <= SHORT_TITLE);
  byId("do").textContent = betweenNights ? "" : (lines[0] ?? "");
  document.body.classList.toggle("many", rows.length > FEW_SEATS);
  showFault(state.fault?.message ?? null);
  render(
    phase === "closed" ? standingsView(standings, ending.shows) : seatsView(rows),
    byId("seats"),
  );
  render(phase === "none" ? lines.map((line) => html`<p>${line}</p>`) : nothing, byId("lines"));
  byId("reach").hidden = !betweenNights;
}

/** What the deal is about. All three have their place all the time, so that nothing moves.
 * @param {StateAnswer} state */
const stakesView = ({ trump, pot, need }) => [
  stakeView("trump", text("trump"), trump ? html`${suitView(trump)} ${named(trump)}` : null),
  stakeView("pot", text("tv.pot"), pot || null),
  stakeView("need", text("tv.need"), need || null),
];

/** @param {string} suit */
const named = (suit) => html`<span class="quiet">${suitName(suit)}</span>`;

/** @param {string} kind @param {string} label @param {unknown} value */
const stakeView = (kind, label, value) =>
  html`<div data-stake=${kind}>
    <dt>${label}</dt>
    <dd>${value ?? "–"}</dd>
  </div>`;

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
