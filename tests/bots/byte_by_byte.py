"""Odd but allowed: marches, and sends its answers one byte at a time."""

from march import March
from wire import Arena

arena, march = Arena(), March()
while True:
    for byte in march.answer(arena.turn()):
        arena.say(bytes((byte,)))
