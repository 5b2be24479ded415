"""The page's WebSocket (docs/api.md, "WebSocket"): connections, requests, operator and lobby."""

import gc
import weakref
from types import SimpleNamespace

import pytest
import trio
from trio.testing import memory_stream_pair
from websockets.exceptions import ConnectionClosed
from websockets.server import ServerProtocol
from websockets.trio.client import connect
from websockets.trio.server import ServerConnection

from lanista import __version__
from lanista.hosting.control import RunningMatches
from lanista.page import server as server_module
from lanista.page import viewer as module
from lanista.page.authorization import OperatorToken
from lanista.page.frames import API
from lanista.page.view import View
from lanista.page.viewer import Viewer
from page.house import Page, done, opened, play, showing
from support.waiting import until

pytestmark = pytest.mark.usefixtures("quick")


# -- connecting ----------------------------------------------------------------------------------


async def test_hello(house):
    page = await house.page(hello=False)
    assert {
        "type": "hello",
        "api": API,
        "software": __version__,
        "mode": "serve",
        "operator": True,
        "match": None,
        "bots": {
            "host": None,  # the page's own, as it may be behind a proxy
            "port": house.port,
            "registration": "open",
            "tls": False,
        },
        "play": True,
    } == await page.told("hello")


async def test_a_viewer_that_left_is_freed_at_once(house):
    """The garbage collector would hold up matches to search for hundreds of them."""
    page = await house.page()
    assert done(await page.ask("lobby"))
    (viewer,) = house.server.viewers
    left = [weakref.ref(viewer), weakref.ref(viewer.connection)]
    del viewer
    gc.disable()
    try:
        await trio.aclose_forcefully(page.socket.stream)
        await until(lambda: not any(ref() for ref in left))
    finally:
        gc.enable()


async def test_what_waits_for_a_viewer_ends_when_it_leaves(autojump_clock):
    """Nothing changes any more, so no message of the lobby fails that would end it."""
    ours, theirs = memory_stream_pair()

    async def leave():
        async with connect("ws://arena", stream=ours, proxy=None) as socket:
            page = Page(socket)
            assert done(await page.ask("lobby"))
            await page.told("lobby")

    async with trio.open_nursery() as nursery:
        nursery.start_soon(leave)
        server = SimpleNamespace(closing=False)
        connection = ServerConnection(nursery, theirs, ServerProtocol(), server)
        await connection.handshake()
        peer, viewers = SimpleNamespace(address="127.0.0.1"), set()
        viewer = Viewer(connection, peer, View(RunningMatches()), viewers, OperatorToken(None))
        viewers.add(viewer)
        with trio.fail_after(60):
            await viewer.run()


BAD = {
    "no JSON": ("hello", "not JSON ("),
    "nothing": ("", "not JSON ("),
    "bytes": (b"{}", "binary; a message is a JSON object in text"),
    "deep": ("[" * 4000, "not JSON"),
    "long": ("[" * 5000, "5000 characters; no message needs more than 4096"),
    "no do": ("{}", "do is None; it should be text"),
    "unknown": ('{"do": "dance"}', "unknown request 'dance'; see docs/api.md"),
    "an id of another kind": ('{"do": "lobby", "id": 1e999}', "id is neither a whole number"),
    "open unknown": ('{"do": "open", "match": "01X"}', "there is no match '01X' here"),
    "half a character": (
        '{"do": "open", "match": "\\ud800"}',
        "half a character (a lone surrogate) in match",
    ),
    "frames unopened": ('{"do": "frames", "match": "x", "from": 0}', "the match 'x' isn't open"),
    "frames from true": ('{"do": "frames", "match": "x", "from": true}', "from is True; it should"),
    "file of nothing": ('{"do": "file", "name": "x", "size": 0}', "a file of 0 bytes; from 1 to"),
    "file too large": (
        '{"do": "file", "name": "x", "size": 33554433}',
        "a file of 33554433 bytes; from 1 to 33554432 can be shown",
    ),
    "start": ('{"do": "start", "game": "angrymob"}', "no match is ready there"),
    "mode": ('{"do": "mode", "manual": 1}', "manual is 1; it should be true or false"),
    "pause": ('{"do": "pause", "match": "01X"}', "no match '01X' is running"),
    "kick": ('{"do": "kick", "bot": 7}', "there is no bot 7 any more"),
}


async def test_bad_messages_are_answered_in_words(house):
    """One error each; the connection goes on."""
    page = await house.page()
    for name, (message, words) in BAD.items():
        await page.socket.send(message)
        answer = await page.told("error")
        assert (name, words) == (name, answer["words"][: len(words)])
    assert done(await page.ask("close", match="never opened"))
    # An answer repeats the id, whatever kind it is of.
    for asked in (0, -1, "a", None):
        await page.say(do="dance", id=asked)
        assert asked == (await page.told("error"))["id"]


async def test_a_message_too_long_ends_its_connection_alone(house):
    page, other = await house.page(), await house.page()
    await page.socket.send("x" * (server_module.MAX_MESSAGE + 1))
    with pytest.raises(ConnectionClosed):
        await page.told("error")
    assert done(await other.ask("lobby"))


# -- the operator --------------------------------------------------------------------------------


async def test_commands_need_the_token_where_there_is_one(tmp_path):
    """Who looks may look; the token is each connection's own."""
    async with opened(tmp_path, token="sesame") as house:
        page, other = await house.page(hello=False), await house.page()
        assert not (await page.told("hello"))["operator"]
        for do in sorted(module.OPERATIONS | module.DECISIONS):
            answer = await page.ask(do)
            assert f"{do} is the operator's; say the token first" == answer["words"]
        assert done(await page.ask("lobby"))
        for wrong in ("", "sesam", "sesame ", "\u0161"):
            answer = await page.ask("token", token=wrong)
            assert "this isn't the operator's token" == answer["words"]
        answer = await page.ask("token", token="sesame")
        assert {"type": "operator", "operator": True, "id": answer["id"]} == answer
        assert done(await page.ask("mode", manual=True))
        assert "the operator's" in (await other.ask("mode", manual=True))["words"]


async def test_a_command_waits_for_the_token_that_was_said_before_it(tmp_path, monkeypatch):
    """A program may send both at once, however long the check of the token takes."""
    checked = trio.Event()

    async def is_operators(self, given, address):
        await checked.wait()
        return given == self.token

    monkeypatch.setattr(OperatorToken, "is_operators", is_operators)
    async with opened(tmp_path, token="sesame") as house:
        page = await house.page()
        await page.say(do="token", token="guess")
        await page.say(do="token", token="sesame")
        await page.say(do="mode", manual=True, id="mode")
        assert done(await page.ask("lobby"))  # which needs no token
        checked.set()
        assert done(await page.answer("mode"))
        assert house.server.view.arena.matches.manual


# -- the lobby -----------------------------------------------------------------------------------


async def test_the_lobby_is_told_whenever_something_changes(house):
    """Who waits and where; what runs; what is over."""
    page = await house.page()
    assert done(await page.ask("lobby"))
    lists = "rooms", "running", "recent", "standings", "tournaments", "ladders"
    empty = {list_: [] for list_ in lists}
    assert {"type": "lobby", "manual": False, "trouble": None, **empty} == await page.told("lobby")
    ann = await house.bot("Ann v=1 room=x seat=1")
    (room,) = (await page.told("lobby", lambda told: told["rooms"]))["rooms"]
    assert {
        "game": "angrymob",
        "title": "Angry Mob",
        "room": "x",
        "seats": 2,
        "ready": False,
        "ladder": False,
        "bots": [{"bot": 1, "name": "Ann", "seat": 1}],
    } == room
    cem = await house.bot("Cem v=1")
    told = await page.told("lobby", lambda told: len(told["rooms"]) == 2)
    assert [None, "x"] == sorted((room["room"] for room in told["rooms"]), key=str)
    await cem.stream.aclose()
    await page.told("lobby", lambda told: len(told["rooms"]) == 1)
    bob = await house.bot("Bob v=1 room=x")
    told = await page.told("lobby", lambda told: told["running"])
    (running,) = told["running"]
    assert {
        "match": running["match"],
        "game": "angrymob",
        "title": "Angry Mob",
        "room": "x",
        "tournament": None,
        "players": [{"bot": 3, "name": "Bob"}, {"bot": 1, "name": "Ann"}],  # by seat
        "started": running["started"],
        "paused": False,
    } == running
    assert done(await page.ask("pause", match=running["match"]))
    await page.told("lobby", lambda told: told["running"][0]["paused"])
    assert done(await page.ask("resume", match=running["match"]))
    await play((ann, [""]), (bob, ["9 9 9 9"]), leave=True)
    told = await page.told("lobby", lambda told: told["recent"] and told["standings"])
    assert [] == told["running"]
    assert [running["match"]] == [match["match"] for match in told["recent"]]


async def test_the_lobby_is_asked_for_twice_and_told_once():
    """Now, and once a change."""
    running_matches = RunningMatches()
    async with showing(View(running_matches)) as house:
        page = await house.page()
        for _ in range(3):
            assert done(await page.ask("lobby"))
        await page.told("lobby")
        for _ in range(2):
            running_matches.changes.tell()
            await page.told("lobby")
        assert done(await page.ask("close", match="x"))
        assert [] == list(page._kept)
