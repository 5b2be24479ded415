/**
 * Formats a tournament's figures for its tables on the page. docs/statistics.md explains what they
 * mean.
 *
 * These are pure functions of the arena's data: they create no elements and compute no figures.
 *
 * @module
 */

/** @typedef {import("./link.js").Estimate} Estimate */
/** @typedef {import("./link.js").FirstRows} FirstRows */
/** @typedef {import("./link.js").Meeting} Meeting */
/** @typedef {import("./link.js").TournamentRow} TournamentRow */
/** @typedef {{zero: number, low: number, value: number, high: number}} Places */

/** Endings that are the bot's own fault, and what they mean (docs/tournaments.md, "Endings"). */
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
/** The mean of the ratings that hold the scale, as in `lanista.ratings.table`. */
export const CENTRE = 1500;
const MINUS = "\u2212";

/**
 * Format a whole number with its sign: `+1,012`, `0`, `−7`.
 *
 * @param {number} value
 * @returns {string}
 */
export function signed(value) {
  const digits = Math.abs(value).toLocaleString("en");
  return value < 0 ? `${MINUS}${digits}` : value === 0 ? "0" : `+${digits}`;
}

/**
 * Format a rating as one number, `1623`; `≥ 1580` or `≤ 1420` if its interval has only one end, `?`
 * if it has none.
 *
 * @param {Estimate | null} rating
 * @returns {string} empty if there is no rating
 */
export function formatRating(rating) {
  return formatEstimate(rating, String);
}

/**
 * Format a rating with its interval: `1623 ±42`.
 *
 * @param {Estimate | null} rating
 * @returns {string} as by `formatRating` if the interval lacks an end
 */
export function formatInterval(rating) {
  return formatRating(rating) + formatHalf(rating);
}

/**
 * Format half the width of an interval: ` ±42`.
 *
 * @param {Estimate | null} estimate
 * @returns {string} empty if the interval lacks an end
 */
export function formatHalf(estimate) {
  const { low = null, high = null } = estimate ?? {};
  return low === null || high === null ? "" : ` ±${Math.round((high - low) / 2)}`;
}

/**
 * Format the advantage of a seat, with its sign and its interval: `+12 ±8`.
 *
 * @param {Estimate} advantage in Elo
 * @returns {string}
 */
export function formatAdvantage(advantage) {
  return formatEstimate(advantage, signed) + formatHalf(advantage);
}

/**
 * @param {Estimate | null} estimate
 * @param {(value: number) => string} format formats a whole number
 * @returns {string}
 */
function formatEstimate(estimate, format) {
  if (estimate === null) {
    return "";
  }
  const { low, value, high } = estimate;
  if (low === null) {
    return high === null ? "?" : `≤ ${format(Math.round(high))}`;
  }
  return high === null ? `≥ ${format(Math.round(low))}` : format(Math.round(value));
}

/**
 * Format by how much a rating has changed: `+12`, `0`, `−7`.
 *
 * @param {number | null} change in Elo
 * @returns {string} empty if it isn't known
 */
export function formatChange(change) {
  return change === null ? "" : signed(Math.round(change));
}

/**
 * Format the interval of a rank: both ends, or one number if they are equal.
 *
 * @param {{rank_low: number | null, rank_high: number | null}} row
 * @returns {string} empty if there is no interval
 */
export function formatRanks({ rank_low: low, rank_high: high }) {
  if (low === null || high === null) {
    return "";
  }
  return low === high ? String(low) : `${low}–${high}`;
}

/**
 * Format how often a bot won, drew and lost, or with more than two seats how often it had each
 * place: `12–3–5`.
 *
 * @param {TournamentRow} row
 * @param {number} seats
 * @returns {string}
 */
export function formatPlaces({ places, draws }, seats) {
  const counts = Array.from({ length: seats }, (_, place) => places[place] ?? 0);
  if (seats === 2) {
    counts.splice(1, 0, draws);
  }
  return counts.join("–");
}

/**
 * Format the endings that were a bot's own fault: `1 late, 2 crash`. A count stays on one line with
 * its ending.
 *
 * @param {Record<string, number>} endings count of each, by name
 * @returns {string}
 */
export function formatFailures(endings) {
  return FAILURES.flatMap(([ending]) =>
    (endings[ending] ?? 0) > 0 ? [`${endings[ending]}\u00a0${ending}`] : [],
  ).join(", ");
}

/**
 * Format the progress of a tournament: `12 of 18 blocks, 24 matches, not over`,
 * `18 blocks, 36 matches, all played`.
 *
 * @param {FirstRows} table
 * @returns {string}
 */
export function formatProgress({ blocks, planned, matches, voids, uncounted, over }) {
  const parts = [
    planned === null || planned === blocks
      ? counted(blocks, "block")
      : `${blocks.toLocaleString("en")} of ${counted(planned, "block")}`,
    counted(matches, "match", "matches"),
  ];
  if (voids > 0) {
    parts.push(`${voids.toLocaleString("en")} void and played again`);
  }
  if (uncounted > 0) {
    parts.push(`${counted(uncounted, "block")} uncounted, not asked for now`);
  }
  return [...parts, over ? "all played" : "not over"].join(", ");
}

/**
 * Format a number with a noun: `1 match`, `2,000 matches`.
 *
 * @param {number} number
 * @param {string} singular
 * @param {string} [plural]
 * @returns {string}
 */
export function counted(number, singular, plural = `${singular}s`) {
  return `${number.toLocaleString("en")} ${number === 1 ? singular : plural}`;
}

/**
 * Format a likelihood in percent: `99.6 %`; 0 or 100 only if it is exactly that.
 *
 * @param {number | null} share
 * @returns {string} empty if there is none
 */
export function formatPercent(share) {
  if (share === null) {
    return "";
  }
  const rounded = (100 * share).toFixed(1);
  if (share < 1 && rounded === "100.0") {
    return "> 99.9 %";
  }
  return share > 0 && rounded === "0.0" ? "< 0.1 %" : `${rounded} %`;
}

/**
 * Make an axis that spans estimates and the scale's zero. An interval without an end reaches to the end of the
 * axis.
 *
 * @param {readonly Estimate[]} estimates
 * @param {number} zero
 * @returns {(estimate: Estimate) => Places} gives the places of the zero and of an estimate on the
 *   axis, from 0 at its left end to 1 at its right
 */
export function axisOf(estimates, zero) {
  const known = estimates
    .flatMap((one) => [one.low, one.value, one.high])
    .filter((end) => end !== null);
  const low = Math.min(zero, ...known);
  const high = Math.max(zero, ...known);
  const place = (/** @type {number} */ elo) => (elo - low) / (high - low || 1);
  return (one) => ({
    zero: place(zero),
    low: one.low === null ? 0 : place(one.low),
    value: place(one.value),
    high: one.high === null ? 1 : place(one.high),
  });
}

/**
 * Arrange the results between each two bots as a table.
 *
 * @param {readonly string[]} bots in the order of rows and columns
 * @param {readonly Meeting[]} meetings
 * @returns {{bot: string, met: (Meeting | null)[]}[]} rows; null: the two never met
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
