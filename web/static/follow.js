// @ts-check
// Makes the real board follow the replay: sends it the entry repeatedly until the replay lets go.

import { reason, request } from "./requests.js";

/** @typedef {{night: number, entry: number}} Moment */

const ADDRESS = "/api/board/replay";
const AGAIN_MS = 2_000; // the board goes back to the lobby after 6 s of silence

/**
 * @param {(following: boolean, why: string) => void} changed is told when it begins or ends, and
 *   why the board has ended it
 */
export function createFollow(changed) {
  const client = String(crypto.getRandomValues(new Uint32Array(2)));
  /** @type {Moment | null} */
  let wanted = null;
  let begun = false;
  let sending = false;
  let timer = 0;

  /** Tells the board the latest moment; only one request is under way. */
  async function send() {
    if (sending || !wanted) return;
    sending = true;
    clearTimeout(timer);
    const sent = wanted;
    const answer = await request("PUT", ADDRESS, { body: { ...sent, client, keep: begun } });
    sending = false;
    if (!wanted) return void release();
    begun ||= answer?.status === 204;
    if (answer && answer.status >= 400 && answer.status < 500 && answer.status !== 429) {
      wanted = null;
      changed(false, reason(answer));
      return;
    }
    if (wanted !== sent) void send();
    else timer = setTimeout(() => void send(), AGAIN_MS);
  }

  const release = () => request("DELETE", ADDRESS, { body: { client }, keepalive: true });

  /** @param {Moment} moment */
  function begin(moment) {
    wanted = moment;
    changed(true, "");
    begun = false;
    void send();
  }

  /** @param {Moment} moment */
  function show(moment) {
    if (!wanted) return;
    wanted = moment;
    void send();
  }

  function end() {
    if (!wanted) return;
    wanted = null;
    clearTimeout(timer);
    changed(false, "");
    void release(); // also while a request is under way, because the page may be left
  }

  addEventListener("pagehide", end);
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "hidden") end();
  });
  return { begin, show, end, following: () => wanted !== null };
}
