// @ts-check
// Behind the three dots: what is rarely needed, over the sheet and beside the table.

import { closeDialog, openDialog } from "./dialog.js";
import { byId, kindById } from "./elements.js";

/** Opens and closes the menu. */
export function createMenu() {
  const menu = kindById("menu", HTMLDialogElement);
  byId("dots").addEventListener("click", () => openDialog(menu));
  menu.addEventListener("click", ({ target }) => {
    // A tap beside it, or on what closes it.
    if (!(target instanceof Element)) return;
    if (target === menu || target.closest("[data-close]")) closeDialog(menu);
  });
}
