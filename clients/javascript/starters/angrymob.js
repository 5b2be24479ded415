// A first bot for Angry Mob: units fetch the nearest neutral ones, then storm the enemy base.

import { CellMap, connect } from "lanista-client";

/** @typedef {import("lanista-client").AngryMobState} State */
/** @typedef {import("lanista-client").Cell} Cell */

/**
 * Tell for each cell how many steps it is from the nearest goal.
 * @param {State} state
 * @param {Cell[]} goals
 */
function distances(state, goals) {
  const steps = new CellMap(goals.map((goal) => [goal, 0]));
  const queue = goals.map((cell) => ({ cell, step: 0 }));
  for (const { cell, step } of queue) {
    for (const [, other] of state.neighbours(...cell)) {
      if (!steps.has(other)) {
        steps.set(other, step + 1);
        queue.push({ cell: other, step: step + 1 });
      }
    }
  }
  return steps;
}

const arena = await connect({ name: process.env.LANISTA_NAME || "Starter", game: "angrymob" });
for await (const state of arena) {
  const recruiting = state.totals[state.seat] <= 8;
  const steps = distances(state, [state.enemyBase, ...(recruiting ? state.neutral.keys() : [])]);
  const moves = [];
  for (const [[i, j], units] of state.mine) {
    const ways = state.neighbours(i, j).map(([d, cell]) => ({ d, left: steps.get(cell) ?? 9999 }));
    ways.sort((a, b) => a.left - b.left || a.d - b.d);
    moves.push([i, j, units, ways[0].d]);
  }
  arena.draw.value("cells", state.mine.size); // a curve on the page, under the board
  arena.send(moves);
}
console.log(arena.result);
