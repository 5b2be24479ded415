"""docs/api.md: its examples are tried on an arena, one after another, as by a reader."""

import re
import shutil

import pytest

from docs.pages import CUP, DOCS, Shell, fenced
from docs.test_bots import go_through
from e2e.running import Daemon
from lanista.hosting.control import RunningMatches
from lanista.page.routes import Routes
from lanista.page.view import View
from lanista.page.viewer import DECISIONS, OPERATIONS

TOKEN = "0123456789abcdef"


def test_the_page_has_every_address_and_every_request_of_the_operator():
    """In its tables, with ID or another word in capitals for what varies."""
    page = (DOCS / "api.md").read_text(encoding="utf-8")
    paths = [re.sub("[A-Z]+", "1", path) for path in re.findall(r"`(/[^`?]*)", page)]
    routes = Routes(View(RunningMatches()), None, None, "http")._table
    assert [] == [each for each in routes if not any(each.fullmatch(f"GET {one}") for one in paths)]
    requests = set(re.findall(r'`(?:{"do": ")?([a-z-]+)[`"]', page))
    assert set() == (OPERATIONS | DECISIONS) - requests


@pytest.mark.skipif(not shutil.which("curl"), reason="curl isn't installed")
def test_the_examples_get_the_answers_of_the_page(tmp_path, started):
    """Each kind of address by curl, those for the operator too; commands over the WebSocket."""
    shell = Shell(tmp_path, {})
    (shell.folder / "cup.toml").write_text(CUP)
    assert 0 == shell.lanista(["tournament", "run", "cup.toml"])[0]
    told = ("--game", "angrymob", "--ladder", "hogwarts", "--tournament", "cup.toml")
    assert f"lanista serve {' '.join(told)}\n" in (DOCS / "api.md").read_text(encoding="utf-8")
    patient = ("--time-move", "20", "--stall-margin", "600", "--move-limit", "40")
    env = shell.env | {"LANISTA_WEB_TOKEN": TOKEN}
    daemon = started(Daemon(shell.folder, *told, *patient, web="127.0.0.1:0", env=env))
    shell.env |= {"PAGE": daemon.page.partition("/#")[0], "TOKEN": TOKEN}
    go_through(fenced(DOCS / "api.md"), shell, tmp_path)
