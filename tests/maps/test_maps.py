"""The maps that come with the arena: found by name, valid, and of different character."""

import itertools
import re
import subprocess
import sys
from pathlib import Path

import pytest

import lanista_maps
from lanista.games.angrymob.board import IMPASSABLE, Board, read_board
from lanista_maps import UnknownMapError, names, read

ANGRYMOB = names("angrymob")


def board(name: str) -> Board:
    return read_board(read("angrymob", name))


def test_names_are_sorted_and_as_people_type_them():
    assert sorted(ANGRYMOB) == list(ANGRYMOB)
    assert [] == [name for name in ANGRYMOB if not re.fullmatch("[a-z]+(-[a-z]+)*", name)]


@pytest.mark.parametrize("game", ["", "chess", "..", ".", "__pycache__", "angrymob/", "/"])
def test_a_game_without_maps_has_no_names(game):
    """No name of a game becomes a path."""
    assert () == names(game)


def test_every_file_of_the_folder_is_a_map_with_a_name():
    folder = Path(lanista_maps.__file__).parent / "angrymob"
    assert {f"{name}.map" for name in ANGRYMOB} == {path.name for path in folder.iterdir()}


@pytest.mark.parametrize("name", ["moon", "", "pit.map", "../angrymob/pit", "PIT"])
def test_an_unknown_map_is_an_error_that_lists_the_known_ones(name):
    with pytest.raises(UnknownMapError) as caught:
        read("angrymob", name)
    known = ", ".join(ANGRYMOB)
    assert f"unknown map {name!r} of 'angrymob'; known maps: {known}" == str(caught.value)
    assert isinstance(caught.value, KeyError)


def test_an_unknown_map_of_a_game_without_maps_says_that_it_has_none():
    with pytest.raises(UnknownMapError) as caught:
        read("chess", "moon")
    assert "unknown map 'moon' of 'chess'; it has no maps" == str(caught.value)


def test_the_package_needs_nothing_but_the_standard_library():
    """Run without site-packages, and without what this interpreter has imported already."""
    program = (
        "import sys; sys.path.insert(0, sys.argv[1]); import lanista_maps as maps;"
        "print(*(name for name in maps.names('angrymob') if maps.read('angrymob', name)))"
    )
    source = str(Path(lanista_maps.__file__).parent.parent)
    command = [sys.executable, "-I", "-S", "-c", program, source]
    done = subprocess.run(command, capture_output=True, text=True, timeout=30)
    assert ("", " ".join(ANGRYMOB)) == (done.stderr, done.stdout.strip())


@pytest.mark.parametrize("name", ANGRYMOB)
def test_a_map_is_valid_and_can_be_played_on(name):
    """`read_board` refuses what breaks rules/angrymob.md 1; ground without a way is of no use.

    There are units for both within reach, and bases are apart by half of what is farthest from one.
    """
    made = board(name)
    steps = made.distances(made.bases[0])
    ground = [cell for cell, state in enumerate(made.cells) if state != IMPASSABLE]
    assert ground == [cell for cell, far in enumerate(steps) if far >= 0]
    assert 6 >= min(far for far, state in zip(steps, made.cells, strict=True) if state > 0)
    assert 2 * steps[made.bases[1]] >= max(steps)


@pytest.mark.parametrize("name", ANGRYMOB)
def test_a_map_is_good_to_read_as_text(name):
    """It opens with its name and idea, and its columns stand below one another."""
    lines = read("angrymob", name).splitlines()
    comments = list(itertools.takewhile(lambda line: line.startswith("; "), lines))
    title = name.replace("-", " ").capitalize()
    assert comments[0].startswith(f"; {title}: ")
    assert comments[-1].endswith(".")
    assert max(map(len, comments)) <= 100
    rows = lines[len(comments) + 1 :]
    ends = {tuple(token.end() for token in re.finditer(r"\S+", row)) for row in rows}
    assert len(ends) == 1


def test_there_are_at_least_eight_maps_from_tiny_to_large():
    sizes = sorted(len(board(name).cells) for name in ANGRYMOB)
    assert len(sizes) >= 8
    assert sizes[0] < 100
    assert sizes[-1] > 3000


@pytest.mark.parametrize("pair", list(itertools.combinations(ANGRYMOB, 2)), ids="-".join)
def test_every_two_maps_differ_in_size_or_in_their_share_of_rock(pair):
    """By ten percentage points at least, where the size is the same."""
    one, other = map(board, pair)
    shares = [made.cells.count(IMPASSABLE) / len(made.cells) for made in (one, other)]
    sizes = [(made.rows, made.cols) for made in (one, other)]
    assert sizes[0] != sizes[1] or abs(shares[0] - shares[1]) >= 0.1


def test_maps_reach_from_open_ground_to_mostly_rock():
    shares = [board(name).cells.count(IMPASSABLE) / len(board(name).cells) for name in ANGRYMOB]
    assert min(shares) < 0.1
    assert max(shares) > 0.45
