"""A ladder of an arena, without bots: what the operator decides about its names, restarts, programs
that were handed in."""

import math
import random
from contextlib import contextmanager
from datetime import UTC, datetime

import attrs
import pytest

from lanista.arena.decisions import unbench
from lanista.arena.ladder_matches import LadderMatches
from lanista.arena.ladder_room import LAST_WORDS_KEPT, LadderRoom, SubmittedBot
from lanista.arena.names import LadderName, Owner
from lanista.arena.spec import HouseBot, LadderSpec, Submissions
from lanista.arena.submissions import LadderSubmissions
from lanista.games.outcome import Ending
from lanista.hosting.bot_pool import Contestant
from lanista.hosting.control import Changes
from lanista.results.base import Database
from lanista.results.data_folder import DataFolder
from results.samples import alone, seat
from support.arenas import stored_ladder, stored_names

SPEC = LadderSpec(name="pit", game="angrymob", bench_after=2)


@contextmanager
def opened(folder, spec=SPEC):
    """A ladder, with what is stored of it; its draws are always the same."""
    data = DataFolder(folder)
    with Database.of_arena(data) as database:
        yield LadderRoom.open(spec, folder, data, database, chance=random.Random(1))


def result(id_, first, second, *, failed=None):
    """A match that the first one won."""
    endings = {failed: Ending.DISCONNECT}
    seats = [
        seat(name, rank, endings.get(name, Ending.NORMAL))
        for rank, name in enumerate((first, second), 1)
    ]
    return alone(id_, *seats)


def who(name):
    return LadderName(name=name, owner=Owner(name.encode()), registered=datetime.now(UTC))


@pytest.fixture
def others(tmp_path):
    """The database of the ladder, as another process opens it."""
    with stored_ladder(tmp_path) as store:
        store.add_matches(
            [result(number, *pair) for number, pair in enumerate(["AB", "BC", "AC", "CB"])]
        )
        yield store


@pytest.mark.parametrize("how", ["unbench", "strike"])
async def test_the_operator_ends_a_rest_for_good(tmp_path, others, how):
    """Also after a restart, though the failures are in the database; later ones count."""
    others.add_matches([result(number, "B", "A", failed="A") for number in (10, 11)])
    with opened(tmp_path) as room:
        assert room.resting(who("A")) > 0
        getattr(others, how)("A")
        await room.take_up_notes()
        assert room.resting(who("A")) is None
    with opened(tmp_path) as room:
        assert room.resting(who("A")) is None
    others.add_matches([result(number, "B", "A", failed="A") for number in (20, 21)])
    with opened(tmp_path) as room:
        assert room.resting(who("A")) > 0


async def test_a_benched_name_rests_on_its_ladder_whether_or_not_it_is_there(tmp_path):
    with stored_names(tmp_path) as names, opened(tmp_path) as room:
        room.wait(who("A"))
        names.bench("a", "pit")
        names.bench("b")
        names.bench("c", "other")
        room.set_benched(names.benched(), [who("A")])
        for name in "BC":
            room.wait(who(name))
        assert [math.inf, math.inf, None] == [room.resting(who(name)) for name in "ABC"]
        assert {"waiting": 1, "playing": 0, "resting": 2} == room.presence()
        names.unbench("A")
        room.set_benched(names.benched(), [who("A"), who("B")])
        assert [None, math.inf] == [room.resting(who(name)) for name in "AB"]
        room.leave(who("B"))
        room.set_benched([])
        room.wait(who("B"))
        assert room.resting(who("B")) is None


async def test_a_name_that_is_not_there_is_benched_no_longer_when_it_is_unbenched(tmp_path, others):
    """The end of its rest is noted before the arena has read again who is benched."""
    with stored_names(tmp_path) as names, opened(tmp_path) as room:
        names.bench("a", "pit")
        room.set_benched(names.benched())
        others.unbench("A")
        await room.take_up_notes()
        room.set_benched([])
        assert {} == room.rests()


async def test_a_benched_name_that_is_struck_stays_benched(tmp_path, others):
    """Even for the moment until the arena has read again who is benched."""
    with stored_names(tmp_path) as names, opened(tmp_path) as room:
        room.wait(who("A"))
        names.bench("a", "pit")
        room.set_benched(names.benched(), [who("A")])
        others.strike("A")
        await room.take_up_notes()
        assert math.inf == room.resting(who("A"))


async def test_a_house_bot_that_could_not_be_started_is_tried_again_after_a_rest(tmp_path):
    """It rests as every bot does that fails; one that the operator has benched isn't tried."""
    house = tuple(HouseBot(command=bot) for bot in ("CamperJoe", "GravityGoers"))
    spec = attrs.evolve(SPEC, house=house)
    with stored_names(tmp_path) as names, opened(tmp_path, spec) as room:
        names.bench("camperjoe")
        room.set_benched(names.benched())
        why = "it couldn't be started; the arena's log says why"
        for _ in range(SPEC.bench_after):
            assert "GravityGoers" not in room.rests()
            room.not_started("GravityGoers", why)
        assert {"CamperJoe", "GravityGoers"} == room.rests().keys()
        assert room.rests()["GravityGoers"] is not None
        assert f"2 failed matches in a row; the last: {why}" == room.why_resting("GravityGoers")
        assert "the arena's operator has benched it" == room.why_resting("CamperJoe")
        names.unbench("camperjoe")
        room.set_benched(names.benched())
        assert {"GravityGoers"} == room.rests().keys()
        for _ in range(2):
            unbench(names, "GravityGoers", None, [spec])  # though it has played nothing
            await room.take_up_notes()
            assert {} == room.rests()
            for _ in range(SPEC.bench_after):
                room.not_started("GravityGoers", why)
            assert {"GravityGoers"} == room.rests().keys()


def test_every_match_has_a_seed_of_its_own_and_one_of_the_maps(tmp_path):
    maps = ("great-hall", "seed-30")
    spec = LadderSpec(name="pit", game="hogwarts", maps=maps)
    with opened(tmp_path, spec) as room:
        specs = [room.match_spec() for _ in range(40)]
    assert 40 == len({spec.seed for spec in specs})
    assert set(maps) == {spec.ladder.map for spec in specs}
    assert all(spec.board is not None for spec in specs)


# -- programs that were handed in ----------------------------------------------------------------


def program(name, version=1):
    contestant = Contestant(name=name, command=("bot",), sandboxed=True)
    return SubmittedBot(who(name), contestant, version)


def with_programs(folder, **limits):
    """A ladder that takes programs, with a match of two seats."""
    return opened(folder, attrs.evolve(SPEC, submissions=Submissions(**limits)))


@contextmanager
def playing(folder, **limits):
    """Such a ladder, the matches that have begun, and what begins them."""
    with with_programs(folder, **limits) as room:
        games = Games(room.connected)
        ladder = LadderMatches(games, {"pit": room})
        room.changed = ladder.start_ready
        yield room, games, ladder


class Games:
    """The matches of an arena that only begin and end; who has connected is what a test says."""

    may_begin, closing, unfinished = True, False, 0

    def __init__(self, connected):
        self.lobby = self.nursery = self.running = self.changes = self
        self.connected = connected
        self.begun = []

    def take_named(self, _room, names):
        return {name: name for name in names if name in self.connected}

    def start_soon(self, _run, _room, match, players, submitted):
        self.begun.append((match, players, submitted))

    def tell(self):
        pass


def ended(ladder, room, match, players, submitted):
    """A match is over, as `LadderMatches._run` says it; those that have connected wait again."""
    ladder.unattended -= not players
    room.over(match, None, submitted)
    for name in room.connected & players.keys():
        room.wait(who(name))
    ladder.start_ready()


def test_any_coming_and_going_keeps_to_the_slots(tmp_path):
    """A connected bot has its name's place; without one, no more matches are played than slots.

    Nobody plays twice at once, and a name that was taken back begins no match.
    """
    names, chance = "ABCDEFGH", random.Random(2)
    with playing(tmp_path, slots=2) as (room, games, ladder):
        most = attended = 0
        for _ in range(1500):
            name = chance.choice(names)
            match chance.choice(["offer", "take back", "connect", "leave", "over", "over"]):
                case "offer":
                    room.offer(name, program(name, chance.choice([1, 2])))
                case "take back":
                    room.offer(name, None)
                case "connect" if name not in room.connected:
                    room.connect(name)
                    room.wait(who(name))
                    ladder.start_ready()
                case "leave" if name in room.connected:
                    room.leave(who(name))
                    room.disconnect(name)
                    ladder.start_ready()
                case "over" if games.begun:
                    over = games.begun.pop(chance.randrange(len(games.begun)))
                    ended(ladder, room, *over)
            names_playing = [name for match, *_ in games.begun for name in match]
            assert len(names_playing) == len(set(names_playing))
            unattended = sum(not players for _, players, _ in games.begun)
            assert unattended == ladder.unattended <= 2
            most, attended = max(most, unattended), max(attended, len(games.begun) - unattended)
        assert 2 == most
        assert attended


def test_ladders_take_turns_with_the_slots_also_one_that_has_fewer(tmp_path):
    """However many programs wait on one ladder, another plays as many matches."""
    spec = attrs.evolve(SPEC, name="few", submissions=Submissions(slots=1))
    with with_programs(tmp_path / "many", slots=2) as many, opened(tmp_path / "few", spec) as few:
        games = Games(connected=())
        ladder = LadderMatches(games, {"pit": many, "few": few})
        for room, names in ((many, "ABCDEFGH"), (few, "XYZ")):
            room.changed = ladder.start_ready
            for name in names:
                room.offer(name, program(name))
        count = 0
        for _ in range(40):
            over = games.begun.pop(0)
            is_of_few = "X" <= over[0][0]
            count += is_of_few
            ended(ladder, few if is_of_few else many, *over)
        assert 10 <= count <= 20


def test_a_version_that_has_played_enough_begins_no_match_but_plays_those_of_others(tmp_path):
    """Also of connected bots; a newer version of the same name begins its own ones."""
    with playing(tmp_path, slots=4, matches=3) as (room, games, ladder):
        for name in "AB":
            room.offer(name, program(name))
        count = 0
        while games.begun:
            ended(ladder, room, *games.begun.pop())
            count += 1
        assert 3 == count
        room.connect("C")
        room.wait(who("C"))
        ladder.start_ready()
        ended(ladder, room, *games.begun.pop())
        match, players, submitted = games.begun.pop()
        assert ({"C"}, 1) == (set(players), len(submitted))
        room.leave(who("C"))
        room.disconnect("C")
        ended(ladder, room, match, players, submitted)
        assert [] == games.begun
        room.offer("A", program("A", 2))
        assert 1 == len(games.begun)


async def test_a_version_that_has_played_gives_no_other_its_number(tmp_path):
    """Programs may be lost or be an older copy, while their results are found in the records."""
    with stored_ladder(tmp_path) as store:
        seats = [seat(name, version=3) for name in "AB"]
        store.add_matches([alone(1, *seats)])
    with with_programs(tmp_path) as room:
        submissions = LadderSubmissions.open(room, tmp_path / "submissions", (), Changes())
        numbers = [(await submissions.hand_in(who(name), "a.py", b"")).number for name in "AC"]
    assert [4, 1] == numbers


def test_a_program_that_does_not_start_rests_unless_it_was_taken_back(tmp_path):
    """What is deleted or replaced while it is to be started is no failure of the name."""
    with with_programs(tmp_path) as room:
        room.offer("A", program("A", 2))
        for version in 1, 1, 1, 2:
            room.not_started("A", "it isn't there", version)
        assert room.resting(who("A")) is None
        words = "it exited with code 1"
        room.not_started("A", words, 2, f"{words}: no /home/a/secret")
        assert room.resting(who("A")) > 0
        assert room.why_resting("A").endswith("it exited with code 1")
        assert room.why_failed("A", 2).endswith("/home/a/secret")
        assert "" == room.why_failed("A", 3)


def test_a_version_that_ends_late_hides_no_crash_of_a_newer_one(tmp_path):
    """Its last match may go on for long after the newer one has begun to play."""
    with with_programs(tmp_path) as room:
        room.left("A", 2, "match2", "its process exited with code 2")
        room.left("A", 1, "match1", "its process exited with code 1")
        assert "match match2: its process exited with code 2" == room.why_failed("A", 2)
        assert "match match1: its process exited with code 1" == room.why_failed("A", 1)
        for version in range(3, LAST_WORDS_KEPT + 2):
            room.left("A", version, "later", "its process exited with code 1")
        assert "" == room.why_failed("A", 2)  # it is the last that are told
        assert room.why_failed("A", 1)
