"""What belongs to the owner of a bot on a ladder: logs, and the bundles of its failures.

Others don't get them, neither in frames nor in records (docs/api.md).
"""

import gzip
import io
import zipfile

import pytest
import trio

from lanista.arena import tokens
from lanista.arena.decisions import add_name, remove_name, reset_token
from lanista.errors import StoreError
from lanista.match.bundle import folder_of
from lanista.match.record import PART, read_record
from lanista.match.replay import verify
from match.playing import ANGRYMOB
from page.house import running_match
from page.records import captured, edited, unpacked
from page.test_ladders import opened
from page.test_logs import logs
from page.test_submissions import basic

LADDER = {"name": "pit", "map": ""}
BEFORE = "2026-05-01T00:00:00.000+00:00"
LATER = "2100-01-01T00:00:00.000+00:00"
"""Later than Ann's registration, which comes with each test."""
LOGS = {"0": "# Ann's plan\n", "1": "# Bob's plan\n"}


@pytest.fixture(autouse=True)
def cheap(quick, monkeypatch):
    monkeypatch.setattr(tokens, "LOG_N", 1)


@pytest.fixture
def record(request, tmp_path):
    """The record of a ladder's match between Ann and Bob, who both log their plans.

    It began LATER, or when a test's parameter says.
    """
    path = tmp_path / "records" / "2026-05-01" / "m1.jsonl.gz"
    path.parent.mkdir(parents=True)
    bots = [{"exit": "exit code 1", "output": f"{name}'s output"} for name in ("Ann", "Bob")]
    by_line = {
        0: {"ladder": LADDER, "started": getattr(request, "param", LATER)},
        1: {"logs": LOGS},
    }
    return edited(captured(tmp_path), path, by_line, bots=bots)


@pytest.fixture
async def house(tmp_path, record):
    """The page of an arena with a ladder and a record of it; the operator's token is sesame."""
    async with opened(tmp_path, token="sesame") as house:
        house.arena.running.ended["m1"] = record
        yield house


async def named(house):
    """Ann's token."""
    return await trio.to_thread.run_sync(add_name, house.arena.names.store, "Ann")


async def seen(page, match="m1"):
    """The head's `logs`, and what the first turn's frame has of them."""
    head = await page.ask("open", match=match)
    assert ("head", "pit") == (head["type"], head["ladder"])
    return head["logs"], logs(await page.frames(match, 1)).get(1)


async def test_a_replay_shows_logs_to_owners_and_the_operator(house):
    """Each owner its own, from when the token was shown; the operator all."""
    token = await named(house)
    page = await house.page()
    assert (False, None) == await seen(page)
    answer = await page.ask("name", name="ann", token="wrong")
    assert "no name 'ann' is registered with this token; check both" in answer["words"]
    assert (False, None) == await seen(page)
    answer = await page.ask("name", name="ann", token=token)
    assert ("name", "Ann") == (answer["type"], answer["name"])
    assert ([0], {"0": LOGS["0"]}) == await seen(page)
    other = await house.page()
    assert (False, None) == await seen(other)
    await other.ask("token", token="sesame")
    assert (True, LOGS) == await seen(other)
    # A name that nobody has isn't registered.
    answer = await page.ask("name", name="New", token=token)
    assert "no name 'New' is registered" in answer["words"]
    assert None is house.arena.names.store.find("new")


@pytest.mark.parametrize("how", ["reset", "removed and added", "unknown"])
async def test_a_token_that_the_operator_takes_back_opens_nothing_more(house, how, monkeypatch):
    """Not even on the page on which it was shown before, nor while nobody can say if it was."""
    token = await named(house)
    page = await house.page()
    await page.ask("name", name="Ann", token=token)
    assert ([0], {"0": LOGS["0"]}) == await seen(page)
    names = house.arena.names.store
    if how == "reset":
        await trio.to_thread.run_sync(reset_token, names, "Ann")
    elif how == "unknown":

        async def lost(*_):
            raise StoreError("lost")

        monkeypatch.setattr(type(house.arena.names), "look_up", lost)
    else:
        await trio.to_thread.run_sync(remove_name, names, "Ann")
        await named(house)
    assert (False, None) == await seen(page)


@pytest.mark.parametrize("record", [BEFORE], indirect=True)
async def test_a_name_that_somebody_else_had_before_opens_nothing_of_that_time(house, record):
    """It was removed and registered again: not even with the same token, and in no way."""
    folder_of(record, 0).mkdir()
    token = await named(house)
    page = await house.page()
    await page.ask("name", name="Ann", token=token)
    assert (False, None) == await seen(page)
    auth = basic("Ann", token)
    assert 403 == (await house.get("/api/1/matches/m1/bundles/0", auth)).status
    answer = await house.get("/api/1/matches/m1/record", auth)
    assert 200 == answer.status
    assert b"plan" not in gzip.decompress(answer.body)
    operator = await house.page()
    await operator.ask("token", token="sesame")
    assert (True, LOGS) == await seen(operator)


async def test_so_does_a_match_that_is_running(house, record):
    """Also where others' logs are open to all."""
    part = record.with_name("m2.jsonl.gz" + PART)
    part.write_bytes(b"".join(unpacked(record)[:2]))
    house.server.view.open_logs = True
    token = await named(house)
    house.arena.running.begin(running_match("m2", part, room="pit", started=LATER))
    page, other = await house.page(), await house.page()
    await page.ask("name", name="Ann", token=token)
    assert ([0], {"0": LOGS["0"]}) == await seen(page, "m2")
    assert (False, None) == await seen(other, "m2")
    assert "pit" == (await house.get("/api/1/matches/m2")).json["ladder"]


async def test_records_are_copies_without_what_others_logged(house, record, tmp_path):
    """They can be replayed; the operator gets the file itself."""
    token = await named(house)
    path = "/api/1/matches/m1/record"
    for headers, kept in [((), set()), ((basic("Ann", token),), {0})]:
        answer = await house.get(path, *headers)
        assert (200, "application/gzip") == (answer.status, answer.header("Content-Type"))
        copy = tmp_path / "copy.jsonl.gz"
        copy.write_bytes(answer.body)
        content, whole = read_record(copy), read_record(record)
        assert whole.header == content.header
        assert {seat: LOGS[seat] for seat in LOGS if int(seat) in kept} == content.turns[0].logs
        assert whole.turns[1:] == content.turns[1:]
        outputs = [bot.output for bot in content.result.bots]
        assert ["Ann's output" if 0 in kept else "", ""] == outputs
        verify(content, ANGRYMOB)
    answer = await house.get(path, "Authorization: Bearer sesame")
    assert record.read_bytes() == answer.body
    # A damaged one is named by its match, not by its path.
    record.write_bytes(record.read_bytes()[:-20])
    answer = await house.get(path)
    assert 404 == answer.status
    assert answer.json["error"].startswith("the record can't be read: m1: ")


async def test_bundles_are_for_their_owners(house, record):
    """What works only on the arena's machine is left out of them."""
    for seat in (0, 1):
        folder = record.with_name(f"m1.seat{seat}.failure")
        folder.mkdir()
        (folder / "about.txt").write_text(
            "Ann\n\nTo feed the bot the match up to that turn again, "
            "without a clock:\n  sh /home/x/feed.sh\n"
        )
        (folder / "feed.sh").write_text("#!/bin/sh\n")
        (folder / "turn-1.sent").write_bytes(b"go\n")
    token = await named(house)
    path = "/api/1/matches/m1/bundles/0"
    page = await house.page()
    assert [] == (await page.ask("open", match="m1"))["bundles"]
    await page.ask("name", name="Ann", token=token)
    assert [0] == (await page.ask("open", match="m1"))["bundles"]
    assert 403 == (await house.get(path)).status
    answer = await house.get(path, basic("Ann", token))
    assert 200 == answer.status
    assert 'attachment; filename="m1.seat0.zip"' == answer.header("Content-Disposition")
    with zipfile.ZipFile(io.BytesIO(answer.body)) as bundle:
        assert ["about.txt", "turn-1.sent"] == bundle.namelist()
        assert b"Ann\n" == bundle.read("about.txt")
    assert 403 == (await house.get("/api/1/matches/m1/bundles/1", basic("Ann", token))).status
    operator = "Authorization: Bearer sesame"
    assert 200 == (await house.get("/api/1/matches/m1/bundles/1", operator)).status
    for elsewhere in ("m1/bundles/7", "m9/bundles/0"):
        assert 404 == (await house.get(f"/api/1/matches/{elsewhere}", operator)).status


@pytest.mark.parametrize(
    ("header", "status", "words"),
    [
        ("Bearer open", 403, "this isn't the operator's token"),
        ("Bearer s\u00e9same", 400, "Authorization is neither"),
        ("Basic QW5uOng=", 403, "no name 'Ann' is registered with this token"),  # Ann:x
        ("Basic PGI+Ong=", 403, "the name '<b>' can't be on a ladder"),  # <b>:x
        ("Basic QW5u", 400, "Authorization is neither Basic, of NAME:TOKEN, nor Bearer"),  # Ann
        ("Basic \u00e9", 400, "Authorization is neither"),
        ("Digest QW5uOng=", 400, "Authorization is neither"),
        ("x", 400, "Authorization is neither"),
        ("x\r\nAuthorization: x", 400, "a request has at most one Authorization header"),
    ],
)
async def test_what_opens_nothing(house, header, status, words):
    answer = await house.get("/api/1/matches/m1/record", f"Authorization: {header}")
    assert status == answer.status
    assert answer.json["error"].startswith(words)
