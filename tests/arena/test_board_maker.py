"""The boards that a process of the arena's own makes, and what happens when it fails."""

import itertools
import os
import signal

import attrs
import pytest
import structlog
import trio
import trio.testing

from lanista.arena import match_player
from lanista.arena.match_player import BoardMaker, LoopPlayer
from lanista.games import registry
from lanista.games.base import complete_settings
from lanista.hosting.control import RunningMatches
from lanista.match.conditions import MatchSpec, prepare_board, unpack_board
from support.processes import runs

HANGS = 0.5
"""Seconds that a helper gets which is stopped: enough for the call to reach it."""


def spec_of(game, seed, board=None):
    ruleset = registry.get(game)
    settings = complete_settings(ruleset, {})
    return MatchSpec(match="m", ruleset=ruleset, settings=settings, seed=seed, board=board)


def made_here(spec):
    return prepare_board(spec.ruleset, spec.settings, spec.seed)


def draws(prepared):
    return [prepared.chance.below(1000, "any") for _ in range(5)]


@pytest.fixture
async def maker(monkeypatch):
    """A maker whose worker has time, since this machine may be busy."""
    monkeypatch.setattr(match_player, "MAKING_TIME", 60)
    maker = BoardMaker()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(maker.run)
        await maker._helper._is_open.wait()
        yield maker
        nursery.cancel_scope.cancel()


@pytest.mark.parametrize("game", registry.ours())
async def test_the_worker_makes_the_board_of_the_seed(maker, game):
    """With the chance as the board has left it: the match goes on drawing from there."""
    for seed in (3, 1):
        spec = spec_of(game, seed)
        prepared, expected = unpack_board(await maker.pack(spec)), made_here(spec)
        assert (expected.board, expected.text) == (prepared.board, prepared.text)
        assert draws(expected) == draws(prepared)


async def test_a_board_that_is_given_needs_no_helper():
    """This maker has none, as it doesn't run."""
    assert b"" == await BoardMaker().pack(spec_of("crematoria", 1, board="a board"))


async def test_one_match_begins_in_a_pass(maker):
    """Also where the board is given: what follows in the match takes time as well."""
    passes = 0
    begun_in = []

    async def count():
        nonlocal passes
        while True:
            await trio.lowlevel.checkpoint()
            passes += 1

    async def begin():
        await maker.pack(spec_of("angrymob", 1, board="a board"))
        begun_in.append(passes)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(count)
        async with trio.open_nursery() as beginning:
            for _ in range(5):
                beginning.start_soon(begin)
        nursery.cancel_scope.cancel()
    later = itertools.pairwise(begun_in)
    # A pass runs its tasks in any order, so that the counter may be before or after.
    assert all(one < other for one, other in later)


async def test_a_board_that_the_worker_cannot_make_is_left_to_the_match(maker):
    """A match with a broken ruleset is aborted with the trace; the worker goes on."""
    spec = spec_of("crematoria", 1)
    broken = attrs.evolve(spec, settings={})
    assert b"" == await maker.pack(broken)
    assert made_here(spec).text == unpack_board(await maker.pack(spec)).text


async def test_a_helper_that_hangs_is_replaced(maker, monkeypatch):
    """The match whose board is lost makes it itself."""
    helper = await maker._helper.call(os.getpid)
    os.kill(helper, signal.SIGSTOP)
    with monkeypatch.context() as patched:
        patched.setattr(match_player, "MAKING_TIME", HANGS)
        assert b"" == await maker.pack(spec_of("crematoria", 2))
    assert not runs(helper)
    spec = spec_of("crematoria", 3)
    assert made_here(spec).text == unpack_board(await maker.pack(spec)).text


async def test_a_helper_that_hangs_while_the_arena_ends_is_no_error(maker, monkeypatch):
    """The match that waits for its board won't be played."""
    player = LoopPlayer(RunningMatches())
    player.boards = maker
    helper = await maker._helper.call(os.getpid)
    os.kill(helper, signal.SIGSTOP)
    monkeypatch.setattr(match_player, "MAKING_TIME", HANGS)
    player.interrupt()
    with structlog.testing.capture_logs() as logs:
        assert b"" == await maker.pack(spec_of("crematoria", 2))
    assert [] == logs
    assert not runs(helper)


async def test_without_room_for_a_process_matches_make_their_boards(maker, monkeypatch):
    """The log says so for each of them."""

    async def start(_):
        raise OSError(12, "Cannot allocate memory")

    monkeypatch.setattr("trio_parallel._proc.SpawnProcWorker.start", start)
    with structlog.testing.capture_logs() as logs:
        assert b"" == await maker.pack(spec_of("crematoria", 1))
    assert [("the board worker failed", "m")] == [(one["event"], one["match"]) for one in logs]
