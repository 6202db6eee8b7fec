// @ts-check
// Pairing: how a phone that only watches is paired, and the list of paired phones.

import { html, nothing, render, svg } from "./vendor/lit-html.js";
import { closeDialog, openDialog, stillOpen } from "./dialog.js";
import { byId, formValues, kindById, plainDigits } from "./elements.js";
import { askForOwner } from "./owner.js";
import { at, reason, request } from "./requests.js";
import { PAIRED, remember } from "./storage.js";
import { oneAtATime } from "./taps.js";
import { dateText, OWN_ZONE, text } from "./texts.js";
import { pushButton } from "./views.js";

/** @import { OwnWifi, PairingAnswer, QrCode, ReachAnswer, StateAnswer } from "../types" */

const LOOK_MS = 300; // whether the button that opened the window is still held

/**
 * How a phone that only watches is paired.
 * @param {HTMLElement} host @param {(message: string) => void} toast
 * @param {() => void} reconnect
 */
export function createPairing(host, toast, reconnect) {
  let led = false; // to the code, since the window opened
  let isSent = false; // a code that has not been refused

  async function pair() {
    if (isSent) return; // the second half of a double tap would find the window closed
    isSent = true;
    const field = kindById("code", HTMLInputElement);
    const code = plainDigits(field.value).replace(/\D/g, "");
    const answer = await request("POST", "/api/pair", { body: { code, zone: OWN_ZONE } });
    if (answer?.status === 200) {
      toast(text("This phone is paired."));
      askForOwner();
      remember(PAIRED, String(Date.now()));
      reconnect(); // with the cookie just received
      return;
    }
    isSent = false;
    toast(reason(answer));
    field.value = "";
    field.focus();
  }

  /** Brings the code into sight once the window is open and no button is held any more. */
  function leadToCode() {
    if (led || !document.getElementById("code")) return;
    if (document.querySelector(".held")) return void setTimeout(leadToCode, LOOK_MS);
    led = true;
    byId("code").focus();
    byId("pair").scrollIntoView({ block: "nearest" });
  }

  /** @param {StateAnswer} state */
  function show(state) {
    const { paired, open, digits, how, code } = state.pairing;
    host.hidden = paired && !code;
    if (paired) {
      isSent = false;
      render(
        code
          ? html`<p id="shown">
              ${text("A phone can be paired now. The code on the board is {code}.", { code })}
            </p>`
          : nothing,
        host,
      );
      return;
    }
    render([leadView(open, how), open ? codeView(digits, pair) : nothing], host);
    if (open) leadToCode();
    else led = false;
  }

  return { show };
}

/** @param {number} digits @param {() => void} pair */
const codeView = (digits, pair) =>
  html`<div class="row">
    <label>
      <span class="quiet">${text("Code")}</span>
      <input
        id="code"
        class="code"
        inputmode="numeric"
        autocomplete="off"
        placeholder=${text("Code")}
        size=${digits}
        maxlength=${2 * digits}
        @keydown=${(/** @type {KeyboardEvent} */ event) => event.key === "Enter" && pair()}
      />
    </label>
    ${pushButton(text("Pair"), pair, { id: "pair", class: "main" })}
  </div>`;

/** What to do to play along. @param {boolean} open @param {string} how */
const leadView = (open, how) =>
  html`<div class="lead">
    ${open ? nothing : buttonDrawing()}
    <div>
      <h3>${text("You are watching")}</h3>
      <p>${how}</p>
    </div>
  </div>`;

/** Where the button is that opens the window. */
const buttonDrawing = () =>
  html`<svg
    class="where-next"
    viewBox="0 0 100 100"
    role="img"
    aria-label=${text("The button next is at the lower right of the board.")}
  >
    <circle class="rim" cx="50" cy="50" r="47"></circle>
    <circle class="bed" cx="50" cy="50" r="34"></circle>
    ${[0, 1, 2, 3, 4, 5, 6, 7].map(
      (i) =>
        svg`<circle class="hole" r="8"
          cx=${50 + 24 * Math.sin((i * Math.PI) / 4)}
          cy=${50 - 24 * Math.cos((i * Math.PI) / 4)}></circle>`,
    )}
    <circle class="hole" cx="50" cy="50" r="11"></circle>
    <circle class="knob-off" cx="9" cy="91" r="7"></circle>
    <circle class="knob-on" cx="91" cy="91" r="7"></circle>
    <circle class="press-here" cx="91" cy="91" r="7"></circle>
  </svg>`;

/** Renames a phone, or unpairs it.
 * @typedef {(pairing: PairingAnswer, label: string | null) => Promise<void>} Change */

/** Opens the list of phones.
 * @param {HTMLDialogElement} drawer @param {StateAnswer} state
 * @param {(message: string) => void} toast */
export async function openPhones(drawer, state, toast) {
  // A double tap changes it once.
  const change = oneAtATime(async (/** @type {Parameters<Change>} */ ...[pairing, label]) => {
    const isOpen = stillOpen(drawer);
    const options = label === null ? {} : { body: { label } };
    const method = label === null ? "DELETE" : "PATCH";
    const done = await request(method, `/api/pairings/${pairing.number}`, options);
    if (done?.status === 204 && label === null && pairing.this) return location.reload();
    if (done?.status !== 204) toast(reason(done));
    if (isOpen()) await showPhones(drawer, state, toast, change);
  });
  if (await showPhones(drawer, state, toast, change)) openDialog(drawer);
}

/** Shows the list as it is now. Returns whether it could.
 * @param {HTMLDialogElement} drawer @param {StateAnswer} state
 * @param {(message: string) => void} toast @param {Change} change */
async function showPhones(drawer, state, toast, change) {
  const [answer, found] = await Promise.all([
    request("GET", "/api/pairings"),
    request("GET", "/api/reach"),
  ]);
  const failed = [answer, found].find((one) => one?.status !== 200);
  if (failed !== undefined) return void toast(reason(failed));
  /** @type {PairingAnswer[]} */
  const pairings = answer?.json;
  render(
    html`<h2 id="drawer-title">${text("Paired phones")}</h2>
      ${
        pairings.length
          ? html`<ul class="phones">
              ${pairings.map((pairing) => pairingView(pairing, change))}
            </ul>`
          : html`<p>
              ${text(
                "No phone is paired. This page runs on the board’s own machine, which needs no pairing.",
              )}
            </p>`
      }
      <h3>${text("Another phone")}</h3>
      ${reachView(found?.json)}
      <p><a class="plain" href=${at("/tv")}>${text("The table for a large screen")}</a></p>
      <p>
        ${text(
          "To let it play, hold next on the board for {seconds} s. Then type the code of the rings on that phone.",
          { seconds: state.holds.pairing },
        )}
      </p>
      ${pushButton(text("Done"), () => closeDialog(drawer), { class: "main" })}`,
    drawer,
  );
  return true;
}

/** @param {ReachAnswer} reach */
const reachView = ({ url, named, qr, wifi }) =>
  url && qr
    ? [wifi ? wifiView(wifi) : nothing, addressView(url, named, qr)]
    : html`<p>
        ${text(
          "Only this machine can see the page. Phones in the house can, too, if pochboard runs with --lan.",
        )}
      </p>`;

/** @param {string} url @param {string | null} named @param {QrCode} qr */
const addressView = (url, named, qr) =>
  html`<p>
      ${text("To watch, open")} <a href=${url}><b>${url}</b></a>
    </p>
    ${
      named
        ? html`<p class="about">
            ${text("Most phones also find the page at {url}.", { url: named })}
          </p>`
        : nothing
    }
    ${codeDrawing(qr, text("QR code of {url}", { url }))}`;

/** @param {OwnWifi} wifi */
const wifiView = ({ name, password, qr }) =>
  html`<p>
      ${text(
        "The board has opened a Wi-Fi of its own. The phone has to join it first: point its camera at this code, or type the password.",
      )}
    </p>
    <dl class="wifi">
      <dt>${text("Wi-Fi")}</dt>
      <dd>${name}</dd>
      <dt>${text("Password")}</dt>
      <dd>${password}</dd>
    </dl>
    ${codeDrawing(qr, text("QR code of the Wi-Fi {name}", { name }))}`;

/** @param {QrCode} code @param {string} label */
const codeDrawing = ({ size, path }, label) =>
  html`<svg class="qr" viewBox="0 0 ${size} ${size}" role="img" aria-label=${label}>
    <path d=${path}></path>
  </svg>`;

/** @param {PairingAnswer} pairing @param {Change} change */
function pairingView(pairing, change) {
  const { number, label, paired_ms: paired, used_ms: used, this: own } = pairing;
  const flag = html` <em class="flag">${text("this phone")}</em>`;
  const question = text("Unpair {label}? Until it is paired again, it can only watch.", { label });
  const revoke = () => void (confirm(question) && change(pairing, null));
  /** @param {SubmitEvent} event */
  function rename(event) {
    const { label: written = "" } = formValues(event);
    if (written !== label) void change(pairing, written);
  }
  return html`<li data-pairing=${number}>
    <form @submit=${rename}>
      <input
        name="label"
        required
        maxlength="40"
        autocomplete="off"
        aria-label=${text("Name of {label}", { label })}
        .value=${label}
      />
      <button class="soft" data-rename>${text("Rename")}</button>
    </form>
    <small
      >${own ? flag : nothing}
      ${text("paired {paired}, last used {used}", { paired: day(paired), used: day(used) })}</small
    >
    ${pushButton(text("Unpair"), revoke, {
      class: "plain",
      "data-revoke": "",
      "aria-label": text("Unpair {label}", { label }),
    })}
  </li>`;
}

/** @param {number} ms */
const day = (ms) => dateText(ms, { day: "numeric", month: "long" });
