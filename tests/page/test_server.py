"""The page's HTTP answers, over real sockets (docs/api.md, "HTTP")."""

import contextlib
import gzip
import io
import json
import logging
import re

import pytest
import trio
from PIL import Image

from lanista import __version__
from lanista.errors import StoreError
from lanista.games import registry
from lanista.hosting.control import RunningMatches
from lanista.page.difference import json_of_files
from lanista.page.frames import API
from lanista.page.kept_list import KeptList
from lanista.page.view import View
from page.house import one_match, opened, play, record_of, settled, showing
from page.records import AWAY, BACK, values

RESULT = {
    *("match", "game", "ladder", "tournament", "title", "state", "started", "ended", "players"),
    *("end", "reason", "ranks", "scores", "turns", "seed", "faults"),
}


async def test_health(house):
    answer = await house.get("/healthz")
    assert (200, {"ok": True, "software": __version__, "api": API}) == (answer.status, answer.json)


async def test_games_and_bots(house):
    games = (await house.get("/api/1/games")).json["games"]
    assert ["angrymob", "crematoria", "hogwarts"] == sorted(game["name"] for game in games)
    (mob,) = [game for game in games if game["name"] == "angrymob"]
    assert ("Angry Mob", 2) == (mob["title"], mob["seats"])
    assert [{"name", "default", "low", "high", "help"}] == [set(s) for s in mob["settings"]]
    bots = (await house.get("/api/1/bots")).json["bots"]
    assert {(game, name) for game in registry.ours() for name in registry.house_bots(game)} == {
        (bot["game"], bot["name"]) for bot in bots
    }
    assert all(bot["about"] and "\n" not in bot["about"] for bot in bots)
    some = (await house.get("/api/1/bots?game=hogwarts")).json["bots"]
    assert [bot for bot in bots if bot["game"] == "hogwarts"] == some


async def test_a_match_from_its_beginning_to_its_record(house, tmp_path):
    """Running: what isn't known is null, its seed above all. Over: all, and the record's file."""
    ann, bob, match = await house.pair()
    running = (await house.get(f"/api/1/matches/{match}")).json
    assert {
        **dict.fromkeys(RESULT),
        "match": match,
        "game": "angrymob",
        "title": "Angry Mob",
        "state": "running",
        "started": running["started"],
        "players": ["Ann", "Bob"],
    } == running
    assert [running] == (await house.get("/api/1/matches")).json["matches"]
    assert [] == (await house.get("/api/1/matches?end=finished")).json["matches"]
    assert [running] == (await house.get("/api/1/matches?player=Ann")).json["matches"]
    assert [] == (await house.get("/api/1/matches?player=ann")).json["matches"]
    assert 404 == (await house.get(f"/api/1/matches/{match}/record")).status
    await play((ann, [AWAY, BACK]), (bob, ["", "9 9 9 9"]), leave=True)
    over = await settled(house, match)
    assert set(over) == RESULT
    assert ("forfeit", [1, 2], 2, [0, 1]) == values(over, "end", "ranks", "turns", "faults")
    # The record begins a moment after the match is in the list.
    assert running["started"] <= over["started"] <= over["ended"]
    assert isinstance(over["seed"], str)
    answer = await house.get(f"/api/1/matches/{match}/record")
    assert "application/gzip" == answer.header("Content-Type")
    saved = f'attachment; filename="{match}.jsonl.gz"'
    assert saved == answer.header("Content-Disposition")
    (file,) = tmp_path.glob("records/*/*.jsonl.gz")
    assert file.read_bytes() == answer.body
    header = json.loads(gzip.decompress(answer.body).splitlines()[0])
    assert (match, over["seed"]) == (header["match"], str(header["seed"]))


async def test_pictures_of_a_match_that_is_over(house):
    """A round as PNG, some as GIF; a round that isn't there is named, and no path of ours is."""
    match = await one_match(house)
    await settled(house, match)
    picture = f"/api/1/matches/{match}/picture"
    still = await house.get(f"{picture}?round=1")
    moving = await house.get(f"{picture}?from=0&to=1")
    late = await house.get(f"{picture}?round=99")
    assert "image/png" == still.header("Content-Type")
    assert "image/gif" == moving.header("Content-Type")
    assert still.body.startswith(b"\x89PNG")
    assert f'attachment; filename="{match}.gif"' == moving.header("Content-Disposition")
    with Image.open(io.BytesIO(moving.body)) as image:
        assert 2 == image.n_frames
    assert 404 == late.status
    assert late.json["error"].startswith(f"no such picture: {match}: no move 99; the last one is ")


async def test_the_difference_of_two_matches(house, tmp_path):
    """The answer is that of `replay diff --json`; a bad record is named by its match's id."""
    one, other = [await one_match(house) for _ in range(2)]
    for match in (one, other):
        await settled(house, match)
    address = f"/api/1/matches/{one}/difference?other={other}"
    told = (await house.get(address)).json
    a, b = [next(tmp_path.glob(f"records/*/*{match}.jsonl.gz")) for match in (one, other)]
    assert told == json.loads(json.dumps(json_of_files(a, b)))
    assert (True, False) == (told["differs"], told["is_comparable"])
    b.write_bytes(b"{}")
    bad = await house.get(address)
    assert 404 == bad.status
    assert bad.json["error"].startswith(f"they can't be compared: {other}: ")


async def test_matches_by_pages_and_standings(house):
    """The newest first; `next` is where the next page begins."""
    ids = []
    for _ in range(3):  # one after another, as they are listed in the order of their ends
        ids.append(await one_match(house))
        await settled(house, ids[-1])
    first = (await house.get("/api/1/matches?limit=2")).json
    assert [ids[2], ids[1]] == [match["match"] for match in first["matches"]]
    second = (await house.get(f"/api/1/matches?limit=2&before={first['next']}")).json
    assert ([ids[0]], None) == ([match["match"] for match in second["matches"]], second["next"])
    query = "game=angrymob&player=Bob&end=forfeit"
    assert 3 == len((await house.get(f"/api/1/matches?{query}")).json["matches"])
    assert [] == (await house.get("/api/1/matches?end=void")).json["matches"]
    seed = first["matches"][1]["seed"]
    (of_seed,) = (await house.get(f"/api/1/matches?game=angrymob&seed={seed}")).json["matches"]
    assert ids[1] == of_seed["match"]
    assert [] == (await house.get(f"/api/1/matches?game=hogwarts&seed={seed}")).json["matches"]
    # The tables are looked up when the last of them is in the list.
    changes = house.arena.running.changes
    while True:
        seen = changes.count
        tables = (await house.get("/api/1/standings")).json["standings"]
        if tables and tables[0]["matches"] == 3:
            break
        await changes.wait(seen)
    (table,) = tables
    assert ("angrymob", "Angry Mob") == (table["game"], table["title"])
    assert [("Ann", 3), ("Bob", 0)] == [(row["name"], row["wins"]) for row in table["rows"]]
    assert tables == (await house.get("/api/1/standings?game=angrymob")).json["standings"]
    assert [] == (await house.get("/api/1/standings?game=hogwarts")).json["standings"]
    lobby = (await house.get("/api/1/lobby")).json
    assert ids[::-1] == [match["match"] for match in lobby["recent"]]
    assert tables == lobby["standings"]


async def test_matches_of_an_earlier_arena_are_there(tmp_path):
    """They are found when the page is opened, also without a list."""
    async with opened(tmp_path) as house:
        match = await one_match(house)
        over = await settled(house, match)
    for file in tmp_path.glob("lanista.db*"):
        file.unlink()
    async with opened(tmp_path) as house:
        assert over == await settled(house, match)
        assert 200 == (await house.get(f"/api/1/matches/{match}/record")).status


# -- what isn't answered -------------------------------------------------------------------------

BAD = {
    "/nothing": (404, "there is nothing here; see docs/api.md"),
    "/api/1/matches/01X": (404, "there is no match '01X' here"),
    "/api/1/matches/01X/record": (404, "there is no record of a finished match '01X'"),
    "/api/1/matches/01X/picture?round=1": (404, "there is no record of a finished match '01X'"),
    "/api/1/matches/01X/picture": (400, "give round=N for a picture, or from=N and to=N"),
    "/api/1/matches/01X/picture?from=5&to=4": (400, "to=4 must follow from=5, at most 299 later"),
    "/api/1/matches/01X/picture?round=-1": (400, "round='-1'; it is the number of a round"),
    "/api/1/matches/01X/difference": (400, "other=ID is missing: the match to compare with"),
    "/api/1/matches/01X/difference?other=01Y": (
        404,
        "there is no record of a finished match '01X'",
    ),
    "/api/1/matches/%00": (404, "there is no match '\\x00' here"),
    "/api/1/games?game=angrymob": (400, "no parameter 'game' here; known are: none"),
    "/api/1/matches?limit=0": (400, "limit='0'; it is from 1 to 200"),
    "/api/1/matches?limit=%D9%A3": (400, "limit='\u0663'; it is"),  # a digit, but none of ours
    "/api/1/matches?end=won": (400, "end='won'; it is one of finished, forfeit, aborted, void"),
    "/api/1/matches?seed=x": (400, "seed='x'; it is a whole number"),
    "/api/1/matches?before=x": (400, "before='x'; it is the `next` of another page"),
    "/api/1/matches?colour=red": (
        400,
        "no parameter 'colour' here; known are: game, player, name, end, seed, limit, before",
    ),
    "/api/1/matches?game": (400, "the query isn't NAME=VALUE&…"),
    "/api/1/matches?game=a&game=b": (400, "a parameter is given twice; give it once"),
    "/api/1/ws": (426, "this path is a WebSocket"),
}


async def test_what_is_not_there_is_told_in_words(house):
    """`{"error": "words"}` with its status."""
    for path, refusal in BAD.items():
        await house.refuses(path, *refusal)


ELSEWHERE = (
    *("/page/../server.py", "/page/%2e%2e/server.py", "/page/..%2fserver.py", "/page//etc/passwd"),
    *("/page/", "/page", "//etc/passwd", "//[", "/../../../../etc/passwd", "/page/index.html%00"),
    *("/clients/../server.py", "/clients/", "/api/1/matches/..%2f..%2flanista.db/record"),
    *("http://elsewhere/healthz", "*"),
)


async def test_no_path_leads_elsewhere(house):
    """What may be had is in a table; nothing is looked up in the file system."""
    for path in ELSEWHERE:
        assert (path, 404) == (path, (await house.get(path)).status)


async def test_a_method_that_an_address_does_not_take_is_refused_with_those_that_it_takes(house):
    for method in ("POST", "PUT", "DELETE", "OPTIONS", "BREW"):
        for path in ("/api/1/lobby", "/", "/api/1/ws"):
            answer = await house.get(path, method=method)
            assert (method, 405, "GET, HEAD") == (method, answer.status, answer.header("Allow"))
            assert {"error": f"'{method}' isn't known here, only GET, HEAD"} == answer.json


async def test_head_is_answered_like_get_without_the_body(house):
    """Health checks and link checkers ask like that; it makes no WebSocket."""
    for path in ("/healthz", "/", "/page/main.js", "/api/1/games", "/nothing", "/api/1/ws"):
        head, got = [await house.get(path, method=method) for method in ("HEAD", "GET")]
        assert (path, got.status, got.headers, b"") == (path, head.status, head.headers, head.body)
    upgrade = "Upgrade: websocket", "Connection: Upgrade"
    assert 426 == (await house.get("/api/1/ws", *upgrade, method="HEAD")).status


# -- who may ask ---------------------------------------------------------------------------------


async def test_every_answer_has_its_headers(house):
    """Also an error's; each once. Nothing of ours is shown within, or run by, another site."""
    for path, kind in [
        ("/", "text/html; charset=utf-8"),
        ("/page/index.html", "text/html; charset=utf-8"),
        ("/page/main.js", "text/javascript; charset=utf-8"),
        ("/page/style.css", "text/css; charset=utf-8"),
        ("/clients/python.zip", "application/zip"),
        ("/api/1/qr.svg?text=http://a.example/", "image/svg+xml"),
        ("/healthz", "application/json"),
        ("/nothing", "application/json"),
    ]:
        answer = await house.get(path)
        assert (path, kind) == (path, answer.header("Content-Type"))
        assert str(len(answer.body)) == answer.header("Content-Length")
        assert answer.header("Content-Security-Policy").startswith(
            "default-src 'none'; script-src 'self'; style-src 'self'; "
            "img-src 'self' data: blob:; connect-src 'self'; "
        )
        assert "frame-ancestors 'none'" in answer.header("Content-Security-Policy")
        assert "nosniff" == answer.header("X-Content-Type-Options")
        assert "no-referrer" == answer.header("Referrer-Policy")
        assert "same-origin" == answer.header("Cross-Origin-Resource-Policy")
        assert "no-cache" == answer.header("Cache-Control")
    assert (await house.get("/")).body == (await house.get("/page/index.html")).body


async def test_sites_of_the_operators_choice_may_show_the_page_within_theirs(house):
    house.server.embed = ("https://a.example", "https://b.example:8443")
    answer = await house.get("/")
    policy = answer.header("Content-Security-Policy")
    assert policy.endswith("; frame-ancestors https://a.example https://b.example:8443")


async def test_files_are_sent_compressed_to_whoever_takes_them_so(house):
    """Which makes the script a fifth; without its comments it is shorter than its modules."""
    plain = await house.get("/page/script.js")
    packed = await house.get("/page/script.js", "Accept-Encoding: gzip, deflate, br")
    twice = await house.get("/page/script.js", "Accept-Encoding: br", "Accept-Encoding: gzip")
    assert packed.body == twice.body
    assert plain.body == gzip.decompress(packed.body)
    assert "gzip" == packed.header("Content-Encoding")
    assert "Accept-Encoding" == packed.header("Vary")
    assert len(packed.body) < 200_000
    assert b"\n/** " not in plain.body


async def test_files_that_a_page_needs_are_kept_by_browsers(house):
    """By addresses that change with their content; the document, which names these, isn't kept."""
    document = await house.get("/")
    assert "no-cache" == document.header("Cache-Control")
    addresses = re.findall(r'"(/page/[^"]+)"', document.body.decode())
    assert any(address.startswith("/page/script.js?v=") for address in addresses)
    for address in addresses:
        file = await house.get(address)
        assert "max-age=31536000, immutable" == file.header("Cache-Control")
        plain = await house.get(address.partition("?")[0])
        assert (plain.body, "no-cache") == (file.body, plain.header("Cache-Control"))


async def test_on_loopback_only_our_own_names_are_answered(house):
    """A name that another's name service leads here would make that site's page one of ours."""
    port = house.server.port
    for host, status in {
        f"127.0.0.1:{port}": 200,
        f"localhost:{port}": 200,
        f"LOCALHOST:{port}": 200,
        f"[::1]:{port}": 200,
        "localhost": 200,  # forwarded from elsewhere, as by ssh
        f"evil.example:{port}": 403,
        f"127.0.0.1.evil.example:{port}": 403,
        f"evil.example@127.0.0.1.nip.io:{port}": 403,
        "": 403,
        "[": 403,
        "[::1": 403,
    }.items():
        answer = await house.get("/healthz", host=host)
        assert (host, status) == (host, answer.status)
        assert answer.json.get("error") in (None, f"Host {host!r} isn't this page's address")


async def test_another_sites_page_is_refused(house):
    """By its Origin, which a browser always says with a WebSocket; other programs say none."""
    own = f"127.0.0.1:{house.server.port}"
    for origin, status in {
        f"http://{own}": 200,
        f"https://{own}": 200,  # behind a proxy that speaks TLS
        f"http://localhost:{house.server.port}": 403,
        "http://127.0.0.1": 403,
        "http://127.0.0.1:1": 403,
        "http://evil.example": 403,
        f"http://evil.example/{own}": 403,
        "null": 403,
        "": 403,
        "http://[": 403,
    }.items():
        answer = await house.get("/healthz", f"Origin: {origin}")
        assert (origin, status) == (origin, answer.status)
    for twice in (f"Host: {own}", f"Origin: http://{own}\r\nOrigin: http://evil.example"):
        answer = await house.get("/healthz", twice)
        assert 400 == answer.status
        words = "a request has one Host header and at most one Origin header"
        assert words == answer.json["error"]
    assert 400 == (await house.raw(b"GET /healthz HTTP/1.1\r\n\r\n")).status
    evil = "Upgrade: websocket", "Origin: http://evil.example"
    assert 403 == (await house.get("/api/1/ws", *evil)).status
    await house.page(additional_headers={"Origin": f"http://{own}"})


async def test_off_loopback_every_name_is_answered_but_no_other_origin(tmp_path):
    """A machine has names that we can't know; commands need the token there."""
    async with opened(tmp_path, host="0.0.0.0", token="t") as house:
        assert 200 == (await house.get("/healthz", host="arena.example:80")).status
        for origin, status in {"http://arena.example:80": 200, "http://evil.example": 403}.items():
            answer = await house.get("/healthz", f"Origin: {origin}", host="arena.example:80")
            assert status == answer.status


NO_REQUESTS = (
    b"\r\n",
    b"hello\r\n\r\n",
    b"GET /\r\n\r\n",
    b"GET / HTTP/2\r\n\r\n",
    b"GET /\xff HTTP/1.1\r\n\r\n",
    b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 3\r\n\r\nabc",
    b"GET / HTTP/1.1\r\nHost\r\n\r\n",
    b"GET /api/1/ws HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nUpgrade: h2c\r\n\r\n",
    b"GET /" + b"x" * 20_000 + b" HTTP/1.1\r\n\r\n",
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n",
)


async def test_what_is_no_request_ends_its_connection_alone(house, caplog):
    """With a status where one can be told, and nothing in the log."""
    for data in NO_REQUESTS:
        async with await trio.open_tcp_stream("127.0.0.1", house.server.port) as stream:
            await stream.send_all(data)
            answer = b""
            with contextlib.suppress(trio.BrokenResourceError):
                async for part in stream:
                    answer += part
        told = b"HTTP/1.1 4", b'{"error": "'
        assert not answer or all(part in answer for part in told), data[:40]
        assert 200 == (await house.get("/healthz")).status
    assert [] == [record for record in caplog.records if record.levelno >= logging.ERROR]


# -- faults of the page are no match's matter ----------------------------------------------------


async def test_without_a_list_the_rest_is_there(tmp_path):
    """Its file can't be opened: matches are played and looked at, none is listed."""
    (tmp_path / "lanista.db").mkdir()
    async with opened(tmp_path) as house:
        match = await one_match(house)
        await record_of(house, match)
        assert {"matches": [], "next": None} == (await house.get("/api/1/matches")).json
        assert {"standings": []} == (await house.get("/api/1/standings")).json
        assert 200 == (await house.get(f"/api/1/matches/{match}/record")).status


@pytest.mark.parametrize(
    "error", [StoreError("database or disk is full"), RuntimeError("can't start new thread")]
)
async def test_a_record_that_the_list_could_not_take_is_added_later(house, monkeypatch, error):
    """As when the disk was full at the end of the match: it isn't missing until the next start."""
    from lanista.results.match_list import MatchList

    def fail(*_):
        raise error

    monkeypatch.setattr(MatchList, "add", fail)
    monkeypatch.setattr("lanista.page.kept_list.SYNC_AGAIN", 0)
    match = await one_match(house)
    assert match == (await settled(house, match))["match"]


async def test_a_fault_of_the_page_ends_the_page_alone(tmp_path, monkeypatch):
    broken = trio.Event()

    async def break_down(*_, task_status):
        task_status.started()
        await broken.wait()
        raise KeyError("a fault")

    monkeypatch.setattr(KeptList, "run", break_down)
    async with opened(tmp_path) as house:
        ann, bob, _ = await house.pair()
        assert 200 == (await house.get("/healthz")).status
        broken.set()
        with contextlib.suppress(OSError):
            while True:  # until nobody is there any more
                await house.get("/healthz")
        await play((ann, [AWAY]), (bob, ["9 9 9 9"]), leave=True)
        assert b"\nend forfeit\n" in ann.heard


async def test_a_page_that_cannot_begin_is_told(monkeypatch):
    """Not swallowed: the arena doesn't begin without it."""

    async def break_down(*_, task_status):
        raise KeyError("a fault")

    monkeypatch.setattr(KeptList, "run", break_down)
    with pytest.RaisesGroup(KeyError, flatten_subgroups=True):
        async with showing(View(RunningMatches())):
            pass
