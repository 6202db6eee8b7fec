// @ts-check
// How a card looks: drawn here, in French suits or in German ones, as each phone likes it.
//
// A card is named by its code, rank and suit, as in "TH". Its width is the CSS variable
// --card-width of whatever it stands in; its styles are in cards.css, which comes with this module.

import { html, nothing, svg } from "./vendor/lit-html.js";

/** @typedef {"french" | "german"} Pattern */
/** The suits as a hand is held, and the ranks from the ace down. */
export const SUIT_ORDER = "CSHD";
export const RANK_ORDER = "AKQJT98765432";

/** @type {Record<Pattern, {ranks: Record<string, string>, names: Record<string, string>, suits: Record<string, string>}>} */
const PATTERNS = {
  french: {
    ranks: { T: "10" },
    names: { A: "ace", K: "king", Q: "queen", J: "jack" },
    suits: { C: "clubs", D: "diamonds", H: "hearts", S: "spades" },
  },
  german: {
    ranks: { A: "D", Q: "O", J: "U", T: "10" },
    names: { A: "Daus", K: "König", Q: "Ober", J: "Unter" },
    suits: { C: "Eichel", D: "Schellen", H: "Rot", S: "Grün" },
  },
};
const KEPT = "cards";
let chosen = /** @type {Pattern | null} */ (null);

/** The pattern that this phone likes. @returns {Pattern} */
export function pattern() {
  try {
    chosen ??= localStorage.getItem(KEPT) === "german" ? "german" : "french";
  } catch {
    chosen = "french"; // where nothing may be kept
  }
  return chosen;
}

/** @param {Pattern} wanted */
export function choosePattern(wanted) {
  chosen = wanted;
  try {
    localStorage.setItem(KEPT, wanted);
  } catch {
    // Then it lasts as long as the page.
  }
}

/** All cards of a deck of 32 or 52, suit by suit, each from the ace down. @param {number} size */
export function deckOf(size) {
  const ranks = [...RANK_ORDER].filter((rank) => size !== 32 || !"23456".includes(rank));
  return [...SUIT_ORDER].map((suit) => ranks.map((rank) => `${rank}${suit}`));
}

/** What is printed in the corner: "K", "10", "O". @param {string} rank */
export const rankSign = (rank) => PATTERNS[pattern()].ranks[rank] ?? rank;
/** @param {string} rank */
export const rankName = (rank) => PATTERNS[pattern()].names[rank] ?? rankSign(rank);
/** @param {string} suit */
export const suitName = (suit) => PATTERNS[pattern()].suits[suit] ?? "";

/** "king of hearts" or "Rot-König". @param {string} code */
export function cardName(code) {
  const [rank = "", suit = ""] = code;
  return pattern() === "german"
    ? `${suitName(suit)}-${rankName(rank)}`
    : `${rankName(rank)} of ${suitName(suit)}`;
}

/** Names of German cards are said in German. */
export const tongue = () => (pattern() === "german" ? "de" : nothing);

// Each suit in a square of 24.
/** @type {Record<Pattern, Record<string, unknown>>} */
const SHAPES = {
  french: {
    C: svg`<path d="M12 1.5a4.7 4.7 0 0 1 3.7 7.6 4.8 4.8 0 1 1-2.6 8.5c.2 1.9 1 3.4 2.4 4.9H8.5c1.4-1.5 2.2-3 2.4-4.9a4.8 4.8 0 1 1-2.6-8.5A4.7 4.7 0 0 1 12 1.5Z"/>`,
    S: svg`<path d="M12 1.5c1.8 4.6 9 7.9 9 13.2a4.6 4.6 0 0 1-7.9 3.2c.3 1.7 1.1 3.2 2.4 4.6H8.5c1.3-1.4 2.1-2.9 2.4-4.6A4.6 4.6 0 0 1 3 14.7c0-5.3 7.2-8.6 9-13.2Z"/>`,
    H: svg`<path d="M12 22C9.7 17.5 2 13.8 2 7.7A5.3 5.3 0 0 1 12 5.4 5.3 5.3 0 0 1 22 7.7C22 13.8 14.3 17.5 12 22Z"/>`,
    D: svg`<path d="M12 1.3c2.1 4 4.8 7.5 8 10.7-3.2 3.2-5.9 6.7-8 10.7-2.1-4-4.8-7.5-8-10.7 3.2-3.2 5.9-6.7 8-10.7Z"/>`,
  },
  german: {
    C: svg`<path class="twig" d="M12 1.5v5"/><path class="nut" d="M5.5 10.5h13c0 6-3 9.5-6.5 12-3.5-2.5-6.5-6-6.5-12Z"/>
      <path class="cup" d="M3.8 10.8C4 6.8 7.4 4.6 12 4.6s8 2.2 8.2 6.2c-2.6 1.3-13.8 1.3-16.4 0Z"/><path class="vein" d="M7.3 6.8l3 4.6M12 5v6.6M16.7 6.8l-3 4.6"/>`,
    S: svg`<path class="twig" d="M12 15.5c0 3-.6 5.2-2 7.2"/><path class="leaf" d="M12 1.3c2.2 3.6 9 5.2 9 10.9 0 3.6-2.7 5.8-5.2 5.8-1.6 0-3-.7-3.8-2-.8 1.3-2.2 2-3.8 2C5.7 18 3 15.8 3 12.2 3 6.5 9.8 4.9 12 1.3Z"/>
      <path class="vein" d="M12 5.5v11M12 10l4-2.4M12 10 8 7.6M12 14l4.6-1.8M12 14l-4.6-1.8"/>`,
    H: svg`<path class="heart" d="M12 22C9.7 17.5 2 13.8 2 7.7A5.3 5.3 0 0 1 12 5.4 5.3 5.3 0 0 1 22 7.7C22 13.8 14.3 17.5 12 22Z"/>`,
    D: svg`<path class="loop" d="M9.8 3.6a2.2 2.2 0 1 1 4.4 0"/><circle class="bell" cx="12" cy="13" r="9.3"/><path class="band" d="M2.8 11.2h18.4v3H2.8Z"/>
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

/** A suit's sign round (x, y). @param {string} suit @param {number} x @param {number} y @param {number} size */
const pip = (suit, x, y, size, turned = false) => svg`<g class="suit-${suit}"
  transform="translate(${x} ${y}) scale(${(turned ? -size : size) / 24}) translate(-12 -12)">${shape(suit)}</g>`;

// Where the signs of a card stand, in columns (0 to 2) and from the top (0) to the bottom (1).
/** @type {Record<string, [number, number][]>} */
const PIPS = {
  A: [[1, 1 / 2]],
  2: [
    [1, 0],
    [1, 1],
  ],
  3: [
    [1, 0],
    [1, 1 / 2],
    [1, 1],
  ],
  4: [
    [0, 0],
    [2, 0],
    [0, 1],
    [2, 1],
  ],
  5: [
    [0, 0],
    [2, 0],
    [1, 1 / 2],
    [0, 1],
    [2, 1],
  ],
  6: [
    [0, 0],
    [2, 0],
    [0, 1 / 2],
    [2, 1 / 2],
    [0, 1],
    [2, 1],
  ],
  7: [
    [0, 0],
    [2, 0],
    [1, 1 / 4],
    [0, 1 / 2],
    [2, 1 / 2],
    [0, 1],
    [2, 1],
  ],
  8: [
    [0, 0],
    [2, 0],
    [1, 1 / 4],
    [0, 1 / 2],
    [2, 1 / 2],
    [1, 3 / 4],
    [0, 1],
    [2, 1],
  ],
  9: [
    [0, 0],
    [2, 0],
    [0, 1 / 3],
    [2, 1 / 3],
    [1, 1 / 2],
    [0, 2 / 3],
    [2, 2 / 3],
    [0, 1],
    [2, 1],
  ],
  T: [
    [0, 0],
    [2, 0],
    [1, 1 / 6],
    [0, 1 / 3],
    [2, 1 / 3],
    [0, 2 / 3],
    [2, 2 / 3],
    [1, 5 / 6],
    [0, 1],
    [2, 1],
  ],
};

/** @param {string} rank @param {number} x @param {number} y @param {string} size */
const sign = (rank, x, y, size) =>
  svg`<text class="rank ${size} ${rank === "T" ? "wide" : ""}" x=${x} y=${y}>${rankSign(rank)}</text>`;

/** A whole card, 50 by 70. @param {string} rank @param {string} suit */
function face(rank, suit) {
  const corner = svg`${sign(rank, 7.5, 15, "index")}${pip(suit, 7.5, 22, 9)}`;
  return svg`<g class="ink-${suit}">${corner}<g transform="rotate(180 25 35)">${corner}</g>
    ${"KQJ".includes(rank) ? court(rank, suit) : spots(rank, suit)}</g>`;
}

/** @param {string} rank @param {string} suit */
function spots(rank, suit) {
  const german = pattern() === "german";
  // The Daus is the deuce that came to the top, and still shows two signs.
  const places = (german && rank === "A" ? PIPS[2] : PIPS[rank]) ?? [];
  const size = places.length === 1 ? 22 : places.length < 4 ? 13 : 7.8;
  const top = places.length < 4 ? 20 : 13;
  return places.map(([column, down]) =>
    pip(suit, 25 + (column - 1) * 7, top + down * (70 - 2 * top), size, !german && down > 1 / 2),
  );
}

/** The Ober has his sign above, the Unter below: that is what they are called after. @param {string} rank @param {string} suit */
function court(rank, suit) {
  const german = pattern() === "german";
  const at = !german
    ? [
        [19.3, 15, 0],
        [30.7, 55, 1],
      ]
    : rank === "K"
      ? [
          [19.3, 15, 0],
          [30.7, 15, 0],
        ]
      : rank === "Q"
        ? [[25, 15, 0]]
        : [[25, 55, 0]];
  const crown = {
    K: "M16 29l1-7 4.5 4L25 20l3.5 6 4.5-4 1 7Z",
    Q: "M18 29l-.5-5 4.5 2.5L25 22l3 4.5 4.5-2.5-.5 5Z",
    J: "M18 29c0-4 3-6 7-6s7 2 7 6Z",
  }[rank];
  const shift = german && rank === "J" ? -5 : 0;
  return svg`<rect class="frame" x="14" y="9" width="22" height="52" rx="1.5"/>
    ${at.map(([x = 0, y = 0, turned]) => pip(suit, x, y, 8, turned === 1))}
    <path class="crown" transform="translate(0 ${shift})" d=${crown ?? ""}/>${sign(rank, 25, 47 + shift, "letter")}`;
}

/** The index alone, 40 by 50: for where many cards stand together. @param {string} rank @param {string} suit */
const index = (rank, suit) =>
  svg`<g class="ink-${suit}">${sign(rank, 20, 22, "alone")}${pip(suit, 20, 36.5, 19)}</g>`;

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

/** A card, face up; with `press` it is a button that may be selected. @param {string} code @param {CardOptions} [options] */
export function cardView(code, options = {}) {
  const [rank = "", suit = ""] = code;
  const { compact, selected, disabled, played, note, tab, silent, press } = options;
  const kind = Object.entries({ compact, selected, played })
    .filter(([, on]) => on)
    .map(([one]) => one);
  const drawing = html`<svg viewBox=${compact ? "0 0 40 50" : "0 0 50 70"} aria-hidden="true">
    ${compact ? index(rank, suit) : face(rank, suit)}
  </svg>`;
  const look = ["playing-card", pattern(), ...kind].join(" ");
  if (silent) return html`<span class=${look} data-card=${code}>${drawing}</span>`;
  const label = note ? `${cardName(code)}, ${note}` : cardName(code);
  if (!press)
    return html`<span
      class=${look}
      data-card=${code}
      role="img"
      lang=${tongue()}
      aria-label=${label}
      >${drawing}</span
    >`;
  return html`<button
    type="button"
    class=${look}
    data-card=${code}
    lang=${tongue()}
    aria-label=${label}
    aria-pressed=${selected ? "true" : "false"}
    tabindex=${tab ?? 0}
    ?disabled=${disabled}
    @click=${press}
  >
    ${drawing}
  </button>`;
}

/** A card, face down. */
export const backView = ({ compact = false, label = "a card, face down" } = {}) =>
  html`<span
    class="playing-card back-side ${compact ? "compact" : ""}"
    role="img"
    aria-label=${label}
    ><svg viewBox=${compact ? "0 0 40 50" : "0 0 50 70"} aria-hidden="true">
      ${weave(compact ? 40 : 50, compact ? 50 : 70)}
    </svg></span
  >`;

/** The board's star in a lattice. @param {number} width @param {number} height */
function weave(width, height) {
  const [x, y] = [width / 2, height / 2];
  const points = Array.from({ length: 16 }, (_, i) => {
    const [turn, r] = [(i / 8) * Math.PI, i % 2 ? 12 : 7];
    return `${(x + r * Math.sin(turn)).toFixed(1)},${(y - r * Math.cos(turn)).toFixed(1)}`;
  });
  const lines = Array.from(
    { length: 30 },
    (_, i) => `M${(i - 15) * 6} 0l${height} ${height}M${i * 6} 0l${-height} ${height}`,
  );
  return svg`<path class="lattice" d=${lines.join("")}/><rect class="edge" x="2.5" y="2.5" width=${width - 5} height=${height - 5} rx="2"/>
    <circle class="disc" cx=${x} cy=${y} r="14"/><polygon class="back-star" points=${points.join(" ")}/>`;
}

/** Chooses the pattern; kept on this phone. @param {() => void} onChange what shows the cards anew */
export function suitSwitch(onChange) {
  const one = (
    /** @type {Pattern} */ wanted,
    /** @type {string} */ label,
    /** @type {string} */ suit,
  ) =>
    html`<button
      type="button"
      class="pick"
      data-pattern=${wanted}
      aria-pressed=${pattern() === wanted ? "true" : "false"}
      aria-label="${label} suits"
      @click=${() => {
        choosePattern(wanted);
        onChange();
      }}
    >
      <svg class="suit-sign suit-${suit}" viewBox="0 0 24 24" aria-hidden="true">
        ${SHAPES[wanted][suit]}
      </svg>
      <span>${label}</span>
    </button>`;
  return html`<div class="suit-switch" role="group" aria-label="Suits">
    ${one("french", "French", "S")}${one("german", "German", "C")}
  </div>`;
}

const sheets = /** @type {Map<string, Promise<void>>} */ (new Map());

/**
 * Adds a stylesheet to the page, once; settles when it is there, or will not be.
 * @param {string} address
 */
export function styled(address) {
  const known = sheets.get(address);
  if (known) return known;
  const link = document.createElement("link");
  link.rel = "stylesheet";
  link.href = address;
  const added = /** @type {Promise<void>} */ (
    new Promise((done) => {
      link.onload = () => done();
      link.onerror = () => {
        sheets.delete(address); // the next one asks again
        link.remove();
        done();
      };
    })
  );
  sheets.set(address, added);
  document.head.append(link);
  return added;
}
