// Tips for beginners last for three deals.

import assert from "node:assert/strict";
import { test } from "node:test";
import { keptOfTips } from "../static/coach.js";

/** What is kept after these moments, each a night, deal and phase. */
const after = (moments, kept = null) =>
  moments.reduce(
    (before, [night, deal, phase]) => keptOfTips(before, { night, deal, phase }),
    kept,
  );

test("tips end when the fourth deal begins", () => {
  const deals = [
    [7, 0, "idle"],
    [7, 1, "meld"],
    [7, 1, "shed"],
    [7, 1, "idle"],
    [7, 2, "pochen"],
    [8, 1, "meld"],
  ];
  assert.notEqual(after(deals), "off");
  assert.notEqual(after([...deals, [8, 1, "idle"]]), "off");
  assert.equal(after([...deals, [8, 2, "meld"]]), "off");
});

test("what was switched off stays off, and between nights nothing is counted", () => {
  assert.equal(after([[7, 1, "meld"]], "off"), "off");
  assert.equal(after([[7, 3, "closed"]]), null);
});
