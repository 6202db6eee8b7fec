import assert from "node:assert/strict";
import { test } from "node:test";

import { tidied, withCard } from "../static/referee.js";

const rows = [["7H", "8H", "9H"]];

test("a card that is tapped comes to the hand, and goes back with the next tap", () => {
  const hands = withCard({}, 2, "7H");
  assert.deepEqual(hands, { 2: ["7H"] });
  assert.deepEqual(withCard(hands, 2, "7H"), { 2: [] });
});

test("cards that do not matter any more leave the hands", () => {
  const draft = { hands: { 1: ["7H", "7C"], 2: ["8H"], 3: ["9H"] }, seat: 3, trump: "H" };
  const grids = { "": { rows: [] }, H: { rows } };
  const question = { seats: [1, 2], trump: null, unheld: "8H", grids };
  const { hands, seat } = tidied(draft, question);
  assert.deepEqual(hands, { 1: ["7H"] });
  assert.equal(seat, 1);
});

test("a card turned up that somebody holds stays in the hand", () => {
  const draft = { hands: { 1: ["7H"], 2: ["8H"] }, seat: 1, trump: null };
  const question = { seats: [1, 2], trump: "H", unheld: null, grids: { H: { rows } } };
  assert.deepEqual(tidied(draft, question).hands, draft.hands);
});
