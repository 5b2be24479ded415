"""Bots that misbehave, side by side with healthy matches of the same daemon.

Each offender ends as PROTOCOL.md says, with a reason that a person understands, and the healthy
matches are the same, digest for digest, as without it.
"""

import pytest

from e2e.running import Daemon, digests
from lanista.games import registry
from lanista.match.replay import verify

MOVE_LIMIT = 30
TIME_MOVE = 5
"""Seconds: only those who mean to be late are."""

HELLOS = {
    "silent": "error hello-timeout no complete hello within 4 s; the first line is the name",
    "half_hello": "error hello-timeout no complete hello within 4 s; the first line is the name",
    "no_name": "error bad-hello no name; the first line is `NAME` or `NAME key=value …`",
    "noise": "error not-utf8 byte 0 of ",
    "long_hello": "error line-too-long a line of more than 512 bytes; end each line with a newline",
}
"""Bots that never get into a match: what they are told."""

FORFEITS = {
    "dies_mid_line": ("missing", "disconnected", "closed its connection"),
    "illegal": ("answer", "illegal", "(-1, 0) is outside the map of 7 rows and 9 columns"),
    "late": ("late", "late", f"no answer within {TIME_MOVE} s"),
    "leaves": ("missing", "disconnected", "closed its connection"),
    "long_line": ("missing", "line-too-long", "a line of more than 65536 bytes"),
    "malformed": ("malformed", "malformed", "'go north please'"),
    "not_utf8": ("missing", "not-utf8", "is not UTF-8"),
    "resets": ("missing", "disconnected", "closed its connection"),
    "stops_reading": ("late", "late", f"no answer within {TIME_MOVE} s"),
}
"""Bots that lose in their third turn: the verdict, the fault's code, some of its words."""

HARMLESS = ("byte_by_byte", "early", "floods", "floods_log", "never_reads", "twice")
"""Bots that are odd, or only harm themselves: their matches end by the rules."""

HEALTHY = {
    "marchers": ("version1", "version1"),
    "veterans": ("classic", "classic"),
    "mixed": ("version1", "classic"),
}
"""Rooms of healthy bots, which look at nothing but the position."""


def play_healthy(daemon, join, round_):
    """Start the healthy matches."""
    for room, scripts in HEALTHY.items():
        for seat, script in enumerate(scripts):
            # Who comes first is chance: so each asks for its seat.
            name = f"{room}{seat}-{round_}"
            join(daemon, script, f"room={room}-{round_}", f"seat={seat}", name=name)


def healthy_records(daemon, round_):
    """The records of the healthy matches of a round, by room."""
    return {room: daemon.record_with(f"{room}0-{round_}") for room in HEALTHY}


@pytest.fixture(scope="module")
def arena(tmp_path_factory):
    """A daemon whose clock only catches who means to be late, and never calls a match void."""
    serving = Daemon(
        tmp_path_factory.mktemp("offenders"),
        *("--map", "pit", "--move-limit", MOVE_LIMIT, "--time-init", 60, "--time-move", TIME_MOVE),
        *("--hello-timeout", 4, "--stall-margin", 600),
    )
    yield serving
    serving.end()


def test_offenders_are_judged_and_healthy_matches_do_not_notice(arena, join):
    """The table above, all at once; the records of all verify."""
    play_healthy(arena, join, "alone")
    alone = healthy_records(arena, "alone")

    hellos = {script: join(arena, script) for script in HELLOS}
    for script in (*FORFEITS, *HARMLESS):
        join(arena, script, f"room={script}", "seat=0")
        join(arena, "version1", f"room={script}", "seat=1", name=f"against {script}")
    play_healthy(arena, join, "beside")
    beside = healthy_records(arena, "beside")

    for room, record in beside.items():
        assert digests(alone[room]) == digests(record), room
        assert ("finished", ()) == (record.result.end, record.result.faults), room
    for script, told in HELLOS.items():
        assert hellos[script].wait() == 0, script
        assert hellos[script].out.startswith(told), script
        assert 1 == hellos[script].out.count("\n"), script
    records = {script: arena.record_with(script) for script in (*FORFEITS, *HARMLESS)}
    for script, (verdict, code, words) in FORFEITS.items():
        record = records[script]
        assert ("forfeit", (2, 1), 3) == (
            record.result.end,
            record.result.ranks,
            record.result.turns,
        ), script
        assert (verdict, "answer") == record.turns[-1].verdicts, script
        (fault,) = record.result.faults
        assert (2, 0, code) == (fault.turn, fault.seat, fault.code), script
        assert words in fault.words, script
    for script in HARMLESS:
        assert ("finished", ()) == (records[script].result.end, records[script].result.faults)
    # The two that are late kept their matches running all the while.
    late, healthy = records["late"], beside["veterans"]
    assert late.header.started < healthy.result.ended
    assert healthy.header.started < late.result.ended
    angrymob = registry.get("angrymob")
    for record in (*alone.values(), *beside.values(), *records.values()):
        assert len(record.turns) == verify(record, angrymob)
    assert "Traceback" not in arena.err
