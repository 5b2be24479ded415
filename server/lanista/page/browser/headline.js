/**
 * The headline of the match view: the game, what the match is doing, who leads or how it ended, and
 * what can be taken from it.
 *
 * @module
 */

import { seatLetter } from "./colours.js";
import { compareAddress } from "./compare_choice.js";
import { copyButton } from "./controls.js";
import { el, fill } from "./dom.js";
import { addressOf, isolated, seatMark } from "./matches.js";
import { crashLine, hasCrashed } from "./orders.js";
import { downloadButton } from "./owner.js";
import { capital, describeEnding, describeLead, nameSeats, printable, turnWord } from "./text.js";

/** @typedef {import("./decode.js").End} End */
/** @typedef {import("./decode.js").Head} Head */
/** @typedef {import("./decode.js").Position} Position */
/** @typedef {import("./player.js").Player} Player */

/**
 * Return the round of the fault that ended a match for a bot: the first one of late or absent turns in
 * a row, unless it crashed after them.
 *
 * @param {End | null} end
 * @param {number} seat
 * @returns {number | null} null: it played to the end
 */
export function faultRound(end, seat) {
  const { out = {}, endings = [], exits = {} } = end?.result ?? {};
  const fault = out[seat];
  if (fault === undefined) {
    return null;
  }
  return (hasCrashed(endings[seat], exits[seat]) ? fault.turn : (fault.since ?? fault.turn)) + 1;
}

/** Return what a bot lost by in the first place. @param {End | null} end @param {number} seat */
function reasonOf(end, seat) {
  return end?.story?.losses[seat]?.[0] ?? null;
}

/** The headline of a match. */
export class Headline {
  #head;
  #showOutput;
  #seek;
  #state = el("span", { class: "badge state" });
  #lead = el("span", { class: "result lead" });
  #result = el("strong", { class: "result", role: "status" });
  #facts = el("span", { class: "row facts" });
  #seed = el("span", { class: "muted seed" });
  #failures = el("div", { class: "failed", role: "status" });
  /** What the result shows. */
  #shown = "";
  element;

  /**
   * @param {Head} head
   * @param {object} options
   * @param {HTMLElement | undefined} options.controls of a running match
   * @param {(seat: number) => void} options.showOutput shows what a bot's process wrote
   * @param {(round: number, seat: number) => void} options.seek shows a round for what a seat did
   */
  constructor(head, { controls, showOutput, seek }) {
    this.#head = head;
    this.#seek = seek;
    this.#showOutput = showOutput;
    this.element = el(
      "header",
      { class: "match-head" },
      el(
        "div",
        { class: "line" },
        el("h1", null, head.title),
        this.#state,
        this.#lead,
        this.#result,
        controls,
        this.#seed,
        this.#facts,
      ),
      this.#failures,
    );
  }

  /**
   * Show what the match is doing. The match's own pause and that of this view are two things: the
   * view's is told by its button.
   *
   * @param {Player} player
   * @param {boolean} isHeld whether the match itself is paused
   */
  state({ mode, over, round, last }, isHeld) {
    const live = mode === "live" && !isHeld;
    const running = isHeld ? "match paused" : live ? "live" : "running";
    const state = over ? (round === last ? "over" : "replay") : running;
    this.#state.textContent = `${state} · ${turnWord(this.#head)} ${round}`;
    this.#state.classList.toggle("is-live", live);
  }

  /**
   * Show who leads in a round, or how the match ended.
   *
   * @param {Position} position
   * @param {End | null} end null: it isn't to be told yet
   * @param {readonly number[]} scores of the last position
   */
  result(position, end, scores) {
    const isStart = position.n === 0 && position.scores.every((score) => score === 0);
    const { text, seats } =
      end !== null
        ? describeEnding(this.#head, end, scores)
        : isStart
          ? { text: "", seats: [] }
          : describeLead(this.#head, position.scores);
    const key = `${end !== null} ${text}`;
    if (key === this.#shown) {
      return;
    }
    this.#shown = key;
    const [told, other] = end === null ? [this.#lead, this.#result] : [this.#result, this.#lead];
    fill(told, seats.map(seatMark), text !== "" && el("span", null, text));
    told.title = text;
    fill(other);
    this.#showFailures(end);
  }

  /**
   * Say why bots didn't play to the end, or lost: a line for each, the gravest first.
   *
   * @param {End | null} end
   */
  #showFailures(end) {
    const { endings = [], exits = {}, out = {} } = end?.result ?? {};
    const failed = [...endings.keys()].filter(
      (seat) => out[seat] !== undefined || hasCrashed(endings[seat], exits[seat]),
    );
    const losers = (end?.story?.losers ?? []).filter((seat) => reasonOf(end, seat) !== null);
    fill(
      this.#failures,
      [...new Set([...failed, ...losers])].map(
        (seat) => this.#crash(end, seat) ?? this.#fault(end, seat) ?? this.#loss(end, seat),
      ),
    );
  }

  /**
   * Say what crashed, and lead to all that the bot wrote.
   *
   * @param {End | null} end
   * @param {number} seat
   */
  #crash(end, seat) {
    const { endings = [], exits = {}, outputs = {} } = end?.result ?? {};
    if (!hasCrashed(endings[seat], exits[seat])) {
      return null;
    }
    const output = outputs[seat] ?? "";
    const line = printable(crashLine(output));
    const exit = printable(exits[seat]);
    // What was killed may not have written why: its last line can be about anything.
    const how = line === "" || exit.startsWith("exited") ? "" : ` (${exit})`;
    return this.#line(seat, faultRound(end, seat), [` crashed${how}: `, el("code", null, line || exit)], {
      button:
        output !== "" && smallButton(`Output of ${seatLetter(seat)}`, () => this.#showOutput(seat)),
    });
  }

  /**
   * Say which fault ended the match for a bot, and lead to its round.
   *
   * @param {End | null} end
   * @param {number} seat
   */
  #fault(end, seat) {
    const fault = end?.result?.out?.[seat];
    return fault === undefined
      ? null
      : this.#line(seat, faultRound(end, seat), [
          ` ${printable(fault.code)}: ${printable(fault.words)}`,
        ]);
  }

  /**
   * Say what a bot lost by that played to the end, and lead there.
   *
   * @param {End | null} end
   * @param {number} seat
   */
  #loss(end, seat) {
    const [round, , text] = reasonOf(end, seat) ?? [0, seat, ""];
    const words = nameSeats(printable(text), this.#head);
    // "Ann gives no orders", but "Ann: 3 orders refused".
    const told = /^\d/.test(words) ? [": ", words] : [" ", words];
    return this.#line(seat, round, told, { isFault: false });
  }

  /**
   * Make the line about a bot. Its buttons come first, and what has no room of its words is shown at
   * the pointer.
   *
   * @param {number} seat
   * @param {number | null} round to which it leads; null: not known
   * @param {(string | HTMLElement)[]} words what follows the bot's name
   * @param {{isFault?: boolean, button?: HTMLElement | false}} [options]
   */
  #line(seat, round, words, { isFault = true, button = false } = {}) {
    const name = isolated(printable(this.#head.players[seat]?.name ?? ""));
    const what = el("span", null, name, ...words);
    what.title = what.textContent ?? "";
    return el(
      "p",
      { class: isFault ? null : "muted" },
      round !== null &&
        smallButton(`${capital(turnWord(this.#head))} ${round}`, () => this.#seek(round, seat)),
      button,
      seatMark(seat),
      what,
    );
  }

  /**
   * Show what can be taken from the match: its seed, its record, the bots' failures, a link.
   *
   * @param {object} options
   * @param {End | null} options.end null: it is running
   * @param {boolean} options.tells whether it may be told how the match ended
   * @param {boolean} options.isStored whether the arena has it, so that there is something to link to
   * @param {() => number} options.round returns the round that is shown
   */
  facts({ end, tells, isStored, round }) {
    const head = this.#head;
    const seed = end?.seed ?? null;
    const api = `/api/1/matches/${encodeURIComponent(head.match)}`;
    const record = `${api}/record`;
    const title = "Download the record of the match";
    const names = head.players.map(({ name }) => name);
    fill(this.#seed, seed !== null && `seed ${seed}`);
    fill(
      this.#facts,
      isStored &&
        end !== null &&
        (typeof head.ladder === "string"
          ? downloadButton("Record", { address: record, file: `${head.match}.jsonl.gz`, title, names })
          : el("a", { class: "button small", href: record, download: true, title }, "Record")),
      isStored &&
        tells &&
        (head.bundles ?? []).map((seat) =>
          downloadButton(`Failure of ${seatLetter(seat)}`, {
            address: `${api}/bundles/${seat}`,
            file: `${head.match}.seat${seat}.zip`,
            title: `Download what shows why ${printable(names[seat])} failed`,
            names: [names[seat]],
          }),
        ),
      isStored &&
        end !== null &&
        el(
          "a",
          {
            class: "button small",
            href: compareAddress(head.match),
            title: "Compare with another match, side by side from their first difference",
          },
          "Compare",
        ),
      isStored &&
        end !== null &&
        el(
          "a",
          {
            class: "button small",
            href: `${api}/picture?round=0`,
            download: `${head.match}.png`,
            title: `Download a picture of this ${turnWord(head)}`,
            onclick: (/** @type {MouseEvent & {currentTarget: HTMLAnchorElement}} */ event) => {
              event.currentTarget.href = `${api}/picture?round=${round()}`;
            },
          },
          "Picture",
        ),
      isStored &&
        copyButton(
          () => new URL(`${addressOf(head.match)}?round=${round()}`, location.href).href,
          { label: "Copy link", title: `Copy a link to this ${turnWord(head)}` },
        ),
    );
  }
}

/** Make a small button. @param {string} words @param {() => void} onclick */
function smallButton(words, onclick) {
  return el("button", { class: "button small", type: "button", onclick }, words);
}
