// @ts-check
// One stream of events for all windows of a browser.

import { randomId } from "./requests.js";
import { LANGUAGE } from "./texts.js";
import { moment, msSince } from "./time.js";

export const SILENCE_MS = 12_000; // two heartbeats may be missing

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
export function createSharing(name, { news, paired, take, follow, lead, reconnect }) {
  let me = { sinceMs: 0, id: "", language: LANGUAGE };
  /** @type {Rank | null} another window */
  let leader = null;
  let heard = moment(); // from the leader
  let alone = true;
  /** @type {BroadcastChannel | null} */
  let channel = null;

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
