import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { createSignals } from "../static/sounds.js";

const KNOCK_HZ = 190;
const TURN_HZ = 660;
const REFUSED_HZ = 220;

/** What was played, and what the browser keeps. */
const browser = { heard: [], output: null, kept: {} };

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
  stop() {}
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

/** A state of the table, with what differs. */
function state(others = {}) {
  return {
    night: 1,
    entry: 1,
    last: null,
    guidance: { title: "" },
    ...others,
  };
}

/** The first pitches of what was played since the last look. */
async function firsts() {
  await new Promise(setImmediate);
  return browser.heard.splice(0).map(({ pitches: [first] }) => first);
}

beforeEach(() => {
  Object.assign(browser, { heard: [], kept: { "table-sounds": "on" } });
});

test("a phone plays what happens at the table, if it is to", async () => {
  const signals = createSignals(state(), null);
  signals.show(state({ entry: 2, last: { sound: "knock" } }), null);
  signals.refused("Not now.");
  assert.deepEqual(await firsts(), [KNOCK_HZ, KNOCK_HZ, REFUSED_HZ, 165]);
  browser.kept = {};
  signals.show(state({ entry: 3, last: { sound: "knock" } }), "Your turn");
  assert.deepEqual(await firsts(), [TURN_HZ, 880], "it calls its owner all the same");
});

test("what a browser lets be heard only much later is dropped", async (context) => {
  context.mock.timers.enable({ apis: ["Date"] });
  const signals = createSignals(state(), null);
  signals.refused("Not now.");
  assert.deepEqual(await firsts(), [REFUSED_HZ, 165]);
  browser.output.state = "suspended";
  let resume = () => {};
  browser.output.resume = () => new Promise((resolve) => (resume = resolve));
  for (const [ms, expected] of [
    [999, [REFUSED_HZ, 165]],
    [1000, []],
  ]) {
    signals.refused("Not now.");
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
