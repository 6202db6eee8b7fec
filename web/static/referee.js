// @ts-check
// The referee: the cards that the seats show are tapped in, and the daemon says who wins and why.
//
// Hooks for tests, kept stable:
//   dialog#referee           data-argument: showdown or sequence
//   [data-hand="2"]          chooses the seat whose cards are tapped
//   #referee-cards [data-card="KH"]   a card; [data-trump="H"] the trump suit where no card was turned up
//   #verdict                 the sentence; #verdict .order the seats, best first
//   [data-book]              books what the daemon has answered; [data-done] closes

import { html, nothing, render } from "./vendor/lit-html.js";
import { argument, list, stillIn } from "./controls.js";
import { ask } from "./live.js";
import {
  cardName,
  cardView,
  deckOf,
  pattern,
  styled,
  suitName,
  suitSwitch,
  suitView,
  SUIT_ORDER,
  tongue,
} from "./cards.js";

/** @typedef {NonNullable<ReturnType<typeof argument>>} Argument */
/** @typedef {{why: string, command: Command | null, ranking?: number[][], seat?: number | null}} Verdict */

const DEBOUNCE_MS = 150;
const AGAIN_MS = 1500;

/** What has been tapped here; begins anew with every argument. */
let draft = fresh("");
function fresh(/** @type {string} */ stage) {
  return {
    stage,
    seat: /** @type {number | null} */ (null),
    hands: /** @type {Map<number, string[]>} */ (new Map()),
    trump: /** @type {string | null} */ (null),
    at: "", // the card that the tab key comes to
    asked: "", // the question on its way, or answered
    verdict: /** @type {Verdict | null} */ (null),
    said: "", // why there is none
    refused: "",
    booking: false,
  };
}
let timer = 0;
/** @type {State} */
let state;
/** @type {import("./main.js").Ui} */
let ui;

const dialog = document.createElement("dialog");
dialog.id = "referee";
dialog.setAttribute("aria-labelledby", "referee-title");
document.body.append(dialog);
dialog.addEventListener("close", () => clearTimeout(timer));

/** Opens the panel for the argument that there may be now. */
export async function open() {
  await Promise.all([styled("/static/cards.css"), styled("/static/referee.css")]);
  if (!argument(state) || dialog.open) return;
  if (dialog.showModal) dialog.showModal();
  else dialog.setAttribute("open", ""); // Safari before 15.4
  show();
}

function close() {
  if (dialog.close) dialog.close();
  else dialog.removeAttribute("open");
}

/** Takes what the daemon told; an argument that is over closes the panel. @param {State} now @param {import("./main.js").Ui} given */
export function follow(now, given) {
  [state, ui] = [now, given];
  const kind = argument(now);
  const stage = [now.night, now.deal, kind].join();
  const { booking } = draft;
  if (draft.stage !== stage) draft = fresh(stage);
  if (!dialog.open) return;
  if (kind) return show();
  close();
  if (!booking && now.last_sentence) ui.toast(now.last_sentence); // somebody else was faster
}

/** @param {number | null | undefined} seat */
const name = (seat) => state.names[String(seat)] ?? "Nobody";
/** A name on a button that says more. @param {number | null | undefined} seat */
const brief = (seat) =>
  name(seat).length > 24 ? `${name(seat).slice(0, 22).trim()}…` : name(seat);
const trump = () => state.turned?.charAt(1) ?? draft.trump;
const law = () => String(state.ruleset?.parameters["sequence"]);

/** Those whose cards are asked for, in the order of the places. @param {Argument} kind */
function seats(kind) {
  const asked = kind === "showdown" ? stillIn(state) : [...state.live];
  return asked.sort((a, b) => (state.places[a] ?? 99) - (state.places[b] ?? 99));
}

/** The cards that matter, in rows. @param {Argument} kind */
function rows(kind) {
  const suit = trump();
  if (kind === "sequence" && law() === "trump-789")
    return suit ? [[`7${suit}`, `8${suit}`, `9${suit}`]] : [];
  return deckOf(state.deck ?? 52);
}

/** Cards that cannot be held, or do not matter, any more leave the hands. @param {Argument} kind */
function tidy(kind) {
  const known = new Set(
    rows(kind)
      .flat()
      .filter((code) => code !== state.turned),
  );
  const asked = seats(kind);
  for (const [seat, cards] of draft.hands) {
    const left = asked.includes(seat) ? cards.filter((code) => known.has(code)) : [];
    if (left.length) draft.hands.set(seat, left);
    else draft.hands.delete(seat);
  }
}

/** What is asked of the daemon. */
function question() {
  if (!draft.hands.size) return null;
  const names = pattern() === "german" ? "german" : "english";
  return {
    hands: Object.fromEntries(draft.hands),
    names,
    ...(!state.turned && draft.trump && { trump: draft.trump }),
  };
}

/** Asks when nothing has been tapped for a moment, and again when the night has gone on. @param {Argument} kind */
function inquire(kind) {
  const body = question();
  const asked = body ? JSON.stringify([state.entry, kind, body]) : "";
  const mine = draft;
  if (asked === mine.asked) return;
  clearTimeout(timer);
  Object.assign(mine, { asked, verdict: null, said: "", refused: "" });
  if (!body) return;
  timer = setTimeout(async () => {
    const answer = await ask("POST", `/api/referee/${kind}`, body);
    if (draft !== mine || mine.asked !== asked || !dialog.open) return;
    if (answer?.status === 200) mine.verdict = answer.json;
    else mine.said = answer?.json?.message ?? "The board did not answer.";
    show();
    // Only what was never answered is asked again by itself.
    if (!answer || answer.status >= 500)
      timer = setTimeout(() => {
        if (draft === mine && mine.asked === asked && dialog.open) {
          mine.asked = "";
          show();
        }
      }, AGAIN_MS);
  }, DEBOUNCE_MS);
}

/** @param {Partial<ReturnType<typeof fresh>>} [change] */
function set(change) {
  Object.assign(draft, change);
  show();
}

function show() {
  const kind = argument(state);
  if (!kind) return;
  const concerned = seats(kind);
  if (!concerned.includes(draft.seat ?? 0)) draft.seat = concerned[0] ?? null;
  dialog.dataset["argument"] = kind;
  tidy(kind);
  inquire(kind);
  render(view(kind, concerned), dialog);
}

/** @param {Argument} kind @param {number[]} concerned */
function view(kind, concerned) {
  const cards = rows(kind);
  const hint =
    kind === "showdown"
      ? "Choose who shows, then tap the set."
      : law() !== "trump-789"
        ? "Choose who shows, then tap the run."
        : cards.length
          ? `7 8 9 of ${suitName(trump() ?? "")} in one hand: choose who shows, then tap the cards.`
          : "7 8 9 of trumps in one hand take it: choose the trump suit first.";
  return html`<header>
      <h2 id="referee-title">
        ${kind === "showdown" ? "Settle by the cards" : "Who takes the sequence?"}
      </h2>
      ${suitSwitch(show)}
    </header>
    <p>${hint}</p>
    ${state.turned ? nothing : trumpPicks()}
    ${
      cards.length
        ? html`<div
              class=${concerned.length > 4 ? "hands many" : "hands"}
              role="group"
              aria-label="Who shows"
            >
              ${concerned.map(handView)}
            </div>
            <div
              id="referee-cards"
              role="toolbar"
              aria-label="Cards"
              class=${cards.length === 1 ? "few" : state.deck === 32 ? "" : "all"}
              @keydown=${walk}
            >
              ${grid(cards, concerned)}
            </div>`
        : nothing
    }
    <footer>${verdictView(kind)}</footer>`;
}

function trumpPicks() {
  const one = (/** @type {string} */ suit) =>
    html`<button
      type="button"
      class="pick"
      data-trump=${suit}
      lang=${tongue()}
      aria-pressed=${draft.trump === suit ? "true" : "false"}
      @click=${() => set({ trump: draft.trump === suit ? null : suit })}
    >
      ${suitView(suit)} <span>${suitName(suit)}</span>
    </button>`;
  return html`<div class="trumps" role="group" aria-label="Trump">
    <b>Trump</b> ${[...SUIT_ORDER].map(one)}
  </div>`;
}

/** @param {number} seat */
function handView(seat) {
  const cards = draft.hands.get(seat) ?? [];
  const said = cards.length ? cards.map(cardName).join(", ") : "nothing yet";
  return html`<button
    type="button"
    class="pick"
    data-hand=${seat}
    aria-pressed=${draft.seat === seat ? "true" : "false"}
    @click=${() => set({ seat })}
  >
    <span
      >${name(seat)}<span class="quiet" lang=${cards.length ? tongue() : nothing}
        >: ${said}</span
      ></span
    >
    <span class="minis" aria-hidden="true"
      >${cards.map((code) => cardView(code, { compact: true, silent: true }))}</span
    >
  </button>`;
}

/** @param {string[][]} cards @param {number[]} concerned */
function grid(cards, concerned) {
  const seat = draft.seat ?? 0;
  const mine = draft.hands.get(seat) ?? [];
  const full = mine.length >= (state.hand_sizes[seat] ?? 52);
  const owner = (/** @type {string} */ code) =>
    concerned.find((one) => draft.hands.get(one)?.includes(code));
  const free = (/** @type {string} */ code) =>
    code !== state.turned && (owner(code) === seat || (!full && owner(code) === undefined));
  const codes = cards.flat();
  const stop = codes.includes(draft.at) && free(draft.at) ? draft.at : codes.find(free);
  return cards.map(
    (row) =>
      html`<div class="suit">
        ${row.map((code) => {
          const has = owner(code);
          const note =
            code === state.turned ? "turned up" : has === undefined ? "" : `with ${name(has)}`;
          return cardView(code, {
            compact: true,
            selected: has === seat,
            played: code === state.turned || (has !== undefined && has !== seat),
            disabled: !free(code),
            note,
            tab: code === stop ? 0 : -1,
            press: () => tap(seat, code),
          });
        })}
      </div>`,
  );
}

/** A card comes to the hand, or goes back. @param {number} seat @param {string} code */
function tap(seat, code) {
  const mine = draft.hands.get(seat) ?? [];
  draft.hands.set(seat, mine.includes(code) ? mine.filter((one) => one !== code) : [...mine, code]);
  set({ at: code });
}

/** Arrow keys go from card to card, as the cards stand. @param {KeyboardEvent} event */
function walk(event) {
  const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[
    event.key
  ];
  const from = event.target instanceof Element ? event.target.closest("button") : null;
  if (!way || !from) return;
  event.preventDefault();
  const [right = 0, down = 0] = way;
  const here = middle(from);
  const all = /** @type {HTMLButtonElement[]} */ ([
    ...dialog.querySelectorAll("#referee-cards button:not(:disabled)"),
  ]);
  // The nearest one in that direction; what is beside the way counts much more than the way.
  const far = (/** @type {HTMLButtonElement} */ one) => {
    const [x, y] = [middle(one).x - here.x, middle(one).y - here.y];
    const along = x * right + y * down;
    return along < 4 ? Infinity : along + 8 * Math.abs(right ? y : x);
  };
  const next = all.reduce((best, one) => (far(one) < far(best) ? one : best), from);
  if (next === from) return;
  next.focus();
  set({ at: next.dataset["card"] ?? "" });
}

/** @param {Element} part */
function middle(part) {
  const { left, top, width, height } = part.getBoundingClientRect();
  return { x: left + width / 2, y: top + height / 2 };
}

/** @param {Argument} kind */
function verdictView(kind) {
  const { verdict, said, refused, booking } = draft;
  const silent = seats(kind)
    .filter((seat) => !draft.hands.get(seat)?.length)
    .map(name);
  const order = (verdict?.ranking ?? []).map(
    (tied, i) => `${i + 1}. ${tied.map(name).join(" = ")}`,
  );
  const missing =
    verdict && kind === "showdown" && silent.length
      ? `${list(silent)} ${silent.length > 1 ? "have" : "has"} shown nothing.`
      : "";
  return html`<div id="verdict" aria-live="polite">
      ${verdict ? html`<p class="why">${verdict.why}</p>` : said ? html`<p class="error">${said}</p>` : html`<p class="waiting">${draft.asked ? "…" : "No card has been tapped yet."}</p>`}
      ${order.length > 1 ? html`<p class="order">${order.join("   ")}</p>` : nothing}
      ${missing ? html`<p class="missing">${missing}</p>` : nothing}
    </div>
    <div class="row">
      ${verdict?.command ? booker(verdict, verdict.command, booking) : nothing}
      <button type="button" class="soft" data-done @click=${close}>Close</button>
    </div>
    ${refused ? html`<p class="error" data-error=${verdict?.command?.do ?? kind}>${refused}</p>` : nothing}`;
}

/** @param {Verdict} verdict @param {Command} command @param {boolean} booking */
function booker(verdict, command, booking) {
  if (!state.pairing.paired) return html`<p class="unpaired">A paired phone can book this.</p>`;
  const first = verdict.ranking?.[0] ?? [];
  const what =
    command.do === "claim"
      ? `${brief(verdict.seat)} takes it`
      : first.length > 1
        ? `${list(first.map(brief))} tie`
        : first.length
          ? `${brief(first[0])} wins`
          : "nobody has a set";
  return html`<button
    type="button"
    class="main"
    data-book
    ?disabled=${booking || document.body.classList.contains("stale")}
    @click=${() => book(command)}
  >
    Book it: ${what}
  </button>`;
}

/** @param {Command} command */
async function book(command) {
  const mine = draft;
  set({ booking: true, refused: "" });
  const answer = await ui.send(command);
  if (draft !== mine) return; // it was booked, and the night has gone on
  mine.booking = false;
  if (answer.ok) close();
  else set({ refused: answer.message });
}
