"""Kills a child at one statement after another: `dying.py FOLDER STEP`. One line a death.

Each child opens a new database, adds two blocks, then two more; it says in a pipe what came back.
The first dies at its first statement, the next STEP later; the last one isn't killed.
"""

import os
import signal
import sys
from pathlib import Path

import sqlalchemy as sa
from samples import asking, check_integrity, drawn, stored

from lanista.results.database import Store

BATCHES = [[drawn(0), drawn(1)], [drawn(2), drawn(3)]]
left = 0


@sa.event.listens_for(sa.Engine, "before_cursor_execute")
@sa.event.listens_for(sa.Engine, "commit")
def count(*_):
    global left  # noqa: PLW0603 - a script
    left -= 1
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)


def child(path, told):
    with Store.open(path) as store:
        for batch in BATCHES:
            store.add(batch)
            os.write(told, b".")


def main():
    global left  # noqa: PLW0603 - a script
    # What opening loads, before there are children.
    Store.open(Path(sys.argv[1]) / "first.db").close()
    for death in range(1, 1000, int(sys.argv[2])):
        path = Path(sys.argv[1]) / f"{death}.db"
        reading, writing = os.pipe()
        pid = os.fork()
        if pid == 0:
            left = death
            child(path, writing)
            os._exit(0)
        os.close(writing)
        with open(reading, "rb") as pipe:  # noqa: PTH123 - a descriptor
            acknowledged = len(pipe.read())
        ended = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        assert ended in {0, -signal.SIGKILL}, ended
        left = 0
        with Store.open(path) as store:
            # Nobody was told of a last batch that is there, or was killed before the answer.
            there = stored(store)
            whole = [[], BATCHES[0], BATCHES[0] + BATCHES[1]]
            assert there in whole[acknowledged : acknowledged + 2], (death, acknowledged, there)
            store.add(BATCHES[1])
            store.add(BATCHES[0])
            assert {"id0", "id1", "id2", "id3"} == {block.id for block in asking(store).played()}
        check_integrity(path)
        print(death, acknowledged, flush=True)
        if ended == 0:
            return


main()
