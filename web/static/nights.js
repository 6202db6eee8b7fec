// @ts-check
// All nights, the newest first.

import { html, nothing, render } from "./vendor/lit-html.js";
import { byId, formValues, revealPage, targetOf } from "./elements.js";
import { at, inLanguage, reason, request } from "./requests.js";
import { oneAtATime } from "./taps.js";
import { fill, localMinute, longDate, msOfMinute, ntext, text } from "./texts.js";
import { pushButton } from "./views.js";

/** @import { ListedNight } from "../types" */

const UPLOAD_MS = 60_000;
const COLLECTS = "collects" in document.body.dataset; // the nights of boards elsewhere

/** Whether this phone may change the list. */
const isPaired = () => "paired" in document.body.dataset;

// Otherwise the second tap of a double tap would hit the next night.
const remark = oneAtATime(async (/** @type {object} */ body) => {
  const answer = await request("POST", "/api/remarks", { body });
  await showNights(answer?.status === 204 ? "" : reason(answer));
});

/** @param {string} said why the last change was refused */
async function showNights(said = "") {
  const answer = await request("GET", `/api/nights?bots=1${isPaired() ? "&deleted=1" : ""}`);
  if (answer?.status !== 200) {
    const failed = html`<p class="card">${reason(answer)} <a href="">${text("Try again")}</a></p>`;
    render(failed, byId("nights"));
    return;
  }
  /** @type {ListedNight[]} */
  const all = answer.json;
  /** @param {ListedNight["section"]} wanted @param {(night: ListedNight) => unknown} view */
  const among = (wanted, view) => all.filter(({ section }) => section === wanted).map(view);
  const nights = among("nights", nightView);
  const list = html`<ul class="nights">
    ${nights}
  </ul>`;
  const toTable = html`${text("No night has been played yet.")}
    <a href=${at("/")}>${text("To the table")}</a>`;
  const none = html`<p class="card">${COLLECTS ? text("No night has arrived yet.") : toTable}</p>`;
  const content = [
    html`<h2>${text("Nights")}</h2>`,
    said ? html`<p class="card" role="alert">${said}</p>` : nothing,
    all.length ? list : none,
    folded("bots", text("Nights of computer players ({count})"), among("bots", botsView)),
    folded("deleted", text("Deleted nights ({count})"), among("deleted", deletedView)),
  ];
  render(content, byId("nights"));
  document.title = text("{what} – Pochboard", {
    what: text("Nights ({count})", { count: nights.length }),
  });
}

/** @param {ListedNight} night */
function nightView(night) {
  const { number, name, started_ms: started, status, winners, result, summary } = night;
  const replay = at(`/nights/${number}#1`);
  const toTable = html`<a class="plain" href=${at("/")}>${text("To the table")}</a>`;
  if (status === "damaged") {
    return html`<li class="card" data-night=${number}>
      <h2>${summary}</h2>
      <p><strong>${result}</strong></p>
    </li>`;
  }
  const open = status === "open";
  return html`<li class="card" data-night=${number}>
    <h2><a href=${open ? at("/") : replay}>${name ?? longDate(started)}</a></h2>
    ${name === null ? nothing : html`<p class="about">${longDate(started)}</p>`}
    <p><strong class="winner">${winners ?? result}</strong></p>
    ${open ? nothing : html`<p>${result}</p>`}
    <p class="about">${summary}</p>
    <p class="links">
      <a class="plain replay" href=${replay}>${text("Replay")}</a>
      <a
        class="plain sheet"
        href=${inLanguage(`/api/nights/${number}/sheet`)}
        download="night-${number}.jsonl"
        >${text("Score sheet")}</a
      >
      ${open ? toTable : nothing}
    </p>
    ${isPaired() && !open && !COLLECTS ? changesView(night) : nothing}
  </li>`;
}

/** The controls that name, date or delete a night that is over. @param {ListedNight} night */
function changesView(night) {
  const remove = () => remark({ about: "night-deleted", night: night.number, deleted: true });
  return html`<details>
    <summary>${text("Name, date or delete")}</summary>
    ${renameForm(night)} ${redateForm(night)}
    <p class="row">${pushButton(text("Delete from the list"), remove, { class: "soft delete" })}</p>
  </details>`;
}

/** @param {ListedNight} night */
function renameForm({ number, name }) {
  /** @param {SubmitEvent} event */
  const rename = (event) =>
    remark({ about: "night-name", night: number, name: formValues(event)["name"] ?? "" });
  return html`<form class="row rename" @submit=${rename}>
    <label>
      ${text("Name of this night")}
      <input name="name" maxlength="100" autocomplete="off" .value=${name ?? ""} />
    </label>
    <button class="soft">${text("Save")}</button>
  </form>`;
}

/** @param {ListedNight} night */
function redateForm({ number, started_ms: started }) {
  /** @param {SubmitEvent} event */
  const redate = (event) => {
    const began = msOfMinute(formValues(event)["began"] ?? "");
    return remark({
      about: "night-date",
      night: number,
      began_ms: Number.isNaN(began) ? null : began,
    });
  };
  return html`<form class="row redate" @submit=${redate}>
    <label>
      ${text("When it began (empty: as the clock said)")}
      <input
        name="began"
        type="datetime-local"
        min="2000-01-01T00:00"
        max="2099-12-31T23:59"
        .value=${localMinute(started)}
      />
    </label>
    <button class="soft">${text("Save")}</button>
  </form>`;
}

/** A night that was deleted from the list.
 * @param {ListedNight} night */
function deletedView({ number, summary }) {
  const takeBack = () => remark({ about: "night-deleted", night: number, deleted: false });
  return html`<li data-deleted=${number}>
    <p>${summary}</p>
    ${pushButton(text("Restore"), takeBack)}
  </li>`;
}

/** A night of computer players, which does not count.
 * @param {ListedNight} night */
const botsView = ({ number, summary, result }) =>
  html`<li data-bots=${number}>
    <p>${summary} ${result}</p>
    <p class="row">
      <a class="plain" href=${at(`/nights/${number}#1`)}>${text("Replay")}</a>
      ${
        isPaired()
          ? pushButton(
              text("Count this night"),
              () => remark({ about: "night-of-bots", night: number, bots: false }),
              { class: "soft count" },
            )
          : nothing
      }
    </p>
  </li>`;

/** @param {"bots" | "deleted"} id @param {string} label @param {unknown[]} items */
const folded = (id, label, items) =>
  items.length
    ? html`<details id=${id}>
        <summary>${fill(label, { count: items.length })}</summary>
        <ul class="gone">
          ${items}
        </ul>
      </details>`
    : nothing;

/** Backups, for paired phones. @param {string} said the outcome of the last one */
function showBackup(said = "") {
  const about = html`<p class="about">
    ${text(
      "A backup contains all nights, the configuration and your own rulesets. Keep it on another device. If it is larger than 4 MiB, restore it on the board’s own computer.",
    )}
  </p>`;
  const links = html`<p class="row">
    <a class="soft" href=${inLanguage("/api/backup")} download>${text("Download a backup")}</a>
    <label class="soft"
      >${text("Restore a backup")}
      <input class="quiet" type="file" accept=".zip,application/zip" @change=${restore} />
    </label>
  </p>`;
  const content = html`<section class="card">
    <h2>${text("Backup")}</h2>
    ${about} ${links}
    <p role="status">${said}</p>
  </section>`;
  render(content, byId("backup"));
}

/** Sends the chosen file. @param {Event} event */
async function restore(event) {
  const input = targetOf(event, HTMLInputElement);
  const [file] = input.files ?? [];
  if (!file) return;
  showBackup(text("Checking the backup…"));
  const headers = { "Content-Type": "application/zip" };
  const options = { file, headers, timeoutMs: UPLOAD_MS };
  const answer = await request("POST", "/api/restore", options);
  input.value = "";
  showBackup(
    answer?.status === 200
      ? ntext(
          "The backup with {count} night is intact. To restore it, switch the board and its computer off and on again. The nights of now are set aside, not deleted. Afterwards, phones have to be paired again.",
          "The backup with {count} nights is intact. To restore it, switch the board and its computer off and on again. The nights of now are set aside, not deleted. Afterwards, phones have to be paired again.",
          { count: answer.json.nights },
        )
      : reason(answer),
  );
}

async function load() {
  const answer = await request("GET", "/api/state");
  document.body.toggleAttribute("data-paired", answer?.json?.pairing?.paired ?? false);
  if (isPaired()) showBackup();
  await showNights();
}

addEventListener("pageshow", (event) => {
  if (event.persisted) void showNights();
});
void load().finally(revealPage);
