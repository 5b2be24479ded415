/**
 * What a bot's process wrote, by turn.
 */

import assert from "node:assert/strict";
import { test } from "node:test";

import { outputParts } from "../../../server/lanista/page/browser/output.js";

test("an output is divided by turns, each of which led to the next round", () => {
  assert.deepEqual(
    [
      { round: null, text: "hello\n" },
      { round: 1, text: "\u{1f40d}\n" },
      { round: 8, text: "end" },
    ],
    outputParts("hello\n\u{1f40d}\nend", [
      [0, 6],
      [7, 8],
    ]),
  );
});

test("without turns it is one part, and nothing is none", () => {
  assert.deepEqual([{ round: null, text: "all" }], outputParts("all", []));
  assert.deepEqual([], outputParts("", []));
});

test("whatever places a record has, nothing is lost or repeated", () => {
  const text = "abcdef";
  for (const turns of [
    [[3, 99]],
    [[3, -5], [4, 2]],
    [[3, 4], [4, 2], [5, 5]],
    [[3, 0], [4, 0]],
  ]) {
    assert.equal(outputParts(text, turns).map((part) => part.text).join(""), text);
  }
});
