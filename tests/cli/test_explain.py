"""`lanista explain`: match files of the original programs, and what is wrong with one."""

import gzip
from pathlib import Path

import pytest

TRACES = Path(__file__).parents[1] / "traces"
HOGWARTS = TRACES / "hogwarts" / "01_s1_Null-Null-Null-Null.res.gz"
CREMATORIA = TRACES / "crematoria" / "02_Null-Null-Null-Null_s1.res.gz"
ORDERS = CREMATORIA.with_name(CREMATORIA.name.replace(".res.", ".orders."))


def test_a_match_of_the_original_is_explained(lanista):
    assert "explained 200 of 200 rounds (original)\n" == lanista("explain", HOGWARTS).printed


def test_with_its_orders_every_byte_comes_out_again(lanista):
    printed = lanista("explain", CREMATORIA, "--orders", ORDERS).printed
    size = len(gzip.decompress(CREMATORIA.read_bytes()))
    assert printed.startswith(f"identical: {size} bytes, ")


def test_the_first_round_that_cannot_be_is_named(lanista, tmp_path):
    """A plain file with one wrong count in a state: exit code 1, round and reason."""
    lines = gzip.decompress(CREMATORIA.read_bytes()).decode().split("\n")
    at = [number for number, line in enumerate(lines) if line.startswith("nb_cells")][50]
    words = lines[at].split()
    lines[at] = lines[at].replace(words[1], str(int(words[1]) + 1), 1)
    bad = tmp_path / "bad.res"
    bad.write_text("\n".join(lines), encoding="ascii")
    done = lanista("explain", bad)
    assert (1, "") == (done.code, done.err)
    told, why = done.out.splitlines()
    assert told.startswith("explained 49 of ")
    assert why.startswith("round 49: ")
    compared = lanista("explain", bad, "--orders", ORDERS)
    assert 1 == compared.code
    assert compared.out.startswith(f"line {at + 1} differs: the file has {lines[at]!r}")


def test_a_fault_of_the_orders_is_said_of_their_file(lanista, tmp_path):
    """It was said of the match file."""
    (tmp_path / "bad.orders").write_text("R 0 P 0 Q x\n", encoding="ascii")
    assert lanista("explain", CREMATORIA, "--orders", "bad.orders").refusal.startswith(
        "lanista: bad.orders: line 1, column 11: expected the number of orders given"
    )


def test_crematoria_has_one_behaviour(lanista):
    done = lanista("explain", CREMATORIA, "--rules", "text")
    assert "crematoria has only the original's rules" in done.refusal


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "expected `Crematoria 1.2` or `HarryPotter 1.0`"),
        (b"hello\n", "line 1: not a file of an original game"),
        (b'{"lanista_record":4}\n', "bad.res is a record: `lanista replay verify` checks it"),
        (b"\x1f\x8bnonsense", "damaged gzip data"),
        (b"Game\n\nSeed 1\n\xff", "isn't ASCII"),
        (b"Game\n\nSeed 1\n\nHarryPotter 1.0\n\nNUM_PLAYERS 5\n", "line 7, column 13: "),
    ],
)
def test_a_file_that_is_none_is_one_line(lanista, tmp_path, content, words):
    bad = tmp_path / "bad.res"
    bad.write_bytes(content)
    assert words in lanista("explain", bad).refusal


@pytest.mark.parametrize("command", ["show", "verify"])
def test_a_match_file_is_no_record_but_two_commands_take_it(lanista, command):
    assert lanista("replay", command, CREMATORIA).refusal.endswith(
        "is a match file, and no record: `lanista replay html` shows it, and `lanista explain` "
        "checks it\n"
    )


def test_a_game_without_match_files_says_so(lanista):
    done = lanista("play", "angrymob", "CamperJoe", "CamperJoe", "-o", "x.res")
    assert "Angry Mob has no .res files" in done.refusal
    done = lanista("play", "angrymob", "CamperJoe", "CamperJoe", "--original-seeds")
    assert "--original-seeds: Angry Mob has no original with such seeds" in done.refusal
