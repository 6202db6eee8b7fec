// @ts-check
// The table: the latest state, the panels that show it, and the bar under the thumb. One module,
// because a phone loads six files at once.
// The hooks for tests are listed in table.html.

import { html, nothing } from "./vendor/lit-html.js";
import { createBoard, createLazyPresses, drawDisplay } from "./board.js";
import {
  actionLabels,
  at,
  AWAKE,
  byId,
  clockTime,
  createFaceLoader,
  createTapGuard,
  createToast,
  embedded,
  followEvents,
  KEYS,
  OWNER,
  pageStarted,
  pause,
  postCommand,
  readOwner,
  render,
  request,
  revealPage,
  seatRow,
  sight,
  standingsView,
  store,
  stored,
  text,
  withTexts,
} from "./page.js";

/** @import { SeatRow, StateAnswer } from "../types" */
/** @import { LazyPresses } from "./board.js" */
/** @import { App, Command, CommandResult, Owner } from "./page.js" */

/** @typedef {{show: (state: StateAnswer) => unknown}} Panel */

const LOAD_AGAIN_MS = 1_000;
const EVENTS_LATE_MS = 150;
const MOST_APART_MS = 300_000; // of two clocks that are both right
const REVEAL_MS = 1_500; // what is not drawn by then may move others
const BOARD = "board"; // how this phone wants the board, in its storage

function startTable() {
  let state = /** @type {StateAnswer | null} */ (embedded("state"));
  let connected = false;
  let live = false; // connected, and the board can be pressed if it is simulated
  let reconnecting = false;
  let clockAsked = false; // whether the board's clock is known
  let wasClosed = false; // a night has ended here: what it shows goes away if that is undone
  let sick = /** @type {string | null} */ (null); // the daemon's message about its parts
  let followDevice = /** @type {(state: StateAnswer) => void} */ (() => {});
  let signals = /** @type {ReturnType<import("./sounds.js")["createSignals"]> | null} */ (null);
  const showToast = createToast(byId("toast"));
  const toast = (/** @type {string} */ message, /** @type {readonly string[]} */ buttons = []) => {
    showToast(message, buttons);
    signals?.refused(message);
  };
  const keepAwake = createAwake();
  const restoreFocus = createFocusRestorer();
  const taps = createTapGuard(() => toast(text("tap.early")));
  const onDrawn = () => {
    taps.mark();
    restoreFocus(home());
  };
  const presses = createLazyPresses(
    ({ message, button }) => toast(message, button),
    () => (state?.holds.silence ?? 0) * 1_000,
  );
  const board = createBoardPanel(byId("board"), byId("legend"), presses, () => {
    if (state && !state.pairing.paired) toast(text("pairing.watching"));
  });
  createFold();
  const owner = createOwner(show);
  /** @type {App} */
  const app = {
    presses,
    toast,
    update: show,
    state: () => /** @type {StateAnswer} */ (state),
    ownSeat: () => (state ? owner.seat(state) : null),
    sendCommand: (command) => taps.during(() => sendCommand(command)),
  };
  const panels = {
    lobby: createLazyPanel(app, onDrawn, async () => {
      const module = await withTexts(import("./lobby.js"), "lobby.add");
      return module && module.createLobby(app);
    }),
    controls: createLazyPanel(app, onDrawn, async () =>
      (await import("./controls.js")).createControls(app),
    ),
    ledger: createLazyPanel(app, onDrawn, async () =>
      (await import("./ledger.js")).createLedger(byId("story")),
    ),
    pairing: createLazyPanel(app, onDrawn, async () => {
      const { createPairing } = await styled(import("./pairing.js"));
      return createPairing(byId("pairing"), toast, () => stream.reconnect());
    }),
    afterwards: createLazyPanel(app, onDrawn, async () => {
      const module = await withTexts(import("./afterwards.js"));
      return module && module.createAfterwards(byId("afterwards"));
    }),
    bots: createLazyPanel(app, onDrawn, async () => {
      const module = await withTexts(import("./bots.js"));
      return module && module.createBots(app);
    }),
  };

  const isLobby = () => state?.phase === "none" || state?.phase === "closed";
  const home = () => byId(isLobby() ? "lobby" : "bar");

  function show() {
    if (!state) return;
    board.show(state, live);
    showFault(state, sick);
    showHeadline(state);
    showNow(state);
    showNews(state);
    owner.show(state);
    showSeats(state, app.ownSeat());
    showAccounts(state, openAccount);
    const lobby = isLobby();
    signals?.show(state, owner.task(state));
    keepAwake(!lobby);
    byId("skip").setAttribute("href", `#${home().id}`);
    byId("offer").hidden = !(
      state.phase === "none" &&
      state.board.simulated &&
      state.pairing.paired
    );
    document.body.classList.toggle("between-nights", lobby);
    const drawn = [panels[lobby ? "lobby" : "controls"](state), showAfterwards(state)];
    restoreFocus(home());
    const { paired, code } = state.pairing;
    if (!paired || code || !byId("pairing").hidden) drawn.push(panels.pairing(state));
    if (state.demo || !byId("cards").hidden) drawn.push(panels.bots(state));
    void offerTime(state);
    const drawing = Promise.all(drawn);
    void Promise.race([drawing, pause(REVEAL_MS)]).then(revealPage);
    if (live) void drawing.then((all) => all.every((isDrawn) => isDrawn) && pageStarted());
  }

  /** Offers this phone's time, if the board's clock is far from it. */
  async function offerTime(/** @type {StateAnswer} */ { clock_set: isSet, pairing }) {
    if (isSet || !pairing.paired || clockAsked) return;
    clockAsked = true;
    const answer = await request("GET", "/api/clock");
    clockAsked = answer?.status === 200;
    if (!clockAsked || Math.abs(Date.now() - answer?.json.time_ms) < MOST_APART_MS) return;
    const clock = await withTexts(import("./clock.js"), "clock.ask");
    clock?.offerTime(byId("clock"), answer?.json, toast);
  }

  /** @param {StateAnswer} shown */
  function showAfterwards(shown) {
    wasClosed ||= shown.phase === "closed";
    return wasClosed ? panels.afterwards(shown) : true;
  }

  /** @param {string} account */
  async function openAccount(account) {
    const accounts = await styled(withTexts(import("./accounts.js"))).catch(() => null);
    if (!accounts) return toast(text("error.no_answer"));
    await accounts.openAccount(app, account);
  }

  /** @param {StateAnswer} next */
  function followLedger(next) {
    if (next.night !== null || !byId("story").hidden) void panels.ledger(next);
  }

  /** @param {StateAnswer} next */
  function receive(next) {
    if (state && isOther(state, next)) taps.changed();
    state = next;
    show();
    followDevice(next);
    followLedger(next);
  }

  /** @param {Command} command @returns {Promise<CommandResult>} */
  async function sendCommand(command) {
    // Send what was on the screen, so that the command is refused if the table has moved on.
    const { seen } = app.state();
    const result = await postCommand({ seen, ...command });
    if (result.ok) showNextStep();
    else toast(result.message);
    if (result.ok || result.code === "changed") {
      if (app.state().seen === seen) await pause(EVENTS_LATE_MS);
      if (app.state().seen === seen) await fetchState();
    }
    return result;
  }

  /** On a large screen a form may have been so far down that the next step is out of sight. */
  function showNextStep() {
    const now = byId("now");
    const { top, height } = now.getBoundingClientRect();
    if (height && top < 0 && !document.querySelector("dialog[open]")) now.scrollIntoView();
  }

  /** The events may be late, or their stream may be reopening. */
  async function fetchState() {
    const answer = await request("GET", "/api/state");
    if (answer?.status === 200 && answer.json.revision > app.state().revision) receive(answer.json);
  }

  /** @param {boolean} now @param {number} lastEventMs */
  function followLive(now, lastEventMs) {
    if (reconnecting && now) byId("badge").textContent = text("connection.live");
    if (now) byId("badge").classList.remove("broken");
    reconnecting &&= !now;
    if (live === now && document.body.classList.contains(now ? "live" : "stale")) return;
    live = now;
    showConnection(now, lastEventMs);
    if (!now) presses.cancelAll();
    show();
  }

  const stream = followEvents({
    known: () => state,
    state: receive,
    refused: ({ message, button }) => toast(message, button),
    frame: (pixels) => board.light(pixels),
    display: (shown) => drawDisplay(/** @type {HTMLCanvasElement} */ (byId("display")), shown),
    tune: (tune) => signals?.tune(tune),
    health: ({ message }) => {
      sick = message;
      showFault(state, sick);
    },
    reconnecting() {
      // Controls stay on: what is tapped meanwhile is sent until it is answered.
      reconnecting = true;
      byId("badge").textContent = text("connection.reconnecting");
      byId("badge").classList.add("broken");
    },
    live(now, lastEventMs) {
      connected = now;
      const pressable = !state?.board.simulated || presses.isReady();
      if (!now || pressable) return followLive(now, lastEventMs);
      // Until then the board's buttons would look as if they acted.
      void presses.ready().then(() => connected && followLive(true, lastEventMs));
    },
  });

  if (state) {
    // What is tapped before the events come is refused if the table has moved on.
    document.body.classList.remove("waiting");
    show();
    followLedger(state);
  }

  async function loadSounds() {
    const { createSignals } = await import("./sounds.js");
    if (state) signals ??= createSignals(state, owner.task(state));
  }
  // Before the first tap browsers allow no sound.
  for (const kind of ["pointerdown", "keydown"]) {
    addEventListener(kind, () => signals ?? void loadSounds().catch(() => null));
  }

  async function openDevice() {
    const device = await styled(withTexts(import("./device.js"))).catch(() => null);
    if (!device) return toast(text("error.no_answer"));
    const drawer = /** @type {HTMLDialogElement} */ (byId("drawer"));
    followDevice = device.openDevice(drawer, app.state(), toast, () => {
      signals?.changed();
      keepAwake();
    });
  }
  addEventListener("click", ({ target }) => {
    if (target instanceof Element && target.closest("[data-device]")) void openDevice();
  });

  byId("settings").addEventListener("click", async () => {
    const pairing = await styled(withTexts(import("./pairing.js"))).catch(() => null);
    if (!pairing) return toast(text("error.no_answer"));
    const drawer = /** @type {HTMLDialogElement} */ (byId("drawer"));
    await pairing.openPhones(drawer, app.state(), toast);
  });
}

/** A module of the drawer, with its styles.
 * @template T @param {Promise<T>} module */
async function styled(module) {
  const { loadStylesheet } = await import("./dialog.js");
  await loadStylesheet("/static/drawer.css");
  return module;
}

/**
 * A panel whose module is loaded when it is first shown.
 * @param {App} app @param {() => void} onDrawn
 * @param {() => Promise<Panel | null>} load null if the network fails
 * @returns {(state: StateAnswer) => Promise<boolean>} whether this state is drawn
 */
function createLazyPanel(app, onDrawn, load) {
  let panel = /** @type {Promise<Panel | null> | null} */ (null);
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

/**
 * The board, drawn again whenever its shape changes.
 * @param {HTMLElement} host @param {HTMLElement} legend @param {LazyPresses} presses
 * @param {() => void} onDead a button was tapped that is off
 */
function createBoardPanel(host, legend, presses, onDead) {
  let board = /** @type {ReturnType<typeof createBoard> | null} */ (null);
  let pixels = /** @type {string[]} */ ([]);
  let latest = /** @type {[StateAnswer, boolean] | null} */ (null);
  const fit = createFaceLoader((face) => {
    if (!latest) return;
    const { simulated } = latest[0].board;
    board = createBoard(host, { face, presses: simulated ? presses : null, onDead });
    board.light(pixels);
    update(...latest);
  });

  /** @param {StateAnswer} state @param {boolean} live */
  function update(state, live) {
    const { places, simulated } = state.board;
    if (board) render(simulated ? legendView(state.pool_details, places) : nothing, legend);
    const empty = Array.from({ length: places }, (_, i) => [
      `seat${i + 1}`,
      text("board.empty_place", { place: i + 1 }),
    ]);
    board?.update({
      pools: state.pool_details,
      plaques: state.rim,
      label: state.board_label,
      labels: { ...actionLabels(), ...Object.fromEntries(empty) },
      meaningful: state.allowed.buttons,
      enabled: (button) => live && (state.pairing.paired || button === state.pairing.button),
      holds: { ...state.holds.buttons, [state.pairing.button]: state.holds.pairing },
    });
  }

  return {
    /** @param {string[]} frame */
    light(frame) {
      pixels = frame;
      board?.light(frame);
    },
    /** @param {StateAnswer} state @param {boolean} live */
    show(state, live) {
      latest = [state, live];
      update(state, live);
      fit(state.board);
    },
  };
}

/** The keys of the simulated board.
 * @param {StateAnswer["pool_details"]} pools @param {number} places */
function legendView(pools, places) {
  const names = new Map(pools.map(({ pool, name, label }) => [pool, name || label]));
  names.set("next", text("board.next")).set("undo", text("board.undo"));
  return html`<span class="label">${text("board.simulated")}</span>
    <details class="keys">
      <summary>${text("board.keys")}</summary>
      <span><kbd>1</kbd>–<kbd>${places}</kbd> ${text("board.keys_places")}</span>
      ${Object.entries(KEYS).map(
        ([key, button]) => html`<span><kbd>${key}</kbd> ${names.get(button)}</span> `,
      )}
      <span>${text("board.keys_hold")}</span>
    </details>`;
}

/** @param {boolean} live @param {number} lastEventMs */
function showConnection(live, lastEventMs) {
  document.body.classList.remove("waiting", "live", "stale");
  document.body.classList.add(live ? "live" : "stale");
  byId("badge").textContent = text(live ? "connection.live" : "connection.lost");
  byId("stale").hidden = live;
  byId("stale").textContent = text("connection.stale", { time: clockTime(lastEventMs, true) });
  for (const id of ["cards", "offer", "lobby", "bar", "more", "seats"])
    byId(id).toggleAttribute("inert", !live);
}

/** @param {StateAnswer | null} state @param {string | null} sick */
function showFault(state, sick) {
  const message = state?.fault?.message ?? sick;
  byId("fault").hidden = message === null;
  byId("fault").textContent = message;
}

/** @param {StateAnswer} state */
function showHeadline({ headline_text: headline, phase, phase_name: phaseName, board, pairing }) {
  const linked = board.simulated || board.link;
  render(
    html`${headline ? html`<span class="which">${headline} ·</span>` : nothing}
      <span id="phase" data-phase=${phase}>${phaseName}</span>
      ${linked ? nothing : html` · <strong class="bad">${text("connection.no_link")}</strong>`}`,
    byId("headline"),
  );
  byId("settings").hidden = !pairing.paired;
}

/** What may happen now, and at the end of a night who has won it. @param {StateAnswer} state */
function showNow({
  phase,
  night,
  guidance: { title, lines },
  standings_rows: standings,
  bots_seed: seed,
}) {
  const replay = html`<p>
    <a class="plain" href=${at(`/nights/${night}`)}>${text("standings.replay")}</a>
  </p>`;
  const dealt = seed ? html`<p>${text("standings.seed", { seed })}</p>` : nothing;
  render(
    html`<h2>${title}</h2>
      ${phase === "closed" ? [standingsView(standings), replay, rulesLink(night), dealt] : nothing}
      ${lines.map((line) => html`<p>${line}</p>`)}`,
    byId("now"),
  );
}

/** @param {number | null} night */
const rulesLink = (night) =>
  html`<p><a class="plain" href=${at(`/nights/${night}/rules`)}>${text("rules.tonight")}</a></p>`;

/** @param {StateAnswer} state @param {number | null} own */
function showSeats({ phase, rows }, own) {
  byId("seats").hidden = phase === "none";
  render(
    html`<h2>${text("seats.title")}</h2>
      <ul class="seats">
        ${rows.map((row) => seatRow(row, row.seat === own ? "own" : ""))}
      </ul>`,
    byId("seats"),
  );
}

/** The pools and stacks; a tap says why they hold what they hold.
 * @param {StateAnswer} state @param {(account: string) => void} open */
function showAccounts({ night, phase, pool_details: pools, rows, hints }, open) {
  byId("accounts").hidden = phase === "none" || phase === "closed";
  /** @param {string} account @param {string} name @param {number} chips */
  const button = (account, name, chips) =>
    html`<button type="button" class="pick" data-account=${account} @click=${() => open(account)}>
      ${name} <b>${chips}</b>
    </button>`;
  render(
    html`<h2>${text("section.accounts")}</h2>
      <div class="picks">
        ${pools.map(({ pool, name, chips }) =>
          chips === null ? nothing : button(`pool:${pool}`, name, chips),
        )}
        ${rows.map(({ seat, name, stack }) => button(`seat:${seat}`, name, stack))}
      </div>
      ${hints.map((hint) => html`<p class="hint">${hint}</p>`)} ${rulesLink(night)}`,
    byId("accounts"),
  );
}

/** Whether a tap may mean something else now. A seat that the board selects changes whom a claim is
 * for. @param {StateAnswer} before @param {StateAnswer} now */
const isOther = (before, now) =>
  now.seen !== before.seen || now.pending?.seat !== before.pending?.seat;

/** What has happened last. @param {StateAnswer} state */
function showNews({ demo, last_sentence: last }) {
  // Bots comment on the game themselves.
  const said = demo ? "" : (last ?? "");
  if (byId("said").textContent !== said) byId("said").textContent = said;
}

/** Keeps the screen on while it is wanted, where the browser lets it: in secure contexts. */
function createAwake() {
  let lock = /** @type {WakeLockSentinel | null} */ (null);
  let wanted = false;
  let queue = Promise.resolve();

  async function follow() {
    const on = wanted && stored(AWAKE) !== "off" && document.visibilityState === "visible";
    if (lock?.released) lock = null;
    if (on && !lock) {
      lock = (await navigator.wakeLock?.request("screen").catch(() => null)) ?? null;
    } else if (!on && lock) {
      await lock.release();
      lock = null;
    }
  }
  const followNext = () => (queue = queue.then(follow));
  document.addEventListener("visibilitychange", followNext);
  return (/** @type {boolean} */ now = wanted) => {
    wanted = now;
    void followNext();
  };
}

/** Moves the focus to `home` if its control is gone, and back to one that is enabled again. */
function createFocusRestorer() {
  let last = /** @type {HTMLElement | null} */ (null);
  let wasOff = false;
  document.addEventListener("focusin", ({ target }) => {
    last = /** @type {HTMLElement} */ (target);
    wasOff = false;
  });
  return (/** @type {HTMLElement} */ home) => {
    if (!last || document.activeElement !== document.body) return;
    const off = last.matches(":disabled, [inert] *");
    if (off) wasOff = true;
    else if (!last.getClientRects().length) home.focus({ preventScroll: true });
    else if (wasOff) last.focus({ preventScroll: true });
  };
}

/** The board is folded on request; on a phone beside a real board it is folded at first. */
function createFold() {
  const table = /** @type {HTMLElement} */ (document.querySelector(".table"));
  const button = byId("fold");
  let folded = stored(BOARD) ? stored(BOARD) === "folded" : table.classList.contains("real");

  function show() {
    table.classList.toggle("folded", folded);
    table.classList.toggle("unfolded", !folded);
    button.setAttribute("aria-expanded", String(!folded));
    button.textContent = text(folded ? "board.unfold" : "board.fold");
  }
  button.addEventListener("click", () => {
    folded = !folded;
    store(BOARD, folded ? "folded" : "shown");
    show();
  });
  show();
}

/** Whether this phone takes part in a night. @param {StateAnswer} state */
const isAtTable = ({ phase, pairing }) => pairing.paired && phase !== "none" && phase !== "closed";

/**
 * Whose phone this is: its seat, its stack, and a sign when it is that person's turn.
 * @param {() => void} update shows the latest state again
 */
function createOwner(update) {
  let owner = readOwner();
  let open = false;

  /** @param {Owner} next */
  function keep(next) {
    owner = next;
    store(OWNER, JSON.stringify(next));
  }

  const isAsking = () => open || Boolean(owner.ask);

  /** The row of the owner's seat tonight. @param {StateAnswer} state */
  function rowOf({ night, rows, demo }) {
    const { name, seat } = owner;
    const here = rows.filter(({ place }) => place !== null);
    // A seat among computer players is the owner's only as long as it has their name.
    if (demo) return here.find((row) => sight(row.name) === sight(name)) ?? null;
    const found = here.find((row) =>
      owner.night === night && seat ? row.seat === seat : sight(row.name) === sight(name),
    );
    // A new night, or a new name.
    if (found && (owner.night !== night || found.name !== name)) {
      keep({ name: found.name, night, seat: found.seat });
    }
    return found ?? null;
  }

  /** @param {Owner} next */
  function choose(next) {
    open = false;
    keep(next);
    update();
  }

  /** @param {StateAnswer} state */
  function show(state) {
    if (readOwner().ask && !owner.ask) owner = readOwner();
    if (state.demo && readOwner().name !== owner.name) owner = readOwner();
    const row = isAtTable(state) ? rowOf(state) : null;
    // Computer players have no phones.
    const known = isAtTable(state) && Boolean(row || !state.demo);
    const asks = known && isAsking();
    byId("me").hidden = !known;
    byId("me").setAttribute("aria-expanded", String(asks));
    render(buttonView(row), byId("me"));
    byId("who").hidden = !asks;
    render(asks ? chooserView(state, row) : nothing, byId("who"));
    showTask(row?.task ?? null, state.guidance.title);
  }

  /** @param {string | null} task of the owner @param {string} title what anybody may do */
  function showTask(task, title) {
    // Set once, so that it is read aloud once.
    if (byId("ask").textContent !== (task ?? title)) byId("ask").textContent = task ?? title;
    byId("bar").classList.toggle("own-turn", task !== null);
    document.title = text("title.now", { what: task ?? title });
  }

  /** @param {SeatRow | null} row */
  function buttonView(row) {
    if (row) {
      return html`<span class="quiet">${text("me.own")}</span> <span>${row.name}</span>
        <b>${row.stack}</b>`;
    }
    return html`<span>${owner.table ? text("me.table") : text("me.who")}</span>`;
  }

  /** @param {StateAnswer} state @param {SeatRow | null} own */
  function chooserView({ night, rows }, own) {
    /** @param {boolean} chosen @param {Owner} next @param {string} label */
    const pick = (chosen, next, label) =>
      html`<button
        type="button"
        class="pick"
        data-owner=${next.seat ?? "table"}
        aria-pressed=${String(chosen)}
        @click=${() => choose(next)}
      >
        ${label}
      </button>`;
    return html`<h3>${text("me.who")}</h3>
      <div class="picks">
        ${rows
          .filter(({ place }) => place !== null)
          .map(({ seat, name }) => pick(seat === own?.seat, { name, night, seat }, name))}
        ${pick(Boolean(owner.table), { table: true }, text("me.table"))}
      </div>
      <button type="button" class="plain" data-device>${text("nav.device")}</button>`;
  }

  byId("me").addEventListener("click", () => {
    open = !(open || owner.ask);
    if (owner.ask) keep({});
    update();
  });

  return {
    show,
    /** What the phone's owner is to do now, if anything. @param {StateAnswer} state */
    task: (state) => (isAtTable(state) ? (rowOf(state)?.task ?? null) : null),
    /** The seat of the phone's owner, if they are at the table. @param {StateAnswer} state */
    seat: (state) => rowOf(state)?.seat ?? null,
  };
}

startTable();
