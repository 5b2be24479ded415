"""Starters in every language play in a sandbox: what it refuses, no runtime needs."""

from pathlib import Path

import pytest

from bots_start.arena import needs_sandbox
from e2e.running import Program, as_json, command
from languages.test_clients import starter, tables

CLIENTS = Path(__file__).parents[2] / "clients"

pytestmark = [needs_sandbox, pytest.mark.usefixtures("one_sandbox")]


@pytest.mark.parametrize(
    "names",
    [
        # The runtimes that ask the most of a system are tried every day.
        pytest.param(names, marks=() if "java" in names else pytest.mark.long)
        for names in tables(2)
    ],
    ids="-".join,
)
def test_starters_play_in_sandboxes(names, tmp_path, started):
    # Named, so that the sandbox shows it though it may lie in a folder that is covered.
    bots = [f"env LANISTA_CLIENTS={CLIENTS} {starter(name, 'angrymob')}" for name in names]
    options = "--sandbox", "bwrap", "--json", "-s", 7, "--no-clock", "-o", "record.jsonl"
    words = command("play", "angrymob", *bots, "--move-limit", 20, *options)
    match = started(Program(words, tmp_path))
    assert (0, "") == (match.wait(), match.err)
    (result,) = as_json(match)
    assert ("finished", []) == (result["end"], result["faults"])
