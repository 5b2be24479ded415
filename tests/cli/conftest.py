"""Running the command line within the test: what it prints, and its exit code."""

from typing import NamedTuple

import pytest

from e2e.running import log_of_its_own
from lanista.cli import main


class Done(NamedTuple):
    """The outcome of a command."""

    code: int
    out: str
    err: str

    @property
    def refusal(self):
        """The line about bad input: exit code 2, and nothing else is printed."""
        assert (2, "", 1) == (self.code, self.out, self.err.count("\n")), self
        return self.err

    @property
    def printed(self):
        """The output of a command that did what it was told: exit code 0, and nothing on stderr."""
        assert (0, "") == (self.code, self.err), self
        return self.out


@pytest.fixture
def lanista(tmp_path, monkeypatch, capsys):
    """Run `lanista WORD…` in an empty folder, in this process.

    For commands that start no bot and no server; those are for tests/e2e.
    """
    monkeypatch.chdir(tmp_path)

    def run(*words):
        monkeypatch.setattr("sys.argv", ["lanista", *map(str, words)])
        with log_of_its_own(), pytest.raises(SystemExit) as ended:
            main()
        return Done(ended.value.code or 0, *capsys.readouterr())

    return run
