"""Healthy: speaks version 1 and marches."""

from march import March
from wire import Arena

arena, march = Arena(), March()
while True:
    arena.say(march.answer(arena.turn()))
