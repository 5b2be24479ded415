/** The starters, and what the README shows, as a reader would run them. */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import {
  CREMATORIA_START,
  CREMATORIA_TURN,
  FORFEIT,
  HOGWARTS_START,
  HOGWARTS_TURN,
  serve,
  START,
  TURN_0,
  TURN_1,
  WELCOME,
} from "./scripted.js";

const PACKAGE = fileURLToPath(new URL("..", import.meta.url));
const PRINTED = "Result { end: 'forfeit', ranks: [ 1, 2 ], scores: [ 2, 2 ] }\n";

/**
 * Run a bot to its end.
 * @param {string} script
 * @param {number} port
 * @param {string} [name]
 */
async function run(script, port, name) {
  const env = { LANISTA_PORT: String(port), ...(name && { LANISTA_NAME: name }) };
  const child = spawn(process.execPath, [script], { env, stdio: ["ignore", "pipe", "pipe"] });
  const ended = new Promise((resolve) => child.on("close", resolve));
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { out, err, code: await ended };
}

/**
 * @param {string} game
 * @param {import("./scripted.js").Step[]} script
 */
async function plays(game, ...script) {
  const { port, done } = await serve(...script, { says: `${FORFEIT}bye\n` });
  const ended = await run(join(PACKAGE, "starters", `${game}.js`), port);
  assert.deepEqual(ended, { out: PRINTED, err: "", code: 0 });
  assert.equal(await done, "");
}

test("the angrymob starter fetches the nearest neutral unit, then the next", () =>
  plays(
    "angrymob",
    { hears: "Starter v=1 game=angrymob\n" },
    { says: WELCOME + START + TURN_0 },
    { hears: "#@ value cells 1\n2 1 1 1\n" },
    { says: TURN_1 },
    { hears: "#@ value cells 1\n1 1 2 0\n" },
  ));

test("the hogwarts starter goes to the book; its other wizard to a free cell", () =>
  plays(
    "hogwarts",
    { hears: "Starter v=1 game=hogwarts\n" },
    { says: WELCOME + HOGWARTS_START + HOGWARTS_TURN },
    { hears: "#@ cell 0 3 5 0 yellow\nm 5 2 m 6 0\n" },
  ));

test("the hogwarts starter casts a spell once the ghost has rested", () =>
  plays(
    "hogwarts",
    { hears: "Starter v=1 game=hogwarts\n" },
    {
      says:
        WELCOME +
        HOGWARTS_START +
        HOGWARTS_TURN.replace("unit 1 g 1 0 0 53 5", "unit 1 g 1 0 0 0 5").replace(
          /spell .*/,
          `spell${" 2".repeat(15)}`,
        ),
    },
    { hears: "#@ cell 0 3 5 0 yellow\ns 1 0 0 0 1 1 1 2 2 2 3 3 3 4 4 4 m 5 2 m 6 0\n" },
  ));

test("the crematoria starter strikes beyond the edge; its pioneer avoids the hound", () =>
  plays(
    "crematoria",
    { hears: "Starter v=1 game=crematoria\n" },
    { says: WELCOME + CREMATORIA_START + CREMATORIA_TURN },
    { hears: "#@ cell 0 5 4 2 1 yellow\n0 7 1 6\n" },
  ));

test("a starter takes the name it is given, and an uncaught error says why", async () => {
  const { port, done } = await serve(
    { hears: "Ann v=1 game=angrymob\n" },
    { says: "error bad-token no\n" },
  );
  const { err, code } = await run(join(PACKAGE, "starters", "angrymob.js"), port, "Ann");
  assert.equal(await done, "");
  assert.match(err, /^bad-token: no\n$/);
  assert.equal(code, 1);
});

test("the solver of the hogwarts starter: five groups, equal sums, in any order", async () => {
  const source = await readFile(join(PACKAGE, "starters", "hogwarts.js"), "utf8");
  const [, solver] = /(function solve[\s\S]*?\n})\n/.exec(source) ?? [];
  const { solve } = await import(`data:text/javascript,${encodeURIComponent(`export ${solver}`)}`);
  const ingredients = [1, 9, 2, 4, 4, 4, 5, 5, 2, 3, 3, 6, 1, 5, 6];
  for (let turn = 0; turn < ingredients.length; turn++) {
    /** @type {number[]} */
    const groups = solve(ingredients);
    for (const group of [0, 1, 2, 3, 4]) {
      const members = ingredients.filter((_, at) => groups[at] === group);
      assert.equal(members.length, 3);
      assert.equal(
        members.reduce((a, b) => a + b),
        12,
      );
    }
    ingredients.push(.../** @type {number[]} */ ([ingredients.shift()]));
  }
});

test("the first example of the README plays, beside a copy of the package", async (t) => {
  const readme = await readFile(join(PACKAGE, "README.md"), "utf8");
  const [, example = ""] = /```js\n([\s\S]*?)```/.exec(readme) ?? [];
  const folder = await mkdtemp(join(tmpdir(), "lanista-"));
  t.after(() => rm(folder, { recursive: true }));
  for (const part of ["package.json", "src"]) {
    const copy = join(folder, "node_modules", "lanista-client", part);
    await cp(join(PACKAGE, part), copy, { recursive: true });
  }
  await writeFile(join(folder, "bot.mjs"), example);
  const { port, done } = await serve(
    { hears: "MyBot v=1 game=angrymob\n" },
    { says: WELCOME + START + TURN_0 },
    { hears: "2 1 1 0\n" },
    { says: `${FORFEIT}bye\n` },
  );
  assert.deepEqual(await run(join(folder, "bot.mjs"), port), { out: PRINTED, err: "", code: 0 });
  assert.equal(await done, "");
});
