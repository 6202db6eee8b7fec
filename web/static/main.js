// @ts-check
// The table: its parts, and the store that tells them what to show.

import { openAccount } from "./accounts.js";
import { createAfterwards } from "./afterwards.js";
import { createBots } from "./bots.js";
import { createTimeOffer } from "./clock.js";
import { createCommands } from "./commands.js";
import { createControls } from "./controls.js";
import { openCorrection } from "./correcting.js";
import { openDevice } from "./device.js";
import { createMenu } from "./dialog.js";
import { byId, kindById, revealPage } from "./elements.js";
import { createEnding } from "./ending.js";
import { createFirstStart } from "./first.js";
import { createLedger } from "./ledger.js";
import { createLink } from "./link.js";
import { createLobby } from "./lobby.js";
import { createOverview } from "./overview.js";
import { createOwner } from "./owner.js";
import { createPairing, openPhones } from "./pairing.js";
import { createAwake, createFocusRestorer } from "./phone.js";
import { createPresses } from "./presses.js";
import { embedded } from "./requests.js";
import { createSignals } from "./sounds.js";
import { createStore } from "./store.js";
import { createTable } from "./table_board.js";
import { pause } from "./time.js";
import { createToast, isBetweenNights } from "./views.js";

/** @import { StateAnswer } from "../types" */
/** @import { App, Store } from "./store.js" */

const REVEAL_MS = 1_500; // anything drawn after this may shift the layout
/** For so long a night has only just ended. */
const JUST_ENDED_MS = 3_600_000;

function startTable() {
  const store = createStore(embedded("state"));
  const sounds = createSounds(store, (state) => owner.task(state));
  const showToast = createToast(byId("toast"));
  /** @type {App["toast"]} */
  const toast = (message, buttons = []) => {
    showToast(message, buttons);
    if (message) sounds.get()?.refused(message);
  };
  const presses = createPresses(({ message, button }) => toast(message, button));
  const commands = createCommands(store, toast, (message) => sounds.get()?.refused(message));
  const state = () => store.latest();
  const ownSeat = () => (store.get().state ? owner.seat(state()) : null);
  const update = () => store.set();
  const ending = createEnding(update);
  /** Whether a night has just ended, here or before the page was opened. */
  const hasEnded = () =>
    ending.hasEnded() || Date.now() - (store.latest().ended_ms ?? 0) < JUST_ENDED_MS;
  store.subscribe(({ state: shown }) => ending.follow(shown));
  /** @type {App} */
  const app = {
    store,
    presses,
    toast,
    update,
    ending: { hasEnded, shows: ending.shows },
    state,
    ownSeat,
    sendCommand: commands.send,
    enterCount: commands.enterCount,
    opened: commands.opened,
    openAccount: (account) => openDrawer(account),
  };

  const light = createTable(app);
  const owner = createOwner(store);
  const keepAwake = createAwake();
  const openDrawer = createDrawer(app, () => {
    sounds.get()?.changed();
    keepAwake();
    update();
  });
  createOverview(app);
  createFirstStart(app);
  sounds.follow();
  store.subscribe(({ state: shown }) => {
    keepAwake(!isBetweenNights(shown));
    showKindOfEvening(shown);
  });
  const restoreFocus = createFocusRestorer(() => homeOf(state()));
  const showPanels = createPanels(app, () => link.reconnect());
  createStory(app);
  store.subscribe(({ state: shown }) => {
    const drawing = showPanels(shown);
    commands.mark();
    restoreFocus();
    void Promise.race([drawing, pause(REVEAL_MS)]).then(revealPage);
  });
  createMenu();

  // What is tapped before the events come is refused if the table has moved on.
  if (store.get().state) document.body.classList.remove("waiting");
  store.set();
  const link = createLink(app, presses, {
    receive: commands.receive,
    light,
    clock: createTimeOffer(app),
  });
}

/** Where the focus goes if its control is gone. @param {StateAnswer} state */
const homeOf = (state) => {
  const asks = isBetweenNights(state) && byId("lobby").childElementCount > 0;
  return byId(asks ? "lobby" : "bar");
};

/** @param {StateAnswer} state */
function showKindOfEvening(state) {
  byId("skip").setAttribute("href", `#${homeOf(state).id}`);
  document.body.classList.toggle("between-nights", isBetweenNights(state));
}

/** Sounds and speech, from the first tap on: before it browsers allow none.
 * @param {Store} store @param {(state: StateAnswer) => string | null} taskOf the phone's owner */
function createSounds(store, taskOf) {
  /** @type {ReturnType<typeof createSignals> | null} */
  let signals = null;

  for (const kind of ["pointerdown", "keydown"]) {
    addEventListener(kind, () => {
      const { state } = store.get();
      if (state) signals ??= createSignals(state, taskOf(state));
    });
  }
  return {
    get: () => signals,
    follow: () => store.subscribe(({ state }) => signals?.show(state, taskOf(state))),
  };
}

/**
 * The panels that show a state. Returns what shows those that it needs, and a promise of their
 * drawing.
 * @param {App} app @param {() => void} reconnect
 */
function createPanels(app, reconnect) {
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
    if (state.bots || !byId("cards").hidden) bots.show();
    await drawing;
  };
}

/** The ledger of the night, which follows each state once. @param {App} app */
function createStory(app) {
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
function createDrawer(app, onChange) {
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
  return (account) => openAccount(app, account);
}

startTable();
