"""Tries a place that can't be written: `closed.py PATH`. Says what came of it, as JSON."""

import json
import sys
from pathlib import Path

from samples import asking, drawn

from lanista.errors import StoreError
from lanista.results.database import Store

path = Path(sys.argv[1])


def read():
    with Store.open(path, create=False) as store:
        return [block.id for block in asking(store).played()]


def write():
    with Store.open(path, create=False) as store:
        return store.add([drawn(99)])


def run():
    with Store.open(path) as store, store.lock():
        return store.add([drawn(99)])


def make():
    Store.open(path.with_name("new.db")).close()


said = {}
for act in (read, write, run, make):
    try:
        said[act.__name__] = act()
    except StoreError as error:
        said[act.__name__] = str(error)
print(json.dumps(said))
