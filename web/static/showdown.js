// @ts-check
// The showdown: the plates are tapped in the order of their hands, the best first.

import { html, nothing } from "./vendor/lit-html.js";
import { SPACE } from "./actions.js";
import { text } from "./texts.js";
import { pushButton } from "./views.js";

/** @import * as Api from "../types" */
/** @import { Stage, Tools } from "./actions.js" */

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

/** Whether every pot has somebody who wins it; one that only one seat can win needs nobody.
 * @param {readonly Pick<Api.PotRow, "seats">[]} pots @param {number[][]} ranking */
export const isDecided = (pots, ranking) =>
  ranking.length > 0 &&
  pots.every(
    ({ seats }) => seats.length < 2 || seats.some((seat) => ranking.flat().includes(seat)),
  );

/** @param {Tools} tools @param {Api.Actions} actions @returns {Stage} */
export function showdownStage(tools, { showdown: action }) {
  if (!action) return {};
  const { state, own, draft, edit, commandButton, refereeButton } = tools;
  const { label, title, hint, seats, pots } = action;
  const chips = pots.map((pot) => html`<span class="pot"><b>${pot.chips}</b> ${pot.label}</span> `);
  if (own !== null && !seats.includes(own)) {
    return { facts: chips, row: [SPACE, refereeButton()], others: seats };
  }
  const { ranking, tie } = draft;
  const dead = isDecided(pots, ranking)
    ? ""
    : text("Somebody else’s hand still decides a pot. Tap that name too.");
  const order = html`<span class="order">${orderOf(ranking, state.names)}</span><br />`;
  return {
    ask: ranking.length ? undefined : title,
    facts: html`${ranking.length ? order : nothing} ${chips}`,
    controls: html`<div class="row">
      ${seats.length > 1 ? tieButton(tools, action) : nothing} ${refereeButton()}
      ${action.nobody ? nobodyButton(tools) : nothing}
    </div>`,
    row: [
      commandButton({ do: "showdown", ranking: rankingOf(ranking) }, label, {
        dead: ranking.length ? dead : hint,
      }),
    ],
    choice: {
      seats,
      chosen: ranking.flat(),
      marks: Object.fromEntries(
        ranking.flatMap((tied, i) => tied.map((seat) => [seat, `${i + 1}.`])),
      ),
      choose: (seat) => edit({ ranking: rankedWith(ranking, seat, tie), tie: false }),
    },
  };
}

/** @param {Tools} tools */
const nobodyButton = ({ send }) =>
  pushButton(text("Nobody has a set"), () => send({ do: "showdown", ranking: [] }), {
    "data-command": "showdown",
    "data-nobody": "",
  });

/** @param {Tools} tools @param {Api.ShowdownAction} action */
function tieButton({ draft, edit, why }, { hint }) {
  const { ranking, tie } = draft;
  return pushButton(
    text("Equally good"),
    () => (ranking.length ? edit({ tie: !tie }) : why(hint)),
    {
      "data-tie": "",
      "aria-pressed": String(tie),
      "data-dead": !ranking.length,
      "aria-disabled": ranking.length ? nothing : "true",
    },
  );
}
