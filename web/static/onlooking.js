// @ts-check
// Computer players stay on the phone that asked for them: another one is asked before it follows.
//
// Hooks for tests: dialog#elsewhere [data-watch] [data-stop]

import { html, nothing } from "./vendor/lit-html.js";
import { openDialog } from "./dialog.js";
import { keepApart, render } from "./drawing.js";
import { reason, request } from "./requests.js";
import { createTabMemory } from "./storage.js";
import { text } from "./texts.js";

/** @import { StateAnswer } from "../types" */
/** @import { App } from "./store.js" */

const ASKED = "asked"; // for computer players, whose table is not known yet
/** The machine that draws the board follows it. */
const IS_BOARD = ["localhost", "127.0.0.1", "[::1]"].includes(location.hostname);

/** The table of computer players that this tab follows. */
const followed = createTabMemory("follows");

/** This tab asks for computer players, or for a practice; or it got none.
 * @param {boolean} asked */
export const expectBots = (asked) => followed.keep(asked ? ASKED : null);

/** @param {App} app */
export function askBeforeFollowing(app) {
  const dialog = keepApart(document.createElement("dialog"));
  dialog.id = "elsewhere";
  dialog.addEventListener("cancel", (event) => event.preventDefault());
  document.body.append(dialog);

  function follow() {
    const { demo } = app.state();
    if (demo) followed.keep(demo.session);
    dialog.close();
  }

  async function stop() {
    const answer = await request("DELETE", "/api/demo");
    if (answer && answer.status >= 300 && answer.status !== 409) app.toast(reason(answer));
  }

  /** @param {StateAnswer} state */
  function show({ demo, pairing }) {
    if (!demo || IS_BOARD) return dialog.close();
    if (followed.get() === ASKED) followed.keep(demo.session);
    if (followed.get() === demo.session) return dialog.close();
    render(
      html`<h2>${text(demo.practice ? "elsewhere.practice" : "elsewhere.bots")}</h2>
        <div class="row">
          <button type="button" class="main" data-watch @click=${follow}>
            ${text("elsewhere.watch")}
          </button>
          ${
            pairing.paired
              ? html`<button type="button" class="soft" data-stop @click=${stop}>
                  ${text("elsewhere.stop")}
                </button>`
              : nothing
          }
        </div>`,
      dialog,
    );
    if (!dialog.open) openDialog(dialog);
  }

  app.store.subscribe(({ state }) => show(state));
}
