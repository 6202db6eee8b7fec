// @ts-check
// What may happen now in the night, in words and as controls.

import { html, nothing, render } from "./vendor/lit-html.js";
import { MELD_POOLS, POOLS, poolName } from "./board.js";

/** @param {string} id */
const at = (id) => /** @type {HTMLElement} */ (document.getElementById(id));
/** @param {number} n @param {string} one */
export const some = (n, one) => `${n} ${one}${n === 1 ? "" : "s"}`;
export const SUITS = { C: "♣ clubs", D: "♦ diamonds", H: "♥ hearts", S: "♠ spades" };
export const RANKS = {
  A: "ace",
  K: "king",
  Q: "queen",
  J: "jack",
  T: "10",
  9: "9",
  8: "8",
  7: "7",
  6: "6",
  5: "5",
  4: "4",
  3: "3",
  2: "2",
};

/** What has been tapped here and is not sent yet; begins anew with every stage and turn. */
let draft = fresh("");
function fresh(/** @type {string} */ stage) {
  return {
    stage,
    seat: /** @type {number | null} */ (null),
    chips: /** @type {number | null} */ (null),
    ranking: /** @type {number[][]} */ ([]),
    tie: false,
    cards: /** @type {Record<string, number>} */ ({}),
  };
}
const errors = /** @type {Record<string, string>} */ ({});
let open = "";
/** @type {typeof import("./more.js") | null} */
let more = null;
/** @type {typeof import("./referee.js") | null} */
let referee = null;
/** @type {import("./main.js").Ui} */
let ui;
/** @type {State} */
let latest;

/** @param {State} now @param {import("./main.js").Ui} given */
export function show(now, given) {
  [ui, latest] = [given, now];
  const stage = [now.night, now.deal, now.phase, now.to_act, now.winner].join();
  if (draft.stage !== stage) {
    draft = fresh(stage);
    for (const key of Object.keys(errors)) delete errors[key];
  }
  const { title, lines } = words(now);
  render(
    html`<h2>${title}</h2>
      ${lines.map((line) => html`<p>${line}</p>`)}`,
    at("now"),
  );
  render(
    now.pairing.paired ? panel(now) : html`${ui.watching(now)}${refereeButton(now)}`,
    at("controls"),
  );
  referee?.follow(now, ui);
}

/** Sends and, where it is refused, says so beside the control. @param {Command} command */
export async function give(command) {
  delete errors[command.do];
  const answer = await ui.send(command);
  if (answer.ok) draft = fresh(draft.stage);
  else errors[command.do] = answer.message;
  if (answer.ok && open === command.do) open = "";
  ui.rerender();
  return answer;
}

/** @param {string} command */
export const error = (command) =>
  errors[command] ? html`<p class="error" data-error=${command}>${errors[command]}</p>` : nothing;

/** @param {Command} command @param {unknown} label */
export const doer = (command, label, kind = "main", disabled = false) =>
  html`<button
    type="button"
    class=${kind}
    data-command=${command.do}
    ?disabled=${disabled}
    @click=${() => give(command)}
  >
    ${label}
  </button>`;

/** @param {State} now @param {number | null | undefined} seat */
const name = (now, seat) => now.names[String(seat)] ?? "Nobody";
/** @param {State} now @param {number | null | undefined} seat */
const place = (now, seat) => `place ${now.places[String(seat)] ?? "?"}`;
/** @param {State} now @param {string} key */
const rule = (now, key) => now.ruleset?.parameters[key];

/** @param {string[]} names */
export const list = (names) =>
  names.length < 2
    ? names.join("")
    : `${names.slice(0, -1).join(", ")} and ${names[names.length - 1]}`;

/** Those who have not passed. @param {State} now */
export const stillIn = (now) =>
  now.passed
    ? now.live.filter((seat) => !now.passed?.includes(seat))
    : now.live.filter((seat) => now.committed[seat]);

/** What the cards can settle now. @param {State} now */
export function argument(now) {
  if (now.phase === "showdown") return "showdown";
  return now.phase === "meld" && now.pools.sequence && !now.blocked.includes("sequence")
    ? "sequence"
    : null;
}

/** Whether house players see to what the cards say; where they are stuck, people may. @param {State} now */
const housePlays = (now) => now.demo !== null && !now.demo.stuck;

/** Opens the referee, who is there for everybody. @param {State} now */
function refereeButton(now) {
  const kind = housePlays(now) ? null : argument(now);
  const settle = async () => {
    referee ??= await import("./referee.js").catch(() => null);
    if (!referee) return ui.toast("The board did not answer; try again.");
    referee.follow(latest, ui); // the night may have gone on meanwhile
    await referee.open();
  };
  return kind
    ? html`<button type="button" class="soft" data-referee=${kind} @click=${settle}>
        ${kind === "showdown" ? "Settle by the cards" : "Who takes the sequence?"}
      </button>`
    : nothing;
}

/** The pool of the bets, and what its button is called. @param {State} now */
const betPool = (now) => poolName(String(rule(now, "bet_pool") ?? "poch"));

/** @param {State} now @returns {{title: string, lines: string[]}} */
function words(now) {
  const chosen = now.pending?.seat;
  switch (now.phase) {
    case "idle":
      return idleWords(now);
    case "meld": {
      const turned = now.turned
        ? `${cardName(now.turned)} was turned up: ${suitName(now.turned)} pay${now.blocked.length ? `, and ${list(now.blocked.map(poolName))} ${now.blocked.length > 1 ? "are" : "is"} blocked` : ""}.`
        : "Has a card been turned up? Enter it below, so that blocked pools are known.";
      const claim = chosen
        ? `${name(now, chosen)} is chosen: now press each pool that the cards were shown for.`
        : "Whoever shows the cards for a pool: press your place, then the pool.";
      return {
        title: "Show your cards",
        lines: [claim, turned, "When everybody is done, press next: the betting begins."],
      };
    }
    case "pochen":
      return bettingWords(now);
    case "showdown": {
      const inPlay = stillIn(now);
      const hands = now.pending?.hands ?? [];
      const first =
        inPlay.length === 1
          ? `${name(now, inPlay[0])} must show a set: press ${place(now, inPlay[0])}.`
          : `${list(inPlay.map((seat) => name(now, seat)))} compare. Press the places in the order of the hands, the best first.`;
      const pressed = hands.length
        ? `So far: ${hands.map((seat, i) => `${i + 1}. ${name(now, seat)}`).join(", ")}.`
        : "";
      return {
        title: "Show your sets",
        lines: [
          first,
          pressed,
          `Nobody has a set: hold ${betPool(now)}. A tie is entered below.`,
        ].filter(Boolean),
      };
    }
    case "shed":
      return shedWords(now);
    default:
      return { title: "", lines: [] };
  }
}

/** @param {State} now */
function idleWords(now) {
  const each =
    Number(rule(now, "ante") ?? 1) * /** @type {string[]} */ (rule(now, "ante_pools") ?? []).length;
  const due = rule(now, "ante_from") === "bank" ? 0 : each;
  const short = now.live.filter((seat) => (now.stacks[seat] ?? 0) < due);
  const lines = [
    short.length
      ? `${list(short.map((seat) => name(now, seat)))} cannot ante (${some(due, "chip")}): buy in with the place, then Pinke; or leave by holding the place for 3 seconds.`
      : due
        ? `Press next: everybody puts ${some(Number(rule(now, "ante") ?? 1), "chip")} into ${each / Number(rule(now, "ante") ?? 1)} pools.`
        : "Press next: the bank fills the pools.",
  ];
  const { seat, place: empty } = now.pending ?? {};
  if (seat) lines.unshift(`${name(now, seat)} is chosen: press Pinke to buy in.`);
  else if (empty) lines.unshift(`Place ${empty} is chosen: press Pinke to join there.`);
  lines.push("To close the night, hold next and undo together for 2 seconds.");
  return { title: `${name(now, now.dealer)} deals next`, lines };
}

/** @param {State} now */
function bettingWords(now) {
  const seat = now.to_act;
  const stack = now.stacks[String(seat)] ?? 0;
  const need = now.need ?? 0;
  const hand = now.pending?.chips ?? 0;
  const title = `${name(now, seat)} is to act: ${!need ? "nothing staked yet" : need > stack ? `${need} to hold, but only ${stack} left` : `${need} to hold`}`;
  const lines = [
    hand
      ? `${some(hand, "chip")} in the hand. Press ${place(now, seat)} for one more, ${betPool(now)} to put ${hand === 1 ? "it" : "them"} in, or hold ${place(now, seat)} to let go.`
      : need
        ? `Press ${place(now, seat)} to take up ${need < stack ? `${some(need, "chip")}, once more for each chip on top,` : `all ${some(stack, "chip")},`} then ${betPool(now)}. Hold ${place(now, seat)} to pass.`
        : `Press ${place(now, seat)} once for each chip, then ${betPool(now)}: that is a knock. Hold ${place(now, seat)} to pass.`,
  ];
  if (hand && rule(now, "all_in"))
    lines.push(`Hold ${betPool(now)} to put in the whole stack of ${stack}.`);
  return { title, lines };
}

/** @param {State} now */
function shedWords(now) {
  const undo = "A misdeal: hold next and undo together for 2 seconds.";
  const bonus = Number(rule(now, "run_bonus") ?? 0);
  const chosen = now.pending?.seat;
  if (now.winner === null) {
    const lines = [
      chosen
        ? `${name(now, chosen)} is chosen: press Pinke if ${name(now, chosen)} is out of cards${bonus ? ", Poch for the last card of a run" : ""}.`
        : "Whoever plays the last card: press your place, then Pinke.",
    ];
    if (bonus && !chosen)
      lines.push(
        `Whoever lays the last card of a run gets ${some(bonus, "chip")} from each: press your place, then Poch.`,
      );
    return { title: `Play the cards: ${name(now, now.leader)} leads`, lines: [...lines, undo] };
  }
  const counted = now.pending?.cards ?? {};
  const missing = now.live.filter((seat) => seat !== now.winner && counted[seat] === undefined);
  const line = missing.length
    ? `${list(missing.map((seat) => name(now, seat)))} still ${missing.length > 1 ? "have" : "has"} to count: press your place once for each card left in your hand. With no card, or to count again: hold it.`
    : "All have counted. Press next to settle the deal.";
  return { title: `${name(now, now.winner)} is out of cards`, lines: [line] };
}

/** @param {string} card */
const cardName = (card) =>
  `The ${RANKS[/** @type {keyof typeof RANKS} */ (/** @type {unknown} */ (card.charAt(0)))]} of ${suitName(card)}`;
/** @param {string} card */
const suitName = (card) =>
  (SUITS[/** @type {keyof typeof SUITS} */ (card.charAt(1))] ?? "").slice(2);

/** @param {State} now */
function panel(now) {
  const may = (/** @type {string} */ command) => now.allowed.commands.includes(command);
  return html`<fieldset class="all">
    <legend class="quiet">Controls</legend>
    <div class="stage">
      ${may("deal") ? doer({ do: "deal" }, "Deal") : nothing}${error("deal")}
      ${now.phase === "meld" ? meldPanel(now, may) : nothing}
      ${may("stake") ? stakePanel(now, may) : nothing}
      ${may("showdown") && !housePlays(now) ? showdownPanel(now) : nothing}
      ${may("out") || may("go") ? shedPanel(now, may) : nothing}
      ${may("settle") ? settlePanel(now) : nothing}
    </div>
    <div class="back">
      ${may("undo") ? doer({ do: "undo" }, html`<b>Undo</b> <small>${now.undoes ?? ""}</small>`, "soft") : nothing}
      ${may("redo") ? doer({ do: "redo" }, html`<b>Redo</b> <small>${now.redoes ?? ""}</small>`, "soft") : nothing}
      ${error("undo")}${error("redo")}
    </div>
    ${morePanel(now, may)}
  </fieldset>`;
}

/** Buttons to choose a seat. @param {State} now @param {number[]} seats @param {(seat: number) => void} then */
export const pick = (now, seats, then, chosen = /** @type {number[]} */ ([])) =>
  html`<div class="picks">
    ${seats.map(
      (seat) =>
        html`<button
          type="button"
          class="pick"
          data-seat=${seat}
          aria-pressed=${chosen.includes(seat) ? "true" : "false"}
          @click=${() => then(seat)}
        >
          ${name(now, seat)}
        </button>`,
    )}
  </div>`;

/** @param {Partial<ReturnType<typeof fresh>>} change */
function set(change) {
  Object.assign(draft, change);
  ui.rerender();
}

/** @param {State} now @param {(command: string) => boolean} may */
function meldPanel(now, may) {
  const seat = draft.seat ?? now.pending?.seat ?? null;
  const pools = MELD_POOLS.filter((pool) => (now.pools[pool] ?? 0) > 0);
  return html`<h3>Who takes a pool?</h3>
    ${pick(now, now.live, (one) => set({ seat: one === draft.seat ? null : one }), seat === null ? [] : [seat])}
    <div class="picks">
      ${pools.map(
        (pool) =>
          html`<button
            type="button"
            class="pick pool"
            data-command="claim"
            data-pool=${pool}
            ?disabled=${seat === null || now.blocked.includes(pool)}
            @click=${async () => {
              const answer = await give({ do: "claim", seat, pool });
              if (answer.ok) set({ seat });
            }}
          >
            ${poolName(pool)}
            <small>${now.blocked.includes(pool) ? "blocked" : now.pools[pool]}</small>
          </button>`,
      )}
    </div>
    ${error("claim")} ${refereeButton(now)}
    ${may("turn") && !now.turned && !housePlays(now) ? turnPanel(now) : nothing}${error("turn")}
    ${may("next") ? doer({ do: "next" }, "Melding is done: next") : nothing}${error("next")}`;
}

/** @param {State} now */
function turnPanel(now) {
  const ranks = Object.entries(RANKS).filter(
    ([rank]) => now.deck !== 32 || !"23456".includes(rank),
  );
  ranks.sort(([a], [b]) => "AKQJT98765432".indexOf(a) - "AKQJT98765432".indexOf(b));
  return html`<form
    data-form="turn"
    class="row"
    @submit=${(/** @type {SubmitEvent} */ event) => {
      const values = fields(event);
      void give({ do: "turn", card: `${values["rank"]}${values["suit"]}` });
    }}
  >
    <label
      >Card turned up
      <select name="rank">
        ${ranks.map(([rank, word]) => html`<option value=${rank}>${word}</option>`)}
      </select></label
    >
    <label
      ><span class="quiet">Suit</span
      ><select name="suit">
        ${Object.entries(SUITS).map(([suit, word]) => html`<option value=${suit}>${word}</option>`)}
      </select></label
    >
    <button class="soft" data-command="turn">Enter</button>
  </form>`;
}

/** What a form holds, which is then not sent by the browser. @param {SubmitEvent} event */
export function fields(event) {
  event.preventDefault();
  const data = new FormData(/** @type {HTMLFormElement} */ (event.target));
  return Object.fromEntries([...data.entries()].map(([key, value]) => [key, String(value).trim()]));
}

/** @param {State} now @param {(command: string) => boolean} may */
function stakePanel(now, may) {
  const seat = now.to_act;
  const stack = now.stacks[String(seat)] ?? 0;
  const need = now.need ?? 0;
  const least = Math.min(Math.max(need, 1), stack);
  const chips = Math.max(1, Math.min(draft.chips ?? least, stack));
  const verb =
    need === 0
      ? `Knock with ${chips}`
      : chips === need
        ? `Hold ${chips}`
        : chips < need
          ? `All in with ${chips}`
          : `Put in ${chips}: raise by ${chips - need}`;
  const step = (/** @type {number} */ by) => () =>
    set({ chips: Math.max(1, Math.min(stack, chips + by)) });
  return html`<h3>
      ${name(now, seat)}
      <small
        >has
        ${stack}${now.committed[String(seat)] ? `, ${now.committed[String(seat)]} staked` : ""}</small
      >
    </h3>
    <div class="stepper">
      <button type="button" class="soft" aria-label="one chip less" @click=${step(-1)}>−</button>
      <output id="stake-chips" aria-live="polite">${chips}</output>
      <button type="button" class="soft" aria-label="one chip more" @click=${step(1)}>+</button>
      ${least < stack ? html`<button type="button" class="soft" @click=${() => set({ chips: least })}>${need ? `Need ${least}` : "One"}</button>` : nothing}
      <button type="button" class="soft" @click=${() => set({ chips: stack })}>All ${stack}</button>
    </div>
    <div class="row">
      ${doer({ do: "stake", seat, chips }, verb)}
      ${may("pass") ? doer({ do: "pass", seat }, "Pass", "soft") : nothing}
    </div>
    ${error("stake")}${error("pass")}`;
}

/** @param {State} now */
function showdownPanel(now) {
  const seats = stillIn(now);
  const ranking = draft.ranking;
  const add = (/** @type {number} */ seat) => {
    const without = ranking
      .map((group) => group.filter((one) => one !== seat))
      .filter((group) => group.length);
    if (ranking.flat().includes(seat)) return set({ ranking: without });
    const last = ranking[ranking.length - 1];
    if (draft.tie && last) set({ ranking: [...ranking.slice(0, -1), [...last, seat]], tie: false });
    else set({ ranking: [...ranking, [seat]], tie: false });
  };
  const order = ranking
    .map((group, i) => `${i + 1}. ${group.map((seat) => name(now, seat)).join(" = ")}`)
    .join("   ");
  return html`${refereeButton(now)}
    <h3>Best hand first</h3>
    ${pick(now, seats, add, ranking.flat())}
    <p class="order">${order || "Tap the names in the order of their hands."}</p>
    <div class="row">
      <button
        type="button"
        class="soft"
        data-tie
        aria-pressed=${draft.tie ? "true" : "false"}
        ?disabled=${!ranking.length}
        @click=${() => set({ tie: !draft.tie })}
      >
        The next one ties
      </button>
      ${doer({ do: "showdown", ranking: ranking.map((group) => (group.length > 1 ? group : group[0])) }, "That is the order", "main", !ranking.length)}
      <button
        type="button"
        class="soft"
        data-command="showdown"
        data-nobody
        @click=${() => give({ do: "showdown", ranking: [] })}
      >
        Nobody has a set
      </button>
    </div>
    ${error("showdown")}`;
}

/** @param {State} now @param {(command: string) => boolean} may */
function shedPanel(now, may) {
  const block = (/** @type {string} */ command, /** @type {string} */ title) =>
    may(command)
      ? html`<h3>${title}</h3>
          <div class="picks">
            ${now.live.map(
              (seat) =>
                html`<button
                  type="button"
                  class="pick"
                  data-command=${command}
                  data-seat=${seat}
                  @click=${() => give({ do: command, seat })}
                >
                  ${name(now, seat)}
                </button>`,
            )}
          </div>
          ${error(command)}`
      : nothing;
  return html`${now.winner === null ? block("out", "Who has played the last card?") : nothing}${block("go", "Who laid last in a run?")}`;
}

/** @param {State} now */
function settlePanel(now) {
  const seats = now.live.filter((seat) => seat !== now.winner);
  const count = (/** @type {number} */ seat) =>
    draft.cards[seat] ?? now.pending?.cards?.[seat] ?? 0;
  const cards = Object.fromEntries(seats.map((seat) => [seat, count(seat)]));
  const step = (/** @type {number} */ seat, /** @type {number} */ by) => () => {
    const most = now.hand_sizes[seat] ?? 51;
    set({ cards: { ...draft.cards, [seat]: Math.max(0, Math.min(most, count(seat) + by)) } });
  };
  return html`<h3>Cards left in the hand</h3>
    ${seats.map(
      (seat) =>
        html`<div class="stepper" data-seat=${seat}>
          <span class="name">${name(now, seat)}</span>
          <button
            type="button"
            class="soft"
            aria-label="${name(now, seat)}: one card less"
            @click=${step(seat, -1)}
          >
            −
          </button>
          <output>${count(seat)}</output>
          <button
            type="button"
            class="soft"
            aria-label="${name(now, seat)}: one card more"
            @click=${step(seat, 1)}
          >
            +
          </button>
        </div>`,
    )}
    ${doer({ do: "settle", cards }, "Settle the deal")}${error("settle")}`;
}

const RARE = {
  rebuy: "Buy in",
  join: "Join",
  leave: "Leave",
  rename: "Rename",
  dealer: "Dealer",
  adjust: "Recount",
  void: "Misdeal",
  end: "End the night",
};

/** What is rarely wanted, each behind a button of its own. @param {State} now @param {(command: string) => boolean} may */
function morePanel(now, may) {
  const there = Object.entries(RARE).filter(([command]) => may(command));
  if (!there.some(([command]) => command === open)) open = "";
  const toggle = async (/** @type {string} */ command) => {
    more ??= await import("./more.js").catch(() => null);
    if (!more) return ui.toast("The board did not answer; try again.");
    open = open === command ? "" : command;
    ui.rerender();
  };
  return html`<div class="more" role="group" aria-label="More">
      ${there.map(
        ([command, label]) =>
          html`<button
            type="button"
            class="link"
            data-open=${command}
            aria-expanded=${open === command ? "true" : "false"}
            @click=${() => toggle(command)}
          >
            ${label}
          </button>`,
      )}
      ${now.board.simulated ? html`<button type="button" class="link" id="both" @click=${() => ui.presses.together(["next", "undo"], 2300)}>Hold next + undo</button>` : nothing}
    </div>
    ${open && more ? html`<div class="sheet" data-sheet=${open}>${more.form(now, open)}${error(open)}</div>` : nothing}`;
}

/** Account names for a recount. @param {State} now */
export const accounts = (now) => [
  ["bank", "Bank"],
  ...POOLS.filter((pool) => now.pools[pool] !== undefined).map((pool) => [
    `pool:${pool}`,
    poolName(pool),
  ]),
  ...now.live.map((seat) => [`seat:${seat}`, name(now, seat)]),
];
