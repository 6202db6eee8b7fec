// @ts-check
// The table as people see it: nine bowls with their chips, and which of them may be claimed.

import { html, nothing } from "./vendor/lit-html.js";
import { text } from "./texts.js";
import { pushButton } from "./views.js";

/** @import { PoolDetail } from "../types" */

/** The nine bowls, in the order of the board; how large they are says `--d` of what is around them.
 * A tap on one opens its account, where that can be opened.
 * @param {readonly PoolDetail[]} pools
 * @param {(account: string) => unknown} [open] */
export const bowlsView = (pools, open) =>
  html`<div class="bowls" role=${open ? "group" : "img"} aria-label=${labelOf(pools)}>
    ${pools.map((pool) => (open && pool.chips !== null ? bowlButton(pool, open) : bowlView(pool)))}
  </div>`;

/** The table in words. @param {readonly PoolDetail[]} pools */
const labelOf = (pools) =>
  text("The board: {pools}.", { pools: pools.map(({ label }) => label).join("; ") });

/** @param {PoolDetail} pool */
function kindOf({ chips, blocked, claimable }) {
  const states = { absent: chips === null, empty: chips === 0, blocked, claimable };
  return Object.entries(states)
    .flatMap(([state, holds]) => (holds ? [state] : []))
    .join(" ");
}

/** @param {PoolDetail} pool */
const nameView = ({ name }) => html`<span class=${name.length > 10 ? "long" : ""}>${name}</span>`;

/** @param {PoolDetail} pool */
const bowlView = (pool) =>
  html`<div class="bowl ${kindOf(pool)}" data-bowl=${pool.pool}>
    <b>${pool.chips ?? nothing}</b>${nameView(pool)}
  </div>`;

/** @param {PoolDetail} pool @param {(account: string) => unknown} open */
const bowlButton = (pool, open) =>
  pushButton(html`<b>${pool.chips}</b>${nameView(pool)}`, () => open(`pool:${pool.pool}`), {
    class: `bowl ${kindOf(pool)}`,
    "data-bowl": pool.pool,
    "data-account": `pool:${pool.pool}`,
    title: pool.label,
  });
