// @ts-check
// The table for a large screen: read from across the room, all night, without a touch.

import { html, nothing, render } from "./vendor/lit-html.js";
import { bowlsView } from "./bowls.js";
import { followEvents } from "./connection.js";
import { byId, revealPage } from "./elements.js";
import { createEnding } from "./ending.js";
import { platesView } from "./plates.js";
import { request } from "./requests.js";
import { createStage } from "./stage.js";
import { rankSign, suitName, suitView } from "./suits.js";
import { ntext, text } from "./texts.js";
import { createToast, isBetweenNights, showFault } from "./views.js";

/** @import { NightAnswer, Plaque, StandingsRow, StateAnswer } from "../types" */

const LONG_TITLE = 30; // letters, which need two lines

startScreen();

function startScreen() {
  /** @type {StateAnswer | null} */
  let state = null;
  const toast = createToast(byId("toast"));
  const stage = createStage();
  const crown = createCrown(stage);
  const ending = createEnding(() => state && showAll(state));
  /** @param {StateAnswer} shown */
  function showAll(shown) {
    showTable(shown, ending);
    if (!ending.isRevealing()) void crown(shown);
  }
  followEvents({
    known: () => state,
    state(next) {
      state = next;
      ending.follow(next);
      stage.show(next);
      showAll(next);
    },
    refused: ({ message }) => toast(message),
    frame: () => {},
    health: ({ message }) => showFault(state?.fault?.message ?? message),
    reconnecting: () => showBadge(text("reconnecting …")),
    live(now) {
      if (now) revealPage();
      document.body.classList.remove("waiting", "live", "stale");
      document.body.classList.add(now ? "live" : "stale");
      showBadge(text(now ? "live" : "reconnecting …"));
    },
  });
}

/** @param {string} words */
function showBadge(words) {
  byId("badge").textContent = words;
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
function showTable(state, ending) {
  const betweenNights = isBetweenNights(state);
  const plates = betweenNights ? placesView(state, ending) : platesView(state.rows);
  const ask = titleOf(state, ending.isRevealing());
  document.title = text("{what} – Pochboard", { what: ask });
  document.body.classList.toggle("between-nights", betweenNights);
  document.body.classList.toggle("nobody", !plates.length);
  if (byId("ask").textContent !== ask) byId("ask").textContent = ask;
  byId("ask").classList.toggle("long", ask.length > LONG_TITLE);
  byId("last").textContent = ending.isRevealing() ? "" : lineOf(state);
  byId("seats").style.setProperty("--n", String(plates.length));
  render(plates, byId("seats"));
  render(bowlsView(state.pool_details), byId("board"));
  render(betweenNights ? nothing : stakesView(state), byId("stakes"));
  byId("reach").hidden = !betweenNights;
  showFault(state.fault?.message ?? null);
}

/** The result of a night, until the next one is put together.
 * @param {StateAnswer} state @param {ReturnType<typeof createEnding>} ending */
function placesView({ phase, pending, rim, standings_rows: rows }, ending) {
  if (phase !== "closed" || pending?.lobby) return rim.map(placeView);
  return rows.map((row) => resultView(row, ending.shows(row.rank)));
}

/** What it costs to stay in stands beside the headline.
 * @param {StateAnswer} state @param {boolean} isRevealing */
function titleOf({ to_act: seat, names, guidance }, isRevealing) {
  if (isRevealing) return text("And the winner is …");
  return seat === null ? guidance.title : text("{name}’s turn", { name: names[seat] ?? "" });
}

/** What happened last; or what to press, where the board itself is all there is to play with.
 * @param {StateAnswer} state */
function lineOf({ phase, board, pairing, guidance, last, switching_off: isOff }) {
  if (phase === "closed") return "";
  const isBoardAlone = !board.simulated && !pairing.phones;
  return ((isBoardAlone || isOff) && guidance.lines[0]) || last?.sentence || "";
}

/** What it costs to stay in, the pots, and the trump suit as a card.
 * @param {StateAnswer} state */
function stakesView({ phase, pot, need, trump, turned, actions }) {
  const pots = actions.showdown?.pots ?? [];
  const whole = { chips: pot ?? 0, label: text("in the pot") };
  const shown = pots.length > 1 ? pots : [whole];
  const isBetting = phase === "pochen" || phase === "showdown";
  return [
    need ? stakeView("need", text("to stay in"), need) : nothing,
    isBetting && pot ? shown.map(({ chips, label }) => stakeView("pot", label, chips)) : nothing,
    trump ? trumpCard(trump, turned) : nothing,
  ];
}

/** @param {string} suit @param {string | null} turned the card, if it was turned up */
const trumpCard = (suit, turned) =>
  html`<div
    class="trump"
    data-stake="trump"
    role="img"
    aria-label=${`${text("Trumps")}: ${suitName(suit)}`}
  >
    <b>${turned ? rankSign(turned.slice(0, 1)) : nothing}</b> ${suitView(suit)}
  </div>`;

/** @param {string} kind @param {string} label @param {number} chips */
const stakeView = (kind, label, chips) =>
  html`<div data-stake=${kind}><b>${chips}</b> <span>${label}</span></div>`;

/** A place of the next night. @param {Plaque} plaque */
const placeView = ({ name, detail, dealer }) =>
  html`<li class="plate">
    <div class="face">
      <span class="name" dir="auto">${name}</span>
      <span class="word">${dealer ? detail : nothing}</span>
    </div>
  </li>`;

/** @param {StandingsRow} row @param {boolean} isRevealed */
const resultView = ({ rank, name, stack, net_text: net }, isRevealed) =>
  html`<li class="plate ${isRevealed ? "" : "unrevealed"}" data-rank=${rank}>
    <div class="face">
      <span class="name" dir="auto">${rank}. <bdi>${name}</bdi></span>
      <b class="stack">${net}</b>
      <span class="word">${ntext("{count} chip", "{count} chips", { count: stack })}</span>
    </div>
  </li>`;
