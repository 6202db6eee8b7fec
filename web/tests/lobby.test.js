import assert from "node:assert/strict";
import { test } from "node:test";

import { changes, draftAfter, freePlace, movedTo } from "../static/lobby.js";

const board = { places: 8 };
const rulesets = [{ name: "modern", parameters: { stack: 50, pools: ["ace", "poch"] } }];

test("parameters that differ are options, lists by their content", () => {
  const { parameters } = rulesets[0];
  assert.deepEqual(changes(parameters, { stack: 60, pools: ["ace", "poch"] }), { stack: 60 });
});

test("a new player gets the first free place", () => {
  assert.equal(freePlace([{ place: 1 }, { place: 3 }], 8), 2);
});

test("a player who moves to a taken place changes places with whoever sat there", () => {
  const players = [
    { name: "Anna", place: 1 },
    { name: "Ben", place: 2 },
  ];
  assert.deepEqual(
    movedTo(players, 0, 2).map(({ place }) => place),
    [2, 1],
  );
});

test("before the first night there are three empty rows", () => {
  const draft = draftAfter({ night: null, rows: [], ruleset: null, stack: null, board }, rulesets);
  assert.deepEqual(
    draft.players.map(({ place }) => place),
    [1, 2, 3],
  );
  assert.equal(draft.ruleset, "modern");
});

test("the next night is set up like the last one, for those who are still there", () => {
  const rows = [
    { name: "Anna", place: 2 },
    { name: "Ben", place: 5 },
    { name: "Clara", place: 7 },
    { name: "Dora", place: null },
  ];
  const ruleset = { name: "modern", parameters: { stack: 60, pools: ["ace", "poch"] } };
  const draft = draftAfter({ night: 3, rows, ruleset, stack: 60, board }, rulesets);
  assert.deepEqual(
    draft.players.map(({ name }) => name),
    ["Anna", "Ben", "Clara"],
  );
  assert.deepEqual(draft.options, { stack: 60 });
  assert.equal(draft.stack, "60");
});

test("a ruleset that is not there any more leaves no options behind", () => {
  const ruleset = { name: "ours", parameters: { stack: 60 } };
  const draft = draftAfter({ night: 3, rows: [], ruleset, stack: 60, board }, rulesets);
  assert.deepEqual(draft.options, {});
});
