"""The Makefile's two commands: what each installs."""

import shutil
import subprocess

import pytest

from docs.pages import CHECKOUT


@pytest.mark.skipif(shutil.which("make") is None, reason="no make on the PATH")
@pytest.mark.parametrize(("target", "installed"), [("play", "."), ("test", ".[dev]")])
def test_a_fresh_clone_gets_what_its_target_needs(tmp_path, target, installed):
    """And nothing else: `make play` has no need of the developers' tools."""
    for name in ("Makefile", "pyproject.toml"):
        shutil.copy(CHECKOUT / name, tmp_path)
    done = subprocess.run(
        ["make", "--dry-run", target], cwd=tmp_path, capture_output=True, text=True
    )
    assert 0 == done.returncode, done.stderr
    installs = [line for line in done.stdout.splitlines() if "pip install" in line]
    assert [f"--editable '{installed}'"] == [line[line.index("--editable") :] for line in installs]
