"""What is said to authors who mix up a connection and standard input and output."""

from pathlib import Path

import pytest

from lanista.bots.builder import PYTHON
from lanista.bots.building import command_of
from lanista.bots.process import Bot, Exit
from lanista.hosting import names
from lanista.hosting.names import BRIDGE, bot_command


def ended(command, exit_=None, output=b""):
    """A bot that has sent no hello."""
    bot = Bot(command, exit=exit_)
    bot.keep(output)
    return bot


AS_STDIO = "if it reads its turns from standard input, start it as 'stdio:python3 bot.py'"
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
def test_a_bot_without_a_hello_may_read_standard_input(exit_, output, hint):
    """Not if it crashed for another reason."""
    command = ("python3", "bot.py")
    assert hint == names.why_no_hello(ended(command, exit_, output), command)


def test_a_program_that_was_handed_in_may_read_standard_input():
    """Its author gave no command: one with the arena's own paths would say nothing to them."""
    command = command_of(Path("1.program"), (PYTHON, "bot.py"))
    assert names.why_no_hello(ended(command, Exit(code=0)), command) == (
        "if it reads its turns from standard input, hand it in as a ZIP whose bot.toml has "
        'run = "stdio:COMMAND"'
    )


def test_a_bot_that_surely_connects_is_told_nothing_of_standard_input():
    """A house bot, and one that gets the arena's address on its command line."""
    _, command = bot_command("angrymob", "CamperJoe")
    assert names.why_no_hello(ended(command), command) == ""
    filled = ended(("./bot", "40001"))
    assert names.why_no_hello(filled, ("./bot", "{port}")) == ""


def test_a_stdio_bot_that_says_nothing_is_told_to_flush_standard_output():
    flush = "does it flush standard output after each answer?"
    assert names.why_silent((*BRIDGE, "./tomahawk")).endswith(flush)
    awk = names.why_silent((*BRIDGE, "/usr/bin/awk", "-f", "bot.awk"))
    assert awk.endswith(f"{flush} mawk does with -W interactive")


def test_who_has_a_connection_is_not_told_to_flush_standard_output():
    assert names.why_silent(("python3", "bot.py")) == ""
