"""The page's WebSocket: requests and answers, commands, frames, and viewers that don't read
(docs/api.md, "WebSocket").
"""

import base64
import contextlib
import json
import os
import signal
import socket
import zlib
from types import SimpleNamespace

import pytest
import trio
from websockets.exceptions import ConnectionClosed, InvalidStatus

from lanista import __version__
from lanista.helper_processes import HelperDiedError
from lanista.hosting.control import RunningMatches
from lanista.match.record import read_record
from lanista.match.replay import verify
from lanista.match.runner import Match
from lanista.page import connections
from lanista.page import server as server_module
from lanista.page import viewer as module
from lanista.page.frames import API
from lanista.page.replay_reader import read_frames
from lanista.page.view import View
from match.playing import ANGRYMOB
from page.house import done, opened, play, showing, until
from page.records import AWAY, BACK

KICKED = "error shutdown the operator closed this connection"


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """Nobody looks on for pleasure here."""
    monkeypatch.setattr(module, "SHORTEST", 0.0)
    monkeypatch.setattr(module, "LOBBY_EVERY", 0.0)


async def record_of(house, match):
    """The record of a match, once it is there."""
    while match not in house.arena.running.ended:
        await house.arena.running.changes.wait(house.arena.running.changes.count)
    return read_record(house.arena.running.ended[match])


# -- connecting ----------------------------------------------------------------------------------


async def test_hello(tmp_path):
    async with opened(tmp_path) as house:
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


async def test_another_sites_page_gets_no_connection(tmp_path):
    """A browser says the Origin of the page that asks."""
    async with opened(tmp_path) as house:
        for headers in ({"Origin": "http://evil.example"}, {"Origin": "null"}):
            with pytest.raises(InvalidStatus) as refused:
                await house.page(additional_headers=headers)
            assert 403 == refused.value.response.status_code
        await house.page(additional_headers={"Origin": f"http://127.0.0.1:{house.server.port}"})


async def test_too_many_viewers_are_refused(tmp_path, monkeypatch):
    """Who leaves makes room."""
    monkeypatch.setattr(connections, "MAX_VIEWERS", 1)
    async with opened(tmp_path) as house:
        first = await house.page()
        with pytest.raises(InvalidStatus) as refused:
            await house.page()
        assert 503 == refused.value.response.status_code
        await first.socket.aclose()
        while house.server.viewers:
            await house.server._viewer_left.wait()
        await house.page()


BAD = {
    "no JSON": ("hello", "not JSON ("),
    "nothing": ("", "not JSON ("),
    "a list": ("[]", "not a JSON object"),
    "bytes": (b"{}", "binary; a message is a JSON object in text"),
    "deep": ("[" * 4000, "not JSON"),
    "no do": ("{}", "do is None; it should be text"),
    "do a list": ('{"do": []}', "do is []; it should be text"),
    "unknown": ('{"do": "dance"}', "unknown request 'dance'; see docs/api.md"),
    "an id of another kind": ('{"do": "lobby", "id": 1e999}', "id is neither a whole number"),
    "open nothing": ('{"do": "open"}', "match is None; it should be text"),
    "open unknown": ('{"do": "open", "match": "01X"}', "there is no match '01X' here"),
    "half a character": (
        '{"do": "open", "match": "\\ud800"}',
        "half a character (a lone surrogate) in match",
    ),
    "frames unopened": ('{"do": "frames", "match": "x", "from": 0}', "the match 'x' isn't open"),
    "frames from text": (
        '{"do": "frames", "match": "x", "from": "0"}',
        "from is '0'; it should be a whole number",
    ),
    "frames from true": ('{"do": "frames", "match": "x", "from": true}', "from is True; it should"),
    "close nothing": ('{"do": "close"}', "match is None; it should be text"),
    "file without size": ('{"do": "file", "name": "x"}', "size is None; it should be a whole num"),
    "file of nothing": ('{"do": "file", "name": "x", "size": 0}', "a file of 0 bytes; from 1 to"),
    "file too large": (
        '{"do": "file", "name": "x", "size": 33554433}',
        "a file of 33554433 bytes; from 1 to 33554432 can be shown",
    ),
    "file without name": ('{"do": "file", "size": 1}', "name is None; it should be text"),
    "token": ('{"do": "token"}', "token is None; it should be text"),
    "start": ('{"do": "start", "game": "angrymob"}', "no match is ready there"),
    "start a list": ('{"do": "start", "game": "angrymob", "room": []}', "no match is ready there"),
    "start no game": ('{"do": "start"}', "game is None; it should be text"),
    "mode": ('{"do": "mode", "manual": 1}', "manual is 1; it should be true or false"),
    "pause": ('{"do": "pause", "match": "01X"}', "no match '01X' is running"),
    "step": ('{"do": "step"}', "match is None; it should be text"),
    "cancel": ('{"do": "cancel", "match": "01X"}', "no match '01X' is running"),
    "kick": ('{"do": "kick", "bot": 7}', "there is no bot 7 any more"),
    "kick by name": ('{"do": "kick", "bot": "Ann"}', "bot is 'Ann'; it should be a whole number"),
}


async def test_bad_messages_are_answered_in_words(tmp_path):
    """One error each; the connection goes on."""
    async with opened(tmp_path) as house:
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


async def test_a_message_too_long_ends_its_connection_alone(tmp_path):
    async with opened(tmp_path) as house:
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
        for do in sorted(module.OPERATIONS):
            answer = await page.ask(do)
            assert f"{do} is the operator's; say the token first" == answer["words"]
        assert done(await page.ask("lobby"))
        for wrong in ("", "sesam", "sesame ", "\u0161"):
            answer = await page.ask("token", token=wrong)
            assert "this isn't the operator's token" == answer["words"]
        assert {"type": "operator", "operator": True, "id": 99} == {
            **await page.ask("token", token="sesame"),
            "id": 99,
        }
        assert done(await page.ask("mode", manual=True))
        assert "the operator's" in (await other.ask("mode", manual=True))["words"]


# -- the lobby -----------------------------------------------------------------------------------


async def test_the_lobby_is_told_whenever_something_changes(tmp_path):
    """Who waits and where; what runs; what is over."""
    async with opened(tmp_path) as house:
        page = await house.page()
        assert done(await page.ask("lobby"))
        assert {
            "type": "lobby",
            "manual": False,
            "rooms": [],
            "running": [],
            "recent": [],
            "standings": [],
            "tournaments": [],
            "ladders": [],
        } == await page.told("lobby")
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
        assert ([], [running["match"]]) == (
            told["running"],
            [match["match"] for match in told["recent"]],
        )


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


# -- commands ------------------------------------------------------------------------------------


async def test_start_and_mode(tmp_path):
    """Manual: nothing begins by itself; `start` begins what is ready in one room."""
    async with opened(tmp_path) as house:
        page = await house.page()
        await page.ask("lobby")
        assert done(await page.ask("mode", manual=True))
        await page.told("lobby", lambda told: told["manual"])
        first = [await house.bot(f"{name} v=1 room=x") for name in ("Ann", "Bob")]
        second = [await house.bot(f"{name} v=1") for name in ("Cem", "Dil")]
        await page.told("lobby", lambda told: [True] * 2 == [r["ready"] for r in told["rooms"]])
        for where in ({"room": "y"}, {"game": "hogwarts"}, {"room": "x", "game": "chess"}):
            answer = await page.ask("start", **{"game": "angrymob", "room": None, **where})
            assert "no match is ready there" == answer["words"]
        assert done(await page.ask("start", game="angrymob", room="x"))
        for bot in first:
            await bot.until("go")
        told = await page.told("lobby", lambda told: told["running"])
        assert ([None], ["x"]) == (
            [room["room"] for room in told["rooms"]],
            [match["room"] for match in told["running"]],
        )
        assert "no match is ready" in (await page.ask("start", game="angrymob", room="x"))["words"]
        assert done(await page.ask("mode", manual=False))  # what is ready begins
        for bot in second:
            await bot.until("go")


async def test_pause_step_and_resume(tmp_path):
    """A match is held between two turns; a step is a turn."""
    async with opened(tmp_path) as house:
        page = await house.page()
        ann, bob, match = await house.pair()
        assert done(await page.ask("pause", match=match))
        await play((ann, [AWAY]), (bob, [""]))
        await page.ask("open", match=match)
        assert 1 == (await page.ask("frames", match=match, **{"from": 1}))["frames"][-1]["n"]
        with trio.move_on_after(0.1) as scope:  # time in which nothing may come
            await ann.until("go")
        assert scope.cancelled_caught
        for turn in (1, 2):
            assert done(await page.ask("step", match=match))
            assert f"turn {turn}" in await ann.until("go")
            await bob.until("go")
            await play((ann, [""]), (bob, [""]))
        assert done(await page.ask("resume", match=match))
        await ann.until("go")


async def test_cancel_ends_a_match_as_aborted(tmp_path):
    """Also one that is held. Its bots are told why, its record is whole."""
    async with opened(tmp_path) as house:
        page = await house.page()
        for held in (False, True):
            ann, bob, match = await house.pair()
            if held:
                await page.ask("pause", match=match)
                await play((ann, [AWAY]), (bob, [""]))
            assert done(await page.ask("cancel", match=match))
            for bot in (ann, bob):
                assert ["error shutdown the operator ended this match"] == await bot.rest()
                await bot.stream.aclose()
            record = await record_of(house, match)
            assert ("aborted", "interrupted", int(held)) == (
                record.result.end,
                record.result.reason,
                verify(record, ANGRYMOB),
            )
            assert "is running" in (await page.ask("cancel", match=match))["words"]


async def test_a_waiting_bot_is_kicked(tmp_path):
    async with opened(tmp_path) as house:
        page = await house.page()
        await page.ask("lobby")
        ann = await house.bot("Ann v=1")
        told = await page.told("lobby", lambda told: told["rooms"])
        number = told["rooms"][0]["bots"][0]["bot"]
        assert done(await page.ask("kick", bot=number))
        assert KICKED == (await ann.rest())[-1]
        await ann.stream.aclose()
        await page.told("lobby", lambda told: not told["rooms"])
        assert f"there is no bot {number} any more" == (await page.ask("kick", bot=number))["words"]


async def test_a_kicked_bot_is_taken_by_no_match(tmp_path):
    """Whatever comes in the same moment."""
    async with opened(tmp_path, manual=True) as house:
        bots = [await house.bot(f"{name} v=1") for name in ("Ann", "Bob")]
        for bot in bots:
            while (await bot.until("wait"))[-1] != "wait 2 2":
                pass
        arena = house.arena
        assert arena.kick(1)
        assert not arena.start_match(("angrymob", None))
        arena.set_manual(manual=False)
        assert KICKED == (await bots[0].rest())[-1]
        assert "wait 1 2" == (await bots[1].until("wait"))[-1]
        await house.bot("Cem v=1")
        await bots[1].until("go")


@pytest.mark.parametrize(
    "moment", ["awaited", "answered", pytest.param("held", marks=pytest.mark.long)]
)
async def test_a_playing_bot_is_kicked(tmp_path, moment):
    """While its answer is awaited; when it has answered, and the other thinks without a clock;
    between two turns. The match ends at once, the other wins, and the record bears it out.
    """
    async with opened(tmp_path) as house:
        page = await house.page()
        ann, bob, match = await house.pair()
        running = house.arena.running.matches[match]
        seat = [name for _, name in running.bots].index("Ann")
        number = running.bots[seat][0]
        if moment == "held":
            await page.ask("pause", match=match)
            await play((ann, [""]), (bob, [""]))
            await page.ask("open", match=match)
            await page.ask("frames", match=match, **{"from": 1})  # the turn is over
        elif moment == "answered":
            await ann.say("")
        assert done(await page.ask("kick", bot=number))
        if moment == "held":
            await page.ask("resume", match=match)
        assert KICKED == (await ann.rest())[-1]
        assert "end forfeit" in await bob.rest()
        await ann.stream.aclose()
        await bob.stream.aclose()
        record = await record_of(house, match)
        turns = 1 if moment == "held" else 0
        assert ("forfeit", turns, turns) == (
            record.result.end,
            len(record.turns),
            verify(record, ANGRYMOB),
        )
        assert ["shutdown"] == [f.code for f in record.result.faults if f.seat == seat]
        assert 2 == record.result.ranks[seat]


async def test_a_bot_that_would_stay_is_kicked_though_its_match_ends(tmp_path, monkeypatch):
    """The last turn had been played before the word came: it plays no other match."""
    send_end = Match._send_end

    async def kick_and_send_end(match):
        assert house.arena.kick(number)
        await send_end(match)

    monkeypatch.setattr(Match, "_send_end", kick_and_send_end)
    async with opened(tmp_path, settings={"move_limit": 1}) as house:
        page = await house.page()
        ann, bob, match = await house.pair(options="keep=1")
        running = house.arena.running.matches[match]
        (number,) = [bot for bot, name in running.bots if name == "Ann"]
        await ann.say("")
        await bob.say("")
        heard = await ann.rest()
        assert "end finished" in heard
        assert KICKED == heard[-1]
        await ann.stream.aclose()
        assert "wait 1 2" in await bob.until("wait")
        assert "any more" in (await page.ask("kick", bot=number))["words"]


async def test_the_page_of_one_match_has_no_lobby_to_command():
    """`lanista play --watch`."""
    async with showing(View(RunningMatches(), match="01M")) as house:
        page = await house.page(hello=False)
        hello = await page.told("hello")
        assert ("play", "01M", True) == tuple(hello[key] for key in ("mode", "match", "operator"))
        for do in ("start", "mode", "kick"):
            answer = await page.ask(do)
            assert f"{do} is for an arena; this is the page of one match" == answer["words"]
        await page.ask("lobby")
        told = await page.told("lobby")
        assert ([], False) == (told["rooms"], told["manual"])


# -- frames --------------------------------------------------------------------------------------


async def test_who_comes_late_sees_all_frames(tmp_path):
    """And then each as it is played; the seed is told with the end, not before."""
    async with opened(tmp_path) as house:
        early, late = await house.page(), await house.page()
        said = []

        async def ask(page, do, **fields):
            answer = await page.ask(do, match=match, **fields)
            said.append((house.arena.running.matches.get(match) is not None, answer))
            return answer

        ann, bob, match = await house.pair()
        head = await ask(early, "open")
        assert ("head", match, ["Ann", "Bob"]) == (
            head["type"],
            head["match"],
            [player["name"] for player in head["players"]],
        )
        for turn in range(23):
            if turn:
                await ann.until("go")
                await bob.until("go")
            await play((ann, [BACK if turn % 2 else AWAY]), (bob, [""]))
            answer = await ask(early, "frames", **{"from": turn + 1, "known": True})
            assert turn + 1 == answer["from"]
        await ask(late, "open")
        answer = await ask(late, "frames", **{"from": 0})
        assert (0, 24, False) == tuple(answer[key] for key in ("from", "count", "over"))
        assert list(range(24)) == [frame["n"] for frame in answer["frames"]]
        # The newest there is, from the last whole one on.
        answer = await ask(late, "frames", **{"from": -1})
        assert [20, 21, 22, 23] == [frame["n"] for frame in answer["frames"]]
        # Frame 24 isn't there: asked for by both, and told when it is.
        await late.say(do="frames", id="next", match=match, **{"from": 24, "known": True})
        await early.say(do="frames", id="next", match=match, **{"from": 24})
        for bot in (ann, bob):
            await bot.until("go")
        await play((ann, [""]), (bob, ["9 9 9 9"]), leave=True)
        assert [24] == [frame["n"] for frame in (await late.answer("next"))["frames"]]
        frames = (await early.answer("next"))["frames"]
        assert [20, 21, 22, 23, 24] == [frame["n"] for frame in frames]
        assert frames[-1]["play"]["faults"][0]["code"] in {"illegal", "malformed"}
        end = await late.ask("frames", match=match, **{"from": 25})
        assert ("end", match, 25, None, "forfeit") == (
            end["type"],
            end["match"],
            end["count"],
            end["trouble"],
            end["result"]["end"],
        )
        record = await record_of(house, match)
        assert str(record.header.seed) == end["seed"]
        assert 27 == len(said)  # 23 frames one by one, 2 heads, 2 more answers
        assert not any(str(record.header.seed) in json.dumps(answer) for _, answer in said)
        assert all(running for running, _ in said)


@pytest.mark.long
async def test_a_match_that_is_over_is_shown_from_its_record(tmp_path):
    """Its frames are those of `read_frames`; a turn may be asked for by its number."""
    async with opened(tmp_path) as house:
        ann, bob, match = await house.pair()
        await play((ann, [AWAY, BACK]), (bob, ["", "9 9 9 9"]), leave=True)
        await record_of(house, match)
        page = await house.page()
        head = await page.ask("open", match=match)
        frames = await page.ask("frames", match=match, **{"from": 2})
        end = await page.ask("frames", match=match, **{"from": 3})
        assert head["live"] is False
        assert (frames["count"], frames["over"]) == (3, True)
        parts = [
            {k: v for k, v in head.items() if k not in ("id", "live", "logs", "bundles")},
            *frames["frames"],
            {k: v for k, v in end.items() if k not in ("id", "match", "count")},
        ]
        (file,) = tmp_path.glob("records/*/*.jsonl.gz")
        assert json.loads(json.dumps(list(read_frames(file)))) == parts
        for place, known in [(-2, False), (0, True), (1, "yes")]:
            answer = await page.ask("frames", match=match, known=known, **{"from": place})
            assert "error" == answer["type"]
        assert done(await page.ask("close", match=match))
        answer = await page.ask("frames", match=match, **{"from": 0})
        assert "isn't open; open it first" in answer["words"]


async def test_many_frames_come_compressed_to_whoever_wants_that(tmp_path, monkeypatch):
    """They are those that others get; few frames, as of a running match, come as they are."""
    async with opened(tmp_path) as house:
        _, _, match = await house.pair()
        page = await house.page()
        await page.ask("open", match=match)
        asks = {"match": match, "from": 0}
        plain = await page.ask("frames", **asks)
        assert plain["frames"] == (await page.ask("frames", **asks, packed=True))["frames"]
        monkeypatch.setattr(module, "WORTH_PACKING", 1)
        packed = await page.ask("frames", **asks, packed=True)
        assert "frames" not in packed
        assert plain["frames"] == json.loads(zlib.decompress(base64.b64decode(packed["packed"])))
        assert "error" == (await page.ask("frames", **asks, packed="yes"))["type"]


async def test_viewers_share_frames_until_the_last_has_left(tmp_path):
    """By word or by leaving; asking twice is looking once."""
    async with opened(tmp_path) as house:
        _, _, match = await house.pair()
        pages = [await house.page() for _ in range(3)]
        for page in pages:
            await page.ask("open", match=match)
        await pages[0].ask("open", match=match)
        for number in (1, 2):  # both at once
            await pages[1].say(do="open", id=f"again {number}", match=match)
        for number in (1, 2):
            assert "head" == (await pages[1].answer(f"again {number}"))["type"]
        (frame_file,) = house.server.view.frame_cache._files.values()
        assert 3 == frame_file.viewers
        assert [frame_file.file] == list(house.server.view.frame_cache.folder.iterdir())
        assert done(await pages[0].ask("close", match=match))
        assert 2 == frame_file.viewers
        await pages[1].socket.aclose()
        await pages[2].socket.aclose()
        while len(house.server.viewers) > 1:
            await house.server._viewer_left.wait()
        assert 0 == frame_file.viewers


async def test_closing_gives_up_what_waits(tmp_path):
    """`frames` that aren't there, and an `open` whose record has no header yet."""
    async with opened(tmp_path) as house:
        page = await house.page()
        _, _, match = await house.pair()
        await page.ask("open", match=match)
        await page.say(do="frames", id="later", match=match, **{"from": 7})
        assert done(await page.ask("close", match=match))
        assert done(await page.answer("later"))
        running_matches = house.arena.running
        empty = tmp_path / "empty.jsonl.gz.part"
        empty.touch()
        running_matches.matches["empty"] = running_matches.matches[match]
        running_matches.matches["empty"] = SimpleNamespace(
            part=empty, room="r", bots=[], started=None
        )
        await page.say(do="open", id="head", match="empty")
        files = house.server.view.frame_cache._files
        await until(lambda: any(frame_file.source == empty for frame_file in files.values()))
        assert done(await page.ask("close", match="empty"))
        assert done(await page.answer("head"))
        del running_matches.matches["empty"]


async def test_so_many_questions_may_be_open_at_once(tmp_path):
    """More are refused; what needs no waiting is answered all the same."""
    async with opened(tmp_path) as house:
        page = await house.page()
        _, _, match = await house.pair()
        await page.ask("open", match=match)
        for number in range(70):
            await page.say(do="frames", id=f"q{number}", match=match, **{"from": 7})
        for number in range(64, 70):
            answer = await page.answer(f"q{number}")
            assert "64 questions are open already; wait for answers" == answer["words"]
        assert "64 questions" in (await page.ask("open", match=match))["words"]
        assert done(await page.ask("pause", match=match))
        assert done(await page.ask("close", match=match))
        for number in range(64):
            assert done(await page.answer(f"q{number}"))
        assert "head" == (await page.ask("open", match=match))["type"]


async def test_when_the_end_is_told_there_is_a_record(tmp_path):
    """Though its bots, which have heard the end, still linger."""
    async with opened(tmp_path) as house:
        page = await house.page()
        ann, bob, match = await house.pair()
        await page.ask("open", match=match)
        await play((ann, [AWAY]), (bob, ["9 9 9 9"]))
        assert "end" == (await page.ask("frames", match=match, **{"from": 2}))["type"]
        assert 200 == (await house.get(f"/api/1/matches/{match}/record")).status


# -- viewers that don't read ---------------------------------------------------------------------

REQUEST = (
    "GET /api/1/ws HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\n"
    "Connection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
    "Sec-WebSocket-Version: 13\r\n\r\n"
)


@contextlib.asynccontextmanager
async def stuck(house, monkeypatch):
    """A viewer that asks for the lobby and reads nothing, until its connection can hold no more."""
    with socket.socket() as plain:
        plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
        plain.connect(("127.0.0.1", house.server.port))
        plain.sendall(REQUEST.format(port=house.server.port).encode())
        said = b'{"do":"lobby"}'
        plain.sendall(bytes([0x81, 0x80 | len(said), 0, 0, 0, 0]) + said)  # masked by zeros
        # More than all buffers between us hold.
        told = b'{"type":"lobby","rest":"%b"}' % (b"x" * 8_000_000)
        monkeypatch.setattr(View, "lobby", lambda _: told)
        await until(lambda: any(v.connection.send_lock.locked() for v in house.server.viewers))
        yield


async def test_a_viewer_that_does_not_read_is_dropped(tmp_path, monkeypatch):
    """After SEND_TIME; no match waits for it meanwhile."""
    monkeypatch.setattr(module, "SEND_TIME", 0.5)
    async with opened(tmp_path) as house, stuck(house, monkeypatch):
        ann, bob, match = await house.pair()
        await play((ann, [AWAY, BACK]), (bob, ["", "9 9 9 9"]), leave=True)
        assert house.server.viewers, "a match of some milliseconds is over before"
        assert 2 == verify(await record_of(house, match), ANGRYMOB)
        while house.server.viewers:
            await house.server._viewer_left.wait()
        assert 200 == (await house.get("/healthz")).status


@pytest.mark.long
async def test_no_shutdown_waits_for_a_viewer_that_does_not_read(tmp_path, monkeypatch):
    """Within what a bot has to leave, though the viewer has SEND_TIME."""
    async with opened(tmp_path) as house, stuck(house, monkeypatch):
        await house.pair()
        before = trio.current_time()
        house.serving.shut_down()
        await house.over.wait()
        house.nursery.cancel_scope.cancel()
        after = trio.current_time()
    assert after - before < 3
    assert trio.current_time() - after < 2


async def test_a_message_is_short(tmp_path):
    """Reading a long one would keep the matches waiting; the connection goes on."""
    async with opened(tmp_path) as house:
        page = await house.page()
        await page.socket.send("[" * 5000)
        assert (
            "5000 characters; no message needs more than 4096" == (await page.answer(None))["words"]
        )
        assert done(await page.ask("lobby"))


async def test_a_viewer_opens_so_many_matches(tmp_path, monkeypatch):
    """Closing one makes room."""
    monkeypatch.setattr("lanista.page.viewer.MAX_OPEN", 1)
    async with opened(tmp_path) as house:
        matches = []
        for _ in range(2):
            ann, bob, match = await house.pair()
            await play((ann, [AWAY]), (bob, ["9 9 9 9"]), leave=True)
            await record_of(house, match)
            matches.append(match)
        page = await house.page()
        assert "head" == (await page.ask("open", match=matches[0]))["type"]
        answer = await page.ask("open", match=matches[1])
        assert "1 matches are open already; close one" == answer["words"]
        assert done(await page.ask("close", match=matches[0]))
        assert "head" == (await page.ask("open", match=matches[1]))["type"]


@pytest.mark.long
async def test_interrupted_frames_go_on(tmp_path, monkeypatch):
    """A viewer that waits for a frame gets it, even if the replay worker is killed."""
    monkeypatch.setattr("lanista.page.frame_cache.RESTART_PAUSE", 0.01)
    async with opened(tmp_path) as house:
        ann, bob, match = await house.pair()
        page = await house.page()
        await page.ask("open", match=match)
        assert 0 == (await page.ask("frames", match=match, **{"from": 0}))["from"]
        await page.say(do="frames", match=match, id="next", **{"from": 1, "known": True})
        helper = house.server.view.frame_cache._helper
        worker = await helper.call(os.getpid)
        with pytest.raises(HelperDiedError):
            await helper.call(os.kill, worker, signal.SIGKILL)
        await play((ann, [AWAY, BACK]), (bob, ["", "9 9 9 9"]), leave=True)
        answer = await page.answer("next")
        assert ("frames", 1) == (answer["type"], answer["from"])
        assert worker != await helper.call(os.getpid)
