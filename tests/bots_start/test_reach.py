"""What of the file system goes into a sandbox; no sandbox is made here."""

import contextlib
import errno
import os
import shlex
import socket
import sqlite3
from pathlib import Path

import pytest

from lanista.bots import reach
from lanista.bots.building import command_of
from lanista.bots.reach import (
    Kind,
    Mount,
    aliases,
    closed_to_others,
    data_folders,
    is_visible,
    needed,
    own,
    plan,
    sockets,
    way,
)

COVER, FOLDER, LINK, SHOW = Kind.COVER, Kind.FOLDER, Kind.LINK, Kind.SHOW


PYTHON = "real real/bin real/bin/python3 real/bin/python3.11"
"""In `top`: an interpreter, and the folders of its installation."""
HOUSE_BOT = "lanista.games.angrymob.house_bots.camper_joe"


def shown(*paths):
    """These paths as what a bot needs."""
    return [Mount(path, SHOW) for path in paths]


@pytest.mark.parametrize(
    ("wanted", "hidden", "closed", "expected"),
    [
        pytest.param(
            *("/a/b/bot.py /usr /usr/bin/node", "", ""),
            "folder /a, show /usr, folder /a/b, show /a/b/bot.py",
            id="folders on the way are made, and what lies in what is shown is there already",
        ),
        pytest.param(
            *("/srv /srv/bot.py /root /root/bots", "/srv", "/root"),
            "folder /root, folder /srv, show /root/bots, show /srv/bot.py",
            id="what is hidden, or closed to the bot, shows only what is needed in it",
        ),
        pytest.param(
            "/root/bots /root/bots/own/bot /usr",
            *("/root /usr/local/data /elsewhere/data", "/root/bots/own"),
            "folder /root, show /usr, show /root/bots, cover /root/bots/own, cover /usr/local/data,"
            " show /root/bots/own/bot",
            id="such a folder in what is shown is covered",
        ),
        pytest.param(
            "/usr /usr/data/bots/tom /usr/data/bots/tom/bot.py",
            *("/usr/data /usr/data/records /usr/data/bots", ""),
            "show /usr, cover /usr/data, folder /usr/data/bots, show /usr/data/bots/tom",
            id="of hidden folders in each other the outer one's cover is enough",
        ),
    ],
)
def test_what_is_shown_and_what_is_covered(wanted, hidden, closed, expected):
    mounts = plan(shown(*wanted.split()), hidden.split(), lambda path: path in closed.split())
    assert expected == ", ".join(f"{mount.kind.name.lower()} {mount.path}" for mount in mounts)


def test_links_are_made_again_where_they_are_not_shown():
    links = [Mount("/bin", LINK, "usr/bin"), Mount("/usr/lib64", LINK, "lib")]
    mounts = plan([*links, *shown("/usr")], [], lambda _: False)
    assert [links[0], Mount("/usr", SHOW)] == mounts


@pytest.mark.parametrize(
    ("place", "made"),
    [
        ("/work/run", ["/work", "/work/run"]),
        ("/usr/data/run", ["/usr/data/run"]),  # in a cover
        ("/usr/lib", []),
    ],
)
def test_a_folder_that_may_be_empty_is_made_where_none_is_shown(place, made):
    mounts = plan([*shown("/usr"), Mount(place, FOLDER)], ["/usr/data"], lambda _: False)
    others = {Mount("/usr", SHOW), Mount("/usr/data", COVER)}
    assert {Mount(path, FOLDER) for path in made} | others == {*mounts}


def paths_within(top, mounts):
    """The paths below a folder that are to be shown, links included."""
    found = {mount.path for mount in mounts if mount.kind in {SHOW, LINK}}
    return {path for path in found if reach.is_within(path, str(top))}


@pytest.fixture
def top(tmp_path):
    """Programs, scripts, links, a Java archive and an installation, in a folder without links."""
    top = Path(os.path.realpath(tmp_path))
    if " " in str(top):
        pytest.skip("the kernel ends the path of a script's interpreter at a space")
    for folder in ("real/bin", "real/lib", "work/bots/tom", "jars", "data", "venv", "tools/bin"):
        (top / folder).mkdir(parents=True)
    (top / "work/bots/pack").mkdir()
    (top / "work/bots/pack/__main__.py").touch()
    for program in ("real/bin/python3.11", "tools/bin/engine", "work/bots/tom/bot", "work/mine"):
        (top / program).touch()
        (top / program).chmod(0o755)
    (top / "real/bin/python3").symlink_to("python3.11")
    (top / "venv/python").symlink_to(top / "real/bin/python3")
    (top / "work/bots/tom/bot").write_text(f"#!{top}/venv/python -u\n")
    (top / "jars/a.jar").touch()
    (top / "work/bots/tom/main.py").touch()
    (top / "work/link").symlink_to("bots/tom")
    return top


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        # The program's own folder, not the working directory; its interpreter's installation.
        ("./bots/tom/bot", f"work/bots/tom work/bots/tom/bot venv venv/python {PYTHON}"),
        ("./mine", "work work/mine"),
        # Words with = and :, also of a program that is found along PATH.
        (
            "python3 --jars={top}/jars/a.jar:{top}/missing --in={top}/data a\0b",
            f"{PYTHON} jars jars/a.jar data",
        ),
        # A folder may be the program, or have it.
        ("{top}/venv/python bots/pack", "work/bots/pack"),
        ("{top}/venv/python -cp bots", "work/bots"),
        # No program is named, or it is a module: Python and Java look into the working directory.
        ("python3", f"{PYTHON} work"),
        ("{top}/venv/python -m bot {top}/jars/a.jar", "work jars jars/a.jar"),
        (
            "{top}/venv/python -m lanista.bots.bridge ./bots/tom/main.py",
            "work/bots/tom work/bots/tom/main.py",
        ),
        (f"python3 -m lanista.games.house_bot {HOUSE_BOT} Joe", "real/bin/python3"),
        (f"python3 -c 'import run' {HOUSE_BOT} Joe", "real/bin/python3"),
        # What has no libraries beside its `bin` is no installation.
        ("{top}/tools/bin/engine", "tools/bin tools/bin/engine"),
        # A link on the way is needed itself, and what it leads to.
        ("python3 link/main.py", "work/link work/bots/tom work/bots/tom/main.py"),
    ],
)
def test_what_a_command_needs(top, command, expected):
    cwd, env = str(top / "work"), {"PATH": str(top / "real/bin")}
    found = paths_within(top, needed(shlex.split(command.format(top=top)), cwd, env, []))
    python, expected = (
        {str(top / name) for name in names.split()}
        for names in (f"{PYTHON} venv venv/python", expected)
    )
    assert expected - python == found - python
    assert expected <= found


def test_the_folders_that_an_interpreter_is_told_of_are_needed(top):
    """By variables that a sandbox passes on; not relative ones, which PYTHONPATH may have."""
    env = {"PYTHONPATH": f":.:{top}/data:{top}/missing", "JAVA_HOME": str(top / "real")}
    found = needed(["/bin/true"], "/", env | {"SECRETS": str(top / "jars")}, [])
    assert {str(top / "data"), str(top / "real")} == paths_within(top, found)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        # By a name, along PATH; or by a path.
        ("/usr/bin/env -S NAME=value python3 -u", {"real/bin/python3"}),
        ("{top}/venv/python", {"venv/python"}),
        ("{top}/real/bin/python3", {"real/bin/python3"}),
        # Nothing else: no secrets, data or other bots. A link doesn't make an interpreter.
        ("/usr/bin/env -S A={top}/data python3", {"real/bin/python3"}),
        ("/usr/bin/env -S python3 {top}/jars", {"real/bin/python3"}),
        ("{top}/work/mine", set()),
        ("{top}/work/bots/tom/python", set()),
        ("", set()),
    ],
)
def test_the_first_line_of_a_script_shows_interpreters_alone(top, line, expected):
    """Its author chooses it, not whoever runs the arena."""
    bot = top / "work/bots/tom/bot"
    (bot.parent / "python").symlink_to(top / "work/mine")
    bot.write_text(f"#!{line.format(top=top)}\n")
    found = own([str(bot)], str(top), str(top / "real/bin"))
    files = {path for path in found if not Path(path).is_dir()} - {str(bot)}
    assert {str(top / name) for name in expected} == files
    assert set() == {str(top / name) for name in ("data", "jars", "work")} & {*found}
    bot.chmod(0o644)  # as what is handed in: the kernel wouldn't read the line
    assert {str(bot), str(bot.parent)} == {*own([str(bot)], str(top), str(top / "real/bin"))}


def test_a_program_that_was_handed_in_names_interpreters_alone(top):
    """The author of such a program chooses its command line; see `test_building`."""
    program = top / "data/2.program"
    program.touch()
    words = f"python3 {top}/jars/a.jar A={top}/jars:{top}/tools -m pack main.py engine ..".split()
    found = own(command_of(program, words), str(top / "work/bots"), f"{top}/real/bin:{top}/tools")
    real = {str(top / name) for name in ("real", "real/bin", "real/bin/python3")}
    assert {*real, str(program), str(program.parent)} == {
        path for path in found if reach.is_within(path, str(top))
    }


def test_of_a_users_local_programs_the_other_files_of_the_user_are_not_needed(tmp_path):
    """Beside `bin` and `lib`, ~/.local has what programs keep for the user: keys, for example."""
    local = Path(os.path.realpath(tmp_path)) / ".local"
    for folder in ("bin", "lib", "share"):
        (local / folder).mkdir(parents=True)
    (local / "bin/mybot").touch(0o755)
    found = set(own([str(local / "bin/mybot")], "/", None))
    assert {str(local / name) for name in ("bin", "bin/mybot", "lib")} == found


def test_of_a_virtual_environment_the_other_files_of_its_folder_are_not_needed(top):
    """It may have been made in the folder of a project, with bots and secrets in it."""
    for folder in ("bin", "lib", "bots"):
        (top / "project" / folder).mkdir(parents=True)
    (top / "project/bin/python3").symlink_to(top / "real/bin/python3")
    (top / "project/pyvenv.cfg").touch()
    env = {"VIRTUAL_ENV": str(top / "project")}
    parts = {str(top / "project" / name) for name in ("bin", "lib", "pyvenv.cfg")}
    python = str(top / "project/bin/python3")
    assert parts == paths_within(top / "project", needed(["/bin/true"], "/", env, []))
    assert {python, *parts} == paths_within(
        top / "project", needed([python, "-c", ""], "/", {}, [])
    )


def test_bind_mounts_are_found_by_what_they_show(tmp_path):
    """A mount of a folder that contains a path, of the path itself, and of a part of it."""
    table = tmp_path / "mountinfo"
    rows = [
        "22 1 8:1 / / rw - ext4 /dev/a rw",
        "23 22 8:2 / /srv rw - ext4 /dev/b rw",
        "24 22 8:2 /arena /home/x/whole rw - ext4 /dev/b rw",
        r"25 22 8:2 /arena/data/records /opt/a\040part rw - ext4 /dev/b rw",
        "26 22 8:2 / /mnt/all rw - ext4 /dev/b rw",
        "27 22 8:1 /srv/arena /not/the/same rw - ext4 /dev/a rw",  # hidden below the mount
        "28 22 8:1 /etc/keys /home/x/keys rw - ext4 /dev/a rw",
    ]
    table.write_text("\n".join(rows) + "\n")
    others = {"/home/x/whole/data", "/opt/a part", "/mnt/all/arena/data"}
    assert others == aliases(["/srv/arena/data"], str(table))
    assert {"/home/x/keys/tls.pem"} == aliases(["/etc/keys/tls.pem"], str(table))
    assert set() == aliases(["/usr/x"], str(table))
    assert set() == aliases(["/usr/x"], str(tmp_path / "missing"))


def test_links_are_followed_to_their_end_and_a_ring_ends(tmp_path):
    """As the kernel does: a folder that is left by `..` has to be there."""
    top = os.path.realpath(tmp_path)
    (tmp_path / "one").symlink_to("two")
    (tmp_path / "two").symlink_to("one")
    ring = {Mount(f"{top}/one", LINK, "two"), Mount(f"{top}/two", LINK, "one")}
    assert ring == {*way(f"{top}/one", SHOW)}
    (tmp_path / "folder" / "deep").mkdir(parents=True)
    (tmp_path / "absolute").symlink_to(f"{top}/folder/./deep")
    (tmp_path / "folder" / "up").symlink_to("../absolute/..")
    assert [
        Mount(f"{top}/folder/up", LINK, "../absolute/.."),
        Mount(f"{top}/folder", FOLDER),
        Mount(f"{top}/absolute", LINK, f"{top}/folder/./deep"),
        Mount(f"{top}/folder/deep", FOLDER),
        Mount(f"{top}/folder/file", SHOW),
    ] == way(f"{top}/folder/up/file", SHOW)
    assert [Mount("/", SHOW)] == way("/", SHOW)


def test_no_link_of_an_author_shows_what_is_hidden(top):
    """Nor what lies beside it. Links within it, and interpreters in it, are as good as any."""
    hidden, cwd = str(top / "real"), str(top / "work")
    (top / "real/bin/secret").touch()
    (top / "work/model").symlink_to("../real/bin/secret")
    (top / "work/folder").symlink_to("../real/bin")
    (top / "real/inside").symlink_to("bin/secret")
    (top / "lanista-data").mkdir()
    (top / "lanista-data/arena.db").touch()
    (top / "work/data").symlink_to("../lanista-data/arena.db")

    def shown_of(*words):
        found = paths_within(top, needed(["./mine", *words], cwd, {}, [], [hidden]))
        return {path.removeprefix(f"{top}/") for path in found} - {"work", "work/mine"}

    assert set() == shown_of("model", "folder/secret", "data")
    assert {"real", "real/bin", "real/bin/secret", "real/inside"} == shown_of(f"{hidden}/inside")
    assert "real/bin/python3.11" in shown_of(f"{top}/venv/python")


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


def test_what_can_be_seen():
    """Files and sockets that can't be seen need no cover of their own."""
    needs = shown("/root/bots/my", "/tmp/x", "/usr")
    mounts = plan(needs, ["/tmp", "/usr/data"], lambda path: path == "/root")
    seen = ["/usr/s", "/root/bots/my", "/root/bots/my/s", "/tmp/x"]
    hidden = ["/root/s", "/root/bots/s", "/tmp/s", "/srv/s", "/usr/data/s", "/"]
    assert seen == [path for path in [*seen, *hidden] if is_visible(path, mounts)]


def test_a_process_whose_files_could_not_be_listed_is_looked_at_again(tmp_path, monkeypatch):
    """This process had too many files open itself, say."""
    folder = os.path.realpath(tmp_path)
    with contextlib.closing(sqlite3.connect(tmp_path / "lanista.db")) as database:
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("CREATE TABLE x (y)")
        with monkeypatch.context() as patch:
            patch.setattr(os, "listdir", broken)
            assert folder not in data_folders([])
        assert folder in data_folders([])


def broken(_path):
    raise OSError(errno.EMFILE, "too many open files")


def test_folders_with_the_data_of_arenas(tmp_path):
    """By their names in working directories, by a database in them or above, by an open one."""
    top = Path(os.path.realpath(tmp_path))
    for name in "work/lanista-data", "work/a/lanista-records", "closed/in/it", "open":
        (top / name).mkdir(parents=True)
    (top / "closed" / "lanista.db").touch()
    (top / "link").symlink_to("closed/in")
    (top / "lanista-records").touch()  # no folder
    places = [str(top / name) for name in ("work", "link/it", ".")]
    expected = {str(top / name) for name in ("work/lanista-data", "closed")}

    def found():
        return {folder for folder in data_folders(places) if folder.startswith(str(top))}

    @contextlib.contextmanager
    def opened(path):
        with contextlib.closing(sqlite3.connect(path)) as database:
            database.execute("PRAGMA journal_mode = WAL")
            database.execute("CREATE TABLE x (y)")
            yield

    assert expected == found()
    with opened(top / "other.db"):  # what the process has open is looked at anew nevertheless
        with opened(top / "open" / "lanista.db"):
            assert expected | {str(top / "open")} == found()
            (top / "open").rename(top / "moved")  # with the same database open
            assert expected | {str(top / "moved")} == found()
        assert expected == found()
    if os.geteuid() == 0:
        os.chown(top / "closed" / "lanista.db", 54321, 54321)  # put there by another user
        assert {str(top / "work/lanista-data")} == found()
