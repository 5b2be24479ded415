"""Which folders of other bots a sandboxed bot doesn't see (docs/limits.md, "What it sees")."""

import os
from pathlib import Path

import attrs
import pytest

from lanista.hosting.bot_pool import Contestant, apart


@pytest.fixture
def folder(tmp_path):
    """Programs in a folder, in folders below it, and in one below those."""
    top = Path(os.path.realpath(tmp_path))
    for name in "main.py", "next.py", "tom/main.py", "tom/old/main.py", "ann/main.py":
        path = top / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    return top


def hidden(folder, *programs, **options):
    """For each of some programs: what is hidden from it, as paths in the folder."""
    contestants = [
        Contestant(
            name=program,
            command=("python3", program),
            folder=str(folder),
            sandboxed=True,
            hidden=("secret",),
        )
        for program in programs
    ]
    contestants = [attrs.evolve(contestant, **options) for contestant in contestants]
    shut = [contestant.hidden for contestant in apart(contestants)]
    assert {"secret"} == {paths[0] for paths in shut}
    return [[os.path.relpath(path, folder) for path in paths[1:]] for paths in shut]


@pytest.mark.parametrize(
    ("programs", "expected"),
    [
        # A folder that the bot doesn't see needn't be hidden.
        (["tom/main.py", "ann/main.py"], [[], []]),
        # One below its own must be, but never what contains its own.
        (["main.py", "tom/main.py", "ann/main.py"], [["ann", "tom"], [], []]),
        (["tom/main.py", "tom/old/main.py"], [["tom/old"], []]),
        # Of two in one folder, both see it.
        (["main.py", "next.py"], [[], []]),
    ],
)
def test_the_folders_of_others_are_hidden(folder, programs, expected):
    assert expected == hidden(folder, *programs)


def test_a_folder_that_the_environment_names_does_not_show_others(folder):
    """As PYTHONPATH does, which may have the folder of all bots."""
    programs = "tom/main.py", "ann/main.py"
    environment = {"PYTHONPATH": f":{folder}:{folder / 'tom/old'}"}
    assert [["ann"], ["tom"]] == hidden(folder, *programs, environment=environment)


def test_without_a_sandbox_nothing_needs_to_be_hidden(folder):
    assert [[], []] == hidden(folder, "main.py", "tom/main.py", sandboxed=False)
