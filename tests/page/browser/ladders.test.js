/**
 * The texts of a ladder's views, the programs to copy, and when figures are
 * loaded again.
 */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { LANGUAGES, installOf, programOf, starterFile } from "../../../server/lanista/page/browser/connect.js";
import { formatChange } from "../../../server/lanista/page/browser/figures.js";
import { followFigures } from "../../../server/lanista/page/browser/following.js";
import {
  describeAwaited,
  describePresence,
  ladderAddress,
  ladderVersion,
} from "../../../server/lanista/page/browser/ladders.js";
import { settled } from "./fixtures.js";

for (const [change, text] of [
  [null, ""],
  [0.4, "0"],
  [-0.4, "0"],
  [12.3, "+12"],
  [-7, "−7"],
]) {
  test(`a change of ${change} is ${JSON.stringify(text)}`, () => {
    assert.equal(formatChange(change), text);
  });
}

test("addresses of a ladder, a bot and two bots have encoded names", () => {
  assert.equal(ladderAddress("pit"), "/ladder/pit");
  assert.equal(ladderAddress("pit", "A b/c"), "/ladder/pit/bot/A%20b%2Fc");
  assert.equal(ladderAddress("pit", "A", "<b>"), "/ladder/pit/bot/A/against/%3Cb%3E");
  assert.equal(ladderAddress("pit", ".", ".."), "/ladder/pit/bot/@./against/@..");
  assert.equal(ladderAddress("pit", "...", ".x"), "/ladder/pit/bot/.../against/.x");
});

const PLACE = {
  host: "arena.example.org",
  port: 7788,
  room: "pit-1",
  state: "HogwartsState",
  game: "",
  name: "My Bot",
  token: "s3cret",
};

test("who is there is told with the right verbs", () => {
  assert.equal(describePresence({ waiting: 0, playing: 0, resting: 0 }), "no bot is connected");
  assert.equal(describePresence({ waiting: 1, playing: 4, resting: 1 }), "1 waits, 4 play, 1 rests");
});

test("a ladder on which nobody plays says for which resting bots it waits", () => {
  const rests = {
    Ann: { until: "2026-05-01T12:30:00+00:00", why: "it failed" },
    Bob: { until: null, why: "the operator has benched it" },
  };
  const counts = { waiting: 1, playing: 0, resting: 1 };
  assert.match(describeAwaited(counts, rests), /^The next match waits for Ann, which rests until [^;]+\.$/);
  for (const other of [{ playing: 2 }, { waiting: 0 }, { resting: 0 }]) {
    assert.equal(describeAwaited({ ...counts, ...other }, rests), "");
  }
});

test("a program has the arena's address in every language", () => {
  assert.deepEqual(LANGUAGES, ["Python", "JavaScript", "C++", "Go", "Rust", "Java"]);
  const place = { ...PLACE, tls: false };
  for (const language of LANGUAGES) {
    const program = programOf(language, place);
    assert.match(program, /"arena\.example\.org"/);
    assert.match(program, /7788/);
    assert.match(program, /"pit-1"/);
    assert.match(program, /"My Bot"/);
    assert.match(program, /"s3cret"/);
    assert.doesNotMatch(program, /LANISTA_NAME|Starter|"hogwarts"/);
    assert.match(program, /[Kk]eep/);
    assert.match(program, /[Rr]econnect/);
    assert.doesNotMatch(program, /tls|socat/i);
  }
  assert.match(programOf("Rust", place), /Arena::<HogwartsState>/);
});

test("a starter bot is given the arena's address in every language", () => {
  const clients = new URL("../../../clients/", import.meta.url);
  for (const [language, path] of [
    ["Python", "python/starters/GAME.py"],
    ["JavaScript", "javascript/starters/GAME.js"],
    ["C++", "cpp/starters/GAME.cpp"],
    ["Go", "go/starters/GAME/main.go"],
    ["Rust", "rust/examples/GAME.rs"],
    ["Java", "java/starters/GAMEStarter.java"],
  ]) {
    for (const game of ["angrymob", "hogwarts", "crematoria"]) {
      const title = { angrymob: "AngryMob", hogwarts: "Hogwarts", crematoria: "Crematoria" }[game];
      const file = path.replace("GAME", language === "Java" ? title : game);
      const starter = readFileSync(new URL(file, clients), "utf8");
      const program = programOf(language, { ...PLACE, game, tls: false }, starter);
      for (const part of ["arena.example.org", "7788", "pit-1", "My Bot", "s3cret", game]) {
        assert.ok(program.includes(`${part}`), `${file}: ${part}`);
      }
      assert.doesNotMatch(program, /LANISTA_NAME|Starter|environ|getenv|std::env/, file);
    }
  }
});

test("each language's library comes from this page", () => {
  const origin = "https://arena.example.org";
  const files = LANGUAGES.map((language) => installOf(language, origin).match(/https:\S*/)?.[0]);
  const names = ["python.zip", "javascript.zip", "lanista.hpp", "go.zip", "rust.zip", "java.zip"];
  assert.deepEqual(files, names.map((name) => `${origin}/clients/${name}`));
});

test("where the arena speaks TLS, programs do too, or a tunnel does it for them", () => {
  const place = { ...PLACE, tls: true };
  for (const [language, words] of [
    ["Python", "tls=True"],
    ["JavaScript", "tls: true"],
    ["Go", "TLS: true"],
    ["Java", ".tls(true)"],
  ]) {
    const program = programOf(language, place);
    assert.ok(program.includes(words), program);
    assert.match(program, /"arena\.example\.org".*7788/s);
  }
  for (const language of ["C++", "Rust"]) {
    const program = programOf(language, place);
    assert.match(program, /^\/\/ .*TLS.*\n\/\/ socat TCP-LISTEN:7777,.* OPENSSL:arena\.example\.org:7788,nodelay\n/);
    assert.match(program, /host.*"127\.0\.0\.1".*port.*7777/s);
    const address = programOf(language, { ...place, host: "2001:db8::7" });
    assert.match(address, /OPENSSL:\[2001:db8::7\]:7788/);
  }
});

/** A link whose lobby the test tells. */
class FakeLink extends EventTarget {
  lobby = null;

  /** @param {Partial<{computed: string, problem: string, resting: number}>} ladder */
  tell(ladder) {
    this.lobby = { ladders: [{ name: "pit", ...ladder }] };
    this.dispatchEvent(new Event("lobby"));
  }
}

test("figures are loaded again when there are newer ones, after a rest, and not otherwise", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const settle = async () => {
    await settled();
    t.mock.timers.tick(2000);
    await settled();
  };
  const link = new FakeLink();
  /** @type {string[]} */
  const shown = [];
  /** @type {string[]} */
  const failures = [];
  /** @type {() => Response | Promise<Response>} */
  let answer = () => Response.json("first");
  const fetched = t.mock.method(globalThis, "fetch", async () => answer());
  const following = followFigures(/** @type {any} */ (link), {
    address: "/api/1/ladders/pit",
    version: ladderVersion("pit"),
    show: (/** @type {string} */ figures) => shown.push(figures),
    fail: (message) => failures.push(message),
  });
  await settled();
  assert.equal(fetched.mock.callCount(), 0); // the lobby, which comes now, would have them loaded again
  link.tell({ computed: "1" });
  await settle();
  link.tell({ computed: "1" });
  await settle();
  assert.equal(fetched.mock.callCount(), 1);
  answer = () => Response.json("second");
  link.tell({ computed: "2" });
  await settle();
  assert.deepEqual(shown, ["first", "second"]);
  // What the arena refuses isn't asked for again until something is new.
  answer = () => Response.json({ error: "no such bot" }, { status: 404 });
  link.tell({ computed: "3" });
  await settle();
  link.tell({ computed: "3" });
  await settle();
  assert.deepEqual(failures, ["no such bot"]);
  // Without any answer, the next message of the lobby tries again.
  answer = () => {
    throw new TypeError("network");
  };
  link.tell({ computed: "4" });
  await settle();
  answer = () => Response.json("third");
  link.tell({ computed: "4" });
  await settle();
  assert.deepEqual(failures, ["no such bot", "the arena doesn't answer"]);
  assert.equal(shown.at(-1), "third");
  following.close();
  link.tell({ computed: "5" });
  await settle();
  assert.equal(fetched.mock.callCount(), 5);
});

test("figures are loaded without a lobby, and again once it has come", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const link = new FakeLink();
  const fetched = t.mock.method(globalThis, "fetch", async () => Response.json("figures"));
  const following = followFigures(/** @type {any} */ (link), {
    address: "/api/1/ladders/pit",
    version: ladderVersion("pit"),
    show: () => {},
    fail: assert.fail,
  });
  for (const loaded of [1, 1]) {
    t.mock.timers.tick(1000);
    await settled();
    assert.equal(fetched.mock.callCount(), loaded);
  }
  link.tell({ computed: "1" });
  await settled();
  t.mock.timers.tick(2000);
  await settled();
  assert.equal(fetched.mock.callCount(), 2);
  following.close();
});

test("a starter to hand in is called as its language wants it, also where a game has none", async () => {
  const names = [];
  const { fetch } = globalThis;
  for (const text of ["public final class HogwartsStarter {\n", null]) {
    globalThis.fetch = async () => new Response(text, { status: text === null ? 404 : 200 });
    for (const language of ["Java", "Rust", "Go", "Python"]) {
      names.push((await starterFile(language, "hogwarts")).name);
    }
  }
  globalThis.fetch = fetch;
  assert.deepEqual(names, [
    ...["HogwartsStarter.java", "main.rs", "main.go", "mybot.py"],
    ...["Starter.java", "main.rs", "main.go", "mybot.py"],
  ]);
});
