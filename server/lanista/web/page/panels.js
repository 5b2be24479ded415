/**
 * The panels beside and below the board: the seats, events, the followed unit, answers, logs, and
 * the table of times.
 *
 * Each panel is an element and a way to show a position in it; none knows which round is next. All
 * text of bots goes through `dom.js` and is never markup.
 *
 * @module
 */

import { seatLetter } from "./colours.js";
import { el, fill } from "./dom.js";
import { seatMark } from "./matches.js";
import { Sprites } from "./sprites.js";
import { theme } from "./theme.js";
import {
  VERDICTS,
  answerTime,
  duration,
  faultCount,
  happened,
  named,
  pieces,
  visible,
} from "./words.js";

/** @typedef {import("./decode.js").End} End */
/** @typedef {import("./decode.js").Head} Head */
/** @typedef {import("./decode.js").Mark} Mark */
/** @typedef {import("./decode.js").Play} Play */
/** @typedef {import("./decode.js").Position} Position */

/**
 * A part of the view that shows something of a position.
 *
 * @typedef {object} Panel
 * @property {HTMLElement} element
 * @property {(position: Position, before: Position | null) => void} show `before`: the position a
 *   turn earlier; null: there is none, or it isn't loaded
 */

/** Maximum number of events shown of one round; the fall of a whole army has hundreds. */
const MOST = 60;
/** Verdicts that are marked at a seat, worst first. */
const BAD = new Set(["late", "malformed", "missing", "out"]);

/**
 * A seat's colour and letter, and its bot's name.
 *
 * @param {Head} head
 * @param {number} seat -1: no seat
 * @returns {HTMLElement}
 */
export function playerOf(head, seat) {
  const name = visible(head.players[seat]?.name ?? "");
  const bdi = el("bdi", { class: "name", title: name }, name);
  return el("span", { class: "player" }, seatMark(seat), bdi);
}

/**
 * The players: score, statistics, clock, and what was wrong with their answer in this turn.
 *
 * @param {Head} head
 * @returns {Panel & {order(byScore: boolean): void, finish(end: End | null): void}} `finish` tells
 *   the places; null: they aren't known yet, or not in this round
 */
export function seatsPanel(head) {
  const rows = head.players.map((_, seat) => seatRow(head, seat));
  const element = el(
    "ol",
    { class: `seats ${rows.length > 2 ? "" : "few"}`, "aria-label": "Players" },
    ...rows.map((row) => row.element),
  );
  let byScore = false;
  /** @type {readonly number[]} */
  let scores = head.players.map(() => 0);
  const arrange = () => {
    const seats = rows.map((_, seat) => seat);
    if (byScore) {
      seats.sort((a, b) => scores[b] - scores[a] || a - b);
    }
    seats.forEach((seat, place) => {
      if (element.children[place] !== rows[seat].element) {
        element.insertBefore(rows[seat].element, element.children[place] ?? null);
      }
    });
  };
  return {
    element,
    show(position) {
      scores = position.scores;
      const best = Math.max(1, ...scores);
      for (const row of rows) {
        row.show(position, best);
      }
      arrange();
    },
    order(wanted) {
      byScore = wanted;
      arrange();
    },
    finish(end) {
      const result = end?.result;
      const counts = result?.end === "finished" || result?.end === "forfeit";
      for (const [seat, row] of rows.entries()) {
        row.rank(counts ? (result?.ranks[seat] ?? null) : null);
      }
    },
  };
}

/**
 * @param {Head} head
 * @param {number} seat
 */
function seatRow(head, seat) {
  const score = el("span", { class: "score" }, "0");
  const bar = el("span", { class: "share" });
  const facts = el("span", { class: "facts" });
  const clock = el("span", { class: "clock" });
  const marks = el("span", { class: "marks" });
  const rank = el("span", { class: "badge rank", hidden: true });
  const element = el(
    "li",
    { dataset: { seat } },
    el("div", { class: "who" }, playerOf(head, seat), rank, marks, score),
    el("div", { class: "score-bar", "aria-hidden": "true" }, bar),
    el("div", { class: "numbers" }, facts, clock),
  );
  return {
    element,
    /** @param {number | null} place null: none */
    rank(place) {
      rank.hidden = place === null;
      rank.textContent =
        place === 1 ? "1st" : place === 2 ? "2nd" : place === 3 ? "3rd" : `${place}th`;
      rank.classList.toggle("good", place === 1);
    },
    /**
     * @param {Position} position
     * @param {number} best the best score, at least 1
     */
    show(position, best) {
      const { play } = position;
      const points = position.scores[seat] ?? 0;
      score.textContent = points.toLocaleString("en");
      bar.style.width = `${(100 * Math.max(0, points)) / best}%`;
      const stats = position.stats[seat];
      const titles = head.scene.stats;
      if (stats === undefined || titles.length === 0) {
        fill(facts, position.captions[seat] ?? "");
      } else {
        fill(
          facts,
          stats.map((value, at) => fact(titles[at], value)),
        );
      }
      const status = play?.status?.[seat] ?? null;
      const took = answerTime(play, seat);
      clock.title = "when the answer came; the share of its time for the whole match that is used";
      clock.textContent =
        play === null
          ? ""
          : [duration(took), status === null || status < 0 ? "" : `clock ${share(status)}`]
              .filter((text) => text !== "")
              .join(" · ");
      fill(marks, marksOf(play, seat));
      element.classList.toggle("out", play?.verdicts[seat] === "out" || status === -1);
    },
  };
}

/**
 * @param {string} title
 * @param {number | string} value
 */
function fact(title, value) {
  const number = typeof value === "number" ? value.toLocaleString("en") : value;
  return el("span", { class: "fact" }, `${title} `, el("b", null, number));
}

/** @param {number} part from 0 to 1 */
function share(part) {
  const percent = 100 * part;
  return `${percent > 0 && percent < 1 ? "<1" : Math.round(percent)} %`;
}

/**
 * @param {Play | null} play
 * @param {number} seat
 */
function marksOf(play, seat) {
  const word = play?.verdicts[seat] ?? "answer";
  const fault = play?.faults?.find((one) => one.seat === seat);
  const why = fault?.words ?? "";
  return [
    BAD.has(word) &&
      el("span", { class: "badge danger", title: visible(why) }, VERDICTS.get(word) ?? word),
    play !== null &&
      fault?.code === "illegal" &&
      el("span", { class: "badge warn", title: visible(why) }, `${faultCount(play, seat)} refused`),
  ];
}

/**
 * What happened in the turn that led to the position.
 *
 * @param {Head} head
 * @returns {Panel}
 */
export function eventsPanel(head) {
  const lines = el("ul", {
    class: "events",
    "data-scrolls": true,
    tabindex: 0,
    "aria-label": "What happened",
  });
  return {
    element: lines,
    show(position, before) {
      const events = happened(head, position, before);
      const shown = events
        .slice(0, MOST)
        .map(({ seat, words, bad }) =>
          el("li", { class: bad ? "bad" : null }, mark(seat), el("span", null, words)),
        );
      const more = events.length - shown.length;
      fill(
        lines,
        shown,
        more > 0 && el("li", { class: "muted" }, `and ${more} more`),
        events.length === 0 &&
          el("li", { class: "muted" }, position.n === 0 ? "the start" : "nothing but moves"),
      );
    },
  };
}

/** @param {number} seat -1: no seat */
function mark(seat) {
  return seat < 0 ? el("span", { class: "seat nobody", "aria-hidden": "true" }) : seatMark(seat);
}

/**
 * The followed unit in the shown round. Hidden while none is followed.
 *
 * @param {Head} head
 * @param {() => void} stop stops following it
 * @returns {Panel & {follow(unit: number | null): void}} `show` wants to be called after `follow`
 */
export function unitPanel(head, stop) {
  const lines = el("div", { class: "unit-lines" });
  const element = el(
    "div",
    { class: "unit", hidden: true },
    lines,
    el(
      "button",
      { class: "button small", type: "button", title: "Follow no unit (Esc)", onclick: stop },
      "Unfollow",
    ),
  );
  /** @type {number | null} */
  let followed = null;
  let name = "";
  return {
    element,
    follow(unit) {
      followed = unit;
      name = `unit ${unit}`;
      element.hidden = unit === null;
    },
    show(position) {
      if (followed === null) {
        return;
      }
      const followedMark = position.marks.find(({ unit }) => unit === followed);
      if (followedMark === undefined) {
        fill(
          lines,
          el("b", null, name),
          el("span", { class: "muted" }, "isn't on the board in this round"),
        );
        return;
      }
      name = followedMark.lines[0] ?? name;
      const where = `row ${followedMark.row}, column ${columnOf(head, followedMark)}`;
      fill(
        lines,
        mark(followedMark.seat),
        el("b", null, name),
        [where, ...followedMark.lines.slice(1)].map((line) => el("span", null, named(line, head))),
      );
    },
  };
}

/**
 * The column as the game counts: within its level.
 *
 * @param {Head} head
 * @param {Mark} mark
 */
function columnOf(head, { col }) {
  const level = head.scene.levels.find((one) => col >= one.col && col < one.col + one.cols);
  const inside = col - (level?.col ?? 0);
  return level === undefined || level.title === "" ? `${inside}` : `${inside}, ${level.title}`;
}

/**
 * The answers of the turn that led to the position, what was refused, and why.
 *
 * @param {Head} head
 * @returns {Panel}
 */
export function answersPanel(head) {
  const element = el("div", { class: "answers" });
  return {
    element,
    show({ play }) {
      fill(
        element,
        play === null
          ? nothing("The start: no answer led here.")
          : head.players.map((_, seat) => {
              const raw = play.raw[seat] ?? null;
              const faults = play.faults?.filter((fault) => fault.seat === seat) ?? [];
              const more = faultCount(play, seat) - faults.length;
              const word = play.verdicts[seat];
              return el(
                "section",
                null,
                el(
                  "h4",
                  null,
                  playerOf(head, seat),
                  word !== "answer" &&
                    el("span", { class: "badge danger" }, VERDICTS.get(word) ?? word),
                ),
                raw === null
                  ? el("p", { class: "muted" }, "no answer")
                  : raw === ""
                    ? el("p", { class: "muted" }, "an empty answer")
                    : el(
                        "pre",
                        { class: "raw", tabindex: 0, "data-scrolls": true },
                        pieces(head.game, raw, faults).map(piece),
                      ),
                faults.length > 0 &&
                  el(
                    "ul",
                    { class: "faults" },
                    faults.map(({ index, words, code }) =>
                      el(
                        "li",
                        null,
                        el("b", null, index === null ? code : `${code}, submove ${index}:`),
                        ` ${visible(words)}`,
                      ),
                    ),
                    more > 0 && el("li", { class: "muted" }, `and ${more} more`),
                  ),
              );
            }),
      );
    },
  };
}

/** @param {import("./words.js").Piece} piece */
function piece({ text, refused }) {
  const shown = visible(text);
  return refused === null ? shown : el("mark", { title: visible(refused) }, shown);
}

/** @param {string} words */
function nothing(words) {
  return el("p", { class: "muted" }, words);
}

/**
 * What the bots logged in the turn that led to the position.
 *
 * @param {Head} head
 * @returns {Panel}
 */
export function logsPanel(head) {
  const element = el("div", { class: "logs" });
  return {
    element,
    show({ play }) {
      const logs = Object.entries(play?.logs ?? {}).filter(([, text]) => text !== "");
      fill(
        element,
        logs.length === 0
          ? nothing(
              head.logs === false
                ? "What bots log is shown when the match is over."
                : "Nobody logged anything in this turn.",
            )
          : logs.map(([seat, text]) =>
              el(
                "section",
                null,
                el("h4", null, playerOf(head, Number(seat))),
                el("pre", { class: "raw", tabindex: 0, "data-scrolls": true }, visible(text)),
              ),
            ),
      );
    },
  };
}

/**
 * The times of the turn that led to the position, a row a seat, and the verdicts.
 *
 * @param {Head} head
 * @returns {Panel}
 */
export function ledgerPanel(head) {
  const note = el("p", { class: "muted" });
  const rows = el("tbody", null);
  const columns = ["Player", "Sent", "Arrived", "Read", "Verdict"];
  const heads = columns.map((title, at) =>
    el("th", { scope: "col", class: at > 0 && at < 4 ? "number" : null }, title),
  );
  const table = el("table", null, el("thead", null, el("tr", null, heads)), rows);
  return {
    element: el("div", { class: "ledger" }, el("div", { class: "scroll" }, table), note),
    show({ play }) {
      table.hidden = play === null;
      if (play === null) {
        fill(note, "The start: no answer led here.");
        return;
      }
      fill(
        rows,
        head.players.map((_, seat) => ledgerRow(head, play, seat)),
      );
      const limit = play.limit > 0 ? `limit ${duration(1000 * play.limit)}` : "no limit";
      const stall =
        play.stall === undefined
          ? "no host stall noticed"
          : `the host stalled the arena for ${duration(1000 * play.stall)}`;
      fill(
        note,
        `Sent: since the turn began. Arrived and read: since it was sent. ${limit}; ${stall}.`,
      );
    },
  };
}

/**
 * @param {Head} head
 * @param {Play} play
 * @param {number} seat
 */
function ledgerRow(head, play, seat) {
  const [sent, earliest, latest, read] = play.times[seat] ?? [];
  /** @param {number | undefined} us */
  const ms = (us) => duration(us === undefined ? null : us / 1000);
  // If the bounds differ, both are shown: the deadline may be between them (docs/records.md).
  const arrived = earliest === latest ? ms(latest) : `${ms(earliest)} to ${ms(latest)}`;
  const word = play.verdicts[seat];
  return el(
    "tr",
    null,
    el("td", null, playerOf(head, seat)),
    [ms(sent), arrived, ms(read)].map((text) => el("td", { class: "number" }, text)),
    el("td", { class: BAD.has(word) ? "bad" : null }, VERDICTS.get(word) ?? word),
  );
}

/** CSS px of a cell in the legend. */
const KEY = 22;
/** Shapes of what players own; the legend shows them in a player's colour. */
const OWNED = new Set(["count", "disc", "cross", "square"]);

/**
 * What the board's shapes mean.
 *
 * @param {Head} head
 * @returns {{element: HTMLElement, restyle(): void}} `restyle`: the theme has changed
 */
export function legend(head) {
  const { kinds, ground, owners } = head.scene;
  const element = el("dl", { class: "legend" });
  const bases = ground.join("").replaceAll(/[^=]/g, "").length;
  const restyle = () => {
    const ratio = globalThis.devicePixelRatio || 1;
    const sprites = new Sprites(theme(), KEY * ratio, ratio);
    const shown = kinds.map(([shape, text, meaning]) => {
      const seat = OWNED.has(shape) ? 0 : -1;
      return { sprite: sprites.mark({ ...NO_MARK, shape, text, seat }), meaning };
    });
    if (owners.length > 0) {
      shown.push({ sprite: sprites.base(0), meaning: "base" });
    }
    if (bases > owners.length) {
      shown.push({ sprite: sprites.elevator(), meaning: "elevator" });
    }
    fill(
      element,
      shown.map(({ sprite: { image }, meaning }) => {
        image.style.width = `${image.width / ratio}px`;
        return el("div", null, el("dt", null, image), el("dd", null, meaning));
      }),
      shown.length === 0 && nothing("The film has no legend."),
    );
  };
  restyle();
  return { element, restyle };
}

/** @type {Mark} */
const NO_MARK = { row: 0, col: 0, seat: -1, shape: "", text: "", unit: -1, health: -1, lines: [] };

/**
 * A description of the board in words, for people who can't see it.
 *
 * @param {Head} head
 * @param {Position} position
 * @returns {string}
 */
export function boardWords(head, position) {
  const scores = head.players.map(
    ({ name }, seat) => `${seatLetter(seat)} ${visible(name)} ${position.scores[seat] ?? 0}`,
  );
  return `Board of ${head.title} after round ${position.n}: ${scores.join(", ")}`;
}
