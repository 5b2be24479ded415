/**
 * The outlines of drawn figures, as SVG paths on a tile of 100 by 100, and the marks of seats on them.
 *
 * Every body covers the point (34, 66), away from where a seat's mark or letter stands.
 */

/** Outlines of the units that belong to seats, or to nobody. @type {Readonly<Record<string, string>>} */
export const BODIES = Object.freeze({
  // A pointed hat with a brim, above a wide robe.
  mage: "M50 0L67 38H79V47H66L84 96H16L34 47H21V38H33Z",
  turncoat: "M50 0L67 38H79V47H66L84 96H16L34 47H21V38H33Z",
  // A sheet with two waves at its end.
  ghost: "M9 93V44A41 39 0 0 1 91 44V93L77 82L64 93L50 82L36 93L23 82Z",
  // A round helmet with a rim, above square shoulders.
  miner: "M26 31A24 25 0 0 1 74 31H79V41H68V52Q84 54 84 66V96H16V66Q16 54 32 52V41H21V31Z",
  // Wide shoulders, a narrow waist and a spear.
  warrior:
    "M50 6A17 17 0 0 1 60 37L60 46Q70 47 78 50V16L86 0L94 16V58L88 66L72 96H28L4 56Q20 47 40 46V37A17 17 0 0 1 50 6Z",
  // Two horns above a broad cloak.
  raider:
    "M8 0Q8 18 30 20Q50 8 70 20Q92 18 92 0Q102 28 72 38Q70 46 64 50Q82 54 90 96H10Q18 54 36 50Q30 46 28 38Q-2 28 8 0Z",
});

/** Outlines of units that kill around themselves; nobody owns them. */
export const KILLERS = Object.freeze({
  // A hood and a cloak.
  fiend: "M50 -14C80 -10 82 30 90 52L106 108H-6L10 52C18 30 20 -10 50 -14Z",
  // A head with two ears.
  hound: "M-4 -10L32 14H68L104 -10L100 52Q86 84 66 106H34Q14 84 0 52Z",
});

/** Outlines of things. */
export const THINGS = Object.freeze({
  // An open book, seen from above, and the page at each side of its fold.
  cover: "M2 24Q26 12 50 22Q74 12 98 24V90Q74 78 50 90Q26 78 2 90Z",
  pages: "M12 30Q30 22 46 30V78Q30 70 12 76ZM54 30Q70 22 88 30V76Q70 70 54 78Z",
  gem: "M50 94L6 40L26 10H74L94 40Z",
  facets: "M6 40H94M26 10L38 40L50 94L62 40L74 10M38 40L50 10L62 40",
  ship: "M50 -14L74 22L112 66L96 108L64 94H36L4 108L-12 66L26 22Z",
});

/** Marks of seats on small units: none, a bar across, a bar down, a cross. */
const MARKS = Object.freeze([
  "",
  "M0 78H100V90H0Z",
  "M43 56H57V86H43Z",
  "M0 72H100V83H0ZM44 56H56V92H44Z",
]);

/**
 * Return the mark by which a seat's small units are told from those of other seats.
 * @param {number} seat -1: nobody's
 * @returns {string} an SVG path, to be clipped to the unit; empty: it has none
 */
export function markOf(seat) {
  return seat < 0 ? "" : MARKS[seat % MARKS.length];
}

/** Outlines of a full cell, by seat: each has other corners cut off. */
const CELLS = Object.freeze([
  "M0 0H100V100H0Z",
  "M28 0H72L100 28V100H0V28Z",
  "M0 0H100V72L72 100H28L0 72Z",
  "M28 0H72L100 28V72L72 100H28L0 72V28Z",
]);

/**
 * Return the outline of a full cell with units of a seat.
 * @param {number} seat -1: nobody's
 * @returns {string} an SVG path
 */
export function cellOf(seat) {
  return CELLS[Math.max(0, seat) % CELLS.length];
}

/** A head of each seat's crowd at (0, 0): round, pointed, square, with two points. */
const HEADS = Object.freeze([
  "M-13 0A13 13 0 0 1 13 0A13 13 0 0 1 -13 0Z",
  "M0 -17L15 12H-15Z",
  "M-12 -12H12V12H-12Z",
  "M-14 -15L0 -4L14 -15V12H-14Z",
]);

/**
 * Return a crowd: one, two or three heads, the more the larger the number, above a row of bodies.
 * @param {number} seat -1: nobody's
 * @param {number} count of units
 * @returns {{heads: string, at: readonly [x: number, y: number][], bodies: string}} the outline of a
 *   head, where the heads are, and the outline of the bodies
 */
export function crowdOf(seat, count) {
  const at = /** @type {[number, number][]} */ (
    count < 2 ? [[50, 19]] : count < 10 ? [[30, 20], [70, 20]] : [[20, 21], [50, 18], [80, 21]]
  );
  const [left, right] = [at[0][0] - 18, (at.at(-1)?.[0] ?? 50) + 18];
  const bodies = `M2 98V46Q2 34 ${Math.max(14, left)} 34H${Math.min(86, right)}Q98 34 98 46V98Z`;
  return { heads: HEADS[Math.max(0, seat) % HEADS.length], at, bodies };
}
