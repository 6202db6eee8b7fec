import assert from "node:assert/strict";
import { test } from "node:test";

import { seatToCount } from "../static/counting.js";

const counts = (/** @type {Record<number, number | null>} */ cards) =>
  Object.entries(cards).map(([seat, held]) => ({ seat: Number(seat), most: 10, cards: held }));

test("the first seat without a count is entered next", () => {
  assert.equal(seatToCount(counts({ 2: null, 3: null })), 2);
  assert.equal(seatToCount(counts({ 2: 0, 3: null })), 3);
  assert.equal(seatToCount(counts({ 2: 0, 3: 4 })), null);
});

test("the seat that is being entered does not come again", () => {
  assert.equal(seatToCount(counts({ 2: null, 3: null }), 2), 3);
});
