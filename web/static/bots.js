// @ts-check
// Bots at the table: their cards, a line of commentary, and their seats to take over.
//
// Hooks for tests, kept stable:
//   #cards                   everything here; present while bots play
//   #turned [data-card]      the card turned up
//   #run li[data-seat] [data-card="KH"]  the cards on the table in order, with who played them
//   #count #taken            the count of the run, if the rules count it; who took the run
//   #line #lines li          the newest line of commentary; those before it, newest first
//   [data-holder="2"] .backs > *  a seat and its cards, face down; .shown [data-card] those shown
//   [data-take="2"] [data-give="2"]  takes over a seat; gives it back to its bot
//   [data-speed="2"] [data-dismiss]  how fast they play; sends them away
//   #hand [data-card]        the cards of the phone's own seat; [data-lay="KH"] plays a legal one
//   #awaited [data-action="claim"]  what this seat has to do; sends it (data-pool)
//   #stuck                   why the bots cannot continue

import { html, nothing } from "./vendor/lit-html.js";
import {
  backView,
  cardLanguage,
  cardName,
  cardView,
  suitName,
  suitSwitch,
  suitView,
} from "./cards.js";
import { loadStylesheet } from "./dialog.js";
import { render } from "./drawing.js";
import { byId, formValues } from "./elements.js";
import { nameOwner, ownerName } from "./owner.js";
import { reason, request } from "./requests.js";
import { text } from "./texts.js";

/** @import { DemoState, HandAction, HandAnswer, StateAnswer } from "../types" */
/** @import { App } from "./store.js" */
/** @typedef {{seat: number, key: string, was?: string}} OwnSeat a seat of this tab, what opens its
 * cards, and its bot's name */

const STORED = "seat";
const ASK_AGAIN_MS = 1_000;
const OLD_LINES = 3;
const MANY_HOLDERS = 4;
const MANY_CARDS = 5;
const SPEEDS = /** @type {const} */ ([0.5, 1, 2, 5]);
const SPEED_LABELS = { 0.5: "½×", 1: "1×", 2: "2×", 5: "5×" };

/** @param {App} app */
export function createBots(app) {
  const seat = createOwnSeat();
  /** @type {HandAnswer | null} */
  let hand = null;
  let handMoment = ""; // that the hand was fetched at
  let fetching = false;
  let busy = false; // a request that changes something is under way
  /** @type {number | null} until the daemon confirms it */
  let wantedSpeed = null;
  let toldSpeed = 0;
  let run = { first: "", odd: false };

  /** @param {StateAnswer} state */
  async function show(state) {
    await Promise.all([loadStylesheet("/static/cards.css"), loadStylesheet("/static/bots.css")]);
    if (app.state() === state) draw();
  }

  function draw() {
    const state = app.state();
    const { demo } = state;
    const host = byId("cards");
    host.hidden = !demo;
    if (!demo) {
      drop();
      render(nothing, host);
      return;
    }
    if (seat.isLost(demo)) drop();
    if (toldSpeed !== demo.speed) wantedSpeed = null;
    toldSpeed = demo.speed;
    // Places in the list are reused; a new run is animated because its class changes.
    const first = demo.run[0]?.card ?? "";
    if (run.first !== first) run = { first, odd: !run.odd };
    render(botsView(state, demo), host);
    void fetchHand(state, demo);
  }

  /** The seat no longer belongs to this tab. */
  function drop() {
    seat.keep(null);
    hand = null;
    handMoment = "";
  }

  /** Fetches the hand whenever something has happened that may have changed it.
   * @param {StateAnswer} state @param {DemoState} demo */
  async function fetchHand({ night, entry }, demo) {
    const own = seat.get();
    if (!own || fetching || demo.held[own.seat] === undefined) return;
    const moment = JSON.stringify([night, entry, demo.held, demo.run, demo.waits]);
    if (moment === handMoment) return;
    [handMoment, fetching] = [moment, true];
    const answer = await request("GET", "/api/demo/hand", { headers: { "X-Seat-Key": own.key } });
    fetching = false;
    if (seat.get() === own) {
      if (answer?.status === 200) hand = answer.json;
      else if (answer && answer.status < 500) drop();
      else setTimeout(fetchHandAgain, ASK_AGAIN_MS);
    }
    draw();
  }

  function fetchHandAgain() {
    handMoment = "";
    draw();
  }

  /** A request that changes something; null if it was refused, which is shown.
   * @param {string} method @param {string} address @param {unknown} [body] */
  async function change(method, address, body) {
    busy = true;
    draw();
    const own = seat.get();
    /** @type {Record<string, string>} */
    const headers = own ? { "X-Seat-Key": own.key } : {};
    const answer = await request(method, address, { body, headers });
    busy = false;
    const done = answer !== null && answer.status < 300;
    if (!done) app.toast(reason(answer));
    return done ? answer : null;
  }

  /** @param {string} card */
  async function layCard(card) {
    const done = await change("POST", "/api/demo/cards", { card });
    if (done && hand) {
      hand = { ...hand, cards: hand.cards.filter((one) => one !== card), playable: [] };
    }
    fetchHandAgain();
  }

  /** @param {number} taken */
  async function takeSeat(taken) {
    const answer = await change("POST", `/api/demo/seats/${taken}`);
    if (answer) {
      seat.keep({ ...answer.json, was: app.state().names[taken] });
      const name = ownerName();
      if (name) await rename(taken, name);
    }
    draw();
    byId("cards").querySelector("#hand")?.scrollIntoView({ block: "nearest" });
  }

  /** @param {number} given */
  async function giveBack(given) {
    const own = seat.get();
    const done = await change("DELETE", `/api/demo/seats/${given}`);
    if (done && own?.seat === given) {
      drop();
      if (own.was && own.was !== app.state().names[given]) await rename(given, own.was);
    }
    draw();
  }

  /** The bots may continue meanwhile, which does not matter here.
   * @param {number} renamed @param {string} name */
  const rename = (renamed, name) =>
    app.sendCommand({ do: "rename", seat: renamed, name, seen: undefined });

  /** @param {SubmitEvent} event */
  async function nameSelf(event) {
    const { name = "" } = formValues(event);
    const own = seat.get();
    if (!own || !(await rename(own.seat, name)).ok) return;
    nameOwner(name);
    draw();
  }

  /** Asks the person at a seat for a name, as long as it has the bot's. @param {OwnSeat} own */
  function nameForm(own) {
    if (!own.was || app.state().names[own.seat] !== own.was) return nothing;
    return html`<form class="row" data-form="own-name" @submit=${nameSelf}>
      <label>
        ${text("bots.your_name")}
        <input name="name" required maxlength="40" autocomplete="off" />
      </label>
      <button class="soft">${text("bots.name_me")}</button>
    </form>`;
  }

  /** @param {number} speed */
  async function setSpeed(speed) {
    if (await change("POST", "/api/demo/speed", { speed })) wantedSpeed = speed;
    draw();
  }

  async function dismiss() {
    await change("DELETE", "/api/demo");
    draw();
  }

  /** @param {StateAnswer} state @param {DemoState} demo */
  function botsView(state, demo) {
    const { paired } = state.pairing;
    const [line = "", ...before] = [...demo.lines].reverse();
    const own = seat.get();
    const holders = state.rows.map((row) => row.seat).filter((one) => one in demo.players);
    const stuck = html`<p id="stuck" class="error" role="alert">
      ${text("bots.stuck", { reason: demo.stuck ?? "" })}
    </p>`;
    const dismissButton = html`<button
      type="button"
      class="soft"
      data-dismiss
      ?disabled=${busy}
      @click=${dismiss}
    >
      ${text("bots.dismiss")}
    </button>`;
    return html`<h2>${text("section.cards")}</h2>
      ${demo.stuck ? stuck : nothing} ${tableView(state, demo, run.odd)}
      <div class="talk">
        <p id="line" aria-live="polite">${line}</p>
        <ul id="lines">
          ${before.slice(0, OLD_LINES).map((one) => html`<li>${one}</li>`)}
        </ul>
      </div>
      ${own ? handView(demo, own.seat) : nothing}
      <ul class=${holders.length > MANY_HOLDERS ? "holders many" : "holders"}>
        ${holders.map((holder) => holderView(state, demo, holder))}
      </ul>
      ${demo.reasons.length ? reasonsView(demo.reasons) : nothing}
      ${demo.laid.length ? laidView(demo.laid) : nothing}
      <div class="conduct">
        ${paired ? speedView(demo) : nothing}${suitSwitch(draw)}${paired ? dismissButton : nothing}
      </div>`;
  }

  /** @param {StateAnswer} state @param {DemoState} demo @param {number} holder */
  function holderView(state, demo, holder) {
    const held = demo.held[holder] ?? 0;
    const shown = demo.shown[holder] ?? [];
    const flag = holderFlag(demo, holder);
    const gone = new Set([...demo.laid, ...demo.run.map(({ card }) => card)]);
    const shownView = html`<span class="shown">
      <span class="quiet">${text("bots.has_shown")}</span>
      ${shown.map((code) => cardView(code, { compact: true, played: gone.has(code) }))}
    </span>`;
    return html`<li data-holder=${holder} class=${demo.waits?.seat === holder ? "awaited" : ""}>
      <span class="holder">
        ${state.names[holder]} ${flag ? html`<em class="flag">${flag}</em>` : nothing}
      </span>
      <span class="holds">
        <span class="backs" aria-hidden="true"
          >${Array.from({ length: demo.backs[holder] ?? 0 }, () =>
            backView({ compact: true, label: "" }),
          )}</span
        >
        <span class="held">
          <span aria-hidden="true">${held}</span>
          <span class="quiet">${text("bots.cards", { count: held })}</span>
        </span>
        ${shown.length ? shownView : nothing}
      </span>
      ${state.pairing.paired ? seatButton(state, demo, holder) : nothing}
    </li>`;
  }

  /** @param {DemoState} demo @param {number} holder */
  function holderFlag(demo, holder) {
    if (seat.get()?.seat === holder) return text("bots.you");
    if (demo.waits?.seat === holder) return text("bots.awaited");
    return demo.players[holder] === "person" ? text("bots.person") : "";
  }

  /** Takes over a seat, or gives it back; a tab has one seat at most.
   * @param {StateAnswer} state @param {DemoState} demo @param {number} holder */
  function seatButton({ names }, demo, holder) {
    const own = seat.get();
    const name = names[holder] ?? "";
    if (own?.seat === holder) return nothing;
    if (demo.players[holder] === "person") {
      return html`<button
        type="button"
        class="soft"
        data-give=${holder}
        aria-label=${text("bots.give_back_seat", { name })}
        ?disabled=${busy}
        @click=${() => giveBack(holder)}
      >
        ${text("bots.give_back")}
      </button>`;
    }
    if (own) return nothing;
    return html`<button
      type="button"
      class="soft"
      data-take=${holder}
      aria-label=${text("bots.take_over_seat", { name })}
      ?disabled=${busy}
      @click=${() => takeSeat(holder)}
    >
      ${text("bots.take_over")}
    </button>`;
  }

  /** @param {DemoState} demo */
  function speedView(demo) {
    const speed = wantedSpeed ?? demo.speed;
    /** @param {typeof SPEEDS[number]} offered */
    const button = (offered) =>
      html`<button
        type="button"
        class="pick"
        data-speed=${offered}
        aria-pressed=${offered === speed ? "true" : "false"}
        ?disabled=${busy}
        @click=${() => setSpeed(offered)}
      >
        ${SPEED_LABELS[offered]}
      </button>`;
    const other = html`<span class="now">${text("bots.speed_now", { speed })}</span>`;
    return html`<div class="speeds" role="group" aria-label=${text("bots.speed")}>
      ${SPEEDS.map(button)} ${SPEEDS.some((offered) => offered === speed) ? nothing : other}
    </div>`;
  }

  /** @param {DemoState} demo @param {number} own */
  function handView(demo, own) {
    const cards = hand?.cards ?? [];
    return html`<section
      id="hand"
      class=${demo.waits?.seat === own ? "turn" : ""}
      aria-label=${text("bots.hand")}
    >
      <div class="hand-top">
        <p id="awaited" aria-live="polite">${hand?.prompt ?? text("bots.cards_coming")}</p>
        <button
          type="button"
          class="plain"
          data-give=${own}
          ?disabled=${busy}
          @click=${() => giveBack(own)}
        >
          ${text("bots.give_back_own")}
        </button>
      </div>
      ${nameForm(/** @type {OwnSeat} */ (seat.get()))}
      ${
        hand?.actions.length
          ? html`<div class="row actions">${hand.actions.map(actionButton)}</div>`
          : nothing
      }
      <div class=${cards.length > MANY_CARDS ? "fan many" : "fan"} ?hidden=${!cards.length}>
        ${cards.map(handCard)}
      </div>
    </section>`;
  }

  /** @param {HandAction} action */
  const actionButton = ({ label, command, main }) =>
    html`<button
      type="button"
      class=${main ? "main" : "soft"}
      data-action=${command.do}
      data-pool=${"pool" in command ? command.pool : nothing}
      @click=${() => app.sendCommand({ ...command })}
    >
      ${label}
    </button>`;

  /** @param {string} code */
  function handCard(code) {
    if (!hand?.playable.includes(code)) {
      return cardView(code, { played: Boolean(hand?.playable.length) });
    }
    return html`<span class="playable"
      >${cardView(code, { silent: true })}<button
        type="button"
        data-lay=${code}
        lang=${cardLanguage()}
        aria-label=${cardName(code)}
        ?disabled=${busy}
        @click=${() => layCard(code)}
      ></button
    ></span>`;
  }

  return { show };
}

/** The seat that this tab has taken over, kept as long as the tab. */
function createOwnSeat() {
  let own = /** @type {OwnSeat | null} */ (stored());
  let confirmed = true; // whether the daemon ought to know by now that a person plays the seat

  return {
    get: () => own,
    /** @param {OwnSeat | null} taken */
    keep(taken) {
      if (own === taken) return;
      [own, confirmed] = [taken, false];
      try {
        if (taken) sessionStorage.setItem(STORED, JSON.stringify(taken));
        else sessionStorage.removeItem(STORED);
      } catch {
        // It lasts as long as the page.
      }
    },
    /** Whether a bot plays the seat again. @param {DemoState} demo */
    isLost({ players }) {
      if (!own) return false;
      const isPerson = (players[own.seat] ?? "person") === "person";
      const lost = !isPerson && confirmed;
      confirmed ||= isPerson;
      return lost;
    },
  };
}

/** @returns {OwnSeat | null} */
function stored() {
  try {
    return JSON.parse(sessionStorage.getItem(STORED) ?? "null");
  } catch {
    return null;
  }
}

/** @param {StateAnswer} state @param {DemoState} demo @param {boolean} odd */
function tableView({ trump }, { turned, run, taker, count, message, short_names: names }, odd) {
  const counted = html`<p id="count">${text("bots.count")} <b>${count}</b></p>`;
  const taken = html`<p id="taken">${text("bots.takes", { name: names[taker ?? 0] ?? "" })}</p>`;
  return html`<div class="felt">
    <div id="turned">
      ${turned ? cardView(turned) : backView({ label: text("bots.no_card") })}
      <span class="trump">${trump ? trumpView(trump) : text("bots.pack")}</span>
    </div>
    <div class="middle">
      ${run.length ? runView(run, taker, names, odd) : html`<p>${message}</p>`}
      ${run.length && count !== null ? counted : nothing}
      ${run.length && taker !== null ? taken : nothing}
    </div>
  </div>`;
}

/** @param {string} suit */
const trumpView = (suit) =>
  html`${suitView(suit)} <span lang=${cardLanguage()}>${suitName(suit)}</span>`;

/** @param {DemoState["run"]} run @param {number | null} taker
 * @param {Record<string, string>} names @param {boolean} odd */
const runView = (run, taker, names, odd) =>
  html`<ol id="run" class="${odd ? "one" : "other"} ${run.length > MANY_CARDS ? "many" : ""}">
    ${run.map(
      ({ seat, card }) =>
        html`<li data-seat=${seat} class=${seat === taker ? "took" : ""}>
          ${cardView(card, { note: text("bots.laid_by", { name: names[seat] ?? "" }) })}
          <span aria-hidden="true">${names[seat]}</span>
        </li>`,
    )}
  </ol>`;

/** @param {readonly string[]} reasons */
const reasonsView = (reasons) =>
  html`<details id="reasons">
    <summary>${text("bots.reasons")}</summary>
    <ul>
      ${reasons.map((said) => html`<li>${said}</li>`)}
    </ul>
  </details>`;

/** @param {readonly string[]} cards */
const laidView = (cards) =>
  html`<details class="laid">
    <summary>${text("bots.played_before", { count: cards.length })}</summary>
    <div>${cards.map((code) => cardView(code, { compact: true }))}</div>
  </details>`;
