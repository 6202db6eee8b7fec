// @ts-check
// The table's link to the daemon: what comes over it, and what the page says about it.

import { followEvents } from "./connection.js";
import { byId } from "./elements.js";
import { clockTime, text } from "./texts.js";

/** @import { StateAnswer } from "../types" */
/** @import { Presses } from "./presses.js" */
/** @import { App } from "./store.js" */

/**
 * @param {Pick<App, "store" | "toast">} app @param {Pick<Presses, "cancelAll">} presses
 * @param {{receive: (state: StateAnswer) => void, light: (pixels: string[]) => void,
 *   clock: (ms: number) => unknown}} news where it goes
 */
export function createLink({ store, toast }, presses, { receive, light, clock }) {
  let reconnecting = false;

  /** @param {boolean} now @param {number} lastEventMs */
  function follow(now, lastEventMs) {
    if (reconnecting && now) byId("badge").textContent = text("live");
    if (now) byId("badge").classList.remove("broken");
    reconnecting &&= !now;
    const { live } = store.get();
    if (live === now && document.body.classList.contains(now ? "live" : "stale")) return;
    showConnection(now, lastEventMs);
    if (!now) presses.cancelAll();
    store.set({ live: now });
  }

  return followEvents({
    known: () => store.get().state,
    state: receive,
    // Why a command was refused is said at the phone that sent it.
    refused: ({ message, button, command }) => command === null && toast(message, button),
    frame: light,
    heartbeat: ({ time_ms: ms }) => ms && clock(ms),
    health: ({ message }) => store.set({ sick: message }),
    reconnecting() {
      // Controls stay on: what is tapped meanwhile is sent until it is answered.
      reconnecting = true;
      byId("badge").textContent = text("reconnecting …");
      byId("badge").classList.add("broken");
    },
    live: follow,
  });
}

/** @param {boolean} live @param {number} lastEventMs */
function showConnection(live, lastEventMs) {
  document.body.classList.remove("waiting", "live", "stale");
  document.body.classList.add(live ? "live" : "stale");
  byId("badge").textContent = text(live ? "live" : "not live");
  byId("stale").hidden = live;
  byId("stale").textContent = text("Nothing heard from the board since {time}. Trying again…", {
    time: clockTime(lastEventMs, true),
  });
  for (const id of ["cards", "lobby", "bar", "more", "plates"])
    byId(id).toggleAttribute("inert", !live);
}
