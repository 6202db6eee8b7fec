// @ts-check
// Who paid whom, as chips that move over the drawn board.

/** @import { Flight, Plaque } from "../types" */

const REDUCED = "(prefers-reduced-motion: reduce)";

/**
 * Moves chips over a board, drawn in `host`, that shows these plaques. An account without a place
 * on it, such as the bank, is at its lower left.
 * @param {HTMLElement} host @param {readonly Flight[]} moves @param {readonly Plaque[]} plaques
 * @param {{back: boolean, ms: number}} how whether the chips go back where they came from
 */
export function moveChips(host, moves, plaques, { back, ms }) {
  const frame = host.querySelector(".board-frame");
  clearChips(host);
  if (!frame || !frame.clientWidth || matchMedia(REDUCED).matches) return;
  const box = frame.getBoundingClientRect();
  /** @param {string} account */
  function middle(account) {
    const [kind, which] = account.split(":");
    const place = plaques.find(({ seat }) => kind === "seat" && String(seat) === which)?.place;
    const name = kind === "pool" ? which : `seat${place}`;
    const part = frame?.querySelector(`g[data-shape="${name}"] .lip`)?.getBoundingClientRect();
    if (!part) return { x: box.width * 0.06, y: box.height * 0.97 };
    return { x: part.x + part.width / 2 - box.x, y: part.y + part.height / 2 - box.y };
  }
  for (const { source, target, chips } of moves) {
    const [from, to] = [middle(source), middle(target)];
    const chip = document.createElement("span");
    chip.className = "chip";
    chip.textContent = String(chips);
    chip.setAttribute("aria-hidden", "true");
    frame.append(chip);
    const at = [from, to].map(({ x, y }) => `translate(${x}px, ${y}px) translate(-50%, -50%)`);
    const steps = at.map((transform) => ({ transform, opacity: 1 }));
    const last = { ...steps[1], opacity: 0 };
    const timing = { duration: ms, easing: "ease-in-out", direction: back ? "reverse" : "normal" };
    const flight = chip.animate(
      [...steps.map((step, i) => ({ ...step, offset: 0.85 * i })), last],
      /** @type {KeyframeAnimationOptions} */ (timing),
    );
    flight.onfinish = () => chip.remove();
  }
}

/** Removes the chips that still move. @param {HTMLElement} host */
export const clearChips = (host) => host.querySelectorAll(".chip").forEach((chip) => chip.remove());
