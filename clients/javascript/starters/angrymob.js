// A first bot for Angry Mob: units fetch the nearest neutral ones, then storm the enemy base.

import { connect } from "lanista-client";

const arena = await connect({ name: process.env.LANISTA_NAME || "Starter", game: "angrymob" });
for await (const state of arena) {
  const recruiting = state.totals[state.seat] <= 8;
  const steps = state.distances([state.enemyBase, ...(recruiting ? state.neutral.keys() : [])]);
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
