// @ts-check
// The bar under the thumb: what has happened, what is to be done, and messages; and the board that
// can be folded away above it.

import { byId, text } from "./page.js";

/** @import { StateAnswer } from "../types" */

const TOAST_MS = 5_000;
const BOARD = "board"; // how this phone wants the board, in its storage

/** What this browser keeps; null if it keeps nothing. @param {string} key */
export function stored(key) {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** @param {string} key @param {string | null} value null removes it */
export function store(key, value) {
  try {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, value);
  } catch {
    // It lasts as long as the page.
  }
}

/**
 * A message that disappears by itself, and a mark on the parts of the board it is about. It takes
 * the place of what is said in the bar, so it covers no control.
 * @param {HTMLElement} box
 */
export function createToast(box) {
  let timer = 0;
  return (/** @type {string} */ message, /** @type {readonly string[]} */ buttons = []) => {
    box.textContent = message;
    box.classList.add("shown");
    clearTimeout(timer);
    timer = setTimeout(() => box.classList.remove("shown"), TOAST_MS);
    for (const button of buttons) {
      const part = document.querySelector(`[data-shape="${CSS.escape(button)}"]`);
      part?.classList.remove("refused");
      requestAnimationFrame(() => part?.classList.add("refused")); // restarts the animation
    }
  };
}

/** What has happened last, and what is to be done now. @param {StateAnswer} state */
export function showNews({ demo, guidance, last_sentence: last }) {
  // Bots comment on the game themselves.
  const said = demo ? "" : (last ?? "");
  if (byId("said").textContent !== said) byId("said").textContent = said;
  byId("ask").textContent = guidance.title;
}

/** The board is folded on request; on a phone beside a real board it is folded at first. */
export function createFold() {
  const table = /** @type {HTMLElement} */ (document.querySelector(".table"));
  const button = byId("fold");
  let folded = stored(BOARD) ? stored(BOARD) === "folded" : table.classList.contains("real");

  function show() {
    table.classList.toggle("folded", folded);
    table.classList.toggle("unfolded", !folded);
    button.setAttribute("aria-expanded", String(!folded));
    button.textContent = text(folded ? "board.unfold" : "board.fold");
  }
  button.addEventListener("click", () => {
    folded = !folded;
    store(BOARD, folded ? "folded" : "shown");
    show();
  });
  show();
}
