// @ts-check
// The texts of the page, which come with it in its language, and how times are written in it.

/** @typedef {Record<string, string | number>} Places values of named places, as in `{name}` */

/** The translations of the texts below, by plural category if they have a plural; also the words
 * for cards and steps. @type {Record<string, string | Record<string, string>>} */
const TEXTS = JSON.parse(globalThis.document?.getElementById("texts")?.textContent ?? "{}");

/** The language of the texts. That of `<html>` changes when the browser translates the page. */
export const LANGUAGE = globalThis.document?.body.dataset["language"] ?? "en";

/** A text of the page with its places filled. The English must be a literal, for the catalogues.
 * @param {string} english @param {Places} [places] */
export const text = (english, places = {}) => fill(wordOf(english), places);

/** The singular or plural of a text, as `count` says. @param {string} one @param {string} many
 * @param {Places & {count: number}} places */
export function ntext(one, many, places) {
  const forms = TEXTS[one] ?? { one, other: many };
  return fill(formOf(forms, places.count, LANGUAGE), places);
}

/** A text too short to be understood alone: the context tells translators its use.
 * @param {string} context @param {string} english */
export const ptext = (context, english) => String(TEXTS[`${context}|${english}`] ?? english);

/** The word for a card, a suit or a step. @param {string} id */
export const wordOf = (id) => String(TEXTS[id] ?? id);

/** What the board's own two buttons are called. */
export const actionLabels = () => ({ next: text("next"), undo: text("undo") });

/** The form of a message that fits a count. @param {string | Record<string, string>} message
 * @param {number} count @param {string} language */
export function formOf(message, count, language) {
  if (typeof message === "string") return message;
  return message[new Intl.PluralRules(language).select(count)] ?? message["other"] ?? "";
}

const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;

/** Fills the places that have a value. Names in Hebrew or Arabic are isolated, so that they change
 * no order of words around them. @param {string} message @param {Places} places */
export const fill = (message, places) =>
  message.replace(/\{(\w+)\}/g, (place, name) => {
    const value = String(places[name] ?? place);
    return RIGHT_TO_LEFT.test(value) ? `\u2068${value}\u2069` : value;
  });

/** What a language calls itself. @param {string} name */
export const languageName = (name) =>
  new Intl.DisplayNames(name, { type: "language" }).of(name) ?? name;

const DAY_MS = 86_400_000;

/** The time zone of this browser. */
export const OWN_ZONE = new Intl.DateTimeFormat().resolvedOptions().timeZone;

/** What writes times in a zone, by its name: making it takes longer than using it.
 * @type {Map<string, Intl.DateTimeFormat>} */
const WRITERS = new Map();

/** From now on, all times are written in this zone. @param {string} name */
export const followZone = (name) => void (document.body.dataset["zone"] = name);

/** Writes times as ISO 8601 has them, in the zone of the board. */
function isoWriter() {
  const name = globalThis.document?.body.dataset["zone"] || OWN_ZONE;
  const writer = WRITERS.get(name) ?? isoWriterIn(name);
  WRITERS.set(name, writer);
  return writer;
}

/** In this browser's own zone if it does not know the name. @param {string} timeZone */
function isoWriterIn(timeZone) {
  /** @type {Intl.DateTimeFormatOptions} */
  const parts = { dateStyle: "short", timeStyle: "medium" };
  try {
    return new Intl.DateTimeFormat("sv-SE", { timeZone, ...parts }); // Swedes write ISO 8601
  } catch {
    return new Intl.DateTimeFormat("sv-SE", parts);
  }
}

/** @param {number} ms */
const isoTime = (ms) => isoWriter().format(ms).replace(" ", "T");

/** A time as a field of the type `datetime-local` has it. @param {number} ms */
export const localMinute = (ms) => isoTime(ms).slice(0, 16);

/** The time that such a field names; of two, the first. NaN if it names none.
 * @param {string} value */
export function msOfMinute(value) {
  const utc = Date.parse(`${value}Z`);
  if (Number.isNaN(utc)) return utc;
  const offsetMs = (/** @type {number} */ ms) => Date.parse(`${isoTime(ms)}Z`) - ms;
  const before = utc - offsetMs(utc - DAY_MS); // by the offset of the day before
  const after = utc - offsetMs(utc + DAY_MS);
  return utc - offsetMs(before) !== before && utc - offsetMs(after) === after ? after : before;
}

/** @param {number} ms @param {boolean} [seconds] */
export const clockTime = (ms, seconds = false) => isoTime(ms).slice(11, seconds ? 19 : 16);

/** How dates are written: as where the browser's user lives, if the texts are in that language. */
const DATES =
  globalThis.navigator?.languages?.find((name) => name.split("-")[0] === LANGUAGE) ?? LANGUAGE;

/** @type {Intl.DateTimeFormatOptions} */
const DAY = { day: "numeric", month: "long", year: "numeric" };

/** A date in words. @param {number} ms @param {Intl.DateTimeFormatOptions} [parts] */
export function dateText(ms, parts = DAY) {
  const { timeZone } = isoWriter().resolvedOptions();
  return new Date(ms).toLocaleDateString(DATES, { timeZone, ...parts });
}

/** A date in words, with the time of day and its zone. @param {number} ms */
export const momentText = (ms) =>
  dateText(ms, {
    weekday: "long",
    ...DAY,
    ...{ hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZoneName: "short" },
  });

/** @param {number} ms */
export const longDate = (ms) => dateText(ms, { weekday: "long", ...DAY });

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
