"""Misbehaves: answers with 1001 submoves; the words of one are its only argument."""

import sys

from wire import Arena

submove = sys.argv.pop(1)
Arena().play(answer=submove.encode() * 1001 + b"\n")
