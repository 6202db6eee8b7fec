// @ts-check
// Offers this phone's time while no network has set the clock of the board.

import { html, nothing, render } from "./vendor/lit-html.js";
import { byId } from "./elements.js";
import { reason, request } from "./requests.js";
import { momentText, OWN_ZONE, text } from "./texts.js";
import { pushButton } from "./views.js";

/** @import { App } from "./store.js" */

const MOST_APART_MS = 300_000; // of two clocks that are both right

/** Offers this phone's time once, if the board's clock is far from it. Returns what takes the time
 * of a clock that no network has set. @param {App} app */
export function createTimeOffer({ state, toast }) {
  let isOffered = false;
  return (/** @type {number} */ boardMs) => {
    if (isOffered || !state().pairing.paired) return;
    isOffered = true;
    if (Math.abs(Date.now() - boardMs) < MOST_APART_MS) return;
    offerTime(byId("clock"), boardMs, toast);
  };
}

/** @param {HTMLElement} host @param {number} boardMs the time of the board
 * @param {(message: string) => void} toast */
function offerTime(host, boardMs, toast) {
  const close = () => render(nothing, host);
  const use = async () => {
    const body = { time_ms: Date.now(), zone: OWN_ZONE };
    const answer = await request("PUT", "/api/clock", { body });
    if (answer?.status === 200) close();
    else toast(reason(answer));
  };
  const times = { board: momentText(boardMs), phone: momentText(Date.now()) };
  const question = html`<section
    class="card"
    role="group"
    aria-label=${text("The clock of the board")}
  >
    <p>
      ${text(
        "No network has set the clock of this board; it shows {board}. Should new entries get this phone’s time ({phone}) instead?",
        times,
      )}
    </p>
    <p class="row">
      ${pushButton(text("Use this phone’s time"), use, { class: "soft use" })}
      ${pushButton(text("Not now"), close, { class: "soft not" })}
    </p>
  </section>`;
  render(question, host);
}
