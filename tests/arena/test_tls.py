"""The TLS relay, in the tests' own event loop: what passes through it, and what doesn't."""

import shutil
import signal
import socket
import ssl
from contextlib import ExitStack
from pathlib import Path

import pytest
import trio
from structlog.testing import capture_logs

from arena.handed import PATIENCE, Here
from arena.test_certificate import FILES
from lanista.arena import tls, worker_process
from lanista.arena.tls import TlsRelay
from lanista.arena.tls_relay import CHUNK, Relay
from lanista.match.channel import SocketChannel
from match.loopback import socket_pair
from support.waiting import until

TRUSTING = ssl.create_default_context(cafile=FILES / "localhost.pem")


@pytest.fixture
async def relay(nursery, monkeypatch, tmp_path):
    """A running relay of a certificate of 127.0.0.1."""

    async def start(_module, theirs, *files):
        return Here(theirs, nursery, lambda link: Relay(link, *map(Path, files)))

    monkeypatch.setattr(worker_process, "start", start)
    for name in ("localhost.pem", "localhost.key", "valid.pem", "arena.key"):
        shutil.copy(FILES / name, tmp_path)
    one = TlsRelay(tmp_path / "localhost.pem", tmp_path / "localhost.key")
    nursery.start_soon(one.run)
    with trio.fail_after(PATIENCE):
        yield one
    nursery.cancel_scope.cancel()


@pytest.fixture
def relayed(relay):
    """Make a channel of the arena that leads to the relay, and the peer's socket.

    Both are closed at the end.
    """
    with ExitStack() as ends:

        async def connect(seconds=PATIENCE):
            channel, peer = socket_pair()
            (duplicate,) = channel.duplicates()
            channel = channel.relayed(await relay.relay(duplicate, "127.0.0.1", seconds))
            ends.callback(channel.close)
            return channel, ends.enter_context(peer)

        yield connect


async def handshake(peer, context=TRUSTING):
    """A stream of TLS over the peer's socket."""
    peer.setblocking(False)
    stream = trio.SocketStream(trio.socket.from_stdlib_socket(peer))
    encrypted = trio.SSLStream(stream, context, server_hostname="127.0.0.1")
    await encrypted.do_handshake()
    return encrypted


async def read(channel, size):
    data = b""
    while len(data) < size:
        chunk = channel.receive_some(1 << 16)
        if chunk is None:
            await channel.wait_readable()
        elif not chunk.data:
            break
        else:
            data += chunk.data
    return data


async def test_what_is_sent_passes_in_both_directions(relayed):
    """Also what is larger than the relay holds; the arena knows when a line came, and the way."""
    channel, peer = await relayed()
    bot = await handshake(peer)
    assert "TLSv1.3" == bot.version()
    await bot.send_all(b"Ann v=1\n")
    await channel.wait_readable()
    chunk = channel.receive_some(100)
    assert b"Ann v=1\n" == chunk.data
    assert chunk.stamp is None or chunk.stamp <= chunk.read_at
    large = bytes(range(256)) * (CHUNK // 64)
    got = {}

    async def reads():
        got["arena"] = await read(channel, len(large))

    async def sends():
        unsent = memoryview(large)
        while unsent:
            unsent = unsent[channel.send_some(unsent) :]
            await channel.wait_writable()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(reads)
        nursery.start_soon(sends)
        nursery.start_soon(bot.send_all, large)
        received = b""
        while len(received) < len(large):
            received += await bot.receive_some(1 << 16)
    assert large == received == got["arena"]
    assert channel.round_trip().least > 0
    # Another process, which is handed both sockets, goes on with it.
    handed = SocketChannel.of_duplicates(channel.duplicates())
    handed.send_some(b"go\n")
    assert b"go\n" == await bot.receive_some(100)
    assert handed.round_trip() == channel.round_trip()
    handed.close()
    channel.close()
    assert b"" == await bot.receive_some(100)  # after the goodbye of TLS


async def test_a_bot_that_sends_without_end_reads_why_it_is_sent_off(relayed):
    channel, peer = await relayed()
    bot = await handshake(peer)
    await bot.send_all(b"x" * CHUNK)
    await channel.wait_readable()
    channel.send_some(b"error line-too-long\n")
    channel.shut_writing()
    received = b""
    while data := await bot.receive_some(100):
        received += data
    assert b"error line-too-long\n" == received


async def test_a_bot_that_leaves_is_gone_for_the_arena(relayed):
    channel, peer = await relayed()
    bot = await handshake(peer)
    await bot.send_all(b"0 0 1 0\n")
    await trio.aclose_forcefully(bot)  # without a goodbye of TLS
    assert b"0 0 1 0\n" == await read(channel, 100)


@pytest.mark.parametrize(
    ("sent", "why"),
    [
        (b"Ann v=1\n" * 3, "WRONG_VERSION_NUMBER"),
        (b"\x16\x03\x01", "the peer has left"),
        (None, "no complete handshake within 0.1 s"),
    ],
)
async def test_without_a_handshake_the_connection_ends_and_the_log_says_why(relayed, sent, why):
    with capture_logs() as logs:
        channel, peer = await relayed(0.1 if sent is None else PATIENCE)
        peer.sendall(sent or b"\x16")
        if sent is not None:
            peer.shutdown(socket.SHUT_WR)
        assert b"" == await read(channel, 1)
    (line,) = [one for one in logs if one["event"] == "a TLS handshake failed"]
    assert ("127.0.0.1", why) == (line["peer"], line["why"])


@pytest.mark.parametrize("words", [b"", b"error server-full\n"])
async def test_a_handshake_ends_when_the_arena_sends_the_peer_away(relayed, words):
    """Else whoever begins one after another would have the relay run out of files."""
    channel, _ = await relayed(10 * PATIENCE)
    with capture_logs() as logs:
        channel.send_some(words)
        channel.close()
        await until(lambda: logs)
    assert "the arena sent it away" == logs[0]["why"]


async def test_a_connection_without_its_sockets_harms_no_other(relay, relayed):
    """The kernel drops those for which the relay has no descriptors left."""
    channel, peer = await relayed()
    bot = await handshake(peer)
    with capture_logs() as logs:
        relay._link.post({"kind": "relay", "address": "127.0.0.2", "seconds": PATIENCE})
        await until(lambda: logs)
    assert ("127.0.0.2", "too many open files") == (logs[0]["peer"], logs[0]["why"])
    await bot.send_all(b"still there\n")
    assert b"still there\n" == await read(channel, 12)


@pytest.mark.filterwarnings("ignore:ssl.TLSVersion:DeprecationWarning")
async def test_old_versions_of_tls_are_refused(relayed):
    old = ssl.create_default_context(cafile=FILES / "localhost.pem")
    old.minimum_version = ssl.TLSVersion.MINIMUM_SUPPORTED
    old.maximum_version = ssl.TLSVersion.TLSv1_1
    channel, peer = await relayed()

    async def be_the_arena():
        assert b"" == await read(channel, 1)
        channel.close()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(be_the_arena)
        with pytest.raises(trio.BrokenResourceError):
            await handshake(peer, old)
        peer.close()  # some clients refuse to begin, and the relay waits for them


async def test_another_certificate_is_used_for_new_connections(relay, relayed):
    """If there is one: else the one before stays, and the log has one line."""
    channel, peer = await relayed()
    bot = await handshake(peer)
    with capture_logs() as logs:
        relay.certificate.write_text("garbage")
        relay.reload()
        await until(lambda: logs)
        _, new_peer = await relayed()
        await handshake(new_peer)
        shutil.copy(FILES / "valid.pem", relay.certificate)
        shutil.copy(FILES / "arena.key", relay.key)
        relay.reload()
        await until(lambda: len(logs) == 2)
    expected = ("the previous certificate stays in use", "the certificate was reloaded")
    assert expected == tuple(line["event"] for line in logs)
    assert f"tls.certificate: {relay.certificate}: no certificate in PEM" == logs[0]["why"]
    _, other_peer = await relayed()
    with pytest.raises(trio.BrokenResourceError):
        await handshake(other_peer)  # its client trusts the first one
    await bot.send_all(b"still there\n")
    assert b"still there\n" == await read(channel, 12)


async def test_a_relay_whose_files_do_not_fit_begins_as_soon_as_they_do(tmp_path, nursery):
    """A relay may die while a certificate is being replaced; the log says what it waits for."""
    certificate, key = (tmp_path / name for name in ("localhost.pem", "localhost.key"))
    shutil.copy(FILES / "localhost.pem", certificate)
    shutil.copy(FILES / "arena.key", key)
    with capture_logs() as logs, trio.fail_after(PATIENCE):
        one = TlsRelay(certificate, key)
        nursery.start_soon(one.run)
        await until(lambda: logs)
        shutil.copy(FILES / "localhost.key", key)
        await one._started.wait()
    event = "no TLS until this is mended; the files are read again soon"
    why = f"tls.key: {key}: not the private key of {certificate} in PEM, without a password"
    assert {(event, f"{why} (KEY_VALUES_MISMATCH)")} == {
        (line["event"], line["why"]) for line in logs
    }
    nursery.cancel_scope.cancel()


async def test_a_relay_that_dies_before_it_begins_is_told(tmp_path, monkeypatch, nursery):
    """One may be killed each time, for want of memory say, while the arena waits for it."""

    async def start(*_):
        return await trio.lowlevel.open_process(["sh", "-c", "kill -KILL $$"])

    monkeypatch.setattr(worker_process, "start", start)
    with capture_logs() as logs, trio.fail_after(PATIENCE):
        nursery.start_soon(TlsRelay(tmp_path, tmp_path).run)
        await until(lambda: logs)
    nursery.cancel_scope.cancel()
    assert "the TLS relay ended; its connections are broken" == logs[0]["event"]
    assert -signal.SIGKILL == logs[0]["code"]


def test_a_stranger_does_not_get_the_arenas_own_connection(monkeypatch):
    """Whoever connects to the port within this machine first is sent away."""
    connect = socket.socket.connect
    strangers = []

    def after_a_stranger(self, address):
        if not strangers:
            strangers.append(socket.socket())
            connect(strangers[0], address)
        connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", after_a_stranger)
    ours, theirs = tls.local_connection()
    assert theirs.getpeername() == ours.getsockname()
    strangers[0].settimeout(PATIENCE)
    assert b"" == strangers[0].recv(1)
    for end in (ours, theirs, *strangers):
        end.close()
