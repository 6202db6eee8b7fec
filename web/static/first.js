// @ts-check
// The first start of a real board: asks once what its configuration leaves open.

import { html, nothing, render } from "./vendor/lit-html.js";
import { byId, formValues } from "./elements.js";
import { at, reason, request } from "./requests.js";
import { FIRST, remember, stored } from "./storage.js";
import { LANGUAGE, languageName, text } from "./texts.js";
import { optionsView, pushButton } from "./views.js";

/** @import { BoardState, SettingsBody } from "../types" */
/** @import { App } from "./store.js" */

/** Asks a paired phone until one has answered, or this one has put it off. @param {App} app */
export function createFirstStart({ store, toast }) {
  let isPutOff = stored(FIRST) === "later";

  function putOff() {
    isPutOff = true;
    remember(FIRST, "later");
    store.set();
  }

  /** @param {SubmitEvent} event */
  async function answer(event) {
    const { language, places } = formValues(event);
    /** @type {SettingsBody} */
    const body = { answered: true };
    if (language) body.language = /** @type {BoardState["language"]} */ (language);
    if (places) body.places = Number(places);
    const done = await request("PUT", "/api/board/settings", { body });
    if (done?.status !== 204) toast(reason(done));
  }

  store.subscribe(({ state: { board, pairing } }) => {
    const isAsked = pairing.paired && !isPutOff && board.asks.length > 0;
    const view = isAsked ? questionsView(board, { answer, putOff }) : nothing;
    render(view, byId("first"));
  });
}

/** @param {BoardState} board
 * @param {{answer: (event: SubmitEvent) => void, putOff: () => void}} on */
function questionsView({ asks, languages, next_places: places, places_steps: counts }, on) {
  const spoken = languages.find((one) => one === LANGUAGE) ?? "en";
  const soon = html`<small class="quiet"
    >${text("A new number of places takes effect at the next start.")}</small
  >`;
  const colours = html`<p>
    ${text("Do its lights show the right colours?")}
    <a class="soft check" href=${at("/build")}>${text("Check")}</a>
  </p>`;
  return html`<form class="first card" aria-labelledby="first-title" @submit=${on.answer}>
    <h2 id="first-title">${text("Before the first night")}</h2>
    ${
      asks.includes("language")
        ? choiceView(
            "language",
            text("Which language does the board speak?"),
            languages,
            spoken,
            languageName,
          )
        : nothing
    }
    ${
      asks.includes("places")
        ? choiceView("places", text("How many places does it have?"), counts, places, String)
        : nothing
    }
    ${asks.includes("places") ? soon : nothing} ${asks.includes("colours") ? colours : nothing}
    <p class="row">
      <button class="main done">${text("Done")}</button>
      ${pushButton(text("Later"), on.putOff, { class: "soft later" })}
    </p>
  </form>`;
}

/** @template {string | number} T
 * @param {string} name @param {string} question @param {readonly T[]} options @param {T} chosen
 * @param {(option: T) => string} label */
const choiceView = (name, question, options, chosen, label) =>
  html`<label>
    ${question}
    <select name=${name}>
      ${optionsView(
        options.map((value) => ({ value, label: label(value) })),
        chosen,
      )}
    </select>
  </label>`;
