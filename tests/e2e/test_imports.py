"""The arrows between the packages hold (pyproject.toml, tool.importlinter)."""

import shutil
import subprocess
import sys
from pathlib import Path


def test_imports_go_one_way():
    """cli, daemon, match and bots, rules and protocol; house sees the client alone."""
    program = shutil.which("lint-imports", path=Path(sys.executable).parent)
    assert program is not None, "import-linter is one of the development tools"
    done = subprocess.run(
        [program, "--no-cache", "--no-logo"],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
    )
    assert 0 == done.returncode, done.stdout
    assert " 0 broken" in done.stdout
