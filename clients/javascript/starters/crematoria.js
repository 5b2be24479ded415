// A first bot for Crematoria: pioneers conquer caves and fetch gems, furyans strike.

import { CellSet, connect } from "lanista-client";

/** @typedef {import("lanista-client").CrematoriaState} State */
/** @typedef {import("lanista-client").CrematoriaUnit} Unit */
/** @typedef {import("lanista-client").Pos} Pos */

/**
 * Tell whether nothing kills a unit that goes there: no hellhound near, no sun.
 * @param {State} state
 * @param {Pos} pos
 */
function safe(state, pos) {
  if (pos[2] === 1) return state.roundsOfNight(pos) > 0;
  const hounds = state.hellhounds().filter((hound) => hound.k === 0);
  return hounds.every((hound) => state.distance(pos, hound.pos) > 2);
}

/**
 * Give the direction of an enemy beside a furyan.
 * @param {State} state
 * @param {Unit} furyan
 */
function strike(state, furyan) {
  for (const [d, pos] of state.neighbours(furyan.pos)) {
    const other = state.unitAt(pos);
    if (other && other.player !== state.me && other.player !== -1) return d;
  }
  return null;
}

const arena = await connect({ name: process.env.LANISTA_NAME || "Starter", game: "crematoria" });
for await (const state of arena) {
  // A gem is a goal while the night over it lasts for the way there and back.
  const goals = state.gems.filter((gem) => state.roundsOfNight(gem) > 12);
  for (let i = 0; i < state.rows; i++) {
    for (let j = 0; j < state.cols; j++) {
      if (state.cave(i, j) && state.owner(i, j) !== state.me) goals.push([i, j, 0]);
    }
  }
  const pioneers = state.distances(goals);
  const enemies = [...state.units.values()]
    .filter((unit) => unit.player !== state.me && unit.player !== -1 && unit.k === 0)
    .map((unit) => unit.pos);
  const furyans = state.distances(enemies, { levels: [0] });
  const orders = [];
  /** @type {CellSet<Pos>} */
  const taken = new CellSet();
  for (const unit of [...state.furyans(state.me), ...state.pioneers(state.me)]) {
    const steps = unit.type === "p" ? pioneers : furyans;
    const ways = state
      .neighbours(unit.pos)
      .filter(([, pos]) => safe(state, pos) && !taken.has(pos) && !state.unitAt(pos))
      .map(([d, pos]) => ({ d, pos, left: steps.get(pos) ?? 9999 }))
      .sort((a, b) => a.left - b.left || a.d - b.d);
    let d = unit.type === "f" ? strike(state, unit) : null;
    if (d === null && ways.length > 0) {
      d = ways[0].d;
      taken.add(ways[0].pos);
    }
    if (d !== null) orders.push([unit.id, d]);
  }
  arena.draw.cells(state.gems, "yellow"); // on the page's board
  arena.send(orders);
}
console.log(arena.result);
