// @ts-check
// The table's link to the daemon: what comes over it, and what the page says about it.

import { followEvents } from "./connection.js";
import { byId, kindById, penOf } from "./elements.js";
import { clockTime, text } from "./texts.js";

/** @import { DisplayEvent, StateAnswer, TuneEvent } from "../types" */
/** @import { Presses } from "./presses.js" */
/** @import { App } from "./store.js" */

const FULL_CONTRAST = 127; // of the display, after power-on

/**
 * @param {Pick<App, "store" | "toast">} app @param {Pick<Presses, "cancelAll">} presses
 * @param {{receive: (state: StateAnswer) => void, light: (pixels: string[]) => void,
 *   tune: (tune: TuneEvent) => void, clock: (ms: number) => unknown}} news where it goes
 */
export function createLink({ store, toast }, presses, { receive, light, tune, clock }) {
  let reconnecting = false;

  /** @param {boolean} now @param {number} lastEventMs */
  function follow(now, lastEventMs) {
    if (reconnecting && now) byId("badge").textContent = text("connection.live");
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
    display: (shown) => drawDisplay(kindById("display", HTMLCanvasElement), shown),
    tune,
    heartbeat: ({ time_ms: ms }) => ms && clock(ms),
    health: ({ message }) => store.set({ sick: message }),
    reconnecting() {
      // Controls stay on: what is tapped meanwhile is sent until it is answered.
      reconnecting = true;
      byId("badge").textContent = text("connection.reconnecting");
      byId("badge").classList.add("broken");
    },
    live: follow,
  });
}

/** @param {boolean} live @param {number} lastEventMs */
function showConnection(live, lastEventMs) {
  document.body.classList.remove("waiting", "live", "stale");
  document.body.classList.add(live ? "live" : "stale");
  byId("badge").textContent = text(live ? "connection.live" : "connection.lost");
  byId("stale").hidden = live;
  byId("stale").textContent = text("connection.stale", { time: clockTime(lastEventMs, true) });
  for (const id of ["cards", "lobby", "bar", "more", "plates"])
    byId(id).toggleAttribute("inert", !live);
}

/**
 * Draws the board's display, 128 × 64 pixels.
 * @param {HTMLCanvasElement} canvas @param {DisplayEvent} shown
 */
function drawDisplay(canvas, { bitmap, text: words, language, contrast }) {
  const bytes = atob(bitmap);
  const context = penOf(canvas);
  const lit = 235 * Math.min(1, contrast / FULL_CONTRAST) ** (1 / 2.2); // the gamma of screens
  const picture = context.createImageData(canvas.width, canvas.height);
  for (let y = 0; y < canvas.height; y += 1) {
    for (let x = 0; x < canvas.width; x += 1) {
      const column = bytes.charCodeAt((y >> 3) * canvas.width + x);
      const at = 4 * (y * canvas.width + x);
      picture.data.fill((column >> (y & 7)) & 1 ? lit : 16, at, at + 3);
      picture.data[at + 3] = 255;
    }
  }
  context.putImageData(picture, 0, 0);
  canvas.setAttribute("aria-label", words);
  canvas.lang = language;
}
