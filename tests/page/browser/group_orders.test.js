/**
 * A person's orders in Angry Mob: choosing, sending a part, marching on, and the line that is sent.
 */

import assert from "node:assert/strict";
import { test } from "node:test";

import { GroupOrders } from "../../../server/lanista/page/browser/group_orders.js";

const SCENE = { rows: 3, cols: 4, ground: ["....", ".##.", "...#"] };

/** Orders in a position with these units of seat 0, and one of seat 1. */
function at(units, orders = new GroupOrders(SCENE, 0)) {
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
  assert.equal(orders.free(0), 3);
  orders.click(cell(1, 0), 7); // more than there are: all
  assert.equal(orders.selected, null);
  assert.equal(orders.line(), "0 0 2 0 0 0 3 3");
});

test("units march around walls turn by turn, as many as are left, and stop where they were sent", () => {
  const orders = at([[2, 0, 4]]);
  orders.click(cell(2, 0));
  orders.click(cell(1, 3));
  assert.equal(orders.line(), "2 0 4 1");
  orders.sent();
  at([[1, 0, 3]], orders); // one fell
  assert.equal(orders.line(), "1 0 3 1");
  orders.sent();
  at([[0, 0, 12]], orders); // recruits go with them
  assert.equal(orders.line(), "0 0 12 0");
  for (const col of [1, 2]) {
    orders.sent();
    at([[0, col, 12]], orders);
    assert.equal(orders.line(), `0 ${col} 12 0`);
  }
  orders.sent();
  at([[0, 3, 12]], orders);
  assert.equal(orders.line(), "0 3 12 3");
  orders.sent();
  assert.equal(at([[1, 3, 12]], orders).line(), "");
});

test("an order ends with its units; walls, and cells with no way to them, are no targets", () => {
  const orders = at([[0, 0, 1]]);
  orders.click(cell(0, 0));
  orders.click(cell(1, 1));
  assert.equal(orders.selected, null);
  orders.click(cell(0, 0));
  orders.click(cell(0, 2));
  orders.sent();
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
