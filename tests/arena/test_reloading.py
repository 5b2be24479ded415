"""Reading an arena's file again: which keys take effect, and that others are named."""

from contextlib import ExitStack
from datetime import UTC, datetime

import attrs
import pytest
import structlog
import trio

from lanista.arena.arena import Arena
from lanista.arena.ladder_room import LadderRoom, open_ladders
from lanista.arena.names import LadderName, Owner
from lanista.arena.options import LADDER_LIMITS, LIMITS, unchangeable, with_limits
from lanista.arena.server import _reload
from lanista.arena.spec import (
    ArenaSpec,
    HouseBot,
    LadderSpec,
    Registration,
    Submissions,
    parse_spec,
)
from lanista.arena.submission_queue import AllSubmissions
from lanista.arena.submissions import LadderSubmissions
from lanista.bots.limits import BotLimits, parse_limits
from lanista.cli.serving import _reread
from lanista.errors import SpecError
from lanista.games.angrymob.ruleset import RULESET
from lanista.hosting.control import Changes
from support.arenas import arena_options, arena_server
from support.builds import make_up

ANN = LadderName(name="Ann", owner=Owner(b"ann"), registered=datetime(2026, 9, 1, tzinfo=UTC))

OLD = """
[[ladders]]
name = "one"
game = "angrymob"
[[ladders]]
name = "two"
game = "angrymob"
submissions = true
"""
NEW = """
max_connections = 7
max_per_address = 5
hello_timeout = 3
registration = "closed"
drain = 9
[[ladders]]
name = "two"
game = "angrymob"
fill_after = 1
bench_after = 4
submissions = { per_hour = 3 }
[[ladders]]
name = "one"
game = "angrymob"
"""


def spec(text):
    return parse_spec(text, "arena.toml")


def test_limits_take_effect_and_nothing_else():
    old, new = spec(OLD), spec(NEW + '[page]\nlisten = "1"\n')
    options = arena_options(RULESET, ladders=old.ladders, port=1)
    changed = with_limits(options, new)
    assert (7, 5, 3.0, Registration.CLOSED, 9.0) == tuple(
        getattr(changed.spec, key) for key in LIMITS
    )
    one, two = changed.spec.ladders
    assert old.ladders[0] == one
    assert (1.0, 4, Submissions(per_hour=3)) == tuple(getattr(two, key) for key in LADDER_LIMITS)
    assert ["page.listen"] == unchangeable(old, new)
    assert [] == unchangeable(old, spec(NEW))


def test_every_other_key_is_named():
    """Also those of ladders, each by its number in the file; a missing ladder is a change."""
    new = spec(f'port = 1\n{OLD}clock.time_move = 3\nhouse = ["Demo"]\n[page]\nopen_logs = true\n')
    expected = ["port", "page.open_logs", "ladders[2].house", "ladders[2].clock.time_move"]
    assert expected == unchangeable(spec(OLD), new)
    none = spec(OLD.replace("submissions = true", ""))
    assert ["ladders[2].submissions"] == unchangeable(spec(OLD), none)
    options = arena_options(RULESET, ladders=spec(OLD).ladders)
    assert spec(OLD).ladders == with_limits(options, none).spec.ladders
    assert ["ladders"] == unchangeable(spec(OLD), ArenaSpec(ladders=spec(OLD).ladders[:1]))
    tls = '[tls]\ncertificate = "a"\nkey = "b"'
    assert ["tls"] == unchangeable(spec(""), spec(tls))


@pytest.mark.parametrize(
    "wrong",
    [
        OLD + "settings = { rounds = 1 }",
        OLD + 'maps = ["nowhere.map"]',
        OLD + 'house = ["nobody", "Demo"]',
        OLD.replace('"angrymob"\nsubmissions', '"chess"\nsubmissions'),
    ],
)
def test_a_file_is_refused_by_the_words_of_a_start(tmp_path, wrong):
    """A restart would fail otherwise, perhaps weeks later."""
    file = tmp_path / "arena.toml"
    file.write_text(wrong)
    options = arena_options(RULESET, data=tmp_path, ladders=spec(wrong).ladders, folder=tmp_path)
    with ExitStack() as opened, pytest.raises(SpecError) as start:
        open_ladders(options, opened)
    with pytest.raises(SpecError) as again:
        _reread(file, spec(OLD), {}, options)
    assert f"{file}: {start.value}" == str(again.value)


async def test_an_arena_goes_on_with_its_new_limits(tmp_path):
    """On each ladder too: house bots come earlier, say."""
    ladder = LadderSpec(name="pit", game="angrymob", fill_after=1000.0)
    options = arena_options(RULESET, data=tmp_path, ladders=(ladder,))
    with ExitStack() as opened:
        server = await arena_server(options, opened)
        limits = attrs.evolve(ladder, fill_after=1.0, bench_after=7)
        server.reload(
            arena_options(
                RULESET,
                data=tmp_path,
                ladders=(limits,),
                max_connections=1,
                max_per_address=1,
                hello_timeout=2.0,
                registration=Registration.CLOSED,
            )
        )
        room = server.ladders["pit"]
        assert not server.names.is_open
        admission = server.connections.admission
        assert (1, 1) == (admission.limit, admission.per_address)
        assert 2.0 == server.options.spec.hello_timeout
        assert limits == room.spec
        assert (1.0, 7) == (room._ladder._fill_after, room._ladder._bench_after)


async def test_programs_that_play_already_get_new_limits(tmp_path, monkeypatch):
    """They begin no match if the arena reads its file before it serves."""
    make_up(monkeypatch)
    house = (HouseBot(command="CamperJoe"),)
    ladder = LadderSpec(
        name="pit", game="angrymob", house=house, fill_after=0.0, submissions=Submissions()
    )
    options = arena_options(RULESET, data=tmp_path, ladders=(ladder,))
    with ExitStack() as opened:
        server = await arena_server(options, opened)
        room = server.ladders["pit"]
        submissions = LadderSubmissions.open(room, tmp_path / "programs", (), Changes())
        server.submissions = AllSubmissions({"pit": submissions}, Changes())
        version = await submissions.hand_in(ANN, "bot.py", b"x")
        await submissions.bring_up(ANN.key, version.number)
        assert BotLimits() == room.submitted["Ann"].contestant.limits
        # With a thousand programs, to offer them all again would hold the event loop for seconds.
        monkeypatch.setattr(LadderRoom, "offer", None)
        limited = attrs.evolve(ladder, submissions=Submissions(limits="memory=64M"))
        server.reload(arena_options(RULESET, data=tmp_path, ladders=(limited,)))
        assert parse_limits("memory=64M") == room.submitted["Ann"].contestant.limits


@pytest.mark.parametrize(
    "fault", [SpecError("no such map"), IndexError("in read_board"), SystemExit("in read_board")]
)
async def test_a_file_that_cannot_be_used_changes_nothing(fault):
    """The arena and its matches go on, even if a game fails when it reads a map."""

    def reread(_):
        raise fault

    arena = Arena(arena_options(RULESET))
    before = arena.options
    with structlog.testing.capture_logs() as logged:
        await _reload(arena, reread, trio.Lock())
    assert ["the arena's file can't be used; nothing is changed"] == [e["event"] for e in logged]
    assert str(fault) in str(logged)
    assert before is arena.options
