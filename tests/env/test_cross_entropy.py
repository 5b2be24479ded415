"""docs/examples/cross_entropy.py learns, the same with the same seed, and then wins matches."""

import re
import runpy
import subprocess
import sys

import pytest

pytest.importorskip("pettingzoo", reason="the extra `rl` isn't installed")

import numpy as np

from docs.pages import DOCS

EXAMPLE = DOCS / "examples" / "cross_entropy.py"


def test_it_learns_what_its_reward_says_by_its_seed(monkeypatch):
    """Two quick generations move the weights to better games, twice in the same way."""
    example = runpy.run_path(str(EXAMPLE))
    train = example["train"]
    monkeypatch.setitem(train.__globals__, "CANDIDATES", 8)
    monkeypatch.setitem(train.__globals__, "ELITE", 2)
    monkeypatch.setitem(train.__globals__, "EPISODES", 1)
    said = []
    weights = train(3, 2, said.append, workers=1)
    assert 2 == len(said)
    fitness, seeds = example["fitness"], np.arange(2)
    assert fitness(np.zeros_like(weights), seeds) < fitness(weights, seeds)
    assert (weights == train(3, 2, said.append, workers=1)).all()
    assert said[:2] == said[2:]


def test_a_policy_that_goes_for_the_enemy_base_wins_over_tcp():
    example = runpy.run_path(str(EXAMPLE))
    weights = np.tile([0.0, 0.0, 0.0, 1.0], 4)
    won = example["against_runners"](weights, 2, workers=1, stall_margin=600.0)
    assert {"learned": 2} == won


@pytest.mark.long
@pytest.mark.timeout(900)
def test_in_full_it_beats_random_runners_in_four_of_five_matches():
    done = subprocess.run(
        [sys.executable, EXAMPLE, "1"], capture_output=True, text=True, timeout=900, check=True
    )
    won, played = re.search(r"^learned: (\d+) of (\d+)$", done.stdout, re.MULTILINE).groups()
    assert "100" == played
    assert int(won) >= 80
