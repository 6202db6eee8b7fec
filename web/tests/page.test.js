import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";

import { plainDigits } from "../static/elements.js";
import {
  clockTime,
  fill,
  followZone,
  formOf,
  localMinute,
  longDate,
  momentText,
  msOfMinute,
  ntext,
  ptext,
  text,
} from "../static/texts.js";
import { oneAtATime } from "../static/taps.js";
import { parse, postCommand, reason, request } from "../static/requests.js";
import { pause } from "../static/time.js";
import { sight } from "../static/owner.js";

/** Answers of the daemon in their order: a status and JSON, or null for a broken connection. */
function answers(...all) {
  return mock.method(globalThis, "fetch", async () => {
    const answer = all.shift();
    if (!answer) throw new TypeError("no connection");
    return { status: answer.status, text: async () => JSON.stringify(answer.json) };
  });
}

/** Runs the timers of whatever a promise waits for until it is settled. */
async function settled(promise) {
  let done = false;
  promise.finally(() => (done = true));
  while (!done) {
    await new Promise(setImmediate);
    mock.timers.tick(100);
  }
  return promise;
}

beforeEach(() => mock.timers.enable({ apis: ["setTimeout"] }));
afterEach(() => {
  mock.timers.reset();
  mock.restoreAll();
});

test("a text has its places filled, and its form chosen by the count", () => {
  const cards = (count) => ntext("{count} card", "{count} cards", { count });
  assert.equal(cards(1), "1 card");
  assert.equal(cards(0), "0 cards");
  assert.equal(text("{name} takes it.", { name: "Anna" }), "Anna takes it.");
  assert.equal(text("{count} more"), "{count} more");
});

test("a translation takes the place of the English, also where a context tells two apart", () => {
  assert.equal(text("Back"), "Zurück");
  assert.equal(ptext("timeline", "deal"), "Runde");
  assert.equal(ptext("button", "deal"), "deal");
});

test("times are written and read in the zone of the board, wherever the phone is", () => {
  const ms = Date.UTC(2026, 10, 14, 23, 30, 7);
  followZone("Europe/Berlin");
  assert.equal(longDate(ms), "Sunday, November 15, 2026");
  assert.equal(clockTime(ms, true), "00:30:07");
  assert.match(momentText(ms), /November 15, 2026.*00:30.*GMT\+1/);
  assert.equal(localMinute(ms), "2026-11-15T00:30");
  assert.equal(msOfMinute("2026-11-15T00:30"), ms - 7_000);
  // Twice, and never, as daylight saving time ends and begins.
  assert.equal(msOfMinute("2026-10-25T02:30"), Date.UTC(2026, 9, 25, 0, 30));
  assert.equal(msOfMinute("2026-03-29T02:30"), Date.UTC(2026, 2, 29, 1, 30));
  assert.equal(msOfMinute("2026-10-25T03:30"), Date.UTC(2026, 9, 25, 2, 30));
  assert.equal(msOfMinute("2026-03-29T01:30"), Date.UTC(2026, 2, 29, 0, 30));
  assert.ok(Number.isNaN(msOfMinute("")));
  followZone("Pacific/Kiritimati");
  assert.equal(localMinute(ms), "2026-11-15T13:30");
  assert.equal(msOfMinute("2026-11-15T13:30"), ms - 7_000);
});

test("a zone that this browser does not know leaves its own", () => {
  followZone("Mars/Olympus");
  assert.equal(clockTime(0, true), new Date(0).toTimeString().slice(0, 8));
  followZone("");
  assert.equal(clockTime(0, true), new Date(0).toTimeString().slice(0, 8));
});

test("names are compared by what people see of them", () => {
  for (const name of ["Zoë", "Zoe\u0308", " Zo\u200de\ufe0f\u0308\u00ad"])
    assert.equal(sight(name), "Zoë");
  assert.notEqual(sight("Anna"), sight("anna"));
  assert.equal(sight(), "");
});

test("the plural follows the rules of the language", () => {
  const message = { one: "one", other: "other" };
  assert.equal(formOf(message, 0, "fr"), "one");
  assert.equal(formOf(message, 0, "de"), "other");
  const polish = { one: "karta", few: "karty", many: "kart" };
  assert.deepEqual(
    [1, 3, 5].map((count) => formOf(polish, count, "pl")),
    ["karta", "karty", "kart"],
  );
});

test("a place may stand more than once, and braces in a value stay", () => {
  assert.equal(fill("{name}, {name}", { name: "{x}" }), "{x}, {x}");
  assert.equal(fill("{name}: {count}", { name: "שרה", count: 3 }), "\u2068שרה\u2069: 3");
});

test("what is not JSON is null", () => {
  assert.equal(parse(""), null);
  assert.deepEqual(parse('{"a": 1}'), { a: 1 });
});

test("a request that gets no answer is null, and says so", async () => {
  answers(null);
  const answer = await request("GET", "/api/state");
  assert.equal(answer, null);
  assert.equal(reason(answer), "The board did not answer. Try again.");
});

test("the reason of a refusal is the daemon's own sentence", async () => {
  answers({ status: 409, json: { code: "conflict", message: "Ben has shown king." } });
  assert.equal(reason(await request("POST", "/api/bots")), "Ben has shown king.");
});

test("whoever only asks for something asks again while the daemon is busy", async () => {
  const busy = { status: 503, json: { code: "busy", message: "Wait a moment." } };
  const fetched = answers(busy, busy, { status: 200, json: { number: 1 } });
  const answer = await settled(request("GET", "/api/nights/1"));
  assert.deepEqual(answer, { status: 200, json: { number: 1 } });
  assert.equal(fetched.mock.callCount(), 3);
});

test("a daemon that stays busy is asked four times, and then its answer counts", async () => {
  const busy = { status: 503, json: { code: "busy", message: "Wait a moment." } };
  const fetched = answers(...Array(9).fill(busy));
  assert.equal(reason(await settled(request("GET", "/api/statistics"))), "Wait a moment.");
  assert.equal(fetched.mock.callCount(), 4);
});

test("a change is not repeated because the daemon is busy", async () => {
  const busy = { status: 503, json: { code: "busy", message: "Wait a moment." } };
  const fetched = answers(busy, { status: 200, json: {} });
  assert.equal((await settled(request("PUT", "/api/board/settings"))).status, 503);
  assert.equal(fetched.mock.callCount(), 1);
});

test("a command is sent again until it is answered, with the same id", async () => {
  const fetched = answers(null, { status: 503, json: null }, { status: 200, json: { entry: 7 } });
  assert.deepEqual(await settled(postCommand({ do: "deal" })), { ok: true });
  const bodies = fetched.mock.calls.map(({ arguments: [, init] }) => JSON.parse(init.body));
  assert.equal(bodies.length, 3);
  assert.equal(new Set(bodies.map(({ id }) => id)).size, 1);
  assert.match(bodies[0].id, /^[0-9a-f]{32}$/);
});

test("after too many requests a command is sent again: it may be recorded", async () => {
  const busy = { status: 503, json: { code: "busy", message: "Wait a moment." } };
  const fetched = answers(null, busy, { status: 200, json: { entry: 7 } });
  assert.deepEqual(await settled(postCommand({ do: "deal" })), { ok: true });
  assert.equal(fetched.mock.callCount(), 3);
});

test("a command without an answer is not called refused because of too many requests", async () => {
  answers(null, ...Array(5).fill({ status: 503, json: { code: "busy", message: "Wait." } }));
  const result = await settled(postCommand({ do: "deal" }));
  assert.equal(result.code, "no-answer");
});

test("a command that is refused is not sent again", async () => {
  const fetched = answers({ status: 409, json: { code: "conflict", message: "No." } });
  const result = await settled(postCommand({ do: "deal" }));
  assert.deepEqual(result, { ok: false, code: "conflict", message: "No." });
  assert.equal(fetched.mock.callCount(), 1);
});

test("a command that a proxy refuses is refused, too", async () => {
  answers({ status: 404, json: null });
  const result = await settled(postCommand({ do: "deal" }));
  assert.deepEqual(result, { ok: false, code: "refused", message: "The board refused this." });
});

test("a command that nobody answers is given up after six tries", async () => {
  const fetched = answers();
  const result = await settled(postCommand({ do: "deal" }));
  assert.equal(result.code, "no-answer");
  assert.equal(fetched.mock.callCount(), 6);
});

test("a command is not sent again an hour later by a phone that slept", async () => {
  const fetched = answers(null, { status: 200, json: { entry: 7 } });
  let now = 0;
  mock.method(Date, "now", () => now);
  const posted = postCommand({ do: "deal" });
  await new Promise(setImmediate);
  now = 3_600_000;
  assert.equal((await settled(posted)).code, "no-answer");
  assert.equal(fetched.mock.callCount(), 1);
});

test("taps change something once at a time, and not in the first moments after", async () => {
  let now = 0;
  mock.method(performance, "now", () => now);
  let changes = 0;
  const change = oneAtATime(async () => {
    await pause(100);
    changes++;
  });
  await settled(Promise.all([change(), change()]));
  now = 100;
  await settled(change());
  assert.equal(changes, 1);
  now = 500;
  await settled(change());
  assert.equal(changes, 2);
});

test("digits of any script are digits, and other characters stay", () => {
  assert.equal(plainDigits("٣ ３ ३ 𝟛𝟗 a½²"), "3 3 3 39 a½²");
  for (const zero of ["0", "٠", "۰", "०", "๐", "０", "𝟎", "𝟘"]) {
    const first = zero.codePointAt(0);
    const all = Array.from({ length: 10 }, (_, i) => String.fromCodePoint(first + i)).join("");
    assert.equal(plainDigits(all), "0123456789");
  }
});
