// @ts-check
// How a card looks: drawn here, with French or German suits, as chosen on each phone.
//
// A card is named by its code, rank and suit, as in "TH". Its width is the CSS variable
// --card-width of its container; its styles are in cards.css, which is loaded with this module.

import { html, nothing, svg } from "./vendor/lit-html.js";
import { text } from "./texts.js";

/** @typedef {"french" | "german"} Pattern */

/** The suits in the order in which a hand is held. */
export const SUITS = ["C", "S", "H", "D"];
const STORED = "cards";

/** The pattern that this phone prefers. @returns {Pattern} */
export function pattern() {
  const { dataset } = document.documentElement;
  dataset["pattern"] ??= stored() ?? "french";
  return dataset["pattern"] === "german" ? "german" : "french";
}

function stored() {
  try {
    return localStorage.getItem(STORED);
  } catch {
    return null; // nothing may be stored
  }
}

/** @param {Pattern} chosen */
function choosePattern(chosen) {
  document.documentElement.dataset["pattern"] = chosen;
  try {
    localStorage.setItem(STORED, chosen);
  } catch {
    // The choice lasts as long as the page.
  }
}

/** @param {string} suit */
export const suitName = (suit) => text(`card.${pattern()}.${suit}`);

/** `king of hearts` or `Rot-König`. @param {string} code */
export const cardName = (code) => text(`card.${pattern()}.${code}`);

/** The language of the names of cards, where it is not the page's. */
export const cardLanguage = () => (pattern() === "german" ? "de" : nothing);

// Each suit in a square of 24.
/** @type {Record<Pattern, Record<string, unknown>>} */
const SHAPES = {
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
const shape = (suit) => SHAPES[pattern()][suit] ?? nothing;

/** A suit's sign round (x, y).
 * @param {string} suit @param {number} x @param {number} y @param {number} size */
const pip = (suit, x, y, size, turned = false) => {
  const scale = (turned ? -size : size) / 24;
  const transform = `translate(${x} ${y}) scale(${scale}) translate(-12 -12)`;
  return svg`<g class="suit-${suit}" transform=${transform}>${shape(suit)}</g>`;
};

// Where the signs of a card stand, in columns (0 to 2) and from the top (0) to the bottom (1).
// prettier-ignore
/** @type {Record<string, [number, number][]>} */
const PIPS = {
  A: [[1, 1 / 2]],
  2: [[1, 0], [1, 1]],
  3: [[1, 0], [1, 1 / 2], [1, 1]],
  4: [[0, 0], [2, 0], [0, 1], [2, 1]],
  5: [[0, 0], [2, 0], [1, 1 / 2], [0, 1], [2, 1]],
  6: [[0, 0], [2, 0], [0, 1 / 2], [2, 1 / 2], [0, 1], [2, 1]],
  7: [[0, 0], [2, 0], [1, 1 / 4], [0, 1 / 2], [2, 1 / 2], [0, 1], [2, 1]],
  8: [[0, 0], [2, 0], [1, 1 / 4], [0, 1 / 2], [2, 1 / 2], [1, 3 / 4], [0, 1], [2, 1]],
  9: [[0, 0], [2, 0], [0, 1 / 3], [2, 1 / 3], [1, 1 / 2], [0, 2 / 3], [2, 2 / 3], [0, 1], [2, 1]],
  T: [[0, 0], [2, 0], [1, 1 / 6], [0, 1 / 3], [2, 1 / 3], [0, 2 / 3], [2, 2 / 3], [1, 5 / 6],
    [0, 1], [2, 1]],
};
// The same for the signs of court cards, with where they are upside down: a French one has a sign
// at both ends, the Ober one above, the Unter one below, which they are named after.
// prettier-ignore
/** @type {Record<Pattern, Record<string, [number, number, boolean][]>>} */
const COURT_SIGNS = {
  french: {
    K: [[19.3, 15, false], [30.7, 55, true]],
    Q: [[19.3, 15, false], [30.7, 55, true]],
    J: [[19.3, 15, false], [30.7, 55, true]],
  },
  german: {
    K: [[19.3, 15, false], [30.7, 15, false]],
    Q: [[25, 15, false]],
    J: [[25, 55, false]],
  },
};
/** @type {Record<string, string>} */
const CROWNS = {
  K: "M16 29l1-7 4.5 4L25 20l3.5 6 4.5-4 1 7Z",
  Q: "M18 29l-.5-5 4.5 2.5L25 22l3 4.5 4.5-2.5-.5 5Z",
  J: "M18 29c0-4 3-6 7-6s7 2 7 6Z",
};

/** @param {string} rank @param {number} x @param {number} y @param {string} size */
function rankSign(rank, x, y, size) {
  const sign = text(`card.${pattern()}.corner.${rank}`);
  return svg`<text class="rank ${size} ${rank === "T" ? "wide" : ""}" x=${x} y=${y}>${sign}</text>`;
}

/** A whole card, 50 by 70. @param {string} rank @param {string} suit */
function face(rank, suit) {
  const corner = svg`${rankSign(rank, 7.5, 15, "index")}${pip(suit, 7.5, 22, 9)}`;
  return svg`<g class="ink-${suit}">${corner}<g transform="rotate(180 25 35)">${corner}</g>
    ${rank in CROWNS ? court(rank, suit) : spots(rank, suit)}</g>`;
}

/** @param {string} rank @param {string} suit */
function spots(rank, suit) {
  const german = pattern() === "german";
  // The Daus was a deuce once, and still shows two signs.
  const places = PIPS[german && rank === "A" ? "2" : rank] ?? [];
  const few = places.length < 4;
  const large = places.length === 1 ? 22 : 13;
  const top = few ? 20 : 13;
  return places.map(([column, down]) => {
    const [x, y] = [25 + (column - 1) * 7, top + down * (70 - 2 * top)];
    return pip(suit, x, y, few ? large : 7.8, !german && down > 1 / 2);
  });
}

/** @param {string} rank @param {string} suit */
function court(rank, suit) {
  const signs = COURT_SIGNS[pattern()][rank] ?? [];
  const shift = pattern() === "german" && rank === "J" ? -5 : 0; // the Unter's sign is below
  return svg`<rect class="frame" x="14" y="9" width="22" height="52" rx="1.5"/>
    ${signs.map(([x, y, turned]) => pip(suit, x, y, 8, turned))}
    <path class="crown" transform="translate(0 ${shift})" d=${CROWNS[rank] ?? ""}/>
    ${rankSign(rank, 25, 47 + shift, "letter")}`;
}

/** The index alone, 40 by 50: for where many cards stand together.
 * @param {string} rank @param {string} suit */
const index = (rank, suit) =>
  svg`<g class="ink-${suit}">${rankSign(rank, 20, 22, "alone")}${pip(suit, 20, 36.5, 19)}</g>`;

/**
 * @typedef {object} CardOptions
 * @property {boolean} [compact] rank and suit alone, on a lower card
 * @property {boolean} [selected]
 * @property {boolean} [disabled] of a button: it cannot be chosen now
 * @property {boolean} [played] it lies on the table, or is gone
 * @property {string} [note] what else there is to say: "with Anna"
 * @property {number} [tab] tabindex of a button
 * @property {boolean} [silent] it stands within something that names it
 * @property {() => void} [press] makes a button of it
 */

/** A card, face up; with `press` it is a button that may be selected.
 * @param {string} code @param {CardOptions} [options] */
export function cardView(code, options = {}) {
  const { selected, disabled, note, tab = 0, silent, press } = options;
  const kind = cardClass(options);
  const drawing = cardDrawing(code, options);
  if (silent) return html`<span class=${kind} data-card=${code}>${drawing}</span>`;
  const label = note ? text("cards.noted", { card: cardName(code), note }) : cardName(code);
  if (!press) {
    return html`<span
      class=${kind}
      data-card=${code}
      role="img"
      lang=${cardLanguage()}
      aria-label=${label}
      >${drawing}</span
    >`;
  }
  return html`<button
    type="button"
    class=${kind}
    data-card=${code}
    lang=${cardLanguage()}
    aria-label=${label}
    aria-pressed=${selected ? "true" : "false"}
    tabindex=${tab}
    ?disabled=${disabled}
    @click=${press}
  >
    ${drawing}
  </button>`;
}

/** @param {CardOptions} options */
function cardClass({ selected, played }) {
  const classes = ["playing-card", pattern()];
  if (selected) classes.push("selected");
  if (played) classes.push("played");
  return classes.join(" ");
}

/** @param {string} code @param {CardOptions} options */
function cardDrawing(code, { compact }) {
  const [rank = "", suit = ""] = code;
  return html`<svg viewBox=${compact ? "0 0 40 50" : "0 0 50 70"} aria-hidden="true">
    ${compact ? index(rank, suit) : face(rank, suit)}
  </svg>`;
}

/** A card, face down. */
export function backView({ compact = false, label = text("cards.back") } = {}) {
  const [width, height] = compact ? [40, 50] : [50, 70];
  return html`<span class="playing-card back-side" role="img" aria-label=${label}
    ><svg viewBox="0 0 ${width} ${height}" aria-hidden="true">${lattice(width, height)}</svg></span
  >`;
}

/** The board's star in a lattice. @param {number} width @param {number} height */
function lattice(width, height) {
  const [x, y] = [width / 2, height / 2];
  const points = Array.from({ length: 16 }, (_, i) => {
    const [angle, r] = [(i / 8) * Math.PI, i % 2 ? 12 : 7];
    return `${(x + r * Math.sin(angle)).toFixed(1)},${(y - r * Math.cos(angle)).toFixed(1)}`;
  });
  const lines = Array.from(
    { length: 30 },
    (_, i) => `M${(i - 15) * 6} 0l${height} ${height}M${i * 6} 0l${-height} ${height}`,
  );
  return svg`<path class="lattice" d=${lines.join("")}/>
    <rect class="edge" x="2.5" y="2.5" width=${width - 5} height=${height - 5} rx="2"/>
    <circle class="disc" cx=${x} cy=${y} r="14"/>
    <polygon class="back-star" points=${points.join(" ")}/>`;
}

/** Chooses the pattern for this phone. @param {() => void} onChange what shows the cards again */
export function suitSwitch(onChange) {
  /** @param {Pattern} offered @param {string} suit */
  function button(offered, suit) {
    function choose() {
      choosePattern(offered);
      onChange();
    }
    return html`<button
      type="button"
      class="pick"
      data-pattern=${offered}
      aria-pressed=${pattern() === offered ? "true" : "false"}
      aria-label=${text(`cards.${offered}_suits`)}
      @click=${choose}
    >
      <svg class="suit-sign suit-${suit}" viewBox="0 0 24 24" aria-hidden="true">
        ${SHAPES[offered][suit]}
      </svg>
      <span>${text(`cards.${offered}`)}</span>
    </button>`;
  }
  return html`<div class="suit-switch" role="group" aria-label=${text("cards.suits")}>
    ${button("french", "S")}${button("german", "C")}
  </div>`;
}
