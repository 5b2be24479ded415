"""What of the file system goes into a sandbox; no sandbox is made here."""

import contextlib
import os
import socket
import sqlite3
from pathlib import Path

import pytest

from lanista.bots.reach import (
    Kind,
    Mount,
    closed_to_others,
    data_folders,
    firm_cover,
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


def test_a_cover_in_a_cover_is_none_unless_what_has_it_is_shown():
    """Else it would show its name; where something needed lies in it, it is a folder."""
    wanted = ["/tmp/bots", "/run/user/7/bot"]
    covered = ["/tmp", "/tmp/bots/records", "/tmp/other", "/run", "/run/user/7", "/run/user/8"]
    expected = [
        ("/run", COVER),
        ("/tmp", COVER),
        ("/run/user", FOLDER),
        ("/tmp/bots", SHOW),
        ("/run/user/7", FOLDER),
        ("/tmp/bots/records", COVER),
        ("/run/user/7/bot", SHOW),
    ]
    mounts = plan(wanted, covered, lambda _: False)
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


def test_sockets_that_can_be_reached_are_found(tmp_path):
    """Those that listen, and those of datagrams, which never do."""
    top = Path(os.path.realpath(tmp_path))
    with (
        socket.socket(socket.AF_UNIX) as listener,
        socket.socket(socket.AF_UNIX) as other,
        socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as datagrams,
        socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as packets,
    ):
        for listening, name in (listener, "listens here"), (packets, "packets"):
            listening.bind(str(top / name))
            listening.listen()
        other.bind(str(top / "does not"))
        datagrams.bind(str(top / "datagrams"))
        found = {path for path in sockets() if path.startswith(str(top))}
    assert {str(top / name) for name in ("listens here", "packets", "datagrams")} == found
    assert [] == sockets(str(tmp_path))


def test_a_sockets_name_may_be_anything(tmp_path):
    """Line ends in it look like rows of the table; what is no socket is never taken for one."""
    (tmp_path / "net").mkdir()
    (tmp_path / "file").touch()
    (tmp_path / "link").symlink_to("file")
    row = "0000000000000000: 00000002 00000000 00010000 0001 01  4711 "
    bound = str(tmp_path / "a socket\r")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(bound)
        rows = ["Num       RefCount Protocol Flags    Type St Inode Path", row + bound]
        rows += [row + "/x", "1: 2 3 zz 5 6 7 /y", row + f"{tmp_path}/file", row + "@abstract"]
        rows += [row + f"{tmp_path}/link", row[:-1], "\udcff"]
        (tmp_path / "net" / "unix").write_bytes(os.fsencode("\n".join(rows)))
        assert [os.path.realpath(bound)] == sockets(str(tmp_path))


def test_what_is_covered_cannot_be_taken_away_by_others(tmp_path):
    """All above the first folder that others can write to stays; in a sticky one, all of ours."""
    top = Path(os.path.realpath(tmp_path))
    for name, mode in ("own", 0o755), ("own/open", 0o777), ("sticky", 0o1777), ("sticky/s", 0o755):
        (top / name).mkdir()
        (top / name).chmod(mode)
    (top / "own" / "open" / "further").mkdir()
    us = {0, os.geteuid()}
    for name, expected in (
        ("own/socket", "own/socket"),
        ("own/open/gone", "own/open"),
        ("own/open/further/socket", "own/open"),
        ("sticky/s/socket", "sticky/s/socket"),
    ):
        assert str(top / expected) == firm_cover(str(top / name), us)
    assert firm_cover(str(top / "sticky/gone"), us) is None
    # Who isn't trusted may change what is his.
    assert firm_cover("/usr/lib/socket", {os.geteuid() + 1}) == "/usr"


def test_what_can_be_seen():
    """Sockets that can't be seen need no cover of their own."""
    mounts = plan(["/root/bots/my", "/tmp/x"], ["/tmp"], lambda path: path == "/root")
    seen = ["/srv/s", "/root/bots/my", "/root/bots/my/s", "/tmp/x"]
    hidden = ["/root/s", "/root/bots/s", "/tmp/s"]
    assert seen == [path for path in [*seen, *hidden] if is_visible(path, mounts)]


def test_folders_with_the_data_of_arenas(tmp_path):
    """By their names in working directories, by a catalogue in them or above, by an open one."""
    top = Path(os.path.realpath(tmp_path))
    for name in "work/lanista-data", "work/a/lanista-records", "closed/in/it", "open":
        (top / name).mkdir(parents=True)
    (top / "closed" / "catalogue.db").touch()
    (top / "link").symlink_to("closed/in")
    (top / "lanista-records").touch()  # no folder
    places = [str(top / name) for name in ("work", "link/it", ".")]
    expected = {str(top / name) for name in ("work/lanista-data", "closed")}

    def found():
        return {folder for folder in data_folders(places) if folder.startswith(str(top))}

    assert expected == found()
    with contextlib.closing(sqlite3.connect(top / "open" / "catalogue.db")) as database:
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("CREATE TABLE x (y)")
        assert expected | {str(top / "open")} == found()
    assert expected == found()
    if os.geteuid() == 0:
        os.chown(top / "closed" / "catalogue.db", 54321, 54321)  # put there by another user
        assert {str(top / "work/lanista-data")} == found()
