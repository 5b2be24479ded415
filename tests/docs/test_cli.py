"""Tests that the page on the commands has all of them, and their options."""

import re

import click

from docs.pages import DOCS
from lanista.cli import lanista


def commands(group, *words):
    """Yield each command with the words by which it is called."""
    with click.Context(group) as context:
        for name in group.list_commands(context):
            found = group.get_command(context, name)
            if isinstance(found, click.Group):
                yield from commands(found, *words, name)
            elif not found.hidden:
                yield (*words, name), found


def test_every_option_is_on_the_page():
    """One spelling of each is enough; the page says of some that they are those of `play`."""
    known = set(re.findall(r"(?<![\w-])--?[a-z][\w-]*", (DOCS / "cli.md").read_text("utf-8")))
    missing = [
        f"{' '.join(words)}: {option.opts[0]}"
        for words, command in commands(lanista)
        for option in command.params
        if isinstance(option, click.Option) and not option.hidden
        if not known & {*option.opts, *option.secondary_opts}
    ]
    assert [] == missing


def test_every_command_is_on_the_page():
    text = (DOCS / "cli.md").read_text("utf-8")
    missing = [words for words, _ in commands(lanista) if not re.search(rf"\b{words[-1]}\b", text)]
    assert [] == missing


def test_every_default_that_the_help_shows_may_be_given():
    for _, command in commands(lanista):
        for option in command.params:
            has_value = isinstance(option, click.Option) and not option.is_flag
            if has_value and isinstance(option.default, (int, float, str)):
                option.type.convert(str(option.default), option, None)
