// @ts-check
// The buttons over the drawing of a simulated board, each in the shape of the part it presses.

import { EDGE, around } from "./board_parts.js";
import { findAll } from "./elements.js";

/** @import { Drawn } from "./board_parts.js" */
/** @import { Presses } from "./presses.js" */

const PRESS_MARGIN = 12;
const CAP_MARGIN = 8;

/**
 * Adds a real button over each part of the drawing that can be pressed.
 * @param {HTMLElement} frame @param {SVGElement} root @param {Drawn} drawn
 * @param {Pick<Presses, "attach">} presses
 * @returns {Map<string, {control: HTMLButtonElement, drawing: SVGElement}>}
 */
export function addControls(frame, root, { rim }, presses) {
  const controls = new Map();
  // Drawn in the order of the tab key: places, pools, then undo and next.
  for (const drawing of findAll("[data-shape]", SVGElement, root)) {
    const name = drawing.dataset["shape"] ?? "";
    const control = drawing.dataset["from"] ? rimButton(drawing, rim) : poolButton(drawing);
    control.type = "button";
    control.className = "press";
    control.dataset["button"] = name;
    presses.attach(control, drawing);
    controls.set(name, { control, drawing });
    frame.append(control);
  }
  return controls;
}

/** Over a pool and its button. @param {SVGElement} drawing */
function poolButton({ dataset }) {
  const [x, y, r] = [Number(dataset["x"]), Number(dataset["y"]), Number(dataset["r"])];
  const [capX, capY] = [Number(dataset["capX"]), Number(dataset["capY"])];
  const towards = Math.atan2(capX - x, y - capY) / (2 * Math.PI);
  const circle = Array.from({ length: 41 }, (_, i) => around(towards + i / 40, r, x, y));
  const cap = Array.from({ length: 17 }, (_, i) =>
    around(towards + 0.5 + i / 16, Number(dataset["capR"]) + CAP_MARGIN, capX, capY),
  );
  return buttonOver([...circle, ...cap]);
}

/** @param {SVGElement} drawing @param {number} rim */
function rimButton({ dataset }, rim) {
  const [from, to] = [Number(dataset["from"]), Number(dataset["to"])];
  const steps = Array.from({ length: 9 }, (_, i) => from + (to - from) * (i / 8));
  const outer = steps.map((step) => around(step, EDGE - 8 + PRESS_MARGIN));
  const inner = steps.reverse().map((step) => around(step, rim));
  return buttonOver([...outer, ...inner]);
}

/** A button of the shape of these points. @param {[number, number][]} points */
function buttonOver(points) {
  const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)];
  const [left, top] = [Math.min(...xs), Math.min(...ys)];
  const [width, height] = [Math.max(...xs) - left, Math.max(...ys) - top];
  const button = document.createElement("button");
  for (const [side, value] of Object.entries({ left, top, width, height })) {
    button.style.setProperty(side, `${value / 10}%`);
  }
  const corners = points.map(
    ([x, y]) => `${((x - left) / width) * 100}% ${((y - top) / height) * 100}%`,
  );
  button.style.setProperty("clip-path", `polygon(${corners.join(",")})`);
  return button;
}
