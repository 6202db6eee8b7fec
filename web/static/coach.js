// @ts-check
// A tip for beginners above the controls, for the first deals that this phone follows.

import { html, nothing } from "./vendor/lit-html.js";
import { loadStylesheet } from "./dialog.js";
import { render } from "./drawing.js";
import { byId } from "./elements.js";
import { withTexts } from "./requests.js";
import { COACH, remember, stored } from "./storage.js";
import { text } from "./texts.js";
import { pause } from "./time.js";

/** @import { StateAnswer } from "../types" */
/** @import { Store } from "./store.js" */

const DEALS = 3;
const AGAIN_MS = 5_000;

/**
 * What this phone keeps of the tips once it has seen a state: the number of deals with tips and the
 * last of them, as in `2 7.4`. After the last one it is "off".
 * @param {string | null} kept
 * @param {Pick<StateAnswer, "phase" | "night" | "deal">} state
 */
export function keptOfTips(kept, { phase, night, deal }) {
  const isInDeal = !["none", "idle", "closed"].includes(phase);
  if (kept === "off" || !isInDeal) return kept;
  const [count = "0", last = ""] = kept?.split(" ") ?? [];
  const now = `${night}.${deal}`;
  if (last === now) return kept;
  return Number(count) < DEALS ? `${Number(count) + 1} ${now}` : "off";
}

/** Shows the tips. @param {Store} store */
export async function createCoach(store) {
  function hide() {
    remember(COACH, "off");
    store.set();
  }

  await loadStylesheet("/static/coach.css");
  while (!(await withTexts(Promise.resolve(true), "coach.hide"))) await pause(AGAIN_MS);
  store.subscribe(({ state }) => {
    const kept = stored(COACH);
    const next = keptOfTips(kept, state);
    if (next !== kept) remember(COACH, next);
    const tip = next === "off" ? "" : state.guidance.coach;
    const host = byId("coach");
    host.hidden = !tip;
    render(tip ? tipView(tip, hide) : nothing, host);
  });
  store.set();
}

/** @param {string} tip @param {() => void} hide */
const tipView = (tip, hide) =>
  html`<p>${tip}</p>
    <button type="button" aria-label=${text("coach.hide")} @click=${hide}>×</button>`;
