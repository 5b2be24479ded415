/**
 * What stands with the boards of two matches: who plays in each, and what differs, in words.
 *
 * All text of bots goes through `dom.js`, so it never becomes markup.
 *
 * @module
 */

import { ordersApart, seatsApart } from "./difference.js";
import { el, fill } from "./dom.js";
import { submoveList } from "./evidence.js";
import { addressOf, seatMark } from "./matches.js";
import { playerOf } from "./panels.js";
import { printable, turnWord, verdictText } from "./text.js";

/** @typedef {import("./decode.js").Head} Head */
/** @typedef {import("./decode.js").Play} Play */
/** @typedef {import("./decode.js").Position} Position */
/** @typedef {import("./difference.js").FirstRounds} FirstRounds */
/** @typedef {import("./difference.js").Row} Row */
/** @typedef {import("./pointed.js").Pointed} Pointed */
/** @template T @typedef {import("./difference.js").Two<T>} Two */

/** Maximum number of rows of things that differ on the boards. */
const MAX_ROWS = 60;
/** Maximum number of submoves of a seat that are shown. */
const MAX_SUBMOVES = 30;
/** Maximum length of an answer without words, in characters. */
const MAX_RAW = 200;

/**
 * Make the caption of a match's board: its number, its players and their scores.
 *
 * @param {Head} head
 * @param {number} number 1 or 2
 * @param {boolean} isStored whether the arena has the match, so that there is something to link to
 * @returns {{element: HTMLElement, show(position: Position, ending: string): void}}
 */
export function caption(head, number, isStored) {
  const scores = head.players.map(() => el("span", { class: "score" }));
  const end = el("span", { class: "ending" });
  const link = el("a", { title: `Show match ${number} alone` }, `Match ${number}`);
  const element = el(
    "header",
    { class: "caption" },
    el("h2", null, isStored ? link : `Match ${number}`),
    el(
      "ul",
      { class: "players", "aria-label": `Players of match ${number}` },
      head.players.map((_, seat) => el("li", null, playerOf(head, seat), scores[seat])),
    ),
    end,
  );
  return {
    element,
    show(position, ending) {
      scores.forEach((score, seat) => {
        score.textContent = (position.scores[seat] ?? 0).toLocaleString("en");
      });
      end.textContent = ending;
      end.title = ending;
      link.href = `${addressOf(head.match)}?round=${position.n}`;
    },
  };
}

/**
 * Say in one sentence where two matches first differ.
 *
 * @param {Head} head of one of them
 * @param {FirstRounds} differences
 * @param {Two<{count: number, over: boolean}>} both
 * @returns {string} empty: the frames aren't complete, and so their number isn't known
 */
export function summaryOf(head, { answers, boards, first }, both) {
  const word = turnWord(head);
  if (first !== null) {
    const later = answers !== null && boards !== null && boards > answers;
    return (
      `First difference: ${word} ${first}` +
      (later ? `; the positions differ from ${word} ${boards} on` : "") +
      (boards === null ? "; the positions never differ" : "")
    );
  }
  if (!both.every(({ over }) => over)) {
    return "";
  }
  const [last, otherLast] = both.map(({ count }) => count - 1);
  return last === otherLast
    ? `No difference: the same answers and boards in all ${last} ${word}s`
    : `The same up to ${word} ${Math.min(last, otherLast)}, where match ${last < otherLast ? 1 : 2} ended`;
}

/**
 * Make the panel of what differs in the shown round: the answers that led to it, and what stands on
 * the boards.
 *
 * @param {Two<Head>} heads
 * @param {Pointed} pointed links the lines with the boards
 * @param {HTMLElement} chart stands before the lines
 * @returns {{element: HTMLElement, show(positions: Two<Position>, rows: readonly Row[],
 *   isInStep: boolean): void}} `rows`: what stands on the boards differently; `isInStep`: both
 *   positions are those of the same round, as no match is over before it
 */
export function differencePanel(heads, pointed, chart) {
  const word = turnWord(heads[0]);
  const answers = el("div");
  const boards = el("div");
  /** @param {string} title @param {HTMLElement} content */
  const part = (title, content) =>
    el(
      "div",
      { class: "kind", "data-scrolls": true, tabindex: 0, role: "group", "aria-label": title },
      el("h2", null, title),
      content,
    );
  const element = el(
    "section",
    { class: "apart", "aria-label": "What differs" },
    chart,
    part("Answers that differ", answers),
    part("Boards that differ", boards),
  );
  return {
    element,
    show(positions, rows, isInStep) {
      const plays = /** @type {Two<Play | null>} */ (positions.map(({ play }) => play));
      const seats = isInStep ? seatsApart(plays) : [];
      fill(
        answers,
        seats.map((seat) => answersOf(heads, /** @type {Two<Play>} */ (plays), seat, pointed)),
        seats.length === 0 &&
          el(
            "p",
            { class: "muted" },
            !isInStep ? "One of the matches is over." : `None led to this ${word}.`,
          ),
      );
      fill(boards, boardTable(heads, positions, rows, pointed));
    },
  };
}

/**
 * @param {Two<Head>} heads
 * @param {Two<Play>} plays
 * @param {number} seat
 * @param {Pointed} pointed
 */
function answersOf(heads, plays, seat, pointed) {
  const orders = ordersApart(heads, plays, seat);
  const names = heads.map(({ players }) => printable(players[seat]?.name ?? ""));
  return el(
    "section",
    null,
    el(
      "h3",
      null,
      playerOf(heads[0], seat),
      names[0] !== names[1] && el("span", { class: "muted" }, ` in match 2 ${names[1]}`),
    ),
    orders !== null && orders.every((only) => only.length === 0) && plays.every(isAnswer(seat))
      ? el("p", { class: "muted" }, "The same submoves, in another order or spelled in another way.")
      : plays.map((play, at) =>
          el(
            "div",
            { class: "only" },
            el("span", { class: "badge" }, `only in match ${at + 1}`),
            " ",
            play.verdicts[seat] !== "answer" &&
              el("span", { class: "badge danger" }, verdictText(play, seat)),
            orders === null || !isAnswer(seat)(play)
              ? sentOf(play, seat)
              : orders[at].length === 0
                ? el("span", { class: "muted" }, "nothing")
                : submoveList(orders[at], pointed, MAX_SUBMOVES),
          ),
        ),
  );
}

/** Return a test whether a turn has an answer of a seat. @param {number} seat */
function isAnswer(seat) {
  return (/** @type {Play} */ play) => play.verdicts[seat] === "answer";
}

/** @param {Play} play @param {number} seat */
function sentOf(play, seat) {
  const raw = play.raw[seat] ?? null;
  return raw === null
    ? null
    : el("code", null, printable(raw.length > MAX_RAW ? `${raw.slice(0, MAX_RAW)}…` : raw) || "(empty)");
}

/**
 * @param {Two<Head>} heads
 * @param {Two<Position>} positions
 * @param {readonly Row[]} rows
 * @param {Pointed} pointed
 */
function boardTable(heads, positions, rows, pointed) {
  const scores = heads[0].players.flatMap((_, seat) => {
    const [one, other] = positions.map((position) => position.scores[seat] ?? 0);
    return one === other ? [] : [{ seat, one, other }];
  });
  if (scores.length === 0 && rows.length === 0) {
    return el("p", { class: "muted" }, "Both boards are the same.");
  }
  const more = rows.length - MAX_ROWS;
  return el(
    "table",
    null,
    el(
      "thead",
      null,
      el(
        "tr",
        null,
        el("th", { scope: "col" }, el("span", { class: "unseen" }, "What")),
        ["match 1", "match 2"].map((name) => el("th", { scope: "col" }, name)),
      ),
    ),
    el(
      "tbody",
      null,
      scores.map(({ seat, one, other }) =>
        el(
          "tr",
          null,
          el("th", { scope: "row", class: "of-score" }, "score of ", seatMark(seat)),
          el("td", null, one.toLocaleString("en")),
          el("td", null, other.toLocaleString("en")),
        ),
      ),
      rows.slice(0, MAX_ROWS).map((row) =>
        pointed.link(
          el(
            "tr",
            null,
            el("th", { scope: "row" }, row.name),
            row.states.map((state) => el("td", null, state)),
          ),
          row,
        ),
      ),
      more > 0 &&
        el("tr", null, el("td", { colspan: 3, class: "muted" }, `and ${more} more that differ`)),
    ),
  );
}
