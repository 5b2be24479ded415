"""What scripted bots are told by a real daemon over real sockets (PROTOCOL.md 2, 3, 6, 7).

The daemon plays three moves on the example map; every test has a room of its own.
"""

import re

import pytest

from e2e.running import EXAMPLE_MAP
from lanista import __version__

ROWS = [f"row {row} {tokens}" for row, tokens in enumerate(EXAMPLE_MAP.splitlines()[1:])]
WELCOME = f"welcome 1 lanista {__version__}"


def test_a_whole_match_of_version_1(daemon, peers):
    """PROTOCOL.md 3, 5: welcome, wait, the match, three turns, the final position, the end."""
    first = peers(daemon, "Ada v=1 game=angrymob room=whole")
    assert [WELCOME, "wait 1 2"] == first.until("wait")
    second = peers(daemon, "Bob v=1 room=whole notes=1")
    assert [WELCOME, "wait 2 2"] == second.until("wait")
    assert ["wait 2 2"] == first.until("wait")
    told = first.until("go")
    match, seed = told[0].removeprefix("start "), told[6].removeprefix("seed ")
    assert [
        f"start {match}",
        "game angrymob",
        "seat 0",
        "player 0 Ada",
        "player 1 Bob",
        "clock 0 0",
        f"seed {seed}",
        "set move_limit 3",
        "size 6 7",
        "base 0 2 1",
        "base 1 3 5",
        *ROWS,
        "turn 0",
        "unit 2 1 0 1",
        "unit 3 5 1 1",
        "total 0 1",
        "total 1 1",
        "go",
    ] == told
    assert re.fullmatch(r"[0-9A-HJKMNP-TV-Z]{26}", match)
    assert 0 <= int(seed) < 2**31
    told = second.until("go")
    assert (f"start {match}", "seat 1") == (told[0], told[2])
    assert f"seed {seed}" != told[6]
    first.say("2 1 1 1\n")
    second.say("\n")
    turn_1 = [
        "turn 1",
        "moved 0 2 1 1 1",
        "moved 1",
        "unit 1 1 0 2",
        "unit 3 5 1 1",
        "neutral 1 1 0",
        "total 0 2",
        "total 1 1",
        "go",
    ]
    assert (turn_1, turn_1) == (first.until("go"), second.until("go"))
    for peer in (first, second):
        peer.say("\n\n")  # the second one ahead of its turn
    for peer in (first, second):
        assert "turn 2" == peer.until("go")[0]
    final = (
        "turn 3\nmoved 0\nmoved 1\nunit 1 1 0 2\nunit 3 5 1 1\ntotal 0 2\ntotal 1 1\n"
        "end finished\nrank 0 1\nrank 1 1\nscore 0 2\nscore 1 1\nbye\n"
    )
    assert (final, final) == (first.rest(), second.rest())
    record = daemon.record_of(match)
    assert ("move-limit", 3) == (record.result.reason, record.result.turns)
    assert ("Ada", "Bob") == tuple(player.name for player in record.header.players)


def test_classic_and_version_1_meet(daemon, peers):
    """PROTOCOL.md 6: one may speak version 1 and the other classic; each is told in its own way."""
    # It is told nothing while it waits, so nobody knows whose hello is read first.
    classic = peers(daemon, "Old Timer room=mixed seat=0")
    modern = peers(daemon, "New v=1 room=mixed")
    assert EXAMPLE_MAP == classic.exactly(len(EXAMPLE_MAP))
    match = next(line for line in modern.until("go") if line.startswith("start "))[6:]
    classic.say("2 1 1 1\n")
    modern.say(" 3  5 1 3 \r\n")
    assert "3 5 1 3\n" == classic.exactly(8)
    assert "moved 0 2 1 1 1" in modern.until("go")
    classic.say("7 7 7 7\n")
    modern.say("\n")
    assert "\n" == classic.rest()
    assert "end forfeit\nrank 0 2\nrank 1 1\nscore 0 2\nscore 1 2\nbye\n" == modern.rest()
    record = daemon.record_of(match)
    assert ("classic", "1") == tuple(player.protocol for player in record.header.players)
    assert ("Old Timer", "New") == tuple(player.name for player in record.header.players)


def test_one_who_keeps_meets_one_who_does_not(daemon, peers):
    """The one is sent `bye`, the other waits again and plays the next who comes."""
    kept = peers(daemon, "Kept v=1 room=mixedkeep keep=1")
    for name in ("Once", "Twice"):
        guest = peers(daemon, f"{name} v=1 room=mixedkeep")
        for peer in (kept, guest):
            peer.until("go")
            peer.say("\n\n\n")
        assert guest.rest().endswith("score 1 1\nbye\n")
        kept.until("end")
        assert "wait 1 2" == kept.until("wait")[-1]


@pytest.mark.parametrize("said", ["", "Half", "Whole v=1 room=reset\n"])
def test_connections_that_are_reset_are_no_harm(daemon, peers, said):
    """Before, in and after the hello: the arena serves on and reports no error of its own."""
    for _ in range(20):
        peer = peers(daemon)
        peer.say(said)
        peer.reset()
    pair = [peers(daemon, f"{name} v=1 room=after{len(said)}") for name in ("Ada", "Bob")]
    for peer in pair:
        peer.until("go")
        peer.say("\n\n\n")
    for peer in pair:
        assert peer.rest().endswith("bye\n")
    assert "Traceback" not in daemon.err
