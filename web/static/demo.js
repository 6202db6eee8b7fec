// @ts-check
// House players at the table: their cards, a line of commentary, and their seats to take over.
//
// Hooks for tests, kept stable:
//   #cards                   all of it; there while house players are
//   #turned [data-card]      the card turned up
//   #run li[data-seat] [data-card="KH"]  the cards on the table in their order, with who laid them
//   #count #taken            what the run counts, where it does; who took it
//   #line #lines li          the newest line of commentary; those before it, newest first
//   [data-holder="2"] .backs > *  a seat and its cards, face down; .shown [data-card] those it has shown
//   [data-take="2"] [data-give="2"]  takes over a seat; gives it back to the house
//   [data-speed="2"] [data-dismiss]  how fast they play; sends them away
//   #hand [data-card]        the cards of one's own seat; [data-lay="KH"] lays one that may be laid
//   #awaited [data-due="ace"]  what one is awaited to do; a pool that one may claim
//   #stuck                   why the house cannot go on

import { html, nothing, render } from "./vendor/lit-html.js";
import { poolName } from "./board.js";
import {
  backView,
  cardName,
  cardView,
  styled,
  suitName,
  suitSwitch,
  suitView,
  tongue,
} from "./cards.js";
import { list, some } from "./controls.js";
import { ask } from "./live.js";

/** @typedef {{seat: number, key: string}} Mine the seat that this tab has taken, and what opens its cards */

const KEPT = "seat";
const AGAIN_MS = 1000;
const OLD_LINES = 3;
const SPEEDS = /** @type {const} */ ([
  [0.5, "½×"],
  [1, "1×"],
  [2, "2×"],
  [5, "5×"],
]);
const NO_ANSWER = "The board did not answer; try again.";

/** @type {State} */
let state;
/** @type {import("./main.js").Ui} */
let ui;
let mine = kept();
let settled = true; // whether the house ought to know by now that this tab has the seat
let hand = /** @type {Hand | null} */ (null);
let asked = ""; // the moment that the hand was asked for
let asking = false;
let busy = false; // a card or a seat is on its way
let speed = { told: 0, wished: 0 };
let run = { first: "", side: false };

/** @param {string} id */
const at = (id) => /** @type {HTMLElement} */ (document.getElementById(id));
/** @param {number | string | null} seat */
const name = (seat) => state.names[String(seat)] ?? "Nobody";
/** What a house player is called at a table where all sit: without the temperament. @param {number | string | null} seat */
const short = (seat) => name(seat).replace(/^(Sensible|Bold|Careful) (?=\S)/, "");

/** @param {State} now @param {import("./main.js").Ui} given */
export async function show(now, given) {
  [state, ui] = [now, given];
  await Promise.all([styled("/static/cards.css"), styled("/static/demo.css")]);
  draw();
}

function draw() {
  const { demo } = state;
  at("cards").hidden = !demo;
  if (!demo) {
    drop();
    render(nothing, at("cards"));
    return;
  }
  const person = !mine || (demo.players[mine.seat] ?? "person") === "person";
  if (person) settled = true;
  else if (settled) drop();
  render(view(demo), at("cards"));
  void lookAtHand(demo);
}

/** @returns {Mine | null} */
function kept() {
  try {
    return JSON.parse(sessionStorage.getItem(KEPT) ?? "null");
  } catch {
    return null;
  }
}

/** @param {Mine | null} taken */
function keep(taken) {
  [mine, hand, asked, settled] = [taken, null, "", false];
  try {
    if (taken) sessionStorage.setItem(KEPT, JSON.stringify(taken));
    else sessionStorage.removeItem(KEPT);
  } catch {
    // Then it lasts as long as the page.
  }
}

/** The seat is not this tab's any more. */
function drop() {
  if (mine) keep(null);
}

/** Asks for the hand again whenever something has happened that may have changed it. @param {Demo} demo */
async function lookAtHand(demo) {
  if (!mine || asking || demo.held[mine.seat] === undefined) return;
  const [who, moment] = [
    mine,
    JSON.stringify([state.night, state.entry, demo.held, demo.run, demo.waits]),
  ];
  if (moment === asked) return;
  [asked, asking] = [moment, true];
  const answer = await ask("GET", "/api/demo/hand", undefined, false, { "X-Seat-Key": who.key });
  asking = false;
  if (mine === who) {
    if (answer?.status === 200) hand = answer.json;
    else if (answer && answer.status < 500) drop();
    else setTimeout(again, AGAIN_MS);
  }
  draw();
}

function again() {
  asked = "";
  draw();
}

/** A request that changes something; what was refused is said. @param {string} method @param {string} address @param {unknown} [body] */
async function change(method, address, body) {
  busy = true;
  draw();
  const answer = await ask(method, address, body, false, mine ? { "X-Seat-Key": mine.key } : {});
  busy = false;
  const done = answer !== null && answer.status < 300;
  if (!done) ui.toast(answer?.json?.message ?? NO_ANSWER);
  return done ? answer : null;
}

/** @param {string} card */
async function lay(card) {
  const done = await change("POST", "/api/demo/cards", { card });
  if (done && hand)
    hand = { ...hand, cards: hand.cards.filter((one) => one !== card), playable: [] };
  again();
}

/** @param {number} seat */
async function take(seat) {
  const answer = await change("POST", `/api/demo/seats/${seat}`);
  if (answer) keep(answer.json);
  draw();
  at("cards").querySelector("#hand")?.scrollIntoView({ block: "nearest" });
}

/** @param {number} seat */
async function giveBack(seat) {
  if ((await change("DELETE", `/api/demo/seats/${seat}`)) && mine?.seat === seat) drop();
  draw();
}

/** @param {number} wished */
async function hurry(wished) {
  if (await change("POST", "/api/demo/speed", { speed: wished })) speed.wished = wished;
  draw();
}

async function dismiss() {
  await change("DELETE", "/api/demo");
  draw();
}

/** @param {Demo} demo */
function view(demo) {
  const { paired } = state.pairing;
  const [line = "", ...before] = [...demo.lines].reverse();
  return html`<h2>The cards</h2>
    ${demo.stuck ? html`<p id="stuck" class="error" role="alert">The house cannot go on: ${demo.stuck}</p>` : nothing}
    ${tableView(demo)}
    <div class="talk">
      <p id="line" aria-live="polite">${line}</p>
      <ul id="lines">
        ${before.slice(0, OLD_LINES).map((one) => html`<li>${one}</li>`)}
      </ul>
    </div>
    ${mine ? handView(demo, mine.seat) : nothing}
    <ul class=${holders(demo).length > 4 ? "holders many" : "holders"}>
      ${holders(demo).map((seat) => holderView(demo, seat))}
    </ul>
    ${
      demo.laid.length
        ? html`<details class="laid">
            <summary>Played before: ${some(demo.laid.length, "card")}</summary>
            <div>${demo.laid.map((code) => cardView(code, { compact: true }))}</div>
          </details>`
        : nothing
    }
    <div class="conduct">
      ${paired ? speedView(demo) : nothing}${suitSwitch(draw)}
      ${paired ? html`<button type="button" class="soft" data-dismiss ?disabled=${busy} @click=${dismiss}>Send them away</button>` : nothing}
    </div>`;
}

/** Those who play, in the order of the places. @param {Demo} demo */
const holders = (demo) =>
  Object.keys(demo.players)
    .map(Number)
    .sort((a, b) => (state.places[a] ?? 99) - (state.places[b] ?? 99));

/** @param {Demo} demo */
function tableView(demo) {
  const suit = demo.turned?.charAt(1) ?? "";
  return html`<div class="felt">
    <div id="turned">
      ${
        demo.turned
          ? html`${cardView(demo.turned)}<span class="trump"
                >${suitView(suit)} <span lang=${tongue()}>${suitName(suit)}</span></span
              >`
          : html`${backView({ label: "no card is turned up" })}<span class="trump">the pack</span>`
      }
    </div>
    <div class="middle">
      ${demo.run.length ? runView(demo) : html`<p>${quietWords(demo)}</p>`}
      ${demo.count === null || !demo.run.length ? nothing : html`<p id="count">Count <b>${demo.count}</b></p>`}
      ${demo.taker !== null && demo.run.length ? html`<p id="taken"><b>${short(demo.taker)}</b> takes it.</p>` : nothing}
    </div>
  </div>`;
}

/** @param {Demo} demo */
function runView({ run: cards, taker }) {
  const first = cards[0]?.card ?? "";
  // Places of the list are used again; a new run is dealt in anew by changing sides.
  if (run.first !== first) run = { first, side: !run.side };
  return html`<ol id="run" class="${run.side ? "one" : "other"} ${cards.length > 5 ? "many" : ""}">
    ${cards.map(
      ({ seat, card }) =>
        html`<li data-seat=${seat} class=${seat === taker ? "took" : ""}>
          ${cardView(card, { note: `laid by ${name(seat)}` })}<span aria-hidden="true"
            >${short(seat)}</span
          >
        </li>`,
    )}
  </ol>`;
}

/** What there is to say while no card lies on the table. @param {Demo} demo */
function quietWords(demo) {
  switch (state.phase) {
    case "meld":
      return demo.turned
        ? "Whoever holds a card that pays shows it."
        : "The cards are being dealt.";
    case "pochen":
      return "They bet on their sets.";
    case "showdown":
      return "The sets are compared.";
    case "shed":
      return state.winner === null
        ? `${short(state.leader)} leads.`
        : `${short(state.winner)} is out of cards.`;
    default:
      return `${short(state.dealer)} deals next.`;
  }
}

/** @param {Demo} demo @param {number} seat */
function holderView(demo, seat) {
  const held = demo.held[seat] ?? 0;
  const shown = demo.shown[seat] ?? [];
  const person = demo.players[seat] === "person";
  const own = mine?.seat === seat;
  const awaited = demo.waits?.seat === seat;
  const flag = own ? "you" : awaited ? "awaited" : person ? "a person" : "";
  const { paired } = state.pairing;
  const button =
    !paired || own
      ? nothing
      : person
        ? html`<button
            type="button"
            class="soft"
            data-give=${seat}
            aria-label="Let the house play for ${name(seat)}"
            ?disabled=${busy}
            @click=${() => giveBack(seat)}
          >
            Let the house play
          </button>`
        : mine
          ? nothing
          : html`<button
              type="button"
              class="soft"
              data-take=${seat}
              aria-label="Take over the seat of ${name(seat)}"
              ?disabled=${busy}
              @click=${() => take(seat)}
            >
              Take over
            </button>`;
  // When a deal is settled all cards lie open; those shown before may have been played since.
  const backs = state.phase === "idle" ? held - shown.length : held;
  const gone = new Set([...demo.laid, ...demo.run.map(({ card }) => card)]);
  return html`<li data-holder=${seat} class=${awaited ? "awaited" : ""}>
    <span class="holder"
      >${name(seat)} ${flag ? html`<em class="flag">${flag}</em>` : nothing}</span
    >
    <span class="holds"
      ><span class="backs" aria-hidden="true"
        >${Array.from({ length: Math.max(0, backs) }, () => backView({ compact: true, label: "" }))}</span
      >
      <span class="held">${held}<span class="quiet"> ${held === 1 ? "card" : "cards"}</span></span>
      ${shown.length ? html`<span class="shown"><span class="quiet">has shown</span> ${shown.map((code) => cardView(code, { compact: true, played: gone.has(code) }))}</span>` : nothing}</span
    >
    ${button}
  </li>`;
}

/** @param {Demo} demo */
function speedView(demo) {
  // What was wished is shown before the house tells it.
  if (speed.told !== demo.speed) speed = { told: demo.speed, wished: demo.speed };
  const now = speed.wished;
  return html`<div class="speeds" role="group" aria-label="Speed">
    ${SPEEDS.map(
      ([one, label]) =>
        html`<button
          type="button"
          class="pick"
          data-speed=${one}
          aria-pressed=${one === now ? "true" : "false"}
          ?disabled=${busy}
          @click=${() => hurry(one)}
        >
          ${label}
        </button>`,
    )}
    ${SPEEDS.some(([one]) => one === now) ? nothing : html`<span class="now">now ${now}×</span>`}
  </div>`;
}

/** @param {Demo} demo @param {number} seat */
function handView(demo, seat) {
  const cards = (seat in demo.players && hand?.cards) || [];
  const turn = demo.waits?.seat === seat;
  const cardOf = (/** @type {string} */ code) =>
    hand?.playable.includes(code)
      ? html`<span class="playable"
          >${cardView(code, { silent: true })}<button
            type="button"
            data-lay=${code}
            lang=${tongue()}
            aria-label=${cardName(code)}
            ?disabled=${busy}
            @click=${() => lay(code)}
          ></button
        ></span>`
      : cardView(code, { played: Boolean(hand?.playable.length) });
  return html`<section id="hand" class=${turn ? "turn" : ""} aria-label="Your hand">
    <div class="hand-top">
      <p id="awaited" aria-live="polite">${awaited(demo, seat)}</p>
      <button
        type="button"
        class="plain"
        data-give=${seat}
        ?disabled=${busy}
        @click=${() => giveBack(seat)}
      >
        Let the house play again
      </button>
    </div>
    ${deeds(demo, seat)}
    ${cards.length ? html`<div class=${cards.length > 5 ? "fan many" : "fan"}>${cards.map(cardOf)}</div>` : nothing}
  </section>`;
}

/** @param {Demo} demo @param {number} seat */
function awaited({ players, waits }, seat) {
  if (!(seat in players)) return "Your seat takes no part now.";
  if (!hand)
    return state.phase === "idle"
      ? "The next deal brings you cards."
      : "Your cards are on their way.";
  const due = hand.due.map(poolName);
  if (waits?.seat !== seat) {
    if (due.length) return `Claim what you hold: ${list(due)}.`;
    if (waits) return `${short(waits.seat)} is awaited.`;
    if (state.phase === "idle") return "The next deal brings you new cards.";
    return hand.cards.length ? "You play this seat." : "You are out of cards.";
  }
  switch (waits.what) {
    case "meld":
      return due.length
        ? `Claim what you hold: ${list(due)} – then press next.`
        : "You hold nothing more to claim: press next.";
    case "bet":
      return state.need ? `It is your bet: ${state.need} to hold.` : "It is your bet.";
    default:
      return hand.playable.length ? "Your turn: lay a card." : "Your turn.";
  }
}

/** What one may send off without the board. @param {Demo} demo @param {number} seat */
function deeds({ waits }, seat) {
  const may = (/** @type {string} */ command) => state.allowed.commands.includes(command);
  const button = (/** @type {Command} */ command, /** @type {string} */ label, kind = "main") =>
    html`<button
      type="button"
      class=${kind}
      data-deed=${command.do}
      data-due=${command["pool"] ?? nothing}
      @click=${() => ui.send(command)}
    >
      ${label}
    </button>`;
  const buttons = (hand?.due ?? []).map((pool) =>
    button({ do: "claim", seat, pool }, `Claim ${poolName(pool)}`),
  );
  if (waits?.seat === seat && waits.what === "meld" && may("next")) {
    buttons.push(button({ do: "next" }, "next", buttons.length ? "soft" : "main"));
  }
  if (waits?.seat === seat && waits.what === "bet" && state.to_act === seat) {
    const [need, stack] = [state.need ?? 0, state.stacks[seat] ?? 0];
    const chips = Math.min(Math.max(need, 1), stack);
    const label =
      need === 0 ? "Knock with 1" : chips < need ? `All in with ${chips}` : `Hold ${chips}`;
    if (may("stake")) buttons.push(button({ do: "stake", seat, chips }, label));
    if (may("pass")) buttons.push(button({ do: "pass", seat }, "Pass", "soft"));
  }
  return buttons.length ? html`<div class="row deeds">${buttons}</div>` : nothing;
}
