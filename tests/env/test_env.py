"""The environments pass PettingZoo's own tests, and say what docs/training.md promises."""

import functools
import inspect
import re
import types

import numpy as np
import pytest

pytest.importorskip("pettingzoo", reason="the extra `rl` isn't installed")

from gymnasium.spaces import flatten
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import max_cycles_test, parallel_api_test, parallel_seed_test

import lanista
from lanista.env import LanistaEnv, as_bot, env, parallel_env, seat_env
from support.arguments import try_all

MAP = "4 5\n. A 2 . .\n. 3 . # .\n. # . 3 .\n. . 2 B .\n"
ENVS = {
    "angrymob": {"map": MAP},
    "hogwarts": {"settings": {"NUM_ROUNDS": 12}},
    "crematoria": {"settings": {"nb_rounds": 12}},
}
EVERY = pytest.mark.parametrize("name", ENVS)


@EVERY
def test_pettingzoos_own_tests_pass(name):
    make = functools.partial(parallel_env, name, **ENVS[name])
    parallel_api_test(make(), num_cycles=15)
    parallel_seed_test(make, num_cycles=6)
    # On a board so small, chance ends six of 20,000 matches before the four turns are over.
    options = {"map": "meadow"} if name == "angrymob" else ENVS[name]
    both = (functools.partial(make, name, **options) for make in (parallel_env, env))
    max_cycles_test(types.SimpleNamespace(**dict(zip(("parallel_env", "env"), both, strict=True))))


@EVERY
def test_observations_are_in_their_space_and_masked_actions_are_carried_out(name):
    """Every action that the mask allows becomes a submove, and none is refused."""
    made = parallel_env(name, **ENVS[name])
    observations, infos = made.reset(seed=1)
    for _ in range(8):
        if not made.agents:
            break
        actions = {}
        for seat, agent in enumerate(made.agents):
            assert made.observation_space(agent).contains(observations[agent])
            actions[agent] = made.action_space(agent).sample(mask=infos[agent]["action_mask"])
            mask = made.action_mask(agent)
            assert (np.stack(infos[agent]["action_mask"]) == mask).all()
            moves = made._encoder.moves(made.game.rules, seat, mask, actions[agent])
            assert np.count_nonzero(actions[agent]) == len(moves)
            assert () == made.game.explain(seat, moves)
        observations, _, _, _, infos = made.step(actions)


def test_both_seats_of_angry_mob_see_the_same_as_long_as_they_do_the_same():
    """Maps are symmetrical; seat 1 sees its map turned by half."""
    made = parallel_env("angrymob", map=MAP)
    observations, infos = made.reset(seed=1)
    one, two = made.agents
    for name, array in observations[one].items():
        assert (array == observations[two][name]).all(), name
    assert (made.action_mask(one) == made.action_mask(two)).all()
    for _ in range(4):
        action = made.action_space(one).sample(mask=infos[one]["action_mask"])
        observations, rewards, ended, _, infos = made.step({one: action, two: action})
        assert (observations[one]["planes"] == observations[two]["planes"]).all()
        assert rewards[one] == rewards[two]
        if ended[one]:
            break


def test_rewards_are_differences_of_scores_and_the_result():
    """A unit that recruits 3 is 3 ahead; who conquers the base gets the reward of a win."""
    made = parallel_env("angrymob", map="2 3\n. A 3\n3 B .\n")
    made.reset(seed=1)
    right, down, left = (np.zeros(6, int) for _ in range(3))
    right[1] = 1
    _, rewards, _, _, _ = made.step({"seat_0": right})
    assert {"seat_0": 3.0, "seat_1": -3.0} == rewards
    made.reset(seed=1)
    made.step({"seat_0": right})
    down[2] = 4
    made.step({"seat_0": down})
    left[5] = 3
    _, rewards, ended, _, _ = made.step({"seat_0": left})
    assert ended["seat_0"]
    assert {"seat_0": 100.0, "seat_1": -100.0} == rewards


@EVERY
def test_a_picture_is_an_array(name):
    made = parallel_env(name, render_mode="rgb_array", **ENVS[name])
    made.reset(seed=1)
    picture = made.render()
    assert (3, np.uint8) == (picture.shape[2], picture.dtype)
    assert len(np.unique(picture)) > 3
    assert {"rgb_array", 5} == {*made.metadata["render_modes"], made.metadata["render_fps"]}


@EVERY
def test_a_policy_as_a_bot_answers_as_in_the_environment(name):
    """From the state that the wire gives, its arrays are the same."""
    made = parallel_env(name, **ENVS[name])
    made.reset(seed=1)
    made.step({})
    seat = made.game.seats - 1
    seen = []

    def policy(observation, mask):
        seen.append((observation, mask))
        return mask[:, 1:].argmax(axis=1) + 1

    size = (4, 5) if name == "angrymob" else None
    moves = as_bot(policy, name, size=size).moves(made.game.state(seat))
    observation, mask = seen[0]
    [truth] = made._encoder.observe(made.game.rules, [seat])
    for key, array in truth.items():
        assert (array == observation[key]).all(), key
    assert (made._encoder.masks(made.game.rules, [seat])[0] == mask).all()
    assert () == made.game.explain(seat, moves)


def test_a_policy_as_a_bot_plays_games_of_several_sizes():
    """The states of games that weren't played in an arena all have the same match."""
    bot = as_bot(lambda _, mask: mask[:, 1:].argmax(axis=1) + 1, "hogwarts")
    for wizards in (1, 5):
        settings = {"NUM_INI_WIZARDS_PER_CLAN": wizards}
        game = lanista.new_game("hogwarts", seed=1, settings=settings)
        assert wizards + 1 == len(bot.moves(game.state(0)))


@pytest.mark.parametrize(
    ("returned", "told"),
    [
        (None, "shape () and type object"),
        ([0], "shape (1,)"),
        ([0.0] * 20, "type float64"),
        ([9] * 20, "from 0 to 8"),
        ([-1] * 20, "from 0 to 8"),
    ],
)
def test_a_policy_that_returns_no_action_is_told_so(returned, told):
    """The bot neither stands still nor goes anywhere instead; the error is that of `step`."""
    made = parallel_env("angrymob", **ENVS["angrymob"])
    made.reset(seed=1)
    bot = as_bot(lambda *_: returned, "angrymob", size=(4, 5))
    with pytest.raises(
        lanista.BadInputError, match=f"^the policy's action has .*{re.escape(told)}"
    ):
        bot.moves(made.game.state(0))


@EVERY
def test_flat_is_the_same_observation_in_one_row(name):
    """It is the row of Gymnasium's own wrapper, too, so that a policy as a bot can make either."""
    whole = parallel_env(name, **ENVS[name])
    arrays, _ = whole.reset(seed=3)
    made = parallel_env(name, flat=True, **ENVS[name])
    rows, _ = made.reset(seed=3)
    for agent, row in rows.items():
        assert made.observation_space(agent).contains(row)
        assert (np.concatenate([a.ravel() for a in arrays[agent].values()]) == row).all()
        assert (flatten(whole.observation_space(agent), arrays[agent]) == row).all()
    assert made.state_space.contains(made.state())
    assert (made.state() == rows["seat_0"]).all()


@EVERY
def test_whoever_changes_a_mask_changes_no_rule(name):
    """A policy may calculate in the arrays that it gets: what is forbidden stays so."""
    games = []
    for spoils in (False, True):
        made = parallel_env(name, **ENVS[name])
        _, infos = made.reset(seed=1)
        if spoils:
            made.action_mask("seat_0")[:] = 1
            for row in infos["seat_0"]["action_mask"]:
                if row.flags.writeable:
                    row[:] = 1
        made.step({"seat_0": np.full(made.action_space("seat_0").shape, 4)})
        games.append(made.game.digest())
    assert games[0] == games[1]


def test_the_last_step_has_the_sum_of_rewards_where_trainers_look():
    made = parallel_env("angrymob", map=MAP, max_cycles=3)
    made.reset(seed=1)
    summed, steps = dict.fromkeys(made.agents, 0.0), 0
    while made.agents:
        actions = {agent: draw(made.action_mask(agent)) for agent in made.agents}
        _, rewards, _, _, infos = made.step(actions)
        summed = {agent: summed[agent] + rewards[agent] for agent in summed}
        steps += 1
        assert [not made.agents] * 2 == ["episode" in info for info in infos.values()]
    assert {agent: {"r": summed[agent], "l": steps} for agent in summed} == {
        agent: info["episode"] for agent, info in infos.items()
    }


@pytest.mark.filterwarnings("ignore:.*A Box observation space m")  # scores have no bound
@pytest.mark.parametrize(
    ("name", "opponents"),
    [
        ("angrymob", ["GravityGoers"]),
        ("hogwarts", ["Dummy", "Demo", "Null"]),
        ("crematoria", ["Dummy", "Demo", "Null"]),
    ],
)
def test_one_seat_against_house_bots_passes_gymnasiums_own_test(name, opponents):
    """It is reproducible by its seed, house bots and all, and what they send is never refused."""
    made = seat_env(name, opponents, seat=1, **ENVS[name])
    check_env(made, skip_render_check=True)
    things, actions = made.parallel._encoder.choices
    assert (things * actions,) == made.action_masks().shape
    assert np.bool_ is made.action_masks().dtype.type
    assert ["seat_1"] == made.parallel.possible_agents
    games = []
    for _ in range(2):
        made.reset(seed=5)
        steps = [made.step(draw(made.parallel.action_mask("seat_1"), seed)) for seed in range(10)]
        games.append([reward for _, reward, _, _, _ in steps])
    assert games[0] == games[1]
    assert any(games[0])


def draw(mask, seed=1):
    """Any possible action, drawn for all things at once."""
    return (mask * np.random.default_rng(seed).random(mask.shape)).argmax(axis=1)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (
            lambda: seat_env("angrymob", "Gravity"),
            "Angry Mob has no house bot 'Gravity'; it has: Camp",
        ),
        (lambda: seat_env("hogwarts", ["Null"]), "1 opponents; hogwarts takes 3, or one name"),
        (lambda: seat_env("hogwarts", "Null", seat=4), "seat 4; expected a whole"),
        (lambda: parallel_env("angrymob", opponents={"seat_2": "CamperJoe"}), "no seat 'seat_2'"),
        (
            lambda: parallel_env(
                "angrymob", opponents={"seat_0": "CamperJoe", "seat_1": "CamperJoe"}
            ),
            "every seat has one",
        ),
        (lambda: parallel_env("angrymob", render_mode="human"), "render_mode 'human'; it is 'rgb_"),
        (lambda: parallel_env("hogwarts", size=(3, 3)), "size is for maps of several sizes"),
        (
            lambda: parallel_env("angrymob", map=MAP, size=(3, 3)).reset(),
            "the arrays have room for 3 by 3: give `size`",
        ),
        (lambda: started().reset(seed=-1), "seed -1; expected a whole number from 0"),
        (lambda: started().step({"seat_7": np.zeros(20, int)}), "no agent 'seat_7'; they are sea"),
        (lambda: started().action_mask("seat_7"), "no agent 'seat_7'; they are seat_0, seat_1"),
        (lambda: started().action_space("seat_7"), "no agent 'seat_7'; they are seat_0, seat_1"),
        (lambda: started().step({"seat_1": [1, 2]}), r"seat_1's action has shape \(2,\) and type"),
        (lambda: started().step({"seat_1": np.zeros(20)}), "20 whole numbers from 0 to 8"),
        (
            lambda: started().step({"seat_1": np.arange(20)}),
            "seat_1's action has 9 for thing 9; it must be 20 whole numbers from 0 to 8",
        ),
        (
            lambda: as_bot(len, "hogwarts").moves(lanista.new_game("angrymob").state(0)),
            "state of angrymob; the policy plays hogwarts",
        ),
    ],
)
def test_bad_arguments_are_told(make, words):
    with pytest.raises(lanista.BadInputError, match=words):
        make()


def test_one_by_one_an_action_is_refused_when_it_is_given():
    """If it were refused only when the last agent has acted, the game could never go on."""
    made = env("angrymob", map=MAP)
    made.reset(seed=1)
    for agent in ("seat_0", "seat_1"):
        with pytest.raises(lanista.BadInputError, match=f"^{agent}'s action has shape"):
            made.step(None)
        made.step(np.zeros(20, int))
    assert 1 == made.unwrapped.game.turn


def test_without_a_game_nothing_can_be_asked():
    made = parallel_env("angrymob", map=MAP)
    for ask in (lambda: made.step({}), lambda: made.action_mask("seat_0"), made.state):
        with pytest.raises(lanista.GameOverError, match=r"call reset\(\) first"):
            ask()


def test_whatever_is_given_works_or_is_an_error_of_ours():
    """As `library/test_bad_arguments.py` has it for what needs no PettingZoo."""
    single = {"game": "angrymob", "opponents": "CamperJoe", "seat": 0}
    for make, others in ((parallel_env, {"game": "angrymob"}), (env, {"game": "angrymob"})):
        for argument in inspect.signature(LanistaEnv).parameters:
            try_all(make, {**others, "map": MAP}, argument)
    for argument in (*single, "map", "max_cycles"):
        try_all(seat_env, {**single, "map": MAP}, argument)
    for argument in ("policy", "game", "size"):
        try_all(as_bot, {"policy": print, "game": "angrymob", "size": None}, argument)
    made = started()
    for method, argument in [
        *((made.reset, "seed"), (made.step, "actions"), (made.action_mask, "agent")),
        *((made.observation_space, "agent"), (made.action_space, "agent")),
        *(
            (seat_env(**single, map=MAP).reset, "seed"),
            (seat_env(**single, map=MAP).step, "action"),
        ),
    ]:
        try_all(method, {}, argument)
    try_all(lambda action: started().step({"seat_0": action}), {}, "action")


def started():
    made = parallel_env("angrymob", map=MAP)
    made.reset(seed=1)
    return made
