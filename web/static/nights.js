// @ts-check
// All nights there were, the newest first.
//
// Hooks for tests: li[data-night="3"] with .winner, a.replay and a.sheet

import { html, nothing, render } from "./vendor/lit-html.js";

const host = /** @type {HTMLElement} */ (document.getElementById("nights"));
const day = (/** @type {number} */ ms) =>
  new Date(ms).toLocaleDateString([], {
    weekday: "long",
    day: "numeric",
    month: "long",
    year: "numeric",
  });
const some = (/** @type {number} */ n, /** @type {string} */ one) =>
  `${n} ${one}${n === 1 ? "" : "s"}`;

/** @param {Night} night */
function view(night) {
  const best = night.standings?.[0];
  const first = (night.standings ?? [])
    .filter((row) => row[2] === best?.[2])
    .map(([seat]) => night.players[seat - 1]);
  const result = !best
    ? html`<strong class="winner">Still open</strong>`
    : html`<strong class="winner">${first.join(" and ")}</strong> won with ${best[1]} chips
        (${best[2] > 0 ? "+" : best[2] < 0 ? "−" : "±"}${Math.abs(best[2])})`;
  return html`<li class="card" data-night=${night.number}>
    <h2><a href=${best ? `/nights/${night.number}#1` : "/"}>${day(night.started_ms)}</a></h2>
    <p>${result}</p>
    <p class="about">
      Night ${night.number}, ${night.ruleset}: ${night.players.join(", ")};
      ${some(night.deals, "deal")}, ${night.entries}
      ${night.entries === 1 ? "entry" : "entries"}${night.imported ? ", kept on paper" : ""}.
    </p>
    <p class="links">
      <a class="plain replay" href="/nights/${night.number}#1">Look at it again</a>
      <a
        class="plain sheet"
        href="/api/nights/${night.number}/sheet"
        download="night-${night.number}.jsonl"
        >Score sheet</a
      >${best ? nothing : html`<a class="plain" href="/">To the table</a>`}
    </p>
  </li>`;
}

async function load() {
  try {
    const answer = await fetch("/api/nights");
    if (!answer.ok) throw new Error(String(answer.status));
    const nights = /** @type {Night[]} */ (await answer.json());
    nights.sort((a, b) => b.number - a.number);
    render(
      html`<h2>Nights</h2>
        ${
          nights.length
            ? html`<ul class="nights">
                ${nights.map(view)}
              </ul>`
            : html`<p class="card">No night has been played yet. <a href="/">To the table</a></p>`
        }`,
      host,
    );
  } catch {
    render(html`<p class="card">The board did not answer. <a href="">Try again</a></p>`, host);
  }
}

addEventListener("pageshow", (event) => {
  if (event.persisted) void load();
});
void load();
