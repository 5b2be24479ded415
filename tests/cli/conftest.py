"""Running the command line within the test: what it prints, and its exit code."""

import types

import pytest

from e2e.running import log_of_its_own
from lanista.cli import main


@pytest.fixture
def lanista(tmp_path, monkeypatch, capsys):
    """Run `lanista WORD…` in an empty folder, in this process: code, out, err.

    For commands that start no bot and no server; those are for tests/e2e.
    """
    monkeypatch.chdir(tmp_path)

    def run(*words):
        monkeypatch.setattr("sys.argv", ["lanista", *map(str, words)])
        with log_of_its_own(), pytest.raises(SystemExit) as ended:
            main()
        told = capsys.readouterr()
        code = ended.value.code or 0
        return types.SimpleNamespace(code=code, out=told.out, err=told.err)

    return run
