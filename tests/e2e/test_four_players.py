"""The four-player games with real processes: whole matches, offenders, the originals' files."""

import pytest

from e2e.running import bot, read

HEALTHY = ("--console", "--no-clock")
SHORT = {"hogwarts": "NUM_ROUNDS=6", "crematoria": "nb_rounds=6"}


def played(done):
    assert 0 == done.code, done.err
    (path,) = (done.folder / "lanista-records").glob("*.jsonl.gz*")
    return read(path)


@pytest.mark.parametrize("game", ["hogwarts", pytest.param("crematoria", marks=pytest.mark.long)])
def test_a_match_writes_the_original_games_file(lanista, game):
    """As the original's program: seed, configuration and output file; our rules explain it."""
    four = [bot("nothing")] * 4
    done = lanista(
        *("play", game, *four, "-s", 30, "-i", "default.cnf", "-o", "default.res", *HEALTHY),
        *("--set", SHORT[game]),
    )
    record = played(done)
    assert ("finished", 6) == (record.result.end, record.result.turns)
    assert done.out.endswith("match file default.res\n")
    res = done.folder / "default.res"
    text = res.read_text(encoding="ascii")
    assert text.startswith("Game\n\nSeed 30\n\n")
    assert " nothing nothing-2 nothing-3 nothing-4\n" in text
    explained = lanista("explain", res)
    assert (0, "") == (explained.code, explained.err)
    assert explained.out.startswith("explained 6 of 6 rounds")
    (path,) = (done.folder / "lanista-records").glob("*.jsonl.gz*")
    verified = lanista("replay", "verify", path)
    assert (0, f"{path}: verified 6 rounds\n") == (verified.code, verified.out)
    exported = lanista("replay", "export", path, "--format", "res")
    assert (0, text) == (exported.code, exported.out)
    listed = lanista("play", game, "--list")
    assert (0, "Null\nDemo\nDummy\n") == (listed.code, listed.out)


def test_a_silent_a_flooding_and_a_crashing_bot_leave_the_fourth_unharmed(lanista):
    """Late turns are skipped and two of them put out; who is gone is out; the match goes on."""
    four = [bot("falls_silent"), bot("floods"), bot("dies_in_play"), bot("nothing")]
    record = played(
        lanista(
            *("play", "crematoria", *four, "--set", "nb_rounds=8", "--console", "-s", 5),
            *("--time-init", 1, "--time-move", 1, "--late-limit", 2, "--stall-margin", 600),
        )
    )
    assert ("finished", 8) == (record.result.end, record.result.turns)
    seats = list(zip(*(turn.verdicts for turn in record.turns), strict=True))
    assert ("late",) * 2 + ("out",) * 6 == seats[0]
    assert {"answer"} == {*seats[1]}
    assert ("answer",) * 3 + ("missing",) + ("out",) * 4 == seats[2]
    assert ("answer",) * 8 == seats[3]
    reasons = {(fault.seat, fault.code) for fault in record.result.faults}
    assert {(0, "late"), (2, "disconnected")} == reasons
    assert "out of ideas" in record.result.bots[2].output
