import assert from "node:assert/strict";
import { test } from "node:test";

import { draftAfter, freePlace, linesOf, withKnownRuleset } from "../static/lobby.js";

test("a new player gets the first free place", () => {
  assert.equal(
    freePlace(
      [
        { name: "", place: 1 },
        { name: "", place: 3 },
      ],
      8,
    ),
    2,
  );
});

test("the form has at least three lines, in the order of the places", () => {
  const ben = { name: "Ben", place: 5 };
  const lines = linesOf([ben], [], 8);
  assert.deepEqual(lines, [{ name: "", place: 1 }, { name: "", place: 2 }, ben]);
});

test("an empty line goes as soon as somebody is at its place", () => {
  const here = [1, 2, 4].map((place) => ({ name: `P${place}`, place }));
  const empty = [{ name: "", place: 3 }];
  assert.deepEqual(
    linesOf(here, empty, 8).map(({ place }) => place),
    [1, 2, 3, 4],
  );
  const cara = { name: "Cara", place: 3 };
  assert.deepEqual(linesOf([...here, cara], empty, 8)[2], cara);
});

test("a ruleset that was deleted meanwhile is not sent with its options", () => {
  const shared = { players: [], dealer: null, earlier: [], fewest: 3 };
  const next = { ...shared, ruleset: "ours", options: { ante: 2 }, stack: 60 };
  const draft = { ...draftAfter({ night: 3, new_night: next }), problem: "gone" };
  assert.deepEqual([draft.ruleset, draft.options, draft.stack], ["ours", { ante: 2 }, "60"]);
  const usual = "modern";
  const left = withKnownRuleset(draft, { rulesets: [{ name: "modern" }], usual });
  assert.deepEqual([left.ruleset, left.options, left.stack], ["modern", {}, ""]);
  assert.equal(left.problem, "gone");
  const rulesets = [{ name: "modern" }, { name: "ours" }];
  assert.equal(withKnownRuleset(draft, { rulesets, usual }), draft);
});
