"""Two arenas that play one ladder, on a PostgreSQL server: what each knows of the other."""

import contextlib

import pytest
import trio

from arena.rooms import play, store
from e2e.running import run_here
from lanista.arena import ladder_results
from lanista.arena.decisions import add_name, reset_token
from lanista.arena.ladder_room import open_ladders
from lanista.arena.spec import LadderSpec
from lanista.games.angrymob.ruleset import RULESET
from lanista.results.names import NameStore
from lanista_protocol import Hello, RemoteProtocolError
from support.arenas import arena_options
from support.waiting import PATIENCE, until

HERE = "127.0.0.1"


@pytest.fixture
def opened(arena_url, tmp_path):
    """Open the ladder and the names of one of the arenas, each with a data folder of its own."""
    with contextlib.ExitStack() as stack:

        def opened(arena):
            pit = LadderSpec(name="pit", game="angrymob", settings={"move_limit": 1})
            options = arena_options(RULESET, ladders=(pit,), store=arena_url, data=tmp_path / arena)
            rooms, names = open_ladders(options, stack)
            return rooms["pit"], names

        yield opened


@pytest.fixture
def open_room(opened):
    """Open the ladder alone."""
    return lambda arena: opened(arena)[0]


def known(room):
    """By name: the number of its matches that a ladder knows."""
    return {name: entry.matches for name, entry in room._ladder._names.items()}


async def check_until_refused(arena, hello):
    while True:
        await arena.check(hello, HERE)
        await trio.sleep(0.05)


async def test_each_arena_knows_what_all_have_played(open_room, nursery, monkeypatch):
    """Many matches at once, in several pieces; every match counts once in both."""
    monkeypatch.setattr(ladder_results, "LOOK_INTERVAL", 0.02)
    monkeypatch.setattr(ladder_results, "AT_ONCE", 7)
    one, other = open_room("one"), open_room("other")
    for number in range(10):
        play(one, "Ann", "Bob", ranks=[(1, 2), (2, 1)][number % 2])
    for room in (one, other):
        nursery.start_soon(room.results.run)
    await until(lambda: known(other) == {"Ann": 10, "Bob": 10})
    for _ in range(3):
        play(other, "Cem", "Ann")
    expected = {"Ann": 13, "Bob": 10, "Cem": 3}
    for room in (one, other):
        await until(lambda room=room: known(room) == expected)
        await until(lambda room=room: not room.results._own)
    assert expected == known(open_room("one"))


async def test_missing_records_are_counted_as_others_have_those_of_their_matches(
    arena_url, open_room, tmp_path
):
    room = open_room("one")
    for _ in range(3):
        play(room, "Ann", "Bob")
    store(room)
    ladder = '[[ladders]]\nname = "pit"\ngame = "angrymob"\n'
    (tmp_path / "arena.toml").write_text(f'data = "other"\nstore = "{arena_url}"\n{ladder}')
    done = run_here(["arena", "verify", "arena.toml"], tmp_path)
    assert "pit: 3 matches stored; record missing, or at another arena: 3\n" == done.out
    assert (0, "") == (done.code, done.err)


async def test_names_are_shared(opened):
    """One that is registered at one arena is known at the other; a reset holds for both."""
    (_, one), (_, other) = opened("one"), opened("other")
    async with trio.open_nursery() as nursery:
        third = NameStore(one.store.database)
        for each in (one, other):
            nursery.start_soon(each.run)
        await one.check(Hello(name="Ann", token="hers", room="pit"), HERE)
        with pytest.raises(RemoteProtocolError, match="registered with another token"):
            await other.check(Hello(name="ann", token="other", room="pit"), HERE)
        known = await other.check(Hello(name="Ann", token="hers", room="pit"), HERE)
        assert known.is_registered
        token = add_name(third, "Bob")
        for each in (one, other):
            await each.check(Hello(name="Bob", token=token, room="pit"), HERE)
        reset_token(third, "Bob")
        with trio.fail_after(PATIENCE):
            for each in (one, other):
                with pytest.raises(RemoteProtocolError, match="registered with another token"):
                    await check_until_refused(each, Hello(name="Bob", token=token, room="pit"))
        nursery.cancel_scope.cancel()
