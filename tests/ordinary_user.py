"""Run the tests in which the user matters as an ordinary user, where we are root: `make test`.

Root may read, own and mount what others may not, so bots, sandboxes and arenas meet other refusals
under an ordinary user. That user has no name, no home and no folder of its own but a temporary one.

    .venv/bin/python tests/ordinary_user.py [ARGUMENTS of pytest]
"""

import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[1]
ORDINARY = 54321
"""A user and group that no system knows."""
FOLDERS = ("tests/bots_start", "tests/chaos")
SELECTED = "not long and not one_user"


def main(arguments):
    """Return the exit code: that of pytest, or 0 where these tests can't be run."""
    if os.geteuid() != 0:
        return 0  # as an ordinary user they have just been run
    with tempfile.TemporaryDirectory(prefix="lanista-ordinary-") as folder:
        shutil.chown(folder, ORDINARY, ORDINARY)
        user = {
            "user": ORDINARY,
            "group": ORDINARY,
            "extra_groups": [],
            "cwd": CHECKOUT,
            "env": os.environ | {"HOME": "/", "HYPOTHESIS_STORAGE_DIRECTORY": f"{folder}/examples"},
        }
        python = usable_python(Path(folder), user)
        if python is None:
            print(
                f"not run by an ordinary user, as it may not read {CHECKOUT} or finds no Python "
                f"{sys.version_info.major}.{sys.version_info.minor}: {', '.join(FOLDERS)}",
                file=sys.stderr,
            )
            return 0
        # Nothing can be written into the checkout.
        pytest = [python, "-m", "pytest", "-p", "no:cacheprovider", f"--basetemp={folder}/tests"]
        return subprocess.run([*pytest, "-m", SELECTED, *FOLDERS, *arguments], **user).returncode


def usable_python(folder, user):
    """Return a Python of our version that the user may run, with all that is installed for ours.

    None if there is none. Ours may lie in root's home. Then one of the system is taken, with a
    virtual environment in the folder.
    """
    own = Path(sys.executable)
    if is_usable(own, user):
        return own
    name = f"python{sys.version_info.major}.{sys.version_info.minor}"
    system = shutil.which(name, path="/usr/local/bin:/usr/bin")
    if system is None:
        return None
    environment = folder / "python"
    subprocess.run([system, "-m", "venv", "--without-pip", environment], check=True)
    installed = f"import site; site.addsitedir({sysconfig.get_path('purelib')!r})\n"
    packages = environment / "lib" / name / "site-packages"
    (packages / "installed.pth").write_text(installed, encoding="utf-8")
    python = environment / "bin/python"
    return python if is_usable(python, user) else None


def is_usable(python, user):
    """Return whether the user may run a Python, and read what is installed and the tests."""
    tried = [python, "-c", "import lanista, pytest, sys; open(sys.argv[1]).close()", __file__]
    try:
        return subprocess.run(tried, **user, capture_output=True).returncode == 0
    except OSError:  # it may not even enter the checkout
        return False


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
