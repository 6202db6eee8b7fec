// @ts-check
// The table as people see it: nine bowls with their chips, and which of them may be claimed.
//
// Hooks for tests: .bowls [data-bowl="ace"] b, with .claimable, .blocked, .empty, .absent

import { html, nothing } from "./vendor/lit-html.js";

/** @import { PoolDetail } from "../types" */

/** The nine bowls, in the order of the board; how large they are says `--d` of what is around them.
 * @param {readonly PoolDetail[]} pools @param {string} label the table in words */
export const bowlsView = (pools, label) =>
  html`<div class="bowls" role="img" aria-label=${label}>${pools.map(bowlView)}</div>`;

/** @param {PoolDetail} pool */
function bowlView({ pool, name, chips, blocked, claimable }) {
  const states = { absent: chips === null, empty: chips === 0, blocked, claimable };
  const kind = Object.entries(states).flatMap(([state, holds]) => (holds ? [state] : []));
  return html`<div class="bowl ${kind.join(" ")}" data-bowl=${pool}>
    <b>${chips ?? nothing}</b><span>${name}</span>
  </div>`;
}
