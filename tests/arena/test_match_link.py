"""The link of front and workers: whole messages, sockets closed once, an end at any byte."""

import array
import socket

import pytest
import trio
from hypothesis import given
from hypothesis import strategies as st

from arena.handed import PATIENCE, Here, pair, seated
from lanista.arena.match_worker import CONVERTER
from lanista.arena.match_workers import _duplicates, _order_of
from lanista.arena.worker_process import BrokenLinkError, Link
from support.processes import open_files


@pytest.fixture
async def ends():
    """Two links that are each other's ends."""
    one, other = map(Link, socket.socketpair())
    async with trio.open_nursery() as nursery:
        nursery.start_soon(one.write)
        nursery.start_soon(other.write)
        yield one, other
        nursery.cancel_scope.cancel()
    one.close()
    other.close()


async def next_of(link):
    with trio.fail_after(PATIENCE):
        return await link.receive()


async def test_messages_come_whole_and_in_order(ends):
    """Also those that are larger than the kernel's buffers, both ways at once."""
    one, other = ends
    sizes = [0, 1, 3_000_000, 5, 1_000_000]
    for link in ends:
        for number, size in enumerate(sizes):
            link.post({"n": number, "text": "é" * (size // 7)}, b"x" * size)
    async with trio.open_nursery() as nursery:

        async def read(link):
            for number, size in enumerate(sizes):
                message = await next_of(link)
                assert {"n": number, "text": "é" * (size // 7)} == message.content
                assert b"x" * size == message.data

        nursery.start_soon(read, one)
        nursery.start_soon(read, other)
    one.close()
    assert None is await next_of(other)


async def test_sockets_come_with_their_message(ends):
    """They lead to the same other ends, and the sender's are closed."""
    one, other = ends
    pairs = [socket.socketpair() for _ in range(5)]
    for number, (ours, _) in enumerate(pairs):
        one.post({"n": number}, b"y" * 300_000, [ours, ours.dup()])
    for number, (ours, theirs) in enumerate(pairs):
        message = await next_of(other)
        assert number == message.content["n"]
        assert -1 == ours.fileno()
        for handed in message.sockets:
            assert not handed.get_inheritable()
            handed.sendall(b"%d" % number)
            assert b"%d" % number == theirs.recv(9)
            handed.close()
        assert b"" == theirs.recv(9)  # that was all that led there
        theirs.close()


async def test_a_send_waits_until_the_kernel_has_it_all(ends):
    one, other = ends
    sent = []

    async def send():
        await one.send({}, b"x" * 1_000_000)
        sent.append(True)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(send)
        for _ in range(10):
            await trio.lowlevel.checkpoint()
        assert not sent
        await next_of(other)
    assert sent


async def test_what_was_sent_is_read_after_the_end(ends):
    """A worker may die right after its report."""
    one, other = ends
    one.post({"n": 1})
    other.post({"unread": True})
    one.close()
    assert {"n": 1} == (await next_of(other)).content
    assert None is await next_of(other)
    with pytest.raises(BrokenLinkError):
        await other.send({})
    ours, theirs = socket.socketpair()
    other.post({}, sockets=[ours])
    assert -1 == ours.fileno()
    theirs.close()


async def _order(connections, folder):
    """The bytes of an order, and its sockets."""
    match = seated(folder, connections)
    ours, theirs = socket.socketpair()
    link = Link(ours)
    sockets, counts = _duplicates(match)
    content = {"kind": "play", "order": CONVERTER.unstructure(_order_of(match, counts))}
    link.post(content, b"")
    link.close()
    data = b""
    while piece := theirs.recv(1 << 20):
        data += piece
    theirs.close()
    return data, sockets


@given(share=st.floats(0, 1))
def test_a_front_that_dies_at_any_byte_leaves_nothing_open(tmp_path_factory, share):
    """The sockets that came with the first byte are closed by the worker, whatever else came."""
    folder = tmp_path_factory.mktemp("records")

    async def run():
        connections, bots = pair()
        before = open_files()
        data, sockets = await _order(connections, folder)
        cut = round(share * len(data))
        ours, theirs = socket.socketpair()
        with ours, theirs:
            async with trio.open_nursery() as nursery:
                worker = Here(theirs, nursery)
                if cut:
                    descriptors = array.array("i", [handed.fileno() for handed in sockets])
                    rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, descriptors)]
                    assert cut == ours.sendmsg([data[:cut]], rights)
                for handed in sockets:
                    handed.close()
                if cut == len(data):
                    await bots[0].until(b"\ngo\n")
                ours.close()
                with trio.fail_after(PATIENCE):
                    await worker.wait()
        assert open_files().items() <= before.items()  # a garbage collector may have closed some
        for connection, bot in zip(connections, bots, strict=True):
            connection.channel.close()
            bot.close()

    trio.run(run)
