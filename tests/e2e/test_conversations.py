"""What scripted bots are told by a real daemon over real sockets (PROTOCOL.md 3, 6).

The daemon plays three moves on the example map; every test has a room of its own. A whole match of
version 1 is the conversation of docs/bots/protocol.md, which docs/test_bots.py has with a daemon.
"""

import pytest

from e2e.running import EXAMPLE_MAP


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
