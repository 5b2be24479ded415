"""Matches of the original program: from seed and orders, every byte of the match file.

tests/traces/hogwarts holds the program's own match files, and what the players submitted.
"""

import pytest

from lanista.games.hogwarts.originals import ORIGINALS
from lanista.games.originals import Explanation
from support.hogwarts import (
    TRACE_NAMES,
    check_invariants,
    match_text,
    read_res,
    replayed,
    res_of,
    trace,
    trace_text,
    write_res,
)
from support.traces import some_always


def test_the_traces_are_here():
    assert 8 == len(TRACE_NAMES)


@pytest.mark.parametrize("name", TRACE_NAMES)
def test_a_match_of_the_original_comes_out_byte_for_byte(name):
    game, turns = replayed(name, original=1)
    file = trace(name)
    made = "".join(match_text(game, turns, seed=file.seed, names=file.names))
    if trace_text(name) != made:
        assert file == read_res(made)  # the difference of the parts can be read
        pytest.fail("the same states and commands are written otherwise")


@pytest.mark.parametrize("name", some_always(TRACE_NAMES, TRACE_NAMES[-1]))
def test_a_match_file_of_the_original_is_written_as_it_was_read(name):
    assert trace_text(name) == write_res(trace(name))


@pytest.mark.parametrize(
    "name", some_always(TRACE_NAMES, "05_s7_Dummy-Dummy-Dummy-Dummy", TRACE_NAMES[-1])
)
def test_a_match_of_the_original_is_explained_from_its_file_alone(name):
    assert Explanation(rounds=200, of=200) == ORIGINALS.explain(trace(name), "original")


@pytest.mark.parametrize(
    "name", some_always(["05_s7_Dummy-Dummy-Dummy-Dummy", TRACE_NAMES[-1]], TRACE_NAMES[-1])
)
def test_the_texts_rules_give_another_match_which_is_explained_by_them_alone(name):
    """18, rows 1, 3 and 4: the same seed and orders, and the invariants hold all along."""
    game, turns = replayed(name)
    file = trace(name)

    def checked():
        for turn in turns:
            check_invariants(game)
            yield turn

    made = res_of(game, checked(), seed=file.seed, names=file.names)
    assert file.states[0] == made.states[0]
    assert file != made
    assert Explanation(rounds=200, of=200, rules="text") == ORIGINALS.explain(made, "text")
    by_the_original = ORIGINALS.explain(made, "original")
    assert "the spell captured" in by_the_original.problem
    spells = [number for number, done in enumerate(made.commands) if _casts(done)]
    assert spells[0] == by_the_original.rounds
    assert "the spell captured" in ORIGINALS.explain(file, "text").problem


def _casts(commands):
    return any(command.groups is not None for command in commands)
