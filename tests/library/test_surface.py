"""What `import lanista` gives: documented names, and nothing that costs."""

import ast
import inspect
import subprocess
import sys
from pathlib import Path

import lanista

PUBLIC = [
    *("BadInputError", "BadRecordError", "Bot", "Difference", "Fault", "FileError", "Game"),
    *("LanistaError", "Match"),
    *("MatchOptions", "MismatchError", "Position", "Replay", "SeatAnswer", "SeatDifference"),
    *("StartFailureError", "UnknownGameError", "WorkError", "__version__", "aplay"),
    *(
        "aplay_many",
        "competition",
        "env",
        "games",
        "game_names",
        "house_bots",
        "new_game",
        "open_record",
        "play",
        "play_many",
    ),
]


def test_the_public_names_are_these():
    """All others are private by convention; a name that comes or goes is said in CHANGELOG.md."""
    assert sorted(PUBLIC) == dir(lanista) == sorted(lanista.__all__)


def test_every_name_is_there_and_documented():
    for name in PUBLIC:
        value = getattr(lanista, name)
        if not isinstance(value, str):
            assert inspect.getdoc(value), name


def test_type_checkers_see_the_same_names():
    stub = Path(lanista.__file__).with_suffix(".pyi").read_text(encoding="utf-8")
    declared = set()
    for node in ast.parse(stub).body:
        if isinstance(node, ast.ImportFrom):
            declared |= {alias.asname for alias in node.names}
        else:
            declared.add(node.target.id)
    assert set(PUBLIC) == declared


def test_all_errors_are_of_one_family():
    for name in PUBLIC:
        if name.endswith("Error"):
            assert issubclass(getattr(lanista, name), lanista.LanistaError)


def test_an_import_loads_nothing_else():
    """`lanista --help` answers at once, and so does `import lanista`."""
    code = (
        "import sys, lanista\n"
        "loaded = [name for name in sys.modules if name.startswith('lanista.')]\n"
        "print(loaded, 'trio' in sys.modules, 'attrs' in sys.modules, 'asyncio' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "[] False False False\n" == done.stdout
