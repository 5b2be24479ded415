"""Players of the original kits, in whole matches over TCP (docs/bots/kits.md)."""

import gzip
import re
import shlex
import socket
import subprocess
from pathlib import Path

import pytest

from client.scripted_arena import (
    CREMATORIA_START,
    CREMATORIA_TURN,
    HOGWARTS_START,
    HOGWARTS_TURN,
    WELCOME,
)
from e2e.running import PATIENCE, environment, read, run_here
from kit.conftest import converse, player
from languages.built import BUILDS
from lanista.cli.originals import as_res
from lanista.games import registry
from lanista.games.chance import OriginalChance
from lanista.match.encoder import facts_with_status, seat_seed
from lanista.match.replay import all_faults, payloads, positions, start

pytestmark = BUILDS

TRACES = Path(__file__).parents[1] / "traces"
ROUNDS = {"hogwarts": "NUM_ROUNDS", "crematoria": "nb_rounds"}
EVERY = {game: f"{game}/AIEveryCall" for game in ROUNDS}
SETTINGS = {
    "hogwarts": (
        *("NUM_ROUNDS=80", "NUM_INI_BOOKS=40", "BOOK_MAGIC_STRENGTH=70"),
        *("ROUNDS_FOR_CONVERTING=6", "ROUNDS_SPELL_RESTING_GHOST=12"),
    ),
    "crematoria": ("nb_rounds=60", "gem_value=31", "turns_to_land=3", "nb_elevators=19"),
}
"""Of the matches of the player that calls everything, which expects these: not all are default."""
SEED = 11


def play(folder, game, bot, *words, rivals=("Null", "Null", "Null"), rounds=None, seed=SEED):
    """The record of a match, the bot in seat 0, and what was printed."""
    if rounds is not None:
        words += ("--set", f"{ROUNDS[game]}={rounds}")
    # Where somebody is to be late, a busy machine mustn't make the match void.
    words += ("--stall-margin", 600) if "--time-move" in words else ("--no-clock",)
    done = run_here(["play", game, bot, *rivals, "-s", seed, "-o", "record.jsonl", *words], folder)
    assert 0 == done.code, done.err
    return read(folder / "record.jsonl")


def troubled(game, trouble):
    """The command line of the player that calls everything, in trouble in round 1."""
    return shlex.join(["env", f"TROUBLE={trouble}", player(EVERY[game])])


def log(record, turn, seat=0):
    """The lines of a bot's log in a turn, without their marks."""
    text = record.turns[turn].logs.get(str(seat), "")
    return [line.removeprefix("#").removeprefix(" ") for line in text.splitlines()]


def faults(record, seat=0):
    """All that the arena had against a bot."""
    turns = all_faults(record, start(record.header, registry.get(record.header.game)))
    return [fault for faults in turns for fault in faults if fault.seat == seat]


# -- the original's own matches -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "trace", "rounds"),
    [
        ("hogwarts/AIDemoFix", "03_s31_DemoFix-DemoFix-DemoFix-DemoFix", 200),
        ("crematoria/AIDemo", "01_Demo-Demo-Demo-Demo_s30", 40),
    ],
)
def test_with_the_originals_seeds_players_repeat_its_match(compiler, tmp_path, name, trace, rounds):
    """Players that call `random` all the time get the draws that the original program gave them,
    a replay feeds a bot the same seed again, and `replay show` has the kits' numbers of players.
    """
    game, bot = name.split("/")[0], player(name)
    original = gzip.decompress((TRACES / game / f"{trace}.res.gz").read_bytes()).decode()
    seed = int(re.search(r"^Seed (\d+)$", original, re.MULTILINE)[1])
    words = ("--original-seeds", "--set", f"{ROUNDS[game]}={rounds}")
    words += ("--set", "original=1") if game == "hogwarts" else ()
    record = play(tmp_path, game, bot, *words, rivals=(bot, bot, bot), seed=seed)
    ruleset = registry.get(game)
    shown = run_here(["replay", "show", "record.jsonl"], tmp_path)
    assert f"{bot.rpartition('/')[2]}-3 (C, player 2)  score " in shown.out
    assert tuple(range(seed + 1, seed + 5)) == record.header.seat_seeds
    assert f"\nseed {seed + 3}\n".encode() in next(payloads(record, ruleset, 2))
    ours = "".join(as_res(record, ruleset))
    # The settings and names before the first round differ, and the original went on longer.
    end = f"\nround {rounds}\n"
    assert rounds_of(original.partition(end)[0]) == rounds_of(ours.partition(end)[0])


def rounds_of(res):
    """A match file from its first round on."""
    return res.partition("\nround 0\n")[2]


# -- what the API tells ----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def whole(tmp_path_factory, compiler):
    """By game, a whole match of the player that calls everything, played when first asked for."""

    class Whole(dict):
        def __missing__(self, game):
            self[game] = play(
                tmp_path_factory.mktemp(game),
                game,
                player(EVERY[game]),
                *("--time-init", 60, "--time-move", 20),
                *(word for said in SETTINGS[game] for word in ("--set", said)),
                rivals=("Demo", "Dummy", "Null"),
            )
            return self[game]

    return Whole()


@pytest.mark.parametrize("game", ROUNDS)
def test_the_api_keeps_to_its_tables(whole, game):
    """Every function, field and enumerator, and every answer to an argument out of range."""
    record = whole[game]
    lines = [line for turn in range(len(record.turns)) for line in log(record, turn)]
    assert [] == [line for line in lines if "difference" in line]
    assert "finished" == record.result.end
    assert "exited with code 0" == record.result.bots[0].exit


@pytest.mark.parametrize("game", ROUNDS)
def test_the_state_is_what_the_arena_told(whole, game):
    """Every tenth round, in the words of PROTOCOL.md 5; `status` as the record has it."""
    record = whole[game]
    shown = 0
    for at in positions(record, registry.get(game)):
        if at.turn == len(record.turns):
            break
        if at.turn % 10 != 9:
            continue
        shares = record.turns[at.turn].status or (0.0,) * 4
        facts = facts_with_status(registry.get(game), at.facts(0), shares).decode().splitlines()
        told = [line for line in facts if line.split()[0] not in {"sun", "strength"}]
        if game == "crematoria":
            told = [line for line in told if not line.startswith("score ")]
        else:
            strength = [int(word) for word in facts[-3].split()[1:]]
            clans = [line.split()[3] for line in facts if line.startswith("unit ")]
            magic = [points // clans.count(str(p)) for p, points in enumerate(strength)]
            told.insert(-2, f"strength {' '.join(map(str, magic))}")
        assert told == log(record, at.turn)
        shown += 1
    assert len(record.turns) // 10 == shown


@pytest.mark.parametrize("game", ROUNDS)
def test_chance_is_the_originals_from_the_seed_line(whole, game):
    """`random` takes two steps, none for an empty or too long range; a permutation of n takes n
    draws in Hogwarts and n-1 in Crematoria (rules/hogwarts.md 3.4, rules/crematoria.md 3).
    """
    record = whole[game]
    chance = OriginalChance(seat_seed(game, record.header.seed, 0))
    drawn = [chance.below(100, "") for _ in range(5)]
    numbers = list(range(5))
    for i in range(5 if game == "hogwarts" else 4):
        other = i + chance.below(5 - i, "")
        numbers[i], numbers[other] = numbers[other], numbers[i]
    drawn += [*numbers, 1 + chance.below(1_000_000, ""), 1, 3, -5 + chance.below(11, "")]
    drawn.append(-(2**31))
    assert [f"draws {' '.join(map(str, drawn))}"] == [
        line for line in log(record, 0) if line.startswith("draws")
    ]


def test_every_order_is_sent_as_it_was_given(whole):
    """Repeats and nonsense too, in order; a spell that hasn't 15 entries goes as fifteen -1."""
    none = " ".join(["-1"] * 15)
    moves = [f"m 4 {d}" for d in (9, *range(8))] + ["m -1 4", "m 2147483647 -2147483648"]
    spells = [f"s 0 {none}"] * 3 + ["s 4 0 1 2 3 4 0 1 2 3 4 0 1 2 3 5", f"s 1{' 99' * 15}"]
    assert " ".join(moves + spells) == whole["hogwarts"].turns[0].raw[0]
    first = whole["crematoria"].turns[0].raw[0].split()
    furyan = [f"0 {d}".split() for d in (11, 0, *range(11))]
    sent = [*furyan, ["-1", "4"], ["2147483647", "-2147483648"], ["90", "4"]]
    assert [word for order in sent for word in order] == first[: 2 * len(sent)]


def test_cerr_goes_into_the_log_of_its_round(whole):
    """What the constructor said with the first; clog too; bytes that aren't UTF-8 escaped."""
    lines = log(whole["hogwarts"], 0)
    assert "made in round 0 for player 0" == lines[0]
    assert "said to clog" in lines
    assert r"not UTF-8: \xe0\xff, and" + "\ta tab" == lines[-1]
    assert [] == log(whole["hogwarts"], 1)
    output = whole["hogwarts"].result.bots[0].output
    assert "own 59 " in output  # and on stderr, whose last 64 KiB are kept


# -- ends ------------------------------------------------------------------------------------------


def in_trouble(folder, *troubles):
    """A match of players in trouble in round 1: by trouble, the record and the seat."""
    bots = [troubled("hogwarts", trouble) for trouble in troubles]
    rivals = [*bots[1:], "Null"][:3]
    record = play(folder, "hogwarts", bots[0], rivals=rivals, rounds=4)
    return {trouble: (record, seat) for seat, trouble in enumerate(troubles)}


@pytest.fixture(scope="module")
def ends(tmp_path_factory, compiler):
    """Players that fail."""
    troubles = ("throws", "throws a number", "crashes", "asserts")
    return in_trouble(tmp_path_factory.mktemp("ends"), *troubles)


@pytest.fixture(scope="module")
def floods(tmp_path_factory, compiler):
    """Players that say too much."""
    return in_trouble(tmp_path_factory.mktemp("floods"), "endless orders", "1000", "floods")


@pytest.mark.parametrize(
    ("trouble", "reason"),
    [
        ("throws", "no such wizard: Neville"),
        ("throws a number", "something that is no std::exception"),
    ],
)
def test_an_exception_ends_the_player(ends, trouble, reason):
    """Its reason is in the log of the round and in the output; the exit code isn't 0."""
    record, seat = ends[trouble]
    said = f"round 1: the player ended by an exception: {reason}"
    assert said in log(record, 1, seat)[0]
    assert said in record.result.bots[seat].output
    assert "exited with code 1" == record.result.bots[seat].exit
    last = faults(record, seat)[-1]
    assert ("disconnected", 1) == (last.code, last.turn)


@pytest.mark.parametrize(
    ("trouble", "end", "last"),
    [
        ("crashes", "killed by SIGSEGV", "last words"),
        ("asserts", "killed by SIGABRT", ": my own words\n"),
    ],
)
def test_a_crash_is_told_by_its_signal(ends, trouble, end, last):
    """What it had said on cerr before isn't lost."""
    record, seat = ends[trouble]
    assert end == record.result.bots[seat].exit
    assert record.result.bots[seat].output.endswith(last)
    assert "disconnected" == faults(record, seat)[-1].code


def test_the_1001st_order_puts_the_player_out(floods):
    """All are sent, whatever they say, and `play` ends there (PROTOCOL.md 4)."""
    record, seat = floods["endless orders"]
    last = faults(record, seat)[-1]
    assert (1, "too-many-submoves") == (last.turn, last.code)
    assert 1001 == record.turns[1].raw[seat].count("s ")
    assert "exited with code 1" == record.result.bots[seat].exit
    assert "too-many-submoves: " in record.result.bots[seat].output


def test_1000_orders_are_harmless(floods):
    """Also the longest there are: they fit into a line."""
    record, seat = floods["1000"]
    assert {"illegal", "ignored"} == {fault.code for fault in faults(record, seat)}
    assert 1000 == record.turns[1].raw[seat].count("s -2147483648 -9")
    assert "exited with code 0" == record.result.bots[seat].exit


def test_a_flood_on_cerr_is_cut(floods):
    """As the arena cuts it, which says so (PROTOCOL.md 4); the match goes on."""
    record, seat = floods["floods"]
    lines = log(record, 1, seat)
    assert "a line of it" == lines[0]
    assert "dropped" in lines[-1]
    assert "exited with code 0" == record.result.bots[seat].exit


@pytest.mark.parametrize(
    ("game", "other", "code", "end"),
    [
        pytest.param(
            *("hogwarts", "never returns", "late", "was still running and was ended by the arena"),
            marks=pytest.mark.long,
        ),
        ("crematoria", "1001", "too-many-submoves", "exited with code 1"),
    ],
)
def test_asking_for_nobody_costs_nothing(compiler, tmp_path, game, other, code, end):
    """`unit(-1)` and two cells outside the board, 3.6 million times each in this match: no late
    answer. Real players ask so up to 2.9 million times a match (docs/bots/kits.md).

    Beside it plays one that is soon put out: it never returns, or it gives 1001 orders.
    """
    asks, out = (troubled(game, trouble) for trouble in ("asks", other))
    clock = ("--time-move", 1, "--late-limit", 1)
    record = play(tmp_path, game, asks, *clock, rivals=(out, "Null", "Null"), rounds=12)
    assert [] == faults(record, 0)
    assert not any("difference" in line for turn in range(12) for line in log(record, turn))
    assert code == faults(record, 1)[-1].code
    assert end == record.result.bots[1].exit


# -- the connection --------------------------------------------------------------------------------


@pytest.mark.parametrize(("said", "name"), [({}, "EveryCall"), ({"LANISTA_NAME": "Me"}, "Me")])
def test_the_name_is_the_players_own_or_the_environments(compiler, said, name):
    """And the game is the kit's. One line says that the arena has closed."""
    heard = []
    code, _, err = converse(
        player(EVERY["hogwarts"]), lambda _, lines, __: heard.append(lines.readline()), **said
    )
    assert [f"{name} v=1 game=hogwarts\n".encode()] == heard
    assert 1 == code
    assert err.startswith(f"{name}: disconnected: the connection ended before a match; check ")
    assert 1 == err.count("\n")


@pytest.mark.parametrize(
    ("name", "start", "turn", "lie", "said"),
    [
        pytest.param(
            *("hogwarts/AIDemoFix", HOGWARTS_START, HOGWARTS_TURN),
            *(
                ("unit 6 w", "unit 2147483647 w"),
                "disconnected: the connection ended in mid-match; ",
            ),
            id="an id",
        ),
        pytest.param(
            *("crematoria/AIDemo", CREMATORIA_START, CREMATORIA_TURN),
            *(("nb_hellhounds 3", "nb_hellhounds 1000000"), "more units than cells\n"),
            id="a number of units",
        ),
        pytest.param(
            *("crematoria/AIDemo", CREMATORIA_START, CREMATORIA_TURN),
            *(("gem_value 30", "gem_value " + "9" * 30), "no setting of a match: gem_value\n"),
            id="a setting",
        ),
    ],
)
def test_a_lying_arena_is_given_no_memory(compiler, name, start, turn, lie, said):
    """A player goes on without units that there can't be, or ends with one line."""
    game = name.partition("/")[0]
    settings = registry.get(game).settings
    lines = "".join(f"set {setting.name} {setting.default}\n" for setting in settings).encode()
    told = (WELCOME + start + lines + turn).replace(*(text.encode() for text in lie))

    def talk(connection, arrived, _):
        arrived.readline()
        connection.sendall(told)
        arrived.readline()

    code, _, err = converse(player(name), talk, LANISTA_NAME="Ann")
    assert (1, 1) == (code, err.count("\n"))
    assert err.startswith(f"Ann: {said}")


def test_no_arena_is_told_in_one_line(compiler):
    with socket.socket() as taken:  # bound, but it doesn't listen
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        done = subprocess.run(
            [player(EVERY["crematoria"])],
            env=environment(LANISTA_HOST="127.0.0.1", LANISTA_PORT=str(port)),
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )
    assert 1 == done.returncode
    assert done.stderr.startswith(
        f"EveryCall: unreachable: no arena at 127.0.0.1:{port}; start one with"
    )
    assert 1 == done.stderr.count("\n")
