"""Adds blocks until there is no room: `filling.py PATH`. Says what came of it, as JSON."""

import itertools
import json
import sys
from pathlib import Path

from samples import asking, drawn, stored

from lanista.errors import StoreError
from lanista.results.database import Store

path = Path(sys.argv[1])
acknowledged = 0
with Store.open(path) as store:
    for at in itertools.count(0, 20):
        try:
            store.add([drawn(number) for number in range(at, at + 20)])
        except StoreError as error:
            words = str(error)
            break
        acknowledged += 20
    same = stored(store) == [drawn(number) for number in range(acknowledged)]
with Store.open(path, create=False) as store:
    again = len(asking(store).played())
print(json.dumps({"added": acknowledged, "words": words, "same": same, "again": again}))
