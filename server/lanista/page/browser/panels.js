/**
 * The panels of what stands on the board: the seats, events, the followed unit, and the legend.
 *
 * Each panel is an element and a function that shows a position in it. All text of bots goes
 * through `dom.js`, so it never becomes markup.
 *
 * @module
 */

import { scoreChange } from "./changes.js";
import { seatLetter } from "./colours.js";
import { el, fill } from "./dom.js";
import { seatMark } from "./matches.js";
import { effectOf, withoutOrders } from "./orders.js";
import { BODIES } from "./silhouettes.js";
import { Sprites } from "./sprites.js";
import {
  answerTime,
  eventsOf,
  faultCount,
  formatDuration,
  isGrave,
  nameSeats,
  printable,
  turnWord,
  verdictText,
} from "./text.js";
import { theme } from "./theme.js";

/** @typedef {import("./decode.js").End} End */
/** @typedef {import("./decode.js").Head} Head */
/** @typedef {import("./decode.js").Mark} Mark */
/** @typedef {import("./decode.js").Play} Play */
/** @typedef {import("./decode.js").Position} Position */

/**
 * A part of the view that shows an aspect of a position.
 *
 * @typedef {object} Panel
 * @property {HTMLElement} element
 * @property {(position: Position, before: Position | null) => void} show `before`: the position a
 *   turn earlier; null: there is none, or it isn't loaded
 */

/** Maximum number of events that are shown for a round; the fall of a whole army has hundreds. */
const MAX_EVENTS = 60;
/** Verdicts that are marked at a seat. */
export const FAULTY = new Set(["late", "malformed", "missing", "out"]);

/**
 * Make an element with a seat's colour and letter, and its bot's name.
 *
 * @param {Head} head
 * @param {number} seat -1: no seat
 * @returns {HTMLElement}
 */
export function playerOf(head, seat) {
  const name = printable(head.players[seat]?.name ?? "");
  const bdi = el("bdi", { class: "name", title: name }, name);
  return el("span", { class: "player" }, seatMark(seat), bdi);
}

/**
 * Make the panel of the players: score, statistics, clock, and what was wrong with their answers
 * or had no effect.
 *
 * @param {Head} head
 * @returns {Panel & {order(byScore: boolean): void, finish(end: End | null): void}} `order` chooses
 *   between order by score and by seat; `finish` shows the ranks, or with null none
 */
export function seatsPanel(head) {
  const rows = head.players.map((_, seat) => seatRow(head, seat));
  const element = el(
    "ol",
    {
      class: `seats ${rows.length > 2 ? "" : "few"}`,
      "data-scrolls": true,
      tabindex: 0,
      "aria-label": "Players",
    },
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
    show(position, before) {
      scores = position.scores;
      const best = Math.max(1, ...scores);
      for (const row of rows) {
        row.show(position, best, before);
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
 * Make the row of a player.
 *
 * @param {Head} head
 * @param {number} seat
 */
function seatRow(head, seat) {
  const change = el("span", { class: "change" });
  const score = el("span", { class: "score" }, "0");
  const bar = el("span", { class: "share" });
  const facts = el("span", { class: "facts" });
  const clock = el("span", { class: "clock" });
  const marks = el("span", { class: "marks" });
  const rank = el("span", { class: "badge rank", hidden: true });
  const element = el(
    "li",
    { dataset: { seat } },
    el("div", { class: "who" }, playerOf(head, seat), rank, marks, change, score),
    el("div", { class: "score-bar", "aria-hidden": "true" }, bar),
    el("div", { class: "numbers" }, facts, clock),
  );
  return {
    element,
    /** @param {number | null} place the final rank; null: don't show one */
    rank(place) {
      rank.hidden = place === null;
      rank.textContent =
        place === 1 ? "1st" : place === 2 ? "2nd" : place === 3 ? "3rd" : `${place}th`;
      rank.classList.toggle("good", place === 1);
    },
    /**
     * @param {Position} position
     * @param {number} best the best score, at least 1
     * @param {Position | null} before
     */
    show(position, best, before) {
      const { play } = position;
      const points = position.scores[seat] ?? 0;
      score.textContent = points.toLocaleString("en");
      change.textContent = printable(scoreChange(head, position, before, seat));
      change.title = change.textContent;
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
      const { count, idle } = effectOf(play, seat);
      const units = (before?.marks ?? []).flatMap((mark) =>
        mark.seat === seat && mark.unit >= 0 ? [mark.unit] : [],
      );
      const ordered = units.length - withoutOrders(play, seat, units).length;
      clock.title =
        "units that had orders; orders that had no effect; when the answer came; the share of its time for the whole match that is used";
      clock.textContent =
        play === null
          ? ""
          : [
              ordered === units.length ? "" : `${ordered} of ${units.length} units had orders`,
              idle === 0 ? "" : `${idle} of ${count} without effect`,
              formatDuration(took),
              status === null || status < 0 ? "" : `clock ${share(status)}`,
            ]
              .filter((text) => text !== "")
              .join(" · ");
      fill(marks, marksOf(play, seat));
      element.classList.toggle("out", play?.verdicts[seat] === "out" || status === -1);
    },
  };
}

/**
 * Make the element of one statistic.
 *
 * @param {string} title
 * @param {number | string} value
 */
function fact(title, value) {
  const number = typeof value === "number" ? value.toLocaleString("en") : value;
  return el("span", { class: "fact" }, `${title} `, el("b", null, number));
}

/** Format a share in percent. @param {number} part from 0 to 1 */
function share(part) {
  const percent = 100 * part;
  return `${percent > 0 && percent < 1 ? "<1" : Math.round(percent)} %`;
}

/**
 * Make the badges for a seat's faults in a turn.
 *
 * @param {Play | null} play
 * @param {number} seat
 */
function marksOf(play, seat) {
  const verdict = play?.verdicts[seat] ?? "answer";
  const fault = play?.faults?.find((each) => each.seat === seat && isGrave(each));
  const reason = fault?.words ?? play?.left?.[seat] ?? "";
  return [
    play !== null &&
      FAULTY.has(verdict) &&
      el(
        "span",
        { class: "badge danger", title: printable(reason) },
        verdictText(play, seat),
      ),
    play !== null &&
      fault?.code === "illegal" &&
      el(
        "span",
        { class: "badge warn", title: printable(reason) },
        `${faultCount(play, seat)} refused`,
      ),
  ];
}

/**
 * Make the panel of what happened in the turn that led to the position.
 *
 * @param {Head} head
 * @param {import("./pointed.js").Pointed} pointed links the lines with the board
 * @returns {Panel}
 */
export function eventsPanel(head, pointed) {
  const lines = el("ul", {
    class: "events",
    "data-scrolls": true,
    tabindex: 0,
    "aria-label": "What happened",
  });
  return {
    element: lines,
    show(position, before) {
      const events = eventsOf(head, position, before);
      const shown = events
        .slice(0, MAX_EVENTS)
        .map((event) =>
          pointed.link(
            el("li", { class: event.kind }, mark(event.seat), el("span", null, event.text)),
            event,
          ),
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

/** Make the mark of a seat, or a blank one. @param {number} seat -1: no seat */
function mark(seat) {
  return seat < 0 ? el("span", { class: "seat nobody", "aria-hidden": "true" }) : seatMark(seat);
}

/**
 * Make the panel of the followed unit. It is hidden while none is followed.
 *
 * @param {Head} head
 * @param {() => void} stop is called when the unit should no longer be followed
 * @returns {Panel & {follow(unit: number | null): void}} `show` must be called after `follow`
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
          el("span", { class: "muted" }, `isn't on the board in this ${turnWord(head)}`),
        );
        return;
      }
      name = followedMark.lines[0] ?? name;
      const where = `row ${followedMark.row}, column ${columnOf(head, followedMark)}`;
      fill(
        lines,
        mark(followedMark.seat),
        el("b", null, name),
        [where, ...followedMark.lines.slice(1)].map((line) =>
          el("span", null, nameSeats(line, head)),
        ),
      );
    },
  };
}

/**
 * Return a mark's column as the game counts, within its level, and the level's title.
 *
 * @param {Head} head
 * @param {Mark} mark
 */
function columnOf(head, { col }) {
  const level = head.scene.levels.find((one) => col >= one.col && col < one.col + one.cols);
  const inside = col - (level?.col ?? 0);
  return level === undefined || level.title === "" ? `${inside}` : `${inside}, ${level.title}`;
}

/** Size of a cell in the legend in CSS px. */
const CELL = 22;
/** Shapes of things that players own; the legend shows them in a player's colour. */
const OWNABLE = new Set(["count", "disc", "cross", "square", ...Object.keys(BODIES)]);
OWNABLE.delete("raider");

/**
 * Make the legend of the board's shapes.
 *
 * @param {Head} head
 * @returns {{element: HTMLElement, restyle(): void}} `restyle` adopts another theme
 */
export function legend(head) {
  const { kinds, ground, owners } = head.scene;
  const element = el("dl", { class: "legend" });
  const bases = ground.join("").replaceAll(/[^=]/g, "").length;
  const restyle = () => {
    const ratio = globalThis.devicePixelRatio || 1;
    const sprites = new Sprites(theme(), CELL * ratio, ratio);
    const shown = kinds.map(([shape, text, meaning]) => {
      const seat = OWNABLE.has(shape) ? 0 : -1;
      return { sprite: sprites.mark({ ...NO_MARK, shape, text, seat }), meaning };
    });
    if (owners.length > 0) {
      shown.push({ sprite: sprites.base(0), meaning: "base" });
    }
    if (bases > owners.length) {
      shown.push({ sprite: sprites.freeBase(), meaning: head.scene.base });
    }
    fill(
      element,
      shown.map(({ sprite: { image }, meaning }) => {
        image.style.width = `${image.width / ratio}px`;
        return el("div", null, el("dt", null, image), el("dd", null, meaning));
      }),
      shown.length === 0 && el("p", { class: "muted" }, "There is no legend for this match."),
    );
  };
  restyle();
  return { element, restyle };
}

/** @type {Mark} */
const NO_MARK = { row: 0, col: 0, seat: -1, shape: "", text: "", unit: -1, health: -1, lines: [] };

/**
 * Describe the board for people who can't see it.
 *
 * @param {Head} head
 * @param {Position} position
 * @returns {string}
 */
export function describeBoard(head, position) {
  const scores = head.players.map(
    ({ name }, seat) => `${seatLetter(seat)} ${printable(name)} ${position.scores[seat] ?? 0}`,
  );
  return `Board of ${head.title} after ${turnWord(head)} ${position.n}: ${scores.join(", ")}`;
}
