// @ts-check
// How bots at the table are drawn.

import { html, nothing } from "./vendor/lit-html.js";
import { backView, cardName, cardView, suitSwitch } from "./cards.js";
import { cardLanguage, suitName, suitView } from "./suits.js";
import { ntext, text } from "./texts.js";
import { pushButton } from "./views.js";

/** @import { BotsState, HandAction, HandAnswer, StateAnswer } from "../types" */
/** @import { OwnSeat } from "./onlooking.js" */
/** @import { App } from "./store.js" */
/**
 * What is drawn, and what the controls do.
 * @typedef {object} Table
 * @property {StateAnswer} state
 * @property {BotsState} bots
 * @property {OwnSeat | null} own the seat of this tab
 * @property {HandAnswer | null} hand its cards
 * @property {boolean} isInBar whether they are in the bar, because cards are played
 * @property {boolean} odd alternates from run to run
 * @property {boolean} busy
 * @property {Record<"layCard" | "readLesson", (what: string) => void> &
 *   Record<"takeSeat" | "giveBack" | "setSpeed", (number: number) => void> &
 *   {dismiss: () => void}} deeds
 * @property {App} app
 * @property {() => void} draw
 */
const MANY_HOLDERS = 4;
const MANY_CARDS = 5;
const SPEEDS = /** @type {const} */ ([0.5, 1, 2, 5]);
const SPEED_LABELS = { 0.5: "½×", 1: "1×", 2: "2×", 5: "5×" };

/** @param {Table} table */
export function botsView(table) {
  const { state, bots, own, busy, deeds, draw } = table;
  const { paired } = state.pairing;
  const holders = state.rows.map((row) => row.seat).filter((one) => one in bots.players);
  const stuck = html`<p id="stuck" class="error" role="alert">
    ${text("The computer players cannot continue: {reason}", { reason: bots.stuck ?? "" })}
  </p>`;
  const dismissButton = pushButton(text("Send them away"), deeds.dismiss, {
    "data-dismiss": "",
    disabled: busy,
  });
  return html`<h2>${text("The cards")}</h2>
    ${bots.stuck ? stuck : nothing} ${tableView(state, bots, table.odd)}
    ${own && !table.isInBar ? handView(table, own) : nothing}
    <ul class=${holders.length > MANY_HOLDERS ? "holders many" : "holders"}>
      ${holders.map((holder) => holderView(table, holder))}
    </ul>
    ${bots.laid.length ? laidView(bots.laid) : nothing}
    <div class="conduct">
      ${paired ? speedView(table) : nothing}${suitSwitch(draw)}${paired ? dismissButton : nothing}
    </div>`;
}

/** @param {Table} table @param {number} holder */
function holderView(table, holder) {
  const { state, bots } = table;
  const held = bots.held[holder] ?? 0;
  const shown = bots.shown[holder] ?? [];
  const flag = holderFlag(table, holder);
  const gone = new Set([...bots.laid, ...bots.run.map(({ card }) => card)]);
  const shownView = html`<span class="shown">
    <span class="quiet">${text("has shown")}</span>
    ${shown.map((code) => cardView(code, { compact: true, played: gone.has(code) }))}
  </span>`;
  return html`<li data-holder=${holder} class=${bots.waits?.seat === holder ? "awaited" : ""}>
    <span class="holder">
      ${state.names[holder]} ${flag ? html`<em class="flag">${flag}</em>` : nothing}
    </span>
    <span class="holds">
      <span class="backs" aria-hidden="true"
        >${Array.from({ length: bots.backs[holder] ?? 0 }, () =>
          backView({ compact: true, label: "" }),
        )}</span
      >
      <span class="held">
        <span aria-hidden="true">${held}</span>
        <span class="quiet">${ntext("{count} card", "{count} cards", { count: held })}</span>
      </span>
      ${shown.length ? shownView : nothing}
    </span>
    ${state.pairing.paired ? seatButton(table, holder) : nothing}
  </li>`;
}

/** @param {Table} table @param {number} holder */
function holderFlag({ bots, own }, holder) {
  if (own?.seat === holder) return text("you");
  if (bots.waits?.seat === holder) return text("to act");
  return bots.players[holder] === "person" ? text("a person") : "";
}

/** Takes over a seat, or gives it back; a tab has one seat at most.
 * @param {Table} table @param {number} holder */
function seatButton({ state, bots, own, busy, deeds }, holder) {
  const name = state.names[holder] ?? "";
  if (own?.seat === holder) return nothing;
  if (bots.players[holder] === "person") {
    return pushButton(text("Let the computer play"), () => deeds.giveBack(holder), {
      "data-give": holder,
      "aria-label": text("Let the computer play for {name}", { name }),
      disabled: busy,
    });
  }
  if (own) return nothing;
  return pushButton(text("Take over"), () => deeds.takeSeat(holder), {
    "data-take": holder,
    "aria-label": text("Take over the seat of {name}", { name }),
    disabled: busy,
  });
}

/** @param {Table} table */
function speedView({ bots: { speed }, busy, deeds }) {
  /** @param {typeof SPEEDS[number]} offered */
  const button = (offered) =>
    pushButton(SPEED_LABELS[offered], () => deeds.setSpeed(offered), {
      class: "pick",
      "data-speed": offered,
      "aria-pressed": offered === speed ? "true" : "false",
      disabled: busy,
    });
  const other = html`<span class="now">${text("now {speed}×", { speed })}</span>`;
  return html`<div class="speeds" role="group" aria-label=${text("Speed")}>
    ${SPEEDS.map(button)} ${SPEEDS.some((offered) => offered === speed) ? nothing : other}
  </div>`;
}

/** @param {Table} table @param {OwnSeat} own */
export function handView(table, own) {
  const { bots, hand, busy, deeds } = table;
  const cards = hand?.cards ?? [];
  const giveBack = pushButton(text("Let the computer play again"), () => deeds.giveBack(own.seat), {
    class: "plain",
    "data-give": own.seat,
    disabled: busy,
  });
  return html`<section
    id="hand"
    class="own-hand ${bots.waits?.seat === own.seat ? "turn" : ""}"
    aria-label=${text("Your hand")}
  >
    <div class="hand-top">
      <p id="awaited" class="prompt" aria-live="polite">
        ${hand?.prompt ?? text("Your cards are on their way.")}
      </p>
      ${giveBack}
    </div>
    ${
      hand?.actions.length
        ? html`<div class="row actions">
            ${hand.actions.map((action) => actionButton(table, action))}
          </div>`
        : nothing
    }
    <div class=${cards.length > MANY_CARDS ? "fan many" : "fan"} ?hidden=${!cards.length}>
      ${cards.map((code) => handCard(table, code, hand?.playable ?? []))}
    </div>
  </section>`;
}

/** @param {Table} table @param {HandAction} action */
export const actionButton = ({ app }, { label, command, main }) =>
  pushButton(label, () => app.sendCommand({ ...command }), {
    class: main ? "main" : "soft",
    "data-action": command.do,
    "data-pool": "pool" in command ? command.pool : nothing,
  });

/** A card of the hand, which may be played if it is one of these.
 * @param {Table} table @param {string} code @param {readonly string[]} playable
 * @param {boolean} [selected] */
export function handCard({ busy, deeds }, code, playable, selected = false) {
  if (!playable.includes(code)) return cardView(code, { selected, played: playable.length > 0 });
  const lay = pushButton("", () => deeds.layCard(code), {
    class: nothing,
    "data-lay": code,
    lang: cardLanguage(),
    "aria-label": cardName(code),
    disabled: busy,
  });
  return html`<span class=${selected ? "playable advised" : "playable"}
    >${cardView(code, { silent: true, selected })}${lay}</span
  >`;
}

/** @param {StateAnswer} state @param {BotsState} bots @param {boolean} odd */
function tableView({ trump }, { turned, run, taker, count, short_names: names }, odd) {
  const counted = html`<p id="count" class="counted">${text("Count")} <b>${count}</b></p>`;
  const taken = html`<p id="taken">
    ${text("{name} takes it.", { name: names[taker ?? 0] ?? "" })}
  </p>`;
  return html`<div class="felt">
    <div id="turned" class="turned">
      ${turned ? cardView(turned) : backView({ label: text("no card is turned up") })}
      <span class="trump">${trump ? trumpView(trump) : text("the pack")}</span>
    </div>
    <div class="middle" aria-live="polite">
      ${run.length ? runView(run, taker, names, odd) : nothing}
      ${run.length && count !== null ? counted : nothing}
      ${run.length && taker !== null ? taken : nothing}
    </div>
  </div>`;
}

/** @param {string} suit */
const trumpView = (suit) =>
  html`${suitView(suit)} <span lang=${cardLanguage()}>${suitName(suit)}</span>`;

/** @param {BotsState["run"]} run @param {number | null} taker
 * @param {Record<string, string>} names @param {boolean} odd */
export const runView = (run, taker, names, odd) =>
  html`<ol id="run" class="run ${odd ? "one" : "other"} ${run.length > MANY_CARDS ? "many" : ""}">
    ${run.map(
      ({ seat, card }) =>
        html`<li data-seat=${seat} class=${seat === taker ? "took" : ""}>
          ${cardView(card, { note: text("played by {name}", { name: names[seat] ?? "" }) })}
          <span aria-hidden="true">${names[seat]}</span>
        </li>`,
    )}
  </ol>`;

/** @param {readonly string[]} cards */
const laidView = (cards) =>
  html`<details class="laid">
    <summary>
      ${ntext("Played before: {count} card", "Played before: {count} cards", {
        count: cards.length,
      })}
    </summary>
    <div>${cards.map((code) => cardView(code, { compact: true }))}</div>
  </details>`;
