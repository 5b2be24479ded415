"""A ladder's house bots, from its spec to what can be started (docs/arena.md)."""

import os

import pytest

from lanista.arena.ladder_room import house_contestants
from lanista.arena.options import private_paths
from lanista.arena.spec import parse_spec
from lanista.bots.limits import BotLimits, parse_limits
from lanista.errors import BadInputError


def found(house, folder, more=""):
    text = f'[[ladders]]\nname = "l"\ngame = "hogwarts"\nhouse = {house}\n{more}'
    (ladder,) = parse_spec(text, "arena.toml").ladders
    return house_contestants(ladder, folder)


def test_house_bots_and_command_lines_are_found(tmp_path):
    house = (
        '["Demo", "python3 bots/mine.py", "stdio: python3 pipe.py",'
        ' { name = "My Anchor", command = "Null" }]'
    )
    demo, mine, pipe, anchor = found(house, tmp_path)
    assert ["Demo", "mine", "pipe", "My Anchor"] == [bot.name for bot in (demo, mine, pipe, anchor)]
    assert ("lanista.games.hogwarts.house_bots.demo", "Demo") == demo.command[-2:]
    assert ("python3", "bots/mine.py") == mine.command
    assert ("lanista.bots.bridge", "python3", "pipe.py") == pipe.command[-3:]
    assert ("lanista.games.hogwarts.house_bots.null", "Null") == anchor.command[-2:]
    assert {str(tmp_path)} == {bot.folder for bot in (demo, mine, pipe, anchor)}
    assert BotLimits() == demo.limits
    assert not demo.sandboxed


def test_limits_and_sandbox_are_those_of_the_ladder(tmp_path):
    (demo,) = found('["Demo"]', tmp_path, 'limits = "memory=512M"\nsandbox = "bwrap"')
    assert parse_limits("memory=512M") == demo.limits
    assert demo.sandboxed


def test_the_same_bot_several_times_gets_numbers(tmp_path):
    names = [bot.name for bot in found('["Demo", "Demo", "Null", "Demo"]', tmp_path)]
    assert ["Demo", "Demo-2", "Null", "Demo-3"] == names


@pytest.mark.parametrize(
    ("house", "more", "expected"),
    [
        ('["Demo", "Dumy"]', "", "house[2]: unknown bot 'Dumy': no house bot of hogwarts (Null,"),
        ('["CamperJoe"]', "", "house[1]: unknown bot 'CamperJoe'"),
        ('["python3 \'x"]', "", "house[1]: "),
        ('["Demo", "./no/such"]', "", "house[2]: unknown bot './no/such'"),
        ('["python3 ä.py"]', "", "house[1]: '\\xe4' can't be a name on a ladder; write { name"),
        ('[{ name = "A", command = "Null" }, { name = "A", command = "Demo" }]', "", "house[2]: A"),
        ('["Null", { name = "null", command = "Demo" }]', "", "house[2]: null is the name of anot"),
        (f'["{"x" * 300}"]', "", "house[1]: unknown bot 'xxx"),
        ('["Demo"]', 'limits = "memory=x"', "limits "),
    ],
)
def test_each_mistake_is_named(tmp_path, house, more, expected):
    with pytest.raises(BadInputError) as caught:
        found(house, tmp_path, more)
    assert str(caught.value).startswith(expected)
    assert "\n" not in str(caught.value)


def test_what_is_private_to_the_arena_and_the_folders_of_others_are_hidden(tmp_path):
    """How sandboxes hide these is tested with real ones (chaos/test_sandbox_arena.py)."""
    (tmp_path / "tom").mkdir()
    for name in "main.py", "tom/main.py":
        (tmp_path / name).touch()
    text = (
        'data = "store"\ntls = { certificate = "c.pem", key = "/etc/c.key" }\n'
        'page = { tournaments = ["cup.toml"] }\n[[ladders]]\nname = "l"\ngame = "hogwarts"\n'
        'house = ["python3 main.py", { name = "Tom", command = "python3 tom/main.py" }]\n'
        'sandbox = "bwrap"\n'
    )
    spec = parse_spec(text, "arena.toml")
    private = private_paths(spec, tmp_path)
    names = ("", "store", "store/records", "c.pem", "/etc/c.key", "cup.toml")
    assert {tmp_path / name for name in names} == {*private}
    main, tom = house_contestants(spec.ladders[0], tmp_path, private)
    assert (*private, os.path.realpath(tmp_path / "tom")) == main.hidden
    assert private == tom.hidden
