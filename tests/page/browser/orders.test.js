/**
 * Answers in words, links to units and cells, and what crashed.
 */

import assert from "node:assert/strict";
import { test } from "node:test";

import {
  concerns,
  crashLine,
  hasCrashed,
  ordersOf,
  summaryOf,
  withoutOrders,
} from "../../../server/lanista/page/browser/orders.js";

const HEAD = { players: [{ name: "Ada" }, { name: "Bob" }], scene: { cols: 10 } };
const PLAY = {
  faults: [
    { turn: 0, seat: 0, code: "illegal", index: 2, words: "unit 9 is of seat 1" },
    { turn: 0, seat: 1, code: "illegal", index: 0, words: "of the other seat" },
  ],
  submoves: [
    [
      ["wizard 39 moves left", 39, [25, 24], "a wall is there"],
      ["wizard 40 moves up", 40, [31, 21]],
      ["wizard 9 moves up", 9, [11, 1]],
    ],
    null,
  ],
};

test("a submove was carried out, had no effect, or was refused, with the reason", () => {
  const orders = ordersOf(HEAD, PLAY, 0);
  assert.deepEqual(
    orders.map(({ text, fate, why }) => [text, fate, why]),
    [
      ["wizard 39 moves left", "idle", "a wall is there"],
      ["wizard 40 moves up", "done", ""],
      ["wizard 9 moves up", "refused", "unit 9 is of B Bob"],
    ],
  );
  assert.deepEqual(orders[0].cells, [{ row: 2, col: 5 }, { row: 2, col: 4 }]);
  assert.equal(summaryOf(orders), "3 submoves, 1 refused, 1 without effect");
  assert.equal(summaryOf(orders.slice(1, 2)), "1 submove");
  assert.equal(ordersOf(HEAD, PLAY, 1), null);
  assert.equal(ordersOf(HEAD, {}, 0), null);
});

test("units without orders are known where all orders are", () => {
  assert.deepEqual(withoutOrders(PLAY, 0, [39, 40, 41]), [41]);
  const many = { submoves: [Array(100).fill(["goes", 1, []])] };
  assert.deepEqual(withoutOrders(many, 0, [1, 2]), []);
  // A late answer is another fault.
  assert.deepEqual(withoutOrders(PLAY, 1, [9]), []);
});

test("a text is about what is pointed at if they share a unit or a cell", () => {
  const subject = { units: [39], cells: [{ row: 2, col: 5 }] };
  const cell = (row, col) => ({ units: [], cells: [{ row, col }] });
  assert.ok(concerns(subject, { units: [4, 39], cells: [] }));
  assert.ok(concerns(subject, cell(2, 5)));
  assert.ok(!concerns(subject, cell(5, 2)));
  assert.ok(!concerns(subject, { units: [5], cells: [] }));
});

test("the line that says what crashed is found in what the languages write", () => {
  const python = [
    "ready",
    "Traceback (most recent call last):",
    '  File "bot.py", line 3, in <module>',
    "    x[3]",
    "KeyError: 3",
    "",
  ];
  assert.equal(crashLine(python.join("\n")), "KeyError: 3");
  const java = ['Exception in thread "main" java.lang.Error: no', "\tat Bot.main(Bot.java:3)"];
  assert.equal(crashLine(java.join("\n")), java[0]);
  const rust = ["thread 'main' panicked at src/main.rs:3:5:", "index out of bounds", "note: run with"];
  assert.equal(crashLine(rust.join("\n")), `${rust[0]} ${rust[1]}`);
  assert.equal(crashLine("terminate called\n  what():  vector\n\n"), "  what():  vector");
  assert.equal(crashLine("\n"), "");
});

test("a bot has crashed if its connection broke and its process failed", () => {
  assert.ok(hasCrashed("disconnect", "exited with code 1"));
  assert.ok(hasCrashed("crash", "killed by SIGSEGV"));
  assert.ok(!hasCrashed("normal", "exited with code 1"));
  assert.ok(!hasCrashed("disconnect", "exited with code 0"));
  assert.ok(!hasCrashed(undefined, undefined));
});
