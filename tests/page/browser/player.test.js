/**
 * Playing a match, with a clock that the test moves.
 */

import assert from "node:assert/strict";
import { test } from "node:test";

import { BASE_SPEED, Player, SPEEDS } from "../../../server/lanista/page/browser/player.js";

/** Make a player of `count` rounds, its clock, and a function that lets time pass. */
function begin({
  count = 100,
  over = true,
  round = null,
  animated = true,
  missing = new Set(),
  matters = undefined,
  plays = false,
} = {}) {
  const time = { now: 1000 };
  const player = new Player({
    clock: () => time.now,
    ready: (n) => !missing.has(n),
    newest: () => {
      let n = player.last;
      while (missing.has(n)) {
        n -= 1;
      }
      return n;
    },
    matters,
    count,
    over,
    round,
    animated,
    plays,
  });
  /** Let time pass, with sixty drawings a second as on a page. */
  const pass = (ms) => {
    const end = time.now + ms;
    while (time.now < end) {
      time.now = Math.min(end, time.now + 1000 / 60);
      player.advance();
    }
  };
  return { player, time, pass };
}

test("a replay begins at its start, standing", () => {
  const { player, pass } = begin();
  assert.deepEqual([0, "paused"], [player.round, player.mode]);
  pass(5000);
  assert.equal(0, player.round);
  assert.equal(false, player.active);
});

test("a replay that plays by itself shows its start as long as any round, and stops at its end", () => {
  const { player, pass } = begin({ count: 6, plays: true });
  assert.deepEqual([0, "playing"], [player.round, player.mode]);
  pass(650);
  assert.equal(0, player.round);
  pass(50);
  assert.equal(1, player.round);
  pass(4000);
  assert.deepEqual([5, "paused"], [player.round, player.mode]);
});

test("a replay whose round is given stands there, a running match is live, though replays play", () => {
  for (const over of [true, false]) {
    const { player } = begin({ round: 30, over, plays: true });
    assert.deepEqual([30, "paused"], [player.round, player.mode]);
  }
  const { player } = begin({ count: 8, over: false, plays: true });
  assert.deepEqual([7, "live", 1], [player.round, player.mode, player.t]);
});

test("a round beyond the newest is the newest", () => {
  assert.equal(99, begin({ round: 500 }).player.round);
  assert.equal(0, begin({ round: -3 }).player.round);
});

test("the first step of playing comes at once, then three in two seconds", () => {
  const { player, pass } = begin();
  player.play();
  player.advance();
  assert.equal(1, player.round);
  pass(10_100);
  assert.equal(16, player.round);
});

test("at speed 1 play stays a second longer at a round that matters, and moves to it as usual", () => {
  const { player, pass } = begin({ matters: (n) => n === 1 });
  player.play();
  player.advance();
  pass(400);
  assert.deepEqual([1, 0.8], [player.round, Number(player.t.toFixed(3))]);
  pass(1200);
  assert.deepEqual([1, 1], [player.round, player.t]);
  pass(100);
  assert.equal(2, player.round);
  // The next one doesn't matter.
  pass(650);
  assert.equal(3, player.round);
});

test("faster than that, play stays at no round", () => {
  const { player, pass } = begin({ matters: () => true });
  player.setSpeed(2);
  player.play();
  player.advance();
  pass(10_100);
  assert.equal(31, player.round);
});

test("every speed shows its rounds", () => {
  for (const speed of SPEEDS) {
    const { player, pass } = begin({ count: 1000 });
    player.setSpeed(speed);
    player.play();
    player.advance();
    // 8.1 s: off the moments at which a round comes, so that no rounding decides.
    pass(8100);
    assert.equal(1 + Math.floor(8.1 * 1.5 * speed), player.round, `speed ${speed}`);
  }
});

test("a speed that isn't offered is an error that lists those that are", () => {
  assert.throws(() => begin().player.setSpeed(3), {
    name: "RangeError",
    message: "unknown speed 3: it must be one of 0.5, 1, 2, 4, 8, 16, 32, 64",
  });
});

test("faster and slower stay within the speeds", () => {
  const { player } = begin();
  player.faster(1);
  assert.equal(2, player.speed);
  for (let at = 0; at < 20; at += 1) {
    player.faster(1);
  }
  assert.equal(64, player.speed);
  for (let at = 0; at < 20; at += 1) {
    player.faster(-1);
  }
  assert.equal(0.5, player.speed);
});

test("playing stops at the end, and starts again from there at the beginning", () => {
  const { player, pass } = begin({ count: 4 });
  player.play();
  pass(4000);
  assert.deepEqual([3, "paused"], [player.round, player.mode]);
  assert.equal(false, player.active);
  player.play();
  assert.deepEqual([0, "playing"], [player.round, player.mode]);
  pass(700);
  assert.equal(1, player.round);
});

test("playing waits at the newest round of a running match, and goes on with the next", () => {
  const { player, pass } = begin({ count: 4, over: false, round: 2 });
  player.play();
  pass(3000);
  assert.deepEqual([3, "playing", true], [player.round, player.mode, player.waiting]);
  assert.equal(false, player.active);
  player.grow(5, false);
  player.advance();
  assert.equal(4, player.round);
  player.grow(5, true);
  pass(700);
  assert.equal("paused", player.mode);
});

test("playing waits for a round that isn't loaded, and shows it when it is", () => {
  const missing = new Set([3]);
  const { player, pass } = begin({ missing });
  player.play();
  pass(5000);
  assert.deepEqual([2, "playing"], [player.round, player.mode]);
  missing.clear();
  player.advance();
  assert.equal(3, player.round);
  pass(600);
  // What was waited for isn't made up for.
  assert.equal(3, player.round);
});

test("a page that was hidden for an hour doesn't rush through what it missed", () => {
  const { player, time } = begin({ count: 100_000 });
  player.play();
  player.advance();
  time.now += 3_600_000;
  player.advance();
  // At most what the longest catching up, 250 ms, holds, and the round that was due.
  assert.ok(player.round <= 3, `round ${player.round}`);
});

test("where drawing takes long, each drawing still shows what a quarter of a second holds", () => {
  const { player, time } = begin({ count: 1000 });
  const fastest = SPEEDS[SPEEDS.length - 1];
  player.setSpeed(fastest);
  player.play();
  for (let drawn = 0; drawn < 10; drawn += 1) {
    time.now += 300;
    player.advance();
  }
  const held = 10 * Math.floor(BASE_SPEED * fastest * 0.25);
  assert.ok(player.round >= held, `round ${player.round} of ${held}`);
});

test("live shows the newest round and jumps over what came at once", () => {
  const { player } = begin({ count: 10, over: false });
  player.grow(11, false);
  player.advance();
  assert.equal(10, player.round);
  player.grow(40, false);
  player.advance();
  assert.deepEqual([39, null], [player.round, player.previous]);
});

test("live moves as long as the round before was shown, at most one step's time", () => {
  const { player, time } = begin({ count: 10, over: false });
  time.now += 100;
  player.grow(11, false);
  player.advance();
  assert.equal(9, player.previous);
  time.now += 50;
  assert.equal(0.5, player.t);
  time.now += 5000;
  player.grow(12, false);
  player.advance();
  time.now += 100;
  // 200 ms at most, however long the round before was shown.
  assert.equal(0.5, player.t);
});

test("live ends with the match", () => {
  const { player } = begin({ count: 10, over: false });
  player.grow(11, true);
  player.advance();
  assert.deepEqual([10, "paused"], [player.round, player.mode]);
});

test("live shows the newest that is loaded while a match grows faster than it comes", () => {
  const missing = new Set();
  const { player } = begin({ count: 10, over: false, missing });
  for (let count = 20; count <= 100; count += 10) {
    // Half of what is new is here.
    for (let n = count - 5; n < count; n += 1) {
      missing.add(n);
    }
    player.grow(count, false);
    player.advance();
    assert.deepEqual([count - 6, "live"], [player.round, player.mode]);
    missing.clear();
  }
});

test("live never goes back to what is loaded", () => {
  const missing = new Set([8, 9, 10]);
  const { player } = begin({ count: 10, over: false, missing });
  player.grow(11, false);
  player.advance();
  assert.equal(9, player.round);
});

test("going back leaves live; live and the end return", () => {
  for (const again of ["live", "end"]) {
    const { player } = begin({ count: 10, over: false });
    player.step(-1);
    assert.deepEqual([8, "paused"], [player.round, player.mode]);
    player.grow(20, false);
    player.advance();
    assert.equal(8, player.round);
    player[again]();
    assert.deepEqual([19, "live"], [player.round, player.mode]);
  }
});

test("live of a match that is over is its end", () => {
  const { player } = begin();
  player.live();
  assert.deepEqual([99, "paused"], [player.round, player.mode]);
});

test("steps stay within the match, and pause", () => {
  const { player } = begin({ count: 15 });
  player.play();
  player.step(10);
  assert.deepEqual([10, "paused"], [player.round, player.mode]);
  player.step(10);
  assert.equal(14, player.round);
  player.step(-100);
  assert.equal(0, player.round);
  player.seek(NaN);
  assert.equal(0, player.round);
  player.seek(7.9);
  assert.equal(7, player.round);
});

test("one step forward is a movement, other ways aren't", () => {
  const { player, time } = begin();
  player.step(1);
  assert.deepEqual([0, 0], [player.previous, player.t]);
  assert.equal(true, player.active);
  time.now += 100;
  assert.equal(0.5, player.t);
  time.now += 100;
  assert.equal(1, player.t);
  assert.equal(false, player.active);
  player.step(-1);
  assert.deepEqual([null, 1], [player.previous, player.t]);
  player.step(10);
  assert.equal(null, player.previous);
  player.seek(11);
  assert.equal(null, player.previous);
});

test("pausing lets a movement come to its end", () => {
  const { player, time } = begin();
  player.play();
  player.advance();
  time.now += 100;
  player.pause();
  assert.deepEqual([0, 0.2, true], [player.previous, player.t, player.active]);
  time.now += 400;
  assert.deepEqual([1, false], [player.t, player.active]);
});

test("no movement where it is switched off, or too short to be seen", () => {
  const still = begin({ animated: false });
  still.player.step(1);
  assert.equal(null, still.player.previous);
  const fast = begin();
  fast.player.setSpeed(32);
  fast.player.play();
  fast.pass(100);
  // 48 rounds a second: 21 ms each.
  assert.equal(null, fast.player.previous);
  const off = begin();
  off.player.step(1);
  off.player.setAnimated(false);
  assert.deepEqual([null, 1], [off.player.previous, off.player.t]);
});

test("a match without frames is shown at round 0", () => {
  const { player } = begin({ count: 0, over: false, round: 5 });
  assert.deepEqual([0, 0], [player.round, player.last]);
  player.step(1);
  assert.equal(0, player.round);
});
