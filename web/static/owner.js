// @ts-check
// Whose phone it is: what the browser keeps of that, and the button that says and asks it.

import { html, nothing, render } from "./vendor/lit-html.js";
import { closeDialog } from "./dialog.js";
import { byId, kindById } from "./elements.js";
import { parse, request } from "./requests.js";
import { OWNER, remember, stored } from "./storage.js";
import { text } from "./texts.js";
import { isBetweenNights, pushButton } from "./views.js";

/** @import { PairingAnswer, SeatRow, StateAnswer } from "../types" */
/** @import { Store } from "./store.js" */
/** Whose phone it is: nobody's yet, the table's, or a person's, who may have another seat tonight.
 * @typedef {{ask?: boolean, table?: boolean, name?: string, night?: number | null, seat?: number}}
 *   Owner */

const LONGEST_LABEL = 40; // of a paired phone

/** After pairing, the phone asks whose it is. */
export const askForOwner = () => stored(OWNER) ?? remember(OWNER, JSON.stringify({ ask: true }));

/** What the phone's owner is called, if it belongs to somebody. */
export const ownerName = () => readOwner().name;

/** @returns {Owner} */
const readOwner = () => /** @type {Owner} */ (parse(stored(OWNER) ?? "{}") ?? {});

/** What people see of a name. Names are compared by it (RULES.md 3). @param {string} [name] */
export const sight = (name = "") =>
  name
    .replace(/\p{Default_Ignorable_Code_Point}/gu, "")
    .normalize("NFC")
    .trim();

/** Whether this phone takes part in a night. @param {StateAnswer} state */
const isAtTable = (state) => state.pairing.paired && !isBetweenNights(state);

/** Follows whose phone this is, from night to night. */
function createIdentity() {
  let owner = readOwner();

  /** @param {Owner} next */
  function keep(next) {
    owner = next;
    remember(OWNER, JSON.stringify(next));
  }

  /** The row of the owner's seat tonight. @param {StateAnswer} state */
  function rowOf({ night, rows, bots }) {
    const { name, seat } = owner;
    const here = rows.filter(({ place }) => place !== null);
    // A seat among computer players is the owner's only as long as it has their name.
    if (bots) return here.find((row) => sight(row.name) === sight(name)) ?? null;
    const own = here.find((row) =>
      owner.night === night && seat ? row.seat === seat : sight(row.name) === sight(name),
    );
    // A new night, or a new name.
    if (own && (owner.night !== night || own.name !== name)) {
      keep({ name: own.name, night, seat: own.seat });
    }
    return own ?? null;
  }

  /** Reads what other parts of the page have found out. @param {StateAnswer} state */
  function refresh({ bots }) {
    const kept = readOwner();
    if ((kept.ask && !owner.ask) || (bots && kept.name !== owner.name)) owner = kept;
  }

  return { get: () => owner, keep, rowOf, refresh };
}

/**
 * Whose phone this is: its seat, its stack, and a sign when it is that person's turn.
 * @param {Store} store
 */
export function createOwner(store) {
  const identity = createIdentity();
  let open = false;

  const isAsking = () => open || Boolean(identity.get().ask);

  /** @param {Owner} next */
  function choose(next) {
    open = false;
    identity.keep(next);
    store.set();
    void namePhone(next);
  }

  store.subscribe(({ state }) => {
    identity.refresh(state);
    const atTable = isAtTable(state);
    const row = atTable ? identity.rowOf(state) : null;
    // Computer players have no phones.
    const known = atTable && Boolean(row || !state.bots);
    const asks = known && isAsking();
    byId("me").hidden = !known;
    const { table } = identity.get();
    render(buttonView(row, Boolean(table)), byId("me"));
    byId("who").hidden = !asks;
    const choices = asks ? chooserView(state, row, Boolean(table), choose) : nothing;
    render(choices, byId("who"));
  });

  byId("me").addEventListener("click", () => {
    open = true;
    closeDialog(kindById("menu", HTMLDialogElement));
    store.set();
  });

  return {
    /** What the phone's owner is to do now, if anything. @param {StateAnswer} state */
    task: (state) => (isAtTable(state) ? (identity.rowOf(state)?.task ?? null) : null),
    /** The seat of the phone's owner, if they are at the table. @param {StateAnswer} state */
    seat: (state) => identity.rowOf(state)?.seat ?? null,
  };
}

/** @param {SeatRow | null} row @param {boolean} isTables */
function buttonView(row, isTables) {
  if (row) {
    return html`${text("{name}’s phone", { name: row.name })} <small>${text("change")}</small>`;
  }
  return html`<span>${isTables ? text("The table’s phone") : text("Who are you?")}</span>`;
}

/** Says in the list of paired phones whose this one is, unless somebody has named it otherwise.
 * @param {Owner} owner */
async function namePhone({ name }) {
  const answer = await request("GET", "/api/pairings");
  /** @type {PairingAnswer[]} */
  const pairings = answer?.status === 200 ? answer.json : [];
  const own = pairings.find((pairing) => pairing.this);
  if (!own?.device || !(own.label === own.device || own.label.endsWith(`(${own.device})`))) return;
  const phone = name === undefined ? text("The table’s phone") : text("{name}’s phone", { name });
  const whole = text("{phone} ({device})", { phone, device: own.device });
  const label = whole.length > LONGEST_LABEL ? phone.slice(0, LONGEST_LABEL) : whole;
  await request("PATCH", `/api/pairings/${own.number}`, { body: { label } });
}

/** @param {StateAnswer} state @param {SeatRow | null} own @param {boolean} isTables
 * @param {(owner: Owner) => void} choose */
function chooserView({ night, rows }, own, isTables, choose) {
  /** @param {boolean} chosen @param {Owner} next @param {string} label */
  const pick = (chosen, next, label) =>
    pushButton(label, () => choose(next), {
      class: "pick",
      "data-owner": next.seat ?? "table",
      "aria-pressed": String(chosen),
    });
  return html`<h3>${text("Who are you?")}</h3>
    <div class="picks">
      ${rows
        .filter(({ place }) => place !== null)
        .map(({ seat, name }) => pick(seat === own?.seat, { name, night, seat }, name))}
      ${pick(isTables, { table: true }, text("The table’s phone"))}
    </div> `;
}
