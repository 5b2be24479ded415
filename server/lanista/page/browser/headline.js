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
import { addressOf, seatMark } from "./matches.js";
import { crashLine, hasCrashed } from "./orders.js";
import { downloadButton } from "./owner.js";
import { capital, describeEnding, describeLead, nameSeats, printable, turnWord } from "./text.js";

/** @typedef {import("./decode.js").End} End */
/** @typedef {import("./decode.js").Head} Head */
/** @typedef {import("./decode.js").Position} Position */
/** @typedef {import("./player.js").Player} Player */

/**
 * Return the round of the fault that ended a match for a bot: the first one of late turns in a row.
 *
 * @param {End | null} end
 * @param {number} seat
 * @returns {number | null} null: it played to the end
 */
export function faultRound(end, seat) {
  const fault = end?.result?.out?.[seat];
  return fault === undefined ? null : (fault.since ?? fault.turn) + 1;
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
  #failures = el("div", { class: "failed", role: "status" });
  /** What the result shows. */
  #shown = "";
  element;

  /**
   * @param {Head} head
   * @param {object} options
   * @param {HTMLElement | undefined} options.controls of a running match
   * @param {(seat: number) => void} options.showOutput shows what a bot's process wrote
   * @param {(round: number) => void} options.seek shows a round
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

  /** Say why bots didn't play to the end, or lost. @param {End | null} end */
  #showFailures(end) {
    const seats = [...(end?.result?.endings ?? []).keys()];
    const faults = seats.map((seat) => this.#crash(end, seat) ?? this.#fault(end, seat));
    const lost = seats.filter((seat) => faults[seat] === null && reasonOf(end, seat) !== null);
    fill(
      this.#failures,
      faults.map((told, seat) => told !== null && el("p", null, seatMark(seat), told)),
      lost.length > 0 &&
        el(
          "p",
          { class: "muted" },
          lost.flatMap((seat) => this.#loss(end, seat, lost.length === 1)),
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
    return [
      this.#what(seat, `crashed${how}: `, el("code", null, line || exit)),
      this.#roundButton(faultRound(end, seat)),
      output !== "" && smallButton(`Output of ${seatLetter(seat)}`, () => this.#showOutput(seat)),
    ];
  }

  /**
   * Say which fault ended the match for a bot, and lead to its round.
   *
   * @param {End | null} end
   * @param {number} seat
   */
  #fault(end, seat) {
    const fault = end?.result?.out?.[seat];
    if (fault === undefined) {
      return null;
    }
    return [
      this.#what(seat, `${printable(fault.code)}: ${printable(fault.words)}`),
      this.#roundButton(faultRound(end, seat)),
    ];
  }

  /**
   * Lead to where a bot lost that played to the end, and say what it lost by: at the pointer if there
   * are several, as the board needs the room.
   *
   * @param {End | null} end
   * @param {number} seat
   * @param {boolean} isOnly
   */
  #loss(end, seat, isOnly) {
    const [round, , text] = reasonOf(end, seat) ?? [0, seat, ""];
    const words = nameSeats(printable(text), this.#head);
    const button = this.#roundButton(round);
    if (button) {
      button.title = words;
    }
    return [seatMark(seat), this.#what(seat, isOnly ? words : "lost in"), button];
  }

  /** @param {number | null} round null: not known */
  #roundButton(round) {
    return (
      round !== null &&
      smallButton(`${capital(turnWord(this.#head))} ${round}`, () => this.#seek(round))
    );
  }

  /** @param {number} seat @param {...(string | HTMLElement)} words */
  #what(seat, ...words) {
    const name = printable(this.#head.players[seat]?.name ?? "");
    return el("span", { class: "what" }, `${name} `, ...words);
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
    fill(
      this.#facts,
      seed !== null && el("span", { class: "muted" }, `seed ${seed}`),
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
