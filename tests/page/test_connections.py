"""The page's connections: their bounds in number, time and bytes, and who goes beyond them.

Over real sockets, with a clock that jumps: seconds that nobody works in take no time.
"""

import contextlib
import socket
from collections import Counter

import pytest
import structlog
import trio
import trio.testing
from websockets.exceptions import ConnectionClosedError

from lanista.hosting.control import RunningMatches
from lanista.page import connections as module
from lanista.page.answers import Answer
from lanista.page.connections import Connections
from lanista.page.routes import page_files
from lanista.page.server import MAX_FRAGMENTS
from lanista.page.view import View
from page.house import done, one_match, settled, showing
from support.waiting import until

HALF = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n"
PAGE = b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
LARGE = b"x" * 20_000_000  # more than all buffers between us hold
ASKED = PAGE.replace(b"/ ", b"/large ")
HANDSHAKE = module.HANDSHAKE
CROWDED = b"HTTP/1.1 503 Service Unavailable\r\n"
UPGRADE = (
    b"GET /api/1/ws HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)
LOBBY = b'{"do":"lobby"}'
WANTS_LOBBY = bytes([0x81, 0x80 | len(LOBBY), 0, 0, 0, 0]) + LOBBY  # masked by zeros


@contextlib.asynccontextmanager
async def crowd(house, count, said=HALF, source="127.0.0.1"):
    """So many connections from an address that have said this."""
    async with contextlib.AsyncExitStack() as stack:
        streams = []
        for _ in range(count):
            sock = trio.socket.socket()
            stack.push_async_callback(trio.aclose_forcefully, trio.SocketStream(sock))
            await sock.bind((source, 0))
            await sock.connect(("127.0.0.1", house.server.port))
            streams.append(trio.SocketStream(sock))
            await streams[-1].send_all(said)
        await trio.testing.wait_all_tasks_blocked()
        yield streams


def with_large_file(monkeypatch):
    """Let the page have one more file."""
    files = {**page_files(), "/large": Answer(LARGE, "text/plain")}
    monkeypatch.setattr("lanista.page.routes.page_files", lambda: files)


async def gave_way(stream):
    """Whether the page has turned a connection away whose request isn't complete, and said so."""
    with trio.move_on_after(0.01):
        return (await stream.receive_some()).startswith(CROWDED)
    return False


async def test_half_requests_keep_nobody_out(lone, autojump_clock):
    """620 at once: the page answers meanwhile, in no time, and closes them when theirs is up.

    Those that gave way are told so.
    """
    async with crowd(lone, 620) as streams:
        began = trio.current_time()
        assert 200 == (await lone.get("/")).status
        assert done(await (await lone.page()).ask("lobby"))
        assert trio.current_time() - began < 0.1
        assert [True, False] == [await gave_way(streams[place]) for place in (0, -1)]
        for stream in streams[-400:]:
            with contextlib.suppress(trio.BrokenResourceError):
                assert b"" == await stream.receive_some(1)
        assert trio.current_time() - began == pytest.approx(module.REQUEST_TIME, abs=0.1)
        assert 1 == len(lone.server.connections.peers)  # the viewer


async def test_a_websocket_that_nobody_accepts_any_more_is_closed():
    """Nobody accepts one when the page ends meanwhile."""
    peers = []

    async def answer(peer, _):
        peer.is_viewer = True
        peers.append(peer)

    [listener] = await trio.open_tcp_listeners(0, host="127.0.0.1")
    connections = Connections([listener], answer)
    async with listener, trio.open_nursery() as nursery:
        nursery.start_soon(connections.run)
        stream = await trio.testing.open_stream_to_socket_listener(listener)
        await stream.send_all(UPGRADE)
        await until(lambda: peers)
        await trio.testing.wait_all_tasks_blocked()
        nursery.cancel_scope.cancel()
    await trio.aclose_forcefully(stream)
    assert -1 == peers[0].socket.fileno()


async def test_a_peer_whose_machine_is_gone_is_noticed(lone):
    """Otherwise what it had begun to hand in would be kept as long as a slow line may take."""
    async with crowd(lone, 1):
        (peer,) = lone.server.connections.peers
        assert 1 == peer.socket.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)


async def test_a_connection_that_takes_no_options_is_closed_alone(lone):
    """Systems other than Linux may refuse the options of one that its peer has reset already."""
    ours, theirs = socket.socketpair()  # it isn't TCP
    with theirs:
        await lone.server.connections._serve(ours)
    assert -1 == ours.fileno()


async def test_a_request_may_come_in_pieces_but_not_for_ever(lone, autojump_clock):
    """Bytes that trickle in don't win time."""
    for pause, answered in ((0.1, True), (0.4, False)):
        async with crowd(lone, 1, b"") as (stream,):
            answer = b""
            with contextlib.suppress(trio.BrokenResourceError):
                for place in range(0, len(PAGE), 2):
                    await stream.send_all(PAGE[place : place + 2])
                    await trio.sleep(pause)
                answer = await stream.receive_some()
            assert answered is answer.startswith(b"HTTP/1.1 200 ")


async def test_a_request_has_a_length(lone, autojump_clock):
    """At once, not when its time is up."""
    async with crowd(lone, 1) as (stream,):
        began = trio.current_time()
        with contextlib.suppress(trio.BrokenResourceError):
            while True:
                await stream.send_all(b"X: " + b"y" * 1000 + b"\r\n")
        assert trio.current_time() - began < 1


async def test_a_fault_of_ours_ends_its_connection_alone(lone, autojump_clock, monkeypatch):
    """Even before there is a request; the log has it, and the page goes on."""
    with structlog.testing.capture_logs() as logged, monkeypatch.context() as broken:
        broken.setattr(Connections, "admit", lambda *_: 1 / 0)
        async with crowd(lone, 1) as (stream,):
            with contextlib.suppress(trio.BrokenResourceError):
                assert b"" == await stream.receive_some()
    assert "ZeroDivisionError" in logged[0]["trace"]
    assert 200 == (await lone.get("/healthz")).status


async def test_of_too_many_the_one_that_is_idle_for_the_longest_goes(
    lone, autojump_clock, monkeypatch
):
    """Not one whose answer is being taken, nor a viewer."""
    monkeypatch.setattr(module, "MAX_REQUESTS", 3)
    viewer = await lone.page()
    with_large_file(monkeypatch)
    async with crowd(lone, 1, ASKED) as (takes,):
        await trio.sleep(1)
        async with crowd(lone, 2) as idle:
            await trio.sleep(1)
            for _ in range(5):
                assert await takes.receive_some(1_000_000)
                await trio.testing.wait_all_tasks_blocked()
            assert 200 == (await lone.get("/")).status
            assert [True, False] == [await gave_way(stream) for stream in idle]
            assert await takes.receive_some(1_000_000)
    assert done(await viewer.ask("lobby"))


async def test_the_address_with_the_most_gives_way(lone, autojump_clock, monkeypatch):
    """Whoever was there before from another one stays, however idle."""
    monkeypatch.setattr(module, "MAX_REQUESTS", 4)
    async with (
        crowd(lone, 1) as other,
        crowd(lone, 3, source="127.0.0.2") as streams,
        crowd(lone, 1, source="127.0.0.3") as newcomer,
    ):
        assert [True, False, False] == [await gave_way(stream) for stream in streams]
        assert [False, False] == [await gave_way(stream) for stream in (*other, *newcomer)]


class SlowTls:
    """In place of the TLS relay: a handshake is one byte, and ends when the test says so."""

    def __init__(self):
        self.done = trio.Event()

    async def relay(self, peer, _address, _seconds):
        with peer:
            await self.done.wait()
            peer.recv(1)
            return peer.dup()


async def test_handshakes_keep_nobody_out(lone, autojump_clock, monkeypatch):
    """More of them than there are places: the page goes on, and answers whoever comes then."""
    monkeypatch.setattr(module, "MAX_REQUESTS", 4)
    tls = lone.server.connections.tls = SlowTls()
    async with crowd(lone, 10, HANDSHAKE), crowd(lone, 1, HANDSHAKE + PAGE) as (last,):
        tls.done.set()
        assert (await last.receive_some()).startswith(b"HTTP/1.1 200 ")


async def test_who_gives_way_during_a_handshake_is_told_after_it(lone, autojump_clock, monkeypatch):
    """Whether its handshake has begun, which hands its socket on, or not."""
    monkeypatch.setattr(module, "MAX_REQUESTS", 4)
    tls = lone.server.connections.tls = SlowTls()
    async with (
        crowd(lone, 2, HANDSHAKE) as begun,
        crowd(lone, 2, b"") as silent,
        crowd(lone, 4, HANDSHAKE + PAGE) as others,
    ):
        tls.done.set()
        for stream in silent:
            await stream.send_all(HANDSHAKE)
        assert [True] * 4 == [await gave_way(stream) for stream in (*begun, *silent)]
        for stream in others:
            assert (await stream.receive_some()).startswith(b"HTTP/1.1 200 ")


async def test_handshakes_of_those_who_gave_way_take_no_newcomers_place(
    autojump_clock, monkeypatch
):
    """Where newcomers would have to wait they are closed at once; here all but the first."""
    monkeypatch.setattr(module, "MAX_REQUESTS", 4)
    monkeypatch.setattr(module, "ENTERING", 4)
    async with showing(View(RunningMatches())) as house:
        tls = house.server.connections.tls = SlowTls()
        tls.done.set()
        async with crowd(house, 20, b"") as silent:
            assert [b"", None, b""] == [await trickled(silent[place]) for place in (0, 1, -1)]
            assert trio.current_time() < 0.1
            answer = await house.raw(HANDSHAKE + PAGE)
            assert 200 == answer.status
            assert trio.current_time() < 0.1


async def test_off_loopback_an_address_has_half_of_the_places(lone, autojump_clock, monkeypatch):
    """Whoever leaves makes room."""
    monkeypatch.setattr(module, "MAX_REQUESTS", 4)
    monkeypatch.setattr(module, "MAX_VIEWERS", 4)
    monkeypatch.setattr(module, "is_loopback", lambda _: False)
    async with crowd(lone, 3) as streams:
        await until(lambda: len(lone.server.connections.peers) == 2)
        assert [True, False, False] == [await gave_way(stream) for stream in streams]
    viewer, _ = await lone.page(), await lone.page()
    answer = await lone.get("/api/1/ws", "Upgrade: websocket")
    assert (503, {"error": "too many viewers already"}) == (answer.status, answer.json)
    await viewer.socket.aclose()
    await until(lambda: len(lone.server.viewers) == 1)
    await lone.page()


async def test_viewers_of_one_address_keep_no_other_out(lone, autojump_clock, monkeypatch):
    """When all places are taken, the address with the most gives one up, as long as it has more."""
    monkeypatch.setattr(module, "MAX_VIEWERS", 4)
    async with crowd(lone, 4, UPGRADE, source="127.0.0.2") as streams:
        await until(lambda: len(lone.server.viewers) == 4)
        first, second = await lone.page(), await lone.page()
        assert [True, True, False, False] == [await trickled(stream) is None for stream in streams]
        answer = await lone.get("/api/1/ws", "Upgrade: websocket")
        assert (503, {"error": "too many viewers already"}) == (answer.status, answer.json)
        for page in (first, second):
            assert done(await page.ask("lobby"))


async def trickled(stream):
    """What a connection has been sent until now; None if it is closed."""
    received = b""
    with trio.move_on_after(0.01):
        while True:
            try:
                data = await stream.receive_some()
            except trio.BrokenResourceError:
                return None
            if not data:
                return None
            received += data
    return received


async def test_work_for_one_address_delays_no_other(autojump_clock, monkeypatch):
    """Nor do requests that wait for it pile up: those that are closed for others wait no longer."""
    monkeypatch.setattr(module, "MAX_REQUESTS", 20)
    monkeypatch.setattr(module, "ENTERING", 4)
    begun = []

    async def record_of(_view, match):
        begun.append(match)
        await trio.sleep_forever()

    monkeypatch.setattr(View, "record_of", record_of)
    asked = PAGE.replace(b"/ ", b"/api/1/matches/%s/record ")
    async with showing(View(RunningMatches())) as house, crowd(house, 50, asked % b"near"):
        began = trio.current_time()
        assert 200 == (await house.get("/healthz")).status
        async with crowd(house, 2, asked % b"far", source="127.0.0.2"):
            assert ["near", "far"] == begun
        assert trio.current_time() - began < 1


@pytest.mark.parametrize(("asked", "seconds"), [(ASKED, 400), (UPGRADE + WANTS_LOBBY, 4)])
async def test_an_answer_that_is_not_taken_ends_its_connection(
    autojump_clock, monkeypatch, asked, seconds
):
    """One that is taken slowly may take long."""
    monkeypatch.setattr("page.house.PATIENCE", 10_000)
    monkeypatch.setattr(module, "TAKING_TIME", 4)
    monkeypatch.setattr(View, "lobby", lambda _: LARGE)
    async with showing(View(RunningMatches())) as house:
        with_large_file(monkeypatch)
        async with crowd(house, 1, asked) as (stream,):
            await until(lambda: not house.server.connections.peers)
            assert trio.current_time() < module.REQUEST_TIME + module.TAKING_TIME
        monkeypatch.setattr(module, "TAKING_TIME", seconds)
        async with crowd(house, 1, asked) as (stream,):
            got, began = 0, trio.current_time()
            while got < len(LARGE):
                part = await stream.receive_some(1_000_000)
                assert part
                got += len(part)
                if trio.current_time() - began < 3 * module.TAKING_TIME:
                    await trio.sleep(module.TAKING_TIME / 4)
            assert trio.current_time() - began > 2 * module.TAKING_TIME


async def test_a_viewer_may_answer_a_ping_late(autojump_clock, monkeypatch):
    """On a slow line, the part of a file that it sends takes long; but it must answer."""
    monkeypatch.setattr("page.house.PATIENCE", 10_000)
    async with showing(View(RunningMatches())) as house, crowd(house, 1, UPGRADE):
        await trio.sleep(100)
        assert house.server.connections.peers
        await trio.sleep(100)
        assert not house.server.connections.peers


async def test_large_answers_have_a_bound_together(house, monkeypatch):
    """Records that nobody reads keep no other from being sent: the oldest gives way."""
    monkeypatch.setattr(module, "MAX_ANSWERS", 20_000_000)
    match = await one_match(house)
    await settled(house, match)  # nobody reads the record any more to list it
    path = house.arena.running.ended[match]
    path.write_bytes(path.read_bytes() + bytes(9_000_000))
    asked = PAGE.replace(b"/ ", f"/api/1/matches/{match}/record ".encode())
    peers = house.server.connections.peers
    async with crowd(house, 1, asked), crowd(house, 1, asked):
        await until(lambda: sum(peer.holds > 0 for peer in peers) == 1)
        answer = await house.get(f"/api/1/matches/{match}/record")
        assert (200, path.stat().st_size) == (answer.status, len(answer.body))


async def unanswered(_peer, _request):
    pytest.fail("nobody asks")


async def test_one_connection_a_pass_of_the_loop(autojump_clock):
    """However many have something to be done: matches have their turn in between."""
    connections, passes, turns = Connections([], unanswered), 0, []

    async def count():
        nonlocal passes
        while len(turns) < 100:
            passes += 1
            await trio.lowlevel.checkpoint()

    async def work():
        await connections.turn("10.0.0.1")
        turns.append(passes)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(count)
        for _ in range(100):
            nursery.start_soon(work)
    # The order within a pass is random: two in a row may see the same count.
    assert max(Counter(turns).values()) <= 2


async def test_little_of_a_viewers_bytes_is_handled_at_once(lone, autojump_clock):
    """Of the shortest messages a large buffer holds so many that matches would wait for seconds."""
    page = await lone.page()
    (peer,) = lone.server.connections.peers
    sizes, receive = [], peer.stream.receive_some

    async def noted(size):
        sizes.append(size)
        return await receive(size)

    peer.stream.receive_some = noted
    await page.socket.send("x" * 50_000)
    await page.told("error")
    assert {module.RECEIVED} == set(sizes)
    assert module.RECEIVED <= 1024


async def test_a_message_of_very_many_parts_ends_its_connection(lone):
    """Each part, though empty, is an object that the garbage collector looks at."""
    page = await lone.page()
    await page.socket.send(["{}", *[""] * (MAX_FRAGMENTS - 2)])  # and the last one
    await page.told("error")
    await page.socket.send([""] * (MAX_FRAGMENTS + 1))
    with pytest.raises(ConnectionClosedError, match="too many fragments"):
        await page.told("error")
