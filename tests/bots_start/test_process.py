"""Starting and watching a bot: what it gets, how it ends, what it writes."""

import json
import os
import signal
import subprocess
import sys

import pytest
import trio

from bots_start.processes import ENV, end_of, failure_of, parent, pids_in, python
from lanista.bots import keeper_process, process
from lanista.bots.process import Bot, Exit, start_bot
from support.processes import open_files
from support.waiting import PATIENCE


async def test_a_bot_gets_its_words_environment_directory_and_nothing_to_read(script, tmp_path):
    """It leads a session of its own, reads /dev/null, and has no file open but the three."""
    path = script("""
        import json, os, sys
        print(json.dumps({
            "words": sys.argv[1:], "environment": dict(os.environ), "cwd": os.getcwd(),
            "stdin": sys.stdin.read(), "session": os.getsid(0), "group": os.getpgid(0),
            "pid": os.getpid(), "files": sorted(os.listdir("/proc/self/fd")),
        }))
    """)
    env = ENV | {"BYTES": "\udcff", "LC_ALL": "C.UTF-8"}
    async with start_bot([*python(path), "a b", "$HOME", "\udcfe"], env, cwd=tmp_path) as bot:
        assert Exit(code=0) == await bot.exited()
    expected = {
        "words": ["a b", "$HOME", "\udcfe"],
        "environment": env,
        "cwd": str(tmp_path),
        "stdin": "",
        "session": bot.pid,
        "group": bot.pid,
        "pid": bot.pid,
        "files": ["0", "1", "2", "3"],  # 3 lists the folder
    }
    assert expected == json.loads(bot.output_tail())


@pytest.mark.parametrize(
    ("output", "why"),
    [
        (
            b'Exception in thread "main" Oops: x\n\tat P.main(P.java:4)\n',
            "closed its connection while its process goes on: P.java:4: Oops: x",
        ),
        (b"thinking\n", None),
    ],
)
async def test_a_bot_may_have_failed_though_its_process_goes_on(autojump_clock, output, why):
    """Threads of a pool keep a program in Java alive after an exception of its main one."""
    bot = Bot(("./bot",))
    bot.keep(output)
    assert why == await bot.why_left()


async def test_a_program_is_looked_for_along_the_path_it_is_given(tmp_path):
    """And a script that begins with a #! line is run by its interpreter."""
    program = tmp_path / "mybot"
    program.write_text("#!/bin/sh\necho $LANISTA_NAME\n")
    program.chmod(0o755)
    async with start_bot(["mybot"], ENV | {"PATH": f"/nowhere:{tmp_path}:/bin"}) as bot:
        assert Exit(code=0) == await bot.exited()
    assert "Camper\n" == bot.output_tail()


async def test_signals_are_as_a_shell_hands_them_over():
    """Nothing is ignored or blocked, whatever the arena, Python or the keeper do themselves."""
    before = signal.signal(signal.SIGUSR1, signal.SIG_IGN)
    try:
        async with start_bot(["grep", "-E", "Sig(Blk|Ign)", "/proc/self/status"], ENV) as bot:
            await bot.exited()
    finally:
        signal.signal(signal.SIGUSR1, before)
    # 32 and 33 are libc's own: no program can set them, but who starts us (make) may ignore them.
    settable = ~(1 << 31 | 1 << 32)
    told = dict(line.split(":\t") for line in bot.output_tail().splitlines())
    assert {"SigBlk": 0, "SigIgn": 0} == {
        name: int(mask, 16) & settable for name, mask in told.items()
    }


@pytest.mark.parametrize(
    ("last_words", "how", "words"),
    [
        ("sys.exit(3)", Exit(code=3), "exited with code 3"),
        ("os.abort()", Exit(signal=signal.SIGABRT), "killed by SIGABRT"),
        ("os.kill(os.getpid(), 9)", Exit(signal=signal.SIGKILL), "killed by SIGKILL"),
        ("os.kill(os.getpid(), 40)", Exit(signal=40), "killed by signal 40"),
    ],
)
async def test_how_a_bot_ended_by_itself_is_told(script, last_words, how, words):
    path = script(f"""
        import os, resource, sys
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        {last_words}
    """)
    async with start_bot([sys.executable, "-I", str(path)], ENV) as bot:
        told = await bot.exited()
    assert how == told
    assert words == str(told)
    assert told is bot.exit


MISSING = "No such file or directory: {}"
EXECUTABLE = "(a program must be an executable file: chmod +x)"


@pytest.mark.parametrize(
    ("program", "why"),
    [
        ("./missing", MISSING),
        ("missing-program", MISSING + " on PATH"),
        ("no-line", MISSING + " (found in the working directory: call it './no-line')"),
        ("./plain", f"Permission denied: {{}} {EXECUTABLE}"),
        (".", f"Permission denied: {{}} {EXECUTABLE}"),
        ("./plain/x", "Not a directory: {}"),
        (
            "./orphan",
            MISSING + " (the file is there, but the interpreter that its #! line names isn't)",
        ),
        (
            "./windows",
            MISSING + " (its #! line ends as on Windows, with CR LF: save it with LF alone)",
        ),
        ("./no-line", "Exec format error: {} (a script must begin with a #! line)"),
    ],
)
async def test_what_cannot_be_executed_is_told_and_not_raised(tmp_path, program, why):
    for name, text, mode in [
        ("plain", "", 0o644),
        ("no-line", "echo no #! line\n", 0o755),
        ("orphan", "#!/no/such/interpreter\n", 0o755),
        ("windows", "#!/bin/sh\r\n", 0o755),
    ]:
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(mode)
    async with start_bot([program], ENV, cwd=tmp_path) as bot:
        assert bot.pid is None
        assert f"could not be started: {why.format(repr(program))}" == str(await bot.exited())
    assert "" == bot.output_tail()


async def test_a_folder_of_the_path_that_may_not_be_entered_has_no_program(tmp_path):
    """As one of root's may be after `runuser`; it must not look as if the program were there."""
    (tmp_path / "closed").mkdir(mode=0)
    env = ENV | {"PATH": f"{tmp_path}/closed"}
    why = "No such file or directory: 'missing-program' on PATH"
    assert why == await failure_of(["missing-program"], env, cwd=tmp_path)


async def test_a_missing_working_directory_is_told(tmp_path):
    missing = tmp_path / "missing"
    why = f"No such file or directory: '{missing}' (its working directory)"
    assert why == await failure_of(["true"], cwd=missing)


async def test_without_free_descriptors_the_bot_cannot_be_started(monkeypatch):
    """The third of the three pipes fails; the two before it are closed (see `nothing_left`)."""
    pipe, calls = os.pipe, []

    def scarce():
        calls.append(None)
        if len(calls) == 3:
            raise OSError(24, "Too many open files")
        return pipe()

    monkeypatch.setattr(process.os, "pipe", scarce)
    assert "[Errno 24] Too many open files" == await failure_of(["true"])


async def test_the_last_64_kib_of_a_flood_are_kept_and_the_flood_is_not_blocked(script):
    """It writes 1 MiB, sixteen times what a pipe holds, and comes to its end."""
    path = script("""
        import os
        text = b"".join(b"line %10d\\n" % n for n in range(65536))
        while text:
            text = text[os.write(1, text):]
    """)
    text = "".join(f"line {n:10}\n" for n in range(65536))
    async with start_bot(python(path), ENV) as bot:
        assert Exit(code=0) == await end_of(bot)
    assert 1_048_576 == len(text) == bot.output_bytes
    assert text[-65536:] == bot.output_tail() == bot.output_tail(limit=1_000_000)
    assert text[-16:] == bot.output_tail(limit=16)
    assert not bot.output_tail(limit=0)


def written(*parts):
    """A bot whose output was read in turns; each part is a turn and what was read then."""
    bot = process.Bot(("x",))
    now = [0]
    for turn, output in parts:
        if turn is not None and not bot._turns:
            bot.place_output(lambda: now[0])
        now[0] = turn
        bot.keep(output)
    return bot


def by_turn(bot, **limit):
    """The output's parts, each with its turn."""
    text, turns = bot.output_tail(**limit), bot.output_turns(**limit)
    ends = [start for _, start in turns[1:]] + [len(text)] * bool(turns)
    return [(turn, text[start:end]) for (turn, start), end in zip(turns, ends, strict=True)]


def test_output_has_the_turn_in_which_it_was_read():
    bot = written((None, b"hello\n"), (0, b"a\n"), (0, b"b\n"), (3, b"c\nd\n"), (7, b"e"))
    assert [(0, "a\nb\n"), (3, "c\nd\n"), (7, "e")] == by_turn(bot)
    assert [(3, "d\n"), (7, "e")] == by_turn(bot, limit=3)
    assert [] == by_turn(bot, limit=0)


def test_a_line_belongs_to_the_turn_in_which_its_end_was_read():
    bot = written((0, "one\ntw\u00f6 ".encode()[:-2]), (1, "\u00f6 ".encode()[1:]), (2, b"\xff\nx"))
    assert [(0, "one\n"), (2, "tw\u00f6 \ufffd\nx")] == by_turn(bot)


def test_places_of_output_are_forgotten_with_it_and_bounded():
    line = b"x" * 99 + b"\n"
    bot = written(*((turn, line) for turn in range(1000)))
    parts = by_turn(bot)
    assert 65536 == sum(len(text) for _, text in parts)
    assert (999, line.decode()) == parts[-1]
    bot = written(*((turn, b"\n") for turn in range(2 * process.TURNS_LIMIT)))
    places = bot.output_turns()
    assert process.TURNS_LIMIT == len(places)
    assert (process.TURNS_LIMIT, process.TURNS_LIMIT) == places[0]
    bot.place_output(None)
    bot.keep(b"waiting\n")
    assert [] == bot.output_turns()


async def test_no_bot_or_keeper_holds_a_pipe_of_another():
    """A copy of another's lifeline would keep that one from ending when the arena dies."""
    # It says when its loader is done: until then it holds the libraries that it reads.
    bot = ["sh", "-c", "echo $$; sleep 100"]
    async with start_bot(bot, ENV, grace=0) as one, start_bot(bot, ENV, grace=0) as two:
        await pids_in(one, 1)
        await pids_in(two, 1)

        def pipes_of(pid):
            return {leads for leads in open_files(pid).values() if leads.startswith("pipe:")}

        keepers = parent(one.pid), parent(two.pid)
        # Lifeline, status, output and the keeper's own for signals; another until it has seen that
        # the bot was executed.
        with trio.fail_after(PATIENCE):
            while {4} != {len(pipes_of(pid)) for pid in keepers}:  # noqa: ASYNC110 - no event tells
                await trio.sleep(0.01)
        pipes = [pipes_of(pid) for pid in keepers]
        assert set() == pipes[0] & pipes[1]
        assert {0, 1, 2} == {*open_files(one.pid)} == {*open_files(two.pid)}


@pytest.mark.parametrize("name", ["fork_server", "launcher"])
def test_fork_server_and_launcher_import_nothing_heavy(name):
    """Forked or started for every bot; what they may import beyond a bare interpreter is listed."""
    code = f"import sys; sys.path.append(sys.argv[1]); import {name}; print(*sys.modules)"
    told = [
        {*subprocess.check_output([sys.executable, "-I", "-S", "-B", *rest], text=True).split()}
        for rest in (
            ["-c", "import sys; print(*sys.modules)"],
            ["-c", code, keeper_process.DIRECTORY],
        )
    ]
    bare, loaded = told
    allowed = {name, "keeper", "execute", "proctree", "syscalls", "usage"}
    allowed |= {
        "ctypes",
        "errno",
        "itertools",
        "os",
        "resource",
        "select",
        "struct",
        "time",
        "types",
    }
    allowed |= {"stat", "posixpath", "genericpath", "os.path", "ntpath", "abc"}  # os needs them
    extra = {name for name in loaded - bare if not name.startswith(("_", "ctypes."))}
    assert set() == extra - allowed
