"""Misbehaves: plays two turns, then neither reads nor answers nor leaves."""

import signal

from wire import Arena, dial

arena = Arena(dial(receive_buffer=2048))
arena.play(turns=2)
while True:
    signal.pause()
