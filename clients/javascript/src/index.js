/**
 * The JavaScript client of Lanista: no dependency, Node 20 or later.
 *
 *     import { connect, RIGHT } from "lanista-client";
 *
 *     const arena = await connect({ name: "MyBot", game: "angrymob" });
 *     for await (const state of arena) {
 *       const moves = [];
 *       for (const [[i, j], units] of state.mine) {
 *         if (state.passable(i, j + 1)) moves.push([i, j, units, RIGHT]);
 *       }
 *       arena.send(moves);
 *     }
 *     console.log(arena.result);
 *
 * The directions here are those of angrymob; `lanista-client/hogwarts` and
 * `lanista-client/crematoria` have those of the other games. Nothing but names lives here.
 *
 * @module
 */

export { AngryMobState, DIRECTIONS, DOWN, LEFT, RIGHT, UP } from "./angrymob.js";
export { Arena, connect, GAMES, Note, Result } from "./arena.js";
export { CellMap, CellSet } from "./cells.js";
export { CrematoriaState, CrematoriaUnit } from "./crematoria.js";
export { Draw } from "./drawing.js";
export { ArenaError, MisuseError } from "./errors.js";
export { HogwartsState, HogwartsUnit } from "./hogwarts.js";
export { State } from "./state.js";

/** @typedef {import("./arena.js").Move} Move */
/** @typedef {import("./cells.js").Cell} Cell */
/** @typedef {import("./cells.js").Pos} Pos */
/** @typedef {import("./hello.js").Options} Options */
/** @typedef {import("./state.js").Facts} Facts */
