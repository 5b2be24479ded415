"""`lanista connect`: bytes both ways, logs before answers, and every way to end.

The arena here follows a script; the bots are programs of a few lines.
"""

import contextlib
import shlex
import signal
import socket
import subprocess
import sys
import threading

import pytest

from client.scripted_arena import WELCOME, Hears, Says, ScriptedArena
from e2e.running import PATIENCE, environment, run_here, runs, wait_until, wait_until_gone
from lanista.bots.bridge import LOG_KEPT, READ, UNREAD, CannotConnectError, run

HELLO = b"Bot v=1\n"
ECHO = """
import sys
for line in sys.stdin.buffer:
    sys.stdout.buffer.write(b"> " + line)
    sys.stdout.buffer.flush()
"""
LOGS = """
import os, sys
for line in sys.stdin:
    os.write(2, eval(line))
    os.write(1, b"1 2\\n")
"""
"""Writes what a line says to stderr, then answers."""


def bot(code):
    """The words of a bot of this code."""
    return [sys.executable, "-I", "-S", "-u", "-c", code]


def connect(*words, port=None, env=None, start=subprocess.run):
    """Run `lanista connect`."""
    where = [] if port is None else ["--port", str(port)]
    more = {} if start is subprocess.Popen else {"timeout": PATIENCE}
    return start(
        [sys.executable, "-m", "lanista", "connect", *where, *words],
        env=environment(**(env or {})),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        **more,
    )


def play(code, *script, options=("--name", "Bot")):
    """A bot of this code with an arena of this script; the bridge's end."""
    with ScriptedArena(Hears(HELLO), *script) as arena:
        return connect(*options, "--", *bot(code), port=arena.port)


@contextlib.contextmanager
def by_hand(code):
    """A bridge of a bot of this code, and the arena's end of its connection, to be used by hand."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(PATIENCE)
        words = ("--name", "Bot", "--", *bot(code))
        with connect(*words, port=server.getsockname()[1], start=subprocess.Popen) as bridge:
            arena_side, _ = server.accept()
            arena_side.settimeout(PATIENCE)
            with arena_side:
                yield bridge, arena_side


def test_an_arena_whose_machine_is_gone_is_noticed():
    """Otherwise a bot that waits for its next match would wait for ever."""

    def look(connected):
        with connected:
            raise CannotConnectError(connected.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE))

    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        pytest.raises(CannotConnectError, match="1"),
    ):
        run(["true"], "Bot v=1", *server.getsockname(), secure=look)


# -- hello ---------------------------------------------------------------------------------------


def test_the_hello_is_made_of_the_options():
    hello = b"Ann Lee v=1 game=hogwarts room=a-1 seat=2 token=s3cret keep=1 notes=1\n"
    options = ["--host", "127.0.0.1", "--name", "Ann Lee", "--game", "hogwarts", "--room", "a-1"]
    options += ["--seat", "2", "--token", "s3cret", "--keep", "--notes"]
    with ScriptedArena(Hears(hello), Says(b"hi\n"), Hears(b"> hi\n")) as arena:
        done = connect(*options, "--", *bot(ECHO), port=arena.port)
    assert (0, b"", b"") == (done.returncode, done.stdout, done.stderr)


def test_the_environment_says_what_the_options_do_not():
    with ScriptedArena(Hears(b"Zo\xc3\xab v=1 token=t\n"), Says(WELCOME)) as arena:
        env = {"LANISTA_HOST": "127.0.0.1", "LANISTA_PORT": str(arena.port)}
        env |= {"LANISTA_NAME": "Zoë", "LANISTA_TOKEN": "t"}
        assert connect("--", *bot(ECHO), env=env).returncode == 0


def test_a_library_is_told_not_to_connect_as_well():
    """By LANISTA_STDIO=1 (PROTOCOL.md 2); its error goes to stderr, as any bot's."""
    code = f"import sys; sys.path[:0] = {sys.path!r}; from lanista_client import Arena; Arena('A')"
    done = play(code, Hears(b"# unreachable: this program connects to the arena by itself; "))
    words = "this program connects to the arena by itself; start it without `stdio:` or"
    told = f"unreachable: {words} `lanista connect`\n"
    assert (1, told) == (done.returncode, done.stderr.decode())


def test_a_script_that_can_not_be_started_is_told_why(tmp_path):
    """The same is told of a script that is started without a bridge."""
    script = tmp_path / "bot.py"
    script.write_text("print()\n")
    script.chmod(0o755)
    with ScriptedArena() as arena:
        done = connect("--", str(script), port=arena.port)
    assert 1 == done.returncode
    assert b"Exec format error (a script must begin with a #! line)\n" in done.stderr


def test_without_a_name_the_command_gives_one(tmp_path):
    script = tmp_path / "my bot.py"
    script.write_text(ECHO)
    with ScriptedArena(Hears(b"my-bot v=1\n"), Says(WELCOME)) as arena:
        assert connect("--", sys.executable, str(script), port=arena.port).returncode == 0


@pytest.mark.parametrize(
    ("words", "env", "expected"),
    [
        ("-- nonesuch", {}, "no program 'nonesuch' that could be run"),
        (f"-- {__file__}", {}, f"not executable; run it as python3 {__file__}"),
        ("--name a=b -- true", {}, "'a=b': a name has 1 to 32 printable"),
        (
            "--name 'a  b' -- true",
            {},
            "'a  b': a name has 1 to 32 printable characters, single spaces",
        ),
        (f"--name {'x' * 33} -- true", {}, ": a name has 1 to 32 printable"),
        ("--name 'a\tb' -- true", {}, "'a\\tb'"),
        (
            "--name a --room 'two words' -- true",
            {},
            "--room 'two words': it must be 1 to 64 of A-Z a-z 0-9 . _ -",
        ),
        ("--name a --room a/b -- true", {}, "--room 'a/b': it must be"),
        ("--name a -- true", {"LANISTA_PORT": "http"}, "(env var: 'LANISTA_PORT'): 'http'"),
        (
            "--name a -- true",
            {"LANISTA_TLS": "yes"},
            "LANISTA_TLS must be 1 for TLS or 0 for plain text, not 'yes'",
        ),
        ("--name a --tls-ca ca.pem -- true", {}, "--tls-ca is of no use without TLS: add --tls"),
        (
            "--name a --tls --tls-ca no.pem -- true",
            {},
            "--tls-ca: no.pem can't be read: no such file or directory",
        ),
        ("--name a", {}, "Missing argument"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(tmp_path, words, env, expected):
    done = run_here(["connect", *shlex.split(words)], tmp_path / "run", environment(**env))
    assert (2, "") == (done.code, done.out)
    (line,) = done.err.splitlines()
    assert expected in line


def test_no_arena_is_one_line_and_exit_code_1_and_no_bot_is_started(tmp_path):
    mark = tmp_path / "started"
    done = run_here(["connect", "--port", 1, "--", "touch", mark], tmp_path / "run")
    words = "lanista connect: no arena at 127.0.0.1:1; start one with `lanista serve`\n"
    assert (1, words, False) == (done.code, done.err, mark.exists())


def test_a_port_at_which_nobody_greets_is_told():
    """The port may be the page's, which closes such a connection; the libraries say the same."""
    done = play(ECHO)
    words = b"the connection ended before a match; check that the arena is running, and that the "
    told = b"lanista connect: " + words + b"port is the one for bots\n"
    assert (1, b"", told) == (done.returncode, done.stdout, done.stderr)


def test_a_bot_that_fails_has_its_own_exit_code_though_it_was_put_out():
    """Only its 0 is replaced, as the libraries end with 1 then."""
    done = play("import sys; sys.stdin.read(); sys.exit(3)", Says(b"error bad-token no\n"))
    assert done.returncode == 3


# -- lines ---------------------------------------------------------------------------------------


def test_every_byte_passes_both_ways():
    """Not UTF-8, a CR, an empty line, and a line in pieces."""
    done = play(ECHO, Says(b"\xff\xfe go\r\n\n"), Hears(b"> \xff\xfe go\r\n> \n"), Says(b"x y\n"))
    assert (0, b"", b"") == (done.returncode, done.stdout, done.stderr)


def test_more_than_a_pipe_holds_passes_both_ways():
    line = b"unit " * (4 * READ // 5) + b"\n"
    assert play(ECHO, Says(line), Hears(b"> " + line)).returncode == 0


def test_an_answer_goes_out_when_its_line_is_whole():
    code = """
import os, sys
sys.stdin.readline()
os.write(1, b"1 2 ")
sys.stdin.readline()
os.write(1, b"3\\n4 ")
sys.stdin.readline()
"""
    done = play(code, Says(b"go\n"), Says(b"more\n"), Hears(b"1 2 3\n"))
    assert done.returncode == 0


def test_a_line_too_long_is_the_arenas_to_refuse():
    code = "import os\nfor _ in range(3): os.write(1, b'1' * 50_000)\nos.read(0, 100)"
    assert play(code, Says(WELCOME), Hears(b"1" * 65_538)).returncode == 0


def test_stderr_goes_before_the_answer_and_to_our_own():
    said = [b"one\ntwo\n", b"", b"half", b" more\n"]
    heard = [b"# one\n# two\n1 2\n", b"1 2\n", b"1 2\n", b"# half more\n1 2\n"]
    script = []
    for what, told in zip(said, heard, strict=True):
        script += [Says(repr(what).encode() + b"\n"), Hears(told)]
    done = play(LOGS, *script)
    assert (0, b"one\ntwo\nhalf more\n") == (done.returncode, done.stderr)


def test_stderr_is_told_within_what_a_log_line_may_be():
    """UTF-8 whatever it is; long lines divided; no CR at the end."""
    script = []
    for what, told in [
        (b"\xff\xc3\xa9\r\n", b"# \\xff\xc3\xa9\n"),
        (b"a" * 9000 + b"\n", b"# " + b"a" * 8192 + b"\n# " + b"a" * 808 + b"\n"),
        (b"\n", b"# \n"),
        (b"#@ cell 3 4 red\n", b"#@ cell 3 4 red\n"),  # PROTOCOL.md 9: it draws
        (b" #@ cell 3 4 red\n", b"#  #@ cell 3 4 red\n"),
        (b"#@" + b"a" * 9000 + b"\n", b"# #@" + b"a" * 8190 + b"\n# " + b"a" * 810 + b"\n"),
    ]:
        script += [Says(repr(what).encode() + b"\n"), Hears(told + b"1 2\n")]
    assert play(LOGS, *script).returncode == 0


def test_a_flood_of_stderr_does_not_hold_up_the_answer():
    """More than a pipe holds, before the answer: what the arena wouldn't keep is not sent."""
    line = b"x" * 99 + b"\n"
    code = f"""
import os, sys
sys.stdin.readline()
for _ in range(4000): os.write(2, {line!r})
os.write(1, b"1 2\\n")
sys.stdin.readline()
"""
    kept = -(-LOG_KEPT // (len(line) + 2))
    done = play(code, Says(b"go\n"), Hears((b"# " + line) * kept + b"1 2\n"))
    assert (0, 4000 * len(line)) == (done.returncode, len(done.stderr))


# -- the end -------------------------------------------------------------------------------------


def test_its_exit_code_is_the_bots():
    assert play("raise SystemExit(7)").returncode == 7


def test_it_ends_by_the_bots_signal():
    """So that the record tells it."""
    done = play("import os; os.kill(os.getpid(), 11)")
    assert -signal.SIGSEGV == done.returncode


def test_the_last_words_of_a_bot_that_fails_are_logged():
    """Before its connection ends: the arena keeps them with the turn."""
    code = "import os; input(); os.write(2, b'no brain\\nhalf a line'); os._exit(3)"
    ended = []
    done = play(code, Says(b"go\n"), Hears(b"# no brain\n# half a line\n"), lambda: ended.append(1))
    assert (3, b"no brain\nhalf a line", [1]) == (done.returncode, done.stderr, ended)


def test_an_answer_written_just_before_the_exit_arrives():
    assert play("print('1 2')", Says(b"a\n" * 1000), Hears(b"1 2\n")).returncode == 0


def test_a_bot_that_closes_its_stdout_has_left():
    code = "import os, sys; os.close(1); sys.stdin.read()"
    assert play(code, Hears(b"<EOF>"), Says(WELCOME)).returncode == 0


CHILD = """
pid = os.fork()
if pid == 0:
    time.sleep(600)
write(pid)
print("1 2", flush=True)
"""
STUBBORN = """
signal.signal(signal.SIGTERM, signal.SIG_IGN)
write(os.getpid())
print("1 2", flush=True)
while True: time.sleep(600)
"""


@pytest.mark.parametrize("then", [CHILD, STUBBORN], ids=["child", "stubborn"])
def test_nothing_of_the_bot_outlives_the_bridge(tmp_path, then):
    """Neither a child that holds the bot's stdout, nor a bot that ignores SIGTERM."""
    mark = tmp_path / "pid"
    write = f"write = lambda pid: open({str(mark)!r}, 'w').write(str(pid))"
    code = f"import os, signal, time\n{write}\n{then}"
    assert play(code, Hears(b"1 2\n"), Says(WELCOME)).returncode == 0
    wait_until_gone([int(mark.read_text())])


def test_the_bot_reads_to_the_end_of_what_the_arena_said():
    code = "import sys; n = len(sys.stdin.read()); sys.exit(n == 300_000)"
    assert play(code, Says(b"0123456789 " * 27272 + b"01234567")).returncode == 1


@pytest.mark.long
def test_a_bot_that_outlives_the_match_is_ended():
    """SIGTERM first, for one that has something to write; whatever it does then, all is well."""
    code = """
import signal, time, sys
signal.signal(signal.SIGTERM, lambda *_: (sys.stderr.write("bye"), sys.exit(9)))
print("1", flush=True)
while True: time.sleep(600)
"""
    done = play(code, Hears(b"1\n"), Says(WELCOME))
    assert (0, b"") == (done.returncode, done.stdout)


@pytest.mark.parametrize(
    ("number", "then"),
    [
        pytest.param(signal.SIGINT, "time.sleep(600)", marks=pytest.mark.long),
        (signal.SIGTERM, "time.sleep(600)"),
        pytest.param(signal.SIGHUP, "time.sleep(600)", marks=pytest.mark.long),
        (signal.SIGKILL, "sys.stdin.read()"),
    ],
)
def test_a_signal_ends_the_bridge_and_its_bot(tmp_path, number, then):
    """Killed by -9 the bridge can do nothing, but its bot reads the end of its input."""
    mark = tmp_path / "pid"
    code = f"""
import os, sys, time
open({str(mark)!r}, "w").write(str(os.getpid()) + "\\n")
{then}
"""
    bridges = []

    def strike():
        wait_until(lambda: mark.exists() and mark.read_text().endswith("\n"), "the bot is there")
        assert runs(int(mark.read_text()))
        bridges[0].send_signal(number)
        bridges[0].wait(PATIENCE)

    with ScriptedArena(Hears(HELLO), strike) as arena:
        bridge = connect("--name", "Bot", "--", *bot(code), port=arena.port, start=subprocess.Popen)
        bridges.append(bridge)
        with bridge:
            assert (b"", b"") == bridge.communicate(timeout=PATIENCE)
    assert -number == bridge.returncode
    wait_until_gone([int(mark.read_text())])


@pytest.mark.parametrize(
    "cut", [0, 6, 30, *(pytest.param(cut, marks=pytest.mark.long) for cut in (1, 8, 40, 52, 60))]
)
def test_what_the_arena_says_to_people_is_printed(cut):
    """An error, and what isn't about an answer, however they come; a short bot ignores them.

    Whoever started it learns by the exit code that it was put out.
    """
    said = (
        b"welcome 1 lanista 1\nnote room 0 - no ladder\nturn 3\nerror late too slow \x1b[31m\n"
        b"note benched 9 - x\n"
    )
    done = play("import sys; sys.stdin.read()", Says(said[:cut]), Says(said[cut:]))
    words = ("note room 0 - no ladder", r"error late too slow \x1b[31m", "note benched 9 - x")
    told = "".join(f"lanista connect: the arena says: {line}\n" for line in words)
    assert (1, told) == (done.returncode, done.stderr.decode())


def test_that_the_bot_waits_is_printed_once_in_the_words_of_the_libraries():
    """But not that all are there, nor if LANISTA_QUIET=1 asks for silence."""
    said = WELCOME + b"wait 2 2\nwait 1 2\nwait 1 2\n"
    with ScriptedArena(Hears(b"Bot v=1 game=angrymob\n"), Says(said)) as arena:
        words = ("--name", "Bot", "--game", "angrymob", "--", *bot("import sys; sys.stdin.read()"))
        done = connect(*words, port=arena.port)
    told = (
        f"lanista: waiting for an opponent at 127.0.0.1:{arena.port} (game angrymob, 1 of 2 seats"
    )
    assert done.stderr.decode().startswith(told)
    assert done.stderr.count(b"\n") == 1
    with ScriptedArena(Hears(HELLO), Says(said)) as arena:
        words = ("--name", "Bot", "--", *bot("import sys; sys.stdin.read()"))
        done = connect(*words, port=arena.port, env={"LANISTA_QUIET": "1"})
    assert done.stderr == b""


def test_all_is_printed_however_much_the_arena_says_at_once():
    done = play("import sys; sys.stdin.read()", Says(b"error late x\n" * 3000))
    line = b"lanista connect: the arena says: error late x\n"
    assert (1, line * 3000) == (done.returncode, done.stderr)


def test_words_that_only_look_like_an_error_are_not():
    said = b"player 0 error x\nerrors a\nnote late 0 - x\nnote rooms\nturn 1\n"
    done = play("import sys; sys.stdin.read()", Says(said))
    assert (0, b"") == (done.returncode, done.stderr)


@pytest.mark.long
def test_a_bot_that_reads_nothing_is_ended_when_the_arena_closes():
    """However much waits for it."""
    code = "import time\nprint('1', flush=True)\nwhile True: time.sleep(600)"
    done = play(code, Hears(b"1\n"), Says(b"unit 1 2 0 3\n" * 500_000))
    assert (0, b"") == (done.returncode, done.stderr)


def test_a_bot_that_never_reads_is_not_kept_for_ever():
    """As in a daemon that goes on for weeks."""
    code = "import time\nprint('1', flush=True)\nwhile True: time.sleep(600)"
    sent = b"unit 1 2 0 3\n" * (UNREAD // 13 + READ)
    with by_hand(code) as (bridge, arena):
        with contextlib.suppress(ConnectionError):
            arena.sendall(sent)
            while arena.recv(4096):
                pass
        arena.close()
        _, err = bridge.communicate(timeout=PATIENCE)
    told = b"lanista connect: the bot has left 16777216 bytes unread\n"
    assert (1, told) == (bridge.returncode, err)


def test_a_child_that_floods_stderr_does_not_hold_up_the_answers():
    """What comes while an answer waits isn't read to its end: it has none."""
    code = """
import os, sys
if os.fork() == 0:
    while True: os.write(2, b"x" * 65536)
for line in sys.stdin.buffer:
    os.write(1, line)
"""
    heard = []
    with by_hand(code) as (bridge, arena):
        drain = threading.Thread(target=bridge.stderr.read)
        drain.start()
        with arena, arena.makefile("rb") as lines:
            assert lines.readline() == HELLO
            for turn in range(50):
                arena.sendall(b"%d\n" % turn)
                line = b"#"
                while line.startswith(b"#"):
                    line = lines.readline()
                heard.append(int(line))
        drain.join(PATIENCE)
        assert 0 == bridge.wait(PATIENCE)
    assert list(range(50)) == heard


@pytest.mark.parametrize("host", [".example.x", "a" * 70, "no such host"])
def test_a_host_that_is_none_is_one_line(tmp_path, host):
    """The bridge says the same as bots with a library."""
    done = run_here(["connect", "--host", host, "--name", "Bot", "--", "true"], tmp_path / "run")
    told = f"no arena at {host}:7777: unknown host; check the host and the port\n"
    assert (1, f"lanista connect: {told}") == (done.code, done.err)


def test_a_token_is_never_printed(tmp_path):
    words = ["connect", "--name", "Bot", "--token", "hunter 2", "--", "true"]
    done = run_here(words, tmp_path / "run")
    assert (2, False) == (done.code, "hunter" in done.err)


def test_closed_streams_are_not_taken_for_the_connection():
    """Started with stderr closed, what the bot writes there goes nowhere."""
    code = "import os; os.write(2, b'3 3 3 3\\n'); input(); os.write(1, b'1 2\\n')"
    with ScriptedArena(Hears(HELLO), Says(b"go\n"), Hears(b"# 3 3 3 3\n1 2\n")) as arena:
        words = [sys.executable, "-m", "lanista", "connect", "--port", str(arena.port)]
        words += ["--name", "Bot", "--", *bot(code)]
        done = subprocess.run(
            ["sh", "-c", 'exec "$@" 0<&- 1>&- 2>&-', "sh", *words],
            env=environment(),
            timeout=PATIENCE,
        )
    assert 0 == done.returncode
