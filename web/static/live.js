// @ts-check
// The wire to the daemon: its events in, commands and presses out.

const SILENT_MS = 12_000;
const PATIENCE_MS = 4_000;
const KEEP_ALIVE_MS = 700;
const LATE_MS = 1_000;
const pause = (/** @type {number} */ ms) => new Promise((done) => setTimeout(done, ms));

/**
 * A request with an end: null where there was no answer at all.
 * @param {string} method @param {string} address @param {unknown} [body]
 * @param {boolean} [keepalive] @param {Record<string, string>} [more] further headers
 * @returns {Promise<{status: number, json: any} | null>}
 */
export async function ask(method, address, body, keepalive = false, more = {}) {
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(), PATIENCE_MS);
  try {
    /** @type {Record<string, string>} */
    const headers = body === undefined ? more : { "Content-Type": "application/json", ...more };
    const sent = body === undefined ? null : JSON.stringify(body);
    const answer = await fetch(address, {
      method,
      headers,
      body: sent,
      keepalive,
      signal: abort.signal,
    });
    const text = await answer.text();
    return { status: answer.status, json: parse(text) };
  } catch {
    return null;
  } finally {
    clearTimeout(timer);
  }
}

/** @param {string} text */
function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** 128 random bits; crypto.randomUUID is not to be had without a secure context. */
function freshId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (b) => b.toString(16).padStart(2, "0")).join("");
}

/**
 * Sends a command until it is answered, always with the same id, so that it counts once.
 * @param {Command} command
 * @returns {Promise<Answer>}
 */
export async function send(command) {
  const body = { ...command, id: freshId() };
  for (const wait of [300, 700, 1500, 3000, 5000, 0]) {
    const answer = await ask("POST", "/api/commands", body);
    if (answer && answer.status < 500) {
      if (answer.status === 200) return { ok: true, entry: answer.json?.entry ?? 0 };
      const { code = "refused", message = "The board refused this." } = answer.json ?? {};
      return { ok: false, code, message };
    }
    if (wait) await pause(wait);
  }
  return {
    ok: false,
    code: "no-answer",
    message: "The board did not answer; look at the ledger before you try again.",
  };
}

/**
 * Follows the daemon's events. `live` is called with false as soon as nothing shown can be trusted.
 * @param {{
 *   state: (state: State) => void,
 *   refused: (refused: Refused) => void,
 *   frame: (pixels: string[]) => void,
 *   live: (live: boolean, lastWord: number) => void,
 * }} on
 */
export function follow(on) {
  let source = /** @type {EventSource | null} */ (null);
  let heard = false; // whether this connection has told the state
  let lastWord = Date.now();
  let tries = 0;
  let retry = 0;

  function close() {
    source?.close();
    source = null;
    clearTimeout(retry);
  }

  function connect() {
    close();
    if (document.visibilityState === "hidden") return;
    heard = false;
    const mine = (source = new EventSource("/api/events?frames=1"));
    const opened = Date.now();
    const listen = (/** @type {string} */ kind, /** @type {(data: any) => void} */ then) =>
      mine.addEventListener(kind, (event) => {
        if (source !== mine) return;
        lastWord = Date.now();
        if (kind === "state") {
          heard = true;
          tries = 0;
        }
        const data = parse(/** @type {MessageEvent} */ (event).data);
        if (data) then(data);
        if (heard) on.live(true, lastWord);
      });
    listen("state", on.state);
    listen("refused", on.refused);
    listen("frame", (data) => on.frame(data.pixels));
    listen("heartbeat", () => {});
    mine.onerror = () => {
      if (source === mine) again();
    };
    // A connection that opens and then stays dumb is given up too.
    retry = setTimeout(() => {
      if (source === mine && lastWord < opened) again();
    }, SILENT_MS);
  }

  function again() {
    close();
    const wait = Math.min(5000, 400 * 2 ** tries++);
    retry = setTimeout(connect, wait);
  }

  function look() {
    const silent = Date.now() - lastWord > SILENT_MS;
    if (!silent) return;
    on.live(false, lastWord);
    if (source && heard) again();
  }

  setInterval(look, 500);
  const wake = () => {
    on.live(false, lastWord);
    connect();
  };
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") return wake();
    close();
    on.live(false, lastWord);
  });
  addEventListener("pageshow", (event) => {
    if (event.persisted) wake();
  });
  addEventListener("pagehide", close);
  addEventListener("online", connect);
  connect();
  return { again: connect };
}

/** @type {Record<string, string>} */
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

/**
 * Fingers, mouse and keys on the simulated board's buttons, as edges of real buttons.
 * @param {(refused: Refused) => void} refused
 */
export function createPresses(refused) {
  /** What holds each button down: pointers and keys. */
  const held = /** @type {Map<string, Set<string>>} */ (new Map());
  const parts = /** @type {Map<string, {button: HTMLButtonElement, group: SVGElement}>} */ (
    new Map()
  );
  const client = freshId(); // pages of one browser hold buttons apart from each other
  let queue = Promise.resolve();
  let acted = 0; // when a pointer or key last did something, to tell its click from a screen reader's

  /** Edges go out one after another, so that they arrive in their order. */
  function edge(/** @type {string} */ button, /** @type {boolean} */ down, last = false) {
    const made = Date.now();
    queue = queue.then(async () => {
      if (down && Date.now() - made > LATE_MS) return forget(button);
      const answer = await ask("POST", "/api/board/edge", { button, down, client }, last);
      if (down && !answer) forget(button);
      if (down && answer && answer.status >= 400) {
        forget(button);
        const { code = "refused", message = "The board refused this press." } = answer.json ?? {};
        refused({ code, message, button: [button] });
      }
      // The events tell these too, but not while their stream is being opened anew.
      if (answer?.status === 200) for (const one of answer.json?.refused ?? []) refused(one);
    });
  }

  /** A press that did not get through is over, rather than done late. */
  function forget(/** @type {string} */ button) {
    held.delete(button);
    parts.get(button)?.group.classList.remove("held");
  }

  function down(/** @type {string} */ button, /** @type {string} */ by) {
    if (parts.get(button)?.button.disabled !== false) return;
    const by_ = held.get(button) ?? new Set();
    held.set(button, by_.add(by));
    if (by_.size > 1) return;
    parts.get(button)?.group.classList.add("held");
    edge(button, true);
  }

  function up(/** @type {string} */ button, /** @type {string} */ by, last = false) {
    const by_ = held.get(button);
    if (!by_?.delete(by) || by_.size) return;
    held.delete(button);
    parts.get(button)?.group.classList.remove("held");
    edge(button, false, last);
  }

  function release() {
    for (const [button, by] of held) for (const one of [...by]) up(button, one, true);
  }

  setInterval(() => held.forEach((_, button) => edge(button, true)), KEEP_ALIVE_MS);
  addEventListener("blur", release);
  addEventListener("pagehide", release);
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "hidden") release();
  });

  const typing = (/** @type {EventTarget | null} */ target) =>
    target instanceof Element && target.closest("input, select, textarea, dialog") !== null;
  addEventListener("keydown", (event) => {
    if (event.repeat || event.ctrlKey || event.metaKey || event.altKey || typing(event.target))
      return;
    const key = event.key.toLowerCase();
    const button = /^[1-8]$/.test(key) ? `seat${key}` : KEYS[key];
    if (button) down(button, event.code);
  });
  addEventListener("keyup", (event) => {
    for (const [button, by] of [...held]) if (by.has(event.code)) up(button, event.code);
  });

  return {
    /** Holds buttons together for a while, for those who have one finger or a mouse. */
    async together(/** @type {string[]} */ buttons, /** @type {number} */ ms) {
      buttons.forEach((button) => down(button, "together"));
      await pause(ms);
      buttons.forEach((button) => up(button, "together"));
    },
    release,
    attach(
      /** @type {string} */ name,
      /** @type {HTMLButtonElement} */ button,
      /** @type {SVGElement} */ group,
    ) {
      parts.set(name, { button, group });
      button.addEventListener("pointerdown", (event) => {
        if (event.button !== 0) return;
        acted = Date.now();
        button.setPointerCapture(event.pointerId);
        down(name, `pointer${event.pointerId}`);
      });
      for (const kind of ["pointerup", "pointercancel", "lostpointercapture"]) {
        button.addEventListener(kind, (event) => {
          acted = Date.now();
          up(name, `pointer${/** @type {PointerEvent} */ (event).pointerId}`);
        });
      }
      button.addEventListener("contextmenu", (event) => event.preventDefault());
      button.addEventListener("keydown", (event) => {
        if (event.key !== " " && event.key !== "Enter") return;
        event.preventDefault();
        acted = Date.now();
        if (!event.repeat) down(name, event.code);
      });
      button.addEventListener("keyup", (event) => {
        if (event.key === " " || event.key === "Enter") event.preventDefault();
        acted = Date.now();
      });
      button.addEventListener("click", async () => {
        if (Date.now() - acted < 500) return;
        down(name, "click");
        await pause(80);
        up(name, "click");
      });
      button.addEventListener("focus", () =>
        group.classList.toggle("focused", button.matches(":focus-visible")),
      );
      button.addEventListener("blur", () => group.classList.remove("focused"));
    },
  };
}
