// @ts-check
// Between nights: who plays where, by which rules, and who deals first. The places and names are
// the same on all phones and on the board. Or bots play.

import { html, nothing, render } from "./vendor/lit-html.js";
import { byId, findAll, targetOf, valueOf, wholeIn } from "./elements.js";
import { createHouseRules } from "./house_rules.js";
import { askForBots } from "./onlooking.js";
import { sight } from "./owner.js";
import { beginPractice } from "./practice.js";
import { at, embedded, reason, request } from "./requests.js";
import { oneAtATime } from "./taps.js";
import { text } from "./texts.js";
import { historyButtons, optionsView, problemView, pushButton } from "./views.js";

/** @import { ListedRuleset, LobbyBody, NewNight, RulesetsAnswer, StateAnswer } from "../types" */
/** @import { App } from "./store.js" */
/** @typedef {{name: string, place: number}} Player */
/** @typedef {Record<string, unknown>} Parameters values by name */

/**
 * The form as it is filled in so far, besides the players.
 * @typedef {object} Draft
 * @property {number | null | undefined} night that the form followed on when it was filled in
 * @property {string} ruleset
 * @property {number | null} drawn the place on which the lot has fallen
 * @property {string} stack as written; empty for the ruleset's own
 * @property {Parameters} options those that differ from the ruleset's
 * @property {string} problem why the night could not be started
 * @property {boolean} changes after a night: whether another one is to be played otherwise
 */

/**
 * What the form is drawn with.
 * @typedef {object} Tools
 * @property {Draft} draft
 * @property {readonly Player[]} players
 * @property {number | null} dealer the place that deals first
 * @property {RulesetsAnswer} listed
 * @property {readonly string[]} earlier names of earlier nights
 * @property {number} places of the board
 * @property {ReturnType<typeof createHouseRules>} houseRules
 * @property {(change: Partial<Draft>) => void} edit
 * @property {ReturnType<typeof createPlayers>} party
 * @property {(event: SubmitEvent) => void} start
 * @property {() => void} drawLots
 * @property {(answer: RulesetsAnswer, chosen: string) => void} saved
 */

const FIRST_LINES = 3;
const TYPING_MS = 300;
/** @type {RulesetsAnswer} */
const NO_RULESETS = {
  rulesets: [],
  problems: [],
  form: [],
  usual: "",
};

/** The lines of the form: those who are in, and empty ones as long as there are few.
 * @param {readonly Player[]} here @param {readonly Player[]} empty that this phone has added
 * @param {number} most places of the board */
export function linesOf(here, empty, most) {
  const lines = [...here];
  for (const line of empty) {
    if (lines.every(({ place }) => place !== line.place)) lines.push(line);
  }
  while (lines.length < Math.min(FIRST_LINES, most)) {
    lines.push({ name: "", place: freePlace(lines, most) });
  }
  return lines.sort((a, b) => a.place - b.place);
}

/** The first place that nobody has, else the last.
 * @param {readonly Player[]} players @param {number} most */
export function freePlace(players, most) {
  const taken = players.map(({ place }) => place);
  return Array.from({ length: most }, (_, i) => i + 1).find((one) => !taken.includes(one)) ?? most;
}

/** Who is in for the next night, as all phones and the board have it. What is being typed here is
 * not overwritten by what was typed before. @param {App} app */
function createPlayers(app) {
  /** The names that are typed and not yet told, by place. @type {Map<number, string>} */
  const typed = new Map();
  /** @type {Player[]} */
  let empty = [];
  let queue = Promise.resolve();
  let timer = 0;

  /** @param {StateAnswer} state */
  function lines({ new_night: next, board }) {
    const here = next?.players ?? [];
    for (const { name, place } of here) {
      if (typed.get(place)?.trim() === name) typed.delete(place); // everybody knows it now
    }
    return linesOf(here, empty, board.places).map(({ name, place }) => ({
      name: typed.get(place) ?? name,
      place,
    }));
  }

  /** @param {LobbyBody} body */
  function tell(body) {
    queue = queue.then(async () => {
      const answer = await request("PUT", "/api/lobby", { body });
      if (answer?.status !== 204) app.toast(reason(answer));
    });
    return queue;
  }

  /** Tells what has been typed. */
  function flush() {
    clearTimeout(timer);
    for (const [place, name] of typed) void tell({ place, name, deals: false });
    return queue;
  }

  return {
    lines,
    flush,
    /** @param {number} place @param {string} name */
    rename(place, name) {
      typed.set(place, name);
      clearTimeout(timer);
      timer = setTimeout(flush, TYPING_MS);
      app.update();
    },
    /** A new line, unless all places are taken; its place. @param {string} [name] */
    add(name = "") {
      const state = app.state();
      const known = lines(state);
      const free = name ? known.find((line) => !line.name.trim()) : undefined;
      const place = free?.place ?? freePlace(known, state.board.places);
      // It is taken at once, for the next name may be tapped before everybody knows this one.
      if (name) typed.set(place, name);
      if (name) void tell({ place, name, deals: false });
      empty.push({ name: "", place });
      app.update();
      return place;
    },
    /** @param {number} place */
    remove(place) {
      typed.delete(place);
      empty = empty.filter((one) => one.place !== place);
      void tell({ place, name: null, deals: false });
      app.update();
    },
    /** Somebody sits elsewhere; whoever is there changes places with them.
     * @param {Player} player @param {number} to */
    async move({ name, place }, to) {
      const other = lines(app.state()).find((one) => one.place === to);
      await flush();
      empty = empty.filter((one) => one.place !== place);
      // A name stands at one place at a time.
      await tell({ place, name: null, deals: false });
      await tell({ place: to, name, deals: false });
      if (other?.name) await tell({ place, name: other.name, deals: false });
    },
    /** @param {Player} player */
    deal: ({ name, place }) => tell({ place, name, deals: true }),
    forget() {
      typed.clear();
      empty = [];
    },
  };
}

/** @param {App} app */
export function createLobby(app) {
  /** The rulesets, which other phones may change. @type {RulesetsAnswer} */
  let listed = embedded("rulesets") ?? NO_RULESETS;
  /** @type {Promise<void> | null} */
  let loading = null;
  let draft = draftAfter({ night: undefined, new_night: null });
  const party = createPlayers(app);
  const houseRules = createHouseRules(app);
  const playBots = oneAtATime(async () => {
    const { ruleset, options } = draft;
    await askForBots(app, "/api/bots", { ruleset, options });
  });

  async function fetchRulesets() {
    const before = listed;
    const answer = await request("GET", "/api/rulesets");
    loading = null;
    if (listed !== before) return; // this phone has saved one meanwhile
    if (answer?.status !== 200) return; // the next state asks again
    listed = answer.json;
    draft = withKnownRuleset(draft, listed);
    app.update();
  }

  const loadRulesets = () => void (loading ??= fetchRulesets());

  /** @param {Partial<Draft>} change */
  function edit(change) {
    draft = { ...draft, problem: "", ...change };
    app.update();
  }

  /** Those who have a name, or were put in at the board. @param {StateAnswer} state */
  const playing = (state) =>
    party
      .lines(state)
      .filter(
        ({ name, place }) =>
          name.trim() || state.new_night?.players.some((one) => one.place === place),
      );

  /** Lets the lot fall on somebody, who deals first even if the night is begun at once. */
  async function drawLots() {
    const players = playing(app.state());
    const [random = 0] = crypto.getRandomValues(new Uint32Array(1));
    const drawn = players[random % players.length];
    if (!drawn) return;
    edit({ drawn: drawn.place });
    await party.deal(drawn);
    edit({ drawn: null });
  }

  /** @param {RulesetsAnswer} answer @param {string} chosen */
  function saved(answer, chosen) {
    listed = answer;
    edit({ ruleset: chosen, options: {} });
  }

  /** @param {Event} event */
  async function start(event) {
    event.preventDefault();
    await party.flush();
    const players = playing(app.state());
    const nameless = players.find(({ name }) => !name.trim());
    if (nameless || players.length < 2) {
      edit({ problem: text("Every player needs a name. Remove those who do not play.") });
      return leadTo(nameless?.place);
    }
    edit({ problem: "" });
    const dealer = draft.drawn ?? app.state().new_night?.dealer ?? null;
    const command = startCommand(draft, players, dealer);
    const result = await app.sendCommand(command, (problem) => edit({ problem }));
    if (result.ok) party.forget();
    else loadRulesets(); // another phone may have deleted this one
  }

  /** @param {StateAnswer} state @param {boolean} teaches whether it offers to teach Poch */
  function formOf(state, teaches) {
    const { board, bots, new_night: next } = state;
    const { places } = board;
    const { earlier = [], dealer = null } = next ?? {};
    const known = { draft, listed, players: party.lines(state), dealer, earlier, places };
    return [
      startForm({ ...known, edit, start, drawLots, saved, party, houseRules }),
      teaches && !bots ? practiceOffer(app) : nothing,
      board.simulated && !bots ? botsOffer(!listed.rulesets.length, playBots) : nothing,
    ];
  }

  /** @param {StateAnswer} state @param {boolean} isOver @param {boolean} isFirst */
  function stageView(state, isOver, isFirst) {
    const begin = html`${isFirst ? practiceOffer(app) : nothing}
      <button class="main" form="start" data-command="start">
        ${state.actions.start?.label}
      </button>`;
    const again = [
      pushButton(text("Other players or rules"), () => edit({ changes: true }), {
        "data-otherwise": "",
      }),
      pushButton(text("Another round"), start, { class: "main", "data-command": "start" }),
    ];
    return html`<div class="stage">
      ${problemView(draft.problem, "start")}
      <div class="row">${isOver ? again : begin}</div>
    </div>`;
  }

  /** @param {StateAnswer} state */
  function show(state) {
    if (draft.night !== state.night) {
      // Another phone may have changed the rulesets since the last form.
      if (draft.night !== undefined) loadRulesets();
      draft = draftAfter(state);
      party.forget();
    }
    if (listed === NO_RULESETS) loadRulesets();
    const { paired } = state.pairing;
    // Computer players have gone, and play no other round.
    const isOver =
      app.ending.hasEnded() && Boolean(state.new_night?.players.length) && !draft.changes;
    const isFirst = isNew(state); // who opens the page then may not know Poch
    document.body.classList.toggle("finale", isOver);
    render(paired && !isOver ? formOf(state, !isFirst) : nothing, byId("lobby"));
    render(paired ? stageView(state, isOver, isFirst) : nothing, byId("controls"));
    render(paired ? historyButtons(state.actions, app.sendCommand) : nothing, byId("back"));
    byId("bar").classList.remove("own-turn", "for-others");
    render([], byId("plates"));
    render(nothing, byId("more"));
    render(nothing, byId("trump"));
    return loading;
  }

  return { show };
}

/** The command that begins the night of a form.
 * @param {Draft} draft @param {readonly Player[]} players @param {number | null} dealer */
const startCommand = ({ ruleset, options, stack }, players, dealer) => ({
  do: "start",
  ruleset,
  players: players.map(({ name }) => name.trim()),
  places: players.map(({ place }) => place),
  dealer:
    Math.max(
      0,
      players.findIndex(({ place }) => place === dealer),
    ) + 1,
  ...(Object.keys(options).length && { options }),
  ...(stack && { stack: wholeIn(stack) }),
});

/** Lets bots play at the simulated board. @param {boolean} off @param {() => void} play */
const botsOffer = (off, play) =>
  html`<fieldset class="all card house-offer">
    <legend class="quiet">${text("Computer players")}</legend>
    <h2>${text("Watch computer players")}</h2>
    <p>
      ${text(
        "Computer players press the buttons of this board, and their cards are shown beside it. You can take over a seat.",
      )}
    </p>
    ${pushButton(text("Let them play"), play, { id: "watch", disabled: off })}
  </fieldset>`;

/** Whether nobody has played here yet. @param {StateAnswer} state */
const isNew = ({ bots, new_night: next }) =>
  !bots && !next?.players.length && !next?.earlier.length;

/** Poch for somebody who does not know it. @param {App} app */
function practiceOffer(app) {
  return html`<p class="learn">
    ${pushButton(text("Learn Poch"), () => beginPractice(app), { id: "learn" })}
  </p>`;
}

/** @param {Tools} tools */
function startForm(tools) {
  const { draft, listed, edit, drawLots } = tools;
  const ruleset = listed.rulesets.find(({ name }) => name === draft.ruleset);
  return html`<form id="start" class="start-form" @submit=${tools.start}>
    <h2>${text("Who plays, and where")}</h2>
    ${playersView(tools)}
    <div class="row first-dealer">
      ${pushButton(text("Draw who deals first"), drawLots, { id: "draw" })}
      <span aria-live="polite">${dealerText(tools)}</span>
    </div>
    ${ruleset?.first_dealer ? html`<p class="about">${ruleset.first_dealer}</p>` : nothing}
    <h2>${text("Rules")}</h2>
    <label class="wide">
      <span class="quiet">${text("Ruleset")}</span>
      <select
        name="ruleset"
        @change=${(/** @type {Event} */ event) =>
          edit({ ruleset: valueOf(event), options: {}, stack: "" })}
      >
        ${optionsView(
          listed.rulesets.map(({ name, title }) => ({ value: name, label: title })),
          draft.ruleset,
        )}
      </select>
    </label>
    ${listed.problems.map(({ sentence }) => html`<p class="about">${sentence}</p>`)}
    ${ruleset ? rulesetView(tools, ruleset) : nothing}
  </form>`;
}

/** Goes to a name. Before anything is awaited, so that a phone's keyboard opens.
 * @param {number} [place] else the first one that is empty */
function leadTo(place) {
  const fields = findAll("#start [name=player]", HTMLInputElement);
  const field = fields.find(({ dataset, value }) =>
    place === undefined ? !value.trim() : dataset["place"] === String(place),
  );
  field?.focus({ preventScroll: true });
  field?.scrollIntoView({ block: "center" });
}

/** @param {Tools} tools @param {ListedRuleset} ruleset */
function rulesetView(tools, ruleset) {
  const { draft, edit } = tools;
  const { stack } = { ...ruleset.parameters, ...draft.options };
  return html`<p class="about">${ruleset.summary}</p>
    <p>
      <a class="plain" href=${at(`/rules/${encodeURIComponent(ruleset.name)}`)}
        >${text("Read the rules: {ruleset}", { ruleset: ruleset.title })}</a
      >
    </p>
    <label>
      ${text("Chips for each")}
      <input
        name="stack"
        inputmode="numeric"
        autocomplete="off"
        .value=${draft.stack}
        placeholder=${String(stack)}
        @input=${(/** @type {Event} */ event) => edit({ stack: valueOf(event) })}
      />
    </label>
    ${houseView(tools, ruleset)}`;
}

/** @param {Tools} tools @param {ListedRuleset} ruleset */
function houseView({ draft, listed, houseRules, edit, saved }, ruleset) {
  const changed = Object.keys(draft.options).length;
  /** @param {string} name @param {unknown} value */
  function set(name, value) {
    const { [name]: _, ...others } = draft.options;
    const same = JSON.stringify(value) === JSON.stringify(ruleset.parameters[name]);
    edit({ options: same ? others : { ...others, [name]: value } });
  }
  const preset = listed.rulesets.find(({ name }) => name === ruleset.preset);
  const { form } = listed;
  const fields = houseRules.view({ form, ruleset, preset, options: draft.options, set, saved });
  return html`<details class="house">
    <summary>
      ${changed ? text("House rules ({count} changed)", { count: changed }) : text("House rules")}
    </summary>
    <div class="fields">${fields}</div>
  </details>`;
}

/** The form for the next night.
 * @param {{night: number | null | undefined, new_night: NewNight | null}} state @returns {Draft} */
export const draftAfter = ({ night, new_night: next }) => ({
  night,
  ruleset: next?.ruleset ?? "",
  drawn: null,
  stack: next?.stack ? String(next.stack) : "",
  options: next?.options ?? {},
  problem: "",
  changes: false,
});

/** The form without a ruleset that another phone has deleted: the usual one instead.
 * @param {Draft} draft @param {Pick<RulesetsAnswer, "usual"> & {rulesets: {name: string}[]}} listed
 * @returns {Draft} */
export function withKnownRuleset(draft, { rulesets, usual }) {
  if (rulesets.some(({ name }) => name === draft.ruleset)) return draft;
  return { ...draft, ruleset: usual, options: {}, stack: "" };
}

/** @param {Tools} tools */
function dealerText({ players, dealer }) {
  const name = players.find(({ place }) => place === dealer)?.name;
  return text("{name} deals first.", { name: name || text("The first player") });
}

/** @param {Tools} tools */
function playersView(tools) {
  const { players, places, party } = tools;
  const more = pushButton(text("Add a player"), () => leadTo(party.add()), { id: "add" });
  return html`<ul class="players">
      ${players.map((player) => playerRow(tools, player))}
    </ul>
    ${players.length < places ? more : nothing} ${earlierView(tools)}`;
}

/** Names that need not be typed again. @param {Tools} tools */
function earlierView({ players, earlier, places, party }) {
  const seen = players.map(({ name }) => sight(name));
  const names = earlier.filter((name) => !seen.includes(sight(name)));
  const full = players.length >= places && !seen.includes("");
  if (!names.length || full) return nothing;
  return html`<div class="row" role="group" aria-label=${text("Names of earlier nights")}>
    ${names.map((name) => pushButton(name, () => party.add(name), { "data-earlier": "" }))}
  </div>`;
}

/** Return goes to the next name, and begins nothing.
 * @param {KeyboardEvent} event @param {() => number} add */
function goOn(event, add) {
  if (event.key !== "Enter" || event.isComposing) return;
  event.preventDefault();
  const fields = findAll("#start [name=player]", HTMLInputElement);
  const field = targetOf(event, HTMLInputElement);
  const next = fields[fields.indexOf(field) + 1];
  if (next) {
    next.focus();
    next.select(); // another phone may have filled it
  } else if (field.value.trim()) leadTo(add());
}

/** @param {Tools} tools @param {Player} player */
function playerRow({ players, dealer, draft, places, party, edit }, player) {
  const { name, place } = player;
  const number = players.indexOf(player) + 1;
  const deals = place === (draft.drawn ?? dealer);
  const numbers = Array.from({ length: places }, (_, i) => ({ value: i + 1, label: i + 1 }));
  const removes = text("Remove {name}", { name: name || text("player {number}", { number }) });
  return html`<li class=${deals ? "deals" : ""}>
    <select
      name="place"
      aria-label=${text("Place of player {number}", { number })}
      .value=${String(place)}
      @change=${(/** @type {Event} */ event) => party.move(player, Number(valueOf(event)))}
    >
      ${optionsView(numbers, place)}
    </select>
    <input
      name="player"
      data-place=${place}
      dir="auto"
      aria-label=${text("Name of player {number}", { number })}
      placeholder=${text("Name")}
      maxlength="40"
      autocomplete="off"
      autocapitalize="words"
      enterkeyhint="next"
      .value=${name}
      @input=${(/** @type {Event} */ event) => party.rename(place, valueOf(event))}
      @keydown=${(/** @type {KeyboardEvent} */ event) => goOn(event, party.add)}
    />
    <label class="deal">
      <input
        type="radio"
        name="dealer"
        value=${place}
        .checked=${deals}
        @change=${() => {
          edit({ drawn: null });
          void party.deal(player);
        }}
      />
      <span>${text("deals")}</span>
    </label>
    ${pushButton("×", () => party.remove(place), { class: "link", "aria-label": removes })}
  </li>`;
}
