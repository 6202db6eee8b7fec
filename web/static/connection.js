// @ts-check
// The connection to the daemon: its events, as long as the page can be seen.

import { at, inLanguage, parse } from "./requests.js";
import { createSharing, SILENCE_MS } from "./sharing.js";
import { createBackoff, moment, msSince } from "./time.js";

/** @import { DisplayEvent, FrameEvent, HealthEvent, HeartbeatEvent, RefusedEvent, StateAnswer,
 *   TuneEvent } from "../types" */
/** @import { News } from "./sharing.js" */
/** @import { Moment } from "./time.js" */
/**
 * @typedef {object} EventHandlers
 * @property {() => StateAnswer | null} known the newest state, which need not be sent again
 * @property {(state: StateAnswer) => void} state
 * @property {(refused: RefusedEvent) => void} refused
 * @property {(pixels: string[]) => void} frame
 * @property {(shown: DisplayEvent) => void} [display]
 * @property {(tune: TuneEvent) => void} [tune]
 * @property {(beat: HeartbeatEvent) => void} [heartbeat]
 * @property {(health: HealthEvent) => void} health
 * @property {() => void} [reconnecting] the connection has broken and is not back at once
 * @property {(live: boolean, lastEventMs: number) => void} live whether what is shown can be
 *   trusted
 */

const BROKEN_MS = 1_000; // a connection that is back by then was hardly gone
const LOOK_MS = 500;
const SUCCESSION_MS = 100; // the windows that a leader leaves do not all connect at once
const KEPT = ["state", "health", "frame", "display"]; // the latest is told to new windows
/** @type {News} */
const BEGIN = ["begin", null]; // what follows is of a new connection
const LONGEST_RETRY_MS = 5_000;
const FIRST_RETRY_MS = 400;

/**
 * What has been heard from the daemon, directly or from the window that leads.
 * @param {EventHandlers} handlers @param {() => void} onState the connection works
 */
function createInbox(handlers, onState) {
  let hasState = false; // of this connection: the newest state is here
  let heard = moment(); // the latest event
  /** @type {Map<string, any>} */
  const latest = new Map(); // of the events that others need

  const isSilent = () => msSince(heard) > SILENCE_MS;

  /** What is done with each event. @type {Record<string, (data: any) => void>} */
  const handle = {
    state(state) {
      if (!hasState) handlers.health({ parts: [], message: null });
      hasState = true;
      onState();
      if (state !== handlers.known()) handlers.state(state);
    },
    refused: handlers.refused,
    frame: (/** @type {FrameEvent} */ frame) => handlers.frame(frame.pixels),
    display: (/** @type {DisplayEvent} */ shown) => handlers.display?.(shown),
    tune: (/** @type {TuneEvent} */ tune) => handlers.tune?.(tune),
    heartbeat: (/** @type {HeartbeatEvent} */ beat) => handlers.heartbeat?.(beat),
    health: handlers.health,
  };

  /** Whether the page shows a later state: it has asked for it, or heard it from another window.
   * The first state of a connection counts in any case. @param {StateAnswer} state */
  const isOld = ({ revision }) => revision < (handlers.known()?.revision ?? 0);

  /** @param {boolean} live */
  const showLive = (live) => handlers.live(live, Date.now() - msSince(heard));

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

  return {
    names: Object.keys(handle),
    take,
    showLive,
    isSilent,
    hasState: () => hasState,
    latest: () => [...latest],
    /** What another window needs. */
    news: () => (hasState && !isSilent() ? [...latest] : []),
    paired: () => Boolean(latest.get("state")?.pairing.paired),
    /** A new connection is being opened. */
    begin() {
      hasState = false;
      latest.clear();
    },
  };
}

/**
 * The stream of events of this window, or of the one that leads.
 * @param {EventHandlers} handlers
 */
function createStream(handlers) {
  const address = inLanguage("/api/events?frames=1");
  /** @type {EventSource | null} */
  let source = null;
  /** @type {Moment | null} */
  let opened = null; // the connection, or the latest try
  let retryTimer = 0;
  let brokenTimer = 0;
  const backoff = createBackoff(FIRST_RETRY_MS, LONGEST_RETRY_MS);
  const inbox = createInbox(handlers, () => {
    backoff.reset();
    settle();
  });
  const sharing = createSharing(at("/api/events"), {
    news: inbox.news,
    paired: inbox.paired,
    take: inbox.take,
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

  function connect() {
    source?.close();
    clearTimeout(retryTimer);
    if (document.visibilityState === "hidden") return;
    inbox.begin();
    opened = moment();
    const known = handlers.known();
    const whose = known?.pairing.paired ? "paired" : "watching";
    const sent = known ? `&known=${known.revision}-${whose}` : "";
    const current = (source = new EventSource(address + sent));
    for (const name of inbox.names) {
      current.addEventListener(name, (event) => {
        if (source === current && event instanceof MessageEvent) hear(name, event, known);
      });
    }
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

  /** @param {string} name @param {MessageEvent} event
   * @param {StateAnswer | null} known what the daemon was told that this window has */
  function hear(name, event, known) {
    const hadState = inbox.hasState();
    // This window was frozen, and what has come meanwhile may be old.
    if (hadState && inbox.isSilent()) return connect();
    const data = parse(event.data);
    // A state that is known is not sent, but its revision is.
    const isKnown = !hadState && name === "heartbeat" && data?.revision === known?.revision;
    const isFirst = isKnown || (!hadState && name === "state");
    if (isKnown) inbox.take(["state", known]);
    inbox.take([name, data]);
    sharing.pass(...(isFirst ? [BEGIN, ...inbox.latest()] : [/** @type {News} */ ([name, data])]));
  }

  function retry() {
    source?.close();
    source = null;
    opened = null;
    retryTimer = setTimeout(connect, backoff.nextMs());
  }

  return {
    connect,
    stop() {
      disconnect();
      opened = null;
      sharing.leave();
    },
    /** A connection may also open and then stay silent. */
    lookForSilence() {
      if (!inbox.isSilent()) return;
      inbox.showLive(false);
      if (opened && msSince(opened) > SILENCE_MS) retry();
    },
    showNotLive: () => inbox.showLive(false),
    reconnect: sharing.reconnect,
  };
}

/**
 * Follows the daemon's events while the page is visible, and reconnects when they stop.
 * @param {EventHandlers} handlers
 * @returns {{reconnect: () => void}}
 */
export function followEvents(handlers) {
  const stream = createStream(handlers);

  function wake() {
    stream.showNotLive();
    stream.connect();
  }

  // iOS closes sockets of hidden pages without an event, so the page does it itself.
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") return wake();
    stream.stop();
    stream.showNotLive();
  });
  addEventListener("pageshow", (event) => {
    if (event.persisted) wake();
  });
  addEventListener("pagehide", stream.stop);
  addEventListener("online", stream.connect);
  setInterval(stream.lookForSilence, LOOK_MS);
  stream.connect();
  return { reconnect: stream.reconnect };
}
