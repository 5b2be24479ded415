"""Sets up all tests: Hypothesis profiles, order, signals, skips, and a folder for a run."""

import fcntl
import functools
import gc
import os
import signal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

HERE = Path(__file__).parent
LONG_FIRST = (
    *("page", "e2e", "chaos", "languages", "docs", "kit", "competition", "results", "conformance"),
    *("games", "library", "arena", "check", "match", "ratings"),
)
"""Folders whose files take long, so that a run doesn't end with one worker busy and others idle."""
TOGETHER = {
    "browser": (
        *(f"tests/page/test_browser_{letter}" for letter in "abcdefghijkl"),
        "tests/page/test_bundle",
    ),
    "another browser": tuple(f"tests/page/test_browser_{letter}" for letter in "mnopqrstuvwxyz"),
    "database server": ("tests/results/",),
    "sandbox": (
        "tests/bots_start/test_sandbox",
        "tests/chaos/test_sandbox",
        "tests/e2e/test_limits",
    ),
}
"""How the files begin that one worker runs, by what is started once, or is for one at a time."""

# New examples in every run, in CI too: a failure prints how to repeat it, and is kept in
# .hypothesis/ for the next run here. How quick an example is depends on what else is running.
for profile, examples in (("default", 10), ("long", 2000)):
    settings.register_profile(
        profile,
        deadline=None,
        max_examples=examples,
        print_blob=True,
        suppress_health_check=[HealthCheck.too_slow],
    )
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE") or "default")

# What tests write may be read by the bots of root's sandboxes, which run as another user.
os.umask(0o022)


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Keep the garbage collector away from what is collected, which stays until the run ends.

    There are thousands of tests, and each full collection would look at all of them again.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        # First what is garbage already, as the classes that attrs has replaced by ones with slots:
        # a frozen class would be a subclass of its base for ever.
        gc.collect()
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(items):
    """Begin with the folders that take longest; the order within a file stays."""
    rank = {folder: number for number, folder in enumerate(LONG_FIRST)}

    @functools.cache
    def place(path):
        folder, *_ = path.relative_to(HERE).parts
        return rank.get(folder, len(rank))

    items.sort(key=lambda item: place(item.path))


class _Spread:
    """Gives each worker whole files, which make a module's fixtures once, and some files together.

    Only pytest-xdist has such a hook, so this is registered only where that is there.
    """

    @pytest.hookimpl
    def pytest_xdist_make_scheduler(self, config, log):
        from xdist.scheduler import LoadFileScheduling

        class Scheduling(LoadFileScheduling):
            def _split_scope(self, nodeid):
                file = super()._split_scope(nodeid)
                whys = (why for why, begins in TOGETHER.items() if file.startswith(begins))
                return next(whys, file)

        return Scheduling(config, log)


def pytest_configure(config):
    """Say how tests are spread over several processes."""
    if config.pluginmanager.hasplugin("xdist"):
        config.pluginmanager.register(_Spread())


@pytest.fixture(scope="session", autouse=True)
def _children_get_signals():
    """Have what tests start heed SIGINT and SIGHUP, though this run was started to ignore them.

    A shell starts a background job with SIGINT ignored, and what we ignore, our children ignore
    too; a handler of ours, though it does nothing, is theirs no more.
    """
    ignored = [
        number
        for number in (signal.SIGINT, signal.SIGHUP)
        if signal.getsignal(number) is signal.SIG_IGN
    ]
    for number in ignored:
        signal.signal(number, lambda _number, _frame: None)
    yield
    for number in ignored:
        signal.signal(number, signal.SIG_IGN)


@pytest.fixture(scope="session")
def shared_folder(tmp_path_factory):
    """A folder that all processes of this run share, for what is to be built once."""
    base = tmp_path_factory.getbasetemp()
    return base.parent if "PYTEST_XDIST_WORKER" in os.environ else base


@pytest.fixture
def one_sandbox(shared_folder):
    """No other test with this fixture runs meanwhile, in any process.

    A sandbox covers every socket of the machine that is there when it is made: one that another
    test is just removing can't be covered, and that bot doesn't start.
    """
    with (shared_folder / "sandbox.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """Under CI=true a test that is skipped for want of something else than root is a failure."""
    report = yield
    if os.environ.get("CI") == "true" and report.skipped and not hasattr(report, "wasxfail"):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
        if not str(reason).startswith("Skipped: only root"):
            report.outcome = "failed"
            report.longrepr = f"skipped under CI: {reason}"
    return report
