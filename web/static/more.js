// @ts-check
// What is rarely wanted: buying in, coming and going, recounts, the end; and the paired phones.

import { html, nothing, render } from "./vendor/lit-html.js";
import { accounts, doer, fields, give } from "./controls.js";
import { ask } from "./live.js";

/** @param {State} now @param {number[]} seats */
const seatField = (now, seats, label = "Who") =>
  html`<label
    >${label}
    <select name="seat">
      ${seats.map((seat) => html`<option value=${seat}>${now.names[seat]}</option>`)}
    </select></label
  >`;

/** @param {string} command @param {unknown} parts @param {string} label @param {(values: Record<string, string>) => Record<string, unknown>} then */
const sheet = (command, parts, label, then) =>
  html`<form
    data-form=${command}
    class="fields"
    @submit=${(/** @type {SubmitEvent} */ event) => give({ do: command, ...then(fields(event)) })}
  >
    ${parts}<button class="main" data-command=${command}>${label}</button>
  </form>`;

/** The form of a command. @param {State} now @param {string} command */
export function form(now, command) {
  const here = Object.keys(now.places).map(Number);
  const stack = now.stack ?? now.ruleset?.parameters["stack"] ?? 50;
  const seat = (/** @type {Record<string, string>} */ values) => ({ seat: Number(values["seat"]) });
  switch (command) {
    case "rebuy": {
      const poorest = [...here].sort((a, b) => (now.stacks[a] ?? 0) - (now.stacks[b] ?? 0));
      return sheet(
        command,
        html`${seatField(now, poorest)}
          <label
            >Chips
            <input name="chips" type="number" min="1" inputmode="numeric" required value=${stack}
          /></label>`,
        "Buy in",
        (values) => ({ ...seat(values), chips: Number(values["chips"]) }),
      );
    }
    case "join": {
      const places = now.board.places ?? 8;
      const free = Array.from({ length: places }, (_, i) => i + 1).filter(
        (one) => !Object.values(now.places).includes(one),
      );
      return sheet(
        command,
        html`<label>Name <input name="name" required maxlength="40" autocomplete="off" /></label>
          <label
            >Place
            <select name="place">
              ${free.map((one) => html`<option>${one}</option>`)}
            </select></label
          >`,
        "Join",
        (values) => ({
          name: values["name"],
          ...(values["place"] && { place: Number(values["place"]) }),
        }),
      );
    }
    case "leave":
      return sheet(
        command,
        html`${seatField(now, here)}
          <p>The chips go back to the bank, and the place is free.</p>`,
        "Goes home",
        seat,
      );
    case "rename":
      return sheet(
        command,
        html`${seatField(now, here)}<label
            >New name <input name="name" required maxlength="40" autocomplete="off"
          /></label>`,
        "Rename",
        (values) => ({ ...seat(values), name: values["name"] }),
      );
    case "dealer":
      return sheet(command, seatField(now, now.live, "Who deals next"), "Deals next", seat);
    case "adjust": {
      const account = (
        /** @type {string} */ field,
        /** @type {string} */ label,
        /** @type {number} */ first,
      ) =>
        html`<label
          >${label}
          <select name=${field}>
            ${accounts(now).map(([value, text], i) => html`<option value=${value} ?selected=${i === first}>${text}</option>`)}
          </select></label
        >`;
      return sheet(
        command,
        html`<p>The count on the table decides. Move what is wrong, and say why.</p>
          ${account("from", "From", 0)}${account("to", "To", 1)}
          <label
            >Chips <input name="chips" type="number" min="1" inputmode="numeric" required value="1"
          /></label>
          <label
            >Reason
            <input
              name="reason"
              required
              maxlength="200"
              autocomplete="off"
              placeholder="counted again"
          /></label>`,
        "Move the chips",
        (values) => ({
          from: values["from"],
          to: values["to"],
          chips: Number(values["chips"]),
          reason: values["reason"],
        }),
      );
    }
    case "void":
      return html`<p>A misdeal takes back everything since before this deal. Sure?</p>
        ${doer({ do: "void" }, "Yes, a misdeal")}`;
    case "end":
      return html`<p>
          The night closes; chips left in the pools go
          ${now.ruleset?.parameters["leftover"] === "split" ? "in equal shares to the players" : "back to the bank"}.
          Sure?
        </p>
        ${doer({ do: "end" }, "Yes, end the night")}`;
    default:
      return nothing;
  }
}

/** The list of paired phones. @param {HTMLDialogElement} drawer @param {(text: string) => void} toast */
export async function openDrawer(drawer, toast) {
  const answer = await ask("GET", "/api/pairings");
  if (answer?.status !== 200) return toast(answer?.json?.message ?? "The board did not answer.");
  const day = (/** @type {number} */ ms) =>
    new Date(ms).toLocaleDateString([], { day: "numeric", month: "long" });
  const revoke = async (/** @type {Pairing} */ one) => {
    await ask("DELETE", `/api/pairings/${one.number}`);
    if (one.this) location.reload();
    else await openDrawer(drawer, toast);
  };
  const rows = /** @type {Pairing[]} */ (answer.json).map(
    (one) =>
      html`<li data-pairing=${one.number}>
        <span
          >${one.label}${one.this ? html` <em class="flag">this phone</em>` : nothing}
          <small>paired ${day(one.paired_ms)}, last used ${day(one.used_ms)}</small></span
        >
        <button type="button" class="soft" @click=${() => revoke(one)}>Revoke</button>
      </li>`,
  );
  render(
    html`<h2>Paired phones</h2>
      <p>
        Who is paired may change the night. To pair another one, hold ‘next’ on the board for 3
        seconds and tap Pair there.
      </p>
      ${
        rows.length
          ? html`<ul class="phones">
              ${rows}
            </ul>`
          : html`<p>
              No phone is paired. This page is on the board’s own machine, which needs no pairing.
            </p>`
      }
      <button
        type="button"
        class="main"
        @click=${() => (drawer.close ? drawer.close() : drawer.removeAttribute("open"))}
      >
        Done
      </button>`,
    drawer,
  );
  if (drawer.open) return;
  if (drawer.showModal) drawer.showModal();
  else drawer.setAttribute("open", ""); // Safari before 15.4
}
