"""A bot that wants the data of an arena: it can neither read it nor lock it."""

import os
import shutil
import sys
import tempfile
from pathlib import Path

import pytest
import trio

from bots_start.arena import listening, needs_sandbox
from bots_start.boxed import run, users
from e2e.running import Daemon
from lanista.bots import reach
from support.waiting import PATIENCE

pytestmark = [needs_sandbox, pytest.mark.usefixtures("one_sandbox")]


def locker(*folders):
    """A bot that looks into folders and locks the database there."""
    return f"""
import errno, fcntl, json, os
def names(folder):
    try:
        return sorted(os.listdir(folder))
    except OSError as error:
        return errno.errorcode[error.errno]
def lock(path):
    try:
        with open(path, "rb") as file:
            fcntl.lockf(file, fcntl.LOCK_SH | fcntl.LOCK_NB, 8, 120)
    except OSError as error:
        return errno.errorcode[error.errno]
    return "locked"
print(json.dumps([
    [names(folder), lock(folder + "/lanista.db"), lock(folder + "/lanista.db-shm")]
    for folder in {list(map(str, folders))!r}
]))
"""


@pytest.fixture(params=users())
def user(request):
    """Who runs the arena."""
    return request.param


@pytest.fixture
def place(user):
    """A folder of the arena's, which a sandbox shows if the bot's command names it."""
    with tempfile.TemporaryDirectory(dir="/var/tmp") as name:
        folder = Path(os.path.realpath(name))
        folder.chmod(0o755)
        if user is not None:
            shutil.chown(folder, user, user)
        yield folder


SHUT = [[], "ENOENT", "ENOENT"]
"""What a bot sees of a folder that is covered."""


def make(place, *folders, user):
    """Make folders below a place; all of them are the user's."""
    for folder in folders:
        (place / folder).mkdir(parents=True)
    if user is not None:
        for folder in place.rglob("*"):
            shutil.chown(folder, user, user)


def test_what_the_command_does_not_name_is_not_there(user, place):
    """Not even its name; while the working directory is there, and empty."""
    make(place, "other", "run", user=user)
    elsewhere, there = run(
        (locker(place, place / "run"), "/", ["/usr"]),
        (locker(place / "run", place), place / "run", [__file__]),
        user=user,
    )
    assert [["ENOENT"] * 3] * 2 == elsewhere
    assert [SHUT, [["run"], "ENOENT", "ENOENT"]] == there


def test_the_data_stays_covered_where_the_bot_works_in_it(user, place):
    """Or below it. What is named of it is shown: nothing, here."""
    data = place / "mine"
    below = data / "bots" / "tom"
    make(place, below, user=user)
    bots = [(locker(data, below), folder, ()) for folder in (data, below)]
    told = [first for first, _ in run(*bots, user=user, data=str(data))]
    assert [SHUT, [["bots"], "ENOENT", "ENOENT"]] == told


def test_the_default_folders_are_covered_while_no_arena_runs(user, place):
    """Where the bot works or what its command names; and not for their names alone, elsewhere."""
    folders = [place / name for name in ("lanista-data", "lanista-records", "a/lanista-data")]
    make(place, *[folder / "records" for folder in folders], user=user)
    told = run((locker(*folders), place, []), (locker(*folders), "/", [place]), user=user)
    assert [[SHUT, SHUT, [["records"], "ENOENT", "ENOENT"]]] * 2 == told


@pytest.mark.one_user
@pytest.mark.skipif(os.geteuid() != 0, reason="only root mounts folders")
@pytest.mark.parametrize("user", [None], indirect=True)
def test_data_is_covered_under_every_name_that_a_mount_gives_it(user, place):
    """Where the bot's own folder has a mount of the data, of a part, or of what is above it."""
    data = place / "arena" / "mine"
    names = [place / "own" / name for name in ("same", "part", "above")]
    make(place, data / "records", "own/else", *names, user=user)
    mounts = [(data, names[0]), (data / "records", names[1]), (place / "arena", names[2])]
    looked_at = [*names[:2], names[2] / "mine", place / "own"]
    (told,) = run(locker(*looked_at), user=user, data=str(data), own=[place / "own"], mounts=mounts)
    assert [SHUT, SHUT, SHUT, [["above", "else", "part", "same"], "ENOENT", "ENOENT"]] == told


def test_a_link_that_the_command_names_leads_to_no_data(user, place):
    """A bot's author may put one where the operator's command names a file."""
    data, own = place / "lanista-data", place / "own"
    make(place, data / "records", own, user=user)
    (own / "model").symlink_to(data / "records")
    if user is not None:
        os.lchown(own / "model", user, user)
    (told,) = run(locker(data, own / "model"), user=user, own=[own / "model"], cwd="/")
    assert [["ENOENT"] * 3] * 2 == told


def test_the_data_of_serve_is_covered(tmp_path, started):
    """Which has its database open for the page; the bot's command names the folder above it."""
    with tempfile.TemporaryDirectory(dir="/var/tmp") as name:
        Path(name).chmod(0o755)
        data = Path(name) / "mine"
        daemon = started(Daemon(tmp_path, "--data", data, web="127.0.0.1:0"))
        daemon.until((data / "lanista.db-shm").exists, "the database is open")
        (told,) = run(locker(data), own=[name])
        daemon.end()
    assert [SHUT] == told


async def test_a_bot_cannot_have_other_folders_covered(tmp_path):
    """By a database of its own, in its own /tmp, where others have theirs."""
    script = f"""
import os, signal, sqlite3
os.makedirs({str(tmp_path)!r}, exist_ok=True)
database = sqlite3.connect({str(tmp_path / "lanista.db")!r})
database.executescript("PRAGMA journal_mode = WAL; CREATE TABLE x (y)")
print("open", flush=True)
signal.pause()
"""
    async with listening() as arena:
        command = sys.executable, "-I", "-S", "-c", script
        async with arena.start(*command, sandboxed=True, cwd="/") as bot:
            with trio.fail_after(PATIENCE):
                while "open" not in bot.output_tail():
                    assert bot.exit is None, bot.output_tail()
                    await trio.sleep(0.01)
            assert str(tmp_path) not in reach.data_folders([])
