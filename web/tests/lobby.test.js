import assert from "node:assert/strict";
import { test } from "node:test";

import { draftAfter, freePlace, movedTo } from "../static/lobby.js";

const board = { places: 8 };

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

test("the form has a row for each player that the ruleset needs", () => {
  const next = { players: [], fewest: 3, ruleset: "modern", options: {}, stack: null };
  const draft = draftAfter({ night: null, new_night: next, board });
  assert.deepEqual(
    draft.players.map(({ place }) => place),
    [1, 2, 3],
  );
  assert.deepEqual([draft.ruleset, draft.stack], ["modern", ""]);
});

test("the form begins with what the server says of the next night", () => {
  const players = [
    { name: "Anna", place: 1 },
    { name: "Ben", place: 5 },
  ];
  const next = { players, fewest: 3, ruleset: "ours", options: { bluff: true }, stack: 60 };
  const draft = draftAfter({ night: 3, new_night: next, board });
  assert.deepEqual(draft.players, [...players, { name: "", place: 2 }]);
  assert.deepEqual([draft.ruleset, draft.options, draft.stack], ["ours", { bluff: true }, "60"]);
  assert.equal(players.length, 2);
});
