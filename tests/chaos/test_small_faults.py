"""Full disks behind the output, files without end, and what a killed arena leaves in /tmp."""

import gzip
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from e2e.running import PATIENCE, Daemon, Lanista, command, environment, run_here

SPEC = """\
name = "cup"
game = "angrymob"
format = "round-robin"
seeds = [1]
settings = { move_limit = 5 }
bots = [{ name = "Joe", command = "CamperJoe" }, { name = "Gravity", command = "GravityGoers" }]
"""
MEMORY = 1024**3
"""Bytes of address space that a command gets: several times what it needs for an ordinary file."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a played match and tournament."""
    place = tmp_path_factory.mktemp("played")
    (place / "cup.toml").write_text(SPEC)
    match = ["play", "angrymob", "CamperJoe", "GravityGoers", "--move-limit", 5, "--console"]
    for words in ([*match, "-o", "match.gz"], ["tournament", "run", "cup.toml"]):
        done = run_here(words, place)
        assert 0 == done.code, done.err
    return place


def at_length(*given):
    return pytest.param(*given, marks=pytest.mark.long)


def ended(words, folder, **more):
    """Run a command as a process; its exit code, and the lines of stderr that are no log's."""
    done = subprocess.run(
        [sys.executable, "-m", "lanista", *map(str, words)],
        cwd=folder,
        env=environment(PYTHONUNBUFFERED=""),
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        timeout=PATIENCE,
        **more,
    )
    lines = done.stderr.splitlines()
    return done.returncode, [line for line in lines if not line.startswith("timestamp=")]


PRINTS = "lanista: can't write the output: No space left on device"
PLAYS = "some output couldn't be printed: No space left on device"
NEW = ("angrymob", "CamperJoe", "GravityGoers", "--move-limit", 5)


@pytest.mark.one_user
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
@pytest.mark.parametrize(
    ("words", "told"),
    [
        at_length(["serve", "--port", 0, "--no-web"], PRINTS),
        at_length(["play", *NEW, "--console"], PRINTS),
        at_length(["check", "CamperJoe", "--game", "angrymob"], PRINTS),
        (["replay", "show", "match.gz"], PRINTS),
        (["--help"], PRINTS),
        at_length(["tournament", "check", "cup.toml"], PRINTS),
        (["tournament", "standings", "cup.toml"], PRINTS),
        (["tournament", "run", "cup.toml"], PLAYS),
        at_length(["tournament", "run", "cup.toml", "--json"], PLAYS),
    ],
    ids=lambda given: "-".join(map(str, given[:4])) if isinstance(given, list) else "",
)
def test_an_output_without_room_is_told_in_one_line(folder, words, told):
    """By the place that all commands share; and by those that handle such errors themselves."""
    with Path("/dev/full").open("wb") as full:
        assert (2, [told]) == ended(words, folder, stdout=full)


@pytest.mark.one_user
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_a_complaint_without_room_leaves_the_exit_code(folder):
    """1 would be a result."""
    with Path("/dev/full").open("wb") as full:
        words, env = command("replay", "verify", "none"), environment(PYTHONUNBUFFERED="")
        done = subprocess.run(words, cwd=folder, env=env, stderr=full)
    assert 2 == done.returncode


@pytest.mark.parametrize(
    "words", [["--help"], ["replay", "show", "match.gz"], at_length(["games"])], ids="-".join
)
def test_an_output_that_nobody_reads_is_told_by_the_exit_code(folder, words):
    """The code of `lanista games | head -1` isn't 1, which is a result of some commands."""
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as pipe:
        assert (141, []) == ended(words, folder, stdout=pipe)


def bounded():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


@pytest.fixture(scope="module")
def endless(folder):
    """The same folder, with a file of each kind that has no end, or is as good as endless."""
    (folder / "zero.cnf").symlink_to("/dev/zero")
    (folder / "bomb.gz").write_bytes(1500 * gzip.compress(bytes(1024**2)))
    (folder / "endless-map.toml").write_text(SPEC + 'maps = ["/dev/zero"]\n')
    return folder


@pytest.mark.one_user
@pytest.mark.parametrize(
    "words",
    [
        ["serve", "--port", 0, "--no-web", "--map", "/dev/zero"],
        at_length(["serve", "--port", 0, "--no-web", "--game", "hogwarts", "--map", "zero.cnf"]),
        at_length(["serve", "--port", 0, "--tournament", "/dev/zero"]),
        at_length(["play", *NEW, "-i", "/dev/zero"]),
        at_length(["map", "check", "crematoria", "zero.cnf"]),
        at_length(["replay", "verify", "/dev/zero"]),
        ["replay", "show", "bomb.gz"],
        at_length(["replay", "html", "bomb.gz"]),
        at_length(["explain", "bomb.gz"]),
        at_length(["explain", "/dev/zero"]),
        at_length(["replay", "export", "/dev/zero", "--format", "gif"]),
        at_length(["replay", "export", "bomb.gz", "--format", "png"]),
        at_length(["tournament", "run", "/dev/zero"]),
        at_length(["tournament", "standings", "endless-map.toml"]),
    ],
    ids=lambda words: "-".join(map(str, words)).replace("/", "_"),
)
def test_a_file_without_end_is_told_in_one_line(endless, words):
    """In memory that is bounded."""
    code, lines = ended(words, endless, preexec_fn=bounded, stdout=subprocess.DEVNULL)
    assert (2, 1) == (code, len(lines)), lines
    assert any(word in lines[0] for word in ("longer than", "more than", "at most")), lines


@pytest.mark.one_user
def test_a_map_may_come_through_a_pipe(folder, started):
    """It has no size to be looked at, and an end."""
    pipe = folder / "piped.map"
    os.mkfifo(pipe)
    map_ = run_here(["map", "generate", "angrymob", "-s", 1], folder).out
    check = started(Lanista(["map", "check", "angrymob", pipe], folder / "check"))
    pipe.write_text(map_)
    assert (0, f"{pipe}: in order\n") == (check.wait(), check.out)


def test_the_folders_of_a_killed_arena_are_removed_by_the_next_one(tmp_path, started):
    """Its page keeps the frames of matches there, and of files that viewers send."""

    def serve(name):
        daemon = Daemon(tmp_path / name, web="127.0.0.1:0", env=environment(TMPDIR=str(tmp_path)))
        folders = [*tmp_path.glob(f"lanista-frames-{daemon.process.pid}-*")]
        return started(daemon), folders

    killed, left = serve("killed")
    killed.process.kill()
    killed.wait()
    assert [True] * 2 == [folder.is_dir() for folder in left]
    (left[0] / "1").write_bytes(b"{}")
    serve("next")
    assert not any(folder.exists() for folder in left)
