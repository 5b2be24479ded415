"""docs/api.md: its examples are tried on an arena, one after another, as by a reader."""

import shutil

import pytest

from docs.pages import CUP, DOCS, Shell, fenced
from docs.test_bots import go_through
from e2e.running import Daemon

TOKEN = "0123456789abcdef"


@pytest.mark.skipif(not shutil.which("curl"), reason="curl isn't installed")
def test_the_examples_get_the_answers_of_the_page(tmp_path):
    """Each kind of address by curl, those for the operator too; commands over the WebSocket."""
    shell = Shell(tmp_path, {})
    (shell.folder / "cup.toml").write_text(CUP)
    assert 0 == shell.lanista(["tournament", "run", "cup.toml"])[0]
    told = ("--game", "angrymob", "--ladder", "hogwarts", "--tournament", "cup.toml")
    assert f"lanista serve {' '.join(told)}\n" in (DOCS / "api.md").read_text(encoding="utf-8")
    patient = ("--time-move", "20", "--stall-margin", "600", "--move-limit", "40")
    env = shell.env | {"LANISTA_WEB_TOKEN": TOKEN}
    daemon = Daemon(shell.folder, *told, *patient, web="127.0.0.1:0", env=env)
    try:
        shell.env |= {"PAGE": daemon.page.partition("/#")[0], "TOKEN": TOKEN}
        go_through(fenced(DOCS / "api.md"), shell, tmp_path)
    finally:
        daemon.end()
