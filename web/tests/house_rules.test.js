import assert from "node:assert/strict";
import { test } from "node:test";

import { numbersIn } from "../static/house_rules.js";

test("numbers are separated by commas, semicolons or spaces", () => {
  assert.deepEqual(numbersIn("3, 2"), [3, 2]);
  assert.deepEqual(numbersIn(" 3 2;3 "), [3, 2, 3]);
  assert.deepEqual(numbersIn(""), []);
});

test("what is not a whole number is left for the daemon to refuse", () => {
  assert.deepEqual(numbersIn("3, two, -1, 1.5"), [3, "two", "-1", "1.5"]);
});
