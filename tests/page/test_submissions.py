"""Programs that authors hand in over HTTP: who may, and what becomes of requests that are odd."""

import base64
import json
import logging
import tracemalloc
from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest
import trio

from arena.test_ladder_room import program
from lanista.arena import decisions
from lanista.arena.spec import LadderSpec, Submissions
from lanista.page import connections
from page.house import opened
from support.builds import make_up
from support.waiting import until

PATH = "/api/1/ladders/pit/submissions"


@pytest.fixture(autouse=True)
def made_up(monkeypatch):
    make_up(monkeypatch)


def with_ladder(folder, token=None, **limits):
    """A page whose arena has a ladder that takes programs."""
    ladder = LadderSpec(name="pit", game="angrymob", submissions=Submissions(**limits))
    return opened(folder, settings={}, board=None, ladders=(ladder,), token=token)


@pytest.fixture
async def house(tmp_path):
    async with with_ladder(tmp_path) as house:
        yield house


def basic(name, token=None):
    """The header with a name and its token."""
    both = f"{name}:{token or f'token-of-{name}'}"
    return f"Authorization: Basic {base64.b64encode(both.encode()).decode()}"


async def post(house, path, *headers, body=b"", length=None):
    """The answer to a request that says that its body is so long."""
    lines = [f"POST {path} HTTP/1.1", f"Host: 127.0.0.1:{house.server.port}", *headers]
    lines.append(f"Content-Length: {len(body) if length is None else length}")
    return await house.raw("\r\n".join([*lines, "", ""]).encode() + body)


async def hand_in(house, name="Ann", body=b"print()", file="bot.py", token=None, **how):
    return await post(house, f"{PATH}?file={file}", basic(name, token), body=body, **how)


async def begin(house, *headers, length, body=b""):
    """Begin to hand in a program of so many bytes, by what is sent of it at first; the stream."""
    stream = await trio.open_tcp_stream("127.0.0.1", house.server.port)
    lines = [f"POST {PATH}?file=b.py HTTP/1.1", "Host: 127.0.0.1", f"Content-Length: {length}"]
    await stream.send_all("\r\n".join([*lines, *headers, "", ""]).encode() + body)
    return stream


async def test_a_program_is_handed_in_and_only_its_owner_sees_it(tmp_path):
    """Its bytes come back as they were; others, and other names, get neither them nor its state."""
    body = bytes(range(256)) * 20
    async with with_ladder(tmp_path, token="operator") as house:
        answer = await hand_in(house, body=body)
        assert (201, 1, "received") == (answer.status, answer.json["version"], answer.json["state"])
        await hand_in(house, "Bob")
        for path in f"{PATH}/1", f"{PATH}/1/source":
            assert 200 == (await house.get(path, basic("Ann"))).status
            assert 401 == (await house.get(path)).status
            assert 403 == (await house.get(path, basic("Ann", "wrong-token"))).status
            assert 403 == (await house.get(f"{path}?name=Ann", basic("Bob"))).status
            operators = await house.get(f"{path}?name=Ann", "Authorization: Bearer operator")
            assert 200 == operators.status
        source = await house.get(f"{PATH}/1/source", basic("Ann"))
        assert body == source.body
        assert 'attachment; filename="bot.py"' == source.header("Content-Disposition")
        assert "versions" not in (await house.get(PATH)).json
        for what in "play", "delete":
            assert 401 == (await post(house, f"{PATH}/1/{what}")).status
            assert 403 == (await post(house, f"{PATH}/1/{what}", basic("Ann", "x" * 20))).status
        assert 403 == (await post(house, f"{PATH}/Ann/disable?why=x", basic("Bob"))).status
        # Nor does whoever registered the name later.
        house.arena.submissions.ladders["pit"].authors["ann"].registered = "2026-01-01"
        assert 404 == (await house.get(f"{PATH}/1/source", basic("Ann"))).status
        assert [] == (await house.get(PATH, basic("Ann"))).json["versions"]


async def test_what_cannot_be_taken_is_told_before_it_is_sent(tmp_path):
    """By one line of JSON; nobody has to send a body that is refused for what its head says."""
    async with with_ladder(tmp_path, max_bytes=100) as house:
        await until(lambda: house.arena.submissions.tools.languages)
        about, in_rust = (await house.get(PATH)).json, hand_in(house, file="bot.rs")
        in_two_words = post(house, f"{PATH}?file=bot.py", basic("Ann", "two words"), body=b"x")
        with_option = post(house, f"{PATH}?file=bot.py", basic("Ann room=x", "t"), body=b"x")
        assert [".py", ".zip"] == about["endings"]
        assert {"numpy": "1.26.4"} == about["python_packages"]
        for status, words, asked in (
            (413, "at most 100", hand_in(house, length=101)),
            (413, "at most 100", hand_in(house, length=10**11)),
            (400, "is empty", hand_in(house, body=b"")),
            (400, "expected NAME.ENDING, with one of .py .zip", hand_in(house, file="bot.exe")),
            (400, "expected NAME.ENDING", hand_in(house, file="..%2Fbot.py")),
            (400, "with one of .py .zip, which this arena can build", in_rust),
            (400, "no parameter 'evil'", hand_in(house, file="bot.py&evil=1")),
            (400, "this can't be a token; it must be 1 to 128 of", in_two_words),
            (403, "the name 'Ann room=x' can't be on a ladder", with_option),
            (400, "say what the file is called, as …/submissions?file=", post(house, PATH)),
            (401, "curl -u", post(house, f"{PATH}?file=bot.py", length=10)),
            (404, "no ladder", post(house, PATH.replace("pit", "x") + "?file=b.py", length=9)),
            (405, "only GET", post(house, "/api/1/lobby", length=10)),
            (400, "two lengths", hand_in(house, length="7\r\nContent-Length: 8")),
            (400, "HTTP", hand_in(house, length="-7")),
            (400, "HTTP", hand_in(house, length="7\r\nTransfer-Encoding: chunked")),
        ):
            answer = await asked
            assert (status, words in answer.json["error"]) == (answer.status, True), answer
            assert answer.json["error"].isprintable()
        form = b'--a1\r\nContent-Disposition: form-data; name="file"\r\n\r\nx\r\n--a1--\r\n'
        answer = await hand_in(house, body=form)
        assert (400, True) == (answer.status, "--data-binary" in answer.json["error"])
        assert {} == house.arena.submissions.ladders["pit"].authors


async def test_a_large_program_is_not_copied(tmp_path):
    """Copying it would hold the loop of the matches for a tenth of a second."""
    body = bytes(16 << 20)
    async with with_ladder(tmp_path, max_bytes=len(body)) as house:
        tracemalloc.start()
        try:
            assert 201 == (await hand_in(house, body=body)).status
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert 3 * len(body) > peak  # what is sent, and what is received


async def test_what_is_refused_registers_no_name(tmp_path):
    """Programs that come after the deadline register none, nor do requests of unknown names."""
    closes = datetime.now(UTC) - timedelta(seconds=1)
    async with with_ladder(tmp_path / "closed", closes=closes) as house:
        answer = await hand_in(house)
        assert (403, True) == (answer.status, "ladder closed at" in answer.json["error"])
        assert [] == await house.arena.names.registered(None, 10)
    async with with_ladder(tmp_path / "open") as house:
        for what in "1/play", "pause":
            answer = await post(house, f"{PATH}/{what}", basic("Ann"))
            assert (403, True) == (answer.status, "no name 'Ann' is" in answer.json["error"])
        assert [] == await house.arena.names.registered(None, 10)


async def test_only_its_owner_reads_what_a_program_wrote_that_does_not_start(house):
    """It may hold a path or a secret; others read in general words why its name rests."""
    await hand_in(house)
    room = house.arena.ladders["pit"]
    room.offer("Ann", program("Ann"))
    words = "exited with code 1 before it said hello"
    for _ in range(room.spec.bench_after):
        room.not_started("Ann", words, 1, f"{words}: no /home/ann/secret")
    assert "no /home/ann/secret" in (await house.get(f"{PATH}/1", basic("Ann"))).json["why"]
    assert room.why_resting("Ann").endswith(words)


async def test_another_sites_page_hands_in_and_changes_nothing(house):
    """Without a token, on loopback, everybody is the operator: a browser says who asks."""
    await hand_in(house)
    for origin in "http://evil.example", "null":
        for path in f"{PATH}?file=bot.py", f"{PATH}/Ann/disable?why=x", f"{PATH}/1/delete":
            answer = await post(house, path, f"Origin: {origin}", basic("Ann"), body=b"x")
            assert (403, "Origin") == (answer.status, answer.json["error"].split(" ")[0])
    own = f"Origin: http://127.0.0.1:{house.server.port}"
    assert 200 == (await post(house, f"{PATH}/Ann/disable?why=", own)).status
    refused = await house.get(PATH, method="DELETE")
    assert (405, "GET, HEAD, POST") == (refused.status, refused.header("Allow"))
    assert "isn't known here, only GET, HEAD, POST" in refused.json["error"]


async def test_why_a_name_is_disabled_is_one_line_without_escapes(house):
    await hand_in(house)
    for why in "%1b[31mred", "a%0Ab", "x" * 201, "%E2%80%AE":
        assert 400 == (await post(house, f"{PATH}/Ann/disable?why={why}")).status
    assert 200 == (await post(house, f"{PATH}/Ann/disable?why=it+mines+coins")).status
    answer = await hand_in(house)
    assert (403, True) == (answer.status, "it mines coins" in answer.json["error"])


async def test_a_body_that_does_not_come_holds_nobody_up(house, monkeypatch, caplog):
    """Many begin to send and don't go on, of one name and of several; others hand in meanwhile."""
    monkeypatch.setattr(connections, "MAX_ANSWERS", 10_000)
    names = (f"Eve{number % 3}" for number in range(12))
    streams = [await begin(house, basic(name), length=900, body=b"half") for name in names]
    assert 201 == (await hand_in(house)).status
    for stream in streams[:6]:
        await stream.aclose()
    assert 201 == (await hand_in(house, "Bob")).status
    for stream in streams[6:]:
        await stream.aclose()
    assert {"ann", "bob"} == house.arena.submissions.ladders["pit"].authors.keys()
    assert [] == [line for line in caplog.records if line.levelno >= logging.ERROR]


async def test_the_memory_of_what_an_author_reads_is_counted(house, monkeypatch):
    """Whoever asks for a program on many connections and reads slowly has no more than others."""
    held = []
    await hand_in(house, body=b"x" * 900)
    monkeypatch.setattr(connections.Peer, "hold", lambda _, size: held.append(size))
    for path in f"{PATH}/1/source", f"{PATH}/1":
        answer = await house.get(path, basic("Ann"))
        assert [len(answer.body)] == held
        held.clear()


async def test_tokens_that_are_guessed_by_handing_in_delay_no_bot(house):
    """They wait in the page's queue, not in that of the hellos from their address."""
    await hand_in(house)
    assert 403 == (await hand_in(house, "Ann", token="guess")).status
    waiting = house.arena.names._wrong_tokens._whole_at
    assert ["page"] == [sender.purpose for sender, _ in waiting]


@pytest.mark.parametrize("decision", ["remove_name", "reset_token"])
async def test_a_body_that_ends_after_its_token_was_revoked_is_refused(house, decision):
    """It would take the place of what the name's next owner has handed in meanwhile."""
    stream = await begin(house, basic("Ann"), length=8, body=b"half")
    names = house.arena.names
    await until(lambda: "Ann" in names._seen)
    await names.decide(lambda store: getattr(decisions, decision)(store, "Ann"))
    if decision == "remove_name":
        assert 201 == (await hand_in(house, token="of-the-next-owner")).status
    await stream.send_all(b"rest")
    assert (await stream.receive_some()).startswith(b"HTTP/1.1 403 ")
    await stream.aclose()
    authors = house.arena.submissions.ladders["pit"].authors.values()
    taken = [version.file for author in authors for version in author.versions.values()]
    assert (["bot.py"] if decision == "remove_name" else []) == taken


async def test_a_body_that_takes_too_long_is_given_up(house, monkeypatch):
    monkeypatch.setattr(connections, "BODY_TIME", 0.01)
    with pytest.raises((IndexError, ValueError)):  # no answer: the connection is closed
        await hand_in(house, body=b"half", length=100)
    assert {} == house.arena.submissions.ladders["pit"].authors


async def test_a_large_body_may_take_longer(house, monkeypatch):
    """Its author's line may be slow: at `SLOWEST` these bytes take 15 s."""
    monkeypatch.setattr(connections, "BODY_TIME", 0.0)
    assert 201 == (await hand_in(house, body=b"#" * 100_000)).status


async def test_whoever_waits_for_the_go_ahead_gets_it(house):
    """As curl does with larger files; bytes beyond the length are no part of the program."""
    stream = await begin(house, "Expect: 100-continue", basic("Ann"), length=3)
    assert b"HTTP/1.1 100 Continue\r\n\r\n" == await stream.receive_some()
    await stream.send_all(b"abcdef")
    answer = b"".join([data async for data in stream])
    assert 3 == json.loads(answer.partition(b"\r\n\r\n")[2])["size"]
    await stream.aclose()


async def test_every_one_of_a_crowd_that_hands_in_gets_an_answer(tmp_path, monkeypatch):
    """More than there are places: those beyond are told to try again, and the others are taken.

    Those that wait for their turn to be stored don't give way, but one that sends nothing does.
    """
    monkeypatch.setattr(connections, "MAX_REQUESTS", 12)
    answers, bad = [], b"bad" + b"#" * 50_000  # so that nothing plays
    async with with_ladder(tmp_path, per_hour=100) as house:
        await hand_in(house, body=bad)  # the token is known then

        async def author():
            answers.append(await hand_in(house, body=bad))

        lock = house.arena.submissions.ladders["pit"]._lock
        async with await trio.open_tcp_stream("127.0.0.1", house.server.port) as silent:
            async with trio.open_nursery() as nursery, lock:
                for _ in range(40):
                    nursery.start_soon(author)
                await until(lambda: len(answers) == 28)
            assert (await silent.receive_some()).startswith(b"HTTP/1.1 503 ")
    assert {201: 12, 503: 28} == Counter(answer.status for answer in answers)
    refused = next(answer for answer in answers if answer.status == 503)
    assert ("5", True) == (refused.header("Retry-After"), "try again" in refused.json["error"])
