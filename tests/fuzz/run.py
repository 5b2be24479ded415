"""Fuzzes all that reads what others wrote: `make fuzz`, or python tests/fuzz/run.py --help

Valid examples are changed at random and read. An error that isn't documented is a finding, as is an
input that takes more than a second, or memory without bound. Exits with 1 if there was any.
"""

import argparse
import functools
import os
import resource
import secrets
import signal
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path

HERE = Path(__file__).parent
if __name__ == "__main__":
    sys.path[0] = str(HERE.parent)  # not this folder, whose `page` isn't the tests' package

from fuzz import archives, maps, originals, page, records, specs, submoves, wire  # noqa: E402
from fuzz.target import CHUNK, SHOWN, Finding, Target, run_chunk  # noqa: E402

TARGETS: Mapping[str, Callable[[], Target]] = {
    **wire.TARGETS,
    **submoves.TARGETS,
    **maps.TARGETS,
    **originals.TARGETS,
    **records.TARGETS,
    **page.TARGETS,
    **specs.TARGETS,
    **archives.TARGETS,
}
KEPT = HERE.parents[1] / ".cache" / "fuzz"
"""Where the inputs of findings are written."""
FORK = get_context("fork")
"""How workers are started: with all that is imported here."""
MEMORY = 2 * 1024**3
"""Bytes of address space that a worker has: what an input takes beyond is a finding."""


@functools.cache
def target_named(name: str) -> Target:
    """A target, made once a process: its examples take a moment."""
    return TARGETS[name]()


def work(name: str, seed: int, chunks: Sequence[tuple[int, int]], results: Connection) -> None:
    """Run chunks and send what was found in each, in a process of its own."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's, which ends us
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    target = target_named(name)
    for chunk, count in chunks:
        results.send((count, run_chunk(target, name, seed, chunk, count)))


def fuzz(name: str, seed: int, chunks: Sequence[tuple[int, int]], workers: int) -> bool:
    """Fuzz a target, and tell how it went; whether it stood."""
    began, done, known = time.monotonic(), 0, set[str]()
    running: dict[Connection, tuple[BaseProcess, Iterator[tuple[int, int]]]] = {}
    for worker in range(workers):
        results, sending = FORK.Pipe(duplex=False)
        part = chunks[worker::workers]
        process = FORK.Process(target=work, args=(name, seed, part, sending))
        process.start()
        sending.close()
        running[results] = process, iter(part)
    try:
        while running:
            for results in wait(list(running)):
                process, left = running[results]
                try:
                    count, findings = results.recv()
                except EOFError:
                    process.join()
                    del running[results]
                    lost = next(left, None)
                    if lost is not None:
                        known.add("killed")
                        code = process.exitcode
                        print(f"{name}: a worker ended ({code}) in chunk {lost[0]} of seed {seed}")
                    continue
                next(left)
                done += count
                for finding in findings:
                    if finding.place not in known:
                        known.add(finding.place)
                        tell(name, seed, finding)
    finally:
        for process, _ in running.values():
            process.terminate()
            process.join()
        seconds = time.monotonic() - began
        found = f"{len(known) or 'no'} finding{'' if len(known) == 1 else 's'}"
        speed = f"{done / seconds:,.0f}/s"
        print(f"{name:20} {done:>9,} inputs {seconds:>7.1f} s {speed:>9}   {found}", flush=True)
    return not known


def tell(name: str, seed: int, finding: Finding) -> None:
    """Print a finding, and keep its input."""
    KEPT.mkdir(parents=True, exist_ok=True)
    path = KEPT / f"{name}-{seed}-{finding.chunk}-{finding.number}.txt"
    path.write_text(finding.given, encoding="utf-8", errors="backslashreplace")
    shown = finding.given[:SHOWN] + ("…" if len(finding.given) > SHOWN else "")
    print(
        f"\n{name}: {finding.place}\n{finding.trace}"
        f"input {finding.number} of chunk {finding.chunk}, as Python writes it ({path}):\n{shown}\n"
        f"again: .venv/bin/python tests/fuzz/run.py --seed {seed} --chunk {finding.chunk} {name}\n",
        flush=True,
    )


def main() -> None:
    """Fuzz what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[2])
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=f"of {', '.join(TARGETS)}")
    parser.add_argument("--inputs", type=int, default=20_000, help="of each target (20000)")
    parser.add_argument("--seed", type=int, help="of an earlier run, whose inputs are made again")
    parser.add_argument("--chunk", type=int, help=f"only this one, of {CHUNK} inputs")
    parser.add_argument("--workers", type=int, help="processes; as many as there are cores")
    given = parser.parse_args()
    unknown = sorted({*given.targets} - {*TARGETS})
    if unknown:
        parser.error(f"unknown target {unknown[0]!r}; there are {', '.join(TARGETS)}")
    seed = secrets.randbelow(10**9) if given.seed is None else given.seed
    workers = given.workers or len(os.sched_getaffinity(0))
    chunks = [
        (chunk, min(CHUNK, given.inputs - begin))
        for chunk, begin in enumerate(range(0, given.inputs, CHUNK))
    ]
    if given.chunk is not None:
        chunks = [(given.chunk, CHUNK)]
    print(f"seed {seed}, {workers} processes", flush=True)
    stood = True
    try:
        for name in given.targets or TARGETS:
            stood = fuzz(name, seed, chunks, workers) and stood
    except KeyboardInterrupt:
        print("interrupted", flush=True)
        sys.exit(130)
    sys.exit(not stood)


if __name__ == "__main__":
    main()
