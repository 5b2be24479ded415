"""docs/training.md: its blocks run one after another, and its tables have the arrays' shapes."""

import re

import pytest

from docs.pages import DOCS, fenced, run_python

pytest.importorskip("pettingzoo", reason="the extra `rl` isn't installed")

from lanista.games.base import complete_settings

PAGE = DOCS / "training.md"
ARRAYS = ("globals", "planes", "units")


def test_the_blocks_run_in_their_order(capsys):
    assert {"python"} == {language for language, _ in fenced(PAGE)}
    names = run_python(PAGE)
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


def test_the_table_has_every_space_as_it_is():
    """By game: agents, spaces, shapes, masks and steps, as PettingZoo's pages have them."""
    from lanista.env import parallel_env

    text = PAGE.read_text(encoding="utf-8").split("| Make |")[1].split("\n\n")[0]
    rows = [[cell.strip() for cell in line.split("|")] for line in f"| Make |{text}".split("\n")]
    table = {name: cells for _, name, *cells, _ in rows}
    for column, game in enumerate(("angrymob", "hogwarts", "crematoria")):
        made = parallel_env(game)
        flat = parallel_env(game, flat=True).observation_space("seat_0")
        made.reset(seed=1)
        action, observation = made.action_space("seat_0"), made.observation_space("seat_0")
        shapes = ", ".join(
            f"`{name}` {observation[name].shape}" for name in ARRAYS if name in observation.spaces
        )
        [values] = {(box.low.min(), box.high.max(), box.dtype.name) for box in observation.values()}
        said = {name: cells[column] for name, cells in table.items()}
        assert {
            "Make": f'`parallel_env("{game}")`',
            "Parallel API, AEC API": "yes, yes",
            "Manual control": "no",
            "Agents": ", ".join(f"`{agent}`" for agent in made.possible_agents),
            "Number of agents": str(made.max_num_agents),
            "Action space": f"`MultiDiscrete([{action.nvec[0]}] * {len(action.nvec)})`",
            "Action shape": str(action.shape),
            "Action values": f"0 to {action.nvec.max() - 1}",
            "Shape of the mask": str(made.action_mask("seat_0").shape),
            "Observation space": f"`{type(observation).__name__}`",
            "Observation shapes": shapes,
            "Observation values": "{} to {}, {}".format(*values),
            "Shape of `state()`, and of an observation with `flat`": str(made.state().shape),
            "Most steps in a game": str(
                made.game.ruleset.max_turns(complete_settings(made.game.ruleset, {}))
            ),
        } == said
        assert flat.shape == made.state_space.shape == made.state().shape
