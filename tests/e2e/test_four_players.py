"""The four-player games with real processes: a whole match, and the original's file of it."""

import pytest

from e2e.running import bot, read

SHORT = {"hogwarts": "NUM_ROUNDS=6", "crematoria": "nb_rounds=6"}


@pytest.mark.parametrize("game", ["hogwarts", pytest.param("crematoria", marks=pytest.mark.long)])
def test_a_match_writes_the_original_games_file(lanista, game):
    """As the original's program: seed, configuration and output file; our rules explain it."""
    four = [bot("nothing")] * 4
    done = lanista(
        *("play", game, *four, "-s", 30, "-i", "default.cnf", "-o", "default.res"),
        *("--console", "--no-clock", "--set", SHORT[game]),
    )
    assert 0 == done.code, done.err
    (path,) = (done.folder / "lanista-records").glob("*.jsonl.gz*")
    assert ("finished", 6) == (read(path).result.end, read(path).result.turns)
    assert done.out.endswith("match file default.res\n")
    res = done.folder / "default.res"
    text = res.read_text(encoding="ascii")
    assert text.startswith("Game\n\nSeed 30\n\n")
    assert " nothing nothing-2 nothing-3 nothing-4\n" in text
    explained = lanista("explain", res)
    assert (0, "") == (explained.code, explained.err)
    assert explained.out.startswith("explained 6 of 6 rounds")
    verified = lanista("replay", "verify", path)
    assert (0, f"{path}: verified 6 rounds\n") == (verified.code, verified.out)
    exported = lanista("replay", "export", path, "--format", "res")
    assert (0, text) == (exported.code, exported.out)
    listed = lanista("play", game, "--list")
    assert (0, "Null\nDemo\nDummy\n") == (listed.code, listed.out)
