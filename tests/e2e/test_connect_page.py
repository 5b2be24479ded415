"""What "Connect" on the page says for each language, done on a computer without a checkout."""

import json
import shutil
import subprocess
import sys
import venv
from urllib.parse import urlsplit

import pytest

from e2e.running import PATIENCE, Program, environment
from languages.built import CACHE, CHECKOUT
from languages.conftest import needed

CONNECT = CHECKOUT / "server" / "lanista" / "page" / "browser" / "connect.js"
SAID = """
const [module, language, origin, port] = process.argv.slice(1);
const { KNOWN, installOf, programOf } = await import(module);
const place = {
  host: "127.0.0.1", port: Number(port), tls: false, room: "practice", state: "State", game: "",
  name: "MyBot", token: "secret",
};
const { file, run } = KNOWN[language];
console.log(JSON.stringify([installOf(language, origin), file, programOf(language, place), run]));
"""
"""Prints what the page shows: the commands, the program's file and text, and how it is run."""
OPPONENT = """
import sys
from lanista_client import Arena
with Arena("Opponent", port=int(sys.argv[1]), room="practice") as arena:
    for state in arena:
        arena.send([])
"""
LANGUAGES = {
    # By language: its folder in clients/.
    "Python": "python",
    "JavaScript": "javascript",
    "C++": "cpp",
    "Go": "go",
    "Rust": "rust",
    "Java": "java",
}


@pytest.mark.long
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_bot_plays_with_the_library_that_its_commands_get(language, serve, started, tmp_path):
    for program in ("curl", "unzip"):
        if shutil.which(program) is None:
            pytest.skip(f"no {program} on the PATH (Debian: apt-get install {program})")
    needed("javascript")  # runs the page's module
    needed(LANGUAGES[language])
    options = ("--matches", 1, "--move-limit", 4, "--no-clock")
    arena = serve(*options, web="127.0.0.1:0")
    page = urlsplit(arena.page)
    words = ("node", "--input-type=module", "-e", SAID, CONNECT, language)
    words = [*map(str, words), f"{page.scheme}://{page.netloc}", str(arena.port)]
    said = subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE)
    commands, file, program, run = json.loads(said.stdout)
    folder = tmp_path / "author"
    venv.create(folder, with_pip=language == "Python", symlinks=True)
    env = environment(
        PATH=f"{folder / 'bin'}:{environment()['PATH']}", GOCACHE=str(CACHE / "go-cache")
    )
    words = ["bash", "-euc", commands]
    done = subprocess.run(words, cwd=folder, env=env, capture_output=True, text=True)
    assert 0 == done.returncode, f"{commands}\n{done.stdout}\n{done.stderr}"
    (folder / file).write_text(program)
    started(Program(["bash", "-euc", f"cd ..; {run}"], folder / "bot", env=env))
    started(Program([sys.executable, "-c", OPPONENT, str(arena.port)], tmp_path / "opponent"))
    assert 0 == arena.wait()
