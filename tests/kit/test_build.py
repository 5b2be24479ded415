"""`lanista build`: what it makes, and how it says why it can't."""

import os
import shlex
import signal
import subprocess
from pathlib import Path

import pytest

from e2e.running import Program, environment, wait_until_gone
from e2e.running import command as lanista
from kit.conftest import NULL
from lanista.bots import kit
from lanista.bots.command import parse_command
from lanista.cli.originals import build as command
from lanista.system import interrupted_by_signals
from support.processes import runs


def source(folder, text=NULL, name="AINull.cc"):
    """A player's file."""
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def refusal(path, output="bot"):
    """Why a file isn't even given to the compiler."""
    with pytest.raises(kit.SourceError) as caught:
        kit.build(path, Path(output), "hogwarts")
    return str(caught.value)


def test_the_bot_lies_in_the_present_folder_named_as_its_source(build_here, tmp_path):
    """`./AIname` without -o. The headers are ours, whatever lies beside the source, such as the
    original kit; another header there is found. Warnings are shown. No game was said: it is the
    one that has what the player calls.
    """
    kit = tmp_path / "original kit"
    kit.mkdir()
    source(kit, "#error the original's\n", "Player.hh")
    source(kit, "#error the original's\n", "Structs.hh")
    source(kit, "#warning mind this\n", "mine.hh")
    text = NULL.replace("{ }", "{ command(pioneers(me())[0], BR); }")
    text = text.replace("\n\n", '\n#include "Structs.hh"\n#include "mine.hh"\n', 1)
    done = build_here(source(kit, "\ufeff" + text))
    said = "./AINull plays crematoria: lanista play crematoria ./AINull Demo Null Dummy\n"
    assert (0, said) == (done.code, done.out), done.err
    assert "mine.hh:1:2: warning: #warning mind this" in done.err
    assert os.access(tmp_path / "AINull", os.X_OK)
    assert {"AINull", "cache", "original kit", "stdout", "stderr"} == {
        path.name for path in tmp_path.iterdir()
    }


def test_a_name_with_a_space_is_quoted_for_play_and_for_the_shell(build_here, tmp_path):
    """The command that is printed plays, copied as it is."""
    done = build_here(source(tmp_path, NULL, "AI null.cc"), "--game", "crematoria")
    assert 0 == done.code, done.err
    bot = shlex.split(done.out.partition("lanista play crematoria ")[2])[0]
    assert ("./AI null",) == parse_command(bot)


def test_the_compilers_words_are_shown_with_the_players_line(build_here, tmp_path):
    """The exit code is 1, and no bot is left. No game was said, and the file keeps to none.

    $CXXFLAGS goes to the compiler, whose warnings of our headers aren't shown.
    """
    path = source(tmp_path, NULL.replace("play () { }", "play () { int no; unit(1).heath = 2; }"))
    done = build_here(path.name, "-o", "bot", CXXFLAGS="-Wall -Wextra -Wshadow")
    assert 1 == done.code
    first, *_, last = done.err.splitlines()
    assert first.startswith("AINull.cc: In member function")
    assert "AINull.cc:7:42: error: " in done.err
    assert "[-Wunused-variable]" in done.err
    assert 1 == done.err.count("warning:")
    assert "heath" in done.err.splitlines()[1]
    assert "unit(1).heath" in done.err  # the line itself
    assert last.startswith("lanista: AINull.cc compiles for no game; these are the errors for ")
    assert not (tmp_path / "bot").exists()


def test_a_player_of_the_other_game_is_recognized(build_here, tmp_path):
    """The compiler's words, which can be thousands of lines, are cut."""
    calls = "unit(0).turns; " * kit.LINES_SHOWN
    player = source(tmp_path, NULL.replace("{ }", f"{{ command(0, BR); {calls}}}"))
    done = build_here(player, "--game", "hogwarts")
    assert 1 == done.code
    words = f"lanista: {player} looks like a player of crematoria: say --game crematoria\n"
    assert done.err.endswith(words)
    assert kit.LINES_SHOWN + 2 == done.err.count("\n")
    assert done.err.splitlines()[-2].endswith(" more lines")


def test_the_game_is_asked_for_where_both_fit(build_here, tmp_path):
    """`CXX=true` compiles all, `false` nothing; that a player which calls nothing fits both games:
    kit_cache.
    """
    done = build_here(source(tmp_path), CXX="true")
    assert 2 == done.code
    assert done.err.endswith(
        "could be a player of crematoria or of hogwarts: say which with --game\n"
    )
    done = build_here(source(tmp_path), "--game", "hogwarts", CXX="false")
    assert 1 == done.code
    assert done.err.endswith("AINull.cc doesn't compile as a player of hogwarts\n")


def test_variables_begin_as_zero_where_the_compiler_can_do_that():
    """One that knows the flag is given it; others aren't, and are used all the same."""
    knows, doesnt = ("sh", "-c", "exit 0"), ("sh", "-c", "exit 1")
    assert (*kit.FLAGS, kit.ZEROED) == kit.flags_of(knows)
    assert kit.FLAGS == kit.flags_of(doesnt)
    assert kit.FLAGS == kit.flags_of(("no-such-compiler",))


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("RegisterPlayer", "// RegisterPlayer", "registers no player"),
        pytest.param(
            *("RegisterPlayer", "int main () {}\nRegisterPlayer", "has a main()"),
            marks=pytest.mark.long,
        ),
    ],
)
def test_what_the_linker_finds_is_explained(build_here, tmp_path, old, new, words):
    done = build_here(source(tmp_path, NULL.replace(old, new)), "--game", "hogwarts")
    assert 1 == done.code
    assert words in done.err.splitlines()[-1]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (NULL.replace("RegisterPlayer(PLAYER_NAME);", ""), "must be RegisterPlayer(PLAYER_NAME);"),
        (
            NULL.replace("#define PLAYER_NAME Ningú", ""),
            "needs a line #define PLAYER_NAME YourName",
        ),
        ("int main() {}\n", 'has no line #include "Player.hh"'),
    ],
)
def test_a_file_that_is_no_player_is_refused(tmp_path, text, words):
    path = source(tmp_path, text)
    said = refusal(path)
    assert said.startswith(str(path))
    assert words in said


def test_what_cant_be_read_or_written_is_refused(tmp_path):
    """In one line, and nothing that has the bot's name is lost."""
    path = source(tmp_path)
    assert "can't read nowhere.cc: No such file or directory" in refusal(Path("nowhere.cc"))
    assert f"can't read {tmp_path}: Is a directory" in refusal(tmp_path)
    for output in (tmp_path, path, "/dev/null"):
        assert "isn't a file to be replaced by the bot" in refusal(path, output)


def test_a_compiler_must_be_there(monkeypatch, tmp_path):
    """$CXX, else g++, else clang++."""
    monkeypatch.setenv("CXX", "no-such-compiler -m32")
    with pytest.raises(kit.NoCompilerError, match="there is no program 'no-such-compiler'"):
        kit.build(source(tmp_path), tmp_path / "bot", "hogwarts")
    monkeypatch.setenv("CXX", "")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(kit.NoCompilerError, match="install g"):
        kit.compiler()
    for name in ("c++", "clang++", "g++"):  # each is taken before the last
        (tmp_path / name).write_text("#!/bin/sh\n", encoding="utf-8")
        (tmp_path / name).chmod(0o755)
        assert (name,) == kit.compiler()


def test_an_older_bot_stays_until_the_new_one_is_written(monkeypatch, tmp_path):
    """Here the compiler has made none; on a full disk, only a part of it could be written."""
    monkeypatch.setenv("CXX", "true")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    bot = tmp_path / "bot"
    bot.write_text("older", encoding="utf-8")
    assert "can't write" in refusal(source(tmp_path), bot)
    assert "older" == bot.read_text(encoding="utf-8")


def test_a_signal_that_comes_as_a_compiler_starts_ends_it(monkeypatch, tmp_path):
    """It is running, but the build doesn't know its process yet."""
    begun = []

    class Popen(subprocess.Popen):
        def __init__(self, *args, **kwargs):
            super().__init__(*args, **kwargs)
            begun.append(self)
            signal.raise_signal(signal.SIGTERM)

    monkeypatch.setenv("CXX", "sh -c 'exec sleep 1000'")
    monkeypatch.setattr(kit, "flags_of", lambda _: ())
    monkeypatch.setattr(subprocess, "Popen", Popen)
    with pytest.raises(KeyboardInterrupt), interrupted_by_signals():
        kit.build(source(tmp_path), tmp_path / "bot", "hogwarts")
    assert [-signal.SIGTERM] == [process.poll() for process in begun]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_a_build_with_its_compilers(tmp_path, started, number):
    """Also what a compiler has started; here there is one for each game. No folder is left."""
    waits = 'case "$*" in */dev/null) exit;; esac; sleep 1000 & echo $! $$ > pids.$$; wait'
    path = source(tmp_path)
    env = environment(CXX=shlex.join(["sh", "-c", waits, "sh"]), TMPDIR=str(tmp_path))
    program = started(Program(lanista("build", path), tmp_path, env=env))

    def compilers():
        return [int(pid) for file in tmp_path.glob("pids.*") for pid in file.read_text().split()]

    try:
        program.until(lambda: len(compilers()) == 2 * len(kit.GAMES), "it compiles")
        program.signal(number)
        assert (130, "\n") == (program.wait(), program.err)
        wait_until_gone(compilers())
        assert not list(tmp_path.glob("lanista-build-*"))
    finally:
        for pid in filter(runs, compilers()):
            os.kill(pid, signal.SIGKILL)


def test_an_unknown_game_is_bad_input(build_here, tmp_path):
    done = build_here(source(tmp_path), "--game", "angrymob")
    assert 2 == done.code
    assert (
        "--game angrymob: the games whose players are built are crematoria and hogwarts" in done.err
    )


def test_the_headers_folder_is_told(capsys):
    """For a compiler's command of one's own, which finds the main programs from there, too."""
    command.main(["--include"], standalone_mode=False)
    include = Path(capsys.readouterr().out.strip())
    assert (include / "lanista.hpp").is_file()
    assert all((include / game / "Player.hh").is_file() for game in kit.GAMES)
    assert all((include / f"../src/{game}.cc").is_file() for game in kit.GAMES)
