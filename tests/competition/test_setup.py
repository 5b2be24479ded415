"""What a spec names is looked up before anything starts; and which ids blocks have."""

import re

import pytest

from lanista.competition.setup import Opening, prepare
from lanista.competition.spec import spec_of
from lanista.errors import SpecError
from lanista.games import registry
from lanista.results.blocks import BlockScore, points_by_place, seatings
from lanista_maps import names, read

SPEC = {
    "name": "cup",
    "game": "angrymob",
    "format": "round-robin",
    "seeds": [1, 2, 3],
    "bots": [
        {"name": "Joe", "command": "CamperJoe"},
        {"name": "Random", "command": "RandomRunners"},
    ],
}
DEFAULT_MOVE_LIMIT = {s.name: s.default for s in registry.get("angrymob").settings}["move_limit"]
FOUR = SPEC | {
    "game": "hogwarts",
    "bots": [{"name": name, "command": "Demo"} for name in ("A", "B", "C")],
}


def made(tmp_path, value=SPEC, **changes):
    return prepare(spec_of(value | changes), tmp_path)


def error_of(tmp_path, value=SPEC, **changes):
    with pytest.raises(SpecError) as caught:
        made(tmp_path, value, **changes)
    return str(caught.value)


def bots(*, first):
    return [SPEC["bots"][0] | first, SPEC["bots"][1]]


# -- what can't be ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"game": "chess"}, "game: unknown game 'chess'"),
        ({"maps": ["nowhere"]}, "maps[1]: no map file 'nowhere', and no shipped map of that name"),
        ({"settings": {"speed": 1}}, "settings: Angry Mob has no setting 'speed'"),
        ({"seeds": [1, 2**64]}, "seeds[2]: 18446744073709551616; a seed of Angry Mob is from"),
        ({"bots": bots(first={"name": "Random"})}, "bots[2].name: Random is used twice"),
        ({"bots": bots(first={"program": "x"})}, "bots[1].program: 'x' is unpacked in a sandbox; "),
        ({"bots": bots(first={"name": ""})}, "bots[1].name: '': a name has"),
        (
            {"bots": bots(first={"name": "a=b"})},
            "bots[1].name: 'a=b': a name has",
        ),
        (
            {"bots": bots(first={"name": " Joe"})},
            "bots[1].name: ' Joe': a name has 1 to 32 printable",
        ),
        ({"bots": bots(first={"name": "\x1b[2J"})}, r"bots[1].name: '\x1b[2J': a name has"),
        ({"bots": bots(first={"command": "nobody"})}, "bots[1].command: unknown bot 'nobody'"),
        ({"bots": bots(first={"limits": "memory=1"})}, "bots[1].limits 'memory=1'"),
        ({"limits": "speed=1"}, "limits 'speed=1': there is no limit 'speed'"),
        (
            {"match_cpu": 60, "bots": bots(first={"restart": False})},
            "bots[1].restart: false, but match_cpu = 60 needs a new process for every match; leave",
        ),
        (
            {"match_cpu": 60, "limits": "memory=1G, cpu=30"},
            "limits 'memory=1G, cpu=30': cpu is given as well as a budget of 60 s for",
        ),
        (
            {"match_cpu": 60, "bots": bots(first={"limits": "cpu=none"})},
            "bots[1].limits 'cpu=none': cpu is given as well as a budget of 60 s",
        ),
        ({"bots": bots(first={"environment": {"A=B": "1"}})}, "bots[1].environment: 'A=B' can't"),
        ({"maps": [""]}, "maps[1]: ''; expected the file or the name of a map"),
        ({"executor": "foo"}, "executor: 'foo'; it can be local, dask-local, dask://HOST:PORT"),
        ({"fill": "Nobody"}, "fill: Angry Mob has no house bot 'Nobody'; it has: CamperJoe,"),
    ],
)
def test_what_a_spec_names_must_be_there(tmp_path, changes, expected):
    assert error_of(tmp_path, **changes).startswith(expected)


@pytest.mark.parametrize(
    ("limits", "memory"),
    [({}, 1 << 30), ({"limits": "none"}, None), ({"limits": "memory=2G"}, 2 << 30)],
)
def test_a_budget_for_a_match_restarts_every_bot(tmp_path, limits, memory):
    """Fillers, too: processor time counts from the start of a process. Other limits stay."""
    contestants = made(tmp_path, FOUR | limits, match_cpu=60, fill="Null").contestants
    assert [(True, 60, memory)] * 4 == [
        (contestant.restart, contestant.limits.cpu, contestant.limits.memory)
        for contestant in contestants.values()
    ]
    assert not made(tmp_path).contestants["Joe"].restart


def test_a_program_is_looked_for_in_the_specs_folder(tmp_path):
    (tmp_path / "mybot").write_text("#!/bin/sh\n")
    command = bots(first={"command": "./mybot {port}"})

    assert "./mybot is a file, but not executable; run it with its interpreter" in error_of(
        tmp_path, bots=command
    )

    (tmp_path / "mybot").chmod(0o755)
    setup = made(tmp_path, bots=command)
    assert ("./mybot", "{port}") == setup.contestants["Joe"].command
    assert str(tmp_path) == setup.contestants["Joe"].folder


def test_a_map_is_looked_for_in_the_specs_folder_and_checked(tmp_path):
    (tmp_path / "mine.map").write_text("1 1\nA\n")

    assert error_of(tmp_path, maps=["mine.map"]).startswith("maps[1]: mine.map: ")


# -- seats that nobody takes -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("bots", "fillers"),
    [
        (("A", "B", "C"), ("Null",)),
        (("Null", "B"), ("Null-2", "Null-3")),  # names of their own
        (("A", "B", "C", "D"), ()),
    ],
)
def test_fill_completes_a_match_of_four(tmp_path, bots, fillers):
    entries = [{"name": name, "command": "Demo"} for name in bots]
    setup = made(tmp_path, FOUR, fill="Null", bots=entries)

    assert (bots, fillers) == (setup.bots, setup.fillers)


# -- openings --------------------------------------------------------------------------------------


def test_each_seed_is_played_on_each_map(tmp_path):
    setup = made(tmp_path, maps=list(names("angrymob")[:2]))
    one, two = names("angrymob")[:2]

    assert 6 == setup.openings
    assert [Opening(1, one), Opening(1, two), Opening(2, one)] == [
        setup.opening(at) for at in range(3)
    ]


def ladder(tmp_path, seeds=(1, 2, 3), secret="a secret"):
    setup = made(tmp_path, format="ladder", seeds=list(seeds))
    assert setup.needs_base_seed
    setup.base_seed = secret
    return setup


def test_beyond_the_listed_seeds_there_are_always_more_and_none_twice(tmp_path):
    setup = ladder(tmp_path)
    drawn = [setup.opening(at).seed for at in range(500)]

    assert [1, 2, 3] == drawn[:3]
    assert 500 == len(set(drawn))
    again = [ladder(tmp_path).opening(at).seed for at in range(0, 500, 25)]
    assert drawn[::25] == again, "not the same again"


def test_a_seed_more_in_the_list_leaves_those_behind_it_as_they_were(tmp_path):
    """Else a ladder to which a seed is added would have lost what it played."""
    before = [ladder(tmp_path).opening(at).seed for at in range(3, 50)]
    after = [ladder(tmp_path, (1, 2, 3, 4)).opening(at).seed for at in range(4, 51)]

    assert before == after
    assert before != [ladder(tmp_path, secret="another").opening(at).seed for at in range(3, 50)]


def test_an_opening_has_its_number_wherever_it_stands(tmp_path):
    rotations = {made(tmp_path).opening(at).seed: made(tmp_path).rotation(at) for at in range(3)}
    other = made(tmp_path, seeds=[7, 3, 1])

    assert [rotations[3], rotations[1]] == [other.rotation(1), other.rotation(2)]
    assert 3 == len(set(rotations.values()))


def test_a_base_gives_the_same_seeds_within_the_games_range(tmp_path):
    one = made(tmp_path, FOUR, fill="Null", seeds={"count": 50, "base": 42})
    other = made(tmp_path, FOUR, fill="Null", seeds={"count": 50, "base": 43})
    low, high = one.ruleset.seeds
    seeds = [one.opening(at).seed for at in range(50)]

    assert all(low <= seed <= high for seed in seeds)
    assert not one.needs_base_seed
    assert seeds != [other.opening(at).seed for at in range(50)]


def test_a_bare_count_needs_a_secret(tmp_path):
    setup = made(tmp_path, seeds=5)

    assert setup.needs_base_seed
    setup.base_seed = "a secret"
    assert 5 == len({setup.opening(at).seed for at in range(5)})


# -- ids -------------------------------------------------------------------------------------------


def first_id(setup):
    return setup.block_id(("Joe", "Random"), Opening(1, ""))


def test_an_id_is_the_same_for_ever(tmp_path):
    """Else a new version would play again what was played: change it only with the ruleset."""
    assert "0ea3553c8bc2f0ac786a87ae37f1304b" == first_id(made(tmp_path))


@pytest.mark.parametrize(
    "changes",
    [
        {"settings": {"move_limit": 50}},
        {"clock": {"time_move": 0.3}},
        {"clock": {"time_init": 3.0}},
        {"clock": {"late_limit": 3}},
        {"seatings": "all"},
        {"sandbox": "bwrap"},
        {"limits": "memory=512M"},
        {"bots": bots(first={"command": "GravityGoers"})},
        {"bots": bots(first={"limits": "none"})},
        {"bots": bots(first={"restart": True})},
        {"match_cpu": 3600},
        {"bots": bots(first={"environment": {"LEVEL": "3"}})},
    ],
    ids=str,
)
def test_what_decides_a_match_changes_the_id(tmp_path, changes, monkeypatch):
    monkeypatch.setattr("lanista.competition.setup.check_sandbox", lambda: None)

    assert first_id(made(tmp_path)) != first_id(made(tmp_path, **changes))


@pytest.mark.parametrize(
    "changes",
    [
        {"name": "other"},
        {"format": "gauntlet"},
        {"seeds": [1, 5]},
        {"bots": [*SPEC["bots"], {"name": "New", "command": "CamperJoe"}]},
        {"concurrency": 3},
        {"executor": "dask-local"},
        {"keep": "none"},
        {"clock": {"time_start": 5.0, "stall_margin": 0.1}},
        {"settings": {"move_limit": DEFAULT_MOVE_LIMIT}},
        {"limits": "memory=1G"},
    ],
    ids=str,
)
def test_what_doesnt_decide_a_match_keeps_what_was_played(tmp_path, changes):
    assert first_id(made(tmp_path)) == first_id(made(tmp_path, **changes))


def test_a_map_is_known_by_what_it_holds(tmp_path):
    """By its name, as a file, or as a text in the spec, which results call by a hash of it."""
    text = read("angrymob", "pit")
    (tmp_path / "copy.map").write_text(text)
    setups = [made(tmp_path, maps=[map_]) for map_ in ("pit", "copy.map", text)]
    ids = {setup.block_id(("Joe", "Random"), setup.opening(0)) for setup in setups}
    assert 1 == len(ids - {first_id(made(tmp_path))})
    called = setups[2].opening(0).map
    assert re.fullmatch(r"text-[0-9a-f]{8}", called)
    assert [called] == list(setups[2].match_setup.boards)
    error = error_of(tmp_path, maps=["pit", "2 2\nA B\n. x\n"])
    assert re.match(r"maps\[2\]: text-\w{8}: line 3, column 3: unknown cell", error), error


def test_two_maps_that_are_one_are_refused(tmp_path):
    """Their blocks would have one id, and one of them would be wanted for ever."""
    shipped = names("angrymob")[0]
    (tmp_path / "copy.map").write_text(read("angrymob", shipped))

    assert f"maps[2]: copy.map is the same map as {shipped}; leave one out" == error_of(
        tmp_path, maps=[shipped, "copy.map"]
    )


def test_who_has_which_place_is_another_block(tmp_path):
    setup = made(tmp_path)

    assert setup.block_id(("Joe", "Random"), Opening(1, "")) != setup.block_id(
        ("Random", "Joe"), Opening(1, "")
    )


def test_a_variable_is_no_secret_told(tmp_path):
    setup = made(tmp_path, bots=bots(first={"environment": {"KEY": "hunter2"}}))

    assert "hunter2" not in setup.contestants["Joe"].identity


def test_results_lie_beside_the_spec(tmp_path):
    setup = made(tmp_path)

    assert tmp_path / "cup.db" == setup.database
    assert tmp_path / "cup.records" == setup.records
    assert str(tmp_path / "cup.records") in setup.contestants["Joe"].hidden
    assert tmp_path == made(tmp_path, name="../a/b").database.parent
    assert "postgresql://x/y" == made(tmp_path, database="postgresql://x/y").database


# -- blocks ----------------------------------------------------------------------------------------


def test_bots_rotate_or_have_all_seatings():
    assert ((0, 1), (1, 0)) == seatings("AB") == seatings("AB", every=True)
    assert ((0, 1, 2, 3), (1, 2, 3, 0), (2, 3, 0, 1), (3, 0, 1, 2)) == seatings("ABCD")
    assert 24 == len(set(seatings("ABCD", every=True)))
    # Two of a name have no seating twice: 4! / (2! 2!) = 6 arrangements.
    assert (4, 6) == (len(seatings("AABB")), len(seatings("AABB", every=True)))


def test_points_of_a_block_are_by_place_whatever_the_seats():
    """A won both, once on either seat."""
    played = BlockScore(("A", "B"), ((1, 2), (2, 1)))

    assert (2.0, 0.0) == points_by_place(played, seatings(("A", "B")))


def test_a_setup_seats_a_pairing_as_its_spec_says(tmp_path):
    setup = made(tmp_path, FOUR, fill="Null", seatings="all")

    assert 24 == len(setup.seatings(("A", "B", "C", "Null")))
    assert "hogwarts" == setup.match_setup.game
