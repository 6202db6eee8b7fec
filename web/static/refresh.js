// @ts-check
// Keeps a page that the server has drawn up to date: `data-refresh` marks what is replaced.
//
// A part with `data-turns` shows one child at a time: not everybody fits in large letters.

import { pageStarted } from "./elements.js";

const AGAIN_MS = 5_000;
const TURN_MS = 12_000;

startRefreshing();

function startRefreshing() {
  let turn = 0;
  let drawn = document.querySelector("[data-refresh]")?.innerHTML;

  function showTurn() {
    for (const part of document.querySelectorAll("[data-turns]"))
      [...part.children].forEach((group, index, { length }) =>
        group.toggleAttribute("hidden", index !== turn % length),
      );
  }

  /** Replaces what the server draws differently by now. */
  async function refresh() {
    const answer = await fetch(location.href).catch(() => null);
    const sent = answer?.ok ? await answer.text().catch(() => null) : null;
    document.body.classList.toggle("stale", sent === null);
    if (sent === null) return;
    const next = new DOMParser().parseFromString(sent, "text/html").querySelector("[data-refresh]");
    if (!next || next.innerHTML === drawn) return;
    drawn = next.innerHTML;
    document.querySelector("[data-refresh]")?.replaceChildren(...next.childNodes);
    showTurn();
  }

  showTurn();
  pageStarted();
  setInterval(() => {
    turn += 1;
    showTurn();
  }, TURN_MS);
  setInterval(() => {
    if (!document.hidden) void refresh();
  }, AGAIN_MS);
}
