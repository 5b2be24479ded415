"""Fixtures of the tests in a browser: one browser, one window and one arena a process.

A test has a visit, or an arena, of its own only where it needs one: each takes seconds to begin.
"""

import contextlib
import fcntl

import pytest

from lanista.hosting.control import RunningMatches
from lanista.page.view import View
from page.house import opened, showing

RECORDS = {
    # Short ones of the house bots, with all that is to be seen: spells, conversions, deaths, gems.
    "angrymob": ("GravityGoers", "RandomRunners", "-s", 7),
    "crematoria": ("Dummy", "Demo", "Null", "Dummy", "-s", 7, "--set", "nb_rounds=30"),
    "hogwarts": ("Dummy", "Demo", "Null", "Dummy", "-s", 7, "--set", "NUM_ROUNDS=50"),
}


@pytest.fixture(scope="module", autouse=True)
def prompt():
    """Helper processes get their share of the machine; e2e/running.py says why."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("lanista.helper_processes.LOW_PRIORITY", 0)
        yield


@pytest.fixture
def quick(monkeypatch):
    """Nobody looks on for pleasure: frames and the lobby are told at once."""
    monkeypatch.setattr("lanista.page.viewer.SHORTEST", 0.0)
    monkeypatch.setattr("lanista.page.viewer.LOBBY_EVERY", 0.0)


@pytest.fixture
async def house(tmp_path):
    """An arena with its page; its records are in the test's folder."""
    async with opened(tmp_path) as house:
        yield house


@pytest.fixture
async def lone():
    """A page without an arena, on which nothing is played."""
    async with showing(View(RunningMatches())) as house:
        yield house


@pytest.fixture(scope="session")
def browser():
    """Chromium."""
    from page.browser import Browser, chromium

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


@pytest.fixture(scope="session")
def windows(browser):
    """The windows of two who stay: to load the page anew for every test takes long.

    Windows, not pages of one: Chromium draws a page behind another one once a second.
    """
    visits = [browser.visit(), browser.visit()]
    yield [(one, one.context.new_page()) for one in visits]
    for one in visits:
        one.close()


@pytest.fixture
def show(windows):
    """Show an address in a window that stays; its page, freshly routed. No complaint may come.

    `beside`: in the other window. The others are preferences, which hold for the test.
    """
    from page.browser import DESK

    def show(address, *, beside=False, size=None, movement=True):
        _, page = windows[beside]
        page.set_viewport_size(size or DESK)
        page.emulate_media(reduced_motion="no-preference" if movement else "reduce")
        page.mouse.move(0, 0)
        place, _, hash_ = address.partition("#")
        if hash_ and page.url.startswith(place):  # it is there, at some path
            page.evaluate("location.hash = '#/'")
            page.evaluate("(hash) => { location.hash = hash; }", hash_)
        else:
            page.goto(address)
        return page

    before = [len(one.complaints) for one, _ in windows]
    yield show
    for _, page in windows:
        # A theme that was chosen is nothing to the next test.
        if page.url.startswith("http") and page.evaluate("localStorage.length"):
            page.evaluate("localStorage.clear()")
            page.goto("about:blank")
    complaints = [one.complaints[n:] for (one, _), n in zip(windows, before, strict=True)]
    assert [[], []] == complaints


@pytest.fixture(scope="session")
def records(shared_folder):
    """A record of each game by its name, played by the command line once for all processes."""
    from page.arena import play_records

    folder = shared_folder / "page-records"
    folder.mkdir(exist_ok=True)
    paths = {game: folder / f"{game}.jsonl.gz" for game in RECORDS}
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not all(path.exists() for path in paths.values()):
            play_records(folder, RECORDS)
    return paths


@pytest.fixture(scope="session")
def arena(tmp_path_factory, records):
    """The arena of all tests that ask for nothing else: one of each game was played before.

    Matches of MOVE_LIMIT turns begin as soon as their bots are here. Whoever plays has a room of
    its own, and looks for nothing that other tests' matches could be taken for.
    """
    from page.arena import MOVE_LIMIT, Arena

    options = "--move-limit", MOVE_LIMIT
    arena = Arena(tmp_path_factory.mktemp("arena"), *options, records=records.values())
    yield arena
    arena.end()


@pytest.fixture(scope="module")
def arenas(tmp_path_factory, windows):
    """Start arenas of a kind, each in a new folder or a given one; all end with the module."""
    from page.arena import Arena

    with contextlib.ExitStack() as stack:

        def arenas(*options, kind=Arena, folder=None, **more):
            arena = kind(folder or tmp_path_factory.mktemp("arena"), *options, **more)
            stack.callback(arena.end)
            return arena

        yield arenas
        # A page that stayed would complain of an arena that has gone.
        for _, page in windows:
            page.goto("about:blank")


@pytest.fixture
def replay(arena, records, show):
    """Show the replay of a game's match, at a round or from its beginning, by some preferences."""
    from page.arena import match_of
    from page.matchpage import MatchPage

    def replay(game, n=None, **preferences):
        at = "" if n is None else f"?round={n}"
        match = MatchPage(show(arena.address(match_of(records[game])) + at, **preferences))
        if n is not None:
            match.at(n)
        return match

    return replay


@pytest.fixture
def dropped(arena, show):
    """Drop a file on the arena's page; the match that it shows, at its start."""
    from playwright.sync_api import expect

    from page.matchpage import MatchPage, drop

    def dropped(path, **preferences):
        page = show(f"{arena.page}/", **preferences)
        expect(page.get_by_text("operator", exact=True)).to_be_visible()
        drop(page, path)
        match = MatchPage(page)
        match.begin()
        return match

    return dropped


@pytest.fixture
def bots():
    """Connect scripted bots; closed after the test."""
    from page.arena import Bots

    with contextlib.ExitStack() as stack:

        def bots(arena, room, *names):
            made = Bots(arena, room, *names)
            stack.callback(made.leave)
            return made

        yield bots
