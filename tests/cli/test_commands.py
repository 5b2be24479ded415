"""The commands that start no match: what they print. Matches are played in tests/e2e."""

import os
import resource
import stat
import subprocess
import sys
import time
from datetime import UTC, datetime

import pytest

import lanista
import lanista_maps
from lanista import __version__
from lanista.__main__ import main as command
from lanista.cli import LazyGroup
from lanista.cli.common import minute_text
from lanista.games import registry


def test_the_help_lists_every_command(lanista):
    listed = lanista("--help").printed
    assert [] == [name for name in LazyGroup.places if f"\n  {name} " not in listed]


@pytest.mark.parametrize("option", ["--help", "-h"])
@pytest.mark.parametrize("name", ["play", "serve", "games", "bots", "map", "replay"])
def test_every_command_has_help(lanista, name, option):
    assert lanista(name, option).printed.startswith(f"Usage: lanista {name} ")


@pytest.mark.parametrize("words", [(), ("arena",), ("arena", "name"), ("tournament",), ("replay",)])
def test_no_command_of_a_group_is_cut_mid_sentence(lanista, words):
    commands = lanista(*words, "--help").out.partition("\nCommands:\n")[2]
    assert commands
    assert "..." not in commands


@pytest.mark.parametrize("words", [[], ["map"], ["replay"]])
def test_a_group_alone_shows_its_help_as_an_error(lanista, words):
    """Exit code 2, and the help as it is, on stderr."""
    code, out, err = lanista(*words)
    assert (2, "") == (code, out)
    assert err.startswith("Usage: lanista ")
    assert "\nCommands:\n" in err


@pytest.mark.parametrize("code", ["own exit", None, 1])
def test_a_game_that_exits_is_told(lanista, monkeypatch, code):
    """A game's exit isn't taken for a closed pipe, about which nothing is said."""
    monkeypatch.setattr(type(registry.get("angrymob")), "write_board", lambda *_: sys.exit(code))
    done = lanista("map", "check", "angrymob", "city")
    assert (70, "") == (done.code, done.out)
    assert f"RuntimeError: angrymob called sys.exit({code!r})" in done.err


def test_version(lanista):
    assert f"lanista, version {__version__}\n" == lanista("--version").out


def test_games_lists_settings_with_their_defaults(lanista):
    assert "angrymob  Angry Mob, 2 players\n    --set move_limit=2400  " in lanista("games").printed


def test_bots_lists_the_house_bots(lanista):
    """Of one game or of all, each with its first line."""
    done = lanista("bots", "angrymob")
    names = [line.split()[1] for line in done.out.splitlines()]
    assert list(registry.house_bots("angrymob")) == names
    assert "angrymob  CamperJoe  CamperJoe never moves" in done.out
    assert done.out in lanista("bots").out


def test_of_a_game_without_house_bots_none_is_listed(lanista, monkeypatch):
    """Games of other packages have none."""
    monkeypatch.setattr(registry, "house_bots", lambda _: {})
    assert "" == lanista("play", "angrymob", "--list").printed == lanista("bots").printed
    assert "angrymob has no house bots\n" == lanista("bots", "angrymob").printed


def test_map_list_shows_the_shipped_maps(lanista):
    listed = lanista("map", "list", "angrymob").out.split()
    assert list(lanista_maps.names("angrymob")) == listed
    assert "pit" in listed


def test_map_check_takes_files_and_shipped_maps(lanista, tmp_path):
    (tmp_path / "own.map").write_text("2 3\nA . .\n. . B\n")
    assert (0, "own.map: in order\npit: in order\n", "") == lanista(
        "map", "check", "angrymob", "own.map", "pit"
    )


def test_map_generate_is_determined_by_its_seed(lanista, tmp_path):
    """Printed, the seed on stderr; or written to a file, which `map check` takes."""
    printed = lanista("map", "generate", "angrymob", "-s", -7)
    assert (0, "seed -7\n") == (printed.code, printed.err)
    written = lanista("map", "generate", "angrymob", "--seed", -7, "-o", "new.map")
    assert (0, "new.map: the map of seed -7\n", "") == written
    assert printed.out == (tmp_path / "new.map").read_text()
    assert 0 == lanista("map", "check", "angrymob", "new.map").code
    assert printed.out != lanista("map", "generate", "angrymob", "-s", 7).out


def test_a_generated_configuration_may_have_any_name(lanista):
    """A configuration of a game of four is known by how it begins."""
    assert 0 == lanista("map", "generate", "hogwarts", "-s", 7, "-o", "seven").code
    assert (0, "seven: in order\n", "") == lanista("map", "check", "hogwarts", "seven")


@pytest.mark.parametrize("is_there", [False, True])
def test_a_file_for_which_the_disk_has_no_room_stays_as_it_was(
    lanista, tmp_path, monkeypatch, is_there
):
    """The file had been emptied, and nothing but that was left of the standings on a web site."""
    # Python 3.11 would cut the bytecode off too, of what is imported here for the first time.
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    if is_there:
        (tmp_path / "new.map").write_text("earlier\n")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, hard))
    try:
        refusals = [
            lanista("map", "generate", "angrymob", "-s", 7, "-o", "new.map").refusal,
            lanista("tournament", "new", "new.toml").refusal,
        ]
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    wrong = "lanista: can't write new.{}: File too large\n"
    assert [wrong.format("map"), wrong.format("toml")] == refusals
    found = {path.name: path.read_text() for path in tmp_path.iterdir()}
    assert ({"new.map": "earlier\n"} if is_there else {}) == found


def test_a_map_is_written_where_a_link_leads_and_to_a_pipe(lanista, tmp_path):
    (tmp_path / "maps").mkdir()
    (tmp_path / "new.map").symlink_to("maps/seven")
    assert 0 == lanista("map", "generate", "angrymob", "-s", 7, "-o", "new.map").code
    written = (tmp_path / "maps" / "seven").read_text()
    assert (tmp_path / "new.map").is_symlink()
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb"), os.fdopen(writing, "wb"):
        lanista("map", "generate", "angrymob", "-s", 7, "-o", f"/dev/fd/{writing}")
        assert written == os.read(reading, 2 * len(written)).decode()


def test_a_map_is_not_written_to_a_link_that_leads_to_itself(lanista, tmp_path):
    (tmp_path / "new.map").symlink_to("new.map")
    done = lanista("map", "generate", "angrymob", "-s", 7, "-o", "new.map")
    assert "lanista: can't write new.map: Too many levels of symbolic links\n" == done.refusal
    assert (tmp_path / "new.map").is_symlink()


@pytest.mark.parametrize("mode", [0o600, 0o666])
@pytest.mark.parametrize("may_write_folder", [True, False])
def test_a_map_in_the_place_of_another_is_read_and_written_by_the_same_users(
    lanista, tmp_path, monkeypatch, may_write_folder, mode
):
    """Also in a folder in which nothing but that file may be written, whatever the umask."""
    (tmp_path / "new.map").write_text("earlier\n")
    (tmp_path / "new.map").chmod(mode)
    inode = (tmp_path / "new.map").stat().st_ino
    monkeypatch.setattr(os, "access", lambda path, _: may_write_folder or path.is_file())
    assert 0 == lanista("map", "generate", "angrymob", "-s", 7, "-o", "new.map").code
    written = (tmp_path / "new.map").stat()
    assert mode == stat.S_IMODE(written.st_mode)
    assert (written.st_ino == inode) is not may_write_folder
    assert written.st_size > len("earlier\n")


def test_map_generate_tells_the_seed_it_drew(lanista):
    """A map without -s can be made again."""
    drawn = lanista("map", "generate", "angrymob")
    seed = drawn.err.removeprefix("seed ").strip()
    assert drawn.out == lanista("map", "generate", "angrymob", "-s", seed).out


def test_a_terminal_whose_size_is_not_known_has_the_usual_one(lanista, monkeypatch):
    """Some shells export 0: `map show` drew nothing, and `replay show` ended by a traceback."""
    usual = lanista("map", "show", "angrymob", "pit")
    monkeypatch.setenv("COLUMNS", "0")
    monkeypatch.setenv("LINES", "0")
    assert usual == lanista("map", "show", "angrymob", "pit")


def test_map_show_draws_without_colours_for_a_file(lanista):
    printed = lanista("map", "show", "angrymob", "pit").printed
    assert "\x1b" not in printed
    assert "seat 0: 1 unit" in printed
    assert ["A1", ".", "2", "#", ".", ".", ".", "3", "."] in [
        line.split() for line in printed.splitlines()
    ]


def test_output_that_the_terminal_cannot_encode_is_escaped(tmp_path):
    """Names and paths may hold any letter: no traceback for it, in no locale."""
    (tmp_path / "Ωmega.map").write_text("2 3\nA . .\n. . B\n")
    done = subprocess.run(
        [sys.executable, "-m", "lanista", "map", "check", "angrymob", "Ωmega.map"],
        cwd=tmp_path,
        env={"PYTHONIOENCODING": "latin-1", "PATH": "", "LC_ALL": "C.UTF-8"},
        capture_output=True,
        text=True,
    )
    assert (0, "\\u03a9mega.map: in order\n", "") == (done.returncode, done.stdout, done.stderr)


def test_an_interrupt_while_the_command_is_imported_leaves_no_traceback(monkeypatch):
    """Ctrl-C is the same in the first tenth of a second, before `lanista.cli.main` runs."""
    monkeypatch.delitem(sys.modules, "lanista.cli")
    monkeypatch.delattr(lanista, "cli")

    class Interrupted:
        @staticmethod
        def find_spec(name, *_):
            if name == "lanista.cli":
                raise KeyboardInterrupt

    monkeypatch.setattr(sys, "meta_path", [Interrupted, *sys.meta_path])
    with pytest.raises(SystemExit) as caught:
        command()
    assert 130 == caught.value.code


def test_times_are_those_of_the_clock_on_the_wall(monkeypatch):
    """The page shows these too, so a deadline can be compared with what was handed in before it."""
    try:
        with monkeypatch.context() as patch:
            patch.setenv("TZ", "East-9")
            time.tzset()
            assert "2026-12-19 07:59" == minute_text("2026-12-18T22:59:03.250+00:00")
            assert "2026-12-19 07:59" == minute_text(datetime(2026, 12, 18, 22, 59, tzinfo=UTC))
    finally:
        time.tzset()
