/**
 * A person's orders: choosing, sending a part, marching on, and the line that is sent.
 */

import assert from "node:assert/strict";
import { test } from "node:test";

import { GroupOrders, UnitOrders } from "../../../server/lanista/page/browser/orders_by_hand.js";

const SCENE = {
  rows: 3,
  cols: 4,
  ground: ["....", ".##.", "...#"],
  levels: [{ title: "", col: 0, cols: 4, wraps: false }],
};
const COUNTED = { word: "", counts: true, steps: [[0, 1], [-1, 0], [0, -1], [1, 0]], lifts: null };

/** Orders in a position with these units of seat 0, and one of seat 1. */
function at(units, orders = new GroupOrders(SCENE, COUNTED, 0)) {
  const marks = units.map(([row, col, text]) => ({ row, col, seat: 0, text: String(text) }));
  orders.begin({ marks: [...marks, { row: 2, col: 2, seat: 1, text: "9" }] });
  return orders;
}

const cell = (row, col) => ({ row, col });

test("a part goes one way and the rest another; a cell without units of one's own isn't chosen", () => {
  const orders = at([[0, 0, 5]]);
  orders.click(cell(2, 2));
  assert.equal(orders.selected, null);
  orders.click(cell(0, 0));
  orders.click(cell(0, 1), 2);
  assert.equal(orders.chosen(), "3 units");
  orders.click(cell(1, 0), 7); // more than there are: all
  assert.equal(orders.selected, null);
  assert.equal(orders.line(), "0 0 2 0 0 0 3 3");
});

test("units march around walls turn by turn, as many as are left, and stop where they were sent", () => {
  const orders = at([[2, 0, 4]]);
  orders.click(cell(2, 0));
  orders.click(cell(1, 3));
  assert.equal(orders.line(), "2 0 4 1");
  at([[1, 0, 3]], orders); // one fell
  assert.equal(orders.line(), "1 0 3 1");
  at([[0, 0, 12]], orders); // recruits go with them
  assert.equal(orders.line(), "0 0 12 0");
  for (const col of [1, 2]) {
    at([[0, col, 12]], orders);
    assert.equal(orders.line(), `0 ${col} 12 0`);
  }
  at([[0, 3, 12]], orders);
  assert.equal(orders.line(), "0 3 12 3");
  assert.equal(at([[1, 3, 12]], orders).line(), "");
  assert.deepEqual(orders.marches, []);
});

test("an order ends with its units; walls, and cells with no way to them, are no targets", () => {
  const orders = at([[0, 0, 1]]);
  orders.click(cell(0, 0));
  orders.click(cell(1, 1));
  assert.equal(orders.selected, null);
  orders.click(cell(0, 0));
  orders.click(cell(0, 2));
  assert.equal(at([[2, 0, 1]], orders).line(), "");
});

test("orders are taken back one by one, by choosing their units again, or all at once", () => {
  const orders = at([
    [0, 0, 1],
    [2, 0, 1],
  ]);
  for (const row of [0, 2]) {
    orders.click(cell(row, 0));
    orders.click(cell(1, 0));
  }
  orders.click(cell(0, 0)); // has its order: it is chosen again, without it
  assert.equal(orders.line(), "2 0 1 1");
  orders.clear();
  assert.equal(orders.selected, null);
  assert.equal(orders.line(), "2 0 1 1");
  orders.remove(orders.marches[0]);
  assert.equal(orders.line(), "");
});

const KING = [1, -1].map((down) => [down, 0]);
const LEVELS = {
  rows: 2,
  cols: 9,
  ground: ["..=.#..=.", "#####...."],
  levels: [
    { title: "below", col: 0, cols: 4, wraps: true },
    { title: "above", col: 5, cols: 4, wraps: true },
  ],
};
const NUMBERED = { word: "m", counts: false, steps: [...KING, null, [0, 1], [0, -1]], lifts: [8, 9] };

test("a unit goes by number, over the edge of its level and by a lift; others spread or stand", () => {
  const orders = new UnitOrders(LEVELS, NUMBERED, 1);
  const position = (...cells) => ({
    marks: cells.map(([row, col], unit) => ({ row, col, unit, seat: 1 })),
    own: new Int8Array(18).fill(1, 0, 3), // the cell (0, 3) isn't ours
  });
  orders.begin(position([0, 0], [0, 1]));
  orders.spreads = false;
  orders.click(cell(0, 1));
  orders.click(cell(1, 5));
  // Right to the lift, up, down, and over the edge to column 5.
  assert.deepEqual(orders.marches[0].path, [1, 2, 7, 16, 17, 14]);
  assert.equal(orders.line(), "m 1 3");
  orders.begin(position([0, 0], [0, 2]));
  assert.equal(orders.line(), "m 1 8");
  assert.equal(orders.describe(orders.marches[0], "round"), "unit 1: below (0, 2) → above (1, 0) in 4 rounds");
  orders.spreads = true;
  assert.equal(orders.line(), "m 0 4 m 1 8"); // over the edge, to the nearest cell of others
  orders.begin(position([0, 0])); // unit 1 is gone, and with it its order
  assert.deepEqual(orders.marches, []);
});
