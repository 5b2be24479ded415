"""Golden playthroughs: the same answers give the same game as when the file was written.

A difference is a change of the rules: give the ruleset another `version`, run
`python tests/conformance/rewrite_golden.py` and read what changed.
"""

import pytest

from lanista.games import registry
from support.golden import FOLDER, read, replayed

FILES = sorted(FOLDER.glob("*.jsonl"))


@pytest.mark.parametrize("name", registry.ours())
def test_every_ruleset_of_ours_has_a_golden_playthrough(name):
    """`tests/conformance/golden/NAME-*.jsonl`, whose header names the ruleset."""
    own = [path for path in FILES if path.stem.startswith(f"{name}-")]
    assert own, f"no golden playthrough of {name}: add a game to rewrite_golden.py"
    assert [name] * len(own) == [read(path)[0]["game"] for path in own]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_golden_playthrough(path):
    """Every refusal, digest and the outcome, turn by turn."""
    lines = read(path)
    assert registry.get(lines[0]["game"]).version == lines[0]["version"]
    for expected, actual in replayed(lines):
        assert expected == actual


def test_golden_playthroughs_of_angrymob_come_to_every_end():
    """rules/angrymob.md 3, and they stay short."""
    files = [read(path) for path in FILES if path.stem.startswith("angrymob-")]
    reasons = {lines[-1]["outcome"]["reason"] for lines in files}
    assert {"capture", "both-captured", "no-units", "move-limit", "forfeit"} == reasons
    assert max(len(lines) for lines in files) <= 100


def test_a_changed_answer_is_noticed():
    """The comparison can fail: another move is another digest from there on."""
    lines = read(FOLDER / "angrymob-both-captured.jsonl")
    assert lines[1]["answers"] == ["0 0 1 0", "1 3 1 2"]
    lines[1]["answers"] = ["", "1 3 1 2"]
    expected, actual = next(replayed(lines))
    assert expected["digest"] != actual["digest"]
