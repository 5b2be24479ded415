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
const { installOf, programOf } = await import(module);
const place = { host: "127.0.0.1", port: Number(port), room: "practice", game: "", tls: false };
console.log(JSON.stringify([installOf(language, origin), programOf(language, place)]));
"""
"""Prints the commands and the program that the page shows."""
OPPONENT = """
import sys
from lanista_client import Arena
with Arena("Opponent", port=int(sys.argv[1]), room="practice") as arena:
    for state in arena:
        arena.send([])
"""
LANGUAGES = {
    # By language: its folder in clients/, the file of the program, how it is built, how it is run.
    "Python": ("python", "mybot.py", "true", "python mybot.py"),
    "JavaScript": ("javascript", "mybot.mjs", "true", "node mybot.mjs"),
    "C++": ("cpp", "mybot.cpp", "g++ -std=c++17 mybot.cpp -o mybot", "./mybot"),
    "Go": ("go", "main.go", "go build -o mybot .", "./mybot"),
    "Rust": ("rust", "src/main.rs", "cargo build --offline", "target/debug/mybot"),
    "Java": (
        *("java", "MyBot.java"),
        "$(sed -n 's!^// javac!javac!p' MyBot.java)",
        "java -cp classes MyBot",
    ),
}


@pytest.mark.long
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_bot_plays_with_the_library_that_its_commands_get(language, serve, started, tmp_path):
    name, file, build, run = LANGUAGES[language]
    for program in ("curl", "unzip"):
        if shutil.which(program) is None:
            pytest.skip(f"no {program} on the PATH (Debian: apt-get install {program})")
    needed("javascript")  # runs the page's module
    needed(name)
    options = ("--matches", 1, "--move-limit", 4, "--no-clock")
    arena = serve(*options, web="127.0.0.1:0")
    page = urlsplit(arena.page)
    words = ("node", "--input-type=module", "-e", SAID, CONNECT, language)
    words = [*map(str, words), f"{page.scheme}://{page.netloc}", str(arena.port)]
    said = subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE)
    commands, program = json.loads(said.stdout)
    folder = tmp_path / "author"
    venv.create(folder, with_pip=language == "Python", symlinks=True)
    env = environment(
        PATH=f"{folder / 'bin'}:{environment()['PATH']}", GOCACHE=str(CACHE / "go-cache")
    )

    def do(script):
        words = ["bash", "-euc", script]
        done = subprocess.run(words, cwd=folder, env=env, capture_output=True, text=True)
        assert 0 == done.returncode, f"{script}\n{done.stdout}\n{done.stderr}"

    do(commands)
    (folder / file).write_text(program)
    do(build)
    started(Program(["bash", "-euc", f"cd ..; {run}"], folder / "bot", env=env))
    started(Program([sys.executable, "-c", OPPONENT, str(arena.port)], tmp_path / "opponent"))
    assert 0 == arena.wait()
