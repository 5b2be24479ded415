"""Fixtures of this folder: bouts of a bot, and the command itself."""

import types

import pytest

from check.checking import under_check
from e2e.running import Program, command
from lanista.bots import become_subreaper
from lanista.check import gauntlet
from lanista.check.bout import play
from lanista.check.gauntlet import Results
from lanista.check.items import judge


@pytest.fixture
def items_after():
    """Play some bouts of a gauntlet, by name; the items by name. The others aren't tried."""

    async def items_after(words, *names, **options):
        become_subreaper()
        tested = under_check(words, **options)
        results = Results(tested=tested, bouts={})
        for spec in gauntlet.specs_of(tested, ()):
            if spec.name in (gauntlet.PLAIN, *names):
                results.bouts[spec.name] = await play(tested, spec)
        return {item.name: item for item in judge(results)}

    return items_after


@pytest.fixture
def lanista(tmp_path):
    """Run `lanista WORD…` to its end: code, out, err."""
    programs = []

    def run(*words, interrupt=None):
        program = Program(command(*words), tmp_path / f"run{len(programs)}")
        programs.append(program)
        if interrupt is not None:
            interrupt(program)
        code = program.wait()
        return types.SimpleNamespace(code=code, out=program.out, err=program.err)

    yield run
    for program in programs:
        program.end()
