// @ts-check
// The table, and beside it the simulated board, which is lit and pressed: one of them is seen.

import { nothing, render } from "./vendor/lit-html.js";
import { createBoard } from "./board.js";
import { bowlsView } from "./bowls.js";
import { byId } from "./elements.js";
import { createFaceLoader } from "./face.js";
import { remember, stored } from "./storage.js";
import { actionLabels, text } from "./texts.js";
import { isBetweenNights, pushButton } from "./views.js";

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
    render(bowlsView(state.pool_details, open), byId("bowls"));
  });
  const isSimulated = document.getElementById("views") !== null;
  return isSimulated ? createObject(app) : () => {};
}

/** The simulated board, drawn again whenever its shape changes. @param {App} app */
function createObject({ store, presses, toast }) {
  /** @type {ReturnType<typeof createBoard> | null} */
  let board = null;
  /** @type {string[]} */
  let pixels = [];
  const fit = createFaceLoader((face) => {
    const { state, live } = store.get();
    if (!state) return;
    board = createBoard(byId("board"), face, presses, onDead);
    board.light(pixels);
    update(state, live);
  });

  /** A button was tapped that is off. */
  function onDead() {
    if (!store.get().state?.pairing.paired)
      toast(
        text("This phone shows everything, but only a paired phone can play and make changes."),
      );
  }

  /** @param {StateAnswer} state @param {boolean} live */
  function update(state, live) {
    const { places } = state.board;
    // One paragraph: of several, each would move with the length of those before it.
    byId("legend").textContent = board ? state.guidance.lines.join(" ") : "";
    const empty = Array.from({ length: places }, (_, i) => [
      `seat${i + 1}`,
      text("Place {place}: empty", { place: i + 1 }),
    ]);
    board?.update({
      pools: state.pool_details,
      plaques: state.rim,
      labels: { ...actionLabels(), ...Object.fromEntries(empty) },
      meaningful: state.buttons,
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
      VIEWS.map((view) =>
        pushButton(view === "table" ? text("Table") : text("Board"), () => choose(view), {
          "data-view": view,
          "aria-pressed": String(view === shown),
          class: nothing,
        }),
      ),
      byId("views"),
    );
  }
  show();
}
