"""Healthy, of any game: answers every turn with no submoves."""

from wire import Arena

Arena().play()
