// @ts-check
// The texts of the page, which come with it in its language, and how times are written in it.

/** @typedef {string | Record<string, string>} Message with named places, as in `{name}`; its forms
 * by plural category */
/** @typedef {Record<string, string | number>} Places */

/** The texts of the page, which come with it in its language. @type {Record<string, Message>} */
const TEXTS = JSON.parse(globalThis.document?.getElementById("texts")?.textContent ?? "{}");

/** The language of the texts. That of `<html>` changes when the browser translates the page. */
export const LANGUAGE = globalThis.document?.body.dataset["language"] ?? "en";

/** A text of the page with its places filled; `count` chooses between singular and plural.
 * @param {string} id @param {Places} [places] */
export function text(id, places = {}) {
  const message = TEXTS[id];
  if (message === undefined) throw new Error(`the page has no text ${id}`);
  return fill(formOf(message, Number(places["count"]), LANGUAGE), places);
}

/** What the board's own two buttons are called. */
export const actionLabels = () => ({ next: text("board.next"), undo: text("board.undo") });

/** The form of a message that fits a count. @param {Message} message @param {number} count
 * @param {string} language */
export function formOf(message, count, language) {
  if (typeof message === "string") return message;
  return message[new Intl.PluralRules(language).select(count)] ?? message["other"] ?? "";
}

const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;

/** Names in Hebrew or Arabic are isolated, so that they change no order of words around them.
 * @param {string} message @param {Places} places */
export const fill = (message, places) =>
  message.replace(/\{(\w+)\}/g, (_, place) => {
    const value = String(places[place]);
    return RIGHT_TO_LEFT.test(value) ? `\u2068${value}\u2069` : value;
  });

/** What a language calls itself. @param {string} name */
export const languageName = (name) =>
  new Intl.DisplayNames(name, { type: "language" }).of(name) ?? name;

/** @param {number} ms @param {boolean} [seconds] */
export const clockTime = (ms, seconds = false) =>
  new Date(ms).toTimeString().slice(0, seconds ? 8 : 5);

/** How dates are written: as where the browser's user lives, if the texts are in that language. */
export const DATES =
  globalThis.navigator?.languages?.find((name) => name.split("-")[0] === LANGUAGE) ?? LANGUAGE;

/** @type {Intl.DateTimeFormatOptions} */
export const DAY = { day: "numeric", month: "long", year: "numeric" };

/** @param {number} ms */
export const longDate = (ms) => new Date(ms).toLocaleDateString(DATES, { weekday: "long", ...DAY });

/** @param {string} name @param {number} most letters, as a reader counts them */
export function shorten(name, most) {
  if (name.length <= most) return name;
  // Making a segmenter takes longer than drawing all names, and Latin letters need none. Firefox
  // before 125 has none, and may cut a letter that is made of several.
  const letters =
    "Segmenter" in Intl && /[^ -\u024f]/.test(name)
      ? [...new Intl.Segmenter().segment(name)].map(({ segment }) => segment)
      : [...name];
  return letters.length > most
    ? `${letters
        .slice(0, most - 1)
        .join("")
        .trim()}…`
    : name;
}
