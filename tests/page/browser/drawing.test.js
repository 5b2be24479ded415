/**
 * Log lines that draw: the vectors of PROTOCOL.md 9, which any viewer must read alike.
 */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { COLOURS, readLog } from "../../../server/lanista/page/browser/drawing.js";

const FILE = new URL("../../../protocol/vectors/drawings.jsonl", import.meta.url);
const VECTORS = readFileSync(FILE, "utf8").split("\n").filter(Boolean).map((line) => JSON.parse(line));

/** Return the text of a vector's log (protocol/vectors/README.md). */
function textOf(part) {
  if (typeof part === "string") {
    return part;
  }
  return Array.isArray(part) ? part.map(textOf).join("") : part.text.repeat(part.times);
}

/** Return a line's meaning as the vectors have it. */
function meaningOf({ drawing, value, remark }) {
  if (drawing !== undefined) {
    const { kind, points, level, colour, text } = drawing;
    return { draw: kind, points, level, colour, ...(kind === "text" ? { text } : {}) };
  }
  if (value !== undefined) {
    return { value: value.name, number: value.number };
  }
  return remark === undefined ? null : { fault: remark.fault };
}

test("there are vectors", () => assert.ok(VECTORS.length > 40));

for (const { name, levels, log, lines } of VECTORS) {
  test(`vector: ${name}`, () => {
    const expected = lines.flatMap((line) => {
      const { times = 1, ...one } = line ?? {};
      return Array.from({ length: times }, () => (line === null ? null : one));
    });
    const read = readLog(textOf(log), levels);
    assert.deepEqual(read.map(meaningOf), expected);
    assert.equal(read.map(({ text }) => text).join("\n"), textOf(log).replace(/\n$/, ""));
  });
}

test("a remark says what is wrong and what would be right, and is short", () => {
  const remark = (line) => readLog(line, [[20, 30]])[0].remark.words;
  assert.match(remark("#@ cel 1 1 red"), /‘cel’ .* known are cell, line, arrow, text, value$/);
  assert.match(remark("#@ cell 20 1 red"), /row 20, column 1 .* rows are 0 to 19, columns 0 to 29$/);
  assert.match(remark("#@ cell 1 1 1 red"), /no level 1; levels are 0 to 0$/);
  assert.match(remark("#@ cell 1 1 rde"), /‘rde’ .* own, red, .* #rrggbb$/);
  assert.ok(remark(`#@ cell 1 1 ${"\u{1f40d}".repeat(3000)}`).length < 250);
});

test("colours are those of the protocol's page", () => {
  const page = readFileSync(new URL("../../../protocol/PROTOCOL.md", import.meta.url), "utf8");
  const names = page.split("The names are ")[1].split("A viewer")[0];
  assert.deepEqual([...names.matchAll(/`([a-z]+)`/g)].map((one) => one[1]), [...COLOURS]);
});
