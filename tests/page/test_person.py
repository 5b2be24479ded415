"""A person plays against house bots: the bridge between the page's WebSocket and a match."""

from lanista.arena import person as module
from lanista.match.replay import verify
from match.playing import ANGRYMOB
from page.house import done, record_of
from support.waiting import until

WISH = {"game": "angrymob", "name": "Ann Lee", "bots": ["CamperJoe"], "seat": 0}
WAY = ("0 0 1 0", "0 1 1 0", "0 2 1 0", "0 3 1 3")
"""From base to base on the map of the tests, where CamperJoe's unit awaits it: both fall."""


async def test_a_person_plays_a_whole_match(house):
    """Each answer leads to the next turn; one for another turn is refused and changes nothing; the
    match is recorded, and in no room where others could join it.
    """
    page = await house.page()
    asked = await page.ask("play", **WISH)
    match = asked["match"]
    assert ("asked", 0) == (asked["type"], asked["turn"])
    assert [(None, 2)] == [
        (running.room, len(running.bots)) for running in house.arena.running.matches.values()
    ]
    for turn, line in enumerate(WAY):
        wrong = await page.ask("answer", match=match, turn=turn + 1, line="")
        assert f"no answer is awaited for turn {turn + 1}" == wrong["words"]
        asked = await page.ask("answer", match=match, turn=turn, line=line)
        assert turn + 1 == asked["turn"] or asked["turn"] is None
    assert asked["turn"] is None
    record = await record_of(house, match)
    verify(record, ANGRYMOB)
    assert ["Ann Lee", "CamperJoe"] == [player.name for player in record.header.players]
    assert ("finished", "no-units") == (record.result.end, record.result.reason)
    await until(lambda: not house.arena.people._people.total())


async def test_a_person_who_leaves_loses(house):
    """By resigning, and by closing the page; a second match at the same time is refused."""
    page = await house.page()
    first = (await page.ask("play", **WISH, seed="7"))["match"]
    assert (await page.ask("play", **WISH))["words"].startswith(f"you play the match {first}")
    assert done(await page.ask("resign", match=first))
    second = (await page.ask("play", **WISH))["match"]
    await page.socket.aclose()
    for match in (first, second):
        record = await record_of(house, match)
        assert ("forfeit", (2, 1)) == (record.result.end, tuple(record.result.ranks))
    assert 7 == (await record_of(house, first)).header.seed


async def test_a_house_bot_that_fails_is_told(house, monkeypatch):
    """There is no match then, and the person may try again."""
    words = ("sh", "-c", "echo no such library >&2; exit 3")
    monkeypatch.setattr(module, "bot_command", lambda _, bot: (bot, words))
    page = await house.page()
    for _ in range(2):
        refused = await page.ask("play", **WISH)
        assert refused["words"].startswith("a house bot can't be started: exited with code 3")
    assert not house.arena.running.matches


async def test_what_a_person_cannot_play_is_refused(house, monkeypatch):
    """Each with its reason."""
    monkeypatch.setattr(module, "MAX_PER_ADDRESS", 0)
    page = await house.page()
    for wish, reason in (
        ({"game": "chess"}, "chess"),
        ({"bots": ["CamperJo"]}, "did you mean 'CamperJoe'"),
        ({"bots": []}, "Angry Mob needs 1 house bots"),
        ({"seat": 2}, "seats 0 to 1"),
        ({"seed": str(2**63)}, "seed 9223372036854775808; a seed of angrymob is from"),
        ({"name": "Ann room=x"}, "no ="),
        ({"name": "Ann\nBob"}, "printable characters"),
        ({}, "too many people play"),
    ):
        assert reason in (await page.ask("play", **{**WISH, **wish}))["words"]
