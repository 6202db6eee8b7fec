// @ts-check
// The table, and beside it the simulated board, which is lit and pressed: one of them is seen.

import { html, nothing } from "./vendor/lit-html.js";
import { createBoard } from "./board.js";
import { bowlsView } from "./bowls.js";
import { render } from "./drawing.js";
import { byId } from "./elements.js";
import { createFaceLoader } from "./face.js";
import { KEYS } from "./keys.js";
import { remember, stored } from "./storage.js";
import { actionLabels, text } from "./texts.js";
import { isBetweenNights } from "./views.js";

/** @import { StateAnswer } from "../types" */
/** @import { App } from "./store.js" */

const VIEW = "view"; // what this phone shows of a simulated board, in its storage
const WIDE = "(min-width: 900px)"; // has room for the object
const VIEWS = /** @type {const} */ (["table", "board"]);

/** The table, and the simulated board. Returns what lights the board's pixels.
 * @param {App} app */
export function createTable(app) {
  const { store } = app;
  store.subscribe(({ state }) => {
    const open = isBetweenNights(state) ? undefined : app.openAccount;
    render(bowlsView(state.pool_details, state.board_label, open), byId("bowls"));
  });
  const isSimulated = document.getElementById("views") !== null;
  return isSimulated ? createObject(app) : () => {};
}

/** The simulated board, drawn again whenever its shape changes. @param {App} app */
function createObject({ store, presses, toast }) {
  const legend = byId("legend");
  /** @type {ReturnType<typeof createBoard> | null} */
  let board = null;
  /** @type {string[]} */
  let pixels = [];
  const fit = createFaceLoader((face) => {
    const { state, live } = store.get();
    if (!state) return;
    board = createBoard(byId("board"), { face, presses, onDead });
    board.light(pixels);
    update(state, live);
  });

  /** A button was tapped that is off. */
  function onDead() {
    if (!store.get().state?.pairing.paired) toast(text("pairing.watching"));
  }

  /** @param {StateAnswer} state @param {boolean} live */
  function update(state, live) {
    const { places } = state.board;
    render(board ? legendView(state, places) : nothing, legend);
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
  createSwitch();
  return (/** @type {string[]} */ frame) => {
    pixels = frame;
    board?.light(frame);
  };
}

/** What may happen on the board, and its keys. @param {StateAnswer} state @param {number} places */
function legendView({ guidance, pool_details: pools }, places) {
  const names = new Map(pools.map(({ pool, name, label }) => [pool, name || label]));
  names.set("next", text("board.next")).set("undo", text("board.undo"));
  return html`${guidance.lines.map((line) => html`<p>${line}</p>`)}
    <details class="keys">
      <summary>${text("board.keys")}</summary>
      <p>${text("board.keys_where")}</p>
      <span><kbd>1</kbd>–<kbd>${places}</kbd> ${text("board.keys_places")}</span>
      ${Object.entries(KEYS).map(
        ([key, button]) => html`<span><kbd>${key}</kbd> ${names.get(button)}</span> `,
      )}
      <span>${text("board.keys_hold")}</span>
    </details>`;
}

/** The table or the board, as this phone has chosen; a laptop has room for the board. */
function createSwitch() {
  const kept = stored(VIEW);
  const usual = matchMedia(WIDE).matches ? "board" : "table";
  let shown = VIEWS.find((view) => view === kept) ?? usual;

  /** @param {typeof usual} view */
  function choose(view) {
    shown = view;
    remember(VIEW, view);
    show();
  }
  function show() {
    document.body.classList.toggle("shows-board", shown === "board");
    render(
      VIEWS.map(
        (view) =>
          html`<button
            type="button"
            data-view=${view}
            aria-pressed=${String(view === shown)}
            @click=${() => choose(view)}
          >
            ${text(`board.view_${view}`)}
          </button>`,
      ),
      byId("views"),
    );
  }
  show();
}
