// @ts-check
// The parts of the table whose modules are loaded when they are first shown.

import { loadStylesheet } from "./dialog.js";
import { byId, kindById } from "./elements.js";
import { withTexts } from "./requests.js";
import { text } from "./texts.js";
import { isBetweenNights } from "./views.js";

/** @import { StateAnswer } from "../types" */
/** @import { App } from "./store.js" */

/** @typedef {{show: (state: StateAnswer) => unknown}} Panel */
/** @typedef {(state: StateAnswer) => Promise<boolean>} ShowPanel returns whether this state is
 * drawn */

const NIGHT_STYLES = "/static/night.css";
const LOAD_AGAIN_MS = 1_000;
const MOST_APART_MS = 300_000; // of two clocks that are both right

/**
 * The panels that show a state. Returns what shows those that it needs, and one promise for each.
 * @param {App} app @param {() => void} onDrawn @param {() => void} reconnect
 * @returns {(state: StateAnswer) => Promise<boolean>[]}
 */
export function createPanels(app, onDrawn, reconnect) {
  /** @param {() => Promise<Panel | null>} load */
  const lazy = (load) => createLazyPanel(app, onDrawn, load);
  const lobby = lazy(async () => {
    const module = await withTexts(import("./lobby.js"), "lobby.add");
    return module && module.createLobby(app);
  });
  const controls = lazy(async () => {
    const [module] = await Promise.all([
      withTexts(import("./controls.js"), "stake.less"),
      loadStylesheet(NIGHT_STYLES),
    ]);
    return module && module.createControls(app);
  });
  const ownControls = lazy(async () => {
    const [module] = await Promise.all([
      withTexts(import("./own_controls.js"), "stake.less"),
      loadStylesheet(NIGHT_STYLES),
      loadStylesheet("/static/own_controls.css"),
    ]);
    return module && module.createOwnControls(app);
  });
  const pairing = lazy(async () => {
    const module = await styled(withTexts(import("./pairing.js"), "pairing.title"));
    return module && module.createPairing(byId("pairing"), app.toast, reconnect);
  });
  const afterwards = lazy(async () => {
    const module = await withTexts(import("./afterwards.js"));
    return module && module.createAfterwards(byId("afterwards"));
  });
  const bots = lazy(async () => {
    const module = await withTexts(import("./bots.js"));
    return module && module.createBots(app);
  });
  let wasClosed = false; // a night has ended here: what it shows goes away if that is undone

  return (state) => {
    wasClosed ||= state.phase === "closed";
    if (state.night !== null) void loadStylesheet(NIGHT_STYLES);
    const { paired, code } = state.pairing;
    const table = app.ownSeat() === null ? controls : ownControls;
    const needed = [
      isBetweenNights(state) ? lobby : table,
      wasClosed && afterwards,
      (!paired || code || !byId("pairing").hidden) && pairing,
      (state.demo || !byId("cards").hidden) && bots,
    ];
    return needed.flatMap((show) => (show ? [show(state)] : []));
  };
}

/** The ledger of the night, which follows each state once. @param {App} app
 * @param {() => void} onDrawn */
export function createStory(app, onDrawn) {
  const show = createLazyPanel(app, onDrawn, async () => {
    const ledger = await withTexts(import("./ledger.js"), "ledger.title");
    return (
      ledger &&
      ledger.createLedger(byId("story"), async (number) => {
        const module = await loadForDrawer(app, import("./correcting.js"));
        await module?.openCorrection(app, number);
      })
    );
  });
  /** @type {StateAnswer | null} */
  let followed = null;
  app.store.subscribe(async ({ state }) => {
    if (state === followed) return;
    followed = state;
    if (state.night === null && byId("story").hidden) return;
    // If its module or texts were lost, they are loaded again, and this state is shown then.
    if (!(await show(state))) followed = null;
  });
}

/** A module of the drawer, with its styles.
 * @template T @param {Promise<T>} module */
async function styled(module) {
  await loadStylesheet("/static/drawer.css");
  return module;
}

/** The same with its texts; null if they cannot be loaded.
 * @template T @param {App} app @param {Promise<T>} module */
async function loadForDrawer({ toast }, module) {
  const loaded = await styled(withTexts(module)).catch(() => null);
  if (!loaded) toast(text("error.no_answer"));
  return loaded;
}

/**
 * A panel whose module is loaded when it is first shown.
 * @param {App} app @param {() => void} onDrawn
 * @param {() => Promise<Panel | null>} load null if the network fails
 * @returns {ShowPanel}
 */
function createLazyPanel(app, onDrawn, load) {
  /** @type {Promise<Panel | null> | null} */
  let panel = null;
  return async (state) => {
    panel ??= load().catch(() => null);
    const loaded = await panel;
    if (!loaded) {
      // The network failed just now.
      panel = null;
      setTimeout(app.update, LOAD_AGAIN_MS);
    } else if (app.state() === state) {
      const drawn = loaded.show(state);
      onDrawn();
      await drawn;
      return true;
    }
    return false;
  };
}

/** The dialogs of the drawer. @param {App} app @param {() => void} onChange of the phone's settings
 * @returns {App["openAccount"]} */
export function createDrawer(app, onChange) {
  const { store, toast } = app;
  const drawer = kindById("drawer", HTMLDialogElement);
  /** @type {(state: StateAnswer) => void} */
  let followDevice = () => {};
  store.subscribe(({ state }) => followDevice(state));

  async function openDevice() {
    const device = await loadForDrawer(app, import("./device.js"));
    if (device) followDevice = device.openDevice(drawer, app.state(), toast, onChange);
  }

  addEventListener("click", ({ target }) => {
    if (target instanceof Element && target.closest("[data-device]")) void openDevice();
  });
  byId("settings").addEventListener("click", async () => {
    const pairing = await loadForDrawer(app, import("./pairing.js"));
    await pairing?.openPhones(drawer, app.state(), toast);
  });
  return async (account, counting) => {
    const accounts = await loadForDrawer(app, import("./accounts.js"));
    await accounts?.openAccount(app, account, counting);
  };
}

/** Offers this phone's time once, if the board's clock is far from it. Returns what takes the time
 * of a clock that no network has set. @param {App} app */
export function createTimeOffer({ state, toast }) {
  let isOffered = false;
  return async (/** @type {number} */ boardMs) => {
    if (isOffered || !state().pairing.paired) return;
    isOffered = true;
    if (Math.abs(Date.now() - boardMs) < MOST_APART_MS) return;
    const clock = await withTexts(import("./clock.js"), "clock.ask");
    clock?.offerTime(byId("clock"), boardMs, toast);
    isOffered = clock !== null; // else the next heartbeat offers it
  };
}
