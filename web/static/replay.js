// @ts-check
// A night looked at again, entry by entry: the board, the stacks and the sentence of each.
//
// Hooks for tests: #scrubber, #replay-sentence, #replay-entry (data-entry), #first #prev #play #next
// #last, #link, #pool-ace .chips, #seat-2 .stack, circle[data-pixel], #standings, svg.chart

import { html, nothing, render, svg } from "./vendor/lit-html.js";
import { createBoard, POOLS } from "./board.js";
import { ask } from "./live.js";

/** @param {string} id */
const at = (id) => /** @type {HTMLElement} */ (document.getElementById(id));
const STEP_MS = 900;

/**
 * What a pixel of a ring shows (each pixel stands for chips i + 1, i + 1 + n, …).
 * @param {BoardLook} look @param {number} chips @param {number} i @param {boolean} blocked
 */
function counted(look, chips, i, blocked) {
  const ring = look.pixels_per_ring;
  const carried = Math.max(0, Math.floor((chips - i + ring - 1) / ring));
  if (!carried) return "#000000";
  const colour = look.palette[Math.min(carried, look.palette.length) - 1] ?? "#000000";
  return blocked ? dimmed(colour) : colour;
}

/** @param {string} colour */
const dimmed = (colour) =>
  `#${[1, 3, 5]
    .map((i) =>
      Math.round(parseInt(colour.slice(i, i + 2), 16) / 4)
        .toString(16)
        .padStart(2, "0"),
    )
    .join("")}`;

/** @param {BoardLook} look @param {Table} table */
function pixelsOf(look, table) {
  const rings = POOLS.flatMap((pool) =>
    Array.from({ length: look.pixels_per_ring }, (_, i) =>
      counted(look, table.pools[pool] ?? 0, i, table.blocked.includes(pool)),
    ),
  );
  const dealer = table.places[String(table.dealer)];
  const turn = table.places[String(table.to_act)];
  const places = Array.from({ length: look.places }, (_, i) =>
    i + 1 === dealer ? "#ffffff" : i + 1 === turn ? "#ffba00" : "#000000",
  );
  return [...rings, ...places];
}

const number = Number(location.pathname.split("/").filter(Boolean).pop());
void open();

async function open() {
  const [summary, entries] = await Promise.all([
    ask("GET", `/api/nights/${number}`),
    ask("GET", `/api/nights/${number}/entries`),
  ]);
  if (summary?.status !== 200 || entries?.status !== 200) {
    const why = summary?.json?.message ?? "The board did not answer.";
    render(html`<p class="card">${why} <a href="">Try again</a></p>`, at("replay"));
    return;
  }
  replay(summary.json, entries.json);
}

/** @param {Night} night @param {Entry[]} entries */
function replay(night, entries) {
  const look = night.board;
  const board = createBoard(at("board"), { places: look.places, perRing: look.pixels_per_ring });
  const names = night.names;
  const total = entries.length;
  let entry = fromHash() ?? total;
  let playing = 0;
  let written = 0;

  const day = new Date(night.started_ms).toLocaleDateString([], {
    weekday: "long",
    day: "numeric",
    month: "long",
    year: "numeric",
  });
  at("headline").textContent =
    `Night ${night.number} · ${night.ruleset} · ${day}${night.imported ? " · from paper" : ""}`;

  function fromHash() {
    const wanted = Number(location.hash.slice(1));
    return Number.isInteger(wanted) && wanted >= 1 ? Math.min(wanted, total) : null;
  }

  function go(/** @type {number} */ to) {
    entry = Math.max(1, Math.min(total, to));
    show();
    // The address follows without filling the history, and not at every step of a quick hand.
    clearTimeout(written);
    written = setTimeout(() => history.replaceState(null, "", `#${entry}`), 200);
  }

  function play() {
    if (playing) {
      clearInterval(playing);
      playing = 0;
    } else {
      if (entry === total) go(1);
      playing = setInterval(() => (entry < total ? go(entry + 1) : play()), STEP_MS);
    }
    show();
  }

  async function copy() {
    const address = `${location.origin}${location.pathname}#${entry}`;
    history.replaceState(null, "", `#${entry}`);
    const box = /** @type {HTMLInputElement} */ (at("address"));
    box.hidden = false;
    box.value = address;
    box.select();
    // Without a secure context there is no clipboard but this one.
    const done = document.execCommand("copy");
    at("link").textContent = done ? "Copied" : "Copy it from here:";
    setTimeout(() => (at("link").textContent = "Copy a link to this entry"), 2000);
    if (done) box.hidden = true;
  }

  function show() {
    const here = entries[entry - 1];
    if (!here) return;
    const table = here.state;
    board.light(pixelsOf(look, table), true);
    board.update({
      pools: table.pools,
      blocked: table.blocked,
      claimable: [],
      seats: new Map(
        Object.entries(table.places).map(([seat, place]) => [
          place,
          {
            name: here.names[seat] ?? "",
            detail: String(table.stacks[seat] ?? 0),
            dealer: table.dealer === Number(seat),
            turn: table.to_act === Number(seat) || table.leader === Number(seat),
            dim: !table.live.includes(Number(seat)),
          },
        ]),
      ),
    });
    render(view(here), at("replay"));
    const host = at("chart");
    if (host.clientWidth) render(chart(host.clientWidth), host);
  }

  function view(/** @type {Entry} */ here) {
    const button = (
      /** @type {string} */ id,
      /** @type {string} */ path,
      /** @type {string} */ label,
      /** @type {() => void} */ then,
      off = false,
    ) =>
      html`<button
        type="button"
        class="soft"
        id=${id}
        aria-label=${label}
        ?disabled=${off}
        @click=${then}
      >
        <svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d=${path}></path></svg>
      </button>`;
    return html`<section class="card" aria-label="Entry">
        <p id="replay-sentence" aria-live="polite">${here.sentence}</p>
        <p id="replay-entry" data-entry=${entry}>
          Entry ${entry} of ${total} ·
          ${new Date(here.time_ms).toTimeString().slice(0, 8)}${here.state.deal ? ` · deal ${here.state.deal}` : ""}
        </p>
        <input
          id="scrubber"
          type="range"
          min="1"
          max=${total}
          .value=${String(entry)}
          aria-label="Entry"
          aria-valuetext="Entry ${entry}: ${here.sentence}"
          @input=${(/** @type {Event} */ event) => go(Number(/** @type {HTMLInputElement} */ (event.target).value))}
        />
        <div class="transport">
          ${button("first", "M5 5h3v14H5zM19 5v14l-10-7z", "First entry", () => go(1), entry === 1)}
          ${button("prev", "M17 5v14L7 12z", "Entry before", () => go(entry - 1), entry === 1)}
          ${button("play", playing ? "M7 5h4v14H7zM13 5h4v14h-4z" : "M6 3v18l14-9z", playing ? "Stop" : "Play", play)}
          ${button("next", "M7 5v14l10-7z", "Next entry", () => go(entry + 1), entry === total)}
          ${button("last", "M16 5h3v14h-3zM5 5v14l10-7z", "Last entry", () => go(total), entry === total)}
        </div>
        <p>
          <button type="button" class="plain" id="link" @click=${copy}>
            Copy a link to this entry
          </button>
          <input id="address" readonly hidden aria-label="The link to this entry" />
        </p>
      </section>
      <section class="card">
        <h2>Stacks</h2>
        <div id="chart"></div>
        <ul class="seats">
          ${Object.keys(here.state.stacks).map((seat) => seatRow(here, Number(seat)))}
        </ul>
      </section>
      ${
        night.standings
          ? html`<section class="card">
              <h2>At the end</h2>
              <table id="standings" class="standings">
                ${night.standings.map(
                  ([seat, stack, net]) =>
                    html`<tr>
                      <td>${names[seat]}</td>
                      <td>${stack}</td>
                      <td>${signed(net)}</td>
                    </tr>`,
                )}
              </table>
            </section>`
          : nothing
      }
      <p>
        <a
          class="plain"
          href="/api/nights/${night.number}/sheet"
          download="night-${night.number}.jsonl"
          >The score sheet</a
        >
      </p>`;
  }

  function seatRow(/** @type {Entry} */ here, /** @type {number} */ seat) {
    const table = here.state;
    const place = table.places[seat];
    const stack = table.stacks[seat] ?? 0;
    const flags = [
      table.dealer === seat && "dealer",
      table.to_act === seat && "to act",
      table.leader === seat && "leads",
      place === undefined ? "left" : !table.live.includes(seat) && "out",
    ].filter(Boolean);
    return html`<li
      id="seat-${seat}"
      class="line-${seat % 8} ${table.to_act === seat ? "turn" : ""}"
      data-flags=${flags.join(" ")}
    >
      <span class="where">${place ?? "–"}</span
      ><span class="who"
        ><span class="name">${here.names[seat]}</span>
        ${flags.map((flag) => html`<em class="flag">${flag}</em> `)}
        ${table.committed[seat] ? html`<em class="flag">${table.committed[seat]} staked</em>` : nothing}</span
      >
      <span class="net">${signed(stack - (table.bought[seat] ?? 0))}</span
      ><span class="stack">${stack}</span>
    </li>`;
  }

  /** The stacks over the night, each line named at its end. @param {number} width */
  function chart(width) {
    const [height, left, right, top, bottom] = [220, 30, 92, 10, 22];
    const seats = Object.keys(entries[entries.length - 1]?.state.stacks ?? {});
    const most = Math.max(1, ...entries.flatMap((one) => Object.values(one.state.stacks)));
    const x = (/** @type {number} */ i) =>
      +(left + ((i - 1) / Math.max(1, total - 1)) * (width - left - right)).toFixed(1);
    const y = (/** @type {number} */ chips) =>
      +(top + (1 - chips / most) * (height - top - bottom)).toFixed(1);
    const ends = seats
      .map((seat) => ({ seat, y: y(entries[entries.length - 1]?.state.stacks[seat] ?? 0) }))
      .sort((a, b) => a.y - b.y);
    ends.forEach((end, i) => (end.y = Math.max(end.y, (ends[i - 1]?.y ?? -99) + 15)));
    const over = Math.max(0, (ends[ends.length - 1]?.y ?? 0) - (height - 4));
    ends.forEach((end) => (end.y -= over));
    const drag = (/** @type {PointerEvent} */ event) => {
      if (!event.buttons) return;
      const box = /** @type {Element} */ (event.currentTarget).getBoundingClientRect();
      go(
        Math.round(1 + ((event.clientX - box.left - left) / (width - left - right)) * (total - 1)),
      );
    };
    const points = (/** @type {string} */ seat) =>
      entries
        .flatMap((one, i) => {
          const chips = one.state.stacks[seat];
          return chips === undefined ? [] : [`${x(i + 1)},${y(chips)}`];
        })
        .join(" ");
    return html`<svg
      class="chart"
      viewBox="0 0 ${width} ${height}"
      role="img"
      aria-label="The stacks over the night"
      @pointerdown=${drag}
      @pointermove=${drag}
    >
      <line class="axis" x1=${left} y1=${y(0)} x2=${width - right} y2=${y(0)}></line>
      <line class="axis" x1=${left} y1=${y(most)} x2=${width - right} y2=${y(most)}></line>
      <text class="axis-text" x=${left - 6} y=${y(0) + 4} text-anchor="end">0</text>
      <text class="axis-text" x=${left - 6} y=${y(most) + 4} text-anchor="end">${most}</text>
      <g>${seats.map((seat) => line(points(seat), `line-${Number(seat) % 8}`))}</g>
      <line class="cursor" x1=${x(entry)} y1=${top} x2=${x(entry)} y2=${height - bottom}></line>
      <g>
        ${ends.map((end) => label(width - right + 8, end.y + 4, `line-${Number(end.seat) % 8}`, names[end.seat] ?? ""))}
      </g>
    </svg>`;
  }

  addEventListener("hashchange", () => {
    const wanted = fromHash();
    if (wanted !== null && wanted !== entry) go(wanted);
  });
  addEventListener("resize", show);
  addEventListener("keydown", (event) => {
    const target = /** @type {Element} */ (event.target);
    if (
      event.ctrlKey ||
      event.metaKey ||
      event.altKey ||
      target.id === "scrubber" ||
      target.id === "address"
    )
      return;
    const to = { ArrowLeft: entry - 1, ArrowRight: entry + 1, Home: 1, End: total }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    go(to);
  });
  show();
  show(); // once more, now that the chart has a width
}

/** @param {string} points @param {string} kind */
const line = (points, kind) => svg`<polyline class=${kind} points=${points}></polyline>`;
/** @param {number} x @param {number} y @param {string} kind @param {string} text */
const label = (x, y, kind, text) =>
  svg`<text class=${kind} x=${x} y=${y}>${text.length > 11 ? `${text.slice(0, 10)}…` : text}</text>`;
/** @param {number} net */
const signed = (net) => (net > 0 ? `+${net}` : net < 0 ? `−${-net}` : "±0");
