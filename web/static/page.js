// @ts-check
// The base of all pages: texts and parts, requests to the daemon, and its events. One module,
// because a browser loads six files at once.

import { html, render as litRender } from "./vendor/lit-html.js";

/** @import { DisplayEvent, FaceAnswer, FrameEvent, HealthEvent, RefusedEvent } from "../types" */
/** @import { RefusalAnswer, SeatRow, StandingsRow, StateAnswer } from "../types" */
/** @import { TuneEvent } from "../types" */

/** @typedef {string | Record<string, string>} Message with named places, as in `{name}`; its forms
 * by plural category */
/** @typedef {Record<string, string | number>} Places */
/** @typedef {{status: number, json: any}} Answer */
/**
 * What the panels of the table page are given to work with.
 * @typedef {object} App
 * @property {(command: Command) => Promise<CommandResult>} sendCommand a refusal is shown
 * @property {() => void} update shows the latest state again
 * @property {() => StateAnswer} state the latest state
 * @property {() => number | null} ownSeat of the person whose phone it is, if they are at the table
 * @property {(message: string) => void} toast
 * @property {{hold: (buttons: string[], ms: number) => Promise<unknown>}} presses of the simulated
 *   board
 */
/**
 * @typedef {object} RequestOptions
 * @property {unknown} [body]
 * @property {Blob} [file] sent unchanged, instead of a body
 * @property {number} [timeoutMs]
 * @property {boolean} [keepalive]
 * @property {Record<string, string>} [headers]
 */
/** @typedef {{do: string, [field: string]: unknown}} Command */
/** @typedef {{ok: true} | {ok: false, code: string, message: string}} CommandResult */

/**
 * @typedef {object} EventHandlers
 * @property {() => StateAnswer | null} known the newest state, which need not be sent again
 * @property {(state: StateAnswer) => void} state
 * @property {(refused: RefusedEvent) => void} refused
 * @property {(pixels: string[]) => void} frame
 * @property {(shown: DisplayEvent) => void} [display]
 * @property {(tune: TuneEvent) => void} [tune]
 * @property {(health: HealthEvent) => void} health
 * @property {() => void} [reconnecting] the connection has broken and is not back at once
 * @property {(live: boolean, lastEventMs: number) => void} live whether what is shown can be
 *   trusted
 */

const TIMEOUT_MS = 4_000;
const TOO_MANY_REQUESTS = 429;
const RETRY_COMMAND_MS = [300, 700, 1500, 3000, 5000];
const RETRY_BUSY_MS = [1000, 2000, 4000]; // the daemon asks for a second
const LATEST_RETRY_MS = 60_000; // all tries take half a minute, unless the phone has slept
const GUARD_MS = 400; // longer than a double tap, and than people need to see that all has changed
const SILENCE_MS = 12_000; // two heartbeats may be missing
const BROKEN_MS = 1_000; // a connection that is back by then was hardly gone
const LOOK_MS = 500;
const SUCCESSION_MS = 100; // the windows that a leader leaves do not all connect at once
const KEPT = ["state", "health", "frame", "display"]; // the latest is told to new windows
const BEGIN = /** @type {News} */ (["begin", null]); // what follows is of a new connection
const LONGEST_RETRY_MS = 5_000;
const FIRST_RETRY_MS = 400;
const TOAST_MS = 5_000;
const A_LATER_TEXT = "device.done"; // with which all others come

/** What this browser keeps; null if it keeps nothing. @param {string} key */
export function stored(key) {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** @param {string} key @param {string | null} value null removes it */
export function store(key, value) {
  try {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, value);
  } catch {
    // It lasts as long as the page.
  }
}

/** Where the daemon's addresses begin, which may be below a path of a proxy. */
const ROOT = globalThis.document?.baseURI ? new URL("..", import.meta.url).pathname : "/";

/** An address of the daemon for the browser. @param {string} path as the daemon has it */
export const at = (path) => ROOT + path.slice(1);

/** The same for an answer in this page's language. The cookie may name another one by now: the
 * windows of a browser share it. @param {string} path */
export const inLanguage = (path) => `${at(path)}${path.includes("?") ? "&" : "?"}lang=${LANGUAGE}`;

/** @param {string} id */
export const byId = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

/** Shows a page that was hidden while it was incomplete. */
export const revealPage = () => document.body.classList.remove("undrawn");

/** Shows the page, and tells the script in its HTML (start.js) that it works. */
export function pageStarted() {
  revealPage();
  document.dispatchEvent(new Event("started"));
}

/** The texts of the page, which come with it in its language. @type {Record<string, Message>} */
const TEXTS = JSON.parse(globalThis.document?.getElementById("texts")?.textContent ?? "{}");

/** The language of the texts. That of `<html>` changes when the browser translates the page. */
export const LANGUAGE = globalThis.document?.body.dataset["language"] ?? "en";

/** What each host showed when it was last drawn: its elements with their children.
 * @type {WeakMap<Node, Drawn[]>} */
const DRAWN = new WeakMap();

/** Nodes that lit has not drawn, or that change without it. @type {WeakSet<Node>} */
const APART = new WeakSet();

/** @typedef {{parent: Node, children: readonly ChildNode[], texts: readonly string[]}} Drawn */

/** Leaves a node out of what `render` puts back. @template {Node} N @param {N} node */
export function keepApart(node) {
  APART.add(node);
  return node;
}

/**
 * Draws like lit's `render`, after it has put back the nodes that others have replaced. lit writes
 * into the text nodes that it has made. A browser's translation replaces them, and from then on
 * lit's changes would go to nodes that nobody sees.
 * @param {unknown} value @param {HTMLElement} host
 */
export function render(value, host) {
  for (const drawn of DRAWN.get(host) ?? []) putBack(drawn, host);
  litRender(value, host);
  DRAWN.set(host, drawnIn(host));
}

/** @param {Node} parent @param {Drawn[]} [drawn] */
function drawnIn(parent, drawn = []) {
  const children = childrenOf(parent);
  drawn.push({ parent, children, texts: children.map((node) => node.nodeValue ?? "") });
  // A host within this one is drawn by itself.
  for (const child of children) if (!DRAWN.has(child)) drawnIn(child, drawn);
  return drawn;
}

/** @param {Node} parent */
const childrenOf = (parent) => [...parent.childNodes].filter((node) => !APART.has(node));

/** @param {Drawn} drawn @param {Node} host */
function putBack({ parent, children, texts }, host) {
  if (parent !== host && DRAWN.has(parent)) return; // it became a host later
  putInOrder(parent, children);
  children.forEach((node, i) => {
    if ((node.nodeValue ?? "") !== texts[i]) node.nodeValue = texts[i] ?? "";
  });
}

/**
 * Makes these the children of a node. Moves none that is already in place: it would be laid out
 * again, and lose the focus.
 * @param {Node} parent @param {readonly ChildNode[]} inOrder
 */
export function putInOrder(parent, inOrder) {
  const kept = new Set(inOrder);
  for (const node of childrenOf(parent)) if (!kept.has(node)) node.remove();
  let next = parent.firstChild;
  for (const node of inOrder) {
    while (next && APART.has(next)) next = next.nextSibling;
    if (node === next) next = next.nextSibling;
    else parent.insertBefore(node, next);
  }
}

/**
 * The data of this name that the page was sent with; null if there is none. A page out of the
 * browser's history may be an old one, so its data do not count.
 * @param {string} name
 */
export function embedded(name) {
  const [navigation] = globalThis.document ? performance.getEntriesByType("navigation") : [];
  const { type } = /** @type {PerformanceNavigationTiming} */ (navigation ?? {});
  return type === "back_forward"
    ? null
    : parse(globalThis.document?.getElementById(name)?.textContent ?? "");
}

/** Loads the texts of the parts that open later, once. Returns whether they are there.
 * @param {string} one of them */
async function loadLaterTexts(one) {
  if (one in TEXTS) return true;
  const answer = await request("GET", "/texts/later");
  if (answer?.status === 200) Object.assign(TEXTS, answer.json);
  return one in TEXTS;
}

/**
 * A module of a part that opens later, with its texts; null if either cannot be loaded.
 * @template T @param {Promise<T>} module @param {string} [one] of its texts
 * @returns {Promise<T | null>}
 */
export async function withTexts(module, one = A_LATER_TEXT) {
  const [loaded, complete] = await Promise.all([module.catch(() => null), loadLaterTexts(one)]);
  return complete ? loaded : null;
}

/** A text of the page with its places filled; `count` chooses between singular and plural.
 * @param {string} id @param {Places} [places] */
export function text(id, places = {}) {
  const message = TEXTS[id];
  if (message === undefined) throw new Error(`the page has no text ${id}`);
  return fill(formOf(message, Number(places["count"]), LANGUAGE), places);
}

/** What the board's own two buttons are called. */
export const actionLabels = () => ({ next: text("board.next"), undo: text("board.undo") });

/** The form of a message that fits a count. @param {Message} message @param {number} count
 * @param {string} language */
export function formOf(message, count, language) {
  if (typeof message === "string") return message;
  return message[new Intl.PluralRules(language).select(count)] ?? message["other"] ?? "";
}

const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;

/** Names in Hebrew or Arabic are isolated, so that they change no order of words around them.
 * @param {string} message @param {Places} places */
export const fill = (message, places) =>
  message.replace(/\{(\w+)\}/g, (_, place) => {
    const value = String(places[place]);
    return RIGHT_TO_LEFT.test(value) ? `\u2068${value}\u2069` : value;
  });

/** @param {number} ms @param {boolean} [seconds] */
export const clockTime = (ms, seconds = false) =>
  new Date(ms).toTimeString().slice(0, seconds ? 8 : 5);

/** A time as a field of the type `datetime-local` has it. @param {number} ms */
export function localMinute(ms) {
  const day = new Date(ms);
  // In Swedish, dates are those of ISO 8601.
  return `${day.toLocaleDateString("sv-SE")}T${day.toTimeString().slice(0, 5)}`;
}

/** @param {number} ms */
export const longDate = (ms) =>
  new Date(ms).toLocaleDateString(LANGUAGE, {
    weekday: "long",
    day: "numeric",
    month: "long",
    year: "numeric",
  });

/** The value of the control that an event comes from. @param {Event} event */
export const valueOf = (event) =>
  /** @type {HTMLInputElement | HTMLSelectElement} */ (event.target).value;

/** The values of a form, which the browser must not send itself. @param {SubmitEvent} event */
export function formValues(event) {
  event.preventDefault();
  const data = new FormData(/** @type {HTMLFormElement} */ (event.target));
  return Object.fromEntries(
    [...data].map(([key, value]) => [key, String(value).normalize("NFC").trim()]),
  );
}

/** What people see of a name. Names are compared by it (RULES.md 3). @param {string} [name] */
export const sight = (name = "") =>
  name
    .replace(/\p{Default_Ignorable_Code_Point}/gu, "")
    .normalize("NFC")
    .trim();

/** @param {SeatRow} row @param {string} [kind] a class */
export const seatRow = ({ seat, place, name, stack, net_text: net, turn, flags }, kind = "") =>
  html`<li
    id="seat-${seat}"
    class="${kind} ${turn ? "turn" : ""}"
    data-flags=${flags.map((flag) => flag.name).join(" ")}
  >
    <span class="where">${place ?? "–"}</span>
    <span class="who">
      <span class="name">${name}</span>
      ${flags.map((flag) => html`<em class="flag ${flag.name}">${flag.text}</em> `)}
    </span>
    <span class="net" title=${text("seats.net")}>${net}</span>
    <span class="stack">${stack}</span>
  </li>`;

/** @param {readonly StandingsRow[]} rows */
export const standingsView = (rows) =>
  html`<table class="standings">
    <tr>
      <th>${text("standings.player")}</th>
      <th>${text("standings.chips")}</th>
      <th>${text("standings.net")}</th>
    </tr>
    ${rows.map(
      ({ rank, name, stack, net_text: net }) =>
        html`<tr>
          <td>${rank}. ${name}</td>
          <td>${stack}</td>
          <td>${net}</td>
        </tr>`,
    )}
  </table>`;

/**
 * A request to the daemon; null if no answer came in time. Whoever only asks for something asks
 * again if the daemon is busy, as when several phones of one address look at the end of a night.
 * @param {string} method @param {string} address @param {RequestOptions} [options]
 * @returns {Promise<Answer | null>}
 */
export async function request(method, address, options = {}) {
  let answer = await requestOnce(method, address, options);
  for (const wait of method === "GET" ? RETRY_BUSY_MS : []) {
    if (answer?.json?.code !== "busy") break;
    await pause(wait);
    answer = await requestOnce(method, address, options);
  }
  return answer;
}

/** @param {string} method @param {string} address @param {RequestOptions} options
 * @returns {Promise<Answer | null>} */
async function requestOnce(method, address, options) {
  const { body, file, keepalive = false, headers = {}, timeoutMs = TIMEOUT_MS } = options;
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(), timeoutMs);
  /** @type {RequestInit} */
  const init = { method, headers, keepalive, signal: abort.signal };
  if (body !== undefined) {
    init.headers = { "Content-Type": "application/json", ...headers };
    init.body = JSON.stringify(body);
  }
  if (file) init.body = file;
  try {
    const answer = await fetch(inLanguage(address), init);
    return { status: answer.status, json: parse(await answer.text()) };
  } catch {
    return null;
  } finally {
    clearTimeout(timer);
  }
}

/** The JSON of a text; null if it is not JSON, as in an empty answer. @param {string} json */
export function parse(json) {
  try {
    return JSON.parse(json);
  } catch {
    return null;
  }
}

/**
 * A message that disappears by itself, and a mark on the parts of the board it is about. It
 * replaces the text in the bar, so it covers no control.
 * @param {HTMLElement} box
 */
export function createToast(box) {
  let timer = 0;
  const inDialog = keepApart(document.createElement("p"));
  inDialog.className = "message";
  inDialog.setAttribute("role", "alert");
  return (/** @type {string} */ message, /** @type {readonly string[]} */ buttons = []) => {
    // Anything behind an open dialog is neither visible nor read aloud.
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

/** Whose phone it is: nobody's yet, the table's, or a person's, who may have another seat tonight.
 * @typedef {{ask?: boolean, table?: boolean, name?: string, night?: number | null, seat?: number}}
 *   Owner */

export const OWNER = "owner"; // in the browser's storage: whose phone it is

/** After pairing, the phone asks whose it is. */
export const askForOwner = () => stored(OWNER) ?? store(OWNER, JSON.stringify({ ask: true }));

/** What the phone's owner is called, if it belongs to somebody. */
export const ownerName = () => readOwner().name;

/** From now on the phone belongs to this person. @param {string} name */
export const nameOwner = (name) => store(OWNER, JSON.stringify({ name }));

/** @returns {Owner} */
export const readOwner = () => /** @type {Owner} */ (parse(stored(OWNER) ?? "{}") ?? {});

export const FACE = "/api/board/face";
const FACE_AGAIN_MS = 1_000;

/**
 * Returns a function to call with the board of each state; it calls `draw` when the face changes.
 * @param {(face: FaceAnswer) => void} draw
 */
export function createFaceLoader(draw) {
  let shape = "";
  const face = embedded("face");
  // If the page has none, while the first state is on its way.
  let loading = face ? Promise.resolve({ status: 200, json: face }) : request("GET", FACE);

  /** @param {string} wanted */
  async function load(wanted) {
    let answer = await loading;
    while (answer?.status !== 200 && shape === wanted) {
      await pause(FACE_AGAIN_MS);
      answer = await request("GET", FACE);
    }
    await pause(0); // in a separate task, so that a tap need not wait for the whole first drawing
    if (shape === wanted) draw(answer?.json);
  }

  /** @param {StateAnswer["board"]} board */
  return ({ simulated, places, pixels_per_ring: perRing }) => {
    const wanted = [simulated, places, perRing].join();
    if (shape === wanted) return;
    if (shape) loading = request("GET", FACE);
    shape = wanted;
    void load(wanted);
  };
}

/** Why a request failed, in words. @param {Answer | null} answer */
export const reason = (answer) =>
  /** @type {RefusalAnswer | undefined} */ (answer?.json ?? undefined)?.message ??
  text("error.no_answer");

/** @typedef {{steadyMs: number, wallMs: number}} Moment */

/** Now, by two clocks. @returns {Moment} */
export const moment = () => ({ steadyMs: performance.now(), wallMs: Date.now() });

/** How long ago a moment was, in ms. One clock may be set; the other stands still while the device
 * sleeps, except on Windows (w3c/hr-time, issue 115). So the longer time counts.
 * @param {Moment} since */
export const msSince = ({ steadyMs, wallMs }) =>
  Math.max(performance.now() - steadyMs, Date.now() - wallMs);

/** @param {number} ms */
export const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** 128 random bits; `crypto.randomUUID` exists in secure contexts only. */
export function randomId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * Sends a command until it is answered, always with the same id, so that it counts once.
 * @param {Command} command
 * @returns {Promise<CommandResult>}
 */
export async function postCommand(command) {
  const body = { ...command, id: randomId() };
  const tapped = moment();
  let refusal = /** @type {CommandResult | null} */ (null);
  let unanswered = false;
  for (const wait of [...RETRY_COMMAND_MS, 0]) {
    const answer = await request("POST", "/api/commands", { body });
    if (answer?.status === 200) return { ok: true };
    refusal = refusalIn(answer);
    // 429 says nothing about the command: an earlier try may have been booked.
    if (answer && answer.status < 500 && answer.status !== TOO_MANY_REQUESTS) {
      return refusal ?? { ok: false, code: "refused", message: text("error.refused") };
    }
    unanswered ||= !refusal;
    await pause(wait);
    // Nobody expects a command that they tapped before their phone slept.
    if (msSince(tapped) > LATEST_RETRY_MS) break;
  }
  // If every try was answered, the last answer is reliable.
  if (refusal && !unanswered) return refusal;
  return { ok: false, code: "no-answer", message: text("error.uncertain") };
}

/** The refusal in an answer, if any. @param {Answer | null} answer
 * @returns {CommandResult | null} */
function refusalIn(answer) {
  const { code, message } = answer?.json ?? {};
  return code && message ? { ok: false, code, message } : null;
}

/**
 * Lets taps make one change at a time, and none in the first moments after a change: the tapped
 * control has moved, and another one is in its place.
 * @template {unknown[]} A @param {(...values: A) => Promise<void>} change
 */
export function oneAtATime(change) {
  let changing = false;
  let changed = /** @type {Moment | null} */ (null);
  return async (/** @type {A} */ ...values) => {
    if (changing || (changed && msSince(changed) < GUARD_MS)) return;
    changing = true;
    try {
      await change(...values);
    } finally {
      changing = false;
      changed = moment();
    }
  };
}

/** Controls that send a command, or enter what one will book for whoever is next. */
const COMMANDS = "[data-command], [data-action], [data-book], [data-number]";

/**
 * Lets a tap count only if it cannot have been meant for something else: not while another command
 * is being sent, and not in the first moments after the table has changed.
 * @param {() => void} onEarly is told that a tap came too soon after a change
 */
export function createTapGuard(onEarly) {
  let tapped = /** @type {Element | null} */ (null);
  let sending = false;
  let guardTimer = 0;

  /** Marks the controls; also called when some have been drawn. */
  function mark() {
    for (const control of document.querySelectorAll(COMMANDS)) {
      // Not `disabled`: that would take the focus away.
      const dead = control.hasAttribute("data-dead");
      if (sending || guardTimer || dead) control.setAttribute("aria-disabled", "true");
      else control.removeAttribute("aria-disabled");
      if (sending && control === tapped) control.setAttribute("aria-busy", "true");
      else control.removeAttribute("aria-busy");
    }
  }

  /** The table has changed. */
  function changed() {
    clearTimeout(guardTimer);
    guardTimer = setTimeout(() => {
      guardTimer = 0;
      mark();
    }, GUARD_MS);
  }

  /** Sends a command, with the controls off until it is answered.
   * @template T @param {() => Promise<T>} send */
  async function during(send) {
    sending = true;
    mark();
    try {
      return await send();
    } finally {
      sending = false;
      mark();
    }
  }

  /** @param {Event} event */
  function stop(event) {
    event.preventDefault();
    event.stopPropagation();
  }

  /** @param {Event} event */
  const controlOf = ({ target }) => (target instanceof Element ? target.closest(COMMANDS) : null);

  // Enter in a form clicks its button too.
  const click = (/** @type {MouseEvent} */ event) => {
    const control = controlOf(event);
    if (!control) return;
    if (!sending && !guardTimer) {
      tapped = control;
      return;
    }
    stop(event);
    if (!sending && control !== tapped) onEarly();
  };
  const keydown = (/** @type {KeyboardEvent} */ event) => {
    if (event.repeat && event.key === "Enter" && controlOf(event)) stop(event);
  };
  document.addEventListener("click", click, { capture: true });
  document.addEventListener("keydown", keydown, { capture: true });
  return { mark, changed, during };
}

/**
 * @typedef {object} Rank of a window: of two, the one that has been open for longer leads
 * @property {number} sinceMs
 * @property {string} id
 * @property {string} language
 */
/** @typedef {[name: string, data: any]} News an event from the daemon */
/**
 * @typedef {object} Told what a window tells the others
 * @property {Rank} from
 * @property {"claim" | "lead" | "leave" | "reconnect"} kind
 * @property {News[]} news
 * @property {string} [to] the only window that needs the news
 * @property {boolean} [paired] whether the window that claims to lead is paired
 */
/**
 * What a window does about the others.
 * @typedef {object} Sharing
 * @property {() => News[]} news what a window that joins needs; nothing while it may be old
 * @property {() => boolean} paired whether the stream is that of a paired browser
 * @property {(news: News) => void} take an event that the leader has passed on
 * @property {() => void} follow another window leads from now on
 * @property {() => void} lead nobody leads any more
 * @property {() => void} reconnect with the cookies of now
 */

/** The channel to the other windows; null where there is none. Firefox throws where cookies are
 * blocked. @param {string} name */
function openChannel(name) {
  try {
    return new BroadcastChannel(name);
  } catch {
    return null;
  }
}

/**
 * Shares one stream of events between the windows of this browser in one language. Over HTTP/1.1 a
 * browser opens at most six connections to a server, and every stream takes one. The window that
 * leads has the stream, and passes on what it hears. A window that connects claims to lead, until
 * an older one answers.
 * Web Locks could choose the leader, but over plain HTTP there is only BroadcastChannel.
 * @param {string} name of the channel @param {Sharing} sharing
 */
function createSharing(name, { news, paired, take, follow, lead, reconnect }) {
  let me = { sinceMs: 0, id: "", language: LANGUAGE };
  let leader = /** @type {Rank | null} */ (null); // another window
  let heard = moment(); // from the leader
  let alone = true;
  let channel = /** @type {BroadcastChannel | null} */ (null);

  /** @param {Omit<Told, "from" | "news"> & {news?: News[]}} told */
  const post = (told) => channel?.postMessage({ news: [], ...told, from: me });

  /** @param {Rank} one @param {Rank} other */
  const isBefore = (one, other) =>
    one.sinceMs < other.sinceMs || (one.sinceMs === other.sinceMs && one.id < other.id);

  /** @param {Told} told */
  function receive(told) {
    const { from, kind } = told;
    if (kind === "reconnect" && !leader) reconnect();
    if (kind === "reconnect" || from.language !== LANGUAGE) return;
    alone = false;
    if (kind === "leave") {
      if (leader?.id === from.id) succeed();
    } else if (!leader && isBefore(me, from)) answer(told);
    else if (!leader || mayReplace(leader, from)) obey(told);
  }

  function succeed() {
    leader = null;
    lead();
  }

  /** @param {Told} told */
  function obey({ from, to, news: told }) {
    if (!leader) follow();
    leader = from;
    heard = moment();
    if (!to || to === me.id) told.forEach(take);
  }

  /** A leader that is frozen or gone without a word may be replaced by any window.
   * @param {Rank} old @param {Rank} next */
  const mayReplace = (old, next) =>
    old.id === next.id || isBefore(next, old) || msSince(heard) > SILENCE_MS / 2;

  /** Tells a younger window who leads. @param {Told} told */
  function answer({ from, kind, paired: isPaired }) {
    post({ kind: "lead", to: from.id, news: news() });
    // It may have been paired by a link that it was opened with.
    if (kind === "claim" && isPaired !== undefined && isPaired !== paired()) reconnect();
  }

  return {
    /** @param {boolean | undefined} isPaired */
    claim(isPaired) {
      leader = null;
      if (!channel) {
        channel = openChannel(name);
        if (!channel) return; // each window then has its own stream
        channel.onmessage = ({ data }) => receive(data);
        me = { sinceMs: Date.now(), id: randomId(), language: LANGUAGE };
      }
      post({ kind: "claim", paired: isPaired });
    },
    /** @param {News[]} told */
    pass: (...told) => void (alone || leader || post({ kind: "lead", news: told })),
    /** An open channel would keep the page out of the browser's history. */
    leave() {
      if (!leader) post({ kind: "leave" });
      channel?.close();
      channel = null;
    },
    /** All windows, of every language. */
    reconnect() {
      post({ kind: "reconnect" });
      if (!leader) reconnect();
    },
  };
}

/**
 * Follows the daemon's events while the page is visible, and reconnects when they stop.
 * @param {EventHandlers} handlers
 * @returns {{reconnect: () => void}}
 */
export function followEvents(handlers) {
  const address = inLanguage("/api/events?frames=1");
  let source = /** @type {EventSource | null} */ (null);
  let hasState = false; // of this connection: the newest state is here
  let heard = moment(); // the latest event
  let opened = /** @type {Moment | null} */ (null); // the connection, or the latest try
  let failures = 0;
  let retryTimer = 0;
  let brokenTimer = 0;
  const latest = /** @type {Map<string, any>} */ (new Map()); // of the events that others need
  const sharing = createSharing(at("/api/events"), {
    news: () => (hasState && msSince(heard) <= SILENCE_MS ? [...latest] : []),
    paired: () => Boolean(latest.get("state")?.pairing.paired),
    take,
    follow() {
      disconnect();
      opened ??= moment(); // this window was between two tries
    },
    lead: () => (retryTimer = setTimeout(connect, Math.random() * SUCCESSION_MS)),
    reconnect: connect,
  });

  function disconnect() {
    source?.close();
    source = null;
    clearTimeout(retryTimer);
    settle();
  }

  /** The connection is not broken, or no longer this window's. */
  function settle() {
    clearTimeout(brokenTimer);
    brokenTimer = 0;
  }

  function stop() {
    disconnect();
    opened = null;
    sharing.leave();
  }

  function connect() {
    source?.close();
    clearTimeout(retryTimer);
    if (document.visibilityState === "hidden") return;
    hasState = false;
    latest.clear();
    opened = moment();
    const known = handlers.known();
    const whose = known?.pairing.paired ? "paired" : "watching";
    const sent = known ? `&known=${known.revision}-${whose}` : "";
    const current = (source = new EventSource(address + sent));

    /** @param {string} name */
    function listen(name) {
      current.addEventListener(name, (event) => {
        if (source !== current) return;
        // This window was frozen, and what has come meanwhile may be old.
        if (hasState && msSince(heard) > SILENCE_MS) return connect();
        const data = parse(/** @type {MessageEvent} */ (event).data);
        // A state that is known is not sent, but its revision is.
        const isKnown = !hasState && name === "heartbeat" && data?.revision === known?.revision;
        const isFirst = isKnown || (!hasState && name === "state");
        take(isKnown ? ["state", known] : [name, data]);
        sharing.pass(...(isFirst ? [BEGIN, ...latest] : [/** @type {News} */ ([name, data])]));
      });
    }
    Object.keys(handle).forEach(listen);
    // An EventSource never tries again after a 503, so it is replaced on any error.
    current.onerror = () => {
      if (source !== current) return;
      brokenTimer ||= setTimeout(() => {
        handlers.reconnecting?.();
        sharing.pass(["broken", null]);
      }, BROKEN_MS);
      retry();
    };
    sharing.claim(known?.pairing.paired);
  }

  /** What is done with each event. @type {Record<string, (data: any) => void>} */
  const handle = {
    state(state) {
      if (!hasState) handlers.health({ parts: [], message: null });
      hasState = true;
      failures = 0;
      settle();
      if (state !== handlers.known()) handlers.state(state);
    },
    refused: handlers.refused,
    frame: (/** @type {FrameEvent} */ frame) => handlers.frame(frame.pixels),
    display: (/** @type {DisplayEvent} */ shown) => handlers.display?.(shown),
    tune: (/** @type {TuneEvent} */ tune) => handlers.tune?.(tune),
    heartbeat: () => {},
    health: handlers.health,
  };

  /** @param {News} news */
  function take([name, data]) {
    if (name === "broken") return handlers.reconnecting?.();
    if (name === "begin") hasState = false;
    if (name === "state" && hasState && isOld(data)) return;
    heard = moment();
    if (KEPT.includes(name)) latest.set(name, data);
    if (data) handle[name]?.(data);
    if (hasState) showLive(true);
  }

  /** Whether the page shows a later state: it has asked for it, or heard it from another window.
   * The first state of a connection counts in any case. @param {StateAnswer} state */
  const isOld = ({ revision }) => revision < (handlers.known()?.revision ?? 0);

  /** @param {boolean} live */
  const showLive = (live) => handlers.live(live, Date.now() - msSince(heard));

  function retry() {
    source?.close();
    source = null;
    opened = null;
    retryTimer = setTimeout(connect, Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** failures++));
  }

  /** A connection may also open and then stay silent. */
  function lookForSilence() {
    if (msSince(heard) <= SILENCE_MS) return;
    showLive(false);
    if (opened && msSince(opened) > SILENCE_MS) retry();
  }

  function wake() {
    showLive(false);
    connect();
  }

  // iOS closes sockets of hidden pages without an event, so the page does it itself.
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") return wake();
    stop();
    showLive(false);
  });
  addEventListener("pageshow", (event) => {
    if (event.persisted) wake();
  });
  addEventListener("pagehide", stop);
  addEventListener("online", connect);
  setInterval(lookForSilence, LOOK_MS);
  connect();
  return { reconnect: sharing.reconnect };
}

export const AWAKE = "awake"; // in the browser's storage, "off" lets the screen go dark
export const KEYS_OFF = "keys"; // in the browser's storage, "off": letters and digits press nothing

/** The keys of the board's buttons besides 1 to 8, which are the places.
 * @type {Record<string, string>} */
export const KEYS = {
  a: "ace",
  k: "king",
  q: "queen",
  j: "jack",
  t: "ten",
  m: "marriage",
  s: "sequence",
  p: "poch",
  c: "pinke",
  n: "next",
  u: "undo",
};
