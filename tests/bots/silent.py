"""Misbehaves: connects and never says a word."""

from wire import dial, tell_what_comes

tell_what_comes(dial())
