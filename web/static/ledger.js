// @ts-check
// The ledger of the night on the table's page.

import { html, nothing, render } from "./vendor/lit-html.js";
import { at, request } from "./requests.js";
import { clockTime, text } from "./texts.js";
import { createBackoff } from "./time.js";
import { pushButton } from "./views.js";

/** @import { EntryAnswer, StateAnswer } from "../types" */

const FIRST_ENTRIES = 30;
const FETCH_AGAIN_MS = 300;
const LONGEST_AGAIN_MS = 5_000;

/**
 * The ledger of the night in sentences, newest first: fetched as it grows, older entries on
 * request.
 * @param {HTMLElement} host
 * @param {(number: number) => void} correct opens the dialog that corrects an entry
 */
export function createLedger(host, correct) {
  const list = createList(correct);
  const story = createEntries(show);
  /** @type {readonly number[]} */
  let takenBack = [];
  let correctableFrom = Infinity;

  /** @param {StateAnswer} state */
  async function follow(state) {
    if (state.night !== story.night()) {
      story.begin(state.night, state.entry);
      list.clear();
    }
    takenBack = state.taken_back;
    correctableFrom = (state.pairing.paired && state.correctable_from) || Infinity;
    // Between nights it is shown on request only, until the end of the last one is undone.
    const isWanted = state.phase !== "closed";
    story.grow(state.entry);
    show();
    await story.fetchNew(isWanted);
  }

  function show() {
    const night = story.night();
    const entries = story.entries();
    host.hidden = night === null;
    list.show(entries, takenBack, correctableFrom);
    const more = text(entries.length ? "Show everything" : "Show all of this night");
    const button = pushButton(more, story.fetchAll, { class: "plain" });
    render(
      html`<h2>${text("What happened")}</h2>
        ${list.element} ${story.isComplete() ? nothing : button}
        <a class="plain" href=${at(`/nights/${night}`)}
          >${text("Replay this night entry by entry")}</a
        >`,
      host,
    );
  }

  return { show: follow };
}

/** The latest entries of a night, and the others once they are asked for.
 * @param {() => void} onFetched */
function createEntries(onFetched) {
  const backoff = createBackoff(FETCH_AGAIN_MS, LONGEST_AGAIN_MS);
  /** @type {number | null} */
  let night = null;
  /** @type {EntryAnswer[]} */
  let entries = [];
  let first = 0; // entries up to this one are not fetched
  let newest = 0;
  let wanted = true;
  let hasAll = false; // everything has been asked for
  let fetching = false;
  let timer = 0;

  const lastFetched = () => entries.at(-1)?.number ?? first;

  async function fetchNew(isWanted = false) {
    wanted ||= isWanted;
    if (fetching || night === null || !wanted || lastFetched() >= newest) return;
    fetching = true;
    const last = await fetchAfter(lastFetched());
    fetching = false;
    if (last) backoff.reset();
    // The night has gone on meanwhile, or there was no answer.
    clearTimeout(timer);
    if (lastFetched() < newest) timer = setTimeout(fetchNew, backoff.nextMs());
  }

  /** Returns the number of the last entry received. @param {number} after */
  async function fetchAfter(after) {
    const asked = night;
    const answer = await request("GET", `/api/nights/${asked}/entries?after=${after}`);
    if (answer?.status !== 200 || asked !== night) return 0;
    /** @type {EntryAnswer[]} */
    const fetched = answer.json;
    const known = new Map([...entries, ...fetched].map((entry) => [entry.number, entry]));
    const sorted = [...known.values()].sort((a, b) => a.number - b.number);
    entries = hasAll ? sorted : sorted.slice(-FIRST_ENTRIES);
    onFetched();
    return fetched.at(-1)?.number ?? 0;
  }

  return {
    night: () => night,
    entries: () => entries,
    isComplete: () => entries[0]?.number === 1 || !newest,
    /** @param {number | null} next @param {number} entry the latest one */
    begin(next, entry) {
      night = next;
      entries = [];
      hasAll = wanted = false;
      first = Math.max(0, entry - FIRST_ENTRIES);
    },
    /** @param {number} entry the latest one */
    grow: (entry) => void (newest = entry),
    fetchNew,
    async fetchAll() {
      wanted = hasAll = true;
      first = 0;
      let after = 0;
      // Long answers come in parts.
      while (after < newest) {
        const last = await fetchAfter(after);
        if (last <= after) return;
        after = last;
      }
    },
  };
}

/** The list of entries. A line is kept, so that its postings stay open when others are added.
 * @param {(number: number) => void} correct */
function createList(correct) {
  const element = document.createElement("ol");
  element.id = "ledger";
  element.className = "ledger";
  element.reversed = true;
  /** @type {Map<number, HTMLLIElement>} */
  const lines = new Map();

  /** @param {EntryAnswer} entry @param {boolean} struck @param {boolean} correctable */
  function lineOf(entry, struck, correctable) {
    const line = lines.get(entry.number) ?? document.createElement("li");
    if (!lines.has(entry.number) || line.classList.contains("correctable") !== correctable) {
      render(entryView(entry, correctable ? correct : null), line);
    }
    lines.set(entry.number, line);
    line.classList.toggle("correctable", correctable);
    line.dataset["entry"] = String(entry.number);
    line.classList.toggle("struck", struck);
    return line;
  }

  return {
    element,
    clear: () => lines.clear(),
    /** @param {readonly EntryAnswer[]} entries @param {readonly number[]} takenBack
     * @param {number} correctableFrom */
    show(entries, takenBack, correctableFrom) {
      const newestFirst = [...entries].reverse();
      const newLines = newestFirst.map((entry) => {
        const struck = takenBack.includes(entry.number);
        const correctable = !struck && entry.correctable && entry.number >= correctableFrom;
        return lineOf(entry, struck, correctable);
      });
      // None that is in its place is moved: it would lose the focus.
      newLines.forEach((line, i) => {
        const there = element.children[i] ?? null;
        if (there !== line) element.insertBefore(line, there);
      });
      while (element.children.length > newLines.length) element.lastChild?.remove();
    },
  };
}

/** @param {EntryAnswer} entry @param {((number: number) => void) | null} correct */
function entryView({ number, time_ms: time, sentence, posting_rows: postings }, correct) {
  const line = html`<time>${clockTime(time)}</time> <span class="sentence">${sentence}</span>`;
  if (!postings.length && !correct) return html`<p>${line}</p>`;
  return html`<details>
    <summary>${line}</summary>
    <table>
      ${postings.map(
        ({ name, text: chips }) =>
          html`<tr>
            <td>${name}</td>
            <td>${chips}</td>
          </tr>`,
      )}
    </table>
    ${
      correct
        ? pushButton(text("Correct or add …"), () => correct(number), {
            class: "plain",
            "data-correct": number,
          })
        : nothing
    }
  </details>`;
}
