"""JavaScript: Node 20's own test runner; nothing is compiled, nothing installed.

Types are checked by `npm run check` in clients/javascript, which needs a package registry and so is
no part of these tests.
"""

import shutil
import subprocess

from languages.language import CLIENTS, EMPTY_BOTS, GAMES, Language, Step

PACKAGE = CLIENTS / "javascript"


def commands(_folder):
    """The starters, which find their own package."""
    node = shutil.which("node")
    return {game: [node, PACKAGE / "starters" / f"{game}.js"] for game in GAMES}


def build_empty(folder):
    """The empty bot, in a project laid out as `npm install` would."""
    modules = folder / "node_modules"
    modules.mkdir()
    (modules / "lanista-client").symlink_to(PACKAGE, target_is_directory=True)
    return [shutil.which("node"), shutil.copy(EMPTY_BOTS / "empty.mjs", folder)]


def own_tests(_built, _folder):
    """What is deprecated fails. One process runs all files, in half the time of one for each."""
    imports = [f"--import={path}" for path in sorted((PACKAGE / "test").glob("*.test.js"))]
    return [Step(words=["node", "--throw-deprecation", *imports, "--eval", ""], cwd=PACKAGE)]


def too_old():
    """Node before 20: Debian 12's own, say."""
    said = subprocess.run(["node", "--version"], capture_output=True, text=True).stdout.strip()
    major = said.removeprefix("v").partition(".")[0]
    if major.isdecimal() and int(major) >= 20:
        return None
    return f"node says it is {said!r}; 20 or later is needed (nodejs.org)"


LANGUAGE = Language(
    name="javascript",
    programs=("node",),
    package="nodejs",
    commands=commands,
    build_empty=build_empty,
    own_tests=own_tests,
    trouble=too_old,
)
