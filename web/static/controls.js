// @ts-check
// The sheet of a night in progress: what happened last, what is to be done, and the controls of the
// commands that would be accepted now.

import { html, nothing, render } from "./vendor/lit-html.js";
import { botsSettle } from "./actions.js";
import { seatToCount } from "./counting.js";
import { byId } from "./elements.js";
import { createForms } from "./forms.js";
import { columnsOf, platesView } from "./plates.js";
import { createReferee } from "./referee.js";
import { stageOf } from "./stages.js";
import { trumpView } from "./suits.js";
import { text } from "./texts.js";
import { historyButtons, showTitle, pushButton } from "./views.js";

/** @import * as Api from "../types" */
/** @import { FormName } from "./forms.js" */
/** @import { Command } from "./requests.js" */
/** @import { Draft, SendDraft, Stage, Tools } from "./actions.js" */
/** @import { App } from "./store.js" */
/** @typedef {Api.StateAnswer} State */

/** Commands that are rarely needed; the button of each opens a form.
 * @type {readonly FormName[]} */
const FORMS = [
  "rebuy",
  "join",
  "leave",
  "sit_out",
  "sit_in",
  "rename",
  "dealer",
  "banker",
  "adjust",
  "void",
  "end",
];

/** @param {string} stage @returns {Draft} */
const emptyDraft = (stage) => ({
  stage,
  seat: null,
  chips: null,
  ranking: [],
  tie: false,
  asksTrump: null,
  others: false,
  run: false,
  manyCards: false,
  enteredMs: -Infinity,
});

/** @param {App} app */
export function createControls(app) {
  let draft = emptyDraft("");

  /** @type {SendDraft} */
  async function send(command, refuse, next = {}) {
    const sent = draft;
    const { ok } = await app.sendCommand(command, refuse);
    // What has been tapped since then, perhaps for the next stage, is still to be sent. A panel
    // that was opened for somebody stays open.
    if (ok && draft === sent) draft = { ...empty(draft), ...next };
    app.update();
    return ok;
  }

  /** @param {Draft} now @returns {Draft} */
  const empty = ({ stage, others, asksTrump }) => ({ ...emptyDraft(stage), others, asksTrump });

  /** @param {Partial<Draft>} change */
  function edit(change) {
    draft = { ...draft, ...change };
    app.update();
  }

  const why = (/** @type {string} */ said) => app.toast(said);
  const commandButton = createCommandButton(send, why);
  const forms = createForms(app, send);
  const referee = createReferee(app);

  /** @param {State} state */
  function show(state) {
    const stage = [state.night, state.deal, state.phase, state.to_act, state.winner].join();
    if (draft.stage !== stage) {
      draft = emptyDraft(stage);
      // It stays chosen when another phone counts it.
      draft.seat = seatToCount(state.actions.settle?.counts ?? []);
    }
    const own = app.ownSeat();
    const forOthers = own !== null && draft.others;
    const { paired } = state.pairing;
    const refereeButton = () => refereeView(state, referee.open);
    const { enterCount } = app;
    const doing = { edit, send, why, commandButton, enterCount, refereeButton };
    const shown = stageOf({ state, draft, own, ...doing, openForm: forms.open });
    showHead(state, paired ? edit : null);
    showPlates(state, paired ? shown : null, own);
    showWords(state, shown, forOthers ? null : own);
    showBack(state, forOthers, send, edit);
    render(nothing, byId("lobby"));
    render(paired ? html`<div class="stage">${shown.view}</div>` : nothing, byId("controls"));
    byId("bar").classList.toggle("for-others", forOthers);
    const more = paired ? moreView(state, refereeButton(), forms.open) : refereeButton();
    render(more, byId("more"));
    referee.show(state);
    forms.show(state);
  }

  return { show };
}

/** Trumps, in every stage of a deal; a tap asks for them again, as long as that may be said.
 * @param {State} state @param {((change: Partial<Draft>) => void) | null} edit */
function showHead({ trump, actions }, edit) {
  const asks = () => edit?.({ asksTrump: true });
  const open = pushButton(
    trump ? trumpView(trump) : html`${text("Trumps")} <b class="card-sign">?</b>`,
    asks,
    { class: "ask-trump" },
  );
  const shown = trump ? html`<span class="told">${trumpView(trump)}</span>` : nothing;
  render(actions.turn && edit ? open : shown, byId("trump"));
}

/** @param {State} state @param {Stage | null} stage @param {number | null} own */
function showPlates({ rows }, stage, own) {
  const plates = byId("plates");
  render(platesView(rows, { own, choice: stage?.choice ?? null }), plates);
  plates.dataset["columns"] = String(columnsOf(rows));
  document.body.classList.toggle("many", rows.filter(({ place }) => place !== null).length > 4);
}

/** @param {State} state @param {Stage} stage @param {number | null} own */
function showWords(state, { ask, facts = nothing }, own) {
  const task = state.rows.find(({ seat }) => seat === own)?.task ?? null;
  showTitle(task ?? ask ?? state.guidance.title);
  render(facts, byId("facts"));
  byId("bar").classList.toggle("own-turn", task !== null);
}

/** Undo and redo; while a phone acts for somebody else, the way back is in their place.
 * @param {State} state @param {boolean} forOthers @param {SendDraft} send
 * @param {(change: Partial<Draft>) => void} edit */
function showBack({ actions, pairing }, forOthers, send, edit) {
  const back = pushButton(
    text("Back to me"),
    () => edit({ others: false, seat: null, asksTrump: null }),
    { "data-own": "" },
  );
  const buttons = pairing.paired ? historyButtons(actions, send) : nothing;
  render(forOthers ? back : buttons, byId("back"));
}

/** What is rarely needed. @param {State} state @param {unknown} referee
 * @param {(form: FormName) => void} open */
function moreView({ actions }, referee, open) {
  return html`${FORMS.filter((form) => actions[form]).map((form) =>
    pushButton(actions[form]?.label, () => open(form), {
      "data-open": form,
      "aria-haspopup": "dialog",
      class: nothing,
    }),
  )}
  ${actions.showdown ? nothing : referee}`;
}

/** @param {(command: Command) => unknown} send @param {(said: string) => void} why
 * @returns {Tools["commandButton"]} */
const createCommandButton =
  (send, why) =>
  (command, label, { kind = "main", dead = "" } = {}) =>
    pushButton(label, () => (dead ? why(dead) : send(command)), {
      class: kind,
      "data-command": command.do,
      "data-seat": command["seat"] ?? nothing,
      "data-chips": command["chips"] ?? nothing,
      "data-dead": Boolean(dead),
      "aria-disabled": dead ? "true" : nothing,
    });

/** @param {State} state @param {() => void} open */
function refereeView({ referee, bots }, open) {
  if (!referee || botsSettle(bots)) return nothing;
  return pushButton(referee.label, open, { "data-referee": referee.question });
}
