"""Ladders as bots meet them: who is paired, whose a name is, who comes back, and what is stored."""

import signal
from pathlib import Path

import pytest

from e2e.running import FileArena, hello, wait_until
from lanista.bots.cgroup import can_have_groups
from lanista.system import control_group
from results.samples import asking
from support.arenas import stored_ladder
from support.processes import descendants

LADDERS = """
port = 0
page = { listen = "none" }

[[ladders]]
name = "pit"
game = "angrymob"
settings = { move_limit = 1 }
clock = { time_init = 0, time_move = 0 }

[[ladders]]
name = "guests"
game = "angrymob"
settings = { move_limit = 1 }
house = ["CamperJoe"]
fill_after = 0.2

[[ladders]]
name = "broken"
game = "angrymob"
house = [{ name = "Broken", command = "sh -c 'echo first; echo no such library >&2; exit 3'" }]
fill_after = 0.2

[[ladders]]
name = "hogwarts"
game = "hogwarts"
clock = { time_init = 20, time_move = 0.2, late_limit = 100, stall_margin = 600 }
"""


@pytest.fixture(scope="module")
def arena(tmp_path_factory):
    """One for all tests of this module, which use names of their own."""
    arena = FileArena(tmp_path_factory.mktemp("arena"), f"workers = 1\n{LADDERS}")
    yield arena
    arena.end()
    assert "ended by an error" not in arena.err


def test_two_names_play_and_their_results_are_stored(arena, peers):
    """Each match has a seed of its own; nobody is told who else waits."""
    peer = {name: peers(arena, hello(name, "pit")) for name in ("Ada", "Bob")}
    for _ in range(2):
        for bot in peer.values():
            assert {"wait 1 2"} >= {line for line in bot.until("start") if line[:4] == "wait"}
            bot.until("go")
            bot.say("\n")
        for bot in peer.values():
            assert "end finished" in bot.until("end")

    def stored():
        with stored_ladder(arena.data) as store:
            found = [one.match for one in asking(store).matches(bot="Ada")]
        return [match.seed for match in found if "Bob" in {seat.bot for seat in match.seats}]

    wait_until(lambda: len(stored()) == 2, "both matches are stored")
    assert 2 == len(set(stored()))
    for bot in peer.values():
        bot.leave()


@pytest.mark.skipif(not can_have_groups(), reason="no control groups can be made here")
def test_a_house_bot_has_a_control_group(arena, peers):
    """The kernel ends a bot by its group, and limits it where the arena's group was delegated."""
    peers(arena, hello("Eve", "guests")).until("go")
    pids = descendants(arena.process.pid)
    # None of a process that has ended since, as another room's house bot may have.
    groups = filter(None, (control_group(Path(f"/proc/{pid}")) for pid in pids))
    assert any(group.name.startswith(f"lanista-bot-{arena.process.pid}-") for group in groups)


def test_a_newer_connection_takes_the_place_of_one_that_waits(arena, peers):
    """It shows the token of the name, in which capitals don't matter."""
    owner = peers(arena, hello("Cem", "pit"))
    owner.until("wait")
    newer = peers(arena, hello("CEM", "pit").replace("of-CEM", "of-Cem"))
    assert owner.rest().startswith("error replaced ")
    assert "welcome" in newer.until("wait")[0]
    newer.leave()


def test_a_bot_that_is_replaced_in_its_match_loses_it(arena, peers):
    """In Angry Mob nobody comes back; the newer connection waits, and may leave before the end."""
    pair = [peers(arena, hello(name, "pit")) for name in ("Joe", "Kim")]
    for bot in pair:
        bot.until("go")
    newer = peers(arena, hello("Joe", "pit"))
    newer.until("wait")
    newer.leave()
    pair[1].say("\n")
    assert "error replaced " in pair[0].rest()
    assert "end forfeit" in pair[1].until("end")
    again = peers(arena, hello("Joe", "pit"))
    again.until("start")
    for bot in (again, pair[1]):
        bot.leave()


def test_what_a_ladder_refuses(arena, peers):
    """Another game, a seat; which names it refuses is tested in arena/test_names.py."""
    for words, error in [
        ("Dil room=pit game=hogwarts token=x", "error unknown-game game 'hogwarts'; the ladder"),
        ("Dil room=pit seat=0 token=x", "error bad-hello seat 0; a ladder deals the seats"),
        ("camperjoe room=guests token=x", "error name-taken "),
    ]:
        assert error in peers(arena, words).rest()


ROOMS = {
    # by what a hello asks for: what is said of its room, and which ladder it may have meant
    "room=hogwart": ("room 'hogwart'", "did you mean 'hogwarts'?"),
    "room=PIT": ("room 'PIT'", "did you mean 'pit'?"),
    "room=practice": ("room 'practice'", "the ladders of angrymob: pit, guests, broken"),
    "game=crematoria": ("no room", "the ladders here: pit, guests, broken, hogwarts"),
}


@pytest.mark.parametrize("options", ROOMS)
def test_whoever_waits_beside_the_ladders_is_told_once(arena, peers, options):
    """PROTOCOL.md 7, `room`: the name of a ladder may be mistyped, or left out."""
    room, advice = ROOMS[options]
    bot = peers(arena, f"Nel v=1 {options}")
    welcome, note, wait = bot.until("wait")
    assert ("welcome", "wait") == (welcome.split()[0], wait.split()[0])
    assert note.startswith(f"note room 0 - {room} is")
    assert note.endswith(f"; {advice}")
    bot.leave()


def test_a_house_bot_that_cant_be_started_is_tried_again_and_logged(arena, peers):
    peers(arena, hello("Zoe", "broken"))
    wait_until(lambda: arena.err.count("a house bot can't be started") > 1, "it is tried again")
    line = next(line for line in arena.err.splitlines() if "can't be started" in line)
    assert line.endswith('why="exited with code 3 before it said hello: no such library"')


@pytest.mark.parametrize("workers", [pytest.param(1, marks=pytest.mark.long), 2])
def test_a_bot_comes_back_to_its_match(tmp_path, started, peers, workers):
    """Its connection breaks; the other seats go on, and it goes on with the same match.

    The arena has only ladders (`rooms`): whoever asks for another room is refused, also in the
    classic dialect, and if it names none.
    """
    text = f'workers = {workers}\nrooms = "ladders"\n{LADDERS}'
    arena = started(FileArena(tmp_path / "arena", text))
    for options, (room, advice) in {**ROOMS, "": ROOMS["room=practice"]}.items():
        said = room if options else "no room"
        error = f"error bad-hello {said}; this arena has only ladders; {advice}\n"
        assert error == peers(arena, f"Nel {options}").rest()
    names = ("Fay", "Gus", "Hal", "Ivy")
    bots = {name: peers(arena, hello(name, "hogwarts")) for name in names}
    for bot in bots.values():
        bot.until("go")
    (match,) = (path.name.split(".")[0] for path in arena.data.glob("records/*/*.part"))
    for bot in bots.values():
        bot.say("\n")
    bots["Fay"].until("turn")
    # Not in the first turn, which would last until the 20 s are over that it may take.
    bots["Fay"].leave()
    back = peers(arena, hello("Fay", "hogwarts"))
    lines = back.until("go")
    # A second one takes over from it while it is there.
    newer = peers(arena, hello("Fay", "hogwarts"))
    fresh = newer.until("go")
    assert f"start {match}" in fresh
    assert ["welcome"] * 2 == [each[0].split()[0] for each in (lines, fresh)]
    assert "error replaced " in back.rest()
    assert f"start {match}" in lines
    assert not {"wait 1 4", "turn 0"} & set(lines)
    arena.signal(signal.SIGTERM)  # else the match goes on until nobody may come back any more
    assert 0 == arena.wait()
    record = arena.record_of(match)
    seat = [player.name for player in record.header.players].index("Fay")
    assert any(str(seat) in turn.rejoined for turn in record.turns)
    assert "hogwarts" == record.header.ladder.name
