"""A client that connects again: when, how often, and what its bot sees (`PROTOCOL.md 8`)."""

import socket

import pytest

import lanista_client
from client.scripted_arena import FORFEIT, START, TURN_0, TURN_1, WELCOME, Wire
from lanista_client import _FINAL_CODES, Arena, ArenaError, MisuseError

BYE = FORFEIT + b"bye\n"
MATCH = WELCOME + START + TURN_0 + TURN_1 + BYE
OTHER = START.replace(b"01JDEXAMPLE", b"01JDOTHER")
SOON = (0.25, 0.5)  # seconds: the least and the most of a first pause
REFUSED = ConnectionRefusedError(111, "Connection refused")


@pytest.fixture
def arena_of(monkeypatch):
    """An arena by its connections: what each says, or why it fails; and the pauses between."""

    class Connections:
        def __init__(self):
            self.pauses = []
            self.wires = []

        def __call__(self, *coming):
            coming = list(coming)

            def connect(_address, _timeout):
                one = coming.pop(0)
                if isinstance(one, Exception):
                    raise one
                self.wires.append(Wire([one]))
                return self.wires[-1]

            monkeypatch.setattr(socket, "create_connection", connect)
            monkeypatch.setattr(lanista_client.time, "sleep", self.pauses.append)
            return self

    return Connections()


def turns(arena):
    """Play on, each turn answered with nothing; the states and their turns."""
    seen = []
    for state in arena:
        seen.append((state, state.turn))
        arena.send()
    return seen


def within(bounds, pause):
    return bounds[0] <= pause <= bounds[1]


def test_it_is_off_unless_asked_for(arena_of):
    arena = arena_of(REFUSED, WELCOME + START + TURN_0)
    with pytest.raises(ArenaError, match="unreachable"):
        Arena("A")
    with pytest.raises(ArenaError, match="disconnected"):
        turns(Arena("A"))
    assert [] == arena.pauses


def test_pauses_double_to_a_minute_less_a_random_part(arena_of):
    arena = arena_of(*[REFUSED] * 40, MATCH)
    assert 2 == len(turns(Arena("A", reconnect=True)))
    assert 40 == len(arena.pauses)
    for number, pause in enumerate(arena.pauses):
        longest = min(60, 0.5 * 2**number)
        assert within((longest / 2, longest), pause)
    last = arena.pauses[-30:]
    assert len(set(last)) > 5, "there is a random part"


@pytest.mark.parametrize("said", [b"wait 1 2\n", START + TURN_0])
def test_pauses_begin_anew_once_the_bot_is_let_in(arena_of, said):
    welcome = b"welcome 1 lanista 0.1.0\n"
    arena = arena_of(REFUSED, REFUSED, REFUSED, welcome, welcome + said, MATCH)
    turns(Arena("A", reconnect=True))
    for most, pause in zip((0.5, 1, 2, 4, 0.5), arena.pauses, strict=True):
        assert within((most / 2, most), pause)


@pytest.mark.parametrize(
    ("said", "keep", "code"),
    [
        *(
            pytest.param(f"error {code} words\n".encode(), True, code, id=code)
            for code in sorted(_FINAL_CODES - {"unreadable"})
        ),
        pytest.param(START + b"turn x\n", False, "unreadable", id="what no arena says"),
        pytest.param(
            *(START + TURN_0 + FORFEIT + b"error shutdown x\n", False, "shutdown"),
            id="a shutdown after the scores of the only match",
        ),
    ],
)
def test_what_would_come_again_ends_it(arena_of, said, keep, code):
    arena = arena_of(WELCOME + said)
    with pytest.raises(ArenaError) as caught:
        turns(Arena("A", reconnect=True, keep=keep))
    assert code == caught.value.code
    assert [] == arena.pauses


@pytest.mark.parametrize("code", ["shutdown", "internal", "late", "server-full", "of-the-future"])
def test_codes_that_go_away_do_not(arena_of, code):
    arena = arena_of(WELCOME + START + TURN_0 + f"error {code} words\n".encode(), MATCH)
    seen = turns(Arena("A", reconnect=True))
    assert [0, 0, 1] == [turn for _, turn in seen]
    (pause,) = arena.pauses
    assert within(SOON, pause)


def test_cut_at_any_byte_the_match_goes_on_under_the_same_state(arena_of):
    """What came whole counts; of a turn that was cut nothing is left."""
    opening = WELCOME + START + TURN_0
    whole = opening + TURN_1
    for at in range(len(whole)):
        arena = arena_of(whole[:at], WELCOME + START + TURN_1 + BYE)
        with Arena("A", reconnect=True) as connected:
            seen = turns(connected)
            assert ([0] if at >= len(opening) else []) + [1] == [turn for _, turn in seen]
            assert {id(connected.state)} == {id(state) for state, _ in seen}
            assert "01JDEXAMPLE" == connected.state.match
            assert {(1, 1): 2} == connected.state.mine
            assert 10 == len(connected.state.neutral)
            assert "forfeit" == connected.result.end
        sent = [b"A v=1\n" + b"\n" * (at >= len(opening)), b"A v=1\n\n"]
        assert sent == [wire.sent for wire in arena.wires[-2:]]
        assert all(wire.closed for wire in arena.wires)


def test_notes_stay_with_their_match(arena_of):
    note = b"note late 0 - too late\n"
    arena_of(WELCOME + START + TURN_0 + note, WELCOME + START + TURN_1 + BYE)
    with Arena("A", reconnect=True) as connected:
        turns(connected)
        assert ["late"] == [each.code for each in connected.notes]


@pytest.mark.parametrize("end", [FORFEIT, BYE])
def test_without_keep_the_end_of_a_match_is_the_end(arena_of, end):
    arena = arena_of(WELCOME + START + TURN_0 + end)
    connected = Arena("A", reconnect=True)
    assert [0] == [turn for _, turn in turns(connected)]
    assert "forfeit" == connected.result.end
    assert [] == arena.pauses


def test_an_answer_is_still_owed_once_a_turn(arena_of):
    arena_of(WELCOME + START + TURN_0, WELCOME + START + TURN_1 + BYE)
    connected = Arena("A", reconnect=True)
    next(connected)
    with pytest.raises(MisuseError):
        next(connected)
    connected.send()
    assert 1 == next(connected).turn
    connected.send()
    with pytest.raises(MisuseError):
        connected.send()


def test_each_attempt_is_told_on_stderr(arena_of, capsys):
    arena = arena_of(REFUSED, WELCOME, MATCH)
    turns(Arena("A", port=7, reconnect=True))
    first, second = arena.pauses
    told = capsys.readouterr()
    assert "" == told.out
    refused = "unreachable: no arena at 127.0.0.1:7; start one with `lanista serve`"
    broken = "disconnected: the connection ended before a match"
    assert told.err.splitlines() == [
        f"lanista: {refused}; connecting again in {first:.1f} s",
        f"lanista: {broken}; connecting again in {second:.1f} s",
    ]


def test_a_program_whose_pipes_lanista_holds_does_not_even_try(arena_of, monkeypatch):
    arena = arena_of()
    monkeypatch.setenv("LANISTA_STDIO", "1")
    with pytest.raises(ArenaError, match="start it without `stdio:`"):
        Arena("A", reconnect=True)
    assert [] == arena.pauses


def test_ctrl_c_ends_it(arena_of, monkeypatch):
    arena_of(REFUSED)

    def interrupted(_seconds):
        raise KeyboardInterrupt

    monkeypatch.setattr(lanista_client.time, "sleep", interrupted)
    with pytest.raises(KeyboardInterrupt):
        Arena("A", reconnect=True)


def test_a_broken_connection_is_closed_before_the_next_is_made(arena_of, monkeypatch):
    """Or the arena would hear of two."""
    arena = arena_of(WELCOME, WELCOME, MATCH)
    closed = []
    monkeypatch.setattr(
        lanista_client.time, "sleep", lambda _: closed.append([w.closed for w in arena.wires])
    )
    turns(Arena("A", reconnect=True))
    assert [[True], [True, True]] == closed
