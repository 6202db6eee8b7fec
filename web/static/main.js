// @ts-check
// The table: puts together what the daemon tells, what the board shows, and what may be done.
//
// Hooks for tests, kept stable:
//   #headline #phase         night, ruleset and deal; the phase (data-phase has its name)
//   #badge #stale            "live" or not; shown when nothing on the page can be trusted
//   #pool-ace .chips         chips of a pool (SVG text), its group with .blocked, .claimable
//   circle[data-pixel="17"]  a pixel of the chain, fill is the exact colour of the frame
//   button[data-button="seat2"]   a button of the simulated board (seat1 … ace … next undo)
//   #now                     whose turn it is and what may be pressed, in words
//   #seat-2 .stack .net .hand .cards      a seat (data-flags: dealer, turn, out, left, winner …)
//   [data-command="deal"]    sends the command; [data-open="rebuy"] opens the form it stands in
//   [data-error="stake"]     why a command was refused, beside its control
//   form#start               the lobby: [name="player"] [name="place"] [name="ruleset"] [name="stack"] …
//   #ledger li               entries, newest first (data-entry, .struck when taken back)
//   #offer #watch            on an empty table: the house plays; #cards is told of in demo.js
//   #pair #pairing           the button Pair, and what is said about pairing; #drawer the list
//   #toast #said             refusals; the last thing that happened, for screen readers

import { html, nothing, render } from "./vendor/lit-html.js";
import { createBoard, MELD_POOLS, POOLS, poolName } from "./board.js";
import { ask, createPresses, follow, KEYS, send } from "./live.js";

/** @param {string} id */
const at = (id) => /** @type {HTMLElement} */ (document.getElementById(id));
const clock = (/** @type {number} */ ms, length = 5) =>
  new Date(ms).toTimeString().slice(0, length);

let state = /** @type {State | null} */ (null);
let live = false;
let pixels = /** @type {string[]} */ ([]);
let board = /** @type {ReturnType<typeof createBoard> | null} */ (null);
let boardKind = "";
/** @type {((state: State, ui: Ui) => void) | null} */
let controls = null;
let loaded = "";
/** @type {typeof import("./demo.js") | null} */
let demo = null;
let countdown = 0;

const presses = createPresses((refused) => toast(refused.message, refused.button));
const NO_ANSWER = "The board did not answer; try again.";
/** What the other modules may do. @typedef {typeof ui} Ui */
const ui = {
  presses,
  rerender: () => show(),
  toast,
  /** @type {Send} */
  async send(command) {
    const answer = await send(command);
    if (!answer.ok) toast(answer.message);
    return answer;
  },
  async pair() {
    const answer = await ask("POST", "/api/pair");
    if (answer?.status !== 200) toast(answer?.json?.message ?? NO_ANSWER);
    else stream.again(); // with the cookie just got
  },
  /** What a phone that is not paired sees in place of the controls. @param {State} now */
  watching(now) {
    const left = Math.ceil(((now.pairing.until_ms ?? 0) - Date.now()) / 1000);
    clearTimeout(countdown);
    if (now.pairing.open) countdown = setTimeout(show, 1000);
    const rest = now.pairing.open && left > 0 && left <= 90 ? ` (${left} s)` : "";
    return html`<div id="pairing" class="card">
      <h2>Watching</h2>
      <p>To play along from this phone, hold ‘next’ on the board for 3 seconds, then tap Pair.</p>
      <button type="button" id="pair" class="main" ?disabled=${!now.pairing.open} @click=${ui.pair}>
        Pair${rest}
      </button>
    </div>`;
  },
};

const stream = follow({
  state(next) {
    // Where the house plays, its commentary is heard in place of this.
    if (state && !next.demo && next.last_sentence && next.last_sentence !== state.last_sentence) {
      at("said").textContent = next.last_sentence;
    }
    state = next;
    show();
    void ledger.follow(next);
  },
  refused: (refused) => toast(refused.message, refused.button),
  frame(next) {
    pixels = next;
    light();
  },
  live(now, lastWord) {
    if (live === now && document.body.classList.contains(now ? "live" : "stale")) return;
    live = now;
    document.body.className = now ? "live" : "stale";
    at("badge").textContent = now ? "live" : "not live";
    at("stale").hidden = now;
    at("stale").textContent = `No word from the board since ${clock(lastWord, 8)} – trying again…`;
    for (const part of [at("cards"), at("offer"), at("controls"), at("seats")])
      part.toggleAttribute("inert", !now);
    for (const field of document.querySelectorAll("fieldset.all")) {
      /** @type {HTMLFieldSetElement} */ (field).disabled = !now;
    }
    if (!now) presses.release();
    if (state) show();
  },
});

/** The rings' pixels first, nine rings of the same size; the places follow. */
function shape() {
  const known = state?.board;
  const places = known?.places ?? (pixels.length ? pixels.length % POOLS.length || 9 : 8);
  const perRing =
    known?.pixels_per_ring ?? (pixels.length ? (pixels.length - places) / POOLS.length : 12);
  return { places, perRing: Math.max(1, Math.floor(perRing)) };
}

function light() {
  if (!board) return;
  const { places, perRing } = shape();
  if (places !== board.places || perRing !== board.perRing) drawBoard();
  board.light(pixels);
}

function drawBoard() {
  const simulated = state?.board.simulated ?? false;
  boardKind = String(simulated);
  board = createBoard(at("board"), { ...shape(), presses: simulated ? presses : null });
  const keys = Object.entries(KEYS).map(
    ([key, name]) => html`<span><kbd>${key}</kbd> ${poolName(name)}</span> `,
  );
  const help = html`<details class="keys">
    <summary>Keys</summary>
    <span><kbd>1</kbd>–<kbd>8</kbd> places</span> ${keys}<span
      >Hold a key as you would hold the button.</span
    >
  </details>`;
  render(
    simulated ? html`<span class="label">Simulated board</span> ${help}` : nothing,
    at("legend"),
  );
  board.light(pixels);
  if (state) board.update(boardView(state));
}

function show() {
  if (!state) return;
  if (!board || boardKind !== String(state.board.simulated)) drawBoard();
  else board.update(boardView(state));
  showHeadline(state);
  render(seatsView(state), at("seats"));
  at("seats").hidden = state.phase === "none";
  at("offer").hidden = !(state.phase === "none" && state.board.simulated && state.pairing.paired);
  void loadControls(state);
  if (state.demo || demo) void loadDemo();
}

/** The cards of house players, from when there are any. */
async function loadDemo() {
  demo ??= await import("./demo.js").catch(() => null);
  if (demo && state) void demo.show(state, ui);
  else setTimeout(show, 1000);
}

/** The lobby or the table's controls, whichever there is use for. @param {State} now */
async function loadControls(now) {
  const wanted = now.phase === "none" || now.phase === "closed" ? "lobby" : "controls";
  if (loaded !== wanted) {
    loaded = wanted;
    controls = null;
    const module = await (
      wanted === "lobby" ? import("./lobby.js") : import("./controls.js")
    ).catch(() => null);
    if (loaded !== wanted) return;
    if (!module) {
      // The network went just now; what is shown again asks again.
      loaded = "";
      setTimeout(show, 1000);
      return;
    }
    controls = module.show;
  }
  if (state) controls?.(state, ui);
}

const PHASES = {
  none: "No night yet",
  idle: "Between deals",
  meld: "Melding",
  pochen: "Betting",
  showdown: "Showdown",
  shed: "Playing the cards",
  closed: "The night is over",
};

/** @param {State} now */
function showHeadline(now) {
  const parts =
    now.night === null
      ? []
      : [`Night ${now.night}`, now.ruleset?.name, now.deal ? `deal ${now.deal}` : ""];
  const link =
    now.board.simulated || now.board.link
      ? nothing
      : html` · <strong class="bad">the board is not connected</strong>`;
  render(
    html`${parts.filter(Boolean).map((part) => html`<span>${part}</span> · `)}<span
        id="phase"
        data-phase=${now.phase}
        >${PHASES[now.phase]}</span
      >${link}`,
    at("headline"),
  );
  at("settings").hidden = !now.pairing.paired;
}

/** @param {State} now */
function boardView(now) {
  const claimable =
    now.phase !== "meld"
      ? []
      : MELD_POOLS.filter((pool) => (now.pools[pool] ?? 0) > 0 && !now.blocked.includes(pool));
  const seats = new Map(
    Object.entries(now.places).map(([key, place]) => {
      const seat = Number(key);
      const leads = now.phase === "shed" && (now.winner ?? now.leader) === seat;
      return [
        place,
        {
          // House players are called after their temperament too, for which the rim has no room.
          name:
            (now.demo?.players[key] ?? "person") === "person"
              ? (now.names[key] ?? `Seat ${key}`)
              : (now.names[key]?.split(" ").pop() ?? ""),
          detail: `${now.stacks[key] ?? 0}`,
          dealer: now.dealer === seat,
          turn: now.to_act === seat || leads,
          chosen: now.pending?.seat === seat,
          dim: !now.live.includes(seat) || (now.passed ?? []).includes(seat),
        },
      ];
    }),
  );
  const gathering = now.pending?.lobby;
  if (gathering) {
    // Whoever is in for the next night takes the place of the last one's players.
    const names = new Map([...seats].map(([place, seat]) => [place, seat.name]));
    seats.clear();
    for (const place of gathering.places) {
      const dealer = gathering.dealer === place;
      seats.set(place, {
        name: names.get(place) ?? `Place ${place}`,
        detail: dealer ? "deals" : "plays",
        dealer,
        turn: false,
        chosen: gathering.armed,
        dim: false,
      });
    }
  }
  const { paired } = now.pairing;
  return {
    pools: now.pools,
    blocked: now.blocked,
    claimable,
    seats,
    may: now.allowed.buttons,
    enabled: (/** @type {string} */ button) => live && (paired || button === "next"),
    holdSeconds: (/** @type {string} */ button) =>
      button === "next" || (now.phase === "idle" && button.startsWith("seat")) ? 3 : 0.8,
  };
}

/** @param {State} now */
function seatsView(now) {
  const all = Object.keys(now.stacks).map(Number);
  const placed = all.sort((a, b) => (now.places[a] ?? 99) - (now.places[b] ?? 99));
  return html`<h2>At the table</h2>
    <ul class="seats">
      ${placed.map((seat) => seatRow(now, seat))}
    </ul>`;
}

/** @param {State} now @param {number} seat */
function seatRow(now, seat) {
  const place = now.places[seat];
  const stack = now.stacks[seat] ?? 0;
  const net = stack - (now.bought[seat] ?? 0);
  const inHand = now.pending?.seat === seat ? now.pending.chips : undefined;
  const counted = now.pending?.cards?.[seat];
  const hand = now.pending?.hands?.indexOf(seat) ?? -1;
  const flags = [
    now.dealer === seat && (now.phase === "idle" ? "deals next" : "dealer"),
    now.to_act === seat && "to act",
    now.leader === seat && now.winner === null && "leads",
    now.winner === seat && "is out of cards",
    now.knocker === seat && "knocked",
    now.passed?.includes(seat) && "passed",
    place === undefined ? "left" : !now.live.includes(seat) && "out",
  ].filter(Boolean);
  return html`<li
    id="seat-${seat}"
    class=${now.to_act === seat ? "turn" : ""}
    data-flags=${flags.join(" ")}
  >
    <span class="where">${place ?? "–"}</span>
    <span class="who"
      ><span class="name">${now.names[seat]}</span>
      ${flags.map((flag) => html`<em class="flag">${flag}</em> `)}
      ${now.committed[seat] ? html`<em class="flag committed">${now.committed[seat]} staked</em> ` : nothing}
      ${inHand ? html`<em class="flag hand">${inHand} in the hand</em>` : nothing}
      ${hand >= 0 ? html`<em class="flag hand">hand ${hand + 1}</em>` : nothing}
      ${counted === undefined ? nothing : html`<em class="flag cards">${counted} ${counted === 1 ? "card" : "cards"}</em>`}
    </span>
    <span class="net" title="won or lost so far"
      >${net > 0 ? `+${net}` : net < 0 ? `−${-net}` : "±0"}</span
    >
    <span class="stack">${stack}</span>
  </li>`;
}

/** A sentence that goes away by itself, and the parts of the board it is about. */
/** @param {string} text @param {string[]} [buttons] */
function toast(text, buttons = []) {
  const box = at("toast");
  box.textContent = text;
  box.classList.add("shown");
  clearTimeout(Number(box.dataset["timer"]));
  box.dataset["timer"] = String(setTimeout(() => box.classList.remove("shown"), 5000));
  for (const button of buttons) {
    const part = document.querySelector(`[data-shape="${CSS.escape(button)}"]`);
    part?.classList.remove("refused");
    requestAnimationFrame(() => part?.classList.add("refused"));
  }
}

at("settings").addEventListener("click", async () => {
  const more = await import("./more.js").catch(() => null);
  if (more) await more.openDrawer(/** @type {HTMLDialogElement} */ (at("drawer")), toast);
  else toast(NO_ANSWER);
});

/** The ledger in sentences: fetched as far as it is shown, and as it grows. */
const ledger = createLedger(at("story"));

/** @param {HTMLElement} host */
function createLedger(host) {
  const FIRST = 30;
  const list = document.createElement("ol");
  list.id = "ledger";
  list.reversed = true;
  const lines = /** @type {Map<number, HTMLLIElement>} */ (new Map());
  let night = /** @type {number | null} */ (null);
  let entries = /** @type {Entry[]} */ ([]);
  let first = 0; // entries up to this one are not fetched
  let busy = false;
  let wanted = true;

  async function follow(/** @type {State} */ now) {
    if (now.night !== night) {
      night = now.night;
      entries = [];
      lines.clear();
      list.replaceChildren();
      first = Math.max(0, now.entry - FIRST);
      wanted = now.phase !== "closed"; // the lobby needs no ledger before somebody asks
      draw();
    }
    const last = entries[entries.length - 1]?.number ?? first;
    if (busy || night === null || !wanted || last >= now.entry) return;
    busy = true;
    await fetchAfter(last);
    busy = false;
    if (state && (entries[entries.length - 1]?.number ?? first) < state.entry) {
      setTimeout(() => state && void follow(state), 300);
    }
  }

  async function fetchAfter(/** @type {number} */ after) {
    const asked = night;
    const answer = await ask("GET", `/api/nights/${asked}/entries?after=${after}`);
    if (answer?.status !== 200 || asked !== night) return;
    const known = new Map(entries.map((entry) => [entry.number, entry]));
    for (const entry of /** @type {Entry[]} */ (answer.json)) known.set(entry.number, entry);
    entries = [...known.values()].sort((a, b) => a.number - b.number);
    draw();
  }

  async function all() {
    wanted = true;
    first = 0;
    await fetchAfter(0);
  }

  function draw() {
    host.hidden = night === null;
    const gone = takenBack(entries);
    for (const entry of entries) {
      const known = lines.get(entry.number);
      const line = known ?? document.createElement("li");
      line.dataset["entry"] = String(entry.number);
      line.classList.toggle("struck", gone.has(entry.number));
      if (known) continue;
      lines.set(entry.number, line);
      render(entryView(entry), line);
      const next = [...list.children].find(
        (other) => Number(/** @type {HTMLElement} */ (other).dataset["entry"]) < entry.number,
      );
      list.insertBefore(line, next ?? null);
    }
    const label = entries.length ? "Show all of it" : "Show the ledger of this night";
    const partly = (entries[0]?.number ?? 2) > 1;
    render(
      html`<h2>What happened</h2>
        ${list}
        ${partly ? html`<button type="button" class="plain" @click=${all}>${label}</button>` : nothing}
        <a class="plain" href="/nights/${night}">Look at the night entry by entry</a>`,
      host,
    );
  }

  return { follow };
}

/** @param {Entry} entry */
function entryView(entry) {
  const rows = entry.postings.map(
    ([account, chips]) =>
      html`<tr>
        <td>${accountName(account)}</td>
        <td>${chips > 0 ? `+${chips}` : `−${-chips}`}</td>
      </tr>`,
  );
  const line = html`<time>${clock(entry.time_ms)}</time>
    <span class="sentence">${entry.sentence}</span>`;
  return rows.length
    ? html`<details>
        <summary>${line}</summary>
        <table>
          ${rows}
        </table>
      </details>`
    : html`<p>${line}</p>`;
}

/** @param {string} account */
function accountName(account) {
  const [kind, which = ""] = account.split(":");
  if (kind === "bank") return "Bank";
  return kind === "pool" ? poolName(which) : (state?.names[which] ?? `Seat ${which}`);
}

/**
 * Entries that are no longer in force, each with the entry that took it back.
 * @param {Entry[]} entries
 */
function takenBack(entries) {
  const gone = /** @type {Map<number, number>} */ (new Map());
  const swept = /** @type {Map<number, number[]>} */ (new Map());
  for (const { number, command, ref } of entries) {
    if (ref === null) continue;
    if (command.do === "void") {
      const within = entries.filter(
        (e) => e.number >= ref && e.number < number && !gone.has(e.number),
      );
      swept.set(
        number,
        within.filter((e) => !["undo", "redo"].includes(e.command.do)).map((e) => e.number),
      );
    }
    const whole = [...(swept.get(command.do === "void" ? number : ref) ?? [])];
    if (command.do === "void") whole.forEach((n) => gone.set(n, number));
    else if (command.do === "undo") {
      gone.set(ref, number);
      whole.forEach((n) => gone.delete(n));
    } else {
      gone.delete(ref);
      whole.forEach((n) => gone.set(n, ref));
    }
  }
  return gone;
}
