// @ts-check
// The first light of a board: asks one thing after the other, and draws what is right and wrong.

import { html, nothing, render, svg } from "./vendor/lit-html.js";
import { followEvents } from "./connection.js";
import { byId, revealPage } from "./elements.js";
import { FACE } from "./face.js";
import { reason, request } from "./requests.js";
import { text } from "./texts.js";
import { pushButton } from "./views.js";

/** @import { BoardTest, BuildAnswer, BuildBody, FaceAnswer, StateAnswer } from "../types" */

const ADDRESS = "/api/build";
const REST_MS = 3_000;
const SETTLED_MS = 700; // after which a contact that bounces has come to rest
const RING = 0.8; // of the inlays' length, so that one sees the bowl
const EDGE = 1.5;

/** @typedef {{name: string, label: string}} Option */
/**
 * What the page shows.
 * @typedef {object} Bench
 * @property {BuildAnswer} answer the question that is open, or the fault
 * @property {boolean} begun whether the board shows it
 * @property {string} problem why nothing happens
 */

/** Holds the conversation, from what was answered before. @param {FaceAnswer} face
 * @param {BuildAnswer} kept @returns {(state: StateAnswer) => void} what follows the table */
function createBench(face, kept) {
  /** @type {Bench} */
  const bench = { answer: kept, begun: false, problem: "" };
  let [busy, timer, heardBefore] = [false, 0, 0];

  /** Asks the daemon for the next step. @param {Partial<BuildBody>} [body] */
  async function send(body = {}) {
    if (busy) return;
    busy = true;
    clearTimeout(timer);
    const answer = await request("POST", ADDRESS, { body });
    busy = false;
    heardBefore = 0;
    bench.begun = answer?.status === 200;
    bench.problem = bench.begun ? "" : reason(answer);
    if (bench.begun) bench.answer = answer?.json;
    show();
    if (bench.begun && bench.answer.rests) timer = setTimeout(listened, REST_MS);
  }

  /** The board has answered: with what it has heard, if anything. */
  const listened = () => void send({ ask: bench.answer.ask, said: "" });

  const show = () => render(benchView(face, bench, send), byId("build"));

  show();
  return ({ board: { test } }) => {
    if (!bench.begun || busy) return;
    // It may end elsewhere, or because nobody has done anything for a while.
    if (!test) bench.begun = false;
    else if (waitsForPress(bench.answer, test) && test.heard.length > heardBefore) {
      heardBefore = test.heard.length;
      clearTimeout(timer);
      timer = setTimeout(listened, SETTLED_MS);
    }
    show();
  };
}

/** @param {BuildAnswer} answer @param {BoardTest} test */
const waitsForPress = ({ ask, listens, rests }, test) => listens && !rests && test.ask === ask;

/** @typedef {(body?: Partial<BuildBody>) => void} Send */

/** @param {FaceAnswer} face @param {Bench} bench @param {Send} send */
function benchView(face, { answer, begun, problem }, send) {
  return html`${sectionsView(answer)} ${pictureView(face, answer, begun ? send : null)}
    <div class="step" role="status">
      ${begun ? stepView(answer, send) : beginView(answer, send)}
    </div>
    ${problem ? html`<p class="fault" role="alert">${problem}</p>` : nothing}`;
}

/** @param {BuildAnswer} answer */
const sectionsView = ({ sections, section }) =>
  html`<ol class="sections">
    ${sections.map(
      ({ name, label, state: mark }) =>
        html`<li class=${mark} aria-current=${name === section ? "step" : nothing}>${label}</li>`,
    )}
  </ol>`;

/** @param {BuildAnswer} answer @param {Send} send */
function beginView({ sections }, send) {
  const known = sections.some(({ state }) => state !== "open");
  const label = text(known ? "Go on" : "Begin");
  const begin = pushButton(label, () => send(), { class: "main", "data-begin": "" });
  return html`<p>
      ${text(
        "The board asks, one thing after the other. If something is wrong, it names the cause and what to do, and goes on from there.",
      )}
    </p>
    ${begin}`;
}

/** @param {BuildAnswer} answer @param {Send} send */
function stepView(answer, send) {
  if (answer.fault) return faultView(answer, send);
  return answer.ask ? askView(answer, send) : doneView(answer, send);
}

/** @param {BuildAnswer} answer @param {Send} send */
function askView({ ask, question, choices, listens, picks }, send) {
  /** @param {Option} choice @param {string} look */
  const choiceView = ({ name, label }, look) =>
    pushButton(label, () => send({ ask, said: name }), { class: look, "data-said": name });
  return html`<h2 data-ask=${ask}>${question}</h2>
    ${listens ? html`<p class="listening">${text("Listening …")}</p>` : nothing}
    <div class="row">${choices.map((one) => choiceView(one, "soft"))}</div>
    ${
      picks.length > 0
        ? html`<p class="quiet-note">${text("Tap the part in the picture, or choose it:")}</p>
            <div class="row">${picks.map((one) => choiceView(one, "plain"))}</div>`
        : nothing
    }`;
}

/** @param {BuildAnswer} answer @param {Send} send */
function faultView({ fault, fix, section }, send) {
  const fixed = () => send(again(section));
  return html`<h2 data-fault>${fault}</h2>
    <p class="fix">${fix}</p>
    ${pushButton(text("Done, test it again"), fixed, { class: "main", "data-again": section })}`;
}

/** @param {BuildAnswer} answer @param {Send} send */
const doneView = ({ tunes }, send) =>
  html`<h2>${text("Everything that is built is right.")}</h2>
    <h3>${text("What the board plays")}</h3>
    <ul class="tunes">
      ${tunes.map(
        ({ name, label }) =>
          html`<li>
            ${pushButton(label, () => send(play(name)), { class: "plain", "data-tune": name })}
          </li>`,
      )}
    </ul>
    ${pushButton(text("Test everything again"), () => send(again("all")), {
      "data-again": "all",
    })}`;

/** @param {string} section */
const again = (section) => ({ again: /** @type {BuildBody["again"]} */ (section) });

/** @param {string} name */
const play = (name) => ({ tune: /** @type {BuildBody["tune"]} */ (name) });

/** The board from above.
 * @param {FaceAnswer} face @param {BuildAnswer} answer
 * @param {Send | null} send takes the part that is tapped, if one may be */
function pictureView(face, { ask, marks, picks }, send) {
  const open = send ? picks.map(({ name }) => name) : [];
  /** @param {string} name @param {string} part that is picked with it
   * @param {{x: number, y: number, r: number, width: number}} circle */
  const lightView = (name, part, { x, y, r, width }) => {
    const taken = open.includes(part);
    const look = `light ${marks[`light ${name}`] ?? ""} ${taken ? "open" : ""}`;
    return svg`<circle class=${look} data-part="light ${name}" cx=${x} cy=${y} r=${r}
      stroke-width=${width} @click=${() => taken && send?.({ ask, said: part })}></circle>`;
  };
  const rings = face.pools.map(({ pool, x, y, ring, length }) =>
    lightView(pool, pool, { x, y, r: ring, width: length * RING }),
  );
  const places = face.places.map(({ pixel: [x, y] }, index) => {
    const name = `seat${index + 1}`;
    const part = open.includes(name) ? name : "places";
    return lightView(name, part, { x, y, r: (face.inlay[0] ?? 0) / 2, width: EDGE });
  });
  const buttons = Object.entries(face.buttons).map(
    ([name, [x, y]]) =>
      svg`<circle class="button ${marks[`button ${name}`] ?? ""}" data-part="button ${name}"
        cx=${x} cy=${y} r=${face.button / 2} stroke-width=${EDGE}></circle>`,
  );
  const half = face.radius;
  return html`<svg
    class="built"
    role="img"
    aria-label=${text("The board, with what has been tested so far")}
    viewBox="${-half} ${-half} ${2 * half} ${2 * half}"
  >
    <circle class="wood" r=${half}></circle>
    ${rings}${places}${buttons}
  </svg>`;
}

addEventListener("pagehide", () => void request("DELETE", ADDRESS, { keepalive: true }));
const [shape, answers] = await Promise.all([request("GET", FACE), request("GET", ADDRESS)]);
if (shape?.status === 200 && answers?.status === 200) start(shape.json, answers.json);
else render(html`${reason(answers)} <a href="">${text("Try again")}</a>`, byId("build"));
revealPage();

/** @param {FaceAnswer} face @param {BuildAnswer} kept */
function start(face, kept) {
  const follow = createBench(face, kept);
  const nothingToDo = () => {};
  followEvents({
    known: () => null,
    state: follow,
    refused: nothingToDo,
    frame: nothingToDo,
    health: nothingToDo,
    live: nothingToDo,
  });
}
