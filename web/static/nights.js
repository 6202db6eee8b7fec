// @ts-check
// All nights, the newest first.

import { html, nothing, render } from "./vendor/lit-html.js";
import { byId, formValues, revealPage, targetOf } from "./elements.js";
import { at, inLanguage, reason, request } from "./requests.js";
import { oneAtATime } from "./taps.js";
import { localMinute, longDate, msOfMinute, text } from "./texts.js";
import { pushButton } from "./views.js";

/** @import { ListedNight, StateAnswer } from "../types" */

/**
 * What a paired phone may change.
 * @typedef {object} Changes
 * @property {boolean} allowed
 * @property {number | null} doubtful the night that is about to be deleted
 * @property {(night: number | null) => void} doubt
 * @property {(body: object) => unknown} remark
 */

const UPLOAD_MS = 60_000;
const COLLECTS = "collects" in document.body.dataset; // the nights of boards elsewhere

/** The list, which a paired phone may change. */
function createList() {
  let paired = false;
  /** The night that is about to be deleted. */
  /** @type {number | null} */
  let doubtful = null;
  let asked = 0; // so often
  let drawn = 0; // the latest answer

  /** @param {number | null} night */
  function doubt(night) {
    doubtful = night;
    void showNights();
  }

  // Under a double tap would be the next night.
  const remark = oneAtATime(async (/** @type {object} */ body) => {
    const answer = await request("POST", "/api/remarks", { body });
    doubtful = null;
    await showNights(answer?.status === 204 ? "" : reason(answer));
  });

  /** @param {string} said why the last change was refused */
  async function showNights(said = "") {
    const number = ++asked;
    const answer = await request(
      "GET",
      paired ? "/api/nights?bots=1&deleted=1" : "/api/nights?bots=1",
    );
    if (number < drawn) return;
    drawn = number;
    /** @type {ListedNight[]} */
    const all = answer?.status === 200 ? answer.json : [];
    /** @param {ListedNight["section"]} wanted */
    const among = (wanted) => all.filter(({ section }) => section === wanted);
    const nights = among("nights");
    /** @type {Changes} */
    const changes = { allowed: paired, doubtful, doubt, remark };
    /** @param {(night: ListedNight, changes: Changes) => unknown} view */
    const each = (view) => (/** @type {ListedNight} */ night) => view(night, changes);
    const failed = html`<p class="card">${reason(answer)} <a href="">${text("try_again")}</a></p>`;
    const toTable = html`<a href=${at("/")}>${text("nights.to_table")}</a>`;
    const none = COLLECTS
      ? html`<p class="card">${text("nights.none_arrived")}</p>`
      : html`<p class="card">${text("nights.none")} ${toTable}</p>`;
    const list = html`<ul class="nights">
      ${nights.map(each(nightView))}
    </ul>`;
    const content = [
      html`<h2>${text("nights.title")}</h2>`,
      said ? html`<p class="card" role="alert">${said}</p>` : nothing,
      all.length ? list : none,
      folded("bots", among("bots").map(each(botsView))),
      folded("deleted", among("deleted").map(each(deletedView))),
    ];
    render(answer?.status === 200 ? content : failed, byId("nights"));
    document.title = text("title.now", { what: text("nights.listed", { count: nights.length }) });
  }

  function allowChanges() {
    paired = true;
    return showNights();
  }

  return { show: showNights, allowChanges };
}

/** @param {ListedNight} night @param {Changes} changes */
function nightView(night, changes) {
  const { number, name, started_ms: started, status, winners, result, summary } = night;
  const replay = at(`/nights/${number}#1`);
  const toTable = html`<a class="plain" href=${at("/")}>${text("nights.to_table")}</a>`;
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
      <a class="plain replay" href=${replay}>${text("nights.replay")}</a>
      <a
        class="plain sheet"
        href=${inLanguage(`/api/nights/${number}/sheet`)}
        download="night-${number}.jsonl"
        >${text("nights.sheet")}</a
      >
      ${open ? toTable : nothing}
    </p>
    ${changes.allowed && !open && !COLLECTS ? changesView(night, changes) : nothing}
  </li>`;
}

/** What may be said about a night that is over.
 * @param {ListedNight} night @param {Changes} changes */
function changesView(night, changes) {
  const { number } = night;
  const { doubtful, doubt } = changes;
  return html`<details>
    <summary>${text("nights.more")}</summary>
    ${renameForm(night, changes)} ${redateForm(night, changes)}
    <p class="row">
      ${pushButton(text("nights.delete"), () => doubt(number), { class: "soft delete" })}
    </p>
    ${doubtful === number ? deleteQuestion(number, changes) : nothing}
  </details>`;
}

/** @param {ListedNight} night @param {Changes} changes */
function renameForm({ number, name }, { remark }) {
  /** @param {SubmitEvent} event */
  const rename = (event) =>
    remark({ about: "night-name", night: number, name: formValues(event)["name"] ?? "" });
  return html`<form class="row rename" @submit=${rename}>
    <label>
      ${text("nights.name")}
      <input name="name" maxlength="100" autocomplete="off" .value=${name ?? ""} />
    </label>
    <button class="soft">${text("nights.save")}</button>
  </form>`;
}

/** @param {ListedNight} night @param {Changes} changes */
function redateForm({ number, started_ms: started }, { remark }) {
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
      ${text("nights.began")}
      <input
        name="began"
        type="datetime-local"
        min="2000-01-01T00:00"
        max="2099-12-31T23:59"
        .value=${localMinute(started)}
      />
    </label>
    <button class="soft">${text("nights.save")}</button>
  </form>`;
}

/** @param {number} number of the night @param {Changes} changes */
function deleteQuestion(number, { remark, doubt }) {
  const remove = () => remark({ about: "night-deleted", night: number, deleted: true });
  return html`<p>${text("nights.delete_sure", { number })}</p>
    <p class="row">
      ${pushButton(text("nights.delete"), remove, { class: "soft delete-sure" })}
      ${pushButton(text("cancel"), () => doubt(null))}
    </p>`;
}

/** A night that was deleted from the list.
 * @param {ListedNight} night @param {Changes} changes */
function deletedView({ number, summary }, { remark }) {
  const takeBack = () => remark({ about: "night-deleted", night: number, deleted: false });
  return html`<li data-deleted=${number}>
    <p>${summary}</p>
    ${pushButton(text("nights.restore_night"), takeBack)}
  </li>`;
}

/** A night of computer players, which does not count.
 * @param {ListedNight} night @param {Changes} changes */
const botsView = ({ number, summary, result }, { allowed, remark }) =>
  html`<li data-bots=${number}>
    <p>${summary} ${result}</p>
    <p class="row">
      <a class="plain" href=${at(`/nights/${number}#1`)}>${text("nights.replay")}</a>
      ${
        allowed
          ? pushButton(
              text("nights.count"),
              () => remark({ about: "night-of-bots", night: number, bots: false }),
              { class: "soft count" },
            )
          : nothing
      }
    </p>
  </li>`;

/** @param {"bots" | "deleted"} id @param {unknown[]} items */
const folded = (id, items) =>
  items.length
    ? html`<details id=${id}>
        <summary>${text(`nights.${id}`, { count: items.length })}</summary>
        <ul class="gone">
          ${items}
        </ul>
      </details>`
    : nothing;

/** Backups, for paired phones. @param {string} said the outcome of the last one */
function showBackup(said = "") {
  const about = html`<p class="about">${text("backup.about")}</p>`;
  const links = html`<p class="row">
    <a class="soft" href=${inLanguage("/api/backup")} download>${text("backup.download")}</a>
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
  const input = targetOf(event, HTMLInputElement);
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

/** What only paired phones may do. @param {ReturnType<typeof createList>} list */
async function offerBackup(list) {
  const answer = await request("GET", "/api/state");
  /** @type {StateAnswer | null} */
  const state = answer?.status === 200 ? answer.json : null;
  if (!state?.pairing.paired) return;
  showBackup();
  await list.allowChanges();
}

const list = createList();
addEventListener("pageshow", (event) => {
  if (event.persisted) void list.show();
});
void Promise.all([list.show(), offerBackup(list)]).finally(revealPage);
