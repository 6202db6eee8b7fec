// @ts-check
// A practice deal: the coach's sentences, a picture of what they are about, and the learner's hand.

import { html, nothing } from "./vendor/lit-html.js";
import { actionButton, handCard, runView } from "./bots_view.js";
import { cardView } from "./cards.js";
import { byId, findAll } from "./elements.js";
import { askForBots, keepSeat } from "./onlooking.js";
import { ownerName } from "./owner.js";
import { text } from "./texts.js";
import { pushButton } from "./views.js";

/** @import { HandAnswer } from "../types" */
/** @import { Table } from "./bots_view.js" */
/** @import { App } from "./store.js" */
/** @typedef {NonNullable<HandAnswer["lesson"]>} Lesson */

const MANY_CARDS = 5;
const PLAYING = ["shed", "lead", "follow", "watch"];

/** Begins a practice, in the name of the phone's owner. @param {App} app */
export async function beginPractice(app) {
  const seat = await askForBots(app, "/api/bots/practice", { name: ownerName() ?? "" });
  if (seat) keepSeat(seat);
  app.update();
}

/** Follows the coach: rings the pools that a lesson is about, and shows it from its beginning.
 * @param {HandAnswer | null} hand */
export function followLesson(hand) {
  const { pools: about = [], name = "" } = hand?.lesson ?? {};
  const bar = byId("bar");
  if (bar.dataset["lesson"] !== name) bar.scrollTop = 0;
  bar.dataset["lesson"] = name;
  for (const pool of findAll(".bowls .bowl", HTMLElement)) {
    pool.classList.toggle("taught", about.includes(pool.dataset["bowl"] ?? ""));
  }
}

/** @param {Table} table */
export function practiceView(table) {
  const { hand, busy, deeds } = table;
  const lesson = hand?.lesson;
  if (!hand || !lesson) return nothing;
  const { name, stage, stages, title, lines, button } = lesson;
  // What may be done, and while there is something to claim only that.
  const due = hand.due.length > 0;
  const actions = hand.actions.filter(({ main }) => main || !due);
  const leave = pushButton(text("Leave the practice"), () => deeds.dismiss(), {
    class: "plain",
    "data-leave": "",
    disabled: busy,
  });
  return html`<section
    id="practice"
    class="practice"
    data-lesson=${name}
    aria-label=${text("Practice")}
  >
    <div class="practice-top">
      <span class="quiet-note">${text("Step {stage} of {stages}", { stage, stages })}</span>
      ${leave}
    </div>
    <div class="coach" aria-live="polite">
      <h2>${title}</h2>
      ${lines.map(
        ({ term, text: said }) => html`<p>${term ? html`<b>${term}:</b> ` : nothing}${said}</p>`,
      )}
    </div>
    ${pictureView(table, lesson)} ${hand.cards.length ? fanView(table, hand, lesson) : nothing}
    <div class="row actions go">
      ${button === null ? actions.map((action) => actionButton(table, action)) : nothing}
      ${
        button === null
          ? nothing
          : pushButton(button, () => deeds.readLesson(name), {
              class: "main",
              "data-read": name,
              disabled: busy,
            })
      }
    </div>
  </section>`;
}

/** A hand in the picture. @param {readonly string[]} cards @param {string} name whose it is */
const shownView = (cards, name) =>
  html`<li>${cards.map((code) => cardView(code))} <span>${name}</span></li>`;

/** The pools with their chips, the cards that are compared, or those on the table.
 * @param {Table} table @param {Lesson} lesson */
function pictureView({ state, bots, odd }, { name, pools, shown }) {
  if (PLAYING.includes(name)) {
    const { run, taker, short_names: names } = bots;
    return run.length ? html`<div class="felt">${runView(run, taker, names, odd)}</div>` : nothing;
  }
  const about = state.pool_details.filter(({ pool }) => pools.includes(pool));
  return html`${
    about.length
      ? html`<ul class="pills">
          ${about.map((pool) => html`<li>${pool.name} <b>${pool.chips}</b></li>`)}
        </ul>`
      : nothing
  }
  ${
    shown.length
      ? html`<ul class="shown-hands">
          ${shown.map(({ cards, seat }) => shownView(cards, state.names[seat ?? 0] ?? ""))}
        </ul>`
      : nothing
  }`;
}

/** @param {Table} table @param {HandAnswer} hand @param {Lesson} lesson */
function fanView(table, hand, { marked, button }) {
  const playable = button === null ? hand.playable : [];
  // Cards to tap are as large as a finger needs.
  const small = hand.cards.length > MANY_CARDS && !playable.length;
  return html`<div class="fan ${small ? "small" : ""} ${marked.length ? "" : "idle"}">
    ${hand.cards.map((code) => handCard(table, code, playable, marked.includes(code)))}
  </div>`;
}
