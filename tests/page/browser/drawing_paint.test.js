/**
 * The colours of what bots draw, and the curves of the values that they name.
 */

import assert from "node:assert/strict";
import { test } from "node:test";

import { PALETTE } from "../../../server/lanista/page/browser/colours.js";
import { COLOURS } from "../../../server/lanista/page/browser/drawing.js";
import { penOf } from "../../../server/lanista/page/browser/drawing_paint.js";
import { MAX_NAMES, ValueSeries, rangeOfValues } from "../../../server/lanista/page/browser/value_plots.js";
import { contrast, headOf } from "./fixtures.js";

for (const theme of /** @type {const} */ (["light", "dark"])) {
  test(`${theme}: every colour stands out from its outline (WCAG AA: 4.5)`, () => {
    const shades = Array.from({ length: 4096 }, (_, at) =>
      `#${[...at.toString(16).padStart(3, "0")].map((digit) => digit + digit).join("")}`,
    );
    for (const colour of [...COLOURS, ...shades]) {
      for (const seat of [0, 1, 2, 3]) {
        const { ink, outline } = penOf(colour, seat, theme);
        assert.ok(contrast(ink, outline) >= 4.5, `${colour}: ${ink} on ${outline}`);
      }
    }
  });

  test(`${theme}: names are colours of the palette, and differ`, () => {
    const names = COLOURS.filter((name) => name !== "own");
    const inks = names.map((name) => penOf(name, 0, theme).ink);
    assert.equal(new Set(inks).size, names.length);
    assert.equal(penOf("own", 2, theme).ink, PALETTE[theme].seats[2].unit);
    assert.equal(penOf("#12ab9C", 2, theme).ink, "#12ab9C");
  });
}

/** Make a match of frames whose turns have these logs. */
function framesOf(logs) {
  const plays = logs.map((log, turn) => ({ n: turn + 1, play: { turn, logs: log } }));
  return { count: logs.length + 1, frame: (n) => plays[n - 1] ?? null };
}

test("a value of turn n is at round n, the last of a turn counts, and rounds may lack it", () => {
  const series = new ValueSeries(headOf());
  const logs = [
    { 0: "#@ value x 1\n#@ value x 2\n", 1: "#@ value x 7\n" },
    undefined,
    { 0: "# none\n#@ value x nan\n" },
    { 0: "#@ value y 5\n#@ value x -3\n" },
  ];
  assert.equal(series.include(framesOf(logs)).more, true);
  assert.deepEqual(series.names, ["x", "y"]);
  assert.deepEqual(series.lines("x"), {
    rounds: [0, 1, 2, 3, 4],
    values: [[2, null, null, -3, null], [7, null, null, null, null]],
  });
  assert.deepEqual(series.lines("x", 2).values, [[2, -3], [7, null]]);
});

test("logs that come later are included, and a call can stop", () => {
  const series = new ValueSeries(headOf());
  const before = framesOf([undefined, { 0: "#@ value x 2\n" }]);
  series.include(before);
  const after = framesOf([{ 0: "#@ value w 1\n" }, { 0: "#@ value x 2\n" }]);
  assert.equal(series.include(after, () => true).stopped, true);
  assert.deepEqual(series.names, ["x"]);
  assert.deepEqual(series.include(after), { more: true, stopped: false });
  assert.deepEqual(series.names, ["w", "x"]);
});

test("a bot has so many names at most: those that came first", () => {
  const series = new ValueSeries(headOf());
  series.include(framesOf(Array.from({ length: 40 }, (_, at) => ({ 0: `#@ value n${at} 1\n` }))));
  assert.deepEqual(series.names, Array.from({ length: MAX_NAMES }, (_, at) => `n${at}`));
});

test("the range of values: some room, also for one value", () => {
  assert.deepEqual(rangeOfValues(null), [0, 1]);
  assert.deepEqual(rangeOfValues([0, 0]), [-1, 1]);
  const [low, high] = rangeOfValues([-2, -1]);
  assert.ok(low < -2 && high > -1 && high < 0);
});
