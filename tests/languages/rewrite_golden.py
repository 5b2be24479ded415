"""Plays the Python starters' matches anew and writes how they end: `make golden`."""

import json
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from languages import test_clients

if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        golden = {
            game: test_clients.play(
                game, [test_clients.starter("python", game)] * seats, Path(folder)
            )
            for game, (seats, _) in test_clients.MATCHES.items()
        }
    test_clients.GOLDEN.write_text(json.dumps(golden, indent=1) + "\n")
