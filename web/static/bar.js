// @ts-check
// The bar under the thumb: what has happened, what is to be done, messages, and whose phone it is;
// and the board that can be folded away above it.

import { html, nothing, render } from "./vendor/lit-html.js";
import { byId, parse, stored, text } from "./page.js";

/** @import { SeatRow, StateAnswer } from "../types" */

const TOAST_MS = 5_000;
const BOARD = "board"; // how this phone wants the board, in its storage
export const AWAKE = "awake"; // "off" lets the screen go dark

/** @param {string} key @param {string | null} value null removes it */
export function store(key, value) {
  try {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, value);
  } catch {
    // It lasts as long as the page.
  }
}

/**
 * A message that disappears by itself, and a mark on the parts of the board it is about. It takes
 * the place of what is said in the bar, so it covers no control.
 * @param {HTMLElement} box
 */
export function createToast(box) {
  let timer = 0;
  const inDialog = document.createElement("p");
  inDialog.className = "message";
  inDialog.setAttribute("role", "alert");
  return (/** @type {string} */ message, /** @type {readonly string[]} */ buttons = []) => {
    // What is behind an open dialog is neither seen nor read aloud.
    const dialog = document.querySelector("dialog[open]");
    if (dialog) dialog.append(inDialog);
    (dialog ? inDialog : box).textContent = message;
    box.classList.toggle("shown", !dialog);
    clearTimeout(timer);
    timer = setTimeout(() => {
      box.classList.remove("shown");
      inDialog.remove();
    }, TOAST_MS);
    for (const button of buttons) {
      const part = document.querySelector(`[data-shape="${CSS.escape(button)}"]`);
      part?.classList.remove("refused");
      requestAnimationFrame(() => part?.classList.add("refused")); // restarts the animation
    }
  };
}

/** What has happened last. @param {StateAnswer} state */
export function showNews({ demo, last_sentence: last }) {
  // Bots comment on the game themselves.
  const said = demo ? "" : (last ?? "");
  if (byId("said").textContent !== said) byId("said").textContent = said;
}

/** Keeps the screen on while it is wanted, where the browser lets it: in secure contexts. */
export function createAwake() {
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

/** Gives the focus to `home` when what had it is gone, and back to what was off for a while. */
export function createFocusKeeper() {
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
    else if (!last.isConnected || !last.checkVisibility()) home.focus({ preventScroll: true });
    else if (wasOff) last.focus({ preventScroll: true });
  };
}

/** The board is folded on request; on a phone beside a real board it is folded at first. */
export function createFold() {
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

/** Whose phone it is: nobody's yet, the table's, or a person's, who may have another seat tonight.
 * @typedef {{ask?: boolean, table?: boolean, name?: string, night?: number | null, seat?: number}}
 *   Owner */

const OWNER = "owner";

/** After pairing, the phone asks whose it is. */
export const askForOwner = () => stored(OWNER) ?? store(OWNER, JSON.stringify({ ask: true }));

/** What the phone's owner is called, if it belongs to somebody. */
export const ownerName = () => readOwner().name;

/** From now on the phone belongs to this person. @param {string} name */
export const nameOwner = (name) => store(OWNER, JSON.stringify({ name }));

/** @returns {Owner} */
const readOwner = () => /** @type {Owner} */ (parse(stored(OWNER) ?? "{}") ?? {});

/**
 * Whose phone this is: its seat, its stack, and a sign when it is that person's turn.
 * @param {() => void} update shows the latest state again
 */
export function createOwner(update) {
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
    if (demo) return here.find((row) => row.name === name) ?? null;
    const found = here.find((row) =>
      owner.night === night && seat ? row.seat === seat : row.name === name,
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
