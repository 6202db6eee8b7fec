import assert from "node:assert/strict";
import { test } from "node:test";

import {
  draftAfter,
  freePlace,
  movedTo,
  wantedBots,
  withKnownRuleset,
  withPlayer,
  withoutPlayer,
} from "../static/lobby.js";

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

test("who deals first stays so when somebody else is taken off the list", () => {
  const players = ["Anna", "Ben", "Clara"].map((name, i) => ({ name, place: i + 1 }));
  /** @param {number} dealer @param {number} index */
  function dealerAfter(dealer, index) {
    const left = withoutPlayer({ players, dealer }, index);
    return left.players[left.dealer]?.name;
  }
  assert.equal(dealerAfter(1, 0), "Ben");
  assert.equal(dealerAfter(1, 2), "Ben");
  assert.equal(dealerAfter(1, 1), "Clara");
  assert.equal(dealerAfter(2, 2), "Anna");
});

test("an earlier name fills the first line without one, else a new line", () => {
  const players = [
    { name: "Anna", place: 1 },
    { name: " ", place: 2 },
  ];
  const two = withPlayer(players, "Ben", 8);
  assert.deepEqual(two, [players[0], { name: "Ben", place: 2 }]);
  assert.deepEqual(withPlayer(two, "Clara", 8), [...two, { name: "Clara", place: 3 }]);
});

test("the form has a row for each player that the ruleset needs", () => {
  const next = { players: [], fewest: 3, ruleset: "modern", options: {}, stack: null };
  const draft = draftAfter({ night: null, new_night: next, board });
  assert.deepEqual(
    draft.players.map(({ place }) => place),
    [1, 2, 3],
  );
  assert.deepEqual([draft.ruleset, draft.stack], ["modern", ""]);
  assert.equal(
    draftAfter({ night: null, new_night: { ...next, fewest: 2 }, board }).players.length,
    3,
  );
  const left = { ...next, fewest: 2, players: [{ name: "Anna", place: 4 }] };
  assert.equal(draftAfter({ night: 3, new_night: left, board }).players.length, 2);
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

test("a ruleset that was deleted meanwhile is not sent with its options", () => {
  const next = { players: [], fewest: 3, ruleset: "ours", options: { ante: 2 }, stack: 60 };
  const draft = { ...draftAfter({ night: 3, new_night: next, board }), problem: "gone" };
  const bots = { ruleset: "modern", players: 4 };
  const left = withKnownRuleset(draft, { rulesets: [{ name: "modern" }], bots });
  assert.deepEqual([left.ruleset, left.options, left.stack], ["modern", {}, ""]);
  assert.deepEqual([left.players, left.problem], [draft.players, "gone"]);
  const rulesets = [{ name: "modern" }, { name: "ours" }];
  assert.equal(withKnownRuleset(draft, { rulesets, bots }), draft);
});

test("bots are invited to the usual ruleset if the chosen one was deleted", () => {
  const usual = { ruleset: "modern", players: 4 };
  const chosen = { ruleset: "ours", players: 5 };
  const rulesets = [{ name: "modern" }, { name: "ours" }];
  assert.deepEqual(wantedBots(rulesets, usual, chosen), chosen);
  const left = [{ name: "modern" }];
  assert.deepEqual(wantedBots(left, usual, chosen), { ruleset: "modern", players: 5 });
});
