"""`lanista tournament new --from-ladder`: the spec of a final, and the programs beside it."""

import shutil

import pytest

from lanista.competition.setup import prepare
from lanista.competition.spec import SeedCount, read_spec
from lanista.hosting.inputs import SandboxName
from lanista.match.conditions import Clock
from lanista.results.names import Registrar
from lanista.results.submissions import State
from support.arenas import stored_names
from support.submissions import handed_in, ready, refused

FILE = """
[[ladders]]
name = "pit"
game = "hogwarts"
maps = ["mine.cnf"]
[ladders.settings]
NUM_ROUNDS = 30
[ladders.clock]
time_move = 0.5
[ladders.submissions]
limits = "memory=512M"
"""


@pytest.fixture
def new(lanista, tmp_path):
    """Write a final of the ladder."""
    import lanista_maps

    name = lanista_maps.names("hogwarts")[0]
    (tmp_path / "mine.cnf").write_text(lanista_maps.read("hogwarts", name))
    (tmp_path / "arena.toml").write_text(FILE)
    return lambda *words: lanista("tournament", "new", "final.toml", "--from-ladder", "pit", *words)


def test_the_final_is_played_as_the_ladder_is(new, tmp_path, monkeypatch):
    """By the versions that play, or else the last ones; and where both were copied to."""
    data, python = tmp_path / "lanista-data", {"command": ("{python}", "-u", "a b.py")}
    two = ready("a.py", b"1", **python), ready("a.py", b"2", **python)
    handed_in(data, "Ada", *two, playing=1)
    handed_in(data, "Bob D", *two)
    handed_in(data, "Cem", refused("a.py", b"", "no"))
    handed_in(data, "Dil", *two, playing=2, disabled="copied")
    done = new()
    assert 0 == done.code
    assert "left out: Cem, none of its versions is ready\n" in done.err
    assert "left out: Dil, disabled: copied\n" in done.err
    there = tmp_path / "there"
    there.mkdir()
    for name in ("final.toml", "final.programs"):
        shutil.move(tmp_path / name, there / name)
    shutil.rmtree(data)
    spec = read_spec(there / "final.toml")
    assert [
        ("Ada", "final.programs/Ada-1.program"),
        ("Bob D", "final.programs/Bob D-2.program"),
    ] == [(bot.name, bot.program) for bot in spec.bots]
    assert ("hogwarts", SandboxName.BWRAP) == (spec.game, spec.sandbox)
    assert (SeedCount(count=10), "memory=512M", "Null") == (spec.seeds, spec.limits, spec.fill)
    assert ({"NUM_ROUNDS": 30}, Clock(time_move=0.5)) == (spec.settings, spec.clock)
    monkeypatch.setattr("lanista.competition.setup.check_sandbox", lambda: None)
    bob = prepare(spec, there, "final").contestants["Bob D"]
    program = there / "final.programs" / "Bob D-2.program"
    assert (str(program), "{python}", "-u", "a b.py") == bob.command[-4:]
    assert b"packed 2" == program.read_bytes()
    assert str(program.parent) in bob.hidden  # in which the others' programs are


def test_a_name_that_was_removed_is_not_in_the_final(new, lanista, tmp_path):
    """Whoever registered it again has handed in nothing yet. The list of programs says so too."""
    data, bot = tmp_path / "lanista-data", ready("a.py", b"1")
    with stored_names(data) as names:
        ada, _ = (names.register(name, "hash", Registrar.OPERATOR) for name in ("Ada", "Bob"))
    handed_in(data, "Ada", bot, playing=1, registered=ada.registered.isoformat())
    for name in ("Bob", "Cem"):
        handed_in(data, name, bot, playing=1, registered="2026-01-01T00:00:00+00:00")
    left_out = (f"left out: {name}, its name was removed\n" for name in ("Bob", "Cem"))
    assert "".join(left_out) == new().err
    assert ["Ada"] == [bot.name for bot in read_spec(tmp_path / "final.toml").bots]
    _, _, ada, *others = lanista("arena", "submissions", "list", "arena.toml").out.splitlines()
    assert [False, True, True] == [row.endswith("name removed") for row in (ada, *others)]


def test_what_waits_to_be_built_is_told(new, tmp_path):
    """Just after the deadline the final would have a former version, or none."""
    data, waits = tmp_path / "lanista-data", ("a.py", b"2", State.RECEIVED, {})
    handed_in(data, "Ada", ready("a.py", b"1"), waits, playing=1)
    handed_in(data, "Bob", waits)
    handed_in(data, "Cem", waits, disabled="copied")
    assert new().err.splitlines() == [
        "not built yet: Ada's version 2",
        "not built yet: Bob's version 1",
        "left out: Bob, none of its versions is ready",
        "left out: Cem, disabled: copied",
    ]


def test_nothing_is_left_behind_where_there_is_no_final(new, tmp_path):
    assert "lanista: no program on pit is ready to play\n" == new().refusal
    assert ["arena.toml", "mine.cnf"] == sorted(path.name for path in tmp_path.iterdir())
    (tmp_path / "final.programs").mkdir()
    assert "final.programs exists already; name another file" in new().err
    (tmp_path / "none.toml").touch()
    assert "no ladder 'pit'; its ladders are: none" in new("--arena", "none.toml").refusal


def test_maps_of_one_name_in_two_folders_are_two_maps_of_the_final(new, tmp_path):
    text = (tmp_path / "mine.cnf").read_text()
    for folder in "ab":
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "mine.cnf").write_text(f"{text}{folder}\n")
    arena = tmp_path / "arena.toml"
    arena.write_text(FILE.replace('"mine.cnf"', '"a/mine.cnf", "b/mine.cnf"'))
    handed_in(tmp_path / "lanista-data", "Ada", ready("a.py", b"1"), playing=1)
    assert 0 == new().code
    maps = read_spec(tmp_path / "final.toml").maps
    assert [f"{text}{folder}\n" for folder in "ab"] == [
        (tmp_path / map_).read_text() for map_ in maps
    ]
