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

/** @param {HTMLDialogElement} dialog */
export function openDialog(dialog) {
  if (!dialog.open) dialog.showModal();
}

/** @param {HTMLDialogElement} dialog */
export const closeDialog = (dialog) => dialog.close();
