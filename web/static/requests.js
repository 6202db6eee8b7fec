// @ts-check
// What the daemon says: the data that came with the page, and answers to requests.

import { moment, msSince, pause } from "./time.js";
import { LANGUAGE, text } from "./texts.js";

/** @import { CorrectionBody, CountBody, RefusalAnswer } from "../types" */

/** @typedef {{status: number, json: any}} Answer */
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

const TIMEOUT_MS = 4_000;
const OK = [200, 204];
const RETRY_COMMAND_MS = [300, 700, 1500, 3000, 5000];
const RETRY_BUSY_MS = [1000, 2000, 4000]; // the daemon asks for a second
const ASK_AGAIN_MS = 1_000;
const LATEST_RETRY_MS = 60_000; // all tries take half a minute, unless the phone has slept
/** The code of a command of which nobody knows whether it was booked. */
export const NO_ANSWER = "no-answer";

/** Where the daemon's addresses begin, which may be below a path of a proxy. */
const ROOT = globalThis.document?.baseURI ? new URL("../..", import.meta.url).pathname : "/";

/** An address of the daemon for the browser. @param {string} path as the daemon has it */
export const at = (path) => ROOT + path.slice(1);

/** The same for an answer in this page's language. The cookie may name another one by now: the
 * windows of a browser share it. @param {string} path */
export const inLanguage = (path) => `${at(path)}${path.includes("?") ? "&" : "?"}lang=${LANGUAGE}`;

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

/**
 * A request to the daemon; null if no answer came in time. Whoever only asks for something asks
 * again if the daemon is busy.
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

/** Asks the daemon at an address until it answers; null once nobody wants the answer.
 * @param {string} address @param {() => boolean} isWanted @returns {Promise<any>} */
export async function requestUntilAnswered(address, isWanted) {
  while (isWanted()) {
    const answer = await request("GET", address);
    if (answer?.status === 200) return answer.json;
    await pause(ASK_AGAIN_MS);
  }
  return null;
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

/** Why a request failed, in words. @param {Answer | null} answer */
export const reason = (answer) =>
  /** @type {RefusalAnswer | undefined} */ (answer?.json ?? undefined)?.message ??
  text("The board did not answer. Try again.");

/** 128 random bits; `crypto.randomUUID` exists in secure contexts only. */
export function randomId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Sends a command until it is answered, always with the same id, so that it counts once.
 * @param {Command} command */
export const postCommand = (command) =>
  sendUntilAnswered("POST", "/api/commands", { ...command, id: randomId() });

/** Corrects an entry, once for each id. @param {string} address @param {CorrectionBody} body */
export const postCorrection = (address, body) => sendUntilAnswered("POST", address, body);

/** Enters the cards that a seat has left. @param {CountBody} body */
export const putCount = (body) => sendUntilAnswered("PUT", "/api/counts", body);

/** @param {string} method @param {string} address @param {unknown} body
 * @returns {Promise<CommandResult>} */
async function sendUntilAnswered(method, address, body) {
  const tapped = moment();
  /** @type {CommandResult | null} */
  let refusal = null;
  let unanswered = false;
  for (const wait of [...RETRY_COMMAND_MS, 0]) {
    const answer = await request(method, address, { body });
    if (answer && OK.includes(answer.status)) return { ok: true };
    refusal = refusalIn(answer);
    if (answer && answer.status < 500) {
      return refusal ?? { ok: false, code: "refused", message: text("The board refused this.") };
    }
    unanswered ||= !refusal;
    await pause(wait);
    // Nobody expects a command that they tapped before their phone slept.
    if (msSince(tapped) > LATEST_RETRY_MS) break;
  }
  // If every try was answered, the last answer is reliable.
  if (refusal && !unanswered) return refusal;
  return {
    ok: false,
    code: NO_ANSWER,
    message: text("The board did not answer. See whether it counted before you try again."),
  };
}

/** The refusal in an answer, if any. @param {Answer | null} answer
 * @returns {CommandResult | null} */
function refusalIn(answer) {
  const { code, message } = answer?.json ?? {};
  return code && message ? { ok: false, code, message } : null;
}
