// @ts-check
// The suits of cards, French or German, as chosen on each phone.

import { html, nothing, svg } from "./vendor/lit-html.js";
import { remember, stored } from "./storage.js";
import { text, wordOf } from "./texts.js";

/** @typedef {"french" | "german"} Pattern */

/** The suits in the order in which a hand is held. */
export const SUITS = ["C", "S", "H", "D"];
const STORED = "cards";

/** The pattern that this phone prefers. @returns {Pattern} */
export function pattern() {
  const { dataset } = document.documentElement;
  dataset["pattern"] ??= stored(STORED) ?? "french";
  return dataset["pattern"] === "german" ? "german" : "french";
}

/** @param {Pattern} chosen */
export function choosePattern(chosen) {
  document.documentElement.dataset["pattern"] = chosen;
  remember(STORED, chosen);
}

/** @param {string} suit */
export const suitName = (suit) => wordOf(`suit.${pattern()}.${suit}`);

/** What a card shows in its corner. @param {string} rank */
export const rankSign = (rank) => wordOf(`rank.${pattern()}.${rank}`);

/** The language of the names of cards, where it is not the page's. */
export const cardLanguage = () => (pattern() === "german" ? "de" : nothing);

// Each suit in a square of 24.
/** @type {Record<Pattern, Record<string, unknown>>} */
export const SHAPES = {
  french: {
    C: svg`<path d="M12 1.5a4.7 4.7 0 0 1 3.7 7.6 4.8 4.8 0 1 1-2.6 8.5c.2 1.9 1 3.4 2.4 4.9H8.5
      c1.4-1.5 2.2-3 2.4-4.9a4.8 4.8 0 1 1-2.6-8.5A4.7 4.7 0 0 1 12 1.5Z"/>`,
    S: svg`<path d="M12 1.5c1.8 4.6 9 7.9 9 13.2a4.6 4.6 0 0 1-7.9 3.2c.3 1.7 1.1 3.2 2.4 4.6H8.5
      c1.3-1.4 2.1-2.9 2.4-4.6A4.6 4.6 0 0 1 3 14.7c0-5.3 7.2-8.6 9-13.2Z"/>`,
    H: svg`<path d="M12 22C9.7 17.5 2 13.8 2 7.7A5.3 5.3 0 0 1 12 5.4 5.3 5.3 0 0 1 22 7.7
      C22 13.8 14.3 17.5 12 22Z"/>`,
    D: svg`<path d="M12 1.3c2.1 4 4.8 7.5 8 10.7-3.2 3.2-5.9 6.7-8 10.7-2.1-4-4.8-7.5-8-10.7
      3.2-3.2 5.9-6.7 8-10.7Z"/>`,
  },
  german: {
    C: svg`<path class="twig" d="M12 1.5v5"/>
      <path class="nut" d="M5.5 10.5h13c0 6-3 9.5-6.5 12-3.5-2.5-6.5-6-6.5-12Z"/>
      <path class="cup" d="M3.8 10.8C4 6.8 7.4 4.6 12 4.6s8 2.2 8.2 6.2c-2.6 1.3-13.8 1.3-16.4 0Z"/>
      <path class="vein" d="M7.3 6.8l3 4.6M12 5v6.6M16.7 6.8l-3 4.6"/>`,
    S: svg`<path class="twig" d="M12 15.5c0 3-.6 5.2-2 7.2"/>
      <path class="leaf" d="M12 1.3c2.2 3.6 9 5.2 9 10.9 0 3.6-2.7 5.8-5.2 5.8-1.6 0-3-.7-3.8-2
        -.8 1.3-2.2 2-3.8 2C5.7 18 3 15.8 3 12.2 3 6.5 9.8 4.9 12 1.3Z"/>
      <path class="vein" d="M12 5.5v11M12 10l4-2.4M12 10 8 7.6M12 14l4.6-1.8M12 14l-4.6-1.8"/>`,
    H: svg`<path class="heart" d="M12 22C9.7 17.5 2 13.8 2 7.7A5.3 5.3 0 0 1 12 5.4
      5.3 5.3 0 0 1 22 7.7C22 13.8 14.3 17.5 12 22Z"/>`,
    D: svg`<path class="loop" d="M9.8 3.6a2.2 2.2 0 1 1 4.4 0"/>
      <circle class="bell" cx="12" cy="13" r="9.3"/><path class="band" d="M2.8 11.2h18.4v3H2.8Z"/>
      <path class="slit" d="M12 16.8v5"/><circle class="hole" cx="12" cy="16.8" r="1.5"/>`,
  },
};
/** A suit's sign by itself. @param {string} suit */
export const suitView = (suit) =>
  html`<svg class="suit-sign suit-${suit}" viewBox="0 0 24 24" aria-hidden="true">
    ${shape(suit)}
  </svg>`;

/** @param {string} suit */
export const shape = (suit) => SHAPES[pattern()][suit] ?? nothing;

/** The trump suit of the deal, for the head of every screen. @param {string} suit */
export const trumpView = (suit) =>
  html`<span class="trump-mark" data-suit=${suit}
    >${text("Trumps")} ${suitView(suit)}
    <span class="quiet" lang=${cardLanguage()}>${suitName(suit)}</span></span
  >`;
