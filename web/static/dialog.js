// @ts-check
// Dialogs, and the menu behind the three dots.

import { byId, kindById } from "./elements.js";

/** How often each dialog has been opened. @type {WeakMap<HTMLDialogElement, number>} */
const OPENINGS = new WeakMap();

/** Opens a dialog, in place of any other, for what has just been drawn in it.
 * @param {HTMLDialogElement} dialog */
export function openDialog(dialog) {
  OPENINGS.set(dialog, (OPENINGS.get(dialog) ?? 0) + 1);
  for (const other of document.querySelectorAll("dialog[open]")) {
    if (other instanceof HTMLDialogElement && other !== dialog) other.close();
  }
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

/** Opens and closes the menu: what is rarely needed, over the sheet and beside the table. */
export function createMenu() {
  const menu = kindById("menu", HTMLDialogElement);
  byId("dots").addEventListener("click", () => openDialog(menu));
  menu.addEventListener("click", ({ target }) => {
    // A tap beside it, or on what closes it.
    if (!(target instanceof Element)) return;
    if (target === menu || target.closest("[data-close]")) closeDialog(menu);
  });
}
