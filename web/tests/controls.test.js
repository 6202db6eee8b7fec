import assert from "node:assert/strict";
import { test } from "node:test";

import { stakeLabel } from "../static/betting.js";
import { isDecided, orderOf, rankedWith, rankingOf } from "../static/showdown.js";

test("seats are ranked in the order of the taps", () => {
  assert.deepEqual(rankedWith(rankedWith([], 3, false), 1, false), [[3], [1]]);
});

test("a seat may tie with the last one", () => {
  assert.deepEqual(rankedWith([[3]], 1, true), [[3, 1]]);
});

test("the first seat ties with nobody", () => {
  assert.deepEqual(rankedWith([], 3, true), [[3]]);
});

test("a second tap takes a seat out, and its group if that is empty", () => {
  assert.deepEqual(rankedWith([[3, 1], [2]], 3, false), [[1], [2]]);
  assert.deepEqual(rankedWith([[3], [2]], 3, false), [[2]]);
});

test("the command names a seat alone by itself, and ties as a list", () => {
  assert.deepEqual(rankingOf([[3, 1], [2]]), [[3, 1], 2]);
});

test("the order is shown with ranks and names", () => {
  const names = { 1: "Anna", 2: "Ben", 3: "Clara" };
  assert.equal(orderOf([[3, 1], [2]], names), "1. Clara = Anna   2. Ben");
});

test("an order is complete once each pot that several may win has a winner", () => {
  const pots = [{ seats: [1, 2, 3] }, { seats: [2, 3] }, { seats: [3] }];
  assert.equal(isDecided(pots, []), false);
  assert.equal(isDecided(pots, [[1]]), false);
  assert.equal(isDecided(pots, [[1], [2]]), true);
  assert.equal(isDecided(pots, [[2]]), true);
});

test("the label of a stake is that of its step", () => {
  const steps = [
    { least: 4, label: "Stay in with {chips}" },
    { least: 5, label: "Put in {chips}: raise by {more}" },
  ];
  assert.equal(stakeLabel({ steps }, 4, 4), "Stay in with 4");
  assert.equal(stakeLabel({ steps }, 4, 7), "Put in 7: raise by 3");
});
