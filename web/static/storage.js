// @ts-check
// What this browser keeps of its own choices.

/** What this browser keeps; null if it keeps nothing. @param {string} key */
export function stored(key) {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** @param {string} key @param {string | null} value null removes it */
export function remember(key, value) {
  try {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, value);
  } catch {
    // It lasts as long as the page.
  }
}

/** What this tab keeps as long as it is open, also when it is loaded again. @param {string} key */
export function createTabMemory(key) {
  /** @type {string | null} */
  let known = null; // if the browser keeps nothing
  return {
    get() {
      try {
        return sessionStorage.getItem(key);
      } catch {
        return known;
      }
    },
    /** @param {string | null} value null removes it */
    keep(value) {
      known = value;
      try {
        if (value === null) sessionStorage.removeItem(key);
        else sessionStorage.setItem(key, value);
      } catch {
        // It lasts as long as the page.
      }
    },
  };
}

export const OWNER = "owner"; // whose phone it is
export const FIRST = "first"; // "later" leaves the questions of the first start to other phones
export const AWAKE = "awake"; // "off" lets the screen go dark
export const PAIRED = "paired"; // when this browser was paired: its other windows follow
