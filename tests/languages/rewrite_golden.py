"""Plays the Python starters' matches anew and writes how they end: `make golden`."""

import json
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from languages import python, test_clients

if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        commands = python.build(folder)
        golden = {
            game: test_clients.play(game, [str(word) for word in commands[game]], Path(folder))
            for game in test_clients.MATCHES
        }
    test_clients.GOLDEN.write_text(json.dumps(golden, indent=1) + "\n")
