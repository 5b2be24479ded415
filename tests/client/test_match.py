"""A match through the client: bytes in, states and bytes out (`PROTOCOL.md 3` to `5`)."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from client.scripted_arena import (
    FORFEIT,
    START,
    TURN_0,
    TURN_1,
    WELCOME,
    state_of,
    wired,
)
from lanista_client import DIRECTIONS, DOWN, LEFT, RIGHT, UP, AngryMobState, Arena, ArenaError

MATCH = WELCOME + START + TURN_0 + TURN_1 + FORFEIT + b"bye\n"


def played(arena):
    """Play on, each answer telling the turn; what was seen of each state."""
    seen = []
    for state in arena:
        seen.append((state.turn, state.mine, state.theirs, dict(state.neutral), state.moved))
        arena.send([(state.turn, 0, 0, 0)])
    return seen


@pytest.fixture
def state(monkeypatch):
    return state_of(monkeypatch, START, TURN_0)


def test_the_facts_of_the_match(state):
    """Those that tests/protocol doesn't compare with the vectors' conversations."""
    assert isinstance(state, AngryMobState)
    assert "01JDEXAMPLE" == state.match
    assert ((2, 1), (3, 5)) == (state.base, state.enemy_base)
    assert state.start_facts["row"][0] == ["0", ".", "1", ".", ".", "#", "#", "2"]


def test_passable_and_neighbours(state):
    """Outside the map nothing is passable; a base is; directions are those of the rules."""
    assert [True, True, False] == [state.passable(2, 1), state.passable(0, 1), state.passable(0, 4)]
    outside = [(-1, 0), (0, -1), (6, 0), (0, 7)]
    assert [False] * 4 == [state.passable(i, j) for i, j in outside]
    assert [(RIGHT, (2, 2)), (UP, (1, 1)), (LEFT, (2, 0)), (DOWN, (3, 1))] == state.neighbours(2, 1)
    assert [(RIGHT, (0, 1))] == state.neighbours(0, 0)
    assert ((0, 1), (-1, 0), (0, -1), (1, 0)) == DIRECTIONS


def test_distances(state):
    """Around impassable cells; through `blocked` never; `within` ends the search."""
    steps = state.distances([(0, 1)])
    assert (32, 2, 10) == (len(steps), steps[2, 1], steps[5, 6])
    assert sorted(steps.values()) == list(steps.values())
    assert 4 == state.distances([(0, 1)], blocked={(1, 1)})[2, 1]
    near = {(0, 1): 0, (0, 2): 1, (0, 0): 1, (1, 1): 1}
    assert near == state.distances([(0, 1)], within=1)
    assert {} == state.distances([(-1, 0), (0, 7)]), "outside the map"
    assert (0, 1) == tuple(state.distances([(5, 6), (0, 1)])[cell] for cell in ((5, 6), (0, 0)))


def test_a_neutral_number_may_change_to_another(monkeypatch):
    state = state_of(monkeypatch, START, b"turn 0\nneutral 1 1 7\nneutral 0 0 2\ngo\n")
    assert (7, 2) == (state.neutral[1, 1], state.neutral[0, 0])


def test_facts_without_a_meaning_for_the_client_can_be_read(monkeypatch):
    """PROTOCOL.md 3: unknown keywords of a turn; protocol/vectors have them everywhere."""
    state = state_of(monkeypatch, START, TURN_0.replace(b"go\n", b"sky 1 rain\nsky 2\n\ngo\n"))
    assert [["1", "rain"], ["2"]] == state.facts["sky"]


def test_split_at_every_byte_the_match_is_the_same(monkeypatch):
    whole = wired(monkeypatch, MATCH)
    with Arena("A") as arena:
        expected = played(arena)
    splits = [(MATCH[:at], MATCH[at:]) for at in range(len(MATCH))]
    splits.append(tuple(MATCH[at : at + 1] for at in range(len(MATCH))))
    for pieces in splits:
        wire = wired(monkeypatch, *pieces)
        with Arena("A") as arena:
            assert expected == played(arena)
        assert whole.sent == wire.sent
        assert "forfeit" == arena.result.end


def test_cut_off_at_any_byte_it_is_disconnected_or_over(monkeypatch):
    """PROTOCOL.md 1: an unfinished last line is dropped, complete lines before it are used."""
    ended = MATCH.index(b"end forfeit\n") + len(b"end forfeit\n")
    for at in range(len(MATCH)):
        wired(monkeypatch, MATCH[:at])
        with Arena("A") as arena:
            if at < ended:
                with pytest.raises(ArenaError) as caught:
                    played(arena)
                assert "disconnected" == caught.value.code
                assert arena.result is None
            else:
                played(arena)
                assert "forfeit" == arena.result.end


KEYWORDS = ["start", "turn", "go", "end", "rank", "score", "note", "wait", "bye", "error", "unit"]
LINE = st.one_of(
    st.sampled_from(MATCH.splitlines()),
    st.builds(
        lambda keyword, words: " ".join([keyword, *map(str, words)]).encode(),
        st.sampled_from([*KEYWORDS, "row", "size", "neutral", "total", "set"]),
        st.lists(st.one_of(st.integers(-9, 99), st.text(max_size=3)), max_size=5),
    ),
    st.binary(max_size=20),
)


@given(lines=st.lists(LINE, max_size=40), whole=st.booleans())
def test_whatever_comes_is_a_match_or_an_arena_error(lines, whole):
    """No other exception: neither half of a match nor bytes of something else."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        wired(monkeypatch, (WELCOME + START if whole else b"") + b"\n".join([*lines, b""]))
        with Arena("A") as arena:
            with contextlib.suppress(ArenaError):
                for _ in arena:
                    arena.send()
            assert [] == list(arena)  # over is over, after an error too


OTHER = b"""\
start 7
game chess
seat 2
player 0 A
player 1 B
player 2 C
player 3 D
clock 0 0
seed 0
set rounds 120
set risk 0.25
set original 1
set label deep end
size 60 60
turn 0
unit 4 w 2 1 1 0 0
unit 7 g 2 5 5 0 0
spell 1 2 3
go
end finished
score 0 10
score 1 10.5
score 2 -3
score 3 0
rank 3 3
rank 2 4
rank 1 1
rank 0 2
bye
"""


def test_a_game_without_a_class_of_its_own_is_played_by_its_facts(monkeypatch):
    """Settings are numbers where they are; letters are sent as they are; seats sort the result."""
    wire = wired(monkeypatch, WELCOME + OTHER)
    with Arena("C") as arena:
        for state in arena:
            assert [["60", "60"]] == state.start_facts["size"]
            assert [["4", "w", "2", "1", "1", "0", "0"], ["7", "g", "2", "5", "5", "0", "0"]] == (
                state.facts["unit"]
            )
            arena.send([("m", 4, 2), ("s", 7, *range(15))])
    assert b"C v=1\nm 4 2 s 7 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14\n" == wire.sent
    assert {"rounds": 120, "risk": 0.25, "original": 1, "label": "deep end"} == state.settings
    assert (0.0, 0.0) == state.clock
    assert (2, 1, 4, 3) == arena.result.ranks
    assert (10, 10.5, -3, 0) == arena.result.scores
