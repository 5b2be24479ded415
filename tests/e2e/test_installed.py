"""The wheel, installed into an empty environment outside the checkout, plays a match: so nothing
works only from the checkout.
"""

import os
import subprocess
import sys
import sysconfig
import venv
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from e2e.running import PATIENCE, Program, environment
from languages.built import BUILDS
from lanista.bots.client_libraries import SOURCES, packed

pytestmark = BUILDS

CHECKOUT = Path(__file__).parents[2]


def run(*words, cwd):
    """Run to the end; what it printed."""
    done = subprocess.run(
        list(map(str, words)),
        cwd=cwd,
        env=environment(PYTHONPATH="", PIP_DISABLE_PIP_VERSION_CHECK="1"),
        capture_output=True,
        text=True,
        timeout=2 * PATIENCE,
    )
    assert 0 == done.returncode, f"{words}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def needed_by(requirements):
    """Find the distributions, by name, that are installed here of these requirements and theirs."""
    found = {}
    waiting = [Requirement(text) for text in requirements]
    while waiting:
        wanted = waiting.pop()
        if wanted.marker is not None and not wanted.marker.evaluate({"extra": ""}):
            continue
        there = metadata.distribution(wanted.name)
        assert wanted.specifier.contains(there.version, prereleases=True), wanted
        if canonicalize_name(wanted.name) not in found:
            found[canonicalize_name(wanted.name)] = there
            waiting += [Requirement(text) for text in there.requires or ()]
    return found.values()


def put_in(distribution, packages):
    """Link what a distribution has installed beside us into another environment's packages."""
    here = Path(distribution.locate_file(""))
    for name in {file.parts[0] for file in distribution.files} - {"..", "__pycache__"}:
        if not (packages / name).exists():  # some share a folder
            (packages / name).symlink_to(here / name)


def install(what, place):
    """Make an environment, and install something there by pip, which has no network."""
    venv.create(place, with_pip=False, symlinks=True)
    pip = (sys.executable, "-m", "pip", "--python", place / "bin" / "python")
    options = ("-q", "--no-compile", "--no-deps", "--no-index")
    run(*pip, "install", *options, what, cwd=place.parent)


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """An environment with the wheel and all that it says it needs: nothing else is there.

    The wheel is built of the source distribution, as pip builds one if it finds no wheel.

    What it needs is linked from beside us: a network may be slow, and unpacking is.
    """
    folder = tmp_path_factory.mktemp("installed")
    dist, place = folder / "dist", folder / "venv"
    build = (sys.executable, "-m", "hatchling", "build", "-d", dist, "-t")
    run(*build, "sdist", cwd=CHECKOUT)
    (source,) = dist.iterdir()
    run("tar", "-xf", source, cwd=folder)
    run(*build, "wheel", cwd=folder / source.name.removesuffix(".tar.gz"))
    (wheel,) = dist.glob("*.whl")
    install(wheel, place)
    packages = Path(sysconfig.get_path("purelib", vars={"base": place, "platbase": place}))
    ((installed,),) = [metadata.distributions(name="lanista", path=[str(packages)])]
    for distribution in needed_by(installed.requires):
        put_in(distribution, packages)
    return place


def test_the_wheel_plays_outside_the_checkout(place, tmp_path):
    """All four packages, the maps, the page, the kits' headers and the command are in it."""
    python, lanista = place / "bin" / "python", place / "bin" / "lanista"
    names = ("lanista", "lanista_protocol", "lanista_client", "lanista_maps")
    where = "import sys; print(*(__import__(name).__file__ for name in sys.argv[1:]))"
    files = run(python, "-c", where, *names, cwd=tmp_path).split()
    assert 4 == len(files)
    assert all(os.path.commonpath([place, file]) == str(place) for file in files)

    out = run(
        *(lanista, "play", "angrymob", "CamperJoe", "GravityGoers", "-i", "pit"),
        *("--no-clock", "--console", "-o", "match.jsonl.gz"),
        cwd=tmp_path,
    )
    assert out.startswith("GravityGoers wins (finished: capture, ")
    run(lanista, "replay", "html", "match.jsonl.gz", "-o", "match.html", cwd=tmp_path)
    page = (tmp_path / "match.html").read_text()
    assert all(part in page for part in ('["main.js"] =', '["chart.js"] ='))
    assert "verified" in run(lanista, "replay", "verify", "match.jsonl.gz", cwd=tmp_path)
    kit, source = Path(files[0]).parent / "bots" / "kit", CHECKOUT / "server/lanista/bots/kit"
    for path in source.rglob("*.[ch]*"):
        if path.suffix in {".cc", ".hh", ".hpp"}:
            inside = path.relative_to(source)
            assert (kit / inside).read_bytes() == path.read_bytes(), inside


def test_an_author_installs_the_library_from_the_page_of_an_installed_arena(
    place, tmp_path, started
):
    """By one pip command that needs no network but the arena's, into an environment with nothing
    else. The other libraries are in the wheel as well.
    """
    (clients,) = place.glob("lib/python*/site-packages/lanista/bots/clients")
    assert {f"{language}.zip" for language in SOURCES} == {path.name for path in clients.iterdir()}
    for language in SOURCES:
        assert packed(language) == (clients / f"{language}.zip").read_bytes()

    words = (str(place / "bin" / "lanista"), "serve", "--port", "0", "--web", "127.0.0.1:0")
    arena = started(Program(words, tmp_path / "arena"))
    arena.until(lambda: arena.out.count("\n") == 2, "the arena says where it listens")
    page = arena.out.splitlines()[1].removeprefix("page: ")
    author = tmp_path / "author"
    install(f"{page}clients/python.zip", author)
    run(author / "bin" / "python", "-c", "from lanista_client import Arena", cwd=tmp_path)
