// @ts-check
// The board on the page of the table: lit and pressed, and folded away on request.

import { html, nothing } from "./vendor/lit-html.js";
import { createBoard } from "./board.js";
import { render } from "./drawing.js";
import { byId, find } from "./elements.js";
import { createFaceLoader } from "./face.js";
import { KEYS } from "./keys.js";
import { remember, stored } from "./storage.js";
import { actionLabels, text } from "./texts.js";

/** @import { StateAnswer } from "../types" */
/** @import { App } from "./store.js" */

const BOARD = "board"; // how this phone wants the board, in its storage

/** The board, drawn again whenever its shape changes. Returns what lights its pixels.
 * @param {App} app */
export function createBoardPanel({ store, presses, toast }) {
  const legend = byId("legend");
  /** @type {ReturnType<typeof createBoard> | null} */
  let board = null;
  /** @type {string[]} */
  let pixels = [];
  const fit = createFaceLoader((face) => {
    const { state, live } = store.get();
    if (!state) return;
    const { simulated } = state.board;
    board = createBoard(byId("board"), { face, presses: simulated ? presses : null, onDead });
    board.light(pixels);
    update(state, live);
  });

  /** A button was tapped that is off. */
  function onDead() {
    if (!store.get().state?.pairing.paired) toast(text("pairing.watching"));
  }

  /** @param {StateAnswer} state @param {boolean} live */
  function update(state, live) {
    const { places, simulated } = state.board;
    if (board) render(simulated ? legendView(state.pool_details, places) : nothing, legend);
    const empty = Array.from({ length: places }, (_, i) => [
      `seat${i + 1}`,
      text("board.empty_place", { place: i + 1 }),
    ]);
    board?.update({
      pools: state.pool_details,
      plaques: state.rim,
      label: state.board_label,
      labels: { ...actionLabels(), ...Object.fromEntries(empty) },
      meaningful: state.allowed.buttons,
      enabled: (button) => live && (state.pairing.paired || button === state.pairing.button),
      holds: { ...state.holds.buttons, [state.pairing.button]: state.holds.pairing },
    });
  }

  store.subscribe(({ state, live }) => {
    update(state, live);
    fit(state.board);
  });
  createFold();
  return (/** @type {string[]} */ frame) => {
    pixels = frame;
    board?.light(frame);
  };
}

/** The keys of the simulated board.
 * @param {StateAnswer["pool_details"]} pools @param {number} places */
function legendView(pools, places) {
  const names = new Map(pools.map(({ pool, name, label }) => [pool, name || label]));
  names.set("next", text("board.next")).set("undo", text("board.undo"));
  return html`<span class="label">${text("board.simulated")}</span>
    <details class="keys">
      <summary>${text("board.keys")}</summary>
      <span><kbd>1</kbd>–<kbd>${places}</kbd> ${text("board.keys_places")}</span>
      ${Object.entries(KEYS).map(
        ([key, button]) => html`<span><kbd>${key}</kbd> ${names.get(button)}</span> `,
      )}
      <span>${text("board.keys_hold")}</span>
    </details>`;
}

/** The board is folded on request; on a phone beside a real board it is folded at first. */
function createFold() {
  const table = find(".table", HTMLElement);
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
    remember(BOARD, folded ? "folded" : "shown");
    show();
  });
  show();
}
