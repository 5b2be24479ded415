/**
 * All colours of boards and seats, for both themes.
 *
 * The seats' hues follow Okabe and Ito's palette, with lightness moved apart so that people with
 * deuteranopia, protanopia or tritanopia can also tell seats, and the grounds of seats, apart
 * (tests/page/browser/colours.test.js measures it). A ground is a tint of its seat's colour, so that
 * units stand out on their own ground.
 */

/** @typedef {"light" | "dark"} Theme */

/**
 * @typedef {object} SeatColour
 * @property {string} name name of the colour, as `blue`
 * @property {string} unit colour of units, lines and swatches
 * @property {string} ground colour of cells that belong to the seat
 * @property {string} text colour of text on the page's panels, with a contrast of 4.5 or more
 * @property {string} on colour of a number on `unit`
 */

/**
 * @typedef {object} Palette
 * @property {readonly SeatColour[]} seats
 * @property {SeatColour} neutral things without an owner
 * @property {string} floor ground without an owner
 * @property {string} wall
 * @property {string} night ground out of the light, on a level with day and night
 * @property {string} sun ground in the light
 * @property {string} base ground of a base that no seat owns
 * @property {string} baseDeep the darker end of its gradient
 * @property {string} grid lines between cells
 * @property {string} ink outlines of marks, and numbers on free ground
 * @property {string} halo outlines around marks, so that they stand out on any ground
 * @property {string} danger beasts and the ring around them
 * @property {string} book
 * @property {string} gem
 * @property {string} hull a descending ship
 * @property {string} shadow its shadow
 * @property {string} focus the followed unit's ring
 * @property {string} flash the flash on ground that was just captured
 * @property {string} title titles of levels
 */

/** @type {Readonly<Record<Theme, Palette>>} */
export const PALETTE = Object.freeze({
  light: {
    seats: [
      { name: "blue", unit: "#08519c", ground: "#82b4ee", text: "#08519c", on: "#ffffff" },
      { name: "orange", unit: "#d1480c", ground: "#ffb683", text: "#b83c05", on: "#ffffff" },
      { name: "green", unit: "#00875f", ground: "#8fe0b4", text: "#00724f", on: "#ffffff" },
      { name: "pink", unit: "#c155ab", ground: "#f2c8ea", text: "#a03a8b", on: "#14000f" },
    ],
    neutral: { name: "gray", unit: "#858585", ground: "#d0d0d0", text: "#5e5e5e", on: "#ffffff" },
    floor: "#f4f3ef",
    wall: "#4b4a5a",
    night: "#8d9cbb",
    sun: "#fff0a8",
    base: "#b3261e",
    baseDeep: "#3a0f0c",
    grid: "#00000024",
    ink: "#16161c",
    halo: "#ffffff",
    danger: "#e0002a",
    book: "#4a2c14",
    gem: "#ffc400",
    hull: "#a9a9ae",
    shadow: "#000000",
    focus: "#16161c",
    flash: "#ffffff",
    title: "#55555f",
  },
  dark: {
    seats: [
      { name: "blue", unit: "#4ba3f0", ground: "#123f7e", text: "#6bb5f5", on: "#08121c" },
      { name: "orange", unit: "#ff7433", ground: "#75320d", text: "#ff8a52", on: "#1c0b02" },
      { name: "green", unit: "#35d6a4", ground: "#0d6a45", text: "#45dcad", on: "#02170f" },
      { name: "pink", unit: "#f5b3e2", ground: "#7a3a70", text: "#f5b3e2", on: "#1f0a1a" },
    ],
    neutral: { name: "gray", unit: "#a2a2a2", ground: "#4a4a4a", text: "#b4b4b4", on: "#101010" },
    floor: "#23262c",
    wall: "#6d7480",
    night: "#101a3c",
    sun: "#6b5f2a",
    base: "#c8453c",
    baseDeep: "#2a0a08",
    grid: "#0000006b",
    ink: "#000000",
    halo: "#0b0c0f",
    danger: "#ff2d4d",
    book: "#8f6f40",
    gem: "#ffd028",
    hull: "#b9bac2",
    shadow: "#000000",
    focus: "#ffffff",
    flash: "#ffffff",
    title: "#a9abb5",
  },
});

/**
 * Return the colours of a seat. A game with more seats than colours uses them again.
 * @param {number} seat -1: no seat's
 * @param {Theme} theme
 * @returns {SeatColour}
 */
export function seatColour(seat, theme) {
  const palette = PALETTE[theme];
  return seat < 0 ? palette.neutral : palette.seats[seat % palette.seats.length];
}

/**
 * Return the letter of a seat, `A` for seat 0: a second cue besides its colour.
 * @param {number} seat -1: no seat
 * @returns {string} empty for no seat
 */
export function seatLetter(seat) {
  return seat < 0 ? "" : String.fromCharCode(65 + (seat % 26));
}

/**
 * Return the colour of a seat's text and curves as CSS takes it, by the variable of `applyPalette`.
 * @param {number} seat
 */
export function seatVariable(seat) {
  return `var(--seat-${seat % PALETTE.light.seats.length}-text)`;
}

/**
 * Set the palette as CSS variables: `--seat-0-unit`, `--seat-0-ground`, `--seat-0-text`,
 * `--seat-0-on` for seat 0, and likewise `--neutral-…` for the neutral colours.
 * @param {Theme} theme
 * @param {HTMLElement} [root] the element that gets them; the whole page by default
 */
export function applyPalette(theme, root = document.documentElement) {
  const palette = PALETTE[theme];
  const seats = [...palette.seats.entries()].map(([seat, colour]) => [`seat-${seat}`, colour]);
  for (const [name, colour] of /** @type {[string, SeatColour][]} */ ([
    ...seats,
    ["neutral", palette.neutral],
  ])) {
    root.style.setProperty(`--${name}-unit`, colour.unit);
    root.style.setProperty(`--${name}-ground`, colour.ground);
    root.style.setProperty(`--${name}-text`, colour.text);
    root.style.setProperty(`--${name}-on`, colour.on);
  }
}

/**
 * Return a colour as three numbers.
 * @param {string} colour `#rrggbb`
 * @returns {[red: number, green: number, blue: number]} 0 to 255
 */
export function channels(colour) {
  const value = Number.parseInt(colour.slice(1, 7), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}
