"""What of the file system goes into a sandbox; no sandbox is made here."""

import os
import socket
from pathlib import Path

import pytest

from lanista.bots.reach import (
    Kind,
    Mount,
    closed_to_others,
    is_visible,
    links,
    needed,
    plan,
    sockets,
)

COVER, SHOW, FOLDER = Kind.COVER, Kind.SHOW, Kind.FOLDER


@pytest.mark.parametrize(
    ("wanted", "closed", "expected"),
    [
        # All is shown anyway but what is covered.
        (["/usr/bin/node", "/tmp"], [], [("/tmp", COVER)]),
        # In the scratch folder; the folders on the way are made.
        (
            ["/tmp/a/b/bot.py", "/tmp/a/b/data"],
            [],
            [
                ("/tmp", COVER),
                ("/tmp/a", FOLDER),
                ("/tmp/a/b", FOLDER),
                ("/tmp/a/b/bot.py", SHOW),
                ("/tmp/a/b/data", SHOW),
            ],
        ),
        # Below a closed folder; what lies in what is shown is there already.
        (
            ["/root/.pyenv/3.11/bin/python", "/root/.pyenv/3.11"],
            ["/root"],
            [
                ("/root", COVER),
                ("/tmp", COVER),
                ("/root/.pyenv", FOLDER),
                ("/root/.pyenv/3.11", SHOW),
            ],
        ),
        # Wanted and closed itself: it stays empty but for the bot.
        (
            ["/root", "/root/bot"],
            ["/root"],
            [("/root", COVER), ("/tmp", COVER), ("/root/bot", SHOW)],
        ),
        (
            ["/root/own", "/root/own/bot"],
            ["/root", "/root/own"],
            [("/root", COVER), ("/tmp", COVER), ("/root/own", FOLDER), ("/root/own/bot", SHOW)],
        ),
        # A closed folder in one that is shown is covered in turn.
        (
            ["/root/bots", "/root/bots/own/bot"],
            ["/root", "/root/bots/own"],
            [
                ("/root", COVER),
                ("/tmp", COVER),
                ("/root/bots", SHOW),
                ("/root/bots/own", COVER),
                ("/root/bots/own/bot", SHOW),
            ],
        ),
    ],
)
def test_what_is_covered_and_what_is_shown(wanted, closed, expected):
    mounts = plan(wanted, ["/tmp"], lambda path: path in closed)
    assert [Mount(path, kind) for path, kind in expected] == mounts


def test_what_a_command_needs(tmp_path):
    """Links on the way, the folder with a `bin`, scripts' interpreters, words with = and :."""
    top = Path(os.path.realpath(tmp_path))
    for folder in ("real/bin", "work", "lib", "data"):
        (top / folder).mkdir(parents=True)
    python_ = top / "real/bin/python3.11"
    python_.touch()
    python_.chmod(0o755)
    (top / "real/bin/python3").symlink_to("python3.11")
    (top / "venv").mkdir()
    (top / "venv/python").symlink_to(top / "real/bin/python3")
    bot = top / "work/bot"
    bot.write_text(f"#!{top}/venv/python -u\n")
    bot.chmod(0o755)
    (top / "lib/a.jar").touch()
    command = ["./bot", f"--data={top}/data", f"{top}/lib/a.jar:{top}/missing", "a\0b"]
    found = needed(command, str(top / "work"), str(top / "real/bin"), [])
    expected = {
        *("work", "work/bot", "data", "lib", "lib/a.jar", "venv", "venv/python"),
        *("real", "real/bin", "real/bin/python3", "real/bin/python3.11"),
    }
    assert {str(top / name) for name in expected} == found
    by_name = needed(["python3"], str(top / "work"), str(top / "real/bin"), [])
    assert str(top / "real/bin/python3.11") in by_name
    assert set() == needed([], "/", None, [])


def test_links_are_followed_to_their_end_and_a_ring_ends(tmp_path):
    (tmp_path / "one").symlink_to("two")
    (tmp_path / "two").symlink_to("one")
    assert len(links(str(tmp_path / "one"))) < 50
    assert ["/", "/"] == links("/")


def test_closed_folders(tmp_path):
    """Closed to others than owner and group; files and links to folders are never."""
    for name, mode in ("open", 0o711), ("closed", 0o770):
        (tmp_path / name).mkdir()
        (tmp_path / name).chmod(mode)
    (tmp_path / "link").symlink_to("closed")
    (tmp_path / "file").touch(0o600)
    names = ("open", "closed", "link", "file", "missing")
    assert ["closed"] == [name for name in names if closed_to_others(str(tmp_path / name))]


def test_listening_sockets_are_found(tmp_path):
    with socket.socket(socket.AF_UNIX) as listener, socket.socket(socket.AF_UNIX) as other:
        listener.bind(str(tmp_path / "listens here"))
        listener.listen()
        other.bind(str(tmp_path / "does not"))
        found = [path for path in sockets() if path.startswith(os.path.realpath(tmp_path))]
    assert [os.path.realpath(tmp_path / "listens here")] == found
    assert [] == sockets(str(tmp_path))


def test_what_can_be_seen():
    """Sockets that can't be seen need no cover of their own."""
    mounts = plan(["/root/bots/my", "/tmp/x"], ["/tmp"], lambda path: path == "/root")
    seen = ["/srv/s", "/root/bots/my", "/root/bots/my/s", "/tmp/x"]
    hidden = ["/root/s", "/root/bots/s", "/tmp/s"]
    assert seen == [path for path in [*seen, *hidden] if is_visible(path, mounts)]
