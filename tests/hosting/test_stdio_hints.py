"""What is said to authors who mix up a connection and standard input and output."""

import pytest

from lanista.bots.process import Bot, Exit
from lanista.hosting import stdio_hints
from lanista.hosting.names import BRIDGE, bot_command


def ended(command, exit_=None, output=b""):
    """A bot that never connected."""
    bot = Bot(command, exit=exit_)
    bot.keep(output)
    return bot


AS_STDIO = (
    "it never connected: if it reads its turns from standard input, "
    "start it as 'stdio:python3 bot.py'"
)
CODE_1 = Exit(code=1)


@pytest.mark.parametrize(
    ("exit_", "output", "hint"),
    [
        (None, b"", AS_STDIO),
        (Exit(code=0), b"bye", AS_STDIO),
        (CODE_1, b"EOFError: EOF when reading a line", AS_STDIO),
        (CODE_1, b"java.util.NoSuchElementException: No line found", AS_STDIO),
        (CODE_1, b"ModuleNotFoundError: No module named 'numpy'", ""),
    ],
)
def test_a_bot_that_never_connected_may_read_standard_input(exit_, output, hint):
    """Not if it crashed for another reason."""
    assert hint == stdio_hints.why_not_connected(ended(("python3", "bot.py"), exit_, output))


def test_a_house_bot_never_reads_standard_input():
    _, command = bot_command("angrymob", "CamperJoe")
    assert stdio_hints.why_not_connected(ended(command)) == ""


@pytest.mark.parametrize("program", ["mawk", "awk"])
@pytest.mark.parametrize(
    ("words", "names_it"),
    [((), True), (("-W", "interactive"), False), (("-Winteractive",), False)],
)
def test_mawk_is_told_how_not_to_buffer(tmp_path, monkeypatch, program, words, names_it):
    """Also where it is called awk."""
    (tmp_path / "mawk").touch(0o755)
    if program == "awk":
        (tmp_path / "awk").symlink_to("mawk")
    monkeypatch.setenv("PATH", str(tmp_path))
    hint = stdio_hints.why_silent((*BRIDGE, program, *words, "-f", "my bot"))
    command = f"""'stdio:{program} -W interactive -f '"'"'my bot'"'"''"""
    assert names_it == hint.endswith(f"so start it as {command}")
    assert names_it != hint.endswith("does it flush standard output after each answer?")


def test_who_has_a_connection_is_not_told_to_flush_standard_output():
    assert stdio_hints.why_silent(("python3", "bot.py")) == ""


NO_ARENA = "no arena at 127.0.0.1:40001; start one with `lanista serve`"


@pytest.mark.parametrize(
    ("words", "exit_", "tells"),
    [
        ("", Exit(code=0), True),
        (NO_ARENA, CODE_1, True),
        ("bot.py:4: KeyError: 9", CODE_1, False),
        ("this program connects by itself: start it without stdio:", CODE_1, False),
        ("", None, False),
    ],
)
def test_a_stdio_bot_that_leaves_without_an_answer_may_connect_by_itself(words, exit_, tells):
    """Not if it says a reason, or says it itself."""
    hint = "if it connects to the arena by itself, leave out stdio:" if tells else ""
    assert hint == stdio_hints.why_unheard((*BRIDGE, "./bot"), exit_, words)
    assert stdio_hints.why_unheard(("./bot",), exit_, words) == ""
