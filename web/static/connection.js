// @ts-check
// The connection to the daemon: its events, as long as the page can be seen.

import { inLanguage, parse } from "./requests.js";
import { PAIRED } from "./storage.js";
import { createBackoff, moment, msSince } from "./time.js";

/** @import { FrameEvent, HealthEvent, HeartbeatEvent, RefusedEvent } from "../types" */
/** @import { StateAnswer } from "../types" */
/** @import { Moment } from "./time.js" */
/**
 * @typedef {object} EventHandlers
 * @property {() => StateAnswer | null} known the newest state, which need not be sent again
 * @property {(state: StateAnswer) => void} state
 * @property {(refused: RefusedEvent) => void} refused
 * @property {(pixels: string[]) => void} frame
 * @property {(beat: HeartbeatEvent) => void} [heartbeat]
 * @property {(health: HealthEvent) => void} health
 * @property {() => void} [reconnecting] the connection has broken and is not back at once
 * @property {(live: boolean, lastEventMs: number) => void} live whether what is shown can be
 *   trusted
 */

const SILENCE_MS = 12_000; // two heartbeats may be missing
const BROKEN_MS = 1_000; // a connection that is back by then was hardly gone
const LOOK_MS = 500;
const LONGEST_RETRY_MS = 5_000;
const FIRST_RETRY_MS = 400;
const GONE = 404;

/**
 * Follows the daemon's events while the page is visible, and reconnects when they stop.
 * @param {EventHandlers} handlers
 * @returns {{reconnect: () => void}} with the cookies of then
 */
export function followEvents(handlers) {
  const address = inLanguage("/api/events?frames=1");
  /** @type {EventSource | null} */
  let source = null;
  /** @type {Moment | null} */
  let opened = null; // the connection, or the latest try
  let retryTimer = 0;
  let brokenTimer = 0;
  let hasState = false; // of this connection: the newest state is here
  let heard = moment(); // the latest event
  const backoff = createBackoff(FIRST_RETRY_MS, LONGEST_RETRY_MS);

  const isSilent = () => msSince(heard) > SILENCE_MS;

  /** @param {boolean} live */
  const showLive = (live) => handlers.live(live, Date.now() - msSince(heard));

  /** What is done with each event. @type {Record<string, (data: any) => void>} */
  const handle = {
    state(/** @type {StateAnswer} */ state) {
      // A later state than this one may have been asked for. The first of a connection counts in
      // any case.
      if (hasState && state.revision < (handlers.known()?.revision ?? 0)) return;
      if (!hasState) welcome();
      if (state !== handlers.known()) handlers.state(state);
    },
    refused: handlers.refused,
    frame: (/** @type {FrameEvent} */ frame) => handlers.frame(frame.pixels),
    heartbeat: (/** @type {HeartbeatEvent} */ beat) => handlers.heartbeat?.(beat),
    health: handlers.health,
  };

  /** The connection works. */
  function welcome() {
    hasState = true;
    backoff.reset();
    settle();
    handlers.health({ message: null });
    void reloadIfUpdated();
  }

  /** The connection is not broken, or no longer wanted. */
  function settle() {
    clearTimeout(brokenTimer);
    brokenTimer = 0;
  }

  function close() {
    source?.close();
    source = null;
    opened = null;
    clearTimeout(retryTimer);
  }

  function connect() {
    close();
    if (document.visibilityState === "hidden") return;
    hasState = false;
    opened = moment();
    const known = handlers.known();
    const whose = known?.pairing.paired ? "paired" : "watching";
    const sent = known ? `&known=${known.revision}-${whose}` : "";
    const current = (source = new EventSource(address + sent));
    for (const name of Object.keys(handle)) {
      current.addEventListener(name, (event) => {
        if (source === current && event instanceof MessageEvent) hear(name, event, known);
      });
    }
    // An EventSource never tries again after a 503, so it is replaced on any error.
    current.onerror = () => {
      if (source !== current) return;
      brokenTimer ||= setTimeout(() => handlers.reconnecting?.(), BROKEN_MS);
      retry();
    };
  }

  /** @param {string} name @param {MessageEvent} event
   * @param {StateAnswer | null} known what the daemon was told that this window has */
  function hear(name, event, known) {
    // This window was frozen, and what has come meanwhile may be old.
    if (hasState && isSilent()) return connect();
    heard = moment();
    const data = parse(event.data);
    // A state that is known is not sent, but its revision is.
    const isKnown = !hasState && name === "heartbeat" && data?.revision === known?.revision;
    if (isKnown) handle["state"]?.(known);
    if (data) handle[name]?.(data);
    if (hasState) showLive(true);
  }

  function retry() {
    close();
    retryTimer = setTimeout(connect, backoff.nextMs());
  }

  /** A connection may also open and then stay silent. */
  function lookForSilence() {
    if (!isSilent()) return;
    showLive(false);
    if (opened && msSince(opened) > SILENCE_MS) retry();
  }

  function stop() {
    close();
    settle();
  }

  function wake() {
    showLive(false);
    connect();
  }

  // A browser opens six connections to a server over HTTP/1.1, and every stream takes one. iOS
  // closes those of hidden pages without an event.
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
  addEventListener("storage", ({ key }) => key === PAIRED && connect());
  setInterval(lookForSilence, LOOK_MS);
  connect();
  return { reconnect: connect };
}

/** After an update the daemon has the page's files at another address, and this page is old. */
async function reloadIfUpdated() {
  const asked = fetch(import.meta.url, { method: "HEAD", cache: "no-store" });
  if ((await asked.catch(() => null))?.status === GONE) location.reload();
}
