// @ts-check
// What is tapped just after the table has changed.

import { equal } from "node:assert/strict";
import { test } from "node:test";

import { guardOf } from "../static/commands.js";

/** @param {object} change */
const state = (change) =>
  /** @type {any} */ ({ entry: 3, basis: "1.3", phase: "meld", deal: 1, actions: {}, ...change });
const before = state({});
const claimed = state({ entry: 4, basis: "1.4" });

test("somebody else's claim holds back no claim", () => {
  equal(guardOf(before, before, false), null);
  equal(guardOf(before, claimed, false)?.free, "[data-command=claim]");
});

test("a change that a claim may be meant for holds it back", () => {
  equal(guardOf(before, claimed, true)?.free, "");
  equal(guardOf(before, state({ basis: "1.3.x", pending: { place: 2 } }), false)?.free, "");
  equal(guardOf(before, state({ basis: "1.4", phase: "pochen" }), false)?.free, "");
});
