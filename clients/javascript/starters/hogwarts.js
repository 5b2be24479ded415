// A first bot for Hogwarts: wizards fetch books, attack and take cells; the ghost casts spells.

import { connect } from "lanista-client";

/** @typedef {import("lanista-client").HogwartsState} State */
/** @typedef {import("lanista-client").Cell} Cell */

/**
 * Complete the groups (by ingredient): five of three each, with equal sums.
 * @param {readonly number[]} ingredients
 * @param {Map<number, number>} groups
 * @returns {number[] | null}
 */
function solve(ingredients, groups = new Map()) {
  const all = [...ingredients.keys()];
  const free = all.filter((k) => !groups.has(k));
  if (free.length === 0) return all.map((k) => groups.get(k) ?? 0);
  free.sort((a, b) => ingredients[b] - ingredients[a]); // the largest leaves the fewest choices
  const [first, ...others] = free;
  const sum = Math.floor(ingredients.reduce((a, b) => a + b) / 5);
  for (const [at, a] of others.entries()) {
    for (const b of others.slice(at + 1)) {
      if (ingredients[first] + ingredients[a] + ingredients[b] === sum) {
        const group = Math.floor(groups.size / 3);
        const more = [first, a, b].map((k) => /** @type {const} */ ([k, group]));
        const solution = solve(ingredients, new Map([...groups, ...more]));
        if (solution) return solution;
      }
    }
  }
  return null;
}

/**
 * Tell where it is worth going: books, enemies not much stronger, cells of others.
 * @param {State} state
 */
function goals(state) {
  const strength = state.magicStrength(state.me);
  const enemies = [...state.units.values()]
    .filter((unit) => unit.player !== state.me && !unit.ghost && !unit.converting)
    .filter((unit) => state.magicStrength(unit.player) <= 2 * strength)
    .map((unit) => unit.pos);
  /** @type {Cell[]} */
  const free = [];
  for (let i = 0; i < state.rows; i++) {
    for (let j = 0; j < state.cols; j++) {
      const taken = state.owner(i, j) === state.me || state.unitAt(i, j);
      if (state.passable(i, j) && !taken) free.push([i, j]);
    }
  }
  const cells = [...state.books, ...enemies, ...free];
  return cells.filter((cell) => !state.reachOfVoldemort(...cell));
}

const arena = await connect({ name: process.env.LANISTA_NAME || "Starter", game: "hogwarts" });
for await (const state of arena) {
  /** @type {(string | number)[][]} */
  const orders = [];
  const ghost = state.ghost(state.me);
  if (ghost.roundsPending === 0 && state.round < state.numRounds - 50) {
    const solution = solve(state.spellIngredients);
    if (solution) orders.push(["s", ghost.id, ...solution]);
  }
  const steps = state.distances(goals(state));
  for (const wizard of state.wizards(state.me)) {
    const ways = state
      .neighbours(...wizard.pos)
      .filter(([, cell]) => !state.reachOfVoldemort(...cell))
      .map(([d, cell]) => ({ d, left: steps.get(cell) ?? 9999 }))
      .sort((a, b) => a.left - b.left || a.d - b.d);
    if (ways.length > 0) orders.push(["m", wizard.id, ways[0].d]);
  }
  arena.draw.cells(state.books, "yellow"); // on the page's board: what is worth going to
  arena.send(orders);
}
console.log(arena.result);
