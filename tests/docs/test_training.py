"""docs/training.md: its blocks run one after another, and its tables have the arrays' shapes."""

import re

import pytest

from docs.pages import DOCS, fenced

pytest.importorskip("pettingzoo", reason="the extra `rl` isn't installed")

PAGE = DOCS / "training.md"


def test_the_blocks_run_in_their_order(capsys):
    names = {}
    for language, text in fenced(PAGE):
        assert language == "python"
        exec(compile(text, str(PAGE), "exec"), names)
    assert capsys.readouterr().out.startswith("{'seat_0': ")
    assert names["env"].game.explain(0, names["moves"]) == ()
    assert names["moves"]


@pytest.mark.parametrize("game", ["angrymob", "hogwarts", "crematoria"])
def test_the_tables_say_the_arrays_shapes(game):
    from lanista.env import parallel_env

    section = PAGE.read_text(encoding="utf-8").split(f"### {game}\n")[1].split("\n#")[0]
    said = dict(re.findall(r"^\| `(\w+)` \| ([^|]+) \|", section, re.MULTILINE))
    space = parallel_env(game).observation_space("seat_0")
    assert set(space) == set(said)
    for name, box in space.items():
        for written, length in zip(said[name].split(", "), box.shape, strict=True):
            assert not written.isdigit() or int(written) == length
