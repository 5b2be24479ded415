/** `arena.draw`: each call is log lines of the form of PROTOCOL.md 9, whatever it is given. */

import assert from "node:assert/strict";
import test from "node:test";

import { Draw } from "lanista-client";

const PATH = /** @type {const} */ ([[3, 4], [3, 9], [12, 9]]);
/** A way that changes the level twice. */
const UP = /** @type {const} */ ([[1, 1, 0], [1, 2, 0], [1, 2, 1], [1, 3, 1], [1, 3, 0]]);

/** @param {(draw: Draw) => void} use */
function drawn(use) {
  let sent = "";
  use(new Draw((text) => (sent += text)));
  return sent;
}

test("each call is a line of the form", () => {
  assert.equal("#@ cell 3 4 own\n", drawn((draw) => draw.cell([3, 4])));
  assert.equal("#@ cell 3 4 red\n", drawn((draw) => draw.cell([3, 4], "red")));
  assert.equal("#@ cell 3 4 1 #8040ff\n", drawn((draw) => draw.cell([3, 4, 1], "#8040ff")));
  assert.equal("#@ cell 3 4 3 9 12 9 blue\n", drawn((draw) => draw.cells(PATH, "blue")));
  assert.equal("#@ line 3 4 3 9 12 9 own\n", drawn((draw) => draw.line(PATH)));
  assert.equal("#@ arrow 3 4 3 9 12 9 pink\n", drawn((draw) => draw.arrow(PATH, "pink")));
  assert.equal("#@ text 3 4 ink go on\n", drawn((draw) => draw.text([3, 4], "go on", "ink")));
  assert.equal("#@ text 3 4 1 ink é\n", drawn((draw) => draw.text([3, 4, 1], "é", "ink")));
  assert.equal("#@ value danger 0.25\n", drawn((draw) => draw.value("danger", 0.25)));
  assert.equal("#@ value danger -7\n", drawn((draw) => draw.value("danger", -7)));
});

test("a change of the level begins another line", () => {
  assert.equal(
    "#@ arrow 1 1 1 2 0 red\n#@ arrow 1 2 1 3 1 red\n",
    drawn((draw) => draw.arrow(UP, "red")),
  );
  assert.equal(
    "#@ cell 1 1 1 2 0 red\n#@ cell 1 2 1 3 1 red\n#@ cell 1 3 0 red\n",
    drawn((draw) => draw.cells(UP, "red")),
  );
  assert.equal("", drawn((draw) => draw.line([[1, 1]])));
  assert.equal("", drawn((draw) => draw.cells([])));
});

test("no text ends the line or makes it too long", () => {
  const hostile = "a\nb\r\x85\u2028c";
  assert.equal("#@ text 1 2 red a b   c\n", drawn((draw) => draw.text([1, 2], hostile, "red")));
  assert.equal("#@ cell 1 2 red 1 2 1 0\n", drawn((draw) => draw.cell([1, 2], "red\n1 2 1 0")));
  // PROTOCOL.md 1: a line past 65,536 bytes would lose the match; a part of it isn't drawn.
  const long = drawn((draw) => draw.text([1, 2], "\u{1f40d}".repeat(40_000)));
  assert.ok(Buffer.byteLength(long) <= 65_536 && long.endsWith("\n"));
  assert.ok([...long].length > 8000);
});

test("what is no place costs no match", () => {
  /** @type {(value: any) => any} */
  const no = (value) => value;
  assert.equal("#@ cell 3 4\n", drawn((draw) => draw.cell(no(3), no(4))));
  assert.equal("#@ cell  own\n", drawn((draw) => draw.cell(no(null))));
  assert.equal("#@ line 3 4 own\n", drawn((draw) => draw.line(no([3, 4]))));
  assert.equal("#@ cell 5 own\n", drawn((draw) => draw.cells(no(5))));
  assert.equal("#@ text 3 own hi\n", drawn((draw) => draw.text(no(3), "hi")));
});
