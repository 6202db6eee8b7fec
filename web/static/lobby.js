// @ts-check
// Between nights: who plays where, by which rules, and who deals first. Or bots play.

import { html, nothing } from "./vendor/lit-html.js";
import { render } from "./drawing.js";
import { byId, findAll, valueOf } from "./elements.js";
import { createHouseRules } from "./house_rules.js";
import { expectBots } from "./onlooking.js";
import { sight } from "./owner.js";
import { beginPractice } from "./practice.js";
import { at, embedded, reason, request } from "./requests.js";
import { text } from "./texts.js";
import { pause } from "./time.js";
import { historyButtons } from "./views.js";

/** @import { ListedRuleset, RulesetsAnswer, StateAnswer } from "../types" */
/** @import { App } from "./store.js" */
/** @typedef {{name: string, place: number}} Player */
/** @typedef {Record<string, unknown>} Parameters values by name */

/**
 * The form as it is filled in so far.
 * @typedef {object} Draft
 * @property {number | null | undefined} night that the form followed on when it was filled in
 * @property {string} ruleset
 * @property {Player[]} players
 * @property {number} dealer index of the player who deals first
 * @property {number | null} lot index of the player that the light is on while lots are drawn
 * @property {string} stack as written; empty for the ruleset's own
 * @property {Parameters} options those that differ from the ruleset's
 * @property {string} problem why the night could not be started
 */

/**
 * What the form is drawn with.
 * @typedef {object} Tools
 * @property {string} title
 * @property {Draft} draft
 * @property {RulesetsAnswer} listed
 * @property {readonly string[]} earlier names of earlier nights
 * @property {number} places of the board
 * @property {ReturnType<typeof createHouseRules> | null} houseRules once they are asked for
 * @property {() => void} openHouse
 * @property {(change: Partial<Draft>) => void} edit
 * @property {(event: SubmitEvent) => void} start
 * @property {() => void} drawLots
 * @property {(answer: RulesetsAnswer, chosen: string) => void} saved
 */

const FIRST_LINES = 3;
/** @type {RulesetsAnswer} */
const NO_RULESETS = {
  rulesets: [],
  problems: [],
  form: [],
  bots: { ruleset: "", players: 0 },
};

/** @param {App} app */
export function createLobby(app) {
  const rulesets = createRulesets((listed) => {
    draft = withKnownRuleset(draft, listed);
    app.update();
  });
  let draft = emptyDraft();
  const houseRules = createHouseRules(app);
  let hasHouse = false; // its many fields are drawn once they are asked for
  const bots = createBotsOffer(app);

  /** @param {Partial<Draft>} change */
  function edit(change) {
    draft = { ...draft, problem: "", ...change };
    app.update();
  }

  /** A light runs round the names and stops at a random one, unless the players change. Whoever
   * begins the night meanwhile begins it with that dealer. */
  async function drawLots() {
    if (draft.lot !== null) return;
    const { players } = draft;
    const { length: count } = players;
    const [random = 0] = crypto.getRandomValues(new Uint32Array(1));
    const dealer = random % count;
    const steps = matchMedia("(prefers-reduced-motion: reduce)").matches ? -1 : count * 2 + dealer;
    edit({ dealer });
    for (let step = 0; step <= steps && draft.players === players; step++) {
      edit({ lot: step % count });
      await pause(50 + 200 * (step / steps) ** 2);
    }
    edit({ lot: null });
  }

  function openHouse() {
    hasHouse = true;
    app.update();
  }

  /** @param {RulesetsAnswer} answer @param {string} chosen */
  function saved(answer, chosen) {
    rulesets.keep(answer);
    edit({ ruleset: chosen, options: {} });
  }

  /** @param {SubmitEvent} event */
  async function start(event) {
    event.preventDefault();
    const nameless = draft.players.findIndex(({ name }) => !name.trim());
    if (nameless >= 0) {
      edit({ problem: text("lobby.names_missing") });
      return leadTo(nameless);
    }
    edit({ problem: "" });
    const result = await app.sendCommand(startCommand(draft), (problem) => edit({ problem }));
    if (!result.ok) void rulesets.load(); // another phone may have deleted this one
  }

  /** @param {StateAnswer} state @param {boolean} teaches whether it offers to teach Poch */
  function formOf(state, teaches) {
    const { board, demo, new_night: next } = state;
    const listed = rulesets.listed();
    const hasEnded = app.ending.hasEnded();
    const title = text(hasEnded ? "lobby.again" : "lobby.legend");
    const doing = { edit, start, drawLots, openHouse, saved };
    const { places } = board;
    const known = { title, draft, listed, earlier: next?.earlier ?? [], places };
    return [
      teaches && !demo ? practiceOffer(app) : nothing,
      startForm({ ...known, ...doing, houseRules: hasHouse ? houseRules : null }),
      // Right after a night no careless tap begins another one: the button is below the result.
      hasEnded ? startButton(state, draft.problem) : nothing,
      board.simulated && !demo ? offerView(bots.view(listed)) : nothing,
    ];
  }

  /** @param {StateAnswer} state */
  function show(state) {
    if (draft.night !== state.night) {
      // Another phone may have changed the rulesets since the last form.
      if (draft.night !== undefined) void rulesets.load();
      draft = draftAfter(state);
    }
    const { paired } = state.pairing;
    const inBar = paired && !app.ending.hasEnded();
    const isFirst = inBar && isNew(state); // who opens the page then may not know Poch
    render(paired ? formOf(state, !isFirst) : nothing, byId("lobby"));
    const learn = isFirst ? practiceOffer(app) : nothing;
    render(inBar ? [startButton(state, draft.problem), learn] : nothing, byId("controls"));
    render(paired ? historyButtons(state.actions, app.sendCommand) : nothing, byId("back"));
    render(nothing, byId("more"));
    return rulesets.loading();
  }

  return { show };
}

/** The rulesets, which other phones may change.
 * @param {(listed: RulesetsAnswer) => void} onLoaded */
function createRulesets(onLoaded) {
  /** @type {RulesetsAnswer} */
  let listed = embedded("rulesets") ?? NO_RULESETS;
  /** @type {Promise<void> | null} */
  let loading = null;

  async function fetchThem() {
    const before = listed;
    const answer = await request("GET", "/api/rulesets");
    loading = null;
    if (listed !== before) return; // this phone has saved one meanwhile
    if (answer?.status !== 200) return; // the next state asks again
    listed = answer.json;
    onLoaded(listed);
  }

  const load = () => (loading ??= fetchThem());

  return {
    load,
    /** What is known of them; what is not yet known is asked for. */
    listed() {
      if (listed === NO_RULESETS) void load();
      return listed;
    },
    loading: () => loading,
    /** @param {RulesetsAnswer} answer */
    keep: (answer) => void (listed = answer),
  };
}

/** The command that begins the night of a form. @param {Draft} draft */
const startCommand = ({ ruleset, players, dealer, options, stack }) => ({
  do: "start",
  ruleset,
  players: players.map(({ name }) => name.trim()),
  places: players.map(({ place }) => place),
  dealer: dealer + 1,
  ...(Object.keys(options).length && { options }),
  ...(stack && { stack: Number(stack) }),
});

/** @param {unknown} view */
const offerView = (view) =>
  html`<fieldset class="all card house-offer">
    <legend class="quiet">${text("offer.legend")}</legend>
    ${view}
  </fieldset>`;

/** Whether nobody has played here yet. @param {StateAnswer} state */
const isNew = ({ demo, new_night: next }) =>
  !demo && !next?.players.length && !next?.earlier.length;

/** Poch for somebody who does not know it. @param {App} app */
function practiceOffer(app) {
  return html`<p class="learn">
    <button type="button" class="soft" id="learn" @click=${() => beginPractice(app)}>
      ${text("lobby.learn")}
    </button>
  </p>`;
}

/** @param {Tools} tools */
function startForm(tools) {
  const { draft, listed, edit } = tools;
  const ruleset = listed.rulesets.find(({ name }) => name === draft.ruleset);
  return html`<form id="start" class="start-form card" @submit=${tools.start}>
    <fieldset class="all">
      <legend><h2>${tools.title}</h2></legend>
      ${playersView(tools)}
      <div class="row first-dealer">
        <button type="button" class="soft" id="draw" @click=${tools.drawLots}>
          ${text("lobby.draw")}
        </button>
        <span aria-live="polite">${dealerText(draft)}</span>
      </div>
      ${ruleset?.first_dealer ? html`<p class="quiet">${ruleset.first_dealer}</p>` : nothing}
      <h3>${text("lobby.rules")}</h3>
      <label class="wide">
        <span class="quiet">${text("lobby.ruleset")}</span>
        <select
          name="ruleset"
          @change=${(/** @type {Event} */ event) =>
            edit({ ruleset: valueOf(event), options: {}, stack: "" })}
        >
          ${rulesetOptions(listed.rulesets, draft.ruleset)}
        </select>
      </label>
      ${listed.problems.map(problemView)} ${ruleset ? rulesetView(tools, ruleset) : nothing}
    </fieldset>
  </form>`;
}

/** Goes to the name that is missing. Before anything is awaited, so that a phone's keyboard opens.
 * @param {number} index */
function leadTo(index) {
  const field = findAll("#start [name=player]", HTMLInputElement)[index];
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
        >${text("rules.read", { ruleset: ruleset.title })}</a
      >
    </p>
    <label>
      ${text("lobby.stack")}
      <input
        name="stack"
        type="number"
        min="1"
        inputmode="numeric"
        .value=${draft.stack}
        placeholder=${String(stack)}
        @input=${(/** @type {Event} */ event) => edit({ stack: valueOf(event) })}
      />
    </label>
    ${houseView(tools, ruleset)}`;
}

/** @param {Tools} tools @param {ListedRuleset} ruleset */
function houseView({ draft, listed, houseRules, openHouse, edit, saved }, ruleset) {
  const changed = Object.keys(draft.options).length;
  /** @param {string} name @param {unknown} value */
  function set(name, value) {
    const { [name]: _, ...others } = draft.options;
    const same = JSON.stringify(value) === JSON.stringify(ruleset.parameters[name]);
    edit({ options: same ? others : { ...others, [name]: value } });
  }
  const preset = listed.rulesets.find(({ name }) => name === ruleset.preset);
  const { form } = listed;
  const fields = houseRules?.view({ form, ruleset, preset, options: draft.options, set, saved });
  return html`<details class="house" @toggle=${openHouse}>
    <summary>
      ${changed ? text("lobby.house_rules_changed", { count: changed }) : text("lobby.house_rules")}
    </summary>
    <div class="fields">${fields ?? nothing}</div>
  </details>`;
}

/** @returns {Draft} */
const emptyDraft = () => ({
  night: undefined,
  ruleset: "",
  players: [],
  dealer: 0,
  lot: null,
  stack: "",
  options: {},
  problem: "",
});

/**
 * The form for the next night, with a row for each player that it needs at least.
 * Few play with two, so a form without anybody begins with more.
 * @param {Pick<StateAnswer, "night" | "new_night"> & {board: {places: number}}} state
 * @returns {Draft}
 */
export function draftAfter({ night, new_night: next, board }) {
  if (!next) return { ...emptyDraft(), night };
  const { fewest, ruleset, options, stack } = next;
  const players = [...next.players];
  const lines = players.length ? fewest : Math.max(fewest, FIRST_LINES);
  while (players.length < lines) {
    players.push({ name: "", place: freePlace(players, board.places) });
  }
  return {
    ...emptyDraft(),
    night,
    players,
    ruleset,
    options,
    stack: stack === null ? "" : String(stack),
  };
}

/** The form without a ruleset that another phone has deleted: the usual one instead.
 * @param {Draft} draft @param {Pick<RulesetsAnswer, "bots"> & {rulesets: {name: string}[]}} listed
 * @returns {Draft} */
export function withKnownRuleset(draft, { rulesets, bots }) {
  if (rulesets.some(({ name }) => name === draft.ruleset)) return draft;
  return { ...draft, ruleset: bots.ruleset, options: {}, stack: "" };
}

/** The first place that nobody has, else the last.
 * @param {Player[]} players @param {number} most */
export function freePlace(players, most) {
  const taken = players.map(({ place }) => place);
  return Array.from({ length: most }, (_, i) => i + 1).find((one) => !taken.includes(one)) ?? most;
}

/** The players after one moves to a place; whoever is there changes places with them.
 * @param {Player[]} players @param {number} index @param {number} place */
export const movedTo = (players, index, place) =>
  players.map((player, i) => {
    if (i === index) return { ...player, place };
    return player.place === place ? { ...player, place: players[index]?.place ?? place } : player;
  });

/** The players without one, and the dealer: whoever follows, if it was the one.
 * @param {Pick<Draft, "players" | "dealer">} draft @param {number} index */
export function withoutPlayer({ players, dealer }, index) {
  const left = players.filter((_, i) => i !== index);
  const moved = index < dealer ? dealer - 1 : dealer;
  return { players: left, dealer: moved % left.length };
}

/** @param {Draft} draft */
function dealerText({ lot, players, dealer }) {
  if (lot !== null) return text("lobby.drawing");
  const name = players[dealer]?.name || text("lobby.first_player");
  return text("lobby.deals_first", { name });
}

/** The players with one more, on the first line without a name or on a new one.
 * @param {Player[]} players @param {string} name @param {number} places of the board */
export function withPlayer(players, name, places) {
  const free = players.findIndex((player) => !player.name.trim());
  if (free < 0) return [...players, { name, place: freePlace(players, places) }];
  return players.map((player, i) => (i === free ? { ...player, name } : player));
}

/** @param {Tools} tools */
function playersView({ draft, earlier, places, edit }) {
  const { players } = draft;
  const add = () =>
    edit({ players: [...players, { name: "", place: freePlace(players, places) }] });
  const more = html`<button type="button" class="soft" id="add" @click=${add}>
    ${text("lobby.add")}
  </button>`;
  return html`<h3>${text("lobby.players")}</h3>
    <ul class="players">
      ${players.map((_, i) => playerRow(draft, i, places, edit))}
    </ul>
    ${players.length < places ? more : nothing} ${earlierView(draft, earlier, places, edit)}`;
}

/** Names that need not be typed again.
 * @param {Draft} draft @param {readonly string[]} earlier @param {number} places
 * @param {Tools["edit"]} edit */
function earlierView({ players }, earlier, places, edit) {
  const seen = players.map(({ name }) => sight(name));
  const names = earlier.filter((name) => !seen.includes(sight(name)));
  const full = players.length >= places && !seen.includes("");
  if (!names.length || full) return nothing;
  return html`<div class="row" role="group" aria-label=${text("lobby.earlier")}>
    ${names.map(
      (name) =>
        html`<button
          type="button"
          class="soft"
          data-earlier
          @click=${() => edit({ players: withPlayer(players, name, places) })}
        >
          ${name}
        </button>`,
    )}
  </div>`;
}

/** @param {Draft} draft @param {number} index @param {number} places
 * @param {(change: Partial<Draft>) => void} edit */
function playerRow({ players, dealer, lot }, index, places, edit) {
  const { name, place } = /** @type {Player} */ (players[index]);
  const number = index + 1;
  /** @param {Event} event */
  function rename(event) {
    edit({
      players: players.map((one, i) => (i === index ? { ...one, name: valueOf(event) } : one)),
    });
  }
  /** @param {Event} event */
  const move = (event) => edit({ players: movedTo(players, index, Number(valueOf(event))) });
  const remove = () => edit(withoutPlayer({ players, dealer }, index));
  const option = (/** @type {number} */ one) =>
    html`<option value=${one} ?selected=${one === place}>
      ${text("lobby.place", { place: one })}
    </option>`;
  return html`<li class=${index === (lot ?? dealer) ? "deals" : ""}>
    <input
      name="player"
      aria-label=${text("lobby.name_of", { number })}
      placeholder=${text("lobby.name")}
      maxlength="40"
      autocomplete="off"
      .value=${name}
      @input=${rename}
    />
    <select
      name="place"
      aria-label=${text("lobby.place_of", { number })}
      .value=${String(place)}
      @change=${move}
    >
      ${Array.from({ length: places }, (_, i) => option(i + 1))}
    </select>
    <label class="deal">
      <input
        type="radio"
        name="dealer"
        value=${index}
        .checked=${index === (lot ?? dealer)}
        @change=${() => edit({ dealer: index })}
      />
      <span>${text("lobby.deals")}</span>
    </label>
    <button
      type="button"
      class="link"
      aria-label=${text("lobby.remove", { name: name || text("lobby.player", { number }) })}
      ?disabled=${players.length <= 1}
      @click=${remove}
    >
      ×
    </button>
  </li>`;
}

/** @param {readonly ListedRuleset[]} rulesets @param {string} chosen */
const rulesetOptions = (rulesets, chosen) =>
  rulesets.map(
    ({ name, title }) => html`<option value=${name} ?selected=${name === chosen}>${title}</option>`,
  );

/** A house ruleset that cannot be used. @param {RulesetsAnswer["problems"][number]} problem */
const problemView = ({ sentence }) => html`<p class="about">${sentence}</p>`;

/** Submits the form, and says what is wrong with it.
 * @param {StateAnswer} state @param {string} problem */
const startButton = ({ actions }, problem) =>
  html`${problem ? html`<p class="error" data-error="start" role="alert">${problem}</p>` : nothing}
    <div class="stage">
      <button class="main" form="start" data-command="start">${actions.start?.label}</button>
    </div>`;

/**
 * What the form that invites bots shows. A ruleset that was chosen may have been deleted since.
 * @template {RulesetsAnswer["bots"]} T
 * @param {readonly {name: string}[]} rulesets @param {T} usual @param {Partial<T>} chosen
 */
export function wantedBots(rulesets, usual, chosen) {
  const wanted = { ...usual, ...chosen };
  const known = rulesets.some(({ name }) => name === wanted.ruleset);
  return known ? wanted : { ...wanted, ruleset: usual.ruleset };
}

/** Lets bots play at the simulated board. @param {App} app */
function createBotsOffer(app) {
  /** @type {Partial<RulesetsAnswer["bots"]>} */
  let chosen = {};
  let sending = false;

  /** @param {Partial<typeof chosen>} change */
  function edit(change) {
    chosen = { ...chosen, ...change };
    app.update();
  }

  /** @param {RulesetsAnswer["bots"]} body */
  async function start(body) {
    sending = true;
    app.update();
    expectBots(true);
    const answer = await request("POST", "/api/demo", { body });
    sending = false;
    if (answer?.status !== 201) {
      expectBots(false);
      app.toast(reason(answer));
    }
    app.update();
  }

  /** @param {RulesetsAnswer} listed */
  function view({ rulesets, bots }) {
    const wanted = wantedBots(rulesets, bots, chosen);
    const ruleset = rulesets.find(({ name }) => name === wanted.ruleset);
    const [least = 0, most = 0] = ruleset?.players ?? [];
    const players = Math.max(least, Math.min(wanted.players, most));
    const option = (/** @type {number} */ count) =>
      html`<option value=${count} ?selected=${count === players}>${count}</option>`;
    return html`<h2>${text("offer.title")}</h2>
      <p>${text("offer.about")}</p>
      <div class="row">
        <label>
          ${text("offer.ruleset")}
          <select
            name="house-ruleset"
            @change=${(/** @type {Event} */ event) => edit({ ruleset: valueOf(event) })}
          >
            ${rulesetOptions(rulesets, wanted.ruleset)}
          </select>
        </label>
        <label>
          ${text("offer.players")}
          <select
            name="house-players"
            .value=${String(players)}
            @change=${(/** @type {Event} */ event) => edit({ players: Number(valueOf(event)) })}
          >
            ${Array.from({ length: most - least + 1 }, (_, i) => option(least + i))}
          </select>
        </label>
        <button
          type="button"
          class="soft"
          id="watch"
          ?disabled=${!rulesets.length || sending}
          @click=${() => start({ ...wanted, players })}
        >
          ${text("offer.play")}
        </button>
      </div>`;
  }

  return { view };
}
