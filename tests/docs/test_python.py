"""docs/python.md: every block is run, one after another, as in a notebook; every name is told."""

import concurrent.futures
import functools
import linecache
import re
import runpy

import pytest

import lanista
from docs.pages import CUP, DOCS, fenced
from support.thread_workers import play_in_threads

PAGE = DOCS / "python.md"
PATIENT = {"no_clock": True, "stall_margin": 600.0, "settings": {"move_limit": 40}}


@pytest.fixture(autouse=True)
def _in_threads(monkeypatch):
    """Matches are played by threads of this process instead of workers that would be started."""
    play_in_threads(monkeypatch)


def test_every_block_runs(tmp_path, monkeypatch, capfd):
    """But for the clock, as this machine may be busy, and with short matches, by one worker.

    In a thread, as a browser of other tests leaves a running loop of asyncio in the main one.
    """
    monkeypatch.chdir(tmp_path)
    for name in ("play", "aplay"):
        monkeypatch.setattr(lanista, name, functools.partial(getattr(lanista, name), **PATIENT))
    for name in ("play_many", "aplay_many"):
        patient = functools.partial(getattr(lanista, name), **PATIENT, workers=1)
        monkeypatch.setattr(lanista, name, patient)
    space = {"__name__": "__main__"}
    with concurrent.futures.ThreadPoolExecutor(1) as thread:
        for number, (head, text) in enumerate(fenced(PAGE)):
            assert "python" == head, f"a block that no test runs: {head!r}"
            # As a notebook names its cells, whose lines tracebacks quote.
            cell = f"<cell {number}>"
            linecache.cache[cell] = (len(text), None, text.splitlines(keepends=True), cell)
            thread.submit(exec, compile(text, cell, "exec"), space).result()
    out = capfd.readouterr().out
    assert "ZeroDivisionError: division by zero" in out
    assert "    return 1 / 0\n" in out
    assert "12 rows, with match game map seed end" in out
    assert "turns are as the rules have them" in out
    assert (tmp_path / "match.html").exists()
    assert (tmp_path / "end.png").exists()


def test_the_examples_do_what_they_say(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    patient = functools.partial(lanista.play_many, **PATIENT, workers=1)
    monkeypatch.setattr(lanista, "play_many", patient)

    def run(name, *words):
        runpy.run_path(str(DOCS / "examples" / f"{name}.py"))["main"](*words)
        return capsys.readouterr().out

    told = run("compare", "angrymob", "CamperJoe", "RandomRunners", 2)
    assert re.fullmatch(r"old: \d of 4, 0 faults\nnew: \d of 4, 0 faults\nnobody: .*\n", told)
    record = next(tmp_path.glob("lanista-records/*.gz"))
    assert re.fullmatch(r"(turn \d+: [\d.]+ ms\n){3}", run("slow_turns", str(record), 0, 3))
    (tmp_path / "cup.toml").write_text(CUP)
    run("ratings", "cup.toml", "cup.svg")
    assert "Joe</text>" in (tmp_path / "cup.svg").read_text()


def test_a_tournament_has_the_columns_of_a_match(tmp_path, monkeypatch):
    """And both are scalars; a tournament's match has no id but its block, seating and attempt."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "cup.toml").write_text(CUP)
    rows = lanista.competition.run("cup.toml").matches()
    assert [(0, 0, "Gravity"), (0, 1, "Joe"), (1, 0, "Joe"), (1, 1, "Gravity")] == [
        (row["seating"], row["seat"], row["bot"]) for row in rows
    ]
    [row, _] = lanista.play("angrymob", ["CamperJoe", "CamperJoe"], **PATIENT).rows()
    assert row.keys() - {"match"} == rows[0].keys() - {"block", "seating", "attempt", "seconds"}
    assert {type(value) for row in rows for value in row.values()} <= {int, float, str}
    assert lanista.open_record(rows[0]["record"]).verify() == rows[0]["turns"]


def test_the_page_tells_every_name():
    text = PAGE.read_text(encoding="utf-8")
    for name in lanista.__all__:
        if name not in {"__version__", "game_names", "Fault", "MatchOptions"}:
            assert name in text, name
    for option in lanista.MatchOptions.__annotations__:
        assert f"`{option}`" in text, option
