// @ts-check
// The table: the latest state, and the panels that show it.
// The hooks for tests are listed in table.html.

import { html, nothing, render } from "./vendor/lit-html.js";
import {
  createAwake,
  createFocusKeeper,
  createFold,
  createOwner,
  createToast,
  showNews,
} from "./bar.js";
import { createBoard, drawDisplay } from "./board.js";
import {
  byId,
  clockTime,
  createFaceLoader,
  createPresses,
  createTapGuard,
  followEvents,
  KEYS,
  pause,
  postCommand,
  request,
  revealPage,
  seatRow,
  standingsView,
  text,
  withTexts,
} from "./page.js";

/** @import { EntryAnswer, StateAnswer } from "../types" */
/** @import { App, Command, CommandResult, Presses } from "./page.js" */

/** @typedef {{show: (state: StateAnswer) => unknown}} Panel */

const LOAD_AGAIN_MS = 1_000;
const EVENTS_LATE_MS = 150;
const REVEAL_MS = 1_500; // what is not drawn by then may move others
const FIRST_ENTRIES = 30;
const FETCH_AGAIN_MS = 300;

function startTable() {
  let state = /** @type {StateAnswer | null} */ (null);
  let live = false;
  let reconnecting = false;
  let sick = /** @type {string | null} */ (null); // the daemon's message about its parts
  let followDevice = /** @type {(state: StateAnswer) => void} */ (() => {});
  let signals = /** @type {ReturnType<import("./sounds.js")["createSignals"]> | null} */ (null);
  const showToast = createToast(byId("toast"));
  const toast = (/** @type {string} */ message, /** @type {readonly string[]} */ buttons = []) => {
    showToast(message, buttons);
    signals?.refused(message);
  };
  const keepAwake = createAwake();
  const keepFocus = createFocusKeeper();
  const taps = createTapGuard(() => toast(text("tap.early")));
  const onDrawn = () => {
    taps.mark();
    keepFocus(home());
  };
  const presses = createPresses(({ message, button }) => toast(message, button));
  const board = createBoardPanel(byId("board"), byId("legend"), presses, () => {
    if (state && !state.pairing.paired) toast(text("pairing.watching"));
  });
  const ledger = createLedger(byId("story"));
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
    keepFocus(home());
    const { paired, code } = state.pairing;
    if (!paired || code || !byId("pairing").hidden) drawn.push(panels.pairing(state));
    if (state.demo || !byId("cards").hidden) drawn.push(panels.bots(state));
    void Promise.race([Promise.all(drawn), pause(REVEAL_MS)]).then(revealPage);
  }

  /** @param {StateAnswer} shown */
  function showAfterwards(shown) {
    const known = byId("afterwards").hasChildNodes();
    return shown.phase === "closed" || known ? panels.afterwards(shown) : null;
  }

  /** @param {string} account */
  async function openAccount(account) {
    const accounts = await styled(withTexts(import("./accounts.js"))).catch(() => null);
    if (!accounts) return toast(text("error.no_answer"));
    await accounts.openAccount(app, account);
  }

  /** @param {StateAnswer} next */
  function receive(next) {
    if (state && next.seen !== state.seen) taps.changed();
    state = next;
    show();
    followDevice(next);
    void ledger.follow(next);
  }

  /** @param {Command} command @returns {Promise<CommandResult>} */
  async function sendCommand(command) {
    // With what was on the screen, so that it is refused if the table has moved on meanwhile.
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

  /** On a large screen a form may have been so far down that what is next is not in sight. */
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

  const stream = followEvents({
    state: receive,
    refused: ({ message, button }) => toast(message, button),
    frame: (pixels) => board.light(pixels),
    display: (shown) => drawDisplay(/** @type {HTMLCanvasElement} */ (byId("display")), shown),
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
      if (reconnecting && now) byId("badge").textContent = text("connection.live");
      if (now) byId("badge").classList.remove("broken");
      reconnecting &&= !now;
      if (live === now && document.body.classList.contains(now ? "live" : "stale")) return;
      live = now;
      showConnection(now, lastEventMs);
      if (!now) presses.cancelAll();
      show();
    },
  });

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
 * @returns {(state: StateAnswer) => Promise<void>}
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
    }
  };
}

/**
 * The board, drawn again whenever its shape changes.
 * @param {HTMLElement} host @param {HTMLElement} legend @param {Presses} presses
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
    if (board) render(simulated ? legendView(state.pool_details) : nothing, legend);
    const labels = { next: text("board.next"), undo: text("board.undo") };
    const empty = Array.from({ length: places }, (_, i) => [
      `seat${i + 1}`,
      text("board.empty_place", { place: i + 1 }),
    ]);
    board?.update({
      pools: state.pool_details,
      plaques: state.rim,
      label: text("board.label", {
        pools: state.pool_details.map((pool) => pool.label).join("; "),
      }),
      labels: { ...labels, ...Object.fromEntries(empty) },
      meaningful: state.allowed.buttons,
      // Anybody may hold next: that is how a phone is paired.
      enabled: (button) => live && (state.pairing.paired || button === "next"),
      holds: { ...state.holds.buttons, next: state.holds.pairing },
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

/** The keys of the simulated board. @param {StateAnswer["pool_details"]} pools */
function legendView(pools) {
  const names = new Map(pools.map(({ pool, name, label }) => [pool, name || label]));
  names.set("next", text("board.next")).set("undo", text("board.undo"));
  return html`<span class="label">${text("board.simulated")}</span>
    <details class="keys">
      <summary>${text("board.keys")}</summary>
      <span><kbd>1</kbd>–<kbd>8</kbd> ${text("board.keys_places")}</span>
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
function showHeadline({ headline, phase, phase_name: phaseName, board, pairing }) {
  const linked = board.simulated || board.link;
  render(
    html`${headline.map((part) => html`<span>${part}</span> · `)}
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
    <a class="plain" href="/nights/${night}">${text("standings.replay")}</a>
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
  html`<p><a class="plain" href="/nights/${night}/rules">${text("rules.tonight")}</a></p>`;

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

/**
 * The ledger of the night in sentences, newest first: fetched as it grows, older entries on
 * request.
 * @param {HTMLElement} host
 */
function createLedger(host) {
  const list = document.createElement("ol");
  list.id = "ledger";
  list.reversed = true;
  let night = /** @type {number | null} */ (null);
  let entries = /** @type {EntryAnswer[]} */ ([]);
  const lines = /** @type {Map<number, HTMLLIElement>} */ (new Map());
  let takenBack = /** @type {readonly number[]} */ ([]);
  let first = 0; // entries up to this one are not fetched
  let newest = 0;
  let wanted = true;
  let fetching = false;

  const lastFetched = () => entries.at(-1)?.number ?? first;

  /** @param {StateAnswer} state */
  async function follow(state) {
    if (state.night !== night) {
      night = state.night;
      entries = [];
      lines.clear();
      first = Math.max(0, state.entry - FIRST_ENTRIES);
      wanted = state.phase !== "closed"; // of the last night the lobby shows it on request only
    }
    newest = state.entry;
    takenBack = state.taken_back;
    show();
    await fetchNew();
  }

  async function fetchNew() {
    if (fetching || night === null || !wanted || lastFetched() >= newest) return;
    fetching = true;
    await fetchAfter(lastFetched());
    fetching = false;
    // The night has gone on meanwhile, or there was no answer.
    if (lastFetched() < newest) setTimeout(fetchNew, FETCH_AGAIN_MS);
  }

  /** Returns the number of the last entry received. @param {number} after */
  async function fetchAfter(after) {
    const asked = night;
    const answer = await request("GET", `/api/nights/${asked}/entries?after=${after}`);
    if (answer?.status !== 200 || asked !== night) return 0;
    const fetched = /** @type {EntryAnswer[]} */ (answer.json);
    const known = new Map([...entries, ...fetched].map((entry) => [entry.number, entry]));
    entries = [...known.values()].sort((a, b) => a.number - b.number);
    show();
    return fetched.at(-1)?.number ?? 0;
  }

  async function fetchAll() {
    wanted = true;
    first = 0;
    let after = 0;
    // Long answers come in parts.
    while (after < newest) {
      const last = await fetchAfter(after);
      if (last <= after) return;
      after = last;
    }
  }

  /** The line of an entry; it is kept, so that its postings stay open when others are added.
   * @param {EntryAnswer} entry */
  function lineOf(entry) {
    const line = lines.get(entry.number) ?? document.createElement("li");
    if (!lines.has(entry.number)) render(entryView(entry), line);
    lines.set(entry.number, line);
    line.dataset["entry"] = String(entry.number);
    line.classList.toggle("struck", takenBack.includes(entry.number));
    return line;
  }

  function show() {
    host.hidden = night === null;
    render([...entries].reverse().map(lineOf), list);
    const complete = entries[0]?.number === 1;
    const more = text(entries.length ? "ledger.all" : "ledger.show");
    const button = html`<button type="button" class="plain" @click=${fetchAll}>${more}</button>`;
    render(
      html`<h2>${text("ledger.title")}</h2>
        ${list} ${complete || !newest ? nothing : button}
        <a class="plain" href="/nights/${night}">${text("ledger.replay")}</a>`,
      host,
    );
  }

  return { follow };
}

/** @param {EntryAnswer} entry */
function entryView({ time_ms: time, sentence, posting_rows: postings }) {
  const line = html`<time>${clockTime(time)}</time> <span class="sentence">${sentence}</span>`;
  if (!postings.length) return html`<p>${line}</p>`;
  return html`<details>
    <summary>${line}</summary>
    <table>
      ${postings.map(
        ({ name, text: chips }) =>
          html`<tr>
            <td>${name}</td>
            <td>${chips}</td>
          </tr>`,
      )}
    </table>
  </details>`;
}

startTable();
