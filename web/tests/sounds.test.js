import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { createSignals } from "../static/sounds.js";

const TUNE = {
  notes: [
    [180, 25],
    [0, 135],
    [880, 40],
  ],
  volume: 128,
};
const KNOCK_HZ = 190;
const TURN_HZ = 660;
const REFUSED_HZ = 220;

/** What was played, and what the browser keeps. */
const browser = { heard: [], stopped: 0, output: null, kept: {} };

class Oscillator {
  type = "sine";
  frequency = {
    setValueAtTime: (hz) => this.pitches.push(hz),
    exponentialRampToValueAtTime() {},
  };
  pitches = [];
  connect = (next) => next;
  start() {
    browser.heard.push(this);
  }
  stop(at) {
    if (at === undefined) browser.stopped += 1;
  }
}

Object.defineProperty(globalThis, "navigator", { value: {} });
globalThis.localStorage = { getItem: (key) => browser.kept[key] ?? null };
globalThis.AudioContext = class {
  state = "running";
  currentTime = 1;
  constructor() {
    browser.output = this;
  }
  createOscillator = () => new Oscillator();
  createGain = () => ({
    gain: { setValueAtTime() {}, exponentialRampToValueAtTime() {} },
    connect: (next) => next,
  });
};

/** A state of the table; `board` and others replace what it has. */
function state({ board = {}, ...others } = {}) {
  return {
    night: 1,
    entry: 1,
    turn_played: false,
    last_sound: null,
    guidance: { title: "" },
    board: { simulated: true, has_sound: true, volume: "loud", ...board },
    ...others,
  };
}

/** The first pitches of what was played since the last look. */
async function firsts() {
  await new Promise(setImmediate);
  return browser.heard.splice(0).map(({ pitches: [first] }) => first);
}

beforeEach(() => {
  Object.assign(browser, { heard: [], stopped: 0, kept: { "table-sounds": "on" } });
});

test("the page of a simulated board plays the board's tunes and no sounds of its own", async () => {
  const signals = createSignals(state(), null);
  signals.tune(TUNE);
  await new Promise(setImmediate);
  assert.deepEqual(
    browser.heard.map(({ type, pitches }) => [type, pitches]),
    [["square", [180, 880]]],
  );
  signals.show(state({ entry: 2, last_sound: "knock" }), null);
  signals.refused("Not now.");
  assert.deepEqual((await firsts()).length, 1);
  // A newer tune replaces the current one.
  signals.tune(TUNE);
  assert.deepEqual(await firsts(), [180]);
  assert.equal(browser.stopped, 1);
  browser.kept = {};
  signals.tune(TUNE);
  assert.deepEqual(await firsts(), [], "this phone lets nothing be heard");
});

test("a phone beside a real board, or one without a piezo, has its own sounds", async () => {
  for (const board of [{ simulated: false }, { has_sound: false }]) {
    const signals = createSignals(state({ board }), null);
    signals.show(state({ board, entry: 2, last_sound: "knock" }), null);
    signals.refused("Not now.");
    assert.deepEqual(await firsts(), [KNOCK_HZ, KNOCK_HZ, REFUSED_HZ, 165]);
  }
});

test("a phone calls its owner unless a tune does", async () => {
  const calls = async (next) => {
    const signals = createSignals(state(), null);
    signals.show(state(next), "Your turn");
    return (await firsts()).includes(TURN_HZ);
  };
  assert.equal(await calls({ turn_played: true }), false);
  assert.equal(await calls({}), true, "the board has no tune for other tasks");
  assert.equal(await calls({ turn_played: true, board: { simulated: false } }), true);
  browser.kept = {};
  assert.equal(await calls({ turn_played: true }), true, "its tunes are off");
});

test("what a browser lets be heard only much later is dropped", async (context) => {
  context.mock.timers.enable({ apis: ["Date"] });
  const signals = createSignals(state(), null);
  signals.tune(TUNE);
  assert.deepEqual(await firsts(), [180]);
  browser.output.state = "suspended";
  let resume = () => {};
  browser.output.resume = () => new Promise((resolve) => (resume = resolve));
  for (const [ms, expected] of [
    [999, [180]],
    [1000, []],
  ]) {
    signals.tune(TUNE);
    context.mock.timers.tick(ms);
    resume();
    assert.deepEqual(await firsts(), expected);
  }
});

test("of many sentences the newest are read aloud, after the one that is being read", () => {
  const read = [];
  globalThis.SpeechSynthesisUtterance = class {
    constructor(text) {
      this.text = text;
    }
  };
  globalThis.speechSynthesis = { speak: (utterance) => read.push(utterance), getVoices: () => [] };
  globalThis.window = globalThis;
  browser.kept = { announce: "on" };
  const signals = createSignals(state(), null);
  for (let number = 1; number <= 10; number++) signals.refused(`Sentence ${number}.`);
  for (let over = 0; over < read.length; over++) read[over].onend();
  const expected = [1, 5, 6, 7, 8, 9, 10].map((number) => `Sentence ${number}.`);
  assert.deepEqual(
    read.map(({ text }) => text),
    expected,
  );
});
