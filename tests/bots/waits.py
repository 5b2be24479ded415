"""Healthy, of any game: answers with no submoves; from the second turn on, once the file GATE is
there. The file GATE.asked says that it waits for that.
"""

import os
import time
from pathlib import Path

from wire import Arena

arena = Arena()
arena.play(turns=1)
while True:
    arena.turn()
    Path(f"{os.environ['GATE']}.asked").touch()
    while not Path(os.environ["GATE"]).exists():
        time.sleep(0.02)
    arena.say(b"\n")
