import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";

import { createPresses } from "../static/presses.js";

const LOOK_MS = 250;

/** The page's time in ms, the requests sent, how many ms the board takes to answer each kind of
 * edge, and the messages about presses that do not count. */
const world = { now: 0, sent: [], takes: {}, refused: [] };

/** An object that handles events like an element. */
function part(others = {}) {
  const handlers = {};
  return {
    ...others,
    addEventListener: (kind, react) => (handlers[kind] ??= []).push(react),
    fire: (kind, event = {}) =>
      (handlers[kind] ?? []).forEach((react) =>
        react({
          button: 0,
          detail: 0,
          pointerId: 1,
          timeStamp: world.now,
          preventDefault() {},
          ...event,
        }),
      ),
  };
}

function kindOf({ down, repeat, cancel }) {
  if (cancel) return "cancel";
  if (repeat) return "repeat";
  return down ? "down" : "up";
}

/** Lets the page handle everything that has happened. */
async function handle() {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
}

/** Time passes, and the page is not busy. */
async function pass(ms) {
  for (const end = world.now + ms; world.now < end;) {
    const step = Math.min(10, end - world.now);
    world.now += step;
    mock.timers.tick(step);
    await handle();
  }
}

/** The page does nothing for a while, and does not notice what happens meanwhile. */
function stall(ms) {
  world.now += ms;
}

/** The edges sent so far, in order. */
const edges = () => world.sent.map(kindOf).filter((kind) => kind !== "repeat");

beforeEach(() => {
  Object.assign(world, { now: 10_000, sent: [], takes: {}, refused: [], lateMs: 2_000 });
  mock.timers.enable({ apis: ["setTimeout", "setInterval"] });
  mock.method(performance, "now", () => world.now);
  mock.method(Date, "now", () => world.now);
  mock.method(globalThis, "fetch", (_, init) => {
    const body = JSON.parse(init.body);
    world.sent.push(body);
    const ms = world.takes[kindOf(body)] ?? 0;
    const answer = { status: 200, text: async () => JSON.stringify({ refused: [] }) };
    return new Promise((resolve) => (ms ? setTimeout(resolve, ms, answer) : resolve(answer)));
  });
  globalThis.addEventListener = () => {};
  globalThis.document.addEventListener = () => {};
});

afterEach(() => {
  mock.timers.reset();
  mock.restoreAll();
});

function attached() {
  const control = part({ disabled: false, setPointerCapture() {}, matches: () => false });
  const presses = createPresses(
    ({ message }) => world.refused.push(message),
    () => world.lateMs,
  );
  presses.attach("seat1", control, { classList: { add() {}, remove() {}, toggle() {} } });
  return control;
}

test("the click of a press is not a second press, however late it comes", async () => {
  const control = attached();
  for (const busy of [0, 600, 1_500]) {
    control.fire("pointerdown");
    control.fire("pointerup");
    await handle();
    stall(busy);
    control.fire("click", { detail: 1 });
    await pass(200);
  }
  assert.deepEqual(edges(), ["down", "up", "down", "up", "down", "up"]);
});

test("a click without a press is a press, and short even if the page is busy", async () => {
  const control = attached();
  control.fire("click");
  await handle();
  stall(1_500);
  await pass(200);
  assert.deepEqual(edges(), ["down", "up"]);
  assert.ok(world.sent.every(({ held_ms }) => held_ms <= 80));
});

test("a click that comes with simulated pointer events is one press", async () => {
  const control = attached();
  for (const kind of ["pointerdown", "pointerup", "click"]) control.fire(kind);
  await pass(200);
  assert.deepEqual(edges(), ["down", "up"]);
});

test("a tap stays short if the page is busy before it handles the release", async () => {
  const control = attached();
  control.fire("pointerdown");
  await handle();
  const released = { timeStamp: world.now + 80 };
  stall(1_500);
  mock.timers.tick(LOOK_MS); // a timer comes before the release
  await handle();
  control.fire("pointerup", released);
  await handle();
  assert.deepEqual(
    world.sent.map((edge) => [kindOf(edge), edge.held_ms]),
    [
      ["down", 0],
      ["up", 80],
    ],
  );
});

test("a press waits while the board takes a second to answer the one before", async () => {
  world.takes = { up: 1_000 };
  const control = attached();
  for (let tap = 0; tap < 2; tap++) {
    control.fire("pointerdown");
    control.fire("pointerup");
  }
  await pass(3_000);
  assert.deepEqual(edges(), ["down", "up", "down", "up"]);
  assert.deepEqual(world.refused, []);
});

test("the page reports that a button is held only after its down", async () => {
  world.takes = { up: 900 };
  const control = attached();
  control.fire("pointerdown");
  control.fire("pointerup");
  control.fire("pointerdown");
  await pass(900 + 2 * LOOK_MS);
  const second = world.sent.filter(({ press }) => press === 2).map(kindOf);
  assert.deepEqual([...new Set(second)], ["down", "repeat"]);
  assert.equal(second[0], "down");
});

test("a press that waits for more than two seconds is not sent, and the page says so", async () => {
  world.takes = { up: 2_500 };
  const control = attached();
  for (let tap = 0; tap < 2; tap++) {
    control.fire("pointerdown");
    control.fire("pointerup");
  }
  await pass(6_000);
  assert.deepEqual(edges(), ["down", "up"]);
  assert.equal(world.refused.length, 2);
  assert.match(world.refused[0], /Check whether/);
  assert.match(world.refused[1], /does not count/);
});

test("a press whose down is answered too late is cancelled, and the page says so", async () => {
  world.takes = { down: 2_500 };
  const control = attached();
  control.fire("pointerdown");
  control.fire("pointerup");
  await pass(6_000);
  assert.deepEqual(edges(), ["down", "cancel"]);
  assert.equal(world.refused.length, 1);
  assert.match(world.refused[0], /Check whether/);
});

test("how long a press may wait is as long as the board waits", async () => {
  world.takes = { up: 2_500 };
  world.lateMs = 5_000;
  const control = attached();
  for (let tap = 0; tap < 2; tap++) {
    control.fire("pointerdown");
    control.fire("pointerup");
  }
  await pass(8_000);
  assert.deepEqual(edges(), ["down", "up", "down", "up"]);
  assert.deepEqual(world.refused, []);
});

test("a refused release is reported once", async () => {
  const answers = [200, 503, 409];
  globalThis.fetch.mock.mockImplementation(async (_, init) => {
    world.sent.push(JSON.parse(init.body));
    const json = { refused: [], message: "No." };
    return { status: answers.shift(), text: async () => JSON.stringify(json) };
  });
  const control = attached();
  for (let tap = 0; tap < 2; tap++) {
    control.fire("pointerdown");
    control.fire("pointerup");
    await pass(100);
  }
  assert.deepEqual(edges(), ["down", "up", "down"]);
  assert.deepEqual(world.refused, ["No.", "No."]);
});
