// @ts-check
// What everybody sees: the headline, what may happen now, the seats, and what holds chips.

import { html, nothing } from "./vendor/lit-html.js";
import { render } from "./drawing.js";
import { byId } from "./elements.js";
import { at } from "./requests.js";
import { text } from "./texts.js";
import { isBetweenNights, seatRow, showFault, standingsView } from "./views.js";

/** @import { StateAnswer } from "../types" */
/** @import { App } from "./store.js" */

/** @param {App} app */
export function createOverview({ store, ownSeat, ending, openAccount }) {
  store.subscribe(({ state, sick }) => {
    showFault(state.fault?.message ?? sick);
    showHeadline(state);
    showNow(state, ending);
    showNews(state);
    showSeats(state, ownSeat());
    showAccounts(state, openAccount);
  });
}

/** @param {StateAnswer} state */
function showHeadline(state) {
  const { headline_text: headline, phase, phase_name: phaseName, board, pairing, trump } = state;
  const linked = board.simulated || board.link;
  render(
    html`${headline ? html`<span class="which">${headline} ·</span>` : nothing}
      <span id="phase" class="phase" data-phase=${phase}>${phaseName}</span>
      ${trump && !isBetweenNights(state) ? html`<span id="trump"></span>` : nothing}
      ${linked ? nothing : html` · <strong class="bad">${text("connection.no_link")}</strong>`}`,
    byId("headline"),
  );
  byId("settings").hidden = !pairing.paired;
}

/** What may happen now, and at the end of a night who has won it.
 * @param {StateAnswer} state @param {App["ending"]} ending */
function showNow(
  { phase, night, guidance: { title, lines }, standings_rows: standings, bots_seed: seed },
  ending,
) {
  const result = standingsView(standings, ending.shows);
  const replay = html`<p>
    <a class="plain" href=${at(`/nights/${night}`)}>${text("standings.replay")}</a>
  </p>`;
  const dealt = seed ? html`<p>${text("standings.seed", { seed })}</p>` : nothing;
  render(
    html`<h2>${title}</h2>
      ${phase === "closed" ? [result, replay, rulesLink(night), dealt] : nothing}
      ${lines.map((line) => html`<p>${line}</p>`)}`,
    byId("now"),
  );
}

/** @param {number | null} night */
const rulesLink = (night) =>
  html`<p><a class="plain" href=${at(`/nights/${night}/rules`)}>${text("rules.tonight")}</a></p>`;

/** @param {StateAnswer} state @param {number | null} own */
function showSeats({ phase, rows }, own) {
  byId("seats").hidden = phase === "none";
  render(
    html`<h2>${text("seats.title")}</h2>
      <ul class="seats">
        ${rows.map((row) => seatRow(row, row.seat === own ? "own" : ""))}
      </ul>`,
    byId("seats"),
  );
}

/** The pools and stacks; a tap says why they hold what they hold.
 * @param {StateAnswer} state @param {(account: string) => void} open */
function showAccounts(state, open) {
  const { night, phase, hints } = state;
  byId("accounts").hidden = phase === "none" || phase === "closed";
  render(
    html`<h2>${text("section.accounts")}</h2>
      ${accountButtons(state, open)} ${hints.map((hint) => html`<p class="hint">${hint}</p>`)}
      ${rulesLink(night)}`,
    byId("accounts"),
  );
}

/** The pools and stacks with the chips that they hold, each to be opened.
 * @param {StateAnswer} state @param {(account: string) => void} open */
export function accountButtons({ pool_details: pools, rows }, open) {
  /** @param {string} account @param {string} name @param {number} chips */
  const button = (account, name, chips) =>
    html`<button type="button" class="pick" data-account=${account} @click=${() => open(account)}>
      ${name} <b>${chips}</b>
    </button>`;
  return html`<div class="picks">
    ${pools.map(({ pool, name, chips }) =>
      chips === null ? nothing : button(`pool:${pool}`, name, chips),
    )}
    ${rows.map(({ seat, name, stack }) => button(`seat:${seat}`, name, stack))}
  </div>`;
}

/** What has happened last. @param {StateAnswer} state */
function showNews({ demo, last_sentence: last }) {
  // Bots comment on the game themselves.
  const said = demo ? "" : (last ?? "");
  if (byId("said").textContent !== said) byId("said").textContent = said;
}
