"""Fixtures of the tests in a browser: one browser a process, a visit a test, arenas by module."""

import contextlib
import fcntl

import pytest

from e2e.running import Program, command

RECORDS = {
    # Short ones of the house bots, with all that is to be seen: spells, conversions, deaths, gems.
    "angrymob": ("GravityGoers", "RandomRunners", "-s", 7),
    "crematoria": ("Dummy", "Demo", "Null", "Dummy", "-s", 7, "--set", "nb_rounds=40"),
    "hogwarts": ("Dummy", "Demo", "Null", "Dummy", "-s", 7, "--set", "NUM_ROUNDS=70"),
}


@pytest.fixture(scope="session")
def browser():
    """Chromium."""
    from web.browser import Browser, chromium

    if chromium() is None:
        pytest.skip("no chromium on the PATH; `make setup-browser` says how to get it")
    browser = Browser()
    yield browser
    browser.close()


@pytest.fixture
def visit(browser):
    """Make a visit; none may have a complaint at the end of the test."""
    visits = []

    def visit(**preferences):
        visits.append(browser.visit(**preferences))
        return visits[-1]

    yield visit
    complaints = [words for one in visits for words in one.complaints]
    for one in visits:
        one.close()
    assert [] == complaints


@pytest.fixture(scope="module")
def window(browser):
    """The window of somebody who stays: to load the page anew for every test takes long."""
    one = browser.visit()
    yield one, one.context.new_page()
    one.close()


@pytest.fixture
def show(window):
    """Show an address in the module's window; its page, freshly routed. No complaint may come."""
    one, page = window

    def show(address):
        page.mouse.move(0, 0)
        page.goto(address.partition("#")[0] + "#/")
        page.goto(address)
        return page

    before = len(one.complaints)
    yield show
    assert [] == one.complaints[before:]


@pytest.fixture(scope="session")
def records(shared_folder):
    """A record of each game by its name, played by the command line once for all processes."""
    folder = shared_folder / "page-records"
    folder.mkdir(exist_ok=True)
    paths = {game: folder / f"{game}.jsonl.gz" for game in RECORDS}
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not all(path.exists() for path in paths.values()):
            with contextlib.ExitStack() as stack:
                playing = []
                for game, words in RECORDS.items():
                    how = "play", game, *words, "--console", "--no-clock", "-o", paths[game]
                    playing.append(Program(command(*how), folder / game))
                    stack.callback(playing[-1].end)
                assert [0, 0, 0] == [program.wait() for program in playing]
    return paths


@pytest.fixture(scope="module")
def arenas(tmp_path_factory):
    """Start arenas; all end with the module."""
    from web.arena import Arena

    with contextlib.ExitStack() as stack:

        def arenas(*options, **more):
            arena = Arena(tmp_path_factory.mktemp("arena"), *options, **more)
            stack.callback(arena.end)
            return arena

        yield arenas


@pytest.fixture
def bots():
    """Connect scripted bots; closed after the test."""
    from web.arena import Bots

    with contextlib.ExitStack() as stack:

        def bots(arena, room, *names):
            made = Bots(arena, room, *names)
            stack.callback(made.leave)
            return made

        yield bots


@pytest.fixture
def relay():
    """Put a relay before an arena's page."""
    from web.arena import Relay

    with contextlib.ExitStack() as stack:

        def relay(arena):
            made = Relay(arena.web)
            stack.callback(made.close)
            return made

        yield relay
