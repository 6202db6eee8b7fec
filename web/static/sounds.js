// @ts-check
// Sounds and speech. Browsers allow neither before the first tap, so this module is loaded then.

import { request } from "./requests.js";
import { stored } from "./storage.js";
import { LANGUAGE } from "./texts.js";
import { moment, msSince } from "./time.js";

/** @import { EntryAnswer, LastEntry, StateAnswer } from "../types" */
/** @typedef {{hz: number, to?: number, at: number, s: number, volume: number,
 *   shape?: OscillatorType}} Tone `at` and `s` in seconds; `to` is the pitch at its end */
/** @typedef {NonNullable<LastEntry["sound"]> | "turn" | "refused"} SoundName */

const VIBRATION_MS = [80, 60, 80];
const MOST_WAITING = 6; // sentences; older ones are no longer news
const MOST_ENTRIES = 3;
const LATE_MS = 1_000; // what is not heard by then is about something else

/** @param {number} hz @param {number} at @returns {Tone} a chip that falls on others */
const chip = (hz, at) => ({ hz, to: hz * 0.8, at, s: 0.05, volume: 0.12, shape: "triangle" });
/** @param {number} at @returns {Tone} a knuckle on wood */
const knock = (at) => ({ hz: 190, to: 70, at, s: 0.12, volume: 0.6 });
/** @param {number} hz @param {number} at @returns {Tone} */
const bell = (hz, at) => ({ hz, at, s: 0.16, volume: 0.2 });

/** @type {Record<SoundName, Tone[]>} */
const SOUNDS = {
  knock: [knock(0), knock(0.16)],
  chips: [chip(2600, 0), chip(3100, 0.07)],
  claim: [chip(2300, 0), chip(2600, 0.06), chip(2900, 0.12), chip(3200, 0.18), chip(3500, 0.24)],
  win: [bell(660, 0), bell(880, 0.09), bell(1320, 0.18)],
  out: [bell(1760, 0), bell(1760, 0.1), bell(1320, 0.2)],
  end: [bell(523, 0), bell(659, 0.16), bell(784, 0.32), bell(1047, 0.48)],
  turn: [bell(660, 0), bell(880, 0.16)],
  refused: [
    { hz: 220, at: 0, s: 0.12, volume: 0.12, shape: "sawtooth" },
    { hz: 165, at: 0.14, s: 0.2, volume: 0.12, shape: "sawtooth" },
  ],
};

/** Which sounds and speech are on at this phone, as it has stored. */
export const HEARD = {
  turn: () => stored("sound") !== "off",
  table: () => stored("table-sounds") === "on",
  speech: () => stored("announce") === "on" && "speechSynthesis" in window,
};

/** The voice for the page's language, one on the device itself if there is any. */
export function findVoice() {
  const voices = window.speechSynthesis?.getVoices() ?? [];
  const fitting = voices.filter(({ lang }) => lang.toLowerCase().startsWith(LANGUAGE));
  return fitting.find(({ localService }) => localService) ?? fitting[0] ?? null;
}

/** @param {AudioContext} audio @param {Tone} tone */
function playTone(audio, { hz, to = hz, at, s, volume, shape = "sine" }) {
  const [oscillator, gain] = [audio.createOscillator(), audio.createGain()];
  const start = audio.currentTime + at;
  oscillator.type = shape;
  oscillator.frequency.setValueAtTime(hz, start);
  oscillator.frequency.exponentialRampToValueAtTime(to, start + s);
  gain.gain.setValueAtTime(volume, start);
  gain.gain.exponentialRampToValueAtTime(0.001, start + s);
  oscillator.connect(gain).connect(audio.destination);
  oscillator.start(start);
  oscillator.stop(start + s);
}

function createPlayer() {
  /** @type {AudioContext | null} */
  let output = null;

  /** A phone suspends it while the page is hidden, and then keeps what it should play.
   * @param {(audio: AudioContext) => void} play */
  async function awake(play) {
    const asked = moment();
    output ??= new AudioContext();
    if (output.state !== "running") await output.resume();
    if (msSince(asked) < LATE_MS) play(output);
  }
  return {
    /** @param {SoundName} name */
    play: (name) => awake((audio) => SOUNDS[name].forEach((tone) => playTone(audio, tone))),
  };
}

/** Says one sentence after another. */
function createSpeaker() {
  /** @type {string[]} */
  const waiting = [];
  /** @type {SpeechSynthesisUtterance | null} */
  let speaking = null;

  function next() {
    const said = waiting.shift();
    speaking = null;
    if (said === undefined) return;
    speaking = new SpeechSynthesisUtterance(said);
    speaking.lang = LANGUAGE;
    speaking.voice = findVoice();
    speaking.onend = speaking.onerror = next;
    speechSynthesis.speak(speaking);
  }
  return {
    /** @param {readonly string[]} sentences */
    say(sentences) {
      waiting.push(...sentences);
      waiting.splice(0, waiting.length - MOST_WAITING);
      if (!speaking) next();
    },
    stop() {
      waiting.length = 0;
      speaking = null;
      speechSynthesis.cancel();
    },
  };
}

/**
 * The sounds and speech of the table, from this state on.
 * @param {StateAnswer} first @param {string | null} firstTask of the phone's owner
 */
export function createSignals(first, firstTask) {
  let last = first;
  let lastTask = firstTask;
  let lastTitle = first.guidance.title;
  let spoken = first.entry; // the last entry that was read aloud, or came before
  const player = createPlayer();
  const speaker = createSpeaker();

  /** The sentences of the entries that are news. @param {StateAnswer} state */
  async function newSentences({ night, entry, last: newest }) {
    const after = Math.max(spoken, entry - MOST_ENTRIES);
    spoken = entry;
    if (entry <= after) return [];
    if (entry === after + 1) return newest ? [newest.sentence] : [];
    const answer = await request("GET", `/api/nights/${night}/entries?after=${after}`);
    if (answer?.status !== 200) return newest ? [newest.sentence] : [];
    /** @type {EntryAnswer[]} */
    const entries = answer.json;
    return entries.filter(({ number }) => number <= entry).map((one) => one.sentence);
  }

  /** What was recorded, and what is next. @param {StateAnswer} state @param {string} title */
  async function announce(state, title) {
    if (state.night !== last.night) spoken = 0;
    const next = title === lastTitle ? [] : [title];
    lastTitle = title;
    const sentences = await newSentences(state);
    speaker.say([...sentences, ...next]);
  }

  /** @param {StateAnswer} state */
  function playEntry(state) {
    if (state.last?.sound) void player.play(state.last?.sound);
  }

  /** @param {StateAnswer} state @param {string | null} task of the phone's owner */
  function show(state, task) {
    const recorded = state.night !== last.night || state.entry > last.entry;
    const called = task !== null && task !== lastTask;
    if (HEARD.speech()) void announce(state, task ?? state.guidance.title);
    if (recorded && HEARD.table()) playEntry(state);
    if (called && HEARD.turn()) {
      navigator.vibrate?.(VIBRATION_MS);
      void player.play("turn");
    }
    [last, lastTask] = [state, task];
  }

  return {
    show,
    /** @param {string} message */
    refused(message) {
      if (HEARD.table()) void player.play("refused");
      if (HEARD.speech()) speaker.say([message]);
    },
    /** The phone's owner has chosen what is to be heard. */
    changed() {
      spoken = last.entry;
      if ("speechSynthesis" in window) speaker.stop();
      if (HEARD.speech()) speaker.say([lastTask ?? last.guidance.title]);
    },
  };
}
