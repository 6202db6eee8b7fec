// @ts-check
// Computer players stay on the phone that asked for them: another one is asked before it follows.
// A tab may take over one of their seats, and keeps it.

import { html, nothing, render } from "./vendor/lit-html.js";
import { openDialog } from "./dialog.js";
import { reason, request } from "./requests.js";
import { createTabMemory } from "./storage.js";
import { text } from "./texts.js";
import { pushButton } from "./views.js";

/** @import { BotsState, StateAnswer } from "../types" */
/** @import { App } from "./store.js" */

/** @typedef {{seat: number, key: string, was?: string}} OwnSeat a seat of this tab, what opens its
 * cards, and its bot's name */

const memory = createTabMemory("seat");

/** The seat that this tab has taken over, kept as long as the tab. */
export function createOwnSeat() {
  /** @type {OwnSeat | null} */
  let own = stored();
  let confirmed = true; // whether the daemon ought to know by now that a person plays the seat

  return {
    get() {
      if (!own) [own, confirmed] = [stored(), false];
      return own;
    },
    /** @param {OwnSeat | null} taken */
    keep(taken) {
      if (own === taken) return;
      [own, confirmed] = [taken, false];
      keepSeat(taken);
    },
    /** Whether a bot plays the seat again. @param {BotsState} bots */
    isLost({ players }) {
      if (!own) return false;
      const isPerson = (players[own.seat] ?? "person") === "person";
      const lost = !isPerson && confirmed;
      confirmed ||= isPerson;
      return lost;
    },
  };
}

/** What this tab finds again. @param {OwnSeat | null} taken */
export const keepSeat = (taken) => memory.keep(taken && JSON.stringify(taken));

/** @returns {OwnSeat | null} */
const stored = () => JSON.parse(memory.get() ?? "null");

const ASKED = "asked"; // for computer players, whose table is not known yet
/** The machine that draws the board follows it. */
const IS_BOARD = ["localhost", "127.0.0.1", "[::1]"].includes(location.hostname);

/** The table of computer players that this tab follows. */
const followed = createTabMemory("follows");

/** Asks for computer players or for a practice, which this tab then follows. Returns what it was
 * told, if it got them. @param {App} app @param {string} address @param {object} body */
export async function askForBots({ toast, update }, address, body) {
  followed.keep(ASKED);
  const answer = await request("POST", address, { body });
  const ok = answer?.status === 201;
  if (!ok) {
    followed.keep(null);
    toast(reason(answer));
  }
  update();
  return ok ? answer.json : null;
}

/** @param {App} app */
export function askBeforeFollowing(app) {
  const dialog = document.createElement("dialog");
  dialog.id = "elsewhere";
  dialog.addEventListener("cancel", (event) => event.preventDefault());
  document.body.append(dialog);

  function follow() {
    const { bots } = app.state();
    if (bots) followed.keep(bots.session);
    dialog.close();
  }

  async function stop() {
    const answer = await request("DELETE", "/api/bots");
    if (answer && answer.status >= 300 && answer.status !== 409) app.toast(reason(answer));
  }

  /** @param {StateAnswer} state */
  function show({ bots, pairing }) {
    if (!bots || IS_BOARD) return dialog.close();
    if (followed.get() === ASKED) followed.keep(bots.session);
    if (followed.get() === bots.session) return dialog.close();
    render(
      html`<h2>
          ${text(
            bots.practice
              ? "Somebody is learning Poch on another phone"
              : "Computer players play for another phone",
          )}
        </h2>
        <div class="row">
          ${pushButton(text("Watch"), follow, { class: "main", "data-watch": "" })}
          ${
            pairing.paired ? pushButton(text("Send them away"), stop, { "data-stop": "" }) : nothing
          }
        </div>`,
      dialog,
    );
    if (!dialog.open) openDialog(dialog);
  }

  app.store.subscribe(({ state }) => show(state));
}
