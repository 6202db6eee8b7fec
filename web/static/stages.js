// @ts-check
// What the sheet at the lower edge offers in each stage of a deal. A phone that belongs to somebody
// offers what its owner may do, and what is for others one tap further away; the table's phone
// offers everything, and the plates are tapped for whom it is.

import { html, nothing } from "./vendor/lit-html.js";
import { SPACE, actionsOf } from "./actions.js";
import { betStage } from "./betting.js";
import { countStage } from "./counting.js";
import { meldStage, trumpStage } from "./melding.js";
import { showdownStage } from "./showdown.js";
import { text } from "./texts.js";
import { pushButton } from "./views.js";

/** @import * as Api from "../types" */
/** @import { Stage, Tools } from "./actions.js" */

/** @param {Tools} tools @returns {Stage & {view: unknown}} */
export function stageOf(tools) {
  const { own, draft } = tools;
  const stage = ofPhase({ ...tools, own: draft.others ? null : own });
  const { controls = nothing, row = [] } = stage;
  const others = (stage.others ?? []).filter((seat) => seat !== own);
  const isDue = own !== null && !draft.others && others.length > 0;
  const full = isDue ? withButton(row, othersButton(tools, others)) : row;
  const lowest = full.length ? html`<div class="row">${full}</div>` : nothing;
  return { ...stage, view: html`${controls} ${lowest}` };
}

/** @param {readonly unknown[]} row @param {unknown} button takes the place of a space */
function withButton(row, button) {
  const at = row.lastIndexOf(SPACE);
  return at < 0 ? [...row, button] : row.map((one, i) => (i === at ? button : one));
}

/** @param {Tools} tools @param {readonly number[]} seats */
function othersButton({ state, edit }, seats) {
  const [first, ...more] = seats;
  const name = more.length ? undefined : state.names[first ?? 0];
  return pushButton(
    name === undefined ? text("For others") : text("For {name}", { name }),
    () => edit({ others: true, seat: null }),
    { class: "soft whom", "data-others": "" },
  );
}

/** Which command makes a stage, the first that would be accepted.
 * @type {readonly [keyof Api.Actions, (tools: Tools, actions: Api.Actions) => Stage][]} */
const STAGES = [
  ["turn", trumpStage],
  ["claim", meldStage],
  ["next", meldStage],
  ["stake", betStage],
  ["showdown", showdownStage],
  ["settle", countStage],
  ["out", playStage],
  ["go", playStage],
  ["deal", dealStage],
  ["rebuy", dealStage],
];

/** @param {Tools} tools @returns {Stage} */
function ofPhase(tools) {
  const { phase, trump } = tools.state;
  // It is asked once; in later stages only whoever asks for it is.
  const asksNow = tools.draft.asksTrump ?? (phase === "meld" && !trump);
  const actions = actionsOf(tools.state);
  const due = STAGES.find(([name]) => actions[name] && (name !== "turn" || asksNow));
  return due ? due[1](tools, actions) : {};
}

/** Between deals: whoever is short of chips buys in, or the next deal begins.
 * @param {Tools} tools @param {Api.Actions} actions @returns {Stage} */
function dealStage({ state, own, commandButton, openForm }, { deal, rebuy, end }) {
  const short = Object.entries(rebuy?.short ?? {}).map(([seat, label]) => ({
    seat: Number(seat),
    label: Number(seat) === own ? rebuy?.own : label,
  }));
  const dealer = state.dealer ?? 0;
  const isMine = own === null || own === dealer;
  const kind = deal ? "soft" : "main";
  const buys = short
    .filter(({ seat }) => isMine || seat === own)
    .map((one) =>
      commandButton({ do: "rebuy", seat: one.seat, chips: rebuy?.chips }, one.label, { kind }),
    );
  const endButton = pushButton(end?.label, () => openForm("end"), {
    "data-end": "",
    "aria-haspopup": "dialog",
  });
  const dealButton = deal ? commandButton({ do: "deal" }, deal.label) : SPACE;
  return {
    controls: html`<div class="tiles wide" ?hidden=${!buys.length}>${buys}</div>`,
    row: isMine ? [end ? endButton : SPACE, dealButton] : [SPACE, SPACE],
    others: isMine ? short.map(({ seat }) => seat) : [dealer],
  };
}

/** The cards are played: who played the last one, of a run or of a hand.
 * @param {Tools} tools @param {Api.Actions} actions @returns {Stage} */
function playStage(tools, { out, go }) {
  const { own, state, send } = tools;
  const seats = out?.seats ?? go?.seats ?? [];
  if (own !== null) {
    return {
      facts: text("Tap here when you have played your last card."),
      row: [playButton(tools, "go", own), playButton(tools, "out", own)],
      others: seats,
    };
  }
  if (out && go) return playOfSeat(tools, seats);
  const command = out ? "out" : "go";
  return {
    facts: out
      ? text("Tap the name of whoever plays their last card.")
      : text("Tap who has played the last card of a run, or of the hand."),
    choice: { seats: state.live, command, choose: (seat) => send({ do: command, seat }) },
  };
}

/** The name first, where two things may be said of it.
 * @param {Tools} tools @param {readonly number[]} seats @returns {Stage} */
function playOfSeat(tools, seats) {
  const { state, draft, edit } = tools;
  const { seat } = draft;
  const view = (/** @type {"go" | "out"} */ command) =>
    seat === null ? SPACE : playButton(tools, command, seat);
  return {
    ask:
      seat === null
        ? undefined
        : text("What has {name} played?", { name: state.names[seat] ?? "" }),
    facts:
      seat === null ? text("Tap who has played the last card of a run, or of the hand.") : nothing,
    row: [view("go"), view("out")],
    choice: {
      seats,
      chosen: seat === null ? [] : [seat],
      choose: (one) => edit({ seat: one === seat ? null : one }),
    },
  };
}

const PLAYED = { go: text("The last card of a run"), out: text("The last card!") };

/** @param {Tools} tools @param {"go" | "out"} command @param {number} seat */
function playButton({ state, own, commandButton }, command, seat) {
  const action = actionsOf(state)[command];
  if (!action) return SPACE;
  const label = seat === own ? action.own : PLAYED[command];
  return commandButton({ do: command, seat }, label, { kind: command === "out" ? "main" : "soft" });
}
