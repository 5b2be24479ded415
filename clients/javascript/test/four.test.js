/** The states of the games for four: facts in, attributes out (PROTOCOL.md 5). */

import assert from "node:assert/strict";
import { test } from "node:test";

import * as crematoria from "../src/crematoria.js";
import * as hogwarts from "../src/hogwarts.js";
import { CellMap, CellSet, CrematoriaState, HogwartsState } from "../src/index.js";
import {
  CREMATORIA_START,
  CREMATORIA_TURN,
  HOGWARTS_START,
  HOGWARTS_TURN,
  nextOf,
  START,
  TURN_0,
  WELCOME,
  wired,
} from "./scripted.js";

/**
 * The state at the first `go` of what the arena says.
 * @param {string[]} said
 */
function stateOf(...said) {
  return nextOf(wired(WELCOME + said.join("")).arena);
}

/** @type {HogwartsState} */
const school = await stateOf(HOGWARTS_START, HOGWARTS_TURN);
/** @type {CrematoriaState} */
const planet = await stateOf(CREMATORIA_START, CREMATORIA_TURN);

const GAMES = /** @type {const} */ ([
  [HOGWARTS_START, HOGWARTS_TURN],
  [CREMATORIA_START, CREMATORIA_TURN],
]);

// -- both -----------------------------------------------------------------------------------------

for (const [start, turn] of GAMES) {
  test("order between start, turn and go means nothing: units by id, books by place", async () => {
    /** @param {any} state */
    const seen = ({ facts: _facts, startFacts: _start, units, ...own }) => [own, [...units]];
    const [first, ...rest] = start.split(/(?<=\n)/);
    const [head, ...facts] = turn.split(/(?<=\n)/);
    const go = facts.pop();
    const crossed = [first, ...rest.reverse(), head, ...facts.reverse(), go];
    assert.deepEqual(seen(await stateOf(crossed.join(""))), seen(await stateOf(start, turn)));
  });

  for (const keyword of ["own", "unit", "score", "status"]) {
    test(`a turn without ${keyword} is an arena error`, async () => {
      const lines = turn.split(/(?<=\n)/).filter((line) => !line.startsWith(`${keyword} `));
      await assert.rejects(stateOf(start, ...lines), { code: "unreadable" });
    });
  }
}

for (const [start, turn] of [...GAMES, [START, TURN_0]]) {
  for (const size of ["100000 8", "0 0", "$1 9"]) {
    test(`a board that isn't of its size, ${size}, is an arena error`, async () => {
      const lying = start.replace(/size (\d+) .*/, `size ${size}`);
      await assert.rejects(stateOf(lying, turn), { code: "unreadable" });
    });
  }
}

for (const row of ["own 6", "own 4"]) {
  test(`a row outside the board or told twice, ${row}, is an arena error`, async () => {
    const turn = HOGWARTS_TURN.replace("own 5", row);
    await assert.rejects(stateOf(HOGWARTS_START, turn), { code: "unreadable" });
  });
}

test("the next turn replaces what the last one said, also what was looked up by cell", async () => {
  const turn = HOGWARTS_TURN.replace("turn 7", "turn 8")
    .replace("book 0 3\n", "")
    .replace("unit 5 w 1 0 1", "unit 5 w 1 0 2")
    .replace("11......", "111.....");
  const { arena } = wired(WELCOME + HOGWARTS_START + HOGWARTS_TURN + turn);
  const state = await nextOf(arena);
  assert.deepEqual([state.unitAt(0, 1)?.id, state.book(0, 3), state.owner(0, 2)], [5, true, -1]);
  arena.send();
  assert.equal(await nextOf(arena), state);
  assert.deepEqual([state.round, state.unitAt(0, 1), state.unitAt(0, 2)?.id], [8, undefined, 5]);
  assert.deepEqual([state.book(0, 3), state.owner(0, 2), state.books], [false, 1, [[5, 0]]]);
});

// -- hogwarts -------------------------------------------------------------------------------------

test("the facts of hogwarts", () => {
  assert.ok(school instanceof HogwartsState);
  assert.deepEqual(
    [school.rows, school.cols, school.numRounds, school.round, school.me],
    [6, 8, 200, 7, 1],
  );
  assert.deepEqual(school.books, [
    [0, 3],
    [5, 0],
  ]);
  assert.deepEqual(school.voldemort, [3, 7]);
  assert.deepEqual(
    school.spellIngredients,
    Array.from({ length: 15 }, (_, n) => n + 1),
  );
  assert.deepEqual(school.strength, [1000, 1000, 1050, 0]);
  assert.deepEqual(school.score, [101, 3, -1, 2]);
  assert.deepEqual(school.status, [0, 0.25, -1, 0.0125]);
});

test("units of hogwarts: two numbers mean one thing for wizards, another for ghosts", () => {
  assert.deepEqual([...school.units.keys()], [0, 1, 2, 3, 4, 5, 6]);
  assert.deepEqual(
    school.wizards(1).map((wizard) => wizard.id),
    [5, 6],
  );
  assert.deepEqual(school.wizards(2), []);
  const ghost = school.ghost(1);
  assert.deepEqual(
    [ghost.ghost, ghost.converting, ghost.roundsPending, ghost.nextPlayer],
    [true, false, 53, 5],
  );
  const wizard = school.units.get(6);
  assert.ok(wizard);
  assert.deepEqual(
    [wizard.ghost, wizard.converting, wizard.roundsPending, wizard.nextPlayer],
    [false, true, 3, 2],
  );
  assert.deepEqual([wizard.pos, wizard.i, wizard.j, wizard.player], [[2, 1], 2, 1, 1]);
  assert.equal(school.unitAt(2, 1), wizard);
  assert.equal(school.unitAt(2, 2), undefined);
  for (const clan of [9, 6]) assert.throws(() => school.ghost(clan), RangeError); // 6: a wizard's id
});

test("magic strength is rounded down for each unit; the ghost counts (rules/hogwarts.md 2)", () => {
  // Clan 1: 1000 for three; clan 2: a ghost alone.
  assert.deepEqual(
    [0, 1, 2, 3].map((clan) => school.magicStrength(clan)),
    [1000, 333, 1050, 0],
  );
});

test("cells of hogwarts", () => {
  assert.deepEqual(
    [school.owner(0, 0), school.owner(0, 2), school.owner(1, 1), school.owner(3, 0)],
    [1, -1, -1, 2],
  );
  assert.deepEqual([school.owner(5, 5), school.owner(6, 0)], [3, -1]);
  assert.equal(school.own[0], "11......");
  assert.deepEqual(
    [school.passable(0, 0), school.passable(1, 1), school.passable(-1, 0), school.passable(0, 8)],
    [true, false, false, false],
  );
  assert.deepEqual(
    [school.posOk(5, 7), school.posOk(1, 1), school.posOk(6, 0), school.posOk(0, -1)],
    [true, true, false, false],
  );
  assert.deepEqual([school.book(0, 3), school.book(0, 2)], [true, false]);
});

test("where Voldemort kills: now in his 3x3, after his step in that of a cell beside him", () => {
  const [vi, vj] = school.voldemort;
  const after = [
    [1, 0],
    [0, 1],
    [-1, 0],
    [0, -1],
  ].map(([di = 0, dj = 0]) => [vi + di, vj + dj]);
  for (let i = 0; i < 6; i++) {
    for (let j = 0; j < 8; j++) {
      /** @param {number[]} cell */
      const near = ([a = 0, b = 0]) => Math.abs(i - a) <= 1 && Math.abs(j - b) <= 1;
      assert.equal(school.deadly(i, j), near([vi, vj]), `${i}, ${j}`);
      assert.equal(school.reachOfVoldemort(i, j), after.some(near), `${i}, ${j}`);
    }
  }
});

test("wizards go straight, ghosts in all directions, both around walls", () => {
  assert.deepEqual(school.neighbours(0, 0), [
    [hogwarts.DOWN, [1, 0]],
    [hogwarts.RIGHT, [0, 1]],
  ]);
  assert.deepEqual(school.neighbours(2, 0, { diagonal: true }), [
    [0, [3, 0]],
    [1, [3, 1]],
    [2, [2, 1]],
    [4, [1, 0]],
  ]);
  assert.deepEqual(school.neighbours(-1, 0), [[hogwarts.DOWN, [0, 0]]]);
  assert.deepEqual(school.neighbours(1, -1), [[hogwarts.RIGHT, [1, 0]]]);
  assert.deepEqual(school.neighbours(0, 7), [
    [hogwarts.DOWN, [1, 7]],
    [hogwarts.LEFT, [0, 6]],
  ]);
  assert.deepEqual(hogwarts.DIRECTIONS[hogwarts.DR], [1, 1]);
  assert.deepEqual(hogwarts.DIRECTIONS[hogwarts.LD], [1, -1]);
  const { DOWN, DR, RIGHT, RU, UP, UL, LEFT, LD } = hogwarts;
  assert.deepEqual([DOWN, DR, RIGHT, RU, UP, UL, LEFT, LD], [0, 1, 2, 3, 4, 5, 6, 7]);
  assert.deepEqual(hogwarts.STRAIGHT, [0, 2, 4, 6]);
});

test("distances in hogwarts: around walls, never through `blocked`, up to `within`", () => {
  const steps = school.distances([[0, 1]]);
  assert.deepEqual(
    [steps.get([0, 1]), steps.get([0, 0]), steps.get([2, 0]), steps.get([2, 1])],
    [0, 1, 3, 4],
  );
  assert.equal(steps.has([1, 1]), false);
  assert.equal(steps.size, 48 - 3);
  assert.equal(school.distances([[0, 1]], { diagonal: true }).get([2, 1]), 2);
  const blocked = new CellSet([/** @type {const} */ ([1, 0])]);
  for (const around of [blocked, [[1, 0]], new CellMap([[[1, 0], 5]])]) {
    const options = { blocked: /** @type {any} */ (around) };
    assert.equal(school.distances([[0, 1]], options).get([2, 2]), 5);
    assert.equal(school.distances([[1, 0]], options).size, 45); // a goal may be blocked itself
  }
  assert.deepEqual(
    [...school.distances([[0, 1]], { within: 1 })],
    [
      [[0, 1], 0],
      [[0, 2], 1],
      [[0, 0], 1],
    ],
  );
  assert.equal(school.distances([[0, 1]], { within: 0 }).size, 1);
  const outside = /** @type {const} */ ([1, -1]);
  assert.equal(school.distances([outside], { blocked: [outside] }).size, 0);
  const two = school.distances([
    [0, 0],
    [5, 7],
  ]);
  assert.deepEqual([two.get([0, 3]), two.get([5, 4])], [3, 3]);
  const order = [...two.values()];
  assert.deepEqual(
    order,
    order.toSorted((a, b) => a - b),
  );
});

// -- crematoria -----------------------------------------------------------------------------------

test("the facts of crematoria", () => {
  assert.ok(planet instanceof CrematoriaState);
  assert.deepEqual(
    [planet.rows, planet.cols, planet.nbRounds, planet.round, planet.me],
    [5, 8, 120, 1, 1],
  );
  assert.deepEqual(planet.elevators, [
    [2, 1],
    [2, 6],
  ]);
  assert.deepEqual(planet.gems, [
    [0, 5, 1],
    [4, 2, 1],
  ]);
  assert.equal(planet.sun, 6);
  assert.deepEqual(planet.nbCells, [0, 3, 1, 2]);
  assert.deepEqual(planet.nbGems, [0, 1, 0, 2]);
  assert.deepEqual(planet.points, [0, 33, 1, 62]);
  assert.deepEqual(planet.score, planet.points);
  assert.deepEqual(planet.status, [0, 0.25, -1, 0.0125]);
});

test("units of crematoria", () => {
  /** @param {{ id: number }[]} units */
  const ids = (units) => units.map((unit) => unit.id);
  assert.deepEqual([...planet.units.keys()], [0, 1, 2, 3, 4, 5, 6]);
  assert.deepEqual(ids(planet.pioneers(1)), [1]);
  assert.deepEqual(ids(planet.furyans(1)), [0]);
  assert.deepEqual(ids(planet.necromongers()), [4, 5]);
  assert.deepEqual(ids(planet.hellhounds()), [6]);
  const pioneer = planet.units.get(2);
  assert.ok(pioneer);
  assert.deepEqual(
    [pioneer.type, pioneer.player, pioneer.health, pioneer.turns],
    [crematoria.PIONEER, 3, 15, -1],
  );
  assert.deepEqual([pioneer.pos, pioneer.i, pioneer.j, pioneer.k], [[2, 7, 0], 2, 7, 0]);
  assert.equal(planet.unitAt([2, 7, 0]), pioneer);
  assert.equal(planet.unitAt([2, 7, 1]), undefined);
});

test("a descending necromonger isn't on its cell (rules/crematoria.md 2.3)", () => {
  assert.equal(planet.unitAt([3, 4, 1]), undefined);
  assert.equal(planet.unitAt([0, 3, 1]), planet.units.get(4));
});

test("cells of crematoria", () => {
  assert.deepEqual(
    [planet.owner(1, 0), planet.owner(1, 1), planet.owner(0, 0), planet.owner(2, 1)],
    [1, -1, -1, -1],
  );
  assert.deepEqual([planet.owner(2, 7), planet.owner(3, 5)], [3, 2]);
  assert.equal(planet.own[2], "1ECRRCE3");
  assert.deepEqual(
    [planet.cave(1, 0), planet.cave(2, 1), planet.cave(0, 0), planet.cave(1, 8)],
    [true, false, false, false],
  );
  assert.deepEqual([planet.elevator(2, 6), planet.elevator(6, 2)], [true, false]);
  assert.deepEqual(
    [planet.passable(2, 1, 0), planet.passable(0, 0, 0), planet.passable(0, 0, 1)],
    [true, false, true],
  );
  assert.deepEqual([planet.passable(5, 0, 1), planet.passable(2, 2, 2)], [false, false]);
});

test("night and day with 8 columns; underground it is never day (rules/crematoria.md 2.5)", () => {
  const columns = [0, 1, 2, 3, 4, 5, 6, 7];
  assert.deepEqual(
    columns.filter((j) => planet.daylight([0, j, 1])),
    [0, 1, 6, 7],
  );
  assert.ok(!columns.some((j) => planet.daylight([1, j, 0])));
  assert.deepEqual(
    columns.map((j) => planet.roundsOfNight([0, j, 1])),
    [0, 0, 0, 0, 1, 1, 0, 0],
  );
});

test("distance goes around the edge: columns are circular, rows aren't", () => {
  /** @type {crematoria.Pos[]} */
  const to = [
    [1, 7, 0],
    [1, 4, 0],
    [5, 0, 0],
    [1, 0, 0],
  ];
  assert.deepEqual(
    to.map((pos) => planet.distance([1, 0, 0], pos)),
    [1, 4, 4, 0],
  );
});

test("ways in crematoria: around the edge, not past the top; up and down on elevators", () => {
  assert.deepEqual(planet.neighbours([1, 0, 0]), [
    [0, [2, 0, 0]],
    [1, [2, 1, 0]],
    [2, [1, 1, 0]],
    [6, [1, 7, 0]],
    [7, [2, 7, 0]],
  ]);
  assert.deepEqual(planet.neighbours([2, 1, 0]).at(-1), [crematoria.UP, [2, 1, 1]]);
  assert.deepEqual(planet.neighbours([2, 1, 1]).at(-1), [crematoria.DOWN, [2, 1, 0]]);
  assert.deepEqual(
    planet.neighbours([0, 0, 1]).map(([d]) => d),
    [0, 1, 2, 6, 7],
  );
  assert.deepEqual(crematoria.DIRECTIONS[crematoria.RT], [-1, 1, 0]);
  const { BOTTOM, BR, RIGHT, RT, TOP, TL, LEFT, LB, UP, DOWN, NONE } = crematoria;
  assert.deepEqual(
    [BOTTOM, BR, RIGHT, RT, TOP, TL, LEFT, LB, UP, DOWN, NONE],
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
  );
});

test("distances in crematoria, also by elevators, unless the level is left out", () => {
  const steps = planet.distances([[1, 2, 0]]);
  assert.deepEqual([steps.get([2, 1, 0]), steps.get([2, 1, 1]), steps.get([3, 1, 0])], [1, 2, 2]);
  assert.equal(steps.get([2, 4, 1]), 2 + 3);
  const under = planet.distances([[1, 2, 0]], { levels: [0] });
  assert.ok([...under.keys()].every(([, , k]) => k === 0));
  const blocked = new CellSet(
    /** @type {crematoria.Pos[]} */ ([
      [3, 4, 0],
      [3, 5, 0],
    ]),
  );
  assert.equal(planet.distances([[1, 2, 0]], { levels: [0], blocked }).size, 19 - 2);
  assert.deepEqual([...planet.distances([[1, 2, 0]], { within: 1 }).keys()].map(String).sort(), [
    "1,1,0",
    "1,2,0",
    "2,1,0",
    "2,2,0",
  ]);
});
