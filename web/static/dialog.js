// @ts-check
// Helpers for parts of the page that are loaded on request: their styles, and dialogs.

import { findAll } from "./elements.js";
import { at } from "./requests.js";

/**
 * Adds a stylesheet to the page, once. Resolves when it is there or cannot be loaded.
 * @param {string} path
 * @returns {Promise<void>}
 */
export function loadStylesheet(path) {
  const { href } = new URL(at(path), location.href);
  const known = findAll("link", HTMLLinkElement).find((link) => link.href === href);
  if (known?.sheet) return Promise.resolve();
  const link = known ?? document.createElement("link");
  return new Promise((resolve) => {
    link.addEventListener("load", () => resolve());
    link.addEventListener("error", () => {
      link.remove(); // the next call tries again
      resolve();
    });
    if (known) return;
    link.rel = "stylesheet";
    link.href = href;
    document.head.append(link);
  });
}

/** How often each dialog has been opened. @type {WeakMap<HTMLDialogElement, number>} */
const OPENINGS = new WeakMap();

/** Opens a dialog for what has just been drawn in it. @param {HTMLDialogElement} dialog */
export function openDialog(dialog) {
  OPENINGS.set(dialog, (OPENINGS.get(dialog) ?? 0) + 1);
  if (!dialog.open) dialog.showModal();
}

/** Returns what says whether a dialog is still open for the same thing as now. Before an answer
 * comes, somebody may have closed it, and opened it for something else.
 * @param {HTMLDialogElement} dialog */
export function stillOpen(dialog) {
  const opening = OPENINGS.get(dialog);
  return () => dialog.open && OPENINGS.get(dialog) === opening;
}

/** @param {HTMLDialogElement} dialog */
export const closeDialog = (dialog) => dialog.close();
