// @ts-check
// The controls of a night in progress: one for each command that would be accepted now.

import { html, nothing } from "./vendor/lit-html.js";
import { render } from "./drawing.js";
import { countControl, seatToCount } from "./counting.js";
import { byId, plainDigits, targetOf } from "./elements.js";
import { meldControls, seatButtons } from "./melding.js";
import { createForms } from "./forms.js";
import { createReferee } from "./referee.js";
import { trumpView } from "./suits.js";
import { fill, text } from "./texts.js";
import { historyButtons, nameView } from "./views.js";

/** @import * as Api from "../types" */
/** @import { FormName, Send } from "./forms.js" */
/** @import { Command } from "./requests.js" */
/** @import { App } from "./store.js" */
/** @typedef {Api.StateAnswer} State */

/**
 * What has been tapped and is not sent yet.
 * @typedef {object} Draft
 * @property {string} stage it is of; the next one begins with an empty draft
 * @property {number | null} seat
 * @property {number | null} chips
 * @property {number[][]} ranking best first, more than one seat for a tie
 * @property {boolean} tie whether the next seat ties with the last one
 * @property {boolean | null} asksCard whether to show the cards that may have been turned up,
 *   if somebody has said
 * @property {boolean} others whether an owner's phone acts for somebody else
 * @property {number} enteredMs when a count was last entered
 */

/**
 * What a control is drawn with.
 * @typedef {object} Tools
 * @property {State} state
 * @property {Draft} draft
 * @property {number | null} own the seat of the person whose phone it is
 * @property {(said: string) => void} why says why a control does nothing now
 * @property {(change: Partial<Draft>) => void} edit
 * @property {SendDraft} send
 * @property {(command: Command, label: unknown, options?: ButtonOptions) => unknown} commandButton
 * @property {(seat: number, cards: number) => Promise<unknown>} enterCount
 * @property {() => void} openReferee
 */
/** Sends what has been tapped; `next` is chosen after it, unless something else is by then.
 * @typedef {(command: Command, refuse?: (message: string) => unknown, next?: Partial<Draft>) =>
 *   Promise<boolean>} SendDraft */
/** @typedef {{kind?: string, dead?: string}} ButtonOptions `dead`: why it does nothing now */

/** Commands that are rarely needed; the button of each opens a form.
 * @type {readonly Exclude<FormName, "both">[]} */
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
const BOTH = ["next", "undo"];
/** What computer players do by themselves, where there are any. */
const BOTS_DO = ["turn", "rebuy", "showdown", "go", "out", "settle"];
/** The daemon times presses itself; a little longer makes sure that it agrees. */
const HOLD_MARGIN_MS = 300;

/** @param {string} stage @returns {Draft} */
const emptyDraft = (stage) => ({
  stage,
  seat: null,
  chips: null,
  ranking: [],
  tie: false,
  asksCard: null,
  others: false,
  enteredMs: -Infinity,
});

/**
 * @param {App} app
 * @param {(tools: Tools) => unknown} viewOf what may be done now
 */
export function createControls(app, viewOf) {
  let draft = emptyDraft("");

  /** @type {SendDraft} */
  async function send(command, refuse, next = {}) {
    const sent = draft;
    const { ok } = await app.sendCommand(command, refuse);
    // What has been tapped since then, perhaps for the next stage, is still to be sent.
    if (ok && draft === sent) draft = { ...emptyDraft(draft.stage), ...next };
    app.update();
    return ok;
  }

  /** @param {Partial<Draft>} change */
  function edit(change) {
    draft = { ...draft, ...change };
    app.update();
  }

  const why = (/** @type {string} */ said) => app.toast(said);
  const commandButton = createCommandButton(send, why);
  const dialogs = createDialogs(app, send);
  const { openReferee } = dialogs;

  /** @param {State} state */
  function show(state) {
    const stage = [state.night, state.deal, state.phase, state.to_act, state.winner].join();
    if (draft.stage !== stage) {
      draft = emptyDraft(stage);
      // It stays chosen when another phone counts it.
      draft.seat = seatToCount(state.actions.settle?.counts ?? []);
    }
    const own = app.ownSeat();
    const { enterCount } = app;
    const tools = { state, draft, why, own, edit, send, commandButton, enterCount, openReferee };
    const { paired } = state.pairing;
    // Between nights there is none, so its sign comes with the controls.
    if (state.trump) render(html`· ${trumpView(state.trump)}`, byId("trump"));
    render(nothing, byId("lobby"));
    render(paired ? historyButtons(state.actions, send) : nothing, byId("back"));
    render(paired ? html`<div class="stage">${viewOf(tools)}</div>` : nothing, byId("controls"));
    byId("bar").classList.toggle("for-others", own !== null && draft.others);
    // Where hands are ranked, the referee stands beside it.
    const isInBar = paired && state.actions.showdown;
    const referee = isInBar ? nothing : refereeButton(tools);
    render([referee, paired ? moreView(state, dialogs) : nothing], byId("more"));
    dialogs.show(state);
  }

  return { show };
}

/** The forms of rare commands and the referee.
 * @param {App} app @param {Send} send */
function createDialogs(app, send) {
  const forms = createForms(app, send, () => holdBoth(app, app.state()));
  const referee = createReferee(app);

  return {
    openForm: forms.open,
    // Where they lead to nothing, the board says why.
    tapBoth: () => (app.state().both ? forms.open("both") : holdBoth(app, app.state())),
    openReferee: referee.open,
    /** @param {State} state */
    show(state) {
      referee.show(state);
      forms.show(state);
    },
  };
}

/** What is rarely needed. @param {State} state @param {ReturnType<typeof createDialogs>} dialogs */
const moreView = (state, { openForm, tapBoth }) =>
  html`<div class="more">${formButtons(state, openForm)} ${bothButton(state, tapBoth)}</div>`;

/** @param {(command: Command) => unknown} send @param {(said: string) => void} why
 * @returns {Tools["commandButton"]} */
const createCommandButton =
  (send, why) =>
  (command, label, { kind = "main", dead = "" } = {}) =>
    html`<button
      type="button"
      class=${kind}
      data-command=${command.do}
      data-seat=${command["seat"] ?? nothing}
      data-chips=${command["chips"] ?? nothing}
      ?data-dead=${Boolean(dead)}
      aria-disabled=${dead ? "true" : nothing}
      @click=${() => (dead ? why(dead) : send(command))}
    >
      ${label}
    </button>`;

/** @param {Tools} tools */
function refereeButton({ state: { referee, bots_settle: botsSettle }, openReferee }) {
  if (!referee || botsSettle) return nothing;
  const { question, label } = referee;
  return html`<button type="button" class="soft" data-referee=${question} @click=${openReferee}>
    ${label}
  </button>`;
}

/** What people do. @param {State} state @returns {Api.Actions} */
export const actionsOf = ({ actions, bots_settle: botsSettle }) =>
  botsSettle
    ? Object.fromEntries(Object.entries(actions).filter(([name]) => !BOTS_DO.includes(name)))
    : actions;

/** What is often needed stands above what is rarely needed. @param {Tools} tools */
export function stageControls(tools) {
  const { next, stake, showdown, out, go, settle } = actionsOf(tools.state);
  const controls = [
    dealControls(tools),
    meldControls(tools),
    next && tools.commandButton({ do: "next" }, next.label),
    stake && stakeControl(tools, stake),
    showdown && showdownControl(tools, showdown),
    settle && countControl(tools, settle),
    go && seatControl(tools, "go", go),
    out && seatControl(tools, "out", out),
  ];
  return controls.map((control) => control || nothing);
}

/** Where somebody is short of chips, buying in comes first.
 * @param {Tools} tools */
function dealControls({ state, commandButton }) {
  const { deal, rebuy } = actionsOf(state);
  const kind = deal ? "soft" : "main";
  return [
    rebuy?.short.map(({ seat, label }) =>
      commandButton({ do: "rebuy", seat, chips: rebuy.chips }, label, { kind }),
    ),
    deal ? commandButton({ do: "deal" }, deal.label) : nothing,
  ];
}

/** @param {State} state @param {(form: FormName) => void} open */
function formButtons({ actions }, open) {
  return FORMS.filter((form) => actions[form]).map(
    (form) =>
      html`<button
        type="button"
        class="link"
        data-open=${form}
        aria-haspopup="dialog"
        @click=${() => open(form)}
      >
        ${actions[form]?.label}
      </button>`,
  );
}

/** Holds two buttons of the simulated board, for those who have one finger or a mouse.
 * @param {App} app @param {State} state */
const holdBoth = ({ presses }, { holds }) =>
  void presses.hold(BOTH, holds.both * 1_000 + HOLD_MARGIN_MS);

/** @param {State} state @param {() => void} tap */
function bothButton({ board, both }, tap) {
  if (!board.simulated) return nothing;
  return html`<button
    type="button"
    class="link"
    id="both"
    aria-haspopup=${both ? "dialog" : nothing}
    @click=${tap}
  >
    ${text("board.both")}
  </button>`;
}

/** What the button says for a stake.
 * @param {Pick<Api.StakeAction, "steps" | "need">} action @param {number} chips */
export function stakeLabel({ steps, need }, chips) {
  const step = steps.find(({ least, most }) => least <= chips && chips <= most);
  return fill(step?.label ?? "", { chips, more: chips - need });
}

/** @param {Tools} tools @param {Api.StakeAction} action @param {unknown} [heading] */
export function stakeControl({ state, draft, edit, commandButton }, action, heading) {
  const { seat, name, detail, least, most, usual } = action;
  const within = (/** @type {number} */ chips) => Math.max(least, Math.min(most, chips));
  const chips = within(draft.chips ?? least);
  /** @type {ChipsChoice} */
  const choice = { action, chips, within, choose: (to) => edit({ chips: within(to) }) };
  const { pass } = state.actions;
  const passButton = pass
    ? commandButton({ do: "pass", seat: pass.seat }, pass.label, { kind: "soft" })
    : nothing;
  return html`${heading ?? html`<h3>${name} <small>${detail}</small></h3>`} ${stepperView(choice)}
    ${usual.length ? usualView(choice) : nothing}
    <div class="row">
      ${commandButton({ do: "stake", seat, chips }, stakeLabel(action, chips))} ${passButton}
    </div>`;
}

/**
 * How many chips are to be staked.
 * @typedef {object} ChipsChoice
 * @property {Api.StakeAction} action
 * @property {number} chips
 * @property {(chips: number) => number} within the nearest number that may be staked
 * @property {(chips: number) => void} choose
 */

/** One chip less or more, a number that is typed, the least and the most.
 * @param {ChipsChoice} choice */
function stepperView(choice) {
  const { action, chips } = choice;
  const { least, most, least_label: leastLabel, most_label: mostLabel } = action;
  return html`<div class="stepper">
    ${stepButton(choice, -1, "−", text("stake.less"))} ${chipsTyped(choice)}
    <output id="stake-chips" class="quiet" aria-live="polite">${chips}</output>
    ${stepButton(choice, 1, "+", text("stake.more"))}
    ${least < most ? amountButton(choice, least, leastLabel) : nothing}
    ${amountButton(choice, most, mostLabel)}
  </div>`;
}

/** @param {ChipsChoice} choice @param {-1 | 1} step @param {string} sign @param {string} label */
const stepButton = ({ chips, choose }, step, sign, label) =>
  html`<button
    type="button"
    class="soft"
    data-step=${step}
    aria-label=${label}
    @click=${() => choose(chips + step)}
  >
    ${sign}
  </button>`;

/** @param {ChipsChoice} choice */
function chipsTyped({ action, chips, within, choose }) {
  /** @param {Event} event */
  const fieldOf = (event) => targetOf(event, HTMLInputElement);
  const selectAll = (/** @type {Event} */ event) => fieldOf(event).select();
  /** The first digits of a number may be too small. @param {Event} event */
  function type(event) {
    const typed = Number(plainDigits(fieldOf(event).value));
    if (typed === within(typed)) choose(typed);
  }
  /** What is left in the field is what is staked. @param {Event} event */
  function settleTyped(event) {
    const typed = within(Math.round(Number(plainDigits(fieldOf(event).value))) || chips);
    fieldOf(event).value = String(typed);
    choose(typed);
  }
  return html`<input
    class="typed"
    inputmode="numeric"
    autocomplete="off"
    maxlength=${String(action.most).length}
    aria-label=${text("form.chips")}
    .value=${String(chips)}
    @focus=${selectAll}
    @input=${type}
    @change=${settleTyped}
  />`;
}

/** The stakes that people make most. @param {ChipsChoice} choice */
function usualView(choice) {
  const { action } = choice;
  const { need, usual } = action;
  /** @param {number} chips */
  const label = (chips) =>
    html`<span aria-hidden="true">${need ? `+${chips - need}` : chips}</span>
      <span class="quiet">${stakeLabel(action, chips)}</span>`;
  return html`<div class="usual">
    ${usual.map((chips) => amountButton(choice, chips, label(chips)))}
  </div>`;
}

/** Chooses a number of chips at once.
 * @param {ChipsChoice} choice @param {number} chips @param {unknown} label */
const amountButton = ({ choose }, chips, label) =>
  html`<button type="button" class="soft" data-chips=${chips} @click=${() => choose(chips)}>
    ${label}
  </button>`;

/** The ranking after a tap on a seat: added last, or taken out if it was in.
 * @param {number[][]} ranking @param {number} seat @param {boolean} tie */
export function rankedWith(ranking, seat, tie) {
  if (ranking.flat().includes(seat)) {
    return ranking.map((tied) => tied.filter((one) => one !== seat)).filter((tied) => tied.length);
  }
  const last = ranking.at(-1);
  return tie && last ? [...ranking.slice(0, -1), [...last, seat]] : [...ranking, [seat]];
}

/** A ranking as the command takes it: a seat alone stands for itself.
 * @param {number[][]} ranking */
export const rankingOf = (ranking) => ranking.map((tied) => (tied.length > 1 ? tied : tied[0]));

/** A ranking in words: `1. Anna = Ben   2. Clara`.
 * @param {readonly (readonly number[])[]} ranking @param {Record<string, string>} names */
export const orderOf = (ranking, names) =>
  ranking.map((tied, i) => `${i + 1}. ${tied.map((seat) => names[seat]).join(" = ")}`).join("   ");

/** @param {Tools} tools @param {Api.ShowdownAction} action */
export function showdownControl(tools, action) {
  const { state, draft, edit, send, why, commandButton } = tools;
  const { label, title, hint, seats, tie_label: tieLabel, nobody_label: nobodyLabel } = action;
  const nobodyButton = html`<button
    type="button"
    class="soft"
    data-command="showdown"
    data-nobody
    @click=${() => send({ do: "showdown", ranking: [] })}
  >
    ${nobodyLabel}
  </button>`;
  const { ranking, tie } = draft;
  return html`<h3>${title}</h3>
    ${seatButtons(
      state,
      seats,
      (seat) => edit({ ranking: rankedWith(ranking, seat, tie), tie: false }),
      ranking.flat(),
    )}
    <div class="ranking">
      ${ranking.length ? html`<p class="order">${orderOf(ranking, state.names)}</p>` : nothing}
      ${refereeButton(tools)}
    </div>
    <div class="ranking">
      <button
        type="button"
        class="soft"
        data-tie
        aria-pressed=${tie ? "true" : "false"}
        ?data-dead=${!ranking.length}
        aria-disabled=${ranking.length ? nothing : "true"}
        @click=${() => (ranking.length ? edit({ tie: !tie }) : why(hint))}
      >
        ${tieLabel}
      </button>
      ${action.nobody ? nobodyButton : nothing}
    </div>
    ${commandButton({ do: "showdown", ranking: rankingOf(ranking) }, label, {
      dead: ranking.length ? "" : hint,
    })}`;
}

/** A button for each seat that a command may name.
 * @param {Tools} tools @param {string} command @param {Api.SeatAction} action */
export function seatControl({ state, send }, command, { title, seats }) {
  return html`<h3>${title}</h3>
    <div class="picks">
      ${seats.map(
        (seat) =>
          html`<button
            type="button"
            class="pick"
            data-command=${command}
            data-seat=${seat}
            @click=${() => send({ do: command, seat })}
          >
            ${nameView(state.names[seat])}
          </button>`,
      )}
    </div>`;
}
