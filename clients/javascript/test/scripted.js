/**
 * An arena that follows a script: over a real connection, or over none, giving bytes in pieces of
 * our choice, so that no timing decides what is read at once. The boards are made by hand, smaller
 * than any in play: what a state does with them is seen at a glance.
 */

import { on, once } from "node:events";
import { createServer } from "node:net";
import { Duplex } from "node:stream";

import { Arena } from "../src/arena.js";

for (const name of ["HOST", "PORT", "NAME", "TOKEN", "TLS", "TLS_CA", "QUIET"]) {
  delete process.env[`LANISTA_${name}`];
}

/** The map of PROTOCOL.md 6, as both seats are told it in version 1 (PROTOCOL.md 5). */
export const START = `\
start 01JDEXAMPLE
game angrymob
seat 0
player 0 Ann Lee
player 1 Böb
clock 20 0.2
seed 52011
set move_limit 2400
size 6 7
base 0 2 1
base 1 3 5
row 0 . 1 . . # # 2
row 1 # 1 1 . 3 . 1
row 2 . A . # # . .
row 3 . . # # . B .
row 4 1 . 3 . 1 1 #
row 5 2 # # . . 1 .
`;
export const TURN_0 = `\
turn 0
unit 2 1 0 1
unit 3 5 1 1
total 0 1
total 1 1
go
`;
export const TURN_1 = `\
turn 1
moved 0 2 1 1 1
moved 1 3 5 1 3
unit 1 1 0 2
unit 4 5 1 2
neutral 1 1 0
neutral 4 5 0
total 0 2
total 1 2
go
`;
const FOUR = `\
start 01JDFOUR
seat 1
player 0 Ann Lee
player 1 Bob
player 2 C
player 3 D
clock 20 0.2
seed 52011
`;
export const HOGWARTS_START = `\
${FOUR}game hogwarts
set NUM_PLAYERS 4
set NUM_ROUNDS 200
set POINTS_FOR_CONVERTING_WIZARD 100
set original 0
size 6 8
row 0 ........
row 1 .WW.....
row 2 ........
row 3 ........
row 4 ....W...
row 5 ........
`;
export const HOGWARTS_TURN = `\
turn 7
own 0 11......
own 1 .WW.....
own 2 .1....3.
own 3 2...0...
own 4 ....W...
own 5 .....3..
unit 0 g 0 3 4 53 -1
unit 1 g 1 0 0 53 5
unit 2 g 2 3 0 0 -1
unit 3 g 3 2 6 53 -1
unit 4 w 3 5 5 0 -1
unit 5 w 1 0 1 0 -1
unit 6 w 1 2 1 3 2
book 0 3
book 5 0
voldemort 3 7
spell 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15
strength 1000 1000 1050 0
score 101 3 -1 2
status 0 0.25 -1 0.0125
go
`;
export const CREMATORIA_START = `\
${FOUR}game crematoria
set nb_players 4
set nb_rounds 120
set gem_value 30
size 5 8
elevator 2 6
elevator 2 1
row 0 RRRRRRRR
row 1 CCCRRCCC
row 2 CECRRCEC
row 3 CCCRCCCC
row 4 RRRRRRRR
`;
/** Round 1: the night is columns 2 to 5 of 8, the sun from column 6 on. */
export const CREMATORIA_TURN = `\
turn 1
own 0 RRRRRRRR
own 1 1CCRRCC3
own 2 1ECRRCE3
own 3 C1CRC2CC
own 4 RRRRRRRR
gem 4 2
gem 0 5
unit 0 f 1 100 -1 1 0 0
unit 1 p 1 50 -1 3 1 0
unit 2 p 3 15 -1 2 7 0
unit 3 p 2 50 -1 2 4 1
unit 4 n -1 75 0 0 3 1
unit 5 n -1 75 2 3 4 1
unit 6 h -1 -1 -1 3 4 0
sun 6
cells 0 3 1 2
gems 0 1 0 2
score 0 33 1 62
status 0 0.25 -1 0.0125
go
`;
export const FORFEIT = "end forfeit\nrank 0 1\nrank 1 2\nscore 0 2\nscore 1 2\n";
export const WELCOME = "welcome 1 lanista 0.1.0\nwait 1 2\n";

/** Stands for a connected socket: gives the pieces, each by itself, and keeps what is sent. */
export class Wire extends Duplex {
  /** What the client has written. */
  sent = "";
  /** In how many writes. */
  writes = 0;
  /** @type {(string | Buffer | Error)[]} */
  #pieces;

  /** @param {(string | Buffer | Error)[]} pieces an error breaks the connection */
  constructor(pieces) {
    super({ allowHalfOpen: true });
    this.#pieces = pieces;
  }

  /** @override */
  _read() {
    setImmediate(() => {
      if (this.destroyed) return;
      const piece = this.#pieces.shift();
      if (piece instanceof Error) this.destroy(piece);
      else this.push(piece === undefined ? null : Buffer.from(piece));
    });
  }

  /**
   * @override
   * @param {Buffer} bytes
   * @param {BufferEncoding} _encoding
   * @param {() => void} done
   */
  _write(bytes, _encoding, done) {
    this.sent += bytes.toString();
    this.writes++;
    done();
  }
}

/**
 * An `Arena` that reads these pieces, and the `Wire` behind it.
 * @param {boolean} keep
 * @param {(string | Buffer | Error)[]} pieces
 */
export function kept(keep, ...pieces) {
  const wire = new Wire(pieces);
  return { arena: new Arena(wire, keep), wire };
}

/** @param {(string | Buffer | Error)[]} pieces */
export function wired(...pieces) {
  return kept(false, ...pieces);
}

/**
 * The next state; the test fails if there is none.
 * @param {Arena} arena
 */
export async function nextOf(arena) {
  const { value, done } = await arena.next();
  if (done) throw new Error("the iteration is over");
  return value;
}

/**
 * A step of a script: the arena sends these bytes, or waits for exactly those; where a function is
 * given it looks at one line. Or it closes the connection, and the next step is for another one.
 * @typedef {{ says: string | Buffer } | { closes: true } |
 *   { hears: string | Buffer | ((line: string) => void) }} Step
 */

/**
 * Serve one connection on a loopback port by a script, then close it; after a `closes` in the
 * script another one.
 *
 * @param {Step[]} script
 * @returns {Promise<{ port: number, done: Promise<string> }>} `done` rejects at a deviation, and
 *   gives what came after the script
 */
export async function serve(...script) {
  const server = createServer().unref(); // a bot that never comes fails its test; none hangs
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  return { port, done: followAll(server, script) };
}

/**
 * @param {import("node:net").Server} server
 * @param {Step[]} script
 */
async function followAll(server, script) {
  let rest = "";
  /** @type {Step[][]} */
  const connections = [[]];
  for (const [at, step] of script.entries()) {
    if (!("closes" in step)) connections.at(-1)?.push(step);
    else if (at < script.length - 1) connections.push([]);
  }
  /** @type {AsyncIterator<[import("node:net").Socket]>} */
  const arriving = /** @type {any} */ (on(server, "connection"));
  for (const steps of connections) {
    const { value } = await arriving.next();
    rest += await follow(value[0], steps);
  }
  server.close();
  return rest;
}

/**
 * @param {import("node:net").Socket} socket
 * @param {Step[]} script
 */
async function follow(socket, script) {
  socket.setNoDelay(true);
  socket.on("error", () => {}); // a bot may reset the connection; what it sent is compared
  const incoming = socket[Symbol.asyncIterator]();
  let heard = Buffer.alloc(0);
  /** @param {() => number} needed */
  const take = async (needed) => {
    while (needed() < 0 || heard.length < needed()) {
      const { value, done } = await incoming.next();
      if (done) break;
      heard = Buffer.concat([heard, value]);
    }
    const end = needed() < 0 ? heard.length : Math.min(needed(), heard.length);
    const taken = heard.subarray(0, end);
    heard = heard.subarray(end);
    return taken;
  };
  try {
    for (const step of script) {
      if ("closes" in step) throw new Error("a connection has one end");
      else if ("says" in step) socket.write(step.says);
      else if (typeof step.hears === "function") {
        const line = await take(() => heard.indexOf("\n") + 1 || -1);
        step.hears(line.toString());
      } else {
        const expected = Buffer.from(step.hears);
        const actual = await take(() => expected.length);
        if (!actual.equals(expected)) throw new Error(`heard ${actual}, not ${expected}`);
      }
    }
    socket.end();
    return (await take(() => -1)).toString();
  } finally {
    socket.destroy();
  }
}
