// @ts-check
// The table: its parts, and the store that tells them what to show.
// The hooks for tests are listed in table.html.

import { createLazyPresses } from "./board.js";
import { createCommands } from "./commands.js";
import { byId, pageStarted, revealPage } from "./elements.js";
import { createLink } from "./link.js";
import { createOverview } from "./overview.js";
import { createOwner } from "./owner.js";
import { createDrawer, createPanels, createStory, createTimeOffer } from "./panels.js";
import { createAwake, createFocusRestorer, measureBar } from "./phone.js";
import { embedded } from "./requests.js";
import { createStore } from "./store.js";
import { createBoardPanel } from "./table_board.js";
import { pause } from "./time.js";
import { createToast, isBetweenNights } from "./views.js";

/** @import { StateAnswer } from "../types" */
/** @import { App, Store } from "./store.js" */

const REVEAL_MS = 1_500; // anything drawn after this may shift the layout

function startTable() {
  const store = createStore(embedded("state"));
  const sounds = createSounds(store, (state) => owner.task(state));
  const showToast = createToast(byId("toast"));
  /** @type {App["toast"]} */
  const toast = (message, buttons = []) => {
    showToast(message, buttons);
    if (message) sounds.get()?.refused(message);
  };
  const presses = createLazyPresses(
    ({ message, button }) => toast(message, button),
    () => (store.get().state?.holds.silence ?? 0) * 1_000,
  );
  const commands = createCommands(store, toast, (message) => sounds.get()?.refused(message));
  const state = () => store.latest();
  const ownSeat = () => (store.get().state ? owner.seat(state()) : null);
  const update = () => store.set();
  /** @type {App} */
  const app = {
    store,
    presses,
    toast,
    update,
    state,
    ownSeat,
    sendCommand: commands.send,
    enterCount: commands.enterCount,
    opened: commands.opened,
  };

  const light = createBoardPanel(app);
  const owner = createOwner(store);
  const keepAwake = createAwake();
  const openAccount = createDrawer(app, () => {
    sounds.get()?.changed();
    keepAwake();
  });
  createOverview(app, openAccount);
  sounds.follow();
  store.subscribe(({ state: shown }) => {
    keepAwake(!isBetweenNights(shown));
    showKindOfEvening(shown);
  });
  createTimeOffer(app);
  const restoreFocus = createFocusRestorer(() => homeOf(state()));
  const onDrawn = () => {
    commands.mark();
    restoreFocus();
  };
  const showPanels = createPanels(app, onDrawn, () => link.reconnect());
  store.subscribe(({ state: shown, live }) => {
    const drawing = Promise.all(showPanels(shown));
    restoreFocus();
    void Promise.race([drawing, pause(REVEAL_MS)]).then(revealPage);
    if (live) void drawing.then((all) => all.every((isDrawn) => isDrawn) && pageStarted());
  });
  createStory(app, onDrawn);
  measureBar(byId("bar"));

  // What is tapped before the events come is refused if the table has moved on.
  if (store.get().state) document.body.classList.remove("waiting");
  store.set();
  const link = createLink(app, presses, {
    receive: commands.receive,
    light,
    tune: (tune) => sounds.get()?.tune(tune),
  });
}

/** Where the focus goes if its control is gone. @param {StateAnswer} state */
const homeOf = (state) => byId(isBetweenNights(state) ? "lobby" : "bar");

/** @param {StateAnswer} state */
function showKindOfEvening(state) {
  byId("skip").setAttribute("href", `#${homeOf(state).id}`);
  document.body.classList.toggle("between-nights", isBetweenNights(state));
}

/** Sounds and speech, from the first tap on: before it browsers allow none.
 * @param {Store} store @param {(state: StateAnswer) => string | null} taskOf the phone's owner */
function createSounds(store, taskOf) {
  /** @type {ReturnType<import("./sounds.js")["createSignals"]> | null} */
  let signals = null;

  async function load() {
    const { createSignals } = await import("./sounds.js");
    const { state } = store.get();
    if (state) signals ??= createSignals(state, taskOf(state));
  }
  for (const kind of ["pointerdown", "keydown"]) {
    addEventListener(kind, () => signals ?? void load().catch(() => null));
  }
  return {
    get: () => signals,
    follow: () => store.subscribe(({ state }) => signals?.show(state, taskOf(state))),
  };
}

startTable();
