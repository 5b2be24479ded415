"""What names and tokens cost: how often they are computed, who waits, what is remembered."""

import threading

import pytest
import trio

from arena.hellos import FAR, HERE, OTHERS, enter, fail, refused
from lanista.arena import names as module
from lanista.arena import tokens
from lanista.arena.decisions import add_name, reset_token
from lanista.arena.names import (
    ALL_WRONG_TOKENS,
    ALL_WRONG_TOKENS_INTERVAL,
    WRONG_TOKEN_INTERVAL,
    WRONG_TOKENS,
    Names,
)
from lanista.results.names import NameStore
from lanista_protocol import ErrorCode


async def test_a_token_that_was_compared_is_remembered(names, computed, mock_clock):
    """For as long as the arena runs."""
    await enter(names, "joe token=one")
    await refused(names, "joe token=two")
    assert ["hash_of", "matches"] == computed
    mock_clock.jump(365 * 24 * 3600)
    await enter(names, "joe token=one")
    await refused(names, "joe token=two")
    assert 2 == len(computed)


async def test_a_token_that_was_right_lately_needs_no_database(names, store, computed, monkeypatch):
    """Unless something was revoked meanwhile, by any process."""
    found = []
    find = NameStore.find

    def noted(self, name):
        found.append(name)
        return find(self, name)

    monkeypatch.setattr(NameStore, "find", noted)
    await names.look()
    await enter(names, "Joe token=one")
    await enter(names, "ann token=one")
    for _ in range(5):
        assert "Joe" == await enter(names, "joe token=one")
    assert {"Joe", "ann"} == set(found)  # before they were registered
    found.clear()
    reset_token(store, "ann")
    await names.look()
    assert ErrorCode.BAD_TOKEN is (await refused(names, "ann token=one"))[0]
    for _ in range(2):
        assert "Joe" == await enter(names, "joe token=one")
    assert ["ann", "ann", "joe"] == found
    # A database that can't be asked isn't trusted to have changed nothing.
    monkeypatch.setattr(NameStore, "changes", fail)
    await names.look()
    assert "Joe" == await enter(names, "joe token=one")
    assert ["joe"] == found[3:]
    assert ["hash_of", "hash_of", "hash_of", "matches"] == computed  # the third is the operator's


async def test_a_token_that_is_replaced_while_it_is_looked_up(names, store, monkeypatch):
    """It isn't trusted for what was read before."""
    await enter(names, "joe token=one")
    names._changes = store.changes()
    find = NameStore.find

    def slow_find(self, name):
        found = find(self, name)
        reset_token(store, "joe")
        return found

    monkeypatch.setattr(NameStore, "find", slow_find)
    assert "joe" == await enter(names, "joe token=one")
    monkeypatch.setattr(NameStore, "find", find)
    names._changes = store.changes()
    assert OTHERS == await refused(names, "joe token=one")


async def test_connections_that_come_at_once_are_checked_once(names, computed):
    async with trio.open_nursery() as nursery:
        for _ in range(10):
            nursery.start_soon(enter, names, "joe token=one")
    assert ["hash_of"] == computed


async def test_guessing_is_slow(names, computed, inline, autojump_clock):
    """Each verdict on a token comes from a comparison, and none before it is due."""
    await enter(names, "joe token=one", FAR)
    computed.clear()
    began = trio.current_time()
    for number in range(WRONG_TOKENS):
        assert OTHERS == await refused(names, f"joe token=wrong{number}")
    assert began == trio.current_time()
    for number in range(3):
        assert OTHERS == await refused(names, f"joe token=other{number}")
    assert 3 * WRONG_TOKEN_INTERVAL == trio.current_time() - began
    assert WRONG_TOKENS + 3 == len(computed)
    # Known ones, other names and other addresses don't wait.
    assert OTHERS == await refused(names, "joe token=wrong1")
    await enter(names, "ann token=hers")
    await refused(names, "ann token=wrong")
    assert OTHERS == await refused(names, "joe token=more", FAR)
    assert "joe" == await enter(names, "joe token=one")
    assert 3 * WRONG_TOKEN_INTERVAL == trio.current_time() - began
    # Nobody is held back longer than for what was sent.
    await trio.sleep(WRONG_TOKENS * WRONG_TOKEN_INTERVAL)
    began = trio.current_time()
    for number in range(WRONG_TOKENS):
        await refused(names, f"joe token=new{number}")
    assert began == trio.current_time()


async def test_guessing_is_slow_with_many_names_too(closed, inline, autojump_clock):
    """Else an address would keep a thread busy with names that nobody has."""
    began = trio.current_time()
    for number in range(ALL_WRONG_TOKENS + 3):
        await refused(closed, f"bot{number} token=one")
    assert 3 * ALL_WRONG_TOKENS_INTERVAL == trio.current_time() - began
    await refused(closed, "bot token=one", FAR)
    assert 3 * ALL_WRONG_TOKENS_INTERVAL == trio.current_time() - began


@pytest.mark.parametrize(
    ("others", "seconds"),
    [
        ([f"joe token=wrong{number}" for number in range(30)], 30 * WRONG_TOKEN_INTERVAL),
        (
            [f"bot{number % 3} token=wrong{number}" for number in range(30)],
            30 * ALL_WRONG_TOKENS_INTERVAL,
        ),
    ],
    ids=["one name", "many names"],
)
async def test_a_right_token_is_let_in_behind_a_guesser(
    closed, store, inline, autojump_clock, others, seconds
):
    """It was never sent before, and others send wrong ones from its address without end.

    It waits at most one interval for each connection that came before.
    """
    for name in ("joe", "bot0", "bot1", "bot2"):
        add_name(store, name, "right")
    is_in = trio.Event()

    async def guess(hello):
        number = 0
        while not is_in.is_set():
            number += 1
            assert ErrorCode.BAD_TOKEN is (await refused(closed, f"{hello}.{number}"))[0]

    async with trio.open_nursery() as nursery:
        for hello in others:
            nursery.start_soon(guess, hello)
        await trio.sleep(200)
        began = trio.current_time()
        assert "joe" == await enter(closed, "joe token=right")
        assert trio.current_time() - began <= seconds
        # From now on it is let in at once, in the middle of all that.
        began = trio.current_time()
        assert "joe" == await enter(closed, "joe token=right")
        assert began == trio.current_time()
        is_in.set()


async def test_right_tokens_use_up_nothing(names, store, mock_clock):
    """Also of a class whose bots all come back after the arena was started again."""
    token = {name: add_name(store, name) for name in map(str, range(3 * WRONG_TOKENS))}
    async with trio.open_nursery() as nursery:
        for name, each in token.items():
            nursery.start_soon(enter, names, f"{name} token={each}")
    await refused(names, "1 token=wrong")


async def test_an_address_registers_so_many_names(names, monkeypatch, mock_clock):
    """But this machine as many as it likes. It may try again later; wrong tokens don't count."""
    await enter(names, "far token=one", FAR)
    for number in range(WRONG_TOKENS):
        await refused(names, f"far token=wrong{number}")
    for number in range(module.NEW_NAMES):
        await enter(names, f"bot{number} token=one")
    code, words = await refused(names, "new token=one")
    assert ErrorCode.SERVER_FULL is code
    assert "too many new names from 10.0.0.1; try again in 60 s, or use a name that is" in words
    assert "bot1" == await enter(names, "bot1 token=one")
    assert "new" == await enter(names, "new token=one", FAR)
    for number in range(module.NEW_NAMES + 1):
        await enter(names, f"own{number} token=one", HERE)
    mock_clock.jump(module.NEW_NAME_INTERVAL)
    assert "newer" == await enter(names, "newer token=one")


async def test_everything_that_is_remembered_is_bounded(store, computed, monkeypatch, mock_clock):
    monkeypatch.setattr(module, "REMEMBERED", 10)
    monkeypatch.setattr(module, "WRONG_TOKENS", 1000)
    names = Names(store, is_open=True)
    await enter(names, "joe token=one", HERE)
    for number in range(30):
        await enter(names, f"bot{number} token=one", HERE)
        await enter(names, "joe token=one", HERE)
        await refused(names, f"joe token=wrong{number}", HERE)
    assert 10 == len(names._right) == len(names._wrong)
    # The one that was used last is kept, and wrong tokens replace no right ones.
    before = len(computed)
    await enter(names, "joe token=one", HERE)
    assert before == len(computed)


@pytest.fixture
async def slow(names, monkeypatch):
    """Names, the tokens that are being compared, one after another, and what lets that end.

    It is an event for threads; the first comparison sets another one, for tasks.
    """
    begun, began, go_on = [], trio.Event(), threading.Event()

    loop = trio.lowlevel.current_trio_token()

    def matches(token, token_hash):
        begun.append(token)
        loop.run_sync_soon(began.set)
        assert go_on.wait(60)
        return False

    monkeypatch.setattr(tokens, "matches", matches)
    monkeypatch.setattr(names, "_comparing", trio.CapacityLimiter(1))
    yield names, begun, began, go_on
    go_on.set()


async def test_addresses_take_turns(slow):
    """And what was right once is let in meanwhile."""
    names, begun, began, go_on = slow
    await enter(names, "joe token=one")
    async with trio.open_nursery() as nursery:
        for number in range(3):
            nursery.start_soon(refused, names, f"joe token=near{number}")
        # One is compared, the others wait.
        await began.wait()
        assert "joe" == await enter(names, "joe token=one")
        nursery.start_soon(refused, names, "joe token=far", FAR)
        # It is looked up before, in a thread.
        while not names._comparing.statistics().tasks_waiting:
            await trio.lowlevel.checkpoint()
        assert 1 == len(begun)
        go_on.set()
    assert {"near0", "near1", "near2", "far"} == set(begun)
    assert "far" == begun[1]


async def test_a_bot_that_leaves_gives_up_its_place_but_is_answered_for(slow):
    """What was being compared for it is remembered, and counts."""
    names, begun, began, go_on = slow
    await enter(names, "joe token=one")

    async def leave():
        await began.wait()
        scope.cancel()
        go_on.set()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(leave)
        with trio.CancelScope() as scope:
            await refused(names, "joe token=left")
    assert OTHERS == await refused(names, "joe token=left")
    assert ["left"] == begun
    assert 0 == names._comparing.borrowed_tokens
    assert {} == names._wrong_tokens._turns._locks
    (left,) = names._wrong_tokens._whole_at.values()
    assert 0 < left - trio.current_time()
