// @ts-check
// The parts of the table that show a state, each when it is wanted.

import { openAccount } from "./accounts.js";
import { createAfterwards } from "./afterwards.js";
import { createBots } from "./bots.js";
import { createControls } from "./controls.js";
import { openCorrection } from "./correcting.js";
import { openDevice } from "./device.js";
import { byId, kindById } from "./elements.js";
import { createLedger } from "./ledger.js";
import { createLobby } from "./lobby.js";
import { createPairing, openPhones } from "./pairing.js";
import { isBetweenNights } from "./views.js";

/** @import { StateAnswer } from "../types" */
/** @import { App } from "./store.js" */

/**
 * The panels that show a state. Returns what shows those that it needs, and a promise of their
 * drawing.
 * @param {App} app @param {() => void} reconnect
 */
export function createPanels(app, reconnect) {
  const lobby = createLobby(app);
  const controls = createControls(app);
  const pairing = createPairing(byId("pairing"), app.toast, reconnect);
  const afterwards = createAfterwards(byId("afterwards"));
  const bots = createBots(app);
  let wasClosed = false; // a night has ended here: what it shows goes away if that is undone

  return async (/** @type {StateAnswer} */ state) => {
    wasClosed ||= state.phase === "closed";
    const { paired, code } = state.pairing;
    const drawing = (isBetweenNights(state) ? lobby : controls).show(state);
    if (wasClosed) void afterwards.show(state);
    if (!paired || code || !byId("pairing").hidden) pairing.show(state);
    if (state.demo || !byId("cards").hidden) bots.show();
    await drawing;
  };
}

/** The ledger of the night, which follows each state once. @param {App} app */
export function createStory(app) {
  const ledger = createLedger(byId("story"), (number) => openCorrection(app, number));
  /** @type {StateAnswer | null} */
  let followed = null;
  app.store.subscribe(({ state }) => {
    if (state === followed) return;
    followed = state;
    if (state.night !== null || !byId("story").hidden) void ledger.show(state);
  });
}

/** The dialogs of the drawer. @param {App} app @param {() => void} onChange of the phone's settings
 * @returns {App["openAccount"]} */
export function createDrawer(app, onChange) {
  const { store, toast } = app;
  const drawer = kindById("drawer", HTMLDialogElement);
  /** @type {(state: StateAnswer) => void} */
  let followDevice = () => {};
  store.subscribe(({ state }) => followDevice(state));
  const show = () => (followDevice = openDevice(drawer, app.state(), toast, onChange));
  addEventListener("click", ({ target }) => {
    if (target instanceof Element && target.closest("[data-device]")) show();
  });
  byId("settings").addEventListener("click", () => openPhones(drawer, app.state(), toast));
  return (account, counting) => openAccount(app, account, counting);
}
