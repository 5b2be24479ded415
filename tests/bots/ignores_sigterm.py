"""Misbehaves: when its match is over it stays, and doesn't listen to polite signals.

The first word of its command line is a file for its pid; the others go into its hello.
"""

import os
import signal
import sys
from pathlib import Path

from wire import Arena

for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
    signal.signal(number, signal.SIG_IGN)
Path(sys.argv.pop(1)).write_text(f"{os.getpid()}\n")
try:
    Arena().play()
finally:
    while True:
        signal.pause()
