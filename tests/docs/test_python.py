"""docs/python.md: every block is run, one after another, as in a notebook; every name is told."""

import functools
import linecache

import lanista
from docs.pages import DOCS, fenced

PAGE = DOCS / "python.md"
PATIENT = {"no_clock": True, "stall_margin": 600_000.0, "settings": {"move_limit": 40}}


def test_every_block_runs(tmp_path, monkeypatch, capfd):
    """But for the clock, as this machine may be busy, and with short matches, by one worker."""
    monkeypatch.chdir(tmp_path)
    for name in ("play", "aplay"):
        monkeypatch.setattr(lanista, name, functools.partial(getattr(lanista, name), **PATIENT))
    for name in ("play_many", "aplay_many"):
        patient = functools.partial(getattr(lanista, name), **PATIENT, workers=1)
        monkeypatch.setattr(lanista, name, patient)
    space = {"__name__": "__main__"}
    for number, (head, text) in enumerate(fenced(PAGE)):
        assert "python" == head, f"a block that no test runs: {head!r}"
        # As a notebook names its cells, whose lines tracebacks quote.
        cell = f"<cell {number}>"
        linecache.cache[cell] = (len(text), None, text.splitlines(keepends=True), cell)
        exec(compile(text, cell, "exec"), space)
    out = capfd.readouterr().out
    assert "ZeroDivisionError: division by zero" in out
    assert "    return 1 / 0\n" in out
    assert "12 rows, with match game map seed end" in out
    assert "turns are as the rules have them" in out
    assert (tmp_path / "match.html").exists()
    assert (tmp_path / "end.png").exists()


def test_the_page_tells_every_name():
    text = PAGE.read_text(encoding="utf-8")
    for name in lanista.__all__:
        if name not in {"__version__", "games", "Fault", "MatchOptions"}:
            assert name in text, name
    for option in lanista.MatchOptions.__annotations__:
        assert f"`{option}`" in text, option
