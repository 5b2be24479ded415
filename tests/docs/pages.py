"""Reading the pages of docs/: their code blocks and their commands; and doing what they say."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

from e2e.running import PATIENCE, environment, run_here

CHECKOUT = Path(__file__).parents[2]
DOCS = CHECKOUT / "docs"
_FENCED = re.compile(r"^```([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


CUP = """\
name = "cup"
game = "angrymob"
format = "round-robin"
seeds = [1]
concurrency = 1
settings = { move_limit = 40 }
clock = { time_init = 100.0, time_move = 20.0, stall_margin = 600.0 }
bots = [{ name = "Joe", command = "CamperJoe" }, { name = "Gravity", command = "GravityGoers" }]
"""
"""A small tournament for pages that speak of one."""


def fenced(page):
    """The fenced blocks: what stands behind the three backticks, and the text."""
    return _FENCED.findall(page.read_text(encoding="utf-8"))


def sections(*pages):
    """The fenced blocks of pages by the title of their section; only of those that have some."""
    text = "".join(page.read_text(encoding="utf-8") for page in pages)
    parts = (part.partition("\n") for part in re.split(r"^##+ ", text, flags=re.MULTILINE)[1:])
    found = {title: _FENCED.findall(rest) for title, _, rest in parts}
    return {title: blocks for title, blocks in found.items() if blocks}


def run_python(page):
    """Run the blocks of Python one after another; the names that they have made."""
    names = {}
    for language, text in fenced(page):
        if language == "python":
            exec(compile(text, str(page), "exec"), names)
    return names


def commands(page, program):
    """The indented lines that run a program, without a comment at their end, as words."""
    lines = _FENCED.sub("", page.read_text(encoding="utf-8")).splitlines()
    indented = [line.strip() for line in lines if line.startswith("    ")]
    return [shlex.split(line, comments=True) for line in indented if line.split()[:1] == [program]]


class Shell:
    """Runs the commands of a page in a folder, as a reader does, with more options for some.

    A command of `lanista` alone is run in this process, which spares the time to load it all.
    Others find a program `lanista` that adds the same options.
    """

    def __init__(self, folder, options, **env):
        """`options`: by command, `play` say, what is put behind it."""
        self.folder = folder / "here"
        self.folder.mkdir()
        self.options = options
        self._programs = folder / "programs"
        self._programs.mkdir()
        self._output = folder / "output"
        self._real = Path(sys.executable).parent
        path = [str(self._programs), str(self._real), os.environ["PATH"]]
        self.env = environment(PATH=os.pathsep.join(path), PYTHONDONTWRITEBYTECODE="1", **env)
        cases = [
            f'{name}) shift; exec {self._real}/lanista {name} {shlex.join(more)} "$@" ;;'
            for name, more in options.items()
        ]
        rest = f'*) exec {self._real}/lanista "$@" ;;'
        self.program("lanista", "\n".join(["case $1 in", *cases, rest, "esac"]))

    def program(self, name, script):
        """Put a program before those of this name on the PATH."""
        path = self._programs / name
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)

    def run(self, command):
        """Run a command to its end; its exit code, and what it printed, on stderr too."""
        words = shlex.split(command)
        is_alone = words[0] == "lanista" and not set("|&;<>$`*?").intersection(command)
        # The programs that these start speak on our own output.
        if is_alone and words[1] != "connect" and words[1:3] != ["replay", "feed"]:
            return self.lanista(words[1:])
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=self.folder,
            env=self.env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=2 * PATIENCE,
        )
        return done.returncode, done.stdout

    def lanista(self, words):
        """Run the command line in this process; its exit code, and what it printed."""
        name, *rest = words
        words = [name, *self.options.get(name, []), *rest]
        done = run_here(words, self.folder, self.env, output=self._output)
        return done.code, done.out
