// @ts-check
// The referee: the cards that the seats show are tapped in, and the daemon says who wins and why.

import { html, nothing, render } from "./vendor/lit-html.js";
import { cardName, cardView, suitSwitch } from "./cards.js";
import { closeDialog, openDialog, stillOpen } from "./dialog.js";
import { findAll } from "./elements.js";
import { reason, request } from "./requests.js";
import { orderOf } from "./showdown.js";
import { cardLanguage, pattern, suitName, SUITS, suitView } from "./suits.js";
import { text } from "./texts.js";
import { problemView, pushButton } from "./views.js";

/** @import { RefereeQuestion, StateAnswer, Verdict } from "../types" */
/** @import { App } from "./store.js" */
/** @typedef {Record<number, string[]>} Hands cards by seat */

/**
 * What has been tapped in so far.
 * @typedef {object} Draft
 * @property {string} stage it is of; the next question begins with an empty draft
 * @property {number | null} seat whose cards are tapped
 * @property {Hands} hands
 * @property {string | null} trump as chosen, where it has to be
 * @property {string} focus the card that the tab key comes to
 * @property {string} asked what the daemon was asked, or is about to be
 * @property {Verdict | null} verdict its answer
 * @property {string} problem why there is none
 * @property {string} refused why the verdict could not be recorded
 * @property {boolean} recording
 */

/**
 * What the panel is drawn with.
 * @typedef {object} Tools
 * @property {StateAnswer} state
 * @property {RefereeQuestion} question
 * @property {Draft} draft
 * @property {HTMLDialogElement} dialog
 * @property {() => void} draw
 * @property {(change: Partial<Draft>) => void} edit
 * @property {(command: NonNullable<Verdict["command"]>) => void} record
 */

const DEBOUNCE_MS = 150;
const ASK_AGAIN_MS = 1_500;
const MANY_SEATS = 4;
const SHORT_ROW = 8;

/** @param {string} stage @returns {Draft} */
const emptyDraft = (stage) => ({
  stage,
  seat: null,
  hands: {},
  trump: null,
  focus: "",
  asked: "",
  verdict: null,
  problem: "",
  refused: "",
  recording: false,
});

/** @param {App} app */
export function createReferee(app) {
  const dialog = createDialog();
  let draft = emptyDraft("");
  let timer = 0;
  dialog.addEventListener("close", () => clearTimeout(timer));

  /** @param {Partial<Draft>} change */
  function edit(change) {
    draft = { ...draft, ...change };
    draw();
  }

  /** Opens the panel for the question that the cards can settle now. */
  function open() {
    if (!app.state().referee) return;
    openDialog(dialog);
    show(app.state());
  }

  /** A question that is settled closes the panel. @param {StateAnswer} state */
  function show(state) {
    const { night, deal, referee, last } = state;
    const { recording } = draft;
    const stage = [night, deal, referee?.question].join();
    if (draft.stage !== stage) draft = emptyDraft(stage);
    if (!dialog.open) return;
    if (referee) return draw();
    closeDialog(dialog);
    if (!recording && last) app.toast(last.sentence); // somebody else was faster
  }

  function draw() {
    const state = app.state();
    const question = state.referee;
    if (!question) return;
    draft = tidied(draft, question);
    inquire(state, question);
    dialog.dataset["argument"] = question.question;
    render(dialogView({ state, question, draft, dialog, draw, edit, record }), dialog);
  }

  /** Asks when nothing has been tapped for a moment, and again when the night has gone on.
   * @param {StateAnswer} state @param {RefereeQuestion} question */
  function inquire({ entry }, { question, asks_trump: asksTrump }) {
    const body = bodyOf(draft, asksTrump);
    const asked = body ? JSON.stringify([entry, question, body]) : "";
    if (asked === draft.asked) return;
    clearTimeout(timer);
    draft = { ...draft, asked, verdict: null, problem: "", refused: "" };
    const current = () => draft.asked === asked && dialog.open;
    if (!body) return;
    timer = setTimeout(async () => {
      const answer = await request("POST", `/api/referee/${question}`, { body });
      if (!current()) return;
      if (answer?.status === 200) return edit({ verdict: answer.json });
      edit({ problem: reason(answer) });
      if (answer && answer.status < 500) return;
      timer = setTimeout(() => {
        if (current()) edit({ asked: "" });
      }, ASK_AGAIN_MS);
    }, DEBOUNCE_MS);
  }

  /** @param {NonNullable<Verdict["command"]>} command */
  async function record(command) {
    const { stage } = draft;
    const isOpen = stillOpen(dialog);
    edit({ recording: true, refused: "" });
    const refuse = (/** @type {string} */ refused) => isOpen() && edit({ refused });
    const result = await app.sendCommand({ ...command }, refuse);
    if (draft.stage !== stage) return; // it was recorded, and the night has gone on
    if (result.ok && isOpen()) closeDialog(dialog);
    edit({ recording: false });
  }

  return { open, show };
}

/** @param {Tools} tools */
function dialogView(tools) {
  const { question, draft, draw } = tools;
  const { label, trump, asks_trump: asksTrump, grids } = question;
  const suit = trump ?? draft.trump;
  const { hint, rows } = gridOf(grids, suit);
  return html`<header>
      <h2 id="referee-title">${label}</h2>
      ${suitSwitch(draw)}
    </header>
    <p>${hint}</p>
    ${asksTrump ? trumpButtons(tools) : nothing}
    ${rows.length ? [handButtons(tools), cardButtons(tools, rows)] : nothing}
    <footer>${verdictView(tools)}</footer>`;
}

/** @param {Tools} tools */
function trumpButtons({ draft, edit }) {
  /** @param {string} suit */
  const button = (suit) =>
    pushButton(
      html`${suitView(suit)} <span>${suitName(suit)}</span>`,
      () => edit({ trump: draft.trump === suit ? null : suit }),
      {
        class: "pick",
        "data-trump": suit,
        lang: cardLanguage(),
        "aria-pressed": draft.trump === suit ? "true" : "false",
      },
    );
  return html`<div class="trumps" role="group" aria-label=${text("Trump")}>
    <b>${text("Trump")}</b> ${SUITS.map(button)}
  </div>`;
}

/** @param {Tools} tools */
function handButtons({ state: { names }, question: { seats }, draft, edit }) {
  /** @param {number} seat */
  function button(seat) {
    const cards = draft.hands[seat] ?? [];
    const words = cards.length ? cards.map(cardName).join(", ") : text("nothing yet");
    return pushButton(
      html`<span class="two-lines"
          >${names[seat]}<span class="quiet" lang=${cards.length ? cardLanguage() : nothing}
            >: ${words}</span
          ></span
        >
        <span class="minis" aria-hidden="true">
          ${cards.map((code) => cardView(code, { compact: true, silent: true }))}
        </span>`,
      () => edit({ seat }),
      { class: "pick", "data-hand": seat, "aria-pressed": draft.seat === seat ? "true" : "false" },
    );
  }
  return html`<div
    class=${seats.length > MANY_SEATS ? "hands many" : "hands"}
    role="group"
    aria-label=${text("Who shows")}
  >
    ${seats.map(button)}
  </div>`;
}

/** @param {Tools} tools @param {string[][]} rows */
function cardButtons(tools, rows) {
  const { state, question, draft, edit } = tools;
  const { names, hand_sizes: sizes } = state;
  const { seats, unheld } = question;
  const seat = draft.seat ?? 0;
  const full = (draft.hands[seat] ?? []).length >= (sizes[seat] ?? Infinity);
  const holderOf = (/** @type {string} */ code) =>
    seats.find((one) => draft.hands[one]?.includes(code));
  /** @param {string} code */
  function isFree(code) {
    const holder = holderOf(code);
    return code !== unheld && (holder === seat || (holder === undefined && !full));
  }
  const codes = rows.flat();
  const focusable = codes.includes(draft.focus) && isFree(draft.focus);
  const focus = focusable ? draft.focus : codes.find(isFree);

  /** @param {string} code */
  function card(code) {
    const holder = holderOf(code);
    const elsewhere =
      holder === undefined ? "" : text("with {name}", { name: names[holder] ?? "" });
    return cardView(code, {
      compact: true,
      selected: holder === seat,
      played: code === unheld || (holder !== undefined && holder !== seat),
      disabled: !isFree(code),
      note: code === unheld ? text("turned up") : elsewhere,
      tab: code === focus ? 0 : -1,
      press: () => edit({ focus: code, hands: withCard(draft.hands, seat, code) }),
    });
  }
  const widest = Math.max(...rows.map((row) => row.length));
  const kind = rows.length === 1 ? "few" : "all";
  return html`<div
    id="referee-cards"
    role="toolbar"
    aria-label=${text("Cards")}
    class="referee-cards ${widest > SHORT_ROW || kind === "few" ? kind : ""}"
    @keydown=${(/** @type {KeyboardEvent} */ event) => walk(tools, event)}
  >
    ${rows.map((row) => html`<div class="suit">${row.map(card)}</div>`)}
  </div>`;
}

/** Arrow keys go from card to card. @param {Tools} tools @param {KeyboardEvent} event */
function walk({ dialog, edit }, event) {
  const step = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[event.key];
  if (!step) return;
  event.preventDefault();
  const cards = findAll("#referee-cards button:not(:disabled)", HTMLButtonElement, dialog);
  const next = cards[cards.findIndex((card) => card === document.activeElement) + step];
  next?.focus();
  if (next) edit({ focus: next.dataset["card"] ?? "" });
}

/** @param {Tools} tools */
function verdictView(tools) {
  const { draft, dialog } = tools;
  const { verdict, problem, asked, refused } = draft;
  return html`<div id="verdict" class="verdict" aria-live="polite">
      ${verdict ? verdictWords(verdict, tools.state.names) : waitingWords(problem, asked)}
    </div>
    <div class="row">
      ${verdict?.command ? recordButton(tools, verdict, verdict.command) : nothing}
      ${pushButton(text("Close"), () => closeDialog(dialog), { "data-done": "" })}
    </div>
    ${problemView(refused, verdict?.command?.do)}`;
}

/** @param {Tools} tools @param {Verdict} verdict
 * @param {NonNullable<Verdict["command"]>} command */
function recordButton({ state, draft, record }, { label }, command) {
  if (!state.pairing.paired)
    return html`<p class="unpaired">${text("A paired phone can record this.")}</p>`;
  const stale = document.body.classList.contains("stale");
  return pushButton(label, () => record(command), {
    class: "main",
    "data-record": "",
    disabled: draft.recording || stale,
  });
}

function createDialog() {
  const dialog = document.createElement("dialog");
  dialog.id = "referee";
  dialog.className = "referee";
  dialog.setAttribute("aria-labelledby", "referee-title");
  document.body.append(dialog);
  return dialog;
}

/** The cards to choose from.
 * @param {RefereeQuestion["grids"]} grids @param {string | null} trump */
const gridOf = (grids, trump) => grids[trump ?? ""] ?? grids[""] ?? { hint: "", rows: [] };

/** The draft without cards that cannot be held, or do not matter, any more.
 * @param {Draft} draft
 * @param {Pick<RefereeQuestion, "seats" | "trump" | "unheld" | "grids">} question
 * @returns {Draft} */
export function tidied(draft, { seats, trump, unheld, grids }) {
  const { rows } = gridOf(grids, trump ?? draft.trump);
  const possible = rows.flat().filter((code) => code !== unheld);
  const hands = Object.fromEntries(
    seats
      .map((seat) => [seat, (draft.hands[seat] ?? []).filter((code) => possible.includes(code))])
      .filter(([, cards]) => /** @type {string[]} */ (cards).length),
  );
  const chosen = draft.seat !== null && seats.includes(draft.seat) ? draft.seat : null;
  return { ...draft, hands, seat: chosen ?? seats[0] ?? null };
}

/** The hands after a tap: the card comes to the hand, or goes back.
 * @param {Hands} hands @param {number} seat @param {string} code @returns {Hands} */
export function withCard(hands, seat, code) {
  const cards = hands[seat] ?? [];
  const changed = cards.includes(code) ? cards.filter((one) => one !== code) : [...cards, code];
  return { ...hands, [seat]: changed };
}

/** What the daemon is asked, or null while no card has been tapped.
 * @param {Pick<Draft, "hands" | "trump">} draft
 * @param {boolean} asksTrump */
function bodyOf({ hands, trump }, asksTrump) {
  if (!Object.keys(hands).length) return null;
  const names = pattern() === "german" ? "german" : "english";
  return { hands, names, ...(asksTrump && trump && { trump }) };
}

/** @param {Verdict} verdict @param {Record<string, string>} names */
const verdictWords = ({ why, ranking, missing }, names) =>
  html`<p class="why">${why}</p>
    ${ranking.length > 1 ? html`<p class="order">${orderOf(ranking, names)}</p>` : nothing}
    ${missing.map((sentence) => html`<p class="missing">${sentence}</p>`)}`;

/** @param {string} problem @param {string} asked */
function waitingWords(problem, asked) {
  if (problem) return problemView(problem);
  return html`<p class="waiting">${asked ? "…" : text("No card has been tapped yet.")}</p>`;
}
