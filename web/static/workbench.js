// @ts-check
// The test of a board while it is built: lights it part by part, and shows which buttons it hears.

import { html, svg } from "./vendor/lit-html.js";
import { render } from "./drawing.js";
import { reason, request } from "./requests.js";
import { actionLabels, text } from "./texts.js";

/** @import { StateAnswer, FaceAnswer, TestBody } from "../types" */

/** @typedef {TestBody["part"]} Part */
/** @typedef {"right" | "dark" | "other"} Seen what people saw of a part */
/** @typedef {Part | "buttons" | "result"} Step each part, then all buttons, then what was found */
/**
 * @typedef {object} Bench what has been tested so far
 * @property {FaceAnswer} face
 * @property {readonly Part[]} parts
 * @property {Step} step
 * @property {Partial<Record<Step, Seen>>} seen
 * @property {readonly string[]} pressed
 * @property {string} last the button that was pressed last
 */

const ANSWERS = /** @type {const} */ (["right", "dark", "other"]);
const SEAT = "seat"; // before the number of a place, in the names of buttons

/**
 * Tests the board in a dialog. Returns what follows the table meanwhile.
 * @param {HTMLDialogElement} drawer @param {(message: string) => void} toast
 * @param {() => void} leave shows what was there before
 * @returns {Promise<(state: StateAnswer) => void>}
 */
export async function testBoard(drawer, toast, leave) {
  const got = await request("GET", "/api/board/face");
  if (got?.status !== 200) {
    toast(reason(got));
    return () => {};
  }
  const bench = newBench(got.json);
  let [lit, over] = [false, false];

  function end() {
    drawer.removeEventListener("close", end);
    if (over) return;
    over = true;
    void request("DELETE", "/api/board/test");
    if (drawer.open) leave();
  }

  /** @param {Step} step */
  async function go(step) {
    const part = bench.parts.find((one) => one === step) ?? "all";
    const answer = await request("PUT", "/api/board/test", { body: { part } });
    if (answer?.status !== 204) {
      toast(reason(answer));
      return end();
    }
    bench.step = step;
    show();
  }

  const show = () =>
    render(
      html`<h2 id="drawer-title">${text("workbench.title")}</h2>
        ${pictureView(bench)} ${stepView(bench, go)}
        <button type="button" class="main" @click=${end}>${text("device.done")}</button>`,
      drawer,
    );

  drawer.addEventListener("close", end);
  await go(bench.step);
  return ({ board: { test } }) => {
    if (over) return;
    // It may end elsewhere, or because nobody has done anything for a while.
    if (lit && !test) void go(bench.step);
    lit = Boolean(test);
    bench.pressed = test?.pressed ?? bench.pressed;
    bench.last = test?.last ?? bench.last;
    show();
  };
}

/** @param {FaceAnswer} face @returns {Bench} */
function newBench(face) {
  const pools = /** @type {Part[]} */ (face.pools.map(({ pool }) => pool));
  return { face, parts: [...pools, "places"], step: "ace", seen: {}, pressed: [], last: "" };
}

/** @param {Bench} bench @param {(step: Step) => void} go */
function stepView(bench, go) {
  if (bench.step === "buttons") return pressesView(bench, go);
  return bench.step === "result" ? resultView(bench, go) : lightView(bench, go);
}

/** @param {Bench} bench @param {(step: Step) => void} go */
function lightView(bench, go) {
  /** @param {Seen} seen */
  function take(seen) {
    bench.seen = { ...bench.seen, [bench.step]: seen };
    go(bench.parts[bench.parts.findIndex((part) => part === bench.step) + 1] ?? "buttons");
  }
  return html`<p data-lit=${bench.step}>${text("workbench.ask", { part: named(bench.step) })}</p>
    <div class="row">
      ${ANSWERS.map(
        (seen) =>
          html`<button type="button" class="soft" data-seen=${seen} @click=${() => take(seen)}>
            ${text(`workbench.${seen}`)}
          </button>`,
      )}
    </div>`;
}

/** @param {Bench} bench @param {(step: Step) => void} go */
function pressesView(bench, go) {
  const { last } = bench;
  const heard = last ? text("workbench.heard", { button: named(last) }) : text("workbench.silent");
  const missing = notHeard(bench);
  return html`<p>${text("workbench.press")}</p>
    <p role="status" data-heard=${last}>${heard}</p>
    <p>${missing && text("workbench.missing", { buttons: missing })}</p>
    <button type="button" class="soft" data-result @click=${() => go("result")}>
      ${text("workbench.finish")}
    </button>`;
}

/** @param {Bench} bench @param {(step: Step) => void} go */
function resultView(bench, go) {
  const { face, parts, seen } = bench;
  const pixels = face.pixels_per_ring;
  const faults = parts.flatMap((part, index) => {
    if (!seen[part] || seen[part] === "right") return [];
    const places = { part: named(part), pixel: index * pixels, pixels };
    return [text(`workbench.${seen[part]}_why`, places)];
  });
  const missing = notHeard(bench);
  if (missing) faults.push(text("workbench.deaf_why", { buttons: missing }));
  function again() {
    bench.seen = {};
    go("ace");
  }
  return html`${
      faults.length
        ? html`<ul data-faults>
            ${faults.map((fault) => html`<li>${fault}</li>`)}
          </ul>`
        : html`<p class="answer">${text("workbench.all_right")}</p>`
    }
    <button type="button" class="soft" data-again @click=${again}>
      ${text("workbench.again")}
    </button>`;
}

/** @param {Bench} bench */
const notHeard = ({ face, pressed }) =>
  Object.keys(face.buttons)
    .filter((button) => !pressed.includes(button))
    .map(named)
    .join(", ");

/** @param {string} name of a part or a button */
function named(name) {
  if (name === "next" || name === "undo") return actionLabels()[name];
  const place = name.startsWith(SEAT) && name.slice(SEAT.length);
  return place ? text("workbench.place", { place }) : text(`workbench.${name}`);
}

/** The board from above. @param {Bench} bench */
function pictureView(bench) {
  const { face, step, seen } = bench;
  /** @param {Step} part */
  const partMark = (part) => (part === step ? "now" : (seen[part] ?? ""));
  const buttons = Object.entries(face.buttons).map(
    ([name, [x, y]]) =>
      svg`<circle class="bench-button ${buttonMark(bench, name)}" data-bench=${name}
        cx=${x} cy=${y} r=${face.button / 2}></circle>`,
  );
  const pools = /** @type {(FaceAnswer["pools"][number] & {pool: Part})[]} */ (face.pools);
  const rings = pools.map(
    ({ pool, x, y, ring, length }) =>
      svg`<circle class="bench-ring ${partMark(pool)}" data-bench="ring ${pool}"
        cx=${x} cy=${y} r=${ring} stroke-width=${length * 0.8}></circle>`,
  );
  const places = face.places.map(
    ({ pixel: [x, y] }) =>
      svg`<circle class="bench-place ${partMark("places")}" cx=${x} cy=${y}
        r=${face.inlay / 2}></circle>`,
  );
  const half = face.radius;
  return html`<svg
    class="workbench"
    role="img"
    aria-label=${text("workbench.picture")}
    viewBox="${-half} ${-half} ${2 * half} ${2 * half}"
  >
    <circle class="bench-wood" r=${half}></circle>
    ${rings}${places}${buttons}
  </svg>`;
}

/** @param {Bench} bench @param {string} button */
function buttonMark({ step, pressed, last }, button) {
  if (step !== "buttons" && step !== "result") return "";
  if (step === "buttons" && button === last) return "now";
  if (pressed.includes(button)) return "right";
  return step === "result" ? "dark" : "";
}
