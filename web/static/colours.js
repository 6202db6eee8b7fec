// @ts-check
// Which colours the board shows: a phone asks, and the order of the pixels' colours is put right.

import { html } from "./vendor/lit-html.js";
import { render } from "./drawing.js";
import { reason, request } from "./requests.js";
import { text } from "./texts.js";

/** @import { ColourBody } from "../types" */

const ASKED = /** @type {const} */ (["red", "green", "blue"]);

/**
 * Asks in a dialog for each colour that the board shows.
 * @param {HTMLDialogElement} drawer @param {(message: string) => void} toast
 * @param {() => void} leave shows what was there before
 */
export async function askForColours(drawer, toast, leave) {
  /** @type {Record<string, string>} */
  const seen = {};

  function end() {
    drawer.removeEventListener("close", end);
    void request("DELETE", "/api/board/colours");
    if (drawer.open) leave();
  }

  /** Shows a colour on the board, then the question for it.
   * @param {ColourBody["colour"]} colour @param {readonly string[]} answers
   * @param {(answer: string) => void} take */
  async function ask(colour, answers, take) {
    const answer = await request("PUT", "/api/board/colours", { body: { colour } });
    if (answer?.status !== 204) {
      toast(reason(answer));
      return end();
    }
    let answered = false; // a double tap answers once
    /** @param {string} name */
    function answerOnce(name) {
      if (!answered) take(name);
      answered = true;
    }
    const buttons = [...answers, "other"].map(
      (name) =>
        html`<button type="button" class="soft" data-seen=${name} @click=${() => answerOnce(name)}>
          ${text(`colours.${name}`)}
        </button>`,
    );
    view(
      html`<p>${text("colours.ask")}</p>
        <div class="row" data-asked=${colour}>${buttons}</div>`,
    );
  }

  /** @param {unknown} content */
  const view = (content) =>
    render(
      html`<h2 id="drawer-title">${text("colours.title")}</h2>
        ${content}
        <button type="button" class="main" @click=${end}>${text("device.done")}</button>`,
      drawer,
    );

  const otherPixels = () => view(html`<p class="answer">${text("colours.kind")}</p>`);

  /** @param {number} step @returns {Promise<void>} */
  function next(step) {
    const colour = ASKED[step];
    if (!colour) return learn();
    return ask(colour, ASKED, (name) => {
      seen[colour] = name;
      if (name === "other") otherPixels();
      else void next(step + 1);
    });
  }

  /** @returns {Promise<void>} */
  async function learn() {
    const answer = await request("POST", "/api/board/colours", { body: seen });
    if (answer?.status !== 204) {
      toast(reason(answer));
      return next(0);
    }
    return ask("white", ["white"], (name) => {
      if (name === "other") otherPixels();
      else view(html`<p class="answer">${text("colours.right")}</p>`);
    });
  }

  drawer.addEventListener("close", end);
  await next(0);
}
