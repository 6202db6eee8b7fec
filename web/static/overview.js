// @ts-check
// What everybody sees besides the sheet: the stage of the deal, what happened last, and in the menu
// what holds chips.

import { html, nothing, render } from "./vendor/lit-html.js";
import { byId } from "./elements.js";
import { isCalm } from "./ending.js";
import { at } from "./requests.js";
import { flyChips } from "./stage.js";
import { text } from "./texts.js";
import { isBetweenNights, showFault, showTitle, pushButton } from "./views.js";

/** @import { StateAnswer } from "../types" */
/** @import { App } from "./store.js" */

/** The parts of a deal, each with the phases that it is played in. */
const PARTS = [["meld"], ["pochen", "showdown"], ["shed"]];

const FLIGHT_MS = 300;

/** @param {App} app */
export function createOverview({ store, ending }) {
  /** @type {StateAnswer | null} */
  let before = null;
  store.subscribe(({ state, sick }) => {
    // What has just been recorded is seen to move, from where it was.
    const isNext = before?.night === state.night && before?.entry === state.entry - 1;
    if (isNext && !isCalm()) requestAnimationFrame(() => fly(state));
    before = state;
    showFault(state.fault?.message ?? sick);
    showHeadline(state);
    showNews(state);
    showResult(state, ending);
    if (isBetweenNights(state)) showTitle(state.guidance.title);
  });
}

/** At the end of a night, who has won it.
 * @param {StateAnswer} state @param {App["ending"]} ending */
function showResult(state, ending) {
  const { phase, night, guidance, standings_rows: standings } = state;
  const isOver = phase === "closed" && ending.hasEnded();
  byId("result").hidden = !isOver;
  const links = html`<p class="links">
    <a class="plain" href=${at(`/nights/${night}`)}>${text("Replay this night")}</a>
    <a class="plain" href=${at(`/nights/${night}/rules`)}>${text("The rules of this night")}</a>
  </p>`;
  render(
    isOver ? [html`<h2>${guidance.title}</h2>`, rankingView(standings, ending), links] : nothing,
    byId("result"),
  );
}

/** The plates of a night become its ranking.
 * @param {StateAnswer["standings_rows"]} rows @param {App["ending"]} ending */
const rankingView = (rows, { shows }) =>
  html`<ol class="ranking">
    ${rows.map(
      ({ rank, name, stack, net_text: net }) =>
        html`<li class=${shows(rank) ? "" : "unrevealed"} data-rank=${rank}>
          <b class="rank">${rank}.</b> <span class="name" dir="auto">${name}</span>
          <span class="net">${net}</span> <b class="stack">${stack}</b>
        </li>`,
    )}
  </ol>`;

/** @param {StateAnswer} state */
const fly = ({ last }) => flyChips(last?.flights ?? [], FLIGHT_MS);

/** @param {StateAnswer} state */
function showHeadline({ phase, phase_name: phaseName, headline_text: headline, board, pairing }) {
  const now = PARTS.findIndex((phases) => phases.includes(phase));
  const pips = PARTS.map((_, i) => {
    const done = i < now ? "done" : "";
    return html`<i class=${i === now ? "now" : done}></i>`;
  });
  const linked = board.simulated || board.link;
  render(now < 0 ? nothing : pips, byId("pips"));
  render(
    html`<span id="phase" class="phase" data-phase=${phase}>${phaseName}</span> ${
        linked ? nothing : html`<strong class="bad">${text("the board is not connected")}</strong>`
      }`,
    byId("headline"),
  );
  byId("menu-title").textContent = headline || text("More");
  byId("settings").hidden = !pairing.paired;
}

/** The pools and stacks with the chips that they hold, each to be opened.
 * @param {StateAnswer} state @param {(account: string) => void} open */
export function accountButtons({ pool_details: pools, rows }, open) {
  /** @param {string} account @param {string} name @param {number} chips */
  const button = (account, name, chips) =>
    pushButton(html`${name} <b>${chips}</b>`, () => open(account), {
      class: "pick",
      "data-account": account,
    });
  return html`<div class="picks">
    ${pools.map(({ pool, name, chips }) =>
      chips === null ? nothing : button(`pool:${pool}`, name, chips),
    )}
    ${rows.map(({ seat, name, stack }) => button(`seat:${seat}`, name, stack))}
  </div>`;
}

/** What has happened last. @param {StateAnswer} state */
function showNews({ bots, last }) {
  // Bots comment on the game themselves.
  const said = bots ? "" : (last?.sentence ?? "");
  if (byId("said").textContent !== said) byId("said").textContent = said;
}
