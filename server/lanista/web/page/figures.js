/**
 * Formats a tournament's figures for its tables on the page (docs/tournaments.md explains what they
 * mean).
 *
 * Pure functions of the arena's data; no element is made here, and nothing is counted.
 *
 * @module
 */

/** @typedef {import("./link.js").Estimate} Estimate */
/** @typedef {import("./link.js").FirstRows} FirstRows */
/** @typedef {import("./link.js").Meeting} Meeting */
/** @typedef {import("./link.js").TournamentRow} TournamentRow */
/** @typedef {{zero: number, low: number, value: number, high: number}} Places */

/** Endings that are the bot's own fault and what they mean (docs/tournaments.md, "Endings"). */
export const FAILURES = [
  ["illegal", "An answer that the rules forbid cost it the match."],
  ["late", "Answers that came too late cost it the match."],
  ["malformed", "An answer that can't be read cost it the match."],
  ["crash", "Its process ended by a fault of its own while it was needed."],
  ["disconnect", "Its connection ended, or was closed for what it sent."],
  ["no-response", "It was there and gave no answer at all, or read nothing."],
  ["start-failure", "It did not come to the match."],
];
/** Likelihood from which a bot counts as the stronger one: two-sided 95 %. */
export const LIKELY = 0.975;
/** Maximum difference of an interval's two sides, as a share of their mean, to be shown as one. */
const ALIKE = 0.1;
const MINUS = "\u2212";

/**
 * A whole number with its sign, as `+12`, `0`, `−7`.
 *
 * @param {number} value
 * @returns {string}
 */
function signed(value) {
  return value < 0 ? `${MINUS}${-value}` : value === 0 ? "0" : `+${value}`;
}

/**
 * A rating with its interval: `+123 ±20`, or `+123 −18 +24` where it isn't as wide on both sides;
 * `≥ +80` or `≤ −80` where it has one end only, `?` where it has none.
 *
 * @param {Estimate | null} estimate in Elo
 * @returns {string} empty: there is none
 */
export function ratingWords(estimate) {
  if (estimate === null) {
    return "";
  }
  const { low, high } = estimate;
  if (low === null) {
    return high === null ? "?" : `≤ ${signed(Math.round(high))}`;
  }
  if (high === null) {
    return `≥ ${signed(Math.round(low))}`;
  }
  const value = Math.round(estimate.value);
  const below = Math.max(0, value - Math.round(low));
  const above = Math.max(0, Math.round(high) - value);
  const mean = (above + below) / 2;
  // One Elo of difference comes from rounding alone.
  if (Math.abs(above - below) <= Math.max(1, ALIKE * mean)) {
    return `${signed(value)} ±${Math.round(mean)}`;
  }
  return `${signed(value)} ${MINUS}${below} +${above}`;
}

/**
 * The interval of a rank: both ends, or one figure where they are the same.
 *
 * @param {TournamentRow} row
 * @returns {string} empty: there is none
 */
export function ranksWords({ rank_low: low, rank_high: high }) {
  if (low === null || high === null) {
    return "";
  }
  return low === high ? String(low) : `${low}–${high}`;
}

/**
 * How often a bot won, drew and lost; with more than two seats, how often it had each place.
 *
 * @param {TournamentRow} row
 * @param {number} seats
 * @returns {string} as `12–3–5`
 */
export function placesWords({ places, draws }, seats) {
  const counts = Array.from({ length: seats }, (_, place) => places[place] ?? 0);
  if (seats === 2) {
    counts.splice(1, 0, draws);
  }
  return counts.join("–");
}

/**
 * The endings that were a bot's own fault.
 *
 * @param {Record<string, number>} endings how often each, by name
 * @returns {string} as `1 late, 2 crash`; a count stays on one line with its ending
 */
export function failuresWords(endings) {
  return FAILURES.flatMap(([ending]) =>
    (endings[ending] ?? 0) > 0 ? [`${endings[ending]}\u00a0${ending}`] : [],
  ).join(", ");
}

/**
 * Where a tournament is: `12 of 18 blocks, 24 matches`, `18 blocks, 36 matches, all played`.
 *
 * @param {FirstRows} table
 * @returns {string}
 */
export function progressWords({ blocks, planned, matches, voids, uncounted, over }) {
  const parts = [
    planned === null || planned === blocks
      ? counted(blocks, "block", "blocks")
      : `${blocks.toLocaleString("en")} of ${counted(planned, "block", "blocks")}`,
    counted(matches, "match", "matches"),
  ];
  if (voids > 0) {
    parts.push(`${voids.toLocaleString("en")} void and played again`);
  }
  if (uncounted > 0) {
    parts.push(`${counted(uncounted, "block", "blocks")} uncounted, not asked for now`);
  }
  return [...parts, over ? "all played" : "not over"].join(", ");
}

/**
 * @param {number} number
 * @param {string} one
 * @param {string} many
 * @returns {string}
 */
function counted(number, one, many) {
  return `${number.toLocaleString("en")} ${number === 1 ? one : many}`;
}

/**
 * A likelihood in percent; 0 or 100 only if it is exactly that.
 *
 * @param {number | null} share
 * @returns {string} as `99.6 %`; empty: there is none
 */
export function percent(share) {
  if (share === null) {
    return "";
  }
  const words = (100 * share).toFixed(1);
  if (share < 1 && words === "100.0") {
    return "> 99.9 %";
  }
  return share > 0 && words === "0.0" ? "< 0.1 %" : `${words} %`;
}

/**
 * Where estimates lie on one axis that has 0 on it, each from 0 at its left end to 1 at its right;
 * an interval without an end goes on to the axis' own.
 *
 * @param {readonly Estimate[]} estimates
 * @returns {(estimate: Estimate) => Places}
 */
export function axisOf(estimates) {
  const known = estimates
    .flatMap((one) => [one.low, one.value, one.high])
    .filter((end) => end !== null);
  const low = Math.min(0, ...known);
  const high = Math.max(0, ...known);
  const place = (/** @type {number} */ elo) => (elo - low) / (high - low || 1);
  return (one) => ({
    zero: place(0),
    low: one.low === null ? 0 : place(one.low),
    value: place(one.value),
    high: one.high === null ? 1 : place(one.high),
  });
}

/**
 * The results between each two bots, as a table.
 *
 * @param {readonly string[]} bots in the order of lines and columns
 * @param {readonly Meeting[]} meetings
 * @returns {{bot: string, met: (Meeting | null)[]}[]} null: they never met
 */
export function meetingsOf(bots, meetings) {
  const column = new Map(bots.map((bot, i) => [bot, i]));
  const rows = bots.map((bot) => ({
    bot,
    met: /** @type {(Meeting | null)[]} */ (bots.map(() => null)),
  }));
  for (const meeting of meetings) {
    const row = column.get(meeting.bot);
    const index = column.get(meeting.opponent);
    if (row !== undefined && index !== undefined) {
      rows[row].met[index] = meeting;
    }
  }
  return rows;
}
