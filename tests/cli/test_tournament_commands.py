"""`lanista tournament` and `lanista sprt`: what needs no bot to be started, and bad input."""

import re
import tomllib
from types import SimpleNamespace

import attrs
import pytest

from lanista.cli import tournament_run
from lanista.cli.sprt import code_of, game_of
from lanista.cli.tournament import command
from lanista.competition.setup import load, prepare
from lanista.competition.spec import BotEntry, Clock, Spec, Sprt, parse_spec
from lanista.games import registry
from lanista.results.blocks import FormatName

CUP = """\
name = "cup"
game = "angrymob"
format = "round-robin"
seeds = [1, 2, 3]
bots = [{ name = "A", command = "CamperJoe" }, { name = "B", command = "GravityGoers" }]
"""


def complains(done, *words):
    """Bad input, whose line says these words."""
    assert [] == [word for word in words if word not in done.refusal], done


@pytest.mark.parametrize("game", registry.ours())
def test_new_writes_a_spec_that_can_be_prepared(lanista, tmp_path, game):
    done = lanista("tournament", "new", "my.toml", "--game", game)
    assert 0 == done.code, done.err
    assert "my.toml" in done.out
    text = (tmp_path / "my.toml").read_text(encoding="utf-8")
    setup = prepare(parse_spec(text, "my.toml"), tmp_path, "my")
    assert registry.get(game).seats <= len(setup.bots)
    assert max(map(len, text.splitlines())) <= 110


def test_new_names_programs_if_a_game_has_no_house_bots(lanista, tmp_path, monkeypatch):
    """A game from another package has none; its author puts other commands in their place."""
    monkeypatch.setattr(registry, "house_bots", lambda _: {})
    assert 0 == lanista("tournament", "new", "--game", "angrymob").code
    spec = parse_spec((tmp_path / "cup.toml").read_text(encoding="utf-8"), "cup.toml")
    assert ["python3 bot1.py", "python3 bot2.py"] == [bot.command for bot in spec.bots]


def test_new_refuses_a_game_that_has_no_tournaments(lanista, tmp_path, monkeypatch):
    monkeypatch.setattr(registry.get("angrymob"), "seats", 3)
    complains(lanista("tournament", "new", "--game", "angrymob"), "game: it has 3 seats")
    assert not (tmp_path / "cup.toml").exists()


def test_new_writes_cup_toml_unless_told_and_overwrites_nothing(lanista, tmp_path):
    assert 0 == lanista("tournament", "new").code
    (tmp_path / "cup.toml").write_text("mine")
    complains(lanista("tournament", "new"), "cup.toml exists already")
    assert "mine" == (tmp_path / "cup.toml").read_text()
    complains(lanista("tournament", "new", "no/folder/cup.toml"), "no/folder/cup.toml")
    complains(lanista("tournament", "new", "--game", "chess"), "chess", "angrymob")


def test_the_name_of_the_file_is_only_a_name(lanista, tmp_path):
    """Whatever it holds, the spec says just that name and nothing more."""
    name = 'a"\n[x]\\\x7fä.toml'
    assert 0 == lanista("tournament", "new", name).code
    value = tomllib.loads((tmp_path / name).read_text(encoding="utf-8"))
    assert 'a"\\n[x]\\\\x7fä' == value["name"]
    assert "x" not in value


def test_the_example_has_every_key_with_its_default(lanista, tmp_path):
    """A line `# key = value` is a default; those that have none are listed here."""
    lanista("tournament", "new", "cup.toml")
    text = (tmp_path / "cup.toml").read_text(encoding="utf-8")
    lines = [line.removeprefix("# ") for line in text.splitlines()]
    told = "\n".join(line for line in lines if re.match(r"[a-z0-9_]+ += |\[", line))
    value = tomllib.loads(told)
    examples = {
        *("rounds", "challenger", "fill", "limits", "match_cpu", "maps", "database", "records"),
        *("seeds", "name", "game", "format", "bots", "blocks", "settings"),
        "sprt",  # without it the test's own bounds
    }
    keys = {attribute.name for attribute in attrs.fields(Spec)}
    assert keys - {"fill"} == set(value)  # a game of two has no seats to fill
    assert {one.name for one in attrs.fields(BotEntry)} == set(value["bots"][-1])
    spec = parse_spec(told, "example")
    for attribute in attrs.fields(Spec):
        if attribute.name not in examples:
            default = attribute.default
            default = default.factory() if isinstance(default, attrs.Factory) else default
            assert default == getattr(spec, attribute.name), attribute.name
    assert {one.name for one in attrs.fields(Clock)} == set(value["clock"])
    assert {one.name for one in attrs.fields(Sprt)} == set(value["sprt"])
    settings = {one.name: one.default for one in registry.get("angrymob").settings}
    assert settings == value["settings"]


@pytest.mark.parametrize("name", ["standings", "verify"])
def test_results_are_no_spec(lanista, name):
    """The last lines of `run` name the file of the results, but a tournament is its TOML file."""
    complains(lanista("tournament", name, "cup.db"), "cup.db", "TOML file", "lanista sprt")


@pytest.mark.parametrize("name", ["check", "run", "standings"])
@pytest.mark.parametrize(
    ("text", "words"),
    [
        (None, ["cup.toml", "can't be read"]),
        ("name = ", ["cup.toml", "not valid TOML"]),
        (CUP + "speed = 3\n", ["cup.toml", "speed", "no such key"]),
        (CUP.replace("CamperJoe", "no-such-bot"), ["bots[1].command", "no-such-bot"]),
    ],
)
def test_a_spec_that_can_not_be_used_is_one_line(lanista, tmp_path, name, text, words):
    if text is not None:
        (tmp_path / "cup.toml").write_text(text)
    if name == "standings" and "no-such-bot" in words:
        words = ["nothing has been played yet"]  # to look at results no program need be there
    complains(lanista("tournament", name, "cup.toml"), *words)


@pytest.mark.parametrize("name", ["check", "run"])
@pytest.mark.parametrize(
    ("line", "told"),
    [
        ('records = "cup.toml"', "can't use "),
        ('records = "cup.toml/records"', "can't use "),
        ('records = "a\\u0000b"', "records: 'a\\x00b'; expected some text"),
        ('database = ""', "database: ''; expected some text"),
        ('database = "."', "is a folder; a database is a file"),
        ('database = "/"', "/: is a folder; a database is a file"),
        ('database = "no/cup.db"', "there is no folder"),
        ('challenger = "A"', "cup.toml: challenger:"),
        (
            'database = "postgresql://arena:secret@127.0.0.1:1/cup"',
            "postgresql://arena@127.0.0.1:1/cup",
        ),
    ],
)
def test_what_can_not_be_a_place_of_results_or_a_format_is_one_line(
    lanista, tmp_path, name, line, told
):
    (tmp_path / "cup.toml").write_text(f"{line}\n{CUP}")
    complains(lanista("tournament", name, "cup.toml"), told)


def test_a_folder_is_no_database_to_rebuild(lanista, tmp_path):
    (tmp_path / "cup.toml").write_text(f'database = "."\n{CUP}')
    told = f"{tmp_path}: is a folder; a database is a file"
    complains(lanista("tournament", "verify", "cup.toml", "--rebuild"), told)
    assert not tmp_path.with_name(f"{tmp_path.name}.lock").exists()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ([], "Missing argument 'FILE' or 'GAME BOT...'"),
        (["angrymob"], "bots: the format round-robin needs at least two, not 0"),
        (["angrymob", "CamperJoe"], "bots: the format round-robin needs at least two, not 1"),
        (["crematoria", "Null", "Demo"], "there are only 2 bots; add bots, or let a house bot"),
        (["chess", "A", "B"], "unknown game 'chess'"),
        (["angrymob", "CamperJoe", "no-such-bot"], "unknown bot 'no-such-bot'"),
        (["angrymob", "CamperJoe", "CamperJoe", "--set", "speed=3"], "speed"),
        (["angrymob", "CamperJoe", "CamperJoe", "-o", "cup.toml/x"], "cup.toml/x"),
        (["angrymob", "CamperJoe", "CamperJoe", "--seeds", "1000001"], "expected at most 1000000"),
        (["angrymob", "CamperJoe", "CamperJoe", "--web"], "--web shows tournaments that have a"),
        (["--web", "angrymob", "CamperJoe", "CamperJoe"], "--web shows tournaments that have a"),
        (["cup.toml", "CamperJoe"], "cup.toml is a file, which says who plays: leave out CamperJ"),
        (["other.toml", "CamperJoe"], "other.toml is a file"),
        (["other"], "other: can't be read"),
        (["cup.toml", "--seeds", "10"], "--seeds: cup.toml says that itself"),
        (["cup.toml", "-i", "pit"], "--map: cup.toml says that itself"),
        (["cup.toml", "--time-move", "1"], "--time-move: cup.toml says that itself"),
        (["cup.toml", "--concurrency", "0"], "--concurrency: 0"),
        (["cup.toml", "--concurrency", "many"], "--concurrency: 'many'"),
        (["cup.toml", "--executor", "slurm"], "slurm"),
    ],
)
def test_run_takes_either_a_file_or_bots_and_what_describes_their_tournament(
    lanista, tmp_path, words, told
):
    """Whatever is neither, or mixes both, is one line, and nothing is played or made."""
    (tmp_path / "cup.toml").write_text(CUP)
    complains(lanista("tournament", "run", *words), told)
    assert ["cup.toml"] == [path.name for path in tmp_path.iterdir()]


def test_bots_in_the_command_make_the_tournament_of_a_file_that_says_the_same(
    monkeypatch, tmp_path
):
    """Its blocks have the same ids, so each counts for the other."""
    monkeypatch.chdir(tmp_path)
    played = []
    monkeypatch.setattr(tournament_run, "play", lambda setup, *_, **__: played.append(setup))
    said = "angrymob CamperJoe CamperJoe --format swiss --seeds 3 --base 42 -i pit --no-clock"
    said += " --move-limit 6 --time-start 5 --limits memory=2G --restart -o some/folder"
    command.main(["run", *said.split()], standalone_mode=False)
    (tmp_path / "cup.toml").write_text("""\
name = "swiss-CamperJoe-CamperJoe-2"
game = "angrymob"
format = "swiss"
seeds = { count = 3, base = 42 }
maps = ["pit"]
settings = { move_limit = 6 }
clock = { time_init = 0, time_move = 0, time_start = 5 }
limits = "memory=2G"
bots = [
    { name = "CamperJoe", command = "CamperJoe", restart = true },
    { name = "CamperJoe-2", command = "CamperJoe", restart = true },
]
""")
    [ours], theirs = played, load("cup.toml")
    assert theirs.spec == ours.spec
    assert theirs.block_id(theirs.bots, theirs.opening(2)) == ours.block_id(
        ours.bots, ours.opening(2)
    )
    folder = tmp_path / "some" / "folder"
    assert folder / "swiss-CamperJoe-CamperJoe-2.db" == ours.database
    assert folder / "swiss-CamperJoe-CamperJoe-2.records" == ours.records
    assert folder.is_dir()


def test_run_has_every_format_but_that_of_lanista_sprt():
    [option] = [one for one in command.commands["run"].params if one.name == "format_"]
    assert [*FormatName][:-1] == list(option.type.choices)


def test_standings_of_nothing_played_say_so(lanista, tmp_path):
    """And make no database."""
    (tmp_path / "cup.toml").write_text(CUP)
    done = lanista("tournament", "standings", "cup.toml")
    complains(done, "nothing has been played yet", "cup.db", "lanista tournament run cup.toml")
    assert ["cup.toml"] == [path.name for path in tmp_path.iterdir()]


@pytest.mark.parametrize("name", ["run", "standings"])
def test_what_is_no_database_of_ours_is_refused(lanista, tmp_path, name):
    (tmp_path / "cup.toml").write_text(CUP)
    (tmp_path / "cup.db").write_text("hello " * 1000)
    complains(lanista("tournament", name, "cup.toml"), "cup.db")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["./a", "./b"], "known are angrymob, crematoria"),
        (["Null", "Demo"], "known are angrymob, crematoria"),
        (["GravityGoers", "Demo"], "known are angrymob, crematoria"),
        (["GravityGoers", "./b"], "./b"),
        (["GravityGoers", "CamperJoe", "--elo0", "5", "--elo1", "5"], "elo0 must be below elo1"),
        (["GravityGoers", "CamperJoe", "--elo0", "nan"], "both from -2000 to 2000"),
        (["GravityGoers", "CamperJoe", "--set", "speed=3"], "speed"),
        (["GravityGoers", "CamperJoe", "-i", "nowhere"], "nowhere"),
        (["GravityGoers", "CamperJoe", "--limits", "memory=much"], "memory"),
        (["GravityGoers", "CamperJoe", "--alpha", "0.5"], "0.5"),
        (["GravityGoers", "CamperJoe", "--blocks", "100001"], "expected at most 100000"),
        (["GravityGoers", "CamperJoe", "--concurrency", "x"], "--concurrency"),
    ],
)
def test_sprt_refuses_what_can_not_be(lanista, tmp_path, words, told):
    complains(lanista("sprt", *words), told)
    assert [] == list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("words", "bots"),
    [
        (["tournament", "run", "cup.toml"], "A, B"),
        (["sprt", "GravityGoers", "CamperJoe"], "GravityGoers, CamperJoe"),
    ],
)
def test_only_a_bot_of_the_tournament_can_be_unbenched(lanista, tmp_path, words, bots):
    (tmp_path / "cup.toml").write_text(CUP)
    told = f"unbench: 'Nobody' isn't a bot of this tournament; its bots are {bots}"
    complains(lanista(*words, "--unbench", "Nobody"), told)


@pytest.mark.parametrize(("decision", "code"), [("H1", 0), ("H0", 1), ("", 3)])
def test_the_exit_code_of_sprt_tells_the_decision(decision, code):
    assert code == code_of(SimpleNamespace(decision=decision))


def test_the_game_of_house_bots_is_known():
    assert "angrymob" == game_of(["GravityGoers", "./mine"])
    assert "angrymob" == game_of(["./mine", "CamperJoe"])


def test_records_that_are_a_file(lanista, tmp_path):
    (tmp_path / "cup.toml").write_text(CUP)
    (tmp_path / "cup.records").touch()
    done = lanista("tournament", "run", "cup.toml")
    complains(done, "can't use", "cup.records: a file is in its place")
    (tmp_path / "cup.records").unlink()
    (tmp_path / "cup.records").symlink_to("a disk that isn't mounted")
    done = lanista("tournament", "run", "cup.toml")
    complains(done, "can't use", "cup.records: it is a link to nothing")
