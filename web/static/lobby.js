// @ts-check
// Between nights: who plays, by which rules, and who deals first.

import { html, nothing, render } from "./vendor/lit-html.js";
import { POOLS, poolName } from "./board.js";
import { ask } from "./live.js";

/** @param {string} id */
const at = (id) => /** @type {HTMLElement} */ (document.getElementById(id));
const MOST = 8;

let rulesets = /** @type {RulesetInfo[]} */ ([]);
let problems = /** @type {{file: string, key: string | null, reason: string}[]} */ ([]);
let asked = false;
/** @type {import("./main.js").Ui} */
let ui;
let night = /** @type {number | null | undefined} */ (undefined);
let last = /** @type {RulesetInfo | null} */ (null);
let problem = "";
let drawing = -1;
const form = {
  ruleset: "modern",
  players: /** @type {{name: string, place: number}[]} */ ([]),
  dealer: 0,
  stack: "",
  options: /** @type {Record<string, Value>} */ ({}),
};
/** What the house is to play, and how many of it. */
const wish = { ruleset: "modern", players: 4, sent: false };

/** @param {State} now @param {import("./main.js").Ui} given */
export function show(now, given) {
  ui = given;
  if (night !== now.night) {
    night = now.night;
    preset(now);
  }
  if (!asked) void load();
  /** @type {HTMLDialogElement | null} */ (
    document.querySelector("dialog#referee[open]")
  )?.close?.();
  render(words(now), at("now"));
  render(now.phase === "none" ? offer(now, "main") : nothing, at("offer"));
  render(now.pairing.paired ? panel(now) : ui.watching(now), at("controls"));
}

async function load() {
  asked = true;
  const answer = await ask("GET", "/api/rulesets");
  if (answer?.status === 200) ({ rulesets, problems } = answer.json);
  else asked = false;
  likeLastTime();
  ui.rerender();
}

/** Those who sat here when the last night ended. @param {State} now */
function preset(now) {
  problem = "";
  form.options = {};
  form.stack = now.stack ? String(now.stack) : "";
  if (now.ruleset) form.ruleset = now.ruleset.name;
  form.players = Object.entries(now.places)
    .sort((a, b) => a[1] - b[1])
    .map(([seat, place]) => ({ name: now.names[seat] ?? "", place }));
  last = now.ruleset;
  likeLastTime();
  while (form.players.length < 3) form.players.push({ name: "", place: freePlace() });
  form.dealer = 0;
}

/** The house rules of the last night, as far as its ruleset is still there. */
function likeLastTime() {
  const known = rulesets.find((one) => one.name === last?.name);
  if (!last || !known) return;
  const changed = Object.entries(last.parameters).filter(
    ([key, value]) => JSON.stringify(value) !== JSON.stringify(known.parameters[key]),
  );
  form.options = Object.fromEntries(changed);
  last = null;
}

/** House players for the simulated board. @param {State} now @param {string} kind of the button */
function offer(now, kind) {
  const chosen = rulesets.find((one) => one.name === wish.ruleset);
  const [least = 3, most = 6] = /** @type {number[]} */ (chosen?.parameters["players"] ?? []);
  const seats = Math.min(most, now.board.places ?? MOST);
  wish.players = Math.max(least, Math.min(wish.players, seats));
  const text = (/** @type {Event} */ event) =>
    /** @type {HTMLSelectElement} */ (event.target).value;
  return html`<h2>Watch the house play</h2>
    <p>
      House players press the buttons of this board, and their cards are shown beside it. Take over
      a seat whenever you like.
    </p>
    <div class="row">
      <label
        >Ruleset
        <select
          name="house-ruleset"
          @change=${(/** @type {Event} */ event) => {
            wish.ruleset = text(event);
            ui.rerender();
          }}
        >
          ${rulesets.map((one) => html`<option value=${one.name} ?selected=${one.name === wish.ruleset}>${one.name}</option>`)}
        </select></label
      >
      <label
        >Players
        <select
          name="house-players"
          .value=${String(wish.players)}
          @change=${(/** @type {Event} */ event) => {
            wish.players = Number(text(event));
            ui.rerender();
          }}
        >
          ${Array.from({ length: seats - least + 1 }, (_, i) => html`<option value=${least + i} ?selected=${least + i === wish.players}>${least + i}</option>`)}
        </select></label
      >
      <button
        type="button"
        class=${kind}
        id="watch"
        ?disabled=${!rulesets.length || wish.sent}
        @click=${watch}
      >
        Let them play
      </button>
    </div>`;
}

async function watch() {
  wish.sent = true;
  ui.rerender();
  const answer = await ask("POST", "/api/demo", { ruleset: wish.ruleset, players: wish.players });
  wish.sent = false;
  if (answer?.status !== 201)
    ui.toast(answer?.json?.message ?? "The board did not answer; try again.");
  ui.rerender();
}

const freePlace = () =>
  Array.from({ length: MOST }, (_, i) => i + 1).find(
    (place) => !form.players.some((one) => one.place === place),
  ) ?? MOST;

/** @param {State} now */
function words(now) {
  const lobby = now.pending?.lobby;
  const press = !lobby
    ? "Or without a phone: press the places of those who play, then next twice."
    : lobby.armed
      ? `On the board: ${places(lobby)}. Press next once more to begin.`
      : `On the board: ${places(lobby)}. Press next to begin, Pinke to draw who deals first.`;
  if (now.phase === "none") {
    return html`<h2>A new night</h2>
      <p>Put the players down below and begin.</p>
      <p>${press}</p>`;
  }
  const rows = now.standings ?? [];
  const best = rows[0]?.[2];
  const first = rows.filter((row) => row[2] === best).map(([seat]) => now.names[seat]);
  return html`<h2>${first.join(" and ")} ${first.length > 1 ? "win" : "wins"} the night</h2>
    <table class="standings">
      <tr>
        <th>Player</th>
        <th>Chips</th>
        <th>Net</th>
      </tr>
      ${rows.map(
        ([seat, stack, net], i) =>
          html`<tr>
            <td>${rows.findIndex((row) => row[2] === net) + 1}. ${now.names[seat]}</td>
            <td>${stack}</td>
            <td>${net > 0 ? `+${net}` : net < 0 ? `−${-net}` : "±0"}</td>
          </tr>`,
      )}
    </table>
    <p><a class="plain" href="/nights/${now.night}">Look at the night again</a></p>
    <p>${press}</p>`;
}

/** @param {Lobby} lobby */
const places = ({ places: taken, dealer }) =>
  taken.length
    ? `${taken.length > 1 ? "places" : "place"} ${taken.join(", ")}${dealer ? `; place ${dealer} deals first` : ""}`
    : "nobody yet";

function change() {
  problem = "";
  ui.rerender();
}

/** @param {State} now */
function panel(now) {
  const chosen = rulesets.find((one) => one.name === form.ruleset);
  const may = (/** @type {string} */ command) => now.allowed.commands.includes(command);
  const back = (
    /** @type {string} */ command,
    /** @type {string} */ label,
    /** @type {string | null} */ what,
  ) =>
    may(command)
      ? html`<button
          type="button"
          class="soft"
          data-command=${command}
          @click=${() => ui.send({ do: command })}
        >
          <b>${label}</b> <small>${what ?? ""}</small>
        </button>`
      : nothing;
  return html`<form
      id="start"
      class="card"
      @submit=${(/** @type {Event} */ event) => start(event, now)}
    >
      <fieldset class="all">
        <legend><h2>Begin a night</h2></legend>
        <h3>Who plays, and where</h3>
        <ul class="players">
          ${form.players.map(row)}
        </ul>
        ${
          form.players.length < MOST
            ? html`<button
                type="button"
                class="soft"
                id="add"
                @click=${() => {
                  form.players.push({ name: "", place: freePlace() });
                  change();
                }}
              >
                One more player
              </button>`
            : nothing
        }
        <div class="row first-dealer">
          <button type="button" class="soft" id="draw" @click=${drawLots}>
            Draw who deals first
          </button>
          <span aria-live="polite"
            >${drawing < 0 ? html`${form.players[form.dealer]?.name || "The first player"} deals first.` : "Drawing…"}</span
          >
        </div>
        <h3>Rules</h3>
        <label class="wide"
          ><span class="quiet">Ruleset</span
          ><select
            name="ruleset"
            @change=${(/** @type {Event} */ event) => {
              form.ruleset = /** @type {HTMLSelectElement} */ (event.target).value;
              form.options = {};
              form.stack = "";
              change();
            }}
          >
            ${rulesets.map((one) => html`<option value=${one.name} ?selected=${one.name === form.ruleset}>${one.name}</option>`)}
          </select></label
        >
        ${problems.map((one) => html`<p class="about">The file ${one.file} cannot be used: ${one.key ? `${one.key}: ` : ""}${one.reason}.</p>`)}
        ${
          chosen
            ? html`<p class="about">${about(chosen)}</p>
                <label
                  >Chips for each
                  <input
                    name="stack"
                    type="number"
                    min="1"
                    max="10000"
                    inputmode="numeric"
                    .value=${form.stack}
                    placeholder=${String(option(chosen, "stack"))}
                    @input=${(/** @type {Event} */ event) => (form.stack = /** @type {HTMLInputElement} */ (event.target).value)}
                /></label>
                <details class="house">
                  <summary>
                    House
                    rules${Object.keys(form.options).length ? ` (${Object.keys(form.options).length} changed)` : ""}
                  </summary>
                  <div class="fields">
                    ${Object.keys(chosen.parameters).map((key) => field(chosen, key))}
                  </div>
                </details>`
            : nothing
        }
        ${problem ? html`<p class="error" data-error="start" role="alert">${problem}</p>` : nothing}
        <button class="main" data-command="start">Begin the night</button>
        <div class="back">
          ${back("undo", "Undo", now.undoes)}${back("redo", "Redo", now.redoes)}
        </div>
      </fieldset>
    </form>
    ${
      now.phase === "closed" && now.board.simulated && !now.demo
        ? html`<fieldset class="all card house-offer">
            <legend class="quiet">House players</legend>
            ${offer(now, "soft")}
          </fieldset>`
        : nothing
    }`;
}

/** @param {{name: string, place: number}} player @param {number} i */
function row(player, i) {
  const input = (/** @type {Event} */ event) => {
    player.name = /** @type {HTMLInputElement} */ (event.target).value;
    change();
  };
  return html`<li class=${i === (drawing < 0 ? form.dealer : drawing) ? "deals" : ""}>
    <input
      name="player"
      aria-label="Name of player ${i + 1}"
      placeholder="Name"
      maxlength="40"
      autocomplete="off"
      .value=${player.name}
      @input=${input}
    />
    <select
      name="place"
      aria-label="Place of player ${i + 1}"
      .value=${String(player.place)}
      @change=${(/** @type {Event} */ event) => {
        const place = Number(/** @type {HTMLSelectElement} */ (event.target).value);
        const other = form.players.find((one) => one.place === place);
        if (other) other.place = player.place;
        player.place = place;
        change();
      }}
    >
      ${Array.from({ length: MOST }, (_, n) => html`<option value=${n + 1} ?selected=${n + 1 === player.place}>place ${n + 1}</option>`)}
    </select>
    <label class="deal"
      ><input
        type="radio"
        name="dealer"
        value=${i}
        .checked=${i === form.dealer}
        @change=${() => {
          form.dealer = i;
          change();
        }}
      /><span>deals</span></label
    >
    <button
      type="button"
      class="link"
      aria-label="Remove ${player.name || `player ${i + 1}`}"
      ?disabled=${form.players.length <= 2}
      @click=${() => {
        form.players.splice(i, 1);
        form.dealer = Math.min(form.dealer, form.players.length - 1);
        change();
      }}
    >
      ×
    </button>
  </li>`;
}

/** A light runs round the names and stops where chance has it. */
async function drawLots() {
  const [random = 0] = crypto.getRandomValues(new Uint32Array(1));
  const winner = random % form.players.length;
  if (!matchMedia("(prefers-reduced-motion: reduce)").matches) {
    const steps = form.players.length * 2 + winner;
    for (let i = 0; i <= steps; i++) {
      drawing = i % form.players.length;
      ui.rerender();
      await new Promise((done) => setTimeout(done, 50 + (200 * i * i) / (steps * steps)));
    }
  }
  drawing = -1;
  form.dealer = winner;
  change();
}

/** @param {Event} event @param {State} now */
async function start(event, now) {
  event.preventDefault();
  const names = form.players.map((one) => one.name.trim());
  const chosen = rulesets.find((one) => one.name === form.ruleset);
  const [least = 2, most = MOST] = /** @type {number[]} */ (
    chosen ? option(chosen, "players") : []
  );
  const twice = names.find((name, i) => name && names.indexOf(name) !== i);
  if (names.some((name) => !name))
    problem = "Every player needs a name; remove those who do not play.";
  else if (twice) problem = `There are two players called ${twice}; give one another name.`;
  else if (names.length < least || names.length > most)
    problem = `These rules are for ${least} to ${most} players.`;
  else problem = "";
  if (problem) return ui.rerender();
  const answer = await ui.send({
    do: "start",
    ruleset: form.ruleset,
    players: names,
    places: form.players.map((one) => one.place),
    dealer: form.dealer + 1,
    ...(Object.keys(form.options).length && { options: form.options }),
    ...(form.stack && { stack: Number(form.stack) }),
  });
  problem = answer.ok ? "" : answer.message;
  ui.rerender();
}

/** The value of a parameter as it would be now. @param {RulesetInfo} rules @param {string} key */
const option = (rules, key) => /** @type {Value} */ (form.options[key] ?? rules.parameters[key]);

/** @param {RulesetInfo} rules */
function about(rules) {
  const [least, most] = /** @type {[number, number]} */ (option(rules, "players"));
  const hand = option(rules, "hand");
  const source = String(rules.source ?? rules.parameters["source"] ?? rules.name);
  return `${source.charAt(0).toUpperCase()}${source.slice(1)}. For ${least} to ${most} players, ${hand === "all-but-one" ? "all cards dealt" : `${hand} cards each`}, ${option(rules, "stack")} chips to begin with, ${/** @type {string[]} */ (option(rules, "pools")).length} pools.`;
}

/** Labels and choices of the parameters; a number stands beside some of the choices. */
const CHOICES = /** @type {Record<string, (string | number)[]>} */ ({
  deck: ["auto", 32, 52],
  hand: ["all-but-one", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
  ante_from: ["seats", "bank"],
  sequence: ["trump-789", "best-run-trump-first", "best-run-height-first", "longest-run"],
  bet_pool: ["poch", "pinke"],
  raises: ["free", "none", "capped"],
  turned_card: ["nobody", "dealer"],
  leader: ["poch-winner", "forehand"],
  run_ends: ["nobody-can", "next-cannot"],
  shedding: ["sequence", "rising", "tricks", "domino", "thirty-one"],
  deals: ["open", "round", "until-short"],
  leftover: ["bank", "split"],
  direction: ["clockwise", "anticlockwise"],
});
const LABELS = /** @type {Record<string, string>} */ ({
  source: "Where the rules come from",
  players: "Players, fewest and most",
  deck: "Cards in the deck",
  hand: "Cards in a hand",
  stack: "Chips to begin with",
  pools: "Pools on the board",
  ante_pools: "Pools filled at each deal",
  ante_from: "Who fills the pools",
  ante: "Chips into each pool",
  sequence: "What wins Sequence",
  bet_pool: "Bets go into",
  high_card: "A hand without a set may win",
  prove_set: "Left alone, one must show a set",
  all_in: "All-in is allowed",
  raises: "Raising",
  bluff_penalty: "Penalty for a bluff, times the stake",
  turned_card: "The turned card’s pool goes to",
  leader: "Who leads the cards",
  run_ends: "A run to 31 ends when",
  shedding: "How cards are shed",
  centre_to_winner: "First out takes Pinke",
  run_bonus: "Chips for the last card of a run",
  out_when_broke: "Without chips, out of the game",
  deals: "How many deals",
  last_deal_to_poch: "On the last deal all goes to Poch",
  leftover: "Chips left at the end go to",
  direction: "Direction of play",
});
const WORDS = /** @type {Record<string, string>} */ ({
  auto: "32, from five players 52",
  "all-but-one": "all but one",
  "trump-789": "7 8 9 of the pay suit",
  "best-run-trump-first": "best run, trump first",
  "best-run-height-first": "best run, highest first",
  "longest-run": "longest run",
  none: "none: hold or pass",
  capped: "up to the poorest stack",
  "poch-winner": "who won Poch",
  "nobody-can": "nobody can add a card",
  "next-cannot": "the next one cannot",
  "thirty-one": "to thirty-one",
  open: "as many as you like",
  round: "one for each player",
  "until-short": "until somebody is short",
  seats: "the players",
  bank: "the bank",
  split: "the players, in equal shares",
  dealer: "the dealer",
  nobody: "nobody",
});

/** @param {RulesetInfo} rules @param {string} key */
function field(rules, key) {
  const value = option(rules, key);
  const set = (/** @type {Value} */ to) => {
    if (JSON.stringify(to) === JSON.stringify(rules.parameters[key])) delete form.options[key];
    else form.options[key] = to;
    change();
  };
  const text = (/** @type {Event} */ event) => /** @type {HTMLInputElement} */ (event.target).value;
  const number = (
    /** @type {Value} */ now,
    /** @type {(to: number) => void} */ then,
    name = `option-${key}`,
  ) =>
    html`<input
      type="number"
      name=${name}
      min="0"
      inputmode="numeric"
      .value=${String(now)}
      @change=${(/** @type {Event} */ event) => then(Number(text(event)))}
    />`;
  const label = LABELS[key] ?? key;
  if (typeof value === "boolean") {
    return html`<label class="check"
      ><input
        type="checkbox"
        name="option-${key}"
        .checked=${value}
        @change=${(/** @type {Event} */ event) => set(/** @type {HTMLInputElement} */ (event.target).checked)}
      />
      ${label}</label
    >`;
  }
  if (key === "pools" || key === "ante_pools") {
    const taken = /** @type {string[]} */ (value);
    return html`<fieldset>
      <legend>${label}</legend>
      ${POOLS.map(
        (pool) =>
          html`<label class="check"
            ><input
              type="checkbox"
              name="option-${key}"
              value=${pool}
              .checked=${taken.includes(pool)}
              @change=${() => set(POOLS.filter((one) => (one === pool) !== taken.includes(one)))}
            />
            ${poolName(pool)}</label
          >`,
      )}
    </fieldset>`;
  }
  if (key === "players") {
    const [least, most] = /** @type {[number, number]} */ (value);
    return html`<label
      >${label}
      <span class="pair"
        >${number(least, (to) => set([to, most]))}${number(most, (to) => set([least, to]), "option-players-most")}</span
      ></label
    >`;
  }
  const choices = CHOICES[key];
  if (choices) {
    const counted = key === "deals" && typeof value === "number";
    return html`<label
      >${label}
      <select
        name="option-${key}"
        @change=${(/** @type {Event} */ event) => {
          const to = text(event);
          set(to === "number" ? 4 : /^\d+$/.test(to) ? Number(to) : to);
        }}
      >
        ${choices.map((one) => html`<option value=${one} ?selected=${one === value}>${WORDS[one] ?? one}</option>`)}${
          key === "deals"
            ? html`<option value="number" ?selected=${counted}>a number</option>`
            : nothing
        }</select
      >${counted ? number(value, set) : nothing}</label
    >`;
  }
  if (typeof value === "number") return html`<label>${label} ${number(value, set)}</label>`;
  return html`<label
    >${label}
    <input
      name="option-${key}"
      .value=${String(value)}
      @change=${(/** @type {Event} */ event) => set(text(event))}
  /></label>`;
}
