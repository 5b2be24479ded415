"""The operator's token: how slow guessing it is, and that the operator gets in all the same.

The rules by themselves, without sockets; that the page keeps to them, at the end.
"""

from types import SimpleNamespace

import pytest
import structlog
import trio
import trio.testing

from lanista.hosting.control import RunningMatches
from lanista.page import connections
from lanista.page.authorization import (
    LOG_INTERVAL,
    WRONG_TOKEN_INTERVAL,
    WRONG_TOKENS,
    OperatorToken,
)
from lanista.page.view import View
from page.house import done, showing
from page.test_connections import crowd
from support.waiting import until

NEAR, FAR = "10.0.0.1", "10.0.0.2"
TOKEN = "0123456789abcdef"


async def guess(operator, *, times, address=NEAR):
    for number in range(times):
        assert not await operator.is_operators(f"guess {number}", address)


async def test_without_a_token_everybody_is_the_operator():
    operator = OperatorToken(None)
    assert not operator.is_needed
    assert await operator.is_operators(None, NEAR)
    assert await operator.is_operators("anything", NEAR)


async def test_guessing_is_slow(autojump_clock):
    """Of each address by itself; a request without a token is none."""
    operator = OperatorToken(TOKEN)
    assert operator.is_needed
    assert TOKEN not in repr(operator)
    began = trio.current_time()
    await guess(operator, times=WRONG_TOKENS)
    assert began == trio.current_time()
    await guess(operator, times=3)
    assert 3 * WRONG_TOKEN_INTERVAL == trio.current_time() - began
    await guess(operator, times=WRONG_TOKENS, address=FAR)
    assert not await operator.is_operators(None, NEAR)
    assert 3 * WRONG_TOKEN_INTERVAL == trio.current_time() - began


async def test_a_long_token_is_accepted_at_once(autojump_clock):
    """However many wrong ones from the same address wait."""
    operator = OperatorToken(TOKEN)
    async with trio.open_nursery() as nursery:
        for _ in range(20):
            nursery.start_soon(lambda: guess(operator, times=5))
        await trio.sleep(1)
        began = trio.current_time()
        assert await operator.is_operators(TOKEN, NEAR)
        assert began == trio.current_time()


async def test_a_short_token_has_its_turn(autojump_clock):
    """Else guessers would see by a quick answer that they are right."""
    operator = OperatorToken("sesame")
    assert await operator.is_operators("sesame", NEAR)
    await guess(operator, times=WRONG_TOKENS)
    began = trio.current_time()
    async with trio.open_nursery() as nursery:
        for _ in range(20):
            nursery.start_soon(lambda: guess(operator, times=5))
        await trio.testing.wait_all_tasks_blocked()
        assert await operator.is_operators("sesame", NEAR)
        assert 21 * WRONG_TOKEN_INTERVAL == trio.current_time() - began
        # Elsewhere nobody is delayed.
        assert await operator.is_operators("sesame", FAR)
        assert 21 * WRONG_TOKEN_INTERVAL == trio.current_time() - began


async def test_the_log_tells_of_wrong_tokens_now_and_then(autojump_clock):
    """At once, then after how many were left out; never the tokens."""
    operator = OperatorToken(TOKEN)
    with structlog.testing.capture_logs() as lines:
        await guess(operator, times=WRONG_TOKENS)
        await guess(operator, times=5, address=FAR)
        await trio.sleep(LOG_INTERVAL)
        await guess(operator, times=1, address=FAR)
    assert [
        ("wrong operator's token", NEAR),
        ("lines like the next were left out", WRONG_TOKENS - 1 + 5),
        ("wrong operator's token", FAR),
    ] == [(line["event"], line.get("host", line.get("count"))) for line in lines]
    assert {"warning"} == {line["log_level"] for line in lines}
    assert "guess" not in str(lines)


# -- on the page -----------------------------------------------------------------------------------


async def test_all_ways_to_show_a_token_count_together(autojump_clock):
    async with showing(View(RunningMatches()), token=TOKEN) as house:
        page = await house.page()
        ways = [
            lambda: house.get("/metrics?token=guess"),
            lambda: house.get("/metrics", "Authorization: Bearer guess"),
            lambda: house.get("/api/1/names", "Authorization: Bearer guess"),
            lambda: page.ask("token", token="guess"),
        ]
        for _ in range(WRONG_TOKENS):
            await page.ask("token", token="guess")
        for way in ways:
            began = trio.current_time()
            await way()
            # Within the seconds that a connection takes to close, the next one is nearer.
            assert 1 < trio.current_time() - began
        # Meanwhile a viewer is served, and one that leaves isn't waited for.
        for viewer in (page, other := await house.page()):
            await viewer.say(do="token", token="guess")
        assert done(await page.ask("lobby"))
        await other.socket.aclose()
        await until(lambda: 1 == len(house.server.viewers))


@pytest.mark.parametrize("header", [b"Bearer guess", b"Basic QW5uOmd1ZXNz"])  # Ann:guess
async def test_tokens_that_wait_keep_no_request_out(monkeypatch, autojump_clock, header):
    """Whoever is closed for others waits no longer, so connections don't pile up."""
    monkeypatch.setattr(connections, "MAX_REQUESTS", 20)
    monkeypatch.setattr(connections, "ENTERING", 4)
    said = b"GET /api/1/names HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: %s\r\n\r\n" % header
    names = _Slow()
    async with showing(View(RunningMatches()), token=TOKEN) as house:
        house.server.view.arena = SimpleNamespace(names=names)
        async with crowd(house, 50, said):
            began = trio.current_time()
            assert 200 == (await house.get("/healthz")).status
            assert trio.current_time() - began < 1
            assert len(house.server.connections.peers) <= 20
            assert names.waiting <= 20


class _Slow:
    """Names that take for ever to be proved."""

    waiting = 0

    async def prove(self, *_):
        self.waiting += 1
        try:
            await trio.sleep_forever()
        finally:
            self.waiting -= 1
