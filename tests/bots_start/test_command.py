"""Reading command lines and telling bots where the arena is."""

import os
import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lanista.bots.command import CommandError, environment, fill, parse_command


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("./mybot", ("./mybot",)),
        ("  python3   mybot.py  ", ("python3", "mybot.py")),
        ("java -cp 'my classes' Main", ("java", "-cp", "my classes", "Main")),
        ('run "a b" c\\ d ""', ("run", "a b", "c d", "")),
        ("run $HOME *.py | cat; ls # no", ("run", "$HOME", "*.py", "|", "cat;", "ls", "#", "no")),
        ("run\ttwo\nthree", ("run", "two", "three")),
        ("größe 'ä ö'", ("größe", "ä ö")),
    ],
)
def test_words_are_split_as_a_shell_does_but_nothing_is_expanded(text, words):
    assert words == parse_command(text)


@given(st.lists(st.text(st.characters(exclude_characters="\0")), min_size=1))
def test_quoted_words_come_back(words):
    """What shlex.join writes, parse_command reads; only an empty program is refused."""
    words[0] = "program" + words[0]
    assert tuple(words) == parse_command(shlex.join(words))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "bot command '' names no program: give one, such as 'python3 mybot.py'"),
        (" \n", "bot command ' \\n' names no program: give one, such as 'python3 mybot.py'"),
        ("./bot 'a", "bot command \"./bot 'a\" can't be split into words: No closing quotation"),
        ("bot \\", "bot command 'bot \\\\' can't be split into words: No escaped character"),
        ("'' bot", "bot command \"'' bot\" names no program: give one, such as 'python3 mybot.py'"),
        ("a\0b", "bot command 'a\\x00b' holds a NUL character: remove it"),
    ],
)
def test_a_command_that_cannot_be_read_is_told_in_one_line(text, message):
    with pytest.raises(CommandError) as caught:
        parse_command(text)
    assert message == str(caught.value)
    assert isinstance(caught.value, ValueError)


def test_only_the_four_placeholders_are_filled():
    """Other braces stay, doubled ones and unknown names too."""
    words = (
        "bot",
        "{host}:{port}",
        "{name}{token}",
        "{}",
        "{other}",
        "{{port}}",
        "{ port }",
        "{0}",
    )
    filled = ("bot", "127.0.0.1:4000", "Camper#7", "{}", "{other}", "{4000}", "{ port }", "{0}")
    assert filled == fill(words, port=4000, name="Camper", token="#7")


def test_a_value_is_neither_split_nor_filled_again():
    filled = fill(["x", "{name}"], port=1, name="{token} 'a b", token="secret")
    assert ("x", "{token} 'a b") == filled


def test_environment_is_the_base_and_the_six_variables():
    """They replace what the base says of them, so that no outer arena's token gets through."""
    base = {"PATH": "/bin", "LANISTA_TOKEN": "outer"}
    told = environment(host="10.0.0.1", port=4000, name="Bot", base=base)
    expected = {
        "PATH": "/bin",
        "LANISTA_HOST": "10.0.0.1",
        "LANISTA_PORT": "4000",
        "LANISTA_NAME": "Bot",
        "LANISTA_TOKEN": "",
        "LANISTA_QUIET": "1",
        "LANISTA_LOCAL": "1",
    }
    assert expected == told
    assert {"PATH": "/bin", "LANISTA_TOKEN": "outer"} == base


def test_environment_is_by_default_that_of_the_arena(monkeypatch):
    monkeypatch.setenv("SOMETHING", "else")
    told = environment(port=1, name="n", token="t")
    set_by_it = ("HOST", "PORT", "NAME", "TOKEN", "QUIET", "LOCAL")
    assert {*os.environ, *(f"LANISTA_{name}" for name in set_by_it)} == {*told}
    assert "else" == told["SOMETHING"]


@pytest.mark.parametrize(
    ("variable", "meant"),
    [
        ("ROOM", {"room": "r"}),
        ("KEEP", {"keep": True}),
        ("STDIO", None),  # it is for the program whose pipes an arena above holds
        ("WEB_TOKEN", None),  # with it, a bot could steer the arena by its page
    ],
)
def test_what_is_for_an_arenas_own_process_reaches_no_bot_of_its(monkeypatch, variable, meant):
    """A bot gets it only where it is meant for that bot."""
    variable = f"LANISTA_{variable}"
    monkeypatch.setenv(variable, "above")
    for base in (None, {variable: "above"}):
        assert variable not in environment(port=1, name="n", base=base)
        if meant is not None:
            told = environment(port=1, name="n", base=base, **meant)
            assert told[variable] in {"r", "1"}
