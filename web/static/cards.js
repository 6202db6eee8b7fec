// @ts-check
// How a card looks: drawn here, with French or German suits, as chosen on each phone.
//
// A card is named by its code, rank and suit, as in "TH". Its width is the CSS variable
// --card-width of its container; its styles are in cards.css, which is loaded with this module.

import { html, svg } from "./vendor/lit-html.js";
import { cardLanguage, choosePattern, pattern, rankSign, shape, SHAPES } from "./suits.js";
import { text, wordOf } from "./texts.js";
import { pushButton } from "./views.js";

/** @import { Pattern } from "./suits.js" */

/** `king of hearts` or `Rot-König`. @param {string} code */
export const cardName = (code) => wordOf(`card.${pattern()}.${code}`);

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
function rankView(rank, x, y, size) {
  const wide = rank === "T" ? "wide" : "";
  return svg`<text class="rank ${size} ${wide}" x=${x} y=${y}>${rankSign(rank)}</text>`;
}

/** A whole card, 50 by 70. @param {string} rank @param {string} suit */
function face(rank, suit) {
  const corner = svg`${rankView(rank, 7.5, 15, "index")}${pip(suit, 7.5, 22, 9)}`;
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
    ${rankView(rank, 25, 47 + shift, "letter")}`;
}

/** The index alone, 40 by 50: for where many cards stand together.
 * @param {string} rank @param {string} suit */
const index = (rank, suit) =>
  svg`<g class="ink-${suit}">${rankView(rank, 20, 22, "alone")}${pip(suit, 20, 36.5, 19)}</g>`;

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
  const label = note ? text("{card}, {note}", { card: cardName(code), note }) : cardName(code);
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
  return pushButton(drawing, press, {
    class: kind,
    "data-card": code,
    lang: cardLanguage(),
    "aria-label": label,
    "aria-pressed": selected ? "true" : "false",
    tabindex: tab,
    disabled,
  });
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
export function backView({ compact = false, label = text("a card, face down") } = {}) {
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
  /** @param {Pattern} offered @param {string} suit @param {string} label */
  function button(offered, suit, label) {
    function choose() {
      choosePattern(offered);
      onChange();
    }
    return pushButton(
      html`<svg class="suit-sign suit-${suit}" viewBox="0 0 24 24" aria-hidden="true">
          ${SHAPES[offered][suit]}
        </svg>
        <span>${label}</span>`,
      choose,
      {
        class: "pick",
        "data-pattern": offered,
        "aria-pressed": pattern() === offered ? "true" : "false",
        "aria-label": label,
      },
    );
  }
  return html`<div class="suit-switch" role="group" aria-label=${text("Suits")}>
    ${button("french", "S", text("French"))}${button("german", "C", text("German"))}
  </div>`;
}
