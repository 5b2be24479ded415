"""Looking for damage in the database of a large ladder while the arena runs already."""

import subprocess
import sys
from pathlib import Path

import structlog
import trio

LARGE = 32 << 20
"""Size of a SQLite file, in bytes, from which on an arena doesn't wait for the result: checking a
smaller one takes two seconds at most."""

log = structlog.get_logger()


def is_large(path: Path) -> bool:
    """Return whether a database is to be checked beside the running arena."""
    return path.exists() and path.stat().st_size >= LARGE


async def damage_of(path: Path) -> str:
    """Return why a database can't be trusted, in one line; "" if nothing is found.

    It is looked at by a process of low priority (`lanista.store.damage`).
    """
    # -P: modules in the arena's working directory must not hide ours.
    argv = [sys.executable, "-P", "-m", "lanista.store.damage", str(path)]
    try:
        process = await trio.lowlevel.open_process(
            argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
        )
    except OSError as error:
        log.warning("not checked for damage", path=str(path), why=error.strerror)
        return ""
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        async with process.stdin, process.stdout:
            told = b"".join([data async for data in process.stdout])
            await process.wait()
    finally:
        if process.returncode is None:
            process.kill()
            with trio.CancelScope(shield=True):
                await process.wait()
    if process.returncode not in {0, 1}:
        log.warning("not checked for damage", path=str(path), code=process.returncode)
        return ""
    log.info("checked for damage", path=str(path), damaged=process.returncode == 1)
    return told.decode(errors="replace").strip()
