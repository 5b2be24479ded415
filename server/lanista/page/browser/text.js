/**
 * Texts for the panels of the match view: the end of a match, the events of a round, the refused
 * parts of an answer, the times of answers.
 *
 * These are pure functions of a match's data; they create no elements.
 *
 * @module
 */

import { seatLetter } from "./colours.js";
import { cellOf } from "./decode.js";
import { counted } from "./figures.js";
import { endReason, isolated, nameOf, outcome, winners } from "./matches.js";

/** @typedef {import("./decode.js").End} End */
/** @typedef {import("./decode.js").Head} Head */
/** @typedef {import("./decode.js").Play} Play */
/** @typedef {import("./decode.js").Position} Position */
/** @typedef {import("./layout.js").Cell} Cell */
/**
 * Units and cells that a text is about.
 * @typedef {{units: readonly number[], cells: readonly Cell[]}} Subject
 */
/**
 * Something that happened: an event of the rules; `fault`: a turn without a usable answer;
 * `refused`: a part of an answer didn't count.
 * @typedef {{seat: number, text: string, kind: "event" | "fault" | "refused"} & Subject} TurnEvent
 */
/** @typedef {{text: string, seats: number[]}} EndText `seats`: the winners or leaders it names */
/** @typedef {{text: string, refused: string | null}} AnswerPart `refused`: why; null: it wasn't */

/** Shown instead of a missing time. */
const NO_TIME = "–";
/** Texts for the verdicts of docs/records.md. */
const VERDICTS = new Map([
  ["answer", "answered"],
  ["late", "late"],
  ["malformed", "malformed answer"],
  ["missing", "gone"],
  ["out", "out"],
]);

/**
 * Name the verdict on a seat's turn. A seat that is missing but not out is away: its bot may still
 * come back.
 *
 * @param {Play} play
 * @param {number} seat
 */
export function verdictText(play, seat) {
  const verdict = play.verdicts[seat];
  if (verdict === "missing" && !play.faults?.some((fault) => fault.seat === seat)) {
    return "away";
  }
  return VERDICTS.get(verdict) ?? verdict;
}

/**
 * Return the game's own word for a turn: `round`, `move`.
 *
 * @param {Pick<Head, "scene">} head
 */
export function turnWord({ scene }) {
  return scene?.turn ?? "round";
}

/**
 * Tell how far a match is, in the game's own word: `round 12 of 200`.
 *
 * @param {Pick<Head, "scene" | "rounds">} head
 * @param {number} turn
 */
export function turnText(head, turn) {
  return `${turnWord(head)} ${turn}${head.rounds === null ? "" : ` of ${head.rounds}`}`;
}

/** Return a text with a capital first letter. @param {string} text */
export function capital(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/**
 * Return a name as a part of a path. Browsers take `.` and `..` for steps along the path, so these
 * get an `@` before them, which no name on a ladder has.
 *
 * @param {string} name
 * @returns {string}
 */
export function pathPart(name) {
  return encodeURIComponent(name).replace(/^\.\.?$/, "@$&");
}

/**
 * Make a bot's text safe to show: control characters become symbols, and characters that change the
 * direction of writing are replaced.
 *
 * @param {string} text
 * @returns {string}
 */
export function printable(text) {
  return text
    .replace(/[\u0000-\u0008\u000b-\u001f]/g, (sign) =>
      String.fromCharCode(0x2400 + sign.charCodeAt(0)),
    )
    .replace(/[\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, "\ufffd");
}

/**
 * Replace seat numbers in a ruleset's text by the seat's letter and name: `reborn for seat 1`
 * becomes `reborn for B Dummy`.
 *
 * @param {string} text
 * @param {Head} head
 * @returns {string}
 */
export function nameSeats(text, head) {
  return text.replace(/\bseat (\d+)\b/g, (whole, number) => {
    const player = head.players[Number(number)];
    return player === undefined
      ? whole
      : `${seatLetter(Number(number))} ${isolated(printable(player.name))}`;
  });
}

/**
 * Describe how a match ended: `Dummy won: 8,104 points (all rounds played)`. An original game's
 * file has no result: its last position tells who won.
 *
 * @param {Head} head
 * @param {End} end
 * @param {readonly number[]} scores by seat, of the last position
 * @returns {EndText}
 */
export function describeEnding(head, end, scores) {
  const { result } = end;
  if (head.source === "res") {
    return describeLead(head, scores, true);
  }
  if (result === null) {
    return { text: end.trouble === null ? "the record has no result" : "", seats: [] };
  }
  const match = {
    match: head.match,
    game: head.game,
    ladder: head.ladder ?? null,
    title: head.title,
    state: /** @type {const} */ ("over"),
    started: head.started ?? "",
    ended: result.ended,
    players: head.players.map(({ name }) => printable(name)),
    end: result.end,
    reason: result.reason,
    ranks: result.ranks,
    scores: result.scores,
    turns: result.turns,
    seed: end.seed,
    faults: null,
  };
  // The winner's score first: the rules may let a bot win that has fewer points.
  const { ranks, scores: finals } = result;
  const [first, second] = [...finals.keys()]
    .sort((a, b) => ranks[a] - ranks[b] || finals[b] - finals[a])
    .map((seat) => finals[seat]);
  // Between two players both scores are shown, without a unit: what they count depends on the game.
  const points =
    finals.length === 2 ? `${grouped(first)} to ${grouped(second)}` : pointsOf(first);
  const counts = result.end === "finished" || result.end === "forfeit";
  const text = `${outcome(match)}${counts ? `: ${points}` : ""} (${endReason(match)})`;
  return { text, seats: winners(match) };
}

/**
 * Describe who leads: `Dummy leads: 1,319 points`; or who won by these scores.
 *
 * @param {Head} head
 * @param {readonly number[]} scores by seat
 * @param {boolean} [isOver]
 * @returns {EndText}
 */
export function describeLead(head, scores, isOver = false) {
  const names = head.players.map(({ name }) => printable(name));
  const best = Math.max(...scores);
  const seats = scores.flatMap((score, seat) => (score === best ? [seat] : []));
  // As in `describeEnding`: what the scores of two players count depends on the game.
  const points =
    scores.length === 2 ? `${grouped(best)} to ${grouped(Math.min(...scores))}` : pointsOf(best);
  if (seats.length === scores.length) {
    return { text: `${isOver ? "draw" : "all are level"}: ${points}`, seats: [] };
  }
  const leaders = seats.map((seat) => nameOf(names, seat));
  const [one, several] = isOver ? ["won", "share first place"] : ["leads", "lead"];
  const who =
    leaders.length === 1
      ? `${leaders[0]} ${one}`
      : `${leaders.slice(0, -1).join(", ")} and ${leaders.at(-1)} ${several}`;
  return { text: `${who}: ${points}`, seats };
}

/** Format points: `1,319 points`. @param {number} points @returns {string} */
function pointsOf(points) {
  return counted(points, "point");
}

/** Format a number with separators: `1,319`. @param {number} number @returns {string} */
function grouped(number) {
  return number.toLocaleString("en");
}

/**
 * Return what happened in the turn that led to a position: the events of the rules, then units that
 * changed sides, then answers that didn't count.
 *
 * @param {Head} head
 * @param {Position} position
 * @param {Position | null} before the position a turn earlier; null: not loaded, or there is none
 * @returns {TurnEvent[]}
 */
export function eventsOf(head, position, before) {
  /** @type {TurnEvent[]} */
  const events = position.events.map(({ seat, text, units = [], cells = [] }) => ({
    seat,
    text: nameSeats(text, head),
    kind: "event",
    units,
    cells,
  }));
  const eventTexts = position.events.map(({ text }) => ` ${text.replace(/\W+/g, " ")} `);
  const seats = new Map();
  for (const { unit, seat } of before?.marks ?? []) {
    if (unit >= 0) {
      seats.set(unit, seat);
    }
  }
  for (const { unit, seat, lines } of position.marks) {
    const was = seats.get(unit);
    if (was === undefined || was === seat) {
      continue;
    }
    const [kind] = (lines[0] ?? "unit").split(" ");
    const name = `${kind} ${unit}`;
    // An event may already say so: `converted wizard 9`, or `converted wizards 9 and 29`.
    const namesUnit = (/** @type {string} */ text) =>
      [` ${kind} `, ` ${kind}s `].some((word) => text.includes(word)) &&
      text.includes(` ${unit} `);
    if (!eventTexts.some(namesUnit)) {
      const to = seatLetter(seat) || "nobody";
      const text = `${name}: ${seatLetter(was) || "nobody"} → ${to}`;
      events.push({ seat, text, kind: "event", units: [unit], cells: [] });
    }
  }
  return [...events, ...refusals(head, position.play)];
}

/**
 * Return an event for each seat whose answer was at fault, as a whole or in part, or that is back.
 *
 * @param {Head} head
 * @param {Play | null} play
 * @returns {TurnEvent[]}
 */
function refusals(head, play) {
  if (play === null) {
    return [];
  }
  const nothing = { units: [], cells: [] };
  /** @type {TurnEvent[]} */
  const back = (play.rejoined ?? []).map((seat) => {
    return { seat, text: "is back", kind: "event", ...nothing };
  });
  /** @type {TurnEvent[]} */
  const faulty = play.verdicts.flatMap((word, seat) => {
    if (word === "late" || word === "malformed" || word === "missing") {
      const fault = play.faults?.find((one) => one.seat === seat);
      const why = fault?.words ?? play.left?.[seat];
      const reason = why === undefined ? "" : `: ${printable(why)}`;
      const text = `${verdictText(play, seat)}${reason}`;
      return [/** @type {TurnEvent} */ ({ seat, text, kind: "fault", ...nothing })];
    }
    const faults = play.faults?.filter((fault) => fault.seat === seat) ?? [];
    if (faults.length === 0) {
      return [];
    }
    const refused = faults.flatMap(({ index }) => {
      const submove = play.submoves?.[seat]?.[index ?? -1];
      return submove === undefined ? [] : [submove];
    });
    const units = refused.map(([, unit]) => unit).filter((unit) => unit >= 0);
    const cells = refused.flatMap(([, , places]) => places.map((cell) => cellOf(head.scene, cell)));
    const text = refusedText(faults, faultCount(play, seat));
    return [/** @type {TurnEvent} */ ({ seat, text, kind: "refused", units, cells })];
  });
  return [...back, ...faulty];
}

/**
 * Sum up what was refused of an answer: `3 refused: a wall`, or `3 refused; the first: a wall` if
 * there may be other reasons.
 *
 * @param {readonly {words: string}[]} faults those that the frame has
 * @param {number} count of all
 */
function refusedText(faults, count) {
  const [{ words }] = faults;
  const isOnly = faults.length === count && faults.every((fault) => fault.words === words);
  return `${count} refused${isOnly ? ":" : "; the first:"} ${printable(words)}`;
}

/**
 * Return whether an entry of a turn's faults is one; an order that only repeats another is ignored.
 *
 * @param {{code: string}} fault
 */
export function isGrave({ code }) {
  return code !== "ignored";
}

/**
 * Return how many faults a seat had in a turn, including those that the frame doesn't have.
 *
 * @param {Play} play
 * @param {number} seat
 */
export function faultCount(play, seat) {
  const shown = play.faults?.filter((fault) => fault.seat === seat && isGrave(fault)) ?? [];
  return shown.length + (play.more_faults?.[seat] ?? 0);
}

/**
 * Split an answer so that each refused submove is a part of its own.
 *
 * @param {number | null | undefined} numbers how many a submove has; null: each begins with a letter
 * @param {string} raw the answer as the bot sent it
 * @param {readonly {index: number | null, words: string}[]} faults of this answer
 * @returns {AnswerPart[]} their texts joined are the answer
 */
export function splitAnswer(numbers, raw, faults) {
  const reasons = new Map(
    faults.flatMap(({ index, words }) => (index === null ? [] : [[index, words]])),
  );
  if (reasons.size === 0) {
    return [{ text: raw, refused: null }];
  }
  const size = numbers ?? Infinity;
  /** @type {AnswerPart[]} */
  const parts = [];
  let cut = 0;
  let submove = -1;
  let begin = 0;
  let end = 0;
  const close = () => {
    const refused = reasons.get(submove);
    if (refused !== undefined) {
      parts.push({ text: raw.slice(cut, begin), refused: null });
      parts.push({ text: raw.slice(begin, end), refused });
      cut = end;
    }
  };
  let place = 0;
  for (const { 0: token, index } of raw.matchAll(/\S+/g)) {
    const isStart = /^[a-z]$/i.test(token) || place % size === 0;
    if (isStart) {
      close();
      submove += 1;
      begin = index;
    }
    end = index + token.length;
    place += 1;
  }
  close();
  parts.push({ text: raw.slice(cut), refused: null });
  return parts.filter(({ text }) => text !== "");
}

/**
 * Return when a seat's answer arrived.
 *
 * @param {Play | null} play
 * @param {number} seat
 * @returns {number | null} ms after the turn was sent, at the latest; null: there was no answer
 */
export function answerTime(play, seat) {
  const times = play?.times[seat];
  return times === null || times === undefined || times.length < 4 ? null : times[2] / 1000;
}

/**
 * Format a duration: `4.56 ms`, `7 µs`.
 *
 * @param {number | null | undefined} ms
 * @returns {string} a dash if there is none
 */
export function formatDuration(ms) {
  if (ms === null || ms === undefined) {
    return NO_TIME;
  }
  if (ms < 0.1) {
    return `${Math.round(1000 * ms)} µs`;
  }
  return ms >= 10_000
    ? `${(ms / 1000).toFixed(1)} s`
    : `${ms.toFixed(ms < 10 ? 2 : ms < 100 ? 1 : 0)} ms`;
}
