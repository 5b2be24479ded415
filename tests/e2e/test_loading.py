"""Commands, processes and imports load only what they need, as that is most of their time."""

import re
import subprocess
import sys

import pytest

from e2e.running import PATIENCE

COMMAND = "from lanista.cli import main; sys.argv[1:] = {!r}.split(); main()"
LIST_BOTS = "[registry.house_bots(game) for game in registry.ours()]"
REPLAYS = "lanista.cli.originals, lanista.cli.replay, lanista.page.replay_reader"
CASES = {
    # The code, and patterns of the names of modules that it must not load.
    "help": (
        COMMAND.format("--help"),
        ("trio", "rich", "structlog", "cattrs", "lanista.games.angrymob"),
    ),
    "match": (
        COMMAND.format("play angrymob CamperJoe CamperJoe --move-limit 4"),
        (
            *("rich", "structlog", "cattrs", "sqlalchemy", "numpy", "asyncio", "tomllib"),
            *("importlib.metadata", "statistics", "zipfile", "multiprocessing"),
            *("lanista.page", "lanista.bots.sandbox", "lanista.games.originals"),
        ),
    ),
    "library": ("import lanista", ("lanista[.].*", "trio", "attrs", "asyncio")),
    "tournaments of the library": (
        "import lanista.competition",
        ("numpy", "sqlalchemy", "trio", "attrs", "cattrs", "distributed"),
    ),
    "list of house bots": (
        f"from lanista.games import registry; {LIST_BOTS}",
        ("lanista_client.*", r"lanista[.]games[.]\w+[.](?!house_bots$).*"),
    ),
    "replays without pictures": (f"import {REPLAYS}, lanista.results.match_list", ("PIL",)),
    # Processes that only forward the lines of their logs.
    "match worker": ("import lanista.arena.match_worker", ("rich", "structlog")),
    "TLS relay": ("import lanista.arena.tls_relay", ("rich", "structlog")),
}


@pytest.mark.parametrize(("code", "unwanted"), CASES.values(), ids=CASES)
def test_what_takes_long_to_load_waits_until_it_is_needed(tmp_path, code, unwanted):
    code = f"import sys\ntry:\n    {code}\nfinally:\n    print(*sys.modules, file=sys.stderr)"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE
    )
    assert 0 == done.returncode, done.stderr
    loaded = done.stderr.split()
    assert "encodings" in loaded
    assert [] == [name for name in loaded if any(re.fullmatch(one, name) for one in unwanted)]
