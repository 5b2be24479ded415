"""Records of matches whose bots were away: verified, shown, exported, fed to bots again."""

import sys

import pytest
import trio
import trio.testing

from lanista.cli.originals import as_res
from lanista.games import registry
from lanista.games.base import Late
from lanista.hosting.feeder import Feeder
from lanista.match.record import read_record
from lanista.match.replay import MismatchError, asked_turns, payloads, start, verify
from lanista.page.replay_reader import read_frames
from match.playing import COUNTING, answers, lines_of, rewritten, sit
from match.rejoining import CLOCK, back, skip

SIX = {"rounds": 6}


def with_a_gap(folder, ruleset=COUNTING, settings=SIX):
    """A match of six turns whose seat 0 is absent in 1 and 2; its bot's ends, and its record."""

    async def main():
        hellos = [f"{name} v=1" for name in ("Ann", "Bob", "Cy", "Di")[: ruleset.seats]]
        table = sit(folder, ruleset, hellos, settings=settings, clock=CLOCK, may_rejoin=(0,))
        ends = [table.bots[0]]

        async def returner(end):
            await skip(end, 1)
            await end.read_until("go")
            end.close()
            await trio.sleep(0.3)
            ends.append(back(table, 0, "Ann v=1 notes=1"))
            await answers(*"x23")(ends[-1])

        others = [answers(*"1" * 6)] * (ruleset.seats - 1)
        return table, ends, await table.play(returner, *others)

    return trio.run(main, clock=trio.testing.MockClock(autojump_threshold=0))


GAME_OF_FOUR = {
    "hogwarts": (registry.get("hogwarts"), {"NUM_ROUNDS": 6}),
    "crematoria": (registry.get("crematoria"), {"nb_rounds": 6}),
}


@pytest.mark.parametrize("name", GAME_OF_FOUR)
def test_a_gap_in_games_of_four(tmp_path, name):
    """A bot that is back is sent the same fixed facts as at first; page and export know of it."""
    ruleset, settings = GAME_OF_FOUR[name]
    table, (first, second), record = with_a_gap(tmp_path, ruleset, settings)
    assert [1, 2] == [turn.turn for turn in record.turns if turn.was_absent(0)]
    assert 6 == record.result.turns
    start_of = [end.heard[: end.heard.index(b"turn ")] for end in (first, second)]
    assert start_of[0] == start_of[1]
    fed = list(payloads(record, ruleset, 0))
    assert [True, True, False, True, True, True] == [bool(data) for data in fed]
    assert b"".join(fed[:2]) == first.heard
    assert second.heard.startswith(b"".join(fed[3:]))
    assert b"note malformed 3 " in fed[4]
    _, *frames, end = read_frames(table.path)
    assert end["trouble"] is None
    plays = [frame.get("play", {}) for frame in frames]
    assert {2: {"0": "closed its connection"}} == {
        n: play["left"] for n, play in enumerate(plays) if "left" in play
    }
    assert {4: [0]} == {n: play["rejoined"] for n, play in enumerate(plays) if "rejoined" in play}
    assert "".join(as_res(record, ruleset)).count("\n") > 6


BOT = """
import os, socket
bot = socket.create_connection((os.environ["LANISTA_HOST"], int(os.environ["LANISTA_PORT"])))
bot.sendall(b"Ann v=1 token=%s\\n" % os.environ["LANISTA_TOKEN"].encode())
for line in bot.makefile():
    if line == "go\\n":
        bot.sendall(b"7\\n")
"""


def test_a_match_with_a_gap_is_fed_to_a_bot(tmp_path):
    """It is asked in the turns in which the seat was, and gets the beginning twice."""
    _, _, record = with_a_gap(tmp_path)
    assert [0, 1, 3, 4, 5] == asked_turns(record, 0)
    result = trio.run(Feeder(record, COUNTING, 0, 4, [sys.executable, "-c", BOT]).run)
    assert ("7", "7", None, "7", "7") == result.answers
    assert result.trouble is None


def change(turn, key, value):
    """A change of a turn: a new value, or that of seat 0; None removes the key."""

    def apply(lines):
        line = lines[1 + turn]
        if value is None:
            del line[key]
        elif key in {"times", "raw"}:
            line[key][0] = value
        else:
            line[key] = value

    return apply


WRONG = {
    "it is back without being so": (change(3, "rejoined", None), "turn 3: seat 0 was absent and"),
    "it never left": (change(1, "left", None), "turn 1: seat 0 has verdict 'missing', but has"),
    "it left twice": (change(2, "left", {"0": "so"}), "turn 2: seat 0 left, but isn't absent"),
    "another left": (change(1, "left", {"0": "so", "1": "so"}), "turn 1: seat 1 left, but isn't"),
    "an absent seat has times": (
        change(2, "times", [1]),
        "turn 2: seat 0 was absent, but has an answer or times",
    ),
    "an absent seat has an answer": (
        change(2, "raw", "1"),
        "turn 2: seat 0 was absent, but has an answer or times",
    ),
    "it is back too early": (change(2, "rejoined", {"0": {}}), "turn 2: seat 0 has verdict 'miss"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_gap_that_can_not_be(tmp_path, name):
    """As its record says: when a seat left and came back is checked with the verdicts."""
    table, _, _ = with_a_gap(tmp_path)
    lines = lines_of(table.path)
    alter, words = WRONG[name]
    alter(lines)
    with pytest.raises(MismatchError) as caught:
        verify(rewritten(tmp_path, lines), COUNTING)
    assert str(caught.value).startswith(words)


def test_all_are_out_only_if_each_has_gone(tmp_path):
    """An absent seat could come back: a match doesn't end for that."""
    table, _, _ = with_a_gap(tmp_path)
    lines = lines_of(table.path)[:4]
    silent = {
        "verdicts": ["missing", "missing", "missing"],
        "raw": [None] * 3,
        "left": {"0": "", "1": "", "2": ""},
    }
    game = start(read_record(table.path).header, COUNTING)
    game.advance([Late()] * 3)
    result = {
        "end": "forfeit",
        "reason": "all-out",
        "ranks": [1] * 3,
        "scores": [0] * 3,
        "turns": 1,
        "digest": game.digest(),
        "fault_counts": [{}] * 3,
    }
    first = {**lines[1], **silent, "digest": game.digest()}
    with pytest.raises(MismatchError, match="by the rules the match isn't over"):
        verify(rewritten(tmp_path, [lines[0], first, {"result": result}]), COUNTING)
