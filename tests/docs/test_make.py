"""The Makefile's two commands: what each installs; and the versions of what is released."""

import re
import shutil
import subprocess

import pytest

from docs.pages import CHECKOUT
from lanista import __version__


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


def test_all_packages_have_the_same_version():
    """Every file that CONTRIBUTING.md names for a release; the first version in each is its own."""
    page = (CHECKOUT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    step = page.partition("\n1. Choose the version")[2].partition("\n2. ")[0]
    files = [CHECKOUT / name for name in re.findall(r"`([\w/]+\.\w+)`", step)]
    assert 6 == len(files)
    own = r"version[^\d\n]+(\d+\.\d+\.\d+)"
    versions = {path: re.search(own, path.read_text(encoding="utf-8"))[1] for path in files}
    assert dict.fromkeys(files, __version__) == versions
