"""What is fuzzed, and how: a target draws inputs and checks each; a chunk of them is run at once.

A chunk is decided by the seed, the target's name and its own number, and is always as long, so a
finding is repeated by running its chunk again.
"""

import resource
import signal
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from types import FrameType, TracebackType
from typing import Any

import attrs

CHUNK = 1000
"""Inputs of a chunk."""
SECONDS = 1.0
"""Processor time that an input may take."""
MEMORY = 256 * 1024 * 1024
"""Bytes of address space by which an input may make the process larger."""
TRACE = 5000
"""Characters of a trace that are kept: its end."""
SHOWN = 2000
"""Characters of an input that are printed; the rest is in its file."""


class RefusedError(Exception):
    """An input was refused as documented, so there is nothing more to check."""


class TooSlowError(BaseException):
    """An input took too long. No Exception, which what is tested might handle."""


@attrs.frozen(kw_only=True)
class Target:
    """One thing that reads what others wrote."""

    draw: Callable[[Random], Any]
    """The next input, from chance alone."""
    check: Callable[[Any], None]
    """Reads an input; whatever it raises is a finding."""
    short: int = 1500
    """How many inputs `make test` tries."""


@attrs.frozen(kw_only=True)
class Finding:
    """An input that was not read as documented."""

    place: str
    """The error's type and the last line of Lanista that it came through: one fault, one place."""
    trace: str
    given: str
    """The input as Python writes it."""
    chunk: int
    number: int
    """The input's number in its chunk, from 0."""


def run_chunk(
    target: Target, name: str, seed: int, chunk: int, count: int = CHUNK
) -> list[Finding]:
    """Try the inputs of a chunk; the first finding of every place.

    Args:
        target: What is fuzzed.
        name: The target's name.
        seed: The whole run's.
        chunk: The chunk's number.
        count: How many of its inputs are tried.
    """
    random = Random(f"{seed} {name} {chunk}")
    findings: dict[str, Finding] = {}
    before = signal.signal(signal.SIGPROF, _interrupt)
    try:
        for number in range(count):
            given = target.draw(random)
            try:
                _check(target, given)
            except KeyboardInterrupt:
                raise
            except BaseException as error:
                place = _place(error)
                if place not in findings:
                    findings[place] = Finding(
                        place=place,
                        trace="".join(traceback.format_exception(error))[-TRACE:],
                        given=repr(given),
                        chunk=chunk,
                        number=number,
                    )
                error.__traceback__ = None  # it holds what filled the memory, if that was it
    finally:
        signal.signal(signal.SIGPROF, before)
    return list(findings.values())


def _check(target: Target, given: Any) -> None:
    """Check an input within its bounds: beyond them it ends in MemoryError or TooSlowError.

    Only processor time counts, as others use the machine. The kernel enforces the bound on memory:
    a peak that is read afterwards isn't exact on every kernel.
    """
    limits = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (_size() + MEMORY, limits[1]))
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        target.check(given)
    except RefusedError:
        pass
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        resource.setrlimit(resource.RLIMIT_AS, limits)


def _size() -> int:
    """Bytes of address space that this process has."""
    return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    raise TooSlowError(f"more than {SECONDS:g} s of processor time")


def _place(error: BaseException) -> str:
    if isinstance(error, TooSlowError):  # where it was interrupted is chance
        return type(error).__name__
    # Words that aren't as they should be are those of an error that was being handled.
    told = error.__context__ if isinstance(error, AssertionError) else None
    lines = list(_lines((told or error).__traceback__))
    ours = [line for line in lines if "/lanista" in line] or lines
    return f"{type(error).__name__} at {ours[-1]}"


def _lines(trace: TracebackType | None) -> Iterator[str]:
    while trace is not None:
        yield f"{trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}"
        trace = trace.tb_next


@contextmanager
def may_refuse(*errors: type[Exception], lines: int = 0) -> Iterator[None]:
    """Read an input in this block, or refuse it by one of these errors, whose words are checked.

    Args:
        errors: Those that are documented.
        lines: The highest number of a line that an error may have.
    """
    try:
        yield
    except errors as error:
        check_words(str(error))
        line = getattr(error, "line", None)
        assert line is None or 1 <= line <= lines, line
        raise RefusedError from error


def check_words(words: str, most: int = 1000) -> None:
    """Check that an error's words are one printable line that isn't too long."""
    assert words, "no words"
    assert words.isprintable(), f"not one printable line: {words[:300]!a}"
    assert len(words) <= most, f"{len(words)} characters: {words[:300]!a}"
