"""What `import lanista` gives: documented names, and nothing that costs."""

import ast
import builtins
import inspect
import pydoc
import re
import sys
from pathlib import Path

import attrs
import pytest

import lanista
from docs.pages import DOCS
from lanista.cli import play
from lanista.match.clock import ClockInfo
from lanista.match.conditions import Clock

ERRORS = [
    *("BadAnswerError", "BadInputError", "BadRecordError", "FileError", "GameOverError"),
    *("LanistaError", "MismatchError", "SandboxError", "SpecError", "StartFailureError"),
    *("StoreError", "UnknownGameError", "UnsupportedError", "WorkError"),
]
PUBLIC = [
    *ERRORS,
    *("Bot", "Difference", "Fault", "Game", "Match", "MatchOptions", "Position", "Replay"),
    *("SeatAnswer", "SeatDifference", "__version__", "aplay", "aplay_many", "competition", "env"),
    *("games", "game_names", "house_bots", "new_game", "open_record", "play", "play_many"),
]
COMPETITION = [
    *("Director", "Report", "Spec", "events", "load", "open_tournament", "run", "run_async"),
    "standings_of",
]
ENV = [
    *("LanistaEnv", "Policy", "PolicyBot", "SeatEnv", "as_bot", "env", "parallel_env", "seat_env")
]
PAGES = [
    *(DOCS / f"{name}.md" for name in ("python", "python_rules", "training")),
    *sorted(DOCS.glob("tournament*.md")),
    *sorted((DOCS / "examples").glob("*.py")),
]


def test_the_public_names_are_these():
    """All others are private by convention; a name that comes or goes is said in CHANGELOG.md."""
    assert sorted(PUBLIC) == dir(lanista)
    assert COMPETITION == sorted(lanista.competition.__all__)
    # Its names are read, not imported: the extra `rl` may not be installed.
    text = (Path(lanista.__file__).parent / "env" / "__init__.py").read_text(encoding="utf-8")
    [names] = [node.value for node in ast.parse(text).body if isinstance(node, ast.Assign)]
    assert ENV == ast.literal_eval(names)


def test_help_lists_the_names_without_the_extra_of_environments(monkeypatch):
    """So does whatever else looks at all names; using the one that is missing says what to do.

    `from lanista import *` gives the others.
    """
    for name in [name for name in sys.modules if f"{name}.".startswith("lanista.env.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.delitem(vars(lanista), "env", raising=False)
    monkeypatch.setitem(sys.modules, "gymnasium", None)
    assert "play_many" in pydoc.render_doc(lanista)
    names = {}
    exec("from lanista import *", names)
    assert {*PUBLIC} - {"env"} == names.keys() - {"__builtins__"}
    with pytest.raises(AttributeError, match=r"PettingZoo and Gymnasium: pip install 'lanista"):
        _ = lanista.env


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_what_a_page_names_is_public(page):
    """Whoever follows the pages and the examples depends on nothing that may change."""
    text = page.read_text(encoding="utf-8")
    named = set(re.findall(r"\blanista((?:\.\w+)+)", text))
    named |= {f".{name}" for name in re.findall(r"\b[A-Z]\w+Error\b", text)}
    named |= {
        f".competition.{name}" for name in re.findall(r"lanista.competition import (\w+)", text)
    }
    inside = {"competition": COMPETITION, "env": ENV}
    for name in named:
        first, *more = name[1:].split(".")
        assert first in {*PUBLIC, "__all__"} or hasattr(builtins, first), name
        if more and first in inside:
            assert more[0] in inside[first], name


def test_the_clock_has_the_same_names_everywhere():
    """On the command line, in Python, in TOML files and in records."""
    names = {field.name for field in attrs.fields(Clock)}
    assert {"time_init", "time_move", "time_start", "late_limit", "stall_margin"} == names
    assert names <= lanista.MatchOptions.__annotations__.keys()
    assert {f"--{name.replace('_', '-')}" for name in names} <= {
        option for parameter in play.command.params for option in parameter.opts
    }
    assert {field.name for field in attrs.fields(ClockInfo)} - {"lag_allowance"} < names


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
    for name in ERRORS:
        assert issubclass(getattr(lanista, name), lanista.LanistaError)
