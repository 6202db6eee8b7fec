// @ts-check
// The parts of the page: finding them, and reading what people have entered.

/**
 * An element of a kind, which must be there. @template {Element} T
 * @param {Element | null | undefined} element @param {new () => T} kind @param {string} name
 */
function checked(element, kind, name) {
  if (element instanceof kind) return element;
  throw new Error(`the page has no ${kind.name} ${name}`);
}

/** The element with this id. @param {string} id */
export const byId = (id) => checked(document.getElementById(id), HTMLElement, id);

/** The same, of a kind. @template {Element} T @param {string} id @param {new () => T} kind */
export const kindById = (id, kind) => checked(document.getElementById(id), kind, id);

/** The first element that matches, of a kind. @template {Element} T
 * @param {string} selector @param {new () => T} kind @param {ParentNode} [within] */
export const find = (selector, kind, within = document) =>
  checked(within.querySelector(selector), kind, selector);

/** All elements of a kind that match. @template {Element} T
 * @param {string} selector @param {new () => T} kind @param {ParentNode} [within] */
export const findAll = (selector, kind, within = document) =>
  [...within.querySelectorAll(selector)].map((element) => checked(element, kind, selector));

/** The form, field or control that an event is about. @template {Element} T
 * @param {Event} event @param {new () => T} kind */
export const targetOf = ({ target }, kind) =>
  checked(asElement(target), kind, "that an event is about");

/** @param {EventTarget | null} target */
const asElement = (target) => (target instanceof Element ? target : null);

/** What draws on a canvas. @param {HTMLCanvasElement} canvas */
export function penOf(canvas) {
  const pen = canvas.getContext("2d");
  if (pen) return pen;
  throw new Error("this canvas cannot be drawn on");
}

/** Shows a page that was hidden until it was drawn. Its letters come after the first paint. */
export function revealPage() {
  document.body.classList.remove("undrawn");
  requestAnimationFrame(() => setTimeout(() => void loadLetters()));
}

/** Lets headings and numbers have their own letters, unless these cannot be loaded. */
async function loadLetters() {
  const loaded = await document.fonts.load('600 1em "Pochboard Serif"').catch(() => []);
  if (loaded.length) document.documentElement.classList.add("lettered");
}

/** The value of the control that an event comes from. @param {Event} event */
export function valueOf({ target }) {
  if (target instanceof HTMLSelectElement) return target.value;
  const field = checked(asElement(target), HTMLInputElement, "that has changed");
  return writtenIn(field, field.value);
}

/** The values of a form, which the browser must not send itself. @param {SubmitEvent} event */
export function formValues(event) {
  event.preventDefault();
  return valuesOf(targetOf(event, HTMLFormElement));
}

const DIGIT = /\p{Nd}/u;

/** A text with digits of any script as those of code: ٣ and ３ are 3. @param {string} written */
export const plainDigits = (written) =>
  written.replace(/\p{Nd}/gu, (digit) => {
    const point = digit.codePointAt(0) ?? 0;
    let zero = point; // Unicode has the ten digits of a script in a row
    while (DIGIT.test(String.fromCodePoint(zero - 1))) zero -= 1;
    return String((point - zero) % 10);
  });

/** What is written in a field: numbers in digits of code.
 * @param {Element | RadioNodeList | null} field @param {FormDataEntryValue} value */
const writtenIn = (field, value) => {
  const isNumber = field instanceof HTMLInputElement && field.inputMode !== "";
  return isNumber ? plainDigits(String(value)) : String(value);
};

/** The whole number that is written; anything else is left for the daemon to refuse.
 * @param {string} written */
export const wholeIn = (written) => (/^\d+$/.test(written.trim()) ? Number(written) : written);

/** @param {HTMLFormElement} form */
export const valuesOf = (form) =>
  Object.fromEntries(
    [...new FormData(form)].map(([key, value]) => [
      key,
      writtenIn(form.elements.namedItem(key), value).normalize("NFC").trim(),
    ]),
  );
