"""Bots that do one thing wrong, as processes: the item that it belongs to fails, with evidence and
advice, and no other does.
"""

import pytest

from check.checking import mode
from e2e.running import bot_words
from lanista.check.gauntlet import APART, CROWDED, KEPT, LARGEST, ONE, PLAIN, WORDS
from lanista.check.items import Status

FAULTS = {
    # of this folder's bot: the bout that shows it beside the plain one, the item, words of evidence
    "hasty": (APART, "before-go", "turn 0: it answered before `go` had been sent"),
    "doubles": (PLAIN, "answers", "before turn 4 it sent a line that nobody had asked for"),
    "strict": (WORDS, "unknown-keywords", "unknown keyword x-check"),
    "one-turn": (ONE, "one-turn", "that can't be the end"),
    "small": (LARGEST, "largest-map", "turn 0: closed its connection; its process: exited with"),
    "keep-leaves": (KEPT, "keep", "match 2, turn 0: closed its connection"),
    "fails-late": (PLAIN, "end", "after the plain match its process: exited with code 3"),
    "forks": (PLAIN, "processes", "after the plain match: 1 process of its own"),
    # of bots of tests/bots
    "crashes": (None, "name", "before it said hello: crashes.py:3: RuntimeError: no brain found"),
    "dies_in_play": (None, "answers", "RuntimeError: out of ideas"),
    "illegal": (None, "submoves", "turn 2, submove 0: illegal: (-1, 0) is outside the map"),
}


def check(items, name, words):
    """The one item that fails tells these words, and what to do."""
    assert [name] == [item.name for item in items.values() if item.status is Status.FAILED]
    assert words in "\n".join(items[name].evidence)
    assert items[name].advice


@pytest.mark.parametrize("bot", FAULTS)
async def test_a_bot_with_one_fault_fails_the_item_of_that_fault(items_after, bot):
    bout, name, words = FAULTS[bot]
    check(await items_after(bot_words(bot) if bout is None else mode(bot), bout), name, words)


@pytest.mark.long
async def test_a_bot_that_never_says_its_name_fails_by_time(items_after):
    """Nothing else is tried, and each of the others says so."""
    items = await items_after(bot_words("silent"), time_start=0.5)
    check(items, "name", "no hello within 0.5 s")
    others = [item for item in items.values() if item.name != "name"]
    assert 11 == len(others)
    assert {(Status.NOT_TRIED, "it never arrived")} == {(item.status, item.said) for item in others}


async def test_a_bot_that_asks_for_another_game_is_told_so(items_after):
    items = await items_after(mode("wrong-game"))
    check(items, "name", "unknown-game: it asks for hogwarts; angrymob is played here")
    assert 1 == items["name"].evidence[0].count("it asks for hogwarts")  # the bot prints it too
    assert "--game" in items["name"].advice


async def test_a_bot_with_a_token_of_its_own_is_told_so(items_after):
    items = await items_after(mode("wrong-token"))
    check(items, "name", "bad-token")
    assert "LANISTA_TOKEN" in items["name"].advice


async def test_a_late_bot_fails_by_its_times(items_after):
    """It answers the third turn when it has heard that it was late."""
    items = await items_after(bot_words("late"), time_move=1.0)
    check(items, "times", "the plain match, turn 2: no answer within 1 s")


@pytest.mark.long
async def test_a_bot_that_stays_when_all_is_over_fails_the_end(items_after):
    items = await items_after(mode("stays"), leave=0.5)
    check(items, "end", "was still running and was ended by the arena")
    assert "a thread or timer that goes on" in items["end"].advice


async def test_a_fault_of_the_plain_match_is_not_told_again_by_the_others(items_after):
    """What they are there for couldn't be tried: they say why."""
    items = await items_after(bot_words("illegal"), WORDS)
    check(items, "submoves", "the plain match, turn 2")
    words = items["unknown-keywords"]
    assert (Status.NOT_TRIED, "it was refused in turn 2") == (words.status, words.said)


async def test_the_last_fault_is_told_where_a_bad_answer_is_skipped(items_after):
    """The earlier ones didn't cut the match short."""
    items = await items_after(mode("gives-up"), WORDS, game="hogwarts")
    words = items["unknown-keywords"]
    assert (Status.NOT_TRIED, "it was gone in turn 3") == (words.status, words.said)


async def test_a_second_match_is_played_by_a_bot_that_asks_for_it(items_after):
    items = await items_after(mode("keep"), KEPT)
    assert (Status.OK, "10 turns") == (items["keep"].status, items["keep"].said)


async def test_a_classic_bot_is_checked_without_what_only_version_1_has(items_after):
    """PROTOCOL.md 6: no go, no keywords, no keep."""
    items = await items_after(bot_words("classic"), ONE, LARGEST, CROWDED)
    missing = {item.name for item in items.values() if item.status is Status.NOT_APPLICABLE}
    assert {"before-go", "unknown-keywords", "keep"} == missing
    assert {Status.OK} == {item.status for item in items.values() if item.name not in missing}
