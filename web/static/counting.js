// @ts-check
// The cards left in each hand. What a phone enters is on every phone at once, and the last count
// settles the deal.

import { html, nothing } from "./vendor/lit-html.js";
import { SPACE } from "./actions.js";
import { ntext, text } from "./texts.js";
import { pushButton } from "./views.js";

/** @import * as Api from "../types" */
/** @import { Stage, Tools } from "./actions.js" */
/** @import { Choice } from "./plates.js" */

const DOUBLE_TAP_MS = 400;
const SOFT = { kind: "soft" };
const MOST_SHOWN = 6; // more cards than these are rarely left

/** The seat whose cards are entered next: the first that is not counted.
 * @param {readonly Api.CardCount[]} counts @param {number} [besides] which is being entered now */
export const seatToCount = (counts, besides) =>
  counts.find(({ seat, cards }) => cards === null && seat !== besides)?.seat ?? null;

/** The last run of a deal is rarely remembered when the cards are counted.
 * @param {Tools} tools @param {Api.Actions["go"]} go */
function goButton({ own, draft, edit, commandButton }, go) {
  if (!go) return SPACE;
  if (own !== null) return commandButton({ do: "go", seat: own }, go.own, SOFT);
  return pushButton(text("Who ended the last run?"), () => edit({ run: !draft.run }), {
    "data-run": "",
    "aria-pressed": String(draft.run),
  });
}

/** Whose cards are counted, or who ended the last run.
 * @param {Tools} tools @param {readonly Api.CardCount[]} counts @param {number | null} seat
 * @returns {Choice} */
function choiceOf({ own, draft, edit, send, state }, counts, seat) {
  if (draft.run) {
    return {
      seats: state.live,
      command: "go",
      choose: (one) => send({ do: "go", seat: one }),
    };
  }
  return {
    seats: own === null ? counts.map((one) => one.seat) : [],
    chosen: seat === null ? [] : [seat],
    choose: (one) => edit({ seat: one }),
  };
}

/** A person's phone asks for the owner's cards.
 * @param {Tools} tools @param {Api.Actions} actions @returns {Stage} */
export function countStage(tools, { settle, go }) {
  if (!settle) return {};
  const { title, label, counts } = settle;
  const { state, own, draft, commandButton } = tools;
  const seat = own ?? draft.seat ?? seatToCount(counts);
  const count = counts.find((one) => one.seat === seat);
  const nameOf = (/** @type {number | null} */ one) => state.names[one ?? 0] ?? "";
  const name = nameOf(count?.seat ?? null);
  const cards = Object.fromEntries(counts.map((one) => [one.seat, one.cards]));
  const unpaid = counts.flatMap((one) => one.unpaid ?? []);
  const isComplete = counts.every((one) => one.cards !== null);
  const settleButton = isComplete ? commandButton({ do: "settle", cards }, label) : SPACE;
  return {
    ask: count && own === null ? text("How many cards does {name} have left?", { name }) : title,
    facts: unpaid.length
      ? unpaid.join(" ")
      : text("{name} gets a chip for each card left.", { name: nameOf(state.winner) }),
    controls: count && padView(tools, counts, count, name),
    row: [goButton(tools, go), settleButton],
    choice: choiceOf(tools, counts, seat),
    others: counts.map((one) => one.seat),
  };
}

/** @param {Tools} tools @param {readonly Api.CardCount[]} counts
 * @param {Api.CardCount} count of the seat that is entered @param {string} name */
function padView({ own, draft, why, edit, enterCount }, counts, count, name) {
  const { seat, most, cards } = count;

  /** @param {number} number */
  function enter(number) {
    const now = performance.now();
    // A double tap must not count for the next seat too.
    if (now - draft.enteredMs < DOUBLE_TAP_MS) return;
    if (number > most)
      return why(
        ntext("{name} was dealt {count} card.", "{name} was dealt {count} cards.", {
          name,
          count: most,
        }),
      );
    // The next seat stays chosen, whatever other phones enter. An owner's phone asks for its own.
    const next = own === null ? seatToCount(counts, seat) : null;
    edit({ seat: next, others: false, enteredMs: now, manyCards: false });
    void enterCount(seat, number);
  }

  const highest = Math.max(...counts.map((one) => one.most));
  const first = draft.manyCards ? MOST_SHOWN + 1 : 1;
  const last = draft.manyCards ? highest : Math.min(MOST_SHOWN, highest);
  const numbers = Array.from({ length: last - first + 1 }, (_, i) => first + i);
  const numberButton = (/** @type {number} */ number) =>
    pushButton(number, () => enter(number), {
      "data-number": number,
      "aria-pressed": String(number === cards),
      "data-dead": number > most,
      "aria-disabled": number > most ? "true" : nothing,
    });
  const more = pushButton("…", () => edit({ manyCards: !draft.manyCards }), {
    "data-more": "",
    "aria-label": text("another number"),
    "aria-pressed": String(draft.manyCards),
  });
  return html`<div
    class="pad"
    role="group"
    aria-label=${text("Cards that {name} has left", { name })}
  >
    ${draft.manyCards ? numberButton(0) : nothing} ${numbers.map(numberButton)} ${more}
  </div>`;
}
