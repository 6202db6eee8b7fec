// @ts-check
// Bots at the table: their cards, and their seats to take over. How they are
// drawn is in bots_view.js.

import { nothing, render } from "./vendor/lit-html.js";
import { botsView, handView } from "./bots_view.js";
import { byId } from "./elements.js";
import { askBeforeFollowing, createOwnSeat } from "./onlooking.js";
import { ownerName } from "./owner.js";
import { reason, request } from "./requests.js";
import { followLesson, practiceView } from "./practice.js";

/** @import { BotsState, HandAnswer, StateAnswer } from "../types" */
/** @import { App } from "./store.js" */
/** @import { Table } from "./bots_view.js" */
/** @typedef {ReturnType<typeof createOwnSeat>} KeptSeat */
/** @typedef {ReturnType<typeof createHand>} Hand */

const ASK_AGAIN_MS = 1_000;

/** @param {App} app */
export function createBots(app) {
  askBeforeFollowing(app);
  const seat = createOwnSeat();
  const hand = createHand(seat, draw);
  const deeds = createDeeds(app, seat, hand, draw);
  let run = { first: "", odd: false };
  function draw() {
    const state = app.state();
    const { bots } = state;
    const host = byId("cards");
    host.hidden = !bots;
    if (!bots) {
      hand.drop();
      render(nothing, byId("own-hand"));
      showLearning(false);
      render(nothing, host);
      return;
    }
    if (seat.isLost(bots)) hand.drop();
    // Places in the list are reused; a new run is animated because its class changes.
    const first = bots.run[0]?.card ?? "";
    if (run.first !== first) run = { first, odd: !run.odd };
    const own = seat.get();
    const isLearning = own !== null && bots.practice;
    const isInBar = isLearning || (own !== null && state.phase === "shed");
    const shown = { own, isInBar, hand: hand.get(), odd: run.odd, draw };
    const table = { state, bots, ...shown, busy: deeds.isBusy(), deeds, app };
    render(botsView(table), host);
    render(isInBar ? barView(table) : nothing, byId("own-hand"));
    showLearning(isLearning);
    void hand.follow(state, bots);
  }

  /** The hand in the bar, or what the coach says of it. @param {Table} table */
  function barView(table) {
    const { own, bots } = table;
    if (!own) return nothing;
    if (!bots.practice) return handView(table, own);
    return practiceView(table);
  }

  /** @param {boolean} isLearning */
  function showLearning(isLearning) {
    document.body.classList.toggle("practising", isLearning);
    followLesson(isLearning ? hand.get() : null);
  }

  return { show: draw };
}

/** The cards of this tab's seat. @param {KeptSeat} seat @param {() => void} draw */
function createHand(seat, draw) {
  /** @type {HandAnswer | null} */
  let hand = null;
  let moment = ""; // that the hand was fetched at
  let fetching = false;

  /** The seat no longer belongs to this tab. */
  function drop() {
    seat.keep(null);
    hand = null;
    moment = "";
  }

  /** Fetches the hand whenever something has happened that may have changed it.
   * @param {StateAnswer} state @param {BotsState} bots */
  async function follow({ night, entry }, bots) {
    const own = seat.get();
    if (!own || fetching || (bots.held[own.seat] === undefined && !bots.practice)) return;
    const now = JSON.stringify([night, entry, bots.held, bots.run, bots.waits]);
    if (now === moment) return;
    [moment, fetching] = [now, true];
    const answer = await request("GET", "/api/bots/hand", { headers: { "X-Seat-Key": own.key } });
    fetching = false;
    if (seat.get() === own) {
      if (answer?.status === 200) hand = answer.json;
      else if (answer && answer.status < 500) drop();
      else setTimeout(again, ASK_AGAIN_MS);
    }
    draw();
  }

  function again() {
    moment = "";
    draw();
  }

  return {
    get: () => hand,
    drop,
    follow,
    again,
    /** Shows the hand without a card that has been played. @param {string} card */
    without(card) {
      if (!hand) return;
      hand = { ...hand, cards: hand.cards.filter((one) => one !== card), playable: [] };
    },
  };
}

/**
 * What may be done about bots and their seats.
 * @param {App} app @param {KeptSeat} seat @param {Hand} hand @param {() => void} draw
 */
function createDeeds(app, seat, hand, draw) {
  let busy = false; // a request that changes something is under way

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

  /** The bots may continue meanwhile, which does not matter here.
   * @param {number} renamed @param {string} name */
  const rename = (renamed, name) =>
    app.sendCommand({ do: "rename", seat: renamed, name, basis: undefined });

  return {
    isBusy: () => busy,
    /** @param {string} card */
    async layCard(card) {
      if (await change("POST", "/api/bots/cards", { card })) hand.without(card);
      hand.again();
    },
    /** @param {string} read */
    async readLesson(read) {
      await change("POST", "/api/bots/lessons", { read });
      hand.again();
    },
    /** @param {number} taken */
    async takeSeat(taken) {
      const answer = await change("POST", `/api/bots/seats/${taken}`);
      if (answer) {
        seat.keep({ ...answer.json, was: app.state().names[taken] });
        const name = ownerName();
        if (name) await rename(taken, name);
      }
      draw();
      document.querySelector("#hand")?.scrollIntoView({ block: "nearest" });
    },
    /** @param {number} given */
    async giveBack(given) {
      const own = seat.get();
      const done = await change("DELETE", `/api/bots/seats/${given}`);
      if (done && own?.seat === given) {
        hand.drop();
        if (own.was && own.was !== app.state().names[given]) await rename(given, own.was);
      }
      draw();
    },
    /** @param {number} speed */
    async setSpeed(speed) {
      await change("POST", "/api/bots/speed", { speed });
      draw();
    },
    async dismiss() {
      await change("DELETE", "/api/bots");
      draw();
    },
  };
}
