"""Building what authors hand in: odd archives and recipes, forged answers, real sandboxes."""

import io
import json
import os
import random
import resource
import shutil
import signal
import stat
import sys
import sysconfig
import tarfile
import tempfile
import venv
import zipfile
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest
import trio
import trio.testing

from bots_start.arena import listening, needs_sandbox
from bots_start.processes import end_of
from lanista.bots import builder, building, sandbox, unpacker
from lanista.bots.builder import Build, BuildError
from lanista.bots.building import Builder, NotBuiltError, command_of
from lanista.bots.process import Exit, start_bot
from lanista.bots.sandbox import Sandbox
from lanista.results.submissions import write_file
from support.waiting import PATIENCE

RUN = 'run = "python3 main.py"\n'


def packed(files, **modes):
    """A ZIP of these files, by name."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            member = zipfile.ZipInfo(name)
            member.external_attr = modes.get(name, stat.S_IFREG | 0o644) << 16
            archive.writestr(member, content)
    return data.getvalue()


# -- archives and recipes, without a sandbox -----------------------------------------------------


@pytest.fixture
def build(tmp_path, monkeypatch):
    """Build a ZIP in a folder of the test's; only with builds that are harmless."""
    monkeypatch.setattr(builder, "WORK", tmp_path)
    monkeypatch.setattr(builder, "FOLDER", tmp_path / "bot")
    monkeypatch.setattr(builder, "LIBRARIES", tmp_path / "libraries")

    def build(data, most=1 << 20, file="bot.zip"):
        source = tmp_path / "1.source"
        source.write_bytes(data)
        asked = {"file": file, "game": "angrymob", "python": sys.executable, "most": most}
        made = Build(asked, source, [])
        command, _ = made.run()
        made.check_size()
        return command

    return build


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({"../x": "", "bot.toml": RUN}, "is no path within it"),
        ({"": "", "bot.toml": RUN}, "'' is no path within it"),
        ({"a/../../x": "", "bot.toml": RUN}, "is no path within it"),
        ({"/etc/x": ""}, "is no path within it"),
        ({"..\\x": ""}, "is no path within it"),
        ({"\x1b[31mred": ""}, "'\\x1b[31mred' is no path within it"),
        ({"link": "/etc/passwd", "bot.toml": RUN}, "'link' is a link or a device"),
        ({"d/" * 2000 + "x": ""}, "the ZIP can't be unpacked"),
        ({"bot.toml": RUN, "a": "", "a/b": ""}, "the ZIP can't be unpacked: "),
        ({"main.py": ""}, "the ZIP has no bot.toml at its top or in its only folder"),
        ({"a/b/bot.toml": RUN}, "the ZIP has no bot.toml at its top"),
        ({"bot.toml.txt": RUN}, "; there is: bot.toml.txt"),
        ({"a/main.py": "", "a/Bot.toml": RUN, "__MACOSX/x": ""}, "; there is: Bot.toml, main.py"),
        ({"a/bot.toml": RUN, "b": ""}, "; there is: a, b"),
        ({"bot.toml/x": "", "main.py": ""}, "bot.toml: Is a directory"),
        ({"bot.toml": b"run\xff"}, "bot.toml isn't TOML: 'utf-8' codec can't decode byte 0xff"),
        (
            {"bot.toml": "run = python3"},
            "isn't TOML: Invalid value (at line 1, column 7); expected run =",
        ),
        ({"bot.toml": "x = " + "[" * 20000}, "bot.toml isn't TOML: "),
        ({"bot.toml": "x = " + "9" * 20000}, "bot.toml isn't TOML: "),
        ({"bot.toml": RUN + 'build = "\\u0000"'}, "sh: embedded null byte"),
        ({"bot.toml": '"\\u001b[m" = 1'}, "no such key '\\x1b[m'"),
        ({"bot.toml": ""}, 'run is missing; expected a command line: run = "python3 main.py"'),
        ({"bot.toml": 'run = ["python3", "x"]'}, "run is ['python3', 'x']; expected a command"),
        ({"bot.toml": 'run = "stdio:"'}, "run is 'stdio:'; expected a command line"),
        ({"bot.toml": 'run = "\'"'}, 'run is "\'"; expected a command line'),
        ({"bot.toml": RUN + "build = [1]"}, "build is a command, or a list"),
        ({"bot.toml": RUN + 'build = "exit 3"'}, "`exit 3` failed with code 3"),
        ({"bot.toml": RUN + 'build = "kill -SEGV $$"'}, "`kill -SEGV $$` was killed by signal 11"),
        ({"bot.toml": RUN + 'build = "head -c 2000000 /dev/zero >x"'}, "at most 1.0 MiB is kept"),
    ],
)
def test_a_bad_archive_or_recipe_is_refused_in_words(build, tmp_path, files, words):
    """Nothing is written outside of the folder."""
    with pytest.raises(BuildError, match=r".") as refused:
        build(packed(files, link=stat.S_IFLNK | 0o777))
    assert words in str(refused.value)
    assert {"bot", "1.source", "libraries"} >= {path.name for path in tmp_path.iterdir()}


GARBLED = bytearray(packed({"bot.toml": RUN}))
GARBLED[40] ^= 0xFF  # within the first file's compressed data
TWO_NAMES = packed({"a" * 400: ""}).replace(b"a", b"b", 1)


@pytest.mark.parametrize(
    "data",
    [b"", b"hello", b"PK\3\4" + bytes(200), packed({"a": "b"})[:-9], bytes(GARBLED), TWO_NAMES],
)
def test_what_is_no_archive_is_refused_in_words(build, data):
    with pytest.raises(BuildError, match="the ZIP can't be unpacked") as refused:
        build(data)
    assert len(str(refused.value)) < 300


def test_an_archive_that_takes_more_memory_than_there_is_is_refused_in_words(build):
    """The header of LZMA's data names a dictionary of 4 GiB, whatever the data's size."""
    method = zipfile.ZIP_LZMA.to_bytes(2, "little")
    header = b"\x09\x04\x05\0" + b"\x5d" + b"\xff" * 4
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr("x", header + bytes(99))
    greedy = bytearray(data.getvalue())
    greedy[8:10] = method
    directory = greedy.index(b"PK\1\2")
    greedy[directory + 10 : directory + 12] = method
    limits = resource.getrlimit(resource.RLIMIT_AS)
    size = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (size + (1 << 30), limits[1]))
    try:
        with pytest.raises(BuildError, match="can't be unpacked: it takes too much memory"):
            build(bytes(greedy))
    finally:
        resource.setrlimit(resource.RLIMIT_AS, limits)


def test_a_shell_reads_no_name_of_an_archive(build, tmp_path):
    """Names that mean something to it are names of files; a folder around all is taken off."""
    files = {"p/$(touch x)": "", "p/-rf": "", "p/a;b": "", "p/bot.toml": RUN, "p/main.py": ""}
    assert [builder.PYTHON, "main.py"] == build(packed(files))
    names = {name.removeprefix("p/") for name in files}
    assert names == {path.name for path in (tmp_path / "bot").iterdir()}


def test_compilers_get_a_file_by_its_usual_ending(build, tmp_path):
    assert [builder.PYTHON, "-u", "Bot.py"] == build(b"", file="Bot.PY")
    assert (tmp_path / "bot/Bot.py").exists()


def test_a_mark_of_windows_before_a_source_is_taken_off(build, tmp_path):
    """javac takes it for a mistake, in a character that nobody sees."""
    build(b"\xef\xbb\xbf# a bot\r\n", file="bot.py")
    assert b"# a bot\r\n" == (tmp_path / "bot/bot.py").read_bytes()


def test_a_source_in_another_encoding_of_windows_is_refused_in_words(build):
    with pytest.raises(BuildError, match=r"bot.cpp is text in UTF-16; save it as UTF-8"):
        build("int main() {}".encode("utf-16"), file="bot.cpp")


@pytest.mark.parametrize(
    ("file", "library", "source", "words"),
    [
        ("Bot.java", "java", "class Other {}", "has no class Bot that is in no package; call"),
        ("Bot.java", "java", "package a.b; class Bot {}", "has no class Bot that is in no package"),
        ("bot.go", "go", "package bot", "bot.go is no program; it must begin with package main"),
    ],
)
def test_a_source_that_compiles_to_no_program_is_refused_in_words(
    build, tmp_path, monkeypatch, file, library, source, words
):
    monkeypatch.setenv("GOCACHE", str(tmp_path / "cache"))  # a user may have no home
    tool = {"java": "javac", "go": "go"}[library]
    if shutil.which(tool) is None:
        pytest.skip(f"{tool} isn't installed")

    def unpack(_build, _name, into):
        (into / "lanista-client").mkdir()
        (into / "lanista-client/go.mod").write_text("module lanista\n")

    monkeypatch.setattr(Build, "_library", unpack)
    with pytest.raises(BuildError, match=words):
        build(source.encode(), file=file)


def test_an_archive_of_another_system_is_taken(build, tmp_path):
    """With what macOS puts beside the only folder, and backslashes and a mark of Windows."""
    files = {
        "my bot\\bot.toml": b"\xef\xbb\xbf" + RUN.encode(),
        "my bot\\lib\\main.py": "",
        "__MACOSX/my bot/._main.py": "",
        ".DS_Store": "",
    }
    assert [builder.PYTHON, "main.py"] == build(packed(files))
    found = (tmp_path / "bot").rglob("*")
    assert {"bot.toml", "lib", "main.py"} == {path.name for path in found}


@pytest.mark.parametrize(
    ("word", "words"),
    [
        ("main.py", "main.py: not along PATH; write ./main.py, or what runs it before it; see run"),
        ("./main.py", r"./main.py: what its first line \(#!\) names isn't here; does the line end"),
        ("./bot", "./bot: No such file or directory; see run in bot.toml"),
    ],
)
def test_a_command_line_that_runs_nothing_is_told_in_words(tmp_path, monkeypatch, word, words):
    monkeypatch.setattr(unpacker, "FOLDER", str(tmp_path / "bot"))
    monkeypatch.setattr(os, "nice", lambda _: 0)
    monkeypatch.chdir(tmp_path)
    script = tmp_path / "main.py"
    script.write_bytes(b"#!/bin/sh\r\n")
    script.chmod(0o755)
    with tarfile.open("program", "w") as files:
        files.add(script, "main.py")
    with pytest.raises(SystemExit, match=words):
        unpacker.main("program", [word])


# -- answers of a build, which may be forged -----------------------------------------------------


class Ended:
    """A build's process that has ended well."""

    async def exited(self):
        return Exit(code=0)


class Runs:
    """A build's process that runs on."""

    async def exited(self):
        await trio.sleep_forever()


SECRET = "5ec4e7"


async def answered(folder, *parts, strangers=()):
    """Return what is made of bytes that a build answers; it connects after the strangers."""
    product = folder / "1.program"
    build = Runs() if strangers else Ended()

    async def send():
        for line in strangers:
            async with await trio.testing.open_stream_to_socket_listener(arena.listener) as stream:
                await stream.send_all(line)
        stream = await trio.testing.open_stream_to_socket_listener(arena.listener)
        async with stream:
            try:
                for part in (SECRET.encode() + b"\n", *parts):
                    await stream.send_all(part)
            except trio.BrokenResourceError:
                pass  # it was enough

    with trio.fail_after(PATIENCE):
        async with listening() as arena, trio.open_nursery() as nursery:
            nursery.start_soon(send)
            try:
                receive = Builder(most=1 << 16)._receive
                answer = await receive(arena.listener, build, product, SECRET)
                return None if answer is None else building._command(answer)
            except NotBuiltError as error:
                return str(error) if str(error).isprintable() else error
            finally:
                nursery.cancel_scope.cancel()


@pytest.mark.parametrize("umask", [0o022, 0o077])
async def test_whatever_the_umask_sandboxes_of_root_can_show_what_is_stored(tmp_path, umask):
    """A sandbox of root's runs as another user, who must be able to read the program."""
    before = os.umask(umask)
    try:
        write_file(tmp_path / "1.source", b"")
        await answered(tmp_path, b'{"command": ["x"]}\n')
    finally:
        os.umask(before)
    for path in (tmp_path / "1.source", tmp_path / "1.program"):
        assert stat.S_IROTH & path.stat().st_mode


async def test_a_program_that_the_disk_takes_only_a_part_of_is_not_built(tmp_path):
    """A system call may write less than it was given, and only the next one would fail."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, hard))
    try:
        with pytest.RaisesGroup(pytest.RaisesExc(OSError, match="File too large")):
            await answered(tmp_path, b'{"command": ["x"]}\n' + bytes(60_001))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


async def test_a_forged_answer_is_one_printable_line_or_none(tmp_path):
    """Whatever a build sends: it shares the builder's user, and may have taken its connection."""
    for answer, expected in (
        (b"", None),
        (b'{"command": ["x"]}', None),  # no end of the line
        (b"x" * 200_000, None),
        (b"\xff\n", None),
        (b"[" * 60_000 + b"\n", None),
        (b'["command"]\n', None),
        (b'{"error": "a\\u001b[31m\\nb\\ud800"}\n', "a\\x1b[31m\\nb\\ud800"),
        (b'{"error": {"a": "\\u0007"}}\n', "{'a': '\\x07'}"),
        (b'{"command": ["./bot", "h\\u00f6"]}\nrest', ("./bot", "h\xf6")),
    ):
        assert expected == await answered(tmp_path, answer)
    for command in (
        *(b"1", b"[]", b"[1]", b'[""]', b'["\\ud800"]', b'["a\\nb"]', b'["\\u001b[m"]'),
        *(json.dumps(["x"] * 65).encode(), json.dumps(["x" * 5000]).encode()),
    ):
        words = await answered(tmp_path, b'{"command": ' + command + b"}\n")
        assert words.startswith("the command line that runs it isn't"), command
    assert 500 == len(await answered(tmp_path, b'{"error": "%s"}\n' % (b"x" * 9000)))


async def test_only_the_build_itself_answers(tmp_path, monkeypatch):
    """Every user of the machine can connect to the port, and before the build does."""
    monkeypatch.setattr(building, "LEAVING_TIME", 0.0)
    forged = b'{"error": "forged"}\n'
    strangers = (b"", forged, SECRET.encode(), b"0" * len(SECRET) + b"\n" + forged)
    answer = await answered(tmp_path, b'{"error": "of the build"}\n', strangers=strangers)
    assert "of the build" == answer


async def test_a_stranger_who_stays_silent_holds_no_build(tmp_path, autojump_clock):
    """The build's connection waits behind it."""
    (_silent, stranger), (own, stream) = (trio.testing.memory_stream_pair() for _ in range(2))
    queue = [stranger, stream]

    async def accept():
        return queue.pop(0)

    await own.send_all(SECRET.encode() + b'\n{"error": "of the build"}\n')
    listener = SimpleNamespace(accept=accept)
    with trio.fail_after(Builder().seconds):
        answer = await Builder()._receive(listener, Runs(), tmp_path / "1", SECRET)
    assert {"error": "of the build"} == answer


async def test_a_build_that_ends_before_it_begins_has_no_answer(tmp_path):
    async with listening() as arena:
        (await trio.testing.open_stream_to_socket_listener(arena.listener)).socket.close()
        with trio.fail_after(PATIENCE):
            assert await Builder()._receive(arena.listener, Ended(), tmp_path / "1", SECRET) is None


async def test_a_program_of_any_size_takes_bounded_room(tmp_path):
    """It is cut off as soon as it is too large."""
    line = b'{"command": ["./bot"]}\n'
    zeros = bytes(1 << 20)
    words = await answered(tmp_path, line, *[zeros] * 100)
    assert "takes more than" in words
    assert 2 << 20 > (tmp_path / "1.program").stat().st_size


# -- builds in sandboxes -------------------------------------------------------------------------

LOOKS = """
import json, os, socket, sys
def tried(look):
    try:
        return str(look())
    except OSError as error:
        return type(error).__name__
here, port = sys.argv[1:3]
print(json.dumps({
    "folder": tried(lambda: os.listdir(here)),
    "other": tried(lambda: open(here + "/name-bob/1.source").read()),
    "older": tried(lambda: open(here + "/name-ann/1.source").read()),
    "file": tried(lambda: open(here + "/arena.toml").read()),
    "arena": tried(lambda: socket.create_connection(("127.0.0.1", int(port)), 5)),
    "written": tried(lambda: open(here + "/name-ann/x", "w")),
    "secret": os.environ.get("SECRET", ""),
}))
"""


@pytest.fixture
def data():
    """Where an arena keeps what was handed in, as it keeps it."""
    with tempfile.TemporaryDirectory(dir="/var/tmp") as name:
        data = Path(os.path.realpath(name))
        for author in "name-ann", "name-bob":
            (data / author).mkdir(mode=0o700)
            (data / author / "1.source").write_text("secret")
        (data / "arena.toml").write_text("secret")
        yield data


@asynccontextmanager
async def playing(data, built):
    """The program as it plays: its output."""
    folder = data / "name-ann"
    command = command_of(folder / "2.program", built.command)
    async with listening() as arena:
        box = Sandbox(port=arena.port, hidden=(data / "arena.toml", data, folder))
        async with start_bot(command, arena.env, cwd=folder, grace=0, sandbox=box) as bot:
            yield bot


async def build_in(data, source, *, file="bot.zip", seconds=PATIENCE, output=None):
    """Build the second version of Ann's program in a sandbox."""
    ann = data / "name-ann"
    (ann / "2.source").write_bytes(source)
    (ann / "2.source").chmod(0o644)
    maker = Builder(seconds=seconds, hidden=(data / "arena.toml", data, ann))
    bots = []
    try:
        source = ann / "2.source"
        product = ann / "2.program"
        return await maker.build(source, product, file=file, game="angrymob", on_start=bots.append)
    finally:
        if output is not None:
            output.append(bots[0].output_tail())


@needs_sandbox
async def test_a_build_whose_keeper_is_killed_is_refused(data):
    """The program may be why, so it isn't tried again for ever."""

    def kill(bot):
        os.kill(bot.keeper, signal.SIGKILL)

    (data / "name-ann/2.source").write_bytes(b"")
    with pytest.raises(NotBuiltError, match="the build was lost: its keeper was killed"):
        await Builder().build(
            data / "name-ann/2.source",
            data / "name-ann/2.program",
            file="bot.py",
            game="angrymob",
            on_start=kill,
        )


@needs_sandbox
async def test_neither_build_nor_program_sees_others_or_older_versions(data, monkeypatch):
    """Nor the arena's file, its data or its port; and each runs in an arena of any user."""
    monkeypatch.setenv("SECRET", "s3cret")
    async with listening() as arena:
        # It names the files of others, as a command line of `lanista play` names a bot's own.
        named = f"{data}/name-bob/1.source A={data}/name-ann/1.source"
        looks = f"python3 looks.py {data} {arena.port} {named} {data}/arena.toml"
        # What is no file is kept too, and harms nobody.
        odd = "mkfifo pipe; ln -s /etc/passwd out; ln -s . loop"
        recipe = f'build = ["{looks}", "{odd}"]\nrun = "{looks}"'
        source = packed({"bot.toml": recipe, "looks.py": LOOKS})
        output = []
        built = await build_in(data, source, output=output)
        async with playing(data, built) as bot:
            assert Exit(code=0) == await end_of(bot), bot.output_tail()
    for told in output[0].splitlines()[1], bot.output_tail():
        looked = json.loads(told)
        folder = looked.pop("folder")
        assert "bob" not in folder
        assert "arena" not in folder
        assert {
            "other": "FileNotFoundError",
            "older": "FileNotFoundError",
            "file": "FileNotFoundError",
            "arena": "ConnectionRefusedError",
            "written": "OSError",
            "secret": "",
        } == looked


@pytest.fixture
def environment_of_packages(tmp_path, monkeypatch):
    """An environment with one package, as pip installs it, in place of that of the tests."""
    place = tmp_path / "venv"
    venv.create(place, with_pip=False, symlinks=True)
    packages = Path(sysconfig.get_path("purelib", vars={"base": place, "platbase": place}))
    (packages / "tiny").mkdir()
    (packages / "tiny/__init__.py").write_text("WORD = 'I am there'\n")
    (packages / "tiny-1.2.dist-info").mkdir()
    (packages / "tiny-1.2.dist-info/METADATA").write_text("Name: tiny\nVersion: 1.2\n")
    sandbox._own.cache_clear()
    monkeypatch.setattr(sys, "executable", str(place / "bin/python"))
    monkeypatch.setattr(sys, "prefix", str(place))
    yield
    sandbox._own.cache_clear()


@needs_sandbox
async def test_programs_import_the_packages_that_authors_are_told_of(data, environment_of_packages):
    """Those that the operator has installed into the environment of the arena, and no others."""
    with trio.fail_after(PATIENCE):
        tools = await Builder().tools()
        assert {"tiny": "1.2"} == tools.packages
        source = b"import tiny\nprint(tiny.WORD)\n"
        built = await build_in(data, source, file="bot.py")
        async with playing(data, built) as bot:
            assert Exit(code=0) == await bot.exited(), bot.output_tail()
    assert "I am there\n" == bot.output_tail()


@needs_sandbox
async def test_tools_are_found_wherever_they_are_installed(tmp_path, monkeypatch):
    """With what lies in their installation, such as a toolchain in /opt; those that fail aren't."""
    for tool, script in ("go", 'cat "${0%/*}/../lib/version"'), ("cargo", "exit 1"):
        program = tmp_path / tool / "bin" / tool
        program.parent.mkdir(parents=True)
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)
        monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    (tmp_path / "go/lib").mkdir()
    (tmp_path / "go/lib/version").write_text("go version 9\n")
    with trio.fail_after(PATIENCE):
        languages = (await Builder().tools()).languages
    assert ("go version 9", False) == (languages["Go"], "Rust" in languages)


@needs_sandbox
@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("kill -9 $PPID", "ended without a result"),
        ("touch a; chmod 0 a", "Permission denied: /tmp/bot/a"),
        ("yes", "took more than 1 s, its limit"),
        # A shell that can fork no more ends; the one around it goes on until the limit is noticed.
        ("(while :; do sleep 9 & done); while :; do :; done", "processes; the limit is 64"),
    ],
)
async def test_a_hostile_build_ends_in_one_line_and_leaves_nothing(data, command, words):
    """Neither a file of its own nor one of the builder's, nor a process, however it ends."""
    chance = random.Random(1).randbytes(20_000)  # a source that isn't small
    source = packed({"bot.toml": f"build = '{command}'\n{RUN}", "main.py": "", "x": chance})
    output = []
    seconds = 1 if command == "yes" else PATIENCE
    with pytest.raises(NotBuiltError, match=r".") as refused:
        await build_in(data, source, seconds=seconds, output=output)
    assert words in str(refused.value)
    assert 1 << 16 >= len(output[0].encode())
    assert {"1.source", "2.source"} == {path.name for path in (data / "name-ann").iterdir()}
    mine = f"lanista-build-{os.getpid()}-"
    assert [] == [*Path(tempfile.gettempdir()).glob(f"{mine}*")]  # noqa: ASYNC240 - a moment
