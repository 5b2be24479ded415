/**
 * The palette: seats must be told apart, also by people who are colour-blind.
 */

import assert from "node:assert/strict";
import { test } from "node:test";

import { PALETTE, applyPalette, channels, seatColour, seatLetter } from "../../../server/lanista/page/browser/colours.js";
import { cellOf, crowdOf, markOf } from "../../../server/lanista/page/browser/silhouettes.js";
import { contrast, light } from "./fixtures.js";

/**
 * Matrices that turn linear red, green and blue into what is seen. Those for the two kinds of
 * complete red-green blindness, and for complete blue-yellow blindness, are from Machado, Oliveira and Fernandes, "A physiologically-based
 * model for simulation of color vision deficiency" (2009).
 */
const EYES = {
  normal: [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};
/** Minimum differences in CIELAB (1976), where about 2.3 can just be seen. */
const PLAIN = 30;
const BLIND = 12;

function lab(colour, eyes) {
  const seen = EYES[eyes].map((row) =>
    Math.min(1, Math.max(0, row.reduce((sum, share, at) => sum + share * light(colour)[at], 0))),
  );
  const [x, y, z] = [
    [0.4124 / 0.95047, 0.3576 / 0.95047, 0.1805 / 0.95047],
    [0.2126, 0.7152, 0.0722],
    [0.0193 / 1.08883, 0.1192 / 1.08883, 0.9505 / 1.08883],
  ]
    .map((row) => row.reduce((sum, share, at) => sum + share * seen[at], 0))
    .map((value) => (value > 0.008856 ? Math.cbrt(value) : 7.787 * value + 16 / 116));
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

function difference(one, other, eyes) {
  const [first, second] = [lab(one, eyes), lab(other, eyes)];
  return Math.hypot(...first.map((value, at) => value - second[at]));
}

/** Return all pairs of colours whose difference is too small. */
function alike(colours, eyes, least) {
  return colours.flatMap(([name, colour], at) =>
    colours
      .slice(at + 1)
      .filter(([, other]) => difference(colour, other, eyes) < least)
      .map(([other]) => `${name} and ${other}`),
  );
}

for (const theme of /** @type {const} */ (["light", "dark"])) {
  const palette = PALETTE[theme];
  const units = palette.seats.map(({ name, unit }) => [name, unit]);
  const grounds = palette.seats.map(({ name, ground }) => [`${name} ground`, ground]);

  for (const eyes of Object.keys(EYES)) {
    const least = eyes === "normal" ? PLAIN : BLIND;

    test(`${theme}, ${eyes}: the units of seats and of nobody differ`, () => {
      assert.deepEqual(alike([...units, ["gray", palette.neutral.unit]], eyes, least), []);
    });

    test(`${theme}, ${eyes}: grounds of seats, free ground and walls differ`, () => {
      const all = [...grounds, ["floor", palette.floor], ["wall", palette.wall]];
      // A ground is a tint: two of them are nearer to each other than two units.
      assert.deepEqual(alike(all, eyes, eyes === "normal" ? 20 : BLIND), []);
    });

    test(`${theme}, ${eyes}: walls, free ground, night and sun differ, where they meet`, () => {
      // A level has either night and sun or free ground without light.
      for (const names of [["floor", "wall"], ["wall", "night", "sun"]]) {
        const all = names.map((name) => [name, palette[name]]);
        assert.deepEqual(alike(all, eyes, BLIND), []);
      }
    });

    test(`${theme}, ${eyes}: a book looks like no seat's unit, and not like danger`, () => {
      const others = [...units, ["danger", palette.danger]];
      const same = others.filter(([, other]) => difference(palette.book, other, eyes) < BLIND);
      assert.deepEqual(same, []);
    });

    test(`${theme}, ${eyes}: a unit stands out on every seat's ground`, () => {
      const hidden = units.flatMap(([unit, colour]) =>
        grounds
          .filter(([, ground]) => difference(colour, ground, eyes) < 20)
          .map(([ground]) => `${unit} on ${ground}`),
      );
      assert.deepEqual(hidden, []);
    });
  }

  test(`${theme}: a unit is seen on its own ground, a number on its unit`, () => {
    for (const { name, unit, ground, on } of palette.seats) {
      assert.ok(contrast(unit, ground) >= 2.5, `${name}: ${contrast(unit, ground)}`);
      // A badge with the seat's letter, in small type: WCAG AA.
      assert.ok(contrast(unit, on) >= 4.5, `${name}: ${contrast(unit, on)}`);
    }
  });

  test(`${theme}: text in a seat's colour can be read on the page (WCAG AA: 4.5)`, () => {
    // --panel of style.css.
    const panel = theme === "light" ? "#ffffff" : "#1a1f26";
    for (const { name, text } of [...palette.seats, palette.neutral]) {
      assert.ok(contrast(text, panel) >= 4.5, `${name}: ${contrast(text, panel)}`);
    }
  });
}

test("both themes name the same things", () => {
  assert.deepEqual(Object.keys(PALETTE.light), Object.keys(PALETTE.dark));
});

test("a seat beyond the palette gets a colour again, and no seat is gray", () => {
  const { seats, neutral } = PALETTE.light;
  assert.equal(seatColour(0, "light"), seats[0]);
  assert.equal(seatColour(seats.length + 1, "light"), seats[1]);
  assert.equal(seatColour(-1, "light"), neutral);
});

test("seats have marks, cells and crowds of different shapes, so that no colour is needed", () => {
  const seats = [0, 1, 2, 3];
  for (const shapes of [markOf, cellOf, (seat) => crowdOf(seat, 5).heads].map((of) => seats.map(of))) {
    assert.equal(new Set(shapes).size, seats.length);
  }
});

test("seats have letters", () => {
  assert.deepEqual([0, 1, 2, 3, -1].map(seatLetter), ["A", "B", "C", "D", ""]);
});

test("the palette becomes CSS variables", () => {
  const set = new Map();
  applyPalette("dark", { style: { setProperty: (name, value) => set.set(name, value) } });
  assert.equal(set.get("--seat-3-text"), PALETTE.dark.seats[3].text);
  assert.equal(set.get("--neutral-unit"), PALETTE.dark.neutral.unit);
  assert.equal(set.size, 4 * (PALETTE.dark.seats.length + 1));
});

test("a colour's channels", () => {
  assert.deepEqual(channels("#0180ff"), [1, 128, 255]);
});
