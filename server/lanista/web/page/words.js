/**
 * Describes a match in words and numbers, for the panels of the match view: its end, the events of
 * a round, the refused parts of an answer, the times of answers.
 *
 * Pure functions of a match's data; no element is made here, and nothing is fetched.
 *
 * @module
 */

import { seatLetter } from "./colours.js";
import { nameOf, verdict, why, winners } from "./matches.js";

/** @typedef {import("./decode.js").End} End */
/** @typedef {import("./decode.js").Head} Head */
/** @typedef {import("./decode.js").Play} Play */
/** @typedef {import("./decode.js").Position} Position */
/** @typedef {{seat: number, words: string, bad: boolean}} Happening */
/** @typedef {{words: string, seats: number[]}} Ending `seats`: of those whom the words name */
/** @typedef {{text: string, refused: string | null}} Piece */

/** Numbers of a submove, where no letter begins it (PROTOCOL.md 4, rules of the games). */
const NUMBERS = new Map([
  ["angrymob", 4],
  ["crematoria", 2],
]);
/** Stands for a time that is missing. */
const NONE = "–";
/** Verdicts of docs/records.md in words. */
export const VERDICTS = new Map([
  ["answer", "answered"],
  ["late", "late"],
  ["malformed", "malformed answer"],
  ["missing", "gone"],
  ["out", "out"],
]);

/**
 * Makes a bot's text safe to show: control characters become symbols, and characters that change
 * the direction of writing are replaced.
 *
 * @param {string} text
 * @returns {string}
 */
export function visible(text) {
  return text
    .replace(/[\u0000-\u0008\u000b-\u001f]/g, (sign) =>
      String.fromCharCode(0x2400 + sign.charCodeAt(0)),
    )
    .replace(/[\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, "\ufffd");
}

/**
 * Replaces numbers of seats in a text by the letter and the name that the page shows: `reborn for
 * seat 1` becomes `reborn for B Dummy`.
 *
 * @param {string} words of a ruleset
 * @param {Head} head
 * @returns {string}
 */
export function named(words, head) {
  return words.replace(/\bseat (\d+)\b/g, (whole, number) => {
    const player = head.players[Number(number)];
    return player === undefined ? whole : `${seatLetter(Number(number))} ${visible(player.name)}`;
  });
}

/**
 * How a match ended: `Dummy won: 8,104 points (all rounds played)`. An original game's file has no
 * result: of it, who leads where it ends.
 *
 * @param {Head} head
 * @param {End} end
 * @param {readonly number[]} scores by seat, of the last position
 * @returns {Ending}
 */
export function ending(head, end, scores) {
  const { result } = end;
  if (head.source === "res") {
    return leading(head, scores);
  }
  if (result === null) {
    return { words: end.trouble === null ? "the record has no result" : "", seats: [] };
  }
  const match = {
    match: head.match,
    game: head.game,
    title: head.title,
    state: /** @type {const} */ ("over"),
    started: head.started ?? "",
    ended: result.ended,
    players: head.players.map(({ name }) => name),
    end: result.end,
    reason: result.reason,
    ranks: result.ranks,
    scores: result.scores,
    turns: result.turns,
    seed: end.seed,
    faults: null,
  };
  const best = Math.max(...result.scores);
  // Between two, both scores are shown; what they count depends on the game.
  const points =
    result.scores.length === 2
      ? [...result.scores]
          .sort((a, b) => b - a)
          .map(grouped)
          .join(" to ")
      : pointsOf(best);
  const counts = result.end === "finished" || result.end === "forfeit";
  const words = `${visible(verdict(match))}${counts ? `: ${points}` : ""} (${why(match)})`;
  return { words, seats: winners(match) };
}

/**
 * Who leads: `Dummy leads: 1,319 points`.
 *
 * @param {Head} head
 * @param {readonly number[]} scores by seat
 * @returns {Ending}
 */
function leading(head, scores) {
  const names = head.players.map(({ name }) => name);
  const best = Math.max(...scores);
  const seats = scores.flatMap((score, seat) => (score === best ? [seat] : []));
  if (seats.length === scores.length) {
    return { words: `all are level: ${pointsOf(best)}`, seats: [] };
  }
  const leaders = seats.map((seat) => visible(nameOf(names, seat)));
  const who =
    leaders.length === 1
      ? `${leaders[0]} leads`
      : `${leaders.slice(0, -1).join(", ")} and ${leaders.at(-1)} lead`;
  return { words: `${who}: ${pointsOf(best)}`, seats };
}

/** @param {number} points @returns {string} as `1,319 points` */
function pointsOf(points) {
  return `${grouped(points)} point${points === 1 ? "" : "s"}`;
}

/** @param {number} number @returns {string} as `1,319` */
function grouped(number) {
  return number.toLocaleString("en");
}

/**
 * What happened in the turn that led to a position: the events of the rules, units that changed
 * sides, answers that didn't count.
 *
 * @param {Head} head
 * @param {Position} position
 * @param {Position | null} before the position a turn earlier; null: unknown, or there is none
 * @returns {Happening[]}
 */
export function happened(head, position, before) {
  const events = position.events.map(({ seat, words }) => ({
    seat,
    words: named(words, head),
    bad: false,
  }));
  const eventTexts = position.events.map(({ words }) => ` ${words.replace(/\W+/g, " ")} `);
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
    // As `converted wizard 9`, or `converted wizards 9 and 29`.
    const namesUnit = (/** @type {string} */ words) =>
      [` ${kind} `, ` ${kind}s `].some((word) => words.includes(word)) &&
      words.includes(` ${unit} `);
    if (!eventTexts.some(namesUnit)) {
      const to = seatLetter(seat) || "nobody";
      events.push({ seat, words: `${name}: ${seatLetter(was) || "nobody"} → ${to}`, bad: false });
    }
  }
  return [...events, ...refusals(position.play)];
}

/**
 * The seats whose answer didn't count, or not all of it.
 *
 * @param {Play | null} play
 * @returns {Happening[]}
 */
function refusals(play) {
  if (play === null) {
    return [];
  }
  return play.verdicts.flatMap((word, seat) => {
    if (word === "late" || word === "malformed" || word === "missing") {
      const fault = play.faults?.find((one) => one.seat === seat);
      const why = fault === undefined ? "" : `: ${visible(fault.words)}`;
      return [{ seat, words: `${VERDICTS.get(word)}${why}`, bad: true }];
    }
    const [first] = play.faults?.filter((fault) => fault.seat === seat) ?? [];
    return first === undefined
      ? []
      : [{ seat, words: `${faultCount(play, seat)} refused: ${visible(first.words)}`, bad: true }];
  });
}

/**
 * How many faults a seat had in a turn, also those that the frame doesn't have.
 *
 * @param {Play} play
 * @param {number} seat
 */
export function faultCount(play, seat) {
  const told = play.faults?.filter((fault) => fault.seat === seat) ?? [];
  return told.length + (play.more_faults?.[seat] ?? 0);
}

/**
 * An answer, cut so that the refused submoves stand alone.
 *
 * @param {string} game
 * @param {string} raw the answer as the bot sent it
 * @param {readonly {index: number | null, words: string}[]} faults of this answer
 * @returns {Piece[]} whose texts make up the answer; `refused` says why
 */
export function pieces(game, raw, faults) {
  const why = new Map(
    faults.flatMap(({ index, words }) => (index === null ? [] : [[index, words]])),
  );
  if (why.size === 0) {
    return [{ text: raw, refused: null }];
  }
  const numbers = NUMBERS.get(game) ?? Infinity;
  /** @type {Piece[]} */
  const parts = [];
  let cut = 0;
  let submove = -1;
  let begin = 0;
  let end = 0;
  const close = () => {
    const refused = why.get(submove);
    if (refused !== undefined) {
      parts.push({ text: raw.slice(cut, begin), refused: null });
      parts.push({ text: raw.slice(begin, end), refused });
      cut = end;
    }
  };
  let place = 0;
  for (const { 0: token, index } of raw.matchAll(/\S+/g)) {
    const begins = /^[a-z]$/i.test(token) || place % numbers === 0;
    if (begins) {
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
 * When a seat's answer arrived.
 *
 * @param {Play | null} play
 * @param {number} seat
 * @returns {number | null} ms after the hand-over, the latest possible; null: there was no answer
 */
export function answerTime(play, seat) {
  const times = play?.times[seat];
  return times === null || times === undefined || times.length < 4 ? null : times[2] / 1000;
}

/**
 * Formats a time for people.
 *
 * @param {number | null | undefined} ms
 * @returns {string} as `4.56 ms`
 */
export function duration(ms) {
  if (ms === null || ms === undefined) {
    return NONE;
  }
  return ms >= 10_000
    ? `${(ms / 1000).toFixed(1)} s`
    : `${ms.toFixed(ms < 10 ? 2 : ms < 100 ? 1 : 0)} ms`;
}
