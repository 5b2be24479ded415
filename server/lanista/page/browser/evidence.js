/**
 * The panels with a match's evidence: what each bot answered, logged and wrote, and when.
 *
 * Each panel is an element and a function that shows a position in it. All text of bots goes
 * through `dom.js`, so it never becomes markup.
 *
 * @module
 */

import { el, fill } from "./dom.js";
import { readTurn } from "./drawing.js";
import { logContent } from "./log_content.js";
import { crashLine, hasCrashed, ordersOf, summaryOf } from "./orders.js";
import { outputParts } from "./output.js";
import { FAULTY, playerOf } from "./panels.js";
import {
  capital,
  formatDuration,
  printable,
  splitAnswer,
  turnWord,
  verdictText,
} from "./text.js";

/** @typedef {import("./decode.js").Frame} Frame */
/** @typedef {import("./decode.js").Head} Head */
/** @typedef {import("./decode.js").Play} Play */
/** @typedef {import("./output.js").OutputPart} OutputPart */
/** @typedef {import("./panels.js").Panel} Panel */
/** @typedef {import("./pointed.js").Pointed} Pointed */

/** Number of rounds around the shown one whose logs are in the panel. */
const LOGGED_ROUNDS = 40;

/**
 * What the panels need besides positions.
 *
 * @typedef {object} Sources
 * @property {Head} head
 * @property {Pointed} pointed links texts with the board
 * @property {() => number | null} seat returns the seat that was chosen; null: all
 * @property {() => number} first returns the seat that comes first among all
 */

/**
 * Return the seats of which evidence is shown, in order.
 *
 * @param {Sources} sources
 * @returns {number[]}
 */
function seatsOf({ head, seat, first }) {
  const chosen = seat();
  return chosen === null ? [...new Set([first(), ...head.players.keys()])] : [chosen];
}

/** Make a remark in place of a panel's content. @param {string} text */
export function note(text) {
  return el("p", { class: "muted" }, text);
}

/**
 * Make the panel of the answers in the turn that led to the position: in words, what was refused,
 * and why, and as they were sent.
 *
 * @param {Sources} sources
 * @returns {Panel}
 */
export function answersPanel(sources) {
  const element = el("div", { class: "answers" });
  /** The seats whose answers are shown as they were sent. @type {Set<number>} */
  const open = new Set();
  return {
    element,
    show({ play }) {
      fill(
        element,
        play === null
          ? note("The start: no answer led here.")
          : seatsOf(sources).map((seat) => answerOf(sources, play, seat, open)),
      );
    },
  };
}

/**
 * Make the list of submoves in words, each with the reason if it was refused or changed nothing.
 *
 * @param {readonly import("./orders.js").Ordered[]} orders
 * @param {Pointed} pointed links the lines with the board
 * @param {number} [most] how many are listed at most
 */
export function submoveList(orders, pointed, most = orders.length) {
  const more = orders.length - most;
  return el(
    "ul",
    { class: "submoves" },
    orders.slice(0, most).map((order) => {
      const fate = order.fate === "refused" ? "refused" : "no effect";
      return pointed.link(
        el(
          "li",
          { class: order.fate },
          order.text,
          order.why !== "" && [" ", el("span", { class: "why" }, `${fate}: ${order.why}`)],
        ),
        order,
      );
    }),
    more > 0 && el("li", { class: "muted" }, `and ${more} more`),
  );
}

/**
 * Make the section of a seat's answer.
 *
 * @param {Sources} sources
 * @param {Play} play
 * @param {number} seat
 * @param {Set<number>} open
 */
function answerOf({ head, pointed }, play, seat, open) {
  const raw = play.raw[seat] ?? null;
  const verdict = play.verdicts[seat];
  const orders = ordersOf(head, play, seat);
  const faults = play.faults?.filter((fault) => fault.seat === seat) ?? [];
  // The others stand at their submoves.
  const unplaced = faults.filter(({ index }) => index === null || index >= (orders?.length ?? 0));
  const more = play.more_faults?.[seat] ?? 0;
  return el(
    "section",
    null,
    el(
      "h3",
      null,
      playerOf(head, seat),
      verdict !== "answer" && el("span", { class: "badge danger" }, verdictText(play, seat)),
      orders !== null &&
        orders.length > 0 &&
        el("span", { class: "muted summary" }, summaryOf(orders)),
    ),
    orders !== null && orders.length > 0 && submoveList(orders, pointed),
    (unplaced.length > 0 || more > 0) &&
      el(
        "ul",
        { class: "faults" },
        unplaced.map(({ index, words, code }) =>
          el(
            "li",
            null,
            el("b", null, index === null ? code : `${code}, submove ${index}:`),
            ` ${printable(words)}`,
          ),
        ),
        more > 0 && el("li", { class: "muted" }, `and ${more} more`),
      ),
    raw === null
      ? el("p", { class: "muted" }, "no answer")
      : raw === ""
        ? el("p", { class: "muted" }, "an empty answer")
        : rawAnswer(head, raw, faults, seat, { open, isAlone: orders === null }),
  );
}

/**
 * Make the element with an answer as it was sent.
 *
 * @param {Head} head
 * @param {string} raw
 * @param {readonly {index: number | null, words: string}[]} faults
 * @param {number} seat
 * @param {{open: Set<number>, isAlone: boolean}} options `isAlone`: there are no words for it
 */
function rawAnswer(head, raw, faults, seat, { open, isAlone }) {
  const text = el(
    "pre",
    { class: "raw", tabindex: 0, "data-scrolls": true },
    splitAnswer(head.numbers, raw, faults).map(answerPart),
  );
  if (isAlone) {
    return text;
  }
  const details = el(
    "details",
    { open: open.has(seat) },
    el("summary", null, "as it was sent"),
    text,
  );
  details.addEventListener("toggle", () => {
    if (details.open) {
      open.add(seat);
    } else {
      open.delete(seat);
    }
  });
  return details;
}

/** Make the content for a part of an answer. @param {import("./text.js").AnswerPart} part */
function answerPart({ text, refused }) {
  const shown = printable(text);
  return refused === null ? shown : el("mark", { title: printable(refused) }, shown);
}

/**
 * Make the panel of what the bots logged: in the turn that led to the position, and around it. It is
 * scrolled to that turn.
 *
 * @param {Sources & {frame: (n: number) => Frame | null, last: () => number,
 *   seek: (n: number) => void}} sources `last`: the last round of which anything is shown
 * @returns {Panel}
 */
export function logsPanel(sources) {
  const { head, frame, last, seek } = sources;
  const element = el("div", { class: "logs" });
  const word = turnWord(head);
  /** The seats whose lines that draw are unfolded. @type {Set<number>} */
  const unfolded = new Set();
  /** @param {number} n */
  const logsOf = (n) => {
    const play = frame(n)?.play ?? null;
    const logs = play === null ? new Map() : readTurn(play, head.scene);
    return seatsOf(sources).flatMap((seat) => (logs.has(seat) ? [[seat, logs.get(seat)]] : []));
  };
  return {
    element,
    show({ n: shown }) {
      const sections = [];
      const end = Math.min(last(), shown + LOGGED_ROUNDS);
      let now = null;
      for (let n = Math.max(0, shown - LOGGED_ROUNDS); n <= end; n += 1) {
        const logs = logsOf(n);
        if (logs.length === 0 && n !== shown) {
          continue;
        }
        const section = el(
          "section",
          { class: n === shown ? "now" : null },
          el(
            "h3",
            null,
            n === shown
              ? `${capital(word)} ${n}`
              : el(
                  "button",
                  { class: "plain", type: "button", onclick: () => seek(n) },
                  `${capital(word)} ${n}`,
                ),
            n > 0 && botsTurn(n),
          ),
          logs.length === 0 && note(n === 0 ? "The start." : noLogs(head)),
          logs.map(([seat, lines]) =>
            el(
              "div",
              { class: "of-seat" },
              playerOf(head, seat),
              logContent(lines, seat, unfolded),
            ),
          ),
        );
        now = n === shown ? section : now;
        sections.push(section);
      }
      fill(element, sections);
      scrollTo(element, now);
    },
  };
}

/**
 * Scroll the box around an element so that a part of it is at the top; the page itself stays.
 *
 * @param {HTMLElement} element
 * @param {HTMLElement | null} part
 */
function scrollTo(element, part) {
  const box = element.closest("[data-scrolls]");
  if (box !== null && part !== null) {
    box.scrollTop += part.getBoundingClientRect().top - box.getBoundingClientRect().top - 8;
  }
}

/**
 * Explain why there are no logs.
 *
 * @param {Head} head
 * @returns {string}
 */
function noLogs(head) {
  const { logs, ladder } = head;
  if (typeof ladder === "string" && logs !== true) {
    return logs === false
      ? "On a ladder, what a bot logs is shown to whoever has shown its token on its page."
      : `Your bot logged nothing in this ${turnWord(head)}.`;
  }
  return logs === false
    ? "What bots log is shown when the match is over."
    : `Nobody logged anything in this ${turnWord(head)}.`;
}

/**
 * Make the panel of what the bots' processes wrote to standard error and standard output. It is
 * scrolled to what came in the turn that led to the position.
 *
 * @param {Sources & {result: () => import("./decode.js").End["result"],
 *   told: () => boolean, seek: (n: number) => void}} sources `result`: of the match; null while it is
 *   running; `told`: whether all of it may be told, otherwise only what came until the shown round
 * @returns {Panel}
 */
export function outputPanel(sources) {
  const { head, result, told, seek } = sources;
  const hint = note('The rest is shown with the rounds to come, or with "Spoilers".');
  const element = el("div", { class: "logs" });
  /** The last content, which only the end and the choice of a seat change. */
  let shown = "";
  /** @type {{round: number | null, element: HTMLElement}[]} */
  let parts = [];
  return {
    element,
    show({ n }) {
      const over = result();
      const outputs = over?.outputs ?? {};
      const seats = seatsOf(sources).filter((seat) => (outputs[seat] ?? "") !== "");
      const key = JSON.stringify([over === null, seats, Object.keys(outputs), head.logs]);
      if (key !== shown) {
        shown = key;
        const contents = seats.map((seat) => {
          const isCrash = hasCrashed(over?.endings?.[seat], over?.exits?.[seat]);
          const crash = isCrash ? crashLine(outputs[seat]) : "";
          const divided = outputParts(outputs[seat], over?.output_turns?.[seat] ?? []);
          return outputOf(head, divided, { crash, rounds: over?.turns ?? 0, seek });
        });
        parts = contents.flat();
        fill(
          element,
          seats.map((seat, at) =>
            el(
              "section",
              null,
              el("h3", null, playerOf(head, seat)),
              contents[at].map((part) => part.element),
            ),
          ),
          seats.length === 0 && note(noOutput(head, over === null)),
          seats.length > 0 && hint,
        );
      }
      for (const part of parts) {
        // What isn't divided by turns may end with a crash.
        const from = part.round ?? (parts.length > seats.length ? 0 : Infinity);
        part.element.hidden = !told() && from > n;
      }
      hint.hidden = !parts.some((part) => part.element.hidden);
      const now = parts.filter(({ round }) => round === n);
      for (const part of parts) {
        part.element.classList.toggle("now", now.includes(part));
      }
      scrollTo(element, now[0]?.element ?? null);
    },
  };
}

/**
 * Make the elements of a bot's output.
 *
 * @param {Head} head
 * @param {readonly OutputPart[]} parts
 * @param {{crash: string, rounds: number, seek: (n: number) => void}} options `crash`: the line that
 *   says what crashed, to be marked; empty if nothing did; `rounds`: of the match
 */
function outputOf(head, parts, { crash, rounds, seek }) {
  const crashed = crash === "" ? -1 : parts.findLastIndex(({ text }) => text.includes(crash));
  return parts.map(({ round, text }, at) => ({
    round,
    element: el(
      "div",
      { class: "of-turn" },
      // Without turns there is one part, all of the output.
      (round !== null || parts.length > 1) && el("h4", null, whenWritten(head, round, rounds, seek)),
      el("pre", { class: "raw whole" }, at === crashed ? markedLine(text, crash) : printable(text)),
    ),
  }));
}

/**
 * Tell when a part of an output came.
 *
 * @param {Head} head
 * @param {number | null} round
 * @param {number} rounds
 * @param {(n: number) => void} seek
 */
function whenWritten(head, round, rounds, seek) {
  if (round === null || round > rounds) {
    return round === null ? "Before" : "After the end";
  }
  return [
    el(
      "button",
      { class: "plain", type: "button", onclick: () => seek(round) },
      `${capital(turnWord(head))} ${round}`,
    ),
    botsTurn(round),
  ];
}

/**
 * Name the turn that led to a round as bots know it, which count from 0: in their logs it stands so.
 *
 * @param {number} round
 */
function botsTurn(round) {
  return el("span", { class: "muted" }, ` turn ${round - 1} for the bots`);
}

/** Make the contents of a text whose last such line is marked. @param {string} text @param {string} line */
function markedLine(text, line) {
  const at = text.lastIndexOf(line);
  return [
    printable(text.slice(0, at)),
    el("b", null, printable(line)),
    printable(text.slice(at + line.length)),
  ];
}

/**
 * Explain why there is no output.
 *
 * @param {Head} head
 * @param {boolean} isRunning
 */
function noOutput({ logs, ladder }, isRunning) {
  if (isRunning) {
    return "What the bots' processes write is shown when the match is over.";
  }
  return typeof ladder === "string" && logs !== true
    ? "On a ladder, what a bot's process wrote is shown to whoever has shown its token on its page."
    : "Nothing: the arena keeps the last 64 KiB that a bot which it started writes to standard error.";
}

/**
 * Make the table of the turn that led to the position: for each seat its times and its verdict.
 *
 * @param {Head} head
 * @returns {Panel}
 */
export function timesPanel(head) {
  const summary = el("p", { class: "muted" });
  const rows = el("tbody", null);
  const columns = ["Player", "Sent", "Arrived", "Read", "Verdict"];
  const heads = columns.map((title, at) =>
    el("th", { scope: "col", class: at > 0 && at < 4 ? "number" : null }, title),
  );
  const table = el("table", null, el("thead", null, el("tr", null, heads)), rows);
  const ways = el("p", { class: "muted" });
  const word = turnWord(head);
  return {
    element: el("div", { class: "ledger" }, el("div", { class: "scroll", tabindex: 0 }, table), summary, ways),
    show({ n, play }) {
      table.hidden = play === null;
      if (play === null) {
        fill(summary, "The start: no answer led here.");
        fill(ways);
        return;
      }
      fill(
        rows,
        head.players.map((_, seat) => timesRow(head, play, seat)),
      );
      const limit = play.limit > 0 ? `limit ${formatDuration(1000 * play.limit)}` : "no limit";
      const stall =
        play.stall === undefined
          ? "no host stall noticed"
          : `the host stalled the arena for ${formatDuration(1000 * play.stall)}`;
      fill(
        summary,
        `${capital(word)} ${n} is turn ${n - 1} for the bots. Sent: since the ${word} began. Arrived and read: since it was sent. ${limit}; ${stall}.`,
      );
      fill(ways, waysText(head, play));
    },
  };
}

/**
 * Tell how long the way to each bot and back takes, if that was measured in this turn, and what
 * was added to its limit for it.
 *
 * @param {Head} head
 * @param {Play} play
 */
function waysText(head, play) {
  return head.players
    .flatMap(({ name }, seat) => {
      const measured = play.round_trips?.[seat];
      const lag = play.lags?.[seat];
      const parts = [];
      if (measured !== undefined) {
        const [smoothed, least] = measured.map((us) => formatDuration(us / 1000));
        parts.push(`the round trip to the bot takes ${smoothed}, at least ${least}`);
      }
      if (lag !== undefined) {
        parts.push(`its limit is ${formatDuration(lag / 1000)} longer`);
      }
      return parts.length > 0 ? [`${name}: ${parts.join("; ")}.`] : [];
    })
    .join(" ");
}

/**
 * Make a seat's row in the table of times.
 *
 * @param {Head} head
 * @param {Play} play
 * @param {number} seat
 */
function timesRow(head, play, seat) {
  const [sent, earliest, latest, read] = play.times[seat] ?? [];
  /** @param {number | undefined} us */
  const ms = (us) => formatDuration(us === undefined ? null : us / 1000);
  // If the bounds differ, both are shown, as the deadline may be between them (docs/records.md).
  const arrived = earliest === latest ? ms(latest) : `${ms(earliest)} to ${ms(latest)}`;
  const verdict = play.verdicts[seat];
  return el(
    "tr",
    null,
    el("td", null, playerOf(head, seat)),
    [ms(sent), arrived, ms(read)].map((text) => el("td", { class: "number" }, text)),
    el("td", { class: FAULTY.has(verdict) ? "bad" : null }, verdictText(play, seat)),
  );
}
