import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";

import { createPresses } from "../static/presses.js";

/** The page and its time in ms, the requests sent, what the board answers and how many ms it takes,
 * and the messages about presses that do not count. */
const world = { page: null, now: 0, sent: [], answer: {}, takes: 0, refused: [] };
const COUNTED = { status: 200, text: async () => JSON.stringify({ refused: [] }) };

/** An object that handles events like an element. */
function part(others = {}) {
  const handlers = {};
  const common = { button: 0, detail: 0, pointerId: 1, code: "Space", preventDefault() {} };
  return {
    ...others,
    addEventListener: (kind, react) => (handlers[kind] ??= []).push(react),
    fire: (kind, event = {}) =>
      (handlers[kind] ?? []).forEach((react) =>
        react({ ...common, timeStamp: world.now, ...event }),
      ),
  };
}

/** Time passes, and the page is not busy. */
async function pass(ms) {
  for (const end = world.now + ms; world.now < end;) {
    world.now += 10;
    mock.timers.tick(10);
    for (let turn = 0; turn < 20; turn++) await Promise.resolve();
  }
}

/** What has been sent, each as [button, ms]. */
const sent = () => world.sent.map(({ button, ms }) => [button, ms]);

beforeEach(() => {
  Object.assign(world, { page: part(), now: 10_000, sent: [], takes: 0, refused: [] });
  world.answer = COUNTED;
  mock.timers.enable({ apis: ["setTimeout"] });
  mock.method(performance, "now", () => world.now);
  mock.method(Date, "now", () => world.now);
  mock.method(globalThis, "fetch", (_, { body, signal }) => {
    world.sent.push(JSON.parse(body));
    const answer = world.answer;
    return new Promise((resolve, reject) => {
      signal.addEventListener("abort", reject);
      if (world.takes) setTimeout(resolve, world.takes, answer);
      else resolve(answer);
    });
  });
  globalThis.addEventListener = world.page.addEventListener;
  globalThis.document.addEventListener = () => {};
});

afterEach(() => {
  mock.timers.reset();
  mock.restoreAll();
});

/** A button, whose long meaning takes this many seconds. */
function attached(hold = 0, presses = createPresses((refused) => world.refused.push(refused))) {
  const classList = { add() {}, remove() {}, toggle() {} };
  const control = part({ dataset: { button: "ace", hold }, setPointerCapture() {} });
  presses.attach(control, { classList });
  return { ...control, presses };
}

test("a press is sent when it ends, and is as long as between its events", async () => {
  const button = attached();
  button.fire("pointerdown");
  await pass(300);
  assert.deepEqual(sent(), []);
  world.now += 500; // the page is busy, and handles the event late
  button.fire("pointerup", { timeStamp: world.now - 500 });
  await pass(10);
  assert.deepEqual(sent(), [["ace", 300]]);
});

test("a button that is held long enough acts before it goes up, and only once", async () => {
  const button = attached(0.8);
  button.fire("keydown", { key: " " });
  await pass(1_000);
  assert.deepEqual(sent(), [["ace", 800]]);
  world.page.fire("keyup");
  await pass(10);
  assert.equal(world.sent.length, 1);
});

test("a short press stays short on a page that is busy when a long one would act", async () => {
  const button = attached(0.8);
  button.fire("pointerdown");
  await pass(790);
  world.now += 100;
  mock.timers.tick(10); // the timer comes first, and what happened before it after it
  button.fire("pointerup", { timeStamp: world.now - 95 });
  await pass(200);
  assert.deepEqual(sent(), [["ace", 795]]);
});

test("what does not end with a lifted finger has no effect", async () => {
  const button = attached(0.8);
  button.fire("pointerdown");
  button.fire("pointercancel");
  button.fire("pointerdown");
  world.page.fire("blur");
  await pass(1_000);
  button.fire("pointerup");
  await pass(10);
  assert.deepEqual(sent(), []);
});

test("a second finger or key on a button that is held changes nothing", async () => {
  const button = attached();
  button.fire("pointerdown");
  button.fire("pointerdown", { pointerId: 2 });
  button.fire("pointerup", { pointerId: 2 });
  await pass(10);
  assert.deepEqual(sent(), []);
  button.fire("pointerup");
  await pass(10);
  assert.equal(world.sent.length, 1);
});

test("a screen reader's click is a press, a pointer's is none", async () => {
  const button = attached();
  button.fire("pointerdown");
  button.fire("pointerup");
  button.fire("click", { detail: 1 });
  await pass(200);
  assert.equal(world.sent.length, 1);
  button.fire("click");
  await pass(10);
  assert.deepEqual(sent(), [
    ["ace", 0],
    ["ace", 0],
  ]);
});

test("presses arrive in order; one that waits for too long is dropped, and said", async () => {
  const button = attached();
  world.takes = 2_500;
  for (let i = 0; i < 2; i++) button.fire("click");
  await pass(3_000);
  assert.equal(world.sent.length, 1);
  assert.deepEqual(
    world.refused.map(({ message }) => message.slice(0, 21)),
    ["This press took too l"],
  );
});

test("without an answer nobody knows whether a press counted", async () => {
  const button = attached();
  world.takes = 60_000;
  button.fire("click");
  await pass(5_000);
  assert.equal(world.refused.length, 1);
  assert.match(world.refused[0].message, /Check whether your press counted/);
});

test("whatever answers in the board's place, the next press is sent", async () => {
  const button = attached();
  for (const [status, said] of [
    [200, "<html>Sign in to this Wi-Fi</html>"],
    [502, "<html>Bad Gateway</html>"],
    [200, "null"],
    [503, JSON.stringify({ code: "not-stored", message: "The disk is full." })],
  ]) {
    world.answer = { status, text: async () => said };
    button.fire("click");
    await pass(10);
  }
  assert.equal(world.sent.length, 4);
  const [full] = world.refused.splice(3).map(({ message }) => message);
  assert.equal(full, "The disk is full.");
  assert.equal(world.refused.length, 3);
  for (const { message } of world.refused) assert.match(message, /Check whether your press/);
});
