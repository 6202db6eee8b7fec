// @ts-check
// All nights, the newest first.
//
// Hooks for tests: li[data-night="3"] with .winner, a.replay and a.sheet; #backup with its input

import { html, nothing, render } from "./vendor/lit-html.js";
import { byId, longDate, reason, request, text } from "./page.js";

/** @import { ListedNight, StateAnswer } from "../types" */

const UPLOAD_MS = 60_000;

/** @param {ListedNight} night */
function nightView({ number, started_ms: started, winners, result, summary }) {
  const open = winners === null;
  const replay = `/nights/${number}#1`;
  const toTable = html`<a class="plain" href="/">${text("nights.to_table")}</a>`;
  return html`<li class="card" data-night=${number}>
    <h2><a href=${open ? "/" : replay}>${longDate(started)}</a></h2>
    <p><strong class="winner">${winners ?? result}</strong></p>
    ${open ? nothing : html`<p>${result}</p>`}
    <p class="about">${summary}</p>
    <p class="links">
      <a class="plain replay" href=${replay}>${text("nights.replay")}</a>
      <a class="plain sheet" href="/api/nights/${number}/sheet" download="night-${number}.jsonl"
        >${text("nights.sheet")}</a
      >
      ${open ? toTable : nothing}
    </p>
  </li>`;
}

async function showNights() {
  const answer = await request("GET", "/api/nights");
  const nights = /** @type {ListedNight[]} */ (answer?.status === 200 ? answer.json : []);
  const failed = html`<p class="card">${reason(answer)} <a href="">${text("try_again")}</a></p>`;
  const none = html`<p class="card">
    ${text("nights.none")} <a href="/">${text("nights.to_table")}</a>
  </p>`;
  const list = html`<ul class="nights">
    ${nights.map(nightView)}
  </ul>`;
  const heading = html`<h2>${text("nights.title")}</h2>`;
  const content = nights.length ? list : none;
  render(answer?.status === 200 ? [heading, content] : failed, byId("nights"));
}

/** Backups, for paired phones. @param {string} said the outcome of the last one */
function showBackup(said = "") {
  const about = html`<p class="about">${text("backup.about")}</p>`;
  const links = html`<p class="row">
    <a class="soft" href="/api/backup" download>${text("backup.download")}</a>
    <label class="soft"
      >${text("backup.restore")}
      <input class="quiet" type="file" accept=".zip,application/zip" @change=${restore} />
    </label>
  </p>`;
  const content = html`<section class="card">
    <h2>${text("backup.title")}</h2>
    ${about} ${links}
    <p role="status">${said}</p>
  </section>`;
  render(content, byId("backup"));
}

/** Sends the chosen file. @param {Event} event */
async function restore(event) {
  const input = /** @type {HTMLInputElement} */ (event.target);
  const [file] = input.files ?? [];
  if (!file) return;
  showBackup(text("backup.checking"));
  const headers = { "Content-Type": "application/zip" };
  const options = { file, headers, timeoutMs: UPLOAD_MS };
  const answer = await request("POST", "/api/restore", options);
  input.value = "";
  showBackup(
    answer?.status === 200 ? text("backup.ready", { count: answer.json.nights }) : reason(answer),
  );
}

async function offerBackup() {
  const answer = await request("GET", "/api/state");
  const state = /** @type {StateAnswer | null} */ (answer?.status === 200 ? answer.json : null);
  if (state?.pairing.paired) showBackup();
}

void offerBackup();
addEventListener("pageshow", (event) => {
  if (event.persisted) void showNights();
});
void showNights();
