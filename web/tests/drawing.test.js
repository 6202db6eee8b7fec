import assert from "node:assert/strict";
import { test } from "node:test";

import { scale, separate } from "../static/chart.js";
import { glow } from "../static/board.js";
import { shorten } from "../static/texts.js";
import { markScale } from "../static/player.js";

test("a dark pixel does not glow", () => {
  assert.deepEqual(glow("#000000"), { hue: "#000000", brightness: 0 });
});

test("a dim pixel keeps its hue", () => {
  const [dim, bright] = [glow("#200000"), glow("#ff0000")];
  assert.equal(dim.hue, bright.hue);
  assert.ok(dim.brightness < bright.brightness);
});

test("a name that is too long ends with an ellipsis", () => {
  assert.equal(shorten("Benjamin the Younger", 9), "Benjamin…");
  assert.equal(shorten("Anna", 9), "Anna");
});

test("a name is not cut within a letter", () => {
  const family = "\u{1F469}\u200D\u{1F469}\u200D\u{1F467}";
  assert.equal(shorten(`${family} Smith`, 3), `${family}…`);
  assert.equal(shorten(family.repeat(3), 3), family.repeat(3));
});

test("the entry drawn at a point is the entry of that point", () => {
  const { x, stepAt } = scale(400, [1, 20], [0, 50]);
  for (const entry of [1, 7, 20]) assert.equal(stepAt(x(entry)), entry);
  assert.equal(stepAt(-50), 1);
  assert.equal(stepAt(1_000), 20);
});

test("a night of one entry can be drawn", () => {
  assert.equal(scale(400, [1, 1], [0, 50]).x(1), 44);
});

test("names at the ends of lines do not overlap, and stay inside the chart", () => {
  const ends = [200, 201, 202, 203].map((y, id) => ({ id, name: "", y }));
  const ys = separate(ends).map(({ y }) => y);
  assert.ok(ys.slice(1).every((y, i) => y - ys[i] >= 15));
  assert.ok(Math.max(...ys) <= 216);
});

test("marks of a timeline lie between the ends that the scrubber can reach", () => {
  const x = markScale(320, 11);
  assert.deepEqual([x(1), x(6), x(11)], [10, 160, 310]);
  assert.equal(markScale(320, 1)(1), 10);
});
