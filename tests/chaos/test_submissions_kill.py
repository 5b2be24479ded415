"""Kill -9 of an arena to which programs are handed in: whatever it took is there afterwards."""

import base64
import hashlib
import http.client
import json
import random
import secrets
import signal
import threading
import time

import pytest

from bots_start.arena import needs_sandbox
from e2e.running import PATIENCE, FileArena, wait_until
from support.processes import processes_in

FILE = """
port = 0
data = "data"
page = { listen = "127.0.0.1:0" }

[[ladders]]
name = "pit"
game = "angrymob"
submissions = { per_hour = 1000, versions = 50 }
"""
GOOD = b"import time\ntime.sleep(0.5)  # it never says hello\n"
BAD = b"def (:\n"
STATES = {"received", "building", "checking", "ready", "playing", "refused"}


class Arena(FileArena):
    """One with its page."""

    def __init__(self, folder, number):
        super().__init__(folder, FILE, running=f"arena{number}")
        self.web = int(self.page.rpartition(":")[2])

    def ask(self, method, name, path, body=None):
        """The status and the body of an answer about a name's programs."""
        client = http.client.HTTPConnection("127.0.0.1", self.web, timeout=PATIENCE)
        words = base64.b64encode(f"{name}:token-of-{name}".encode()).decode()
        path = f"/api/1/ladders/pit/submissions{path}"
        client.request(method, path, body, {"Authorization": f"Basic {words}"})
        answer = client.getresponse()
        return answer.status, answer.read()


class Author(threading.Thread):
    """Hands in one version after another until the arena is gone; notes what was acknowledged."""

    def __init__(self, arena, name, seed):
        super().__init__()
        self.arena, self.name_, self.chance = arena, name, random.Random(seed)
        self.taken = {}
        """By version: what was acknowledged, until its deletion was asked for."""

    def run(self):
        while True:
            data = self.chance.choice([GOOD, BAD, BAD, BAD]) + b"# %d" % self.chance.getrandbits(64)
            try:
                status, answer = self.arena.ask("POST", self.name_, "?file=bot.py", data)
                assert 201 == status, answer
                self.taken[json.loads(answer)["version"]] = data
                if self.chance.random() < 0.3:
                    number = self.chance.choice(list(self.taken))
                    del self.taken[number]
                    self.arena.ask("POST", self.name_, f"/{number}/delete")
            except (OSError, http.client.HTTPException):
                return  # it was killed


def _wait_for(authors, count):
    wait_until(lambda: sum(len(one.taken) for one in authors) >= count, "some are taken")


@needs_sandbox
@pytest.mark.one_user
@pytest.mark.parametrize(
    "kills", [pytest.param(1, id="short"), pytest.param(25, id="long", marks=pytest.mark.long)]
)
def test_what_was_acknowledged_is_there_after_kills_at_random_moments(tmp_path, started, kills):
    """Byte for byte and in one state, and the builder goes on; no process or file is left."""
    seed = secrets.randbits(32)
    print(f"moments drawn from {seed}")
    chance, taken = random.Random(seed), {"Ann": {}, "Bob": {}, "Cid": {}}
    for kill in range(kills):
        arena = started(Arena(tmp_path, kill))
        authors = [Author(arena, name, seed + kill) for name in taken]
        for author in authors:
            author.start()
        _wait_for(authors, chance.randrange(1, 7))
        time.sleep(chance.uniform(0, 0.5))
        arena.signal(signal.SIGKILL)
        arena.process.wait(PATIENCE)
        for author in authors:
            author.join(PATIENCE)
            taken[author.name_] |= author.taken
        wait_until(lambda: not processes_in(tmp_path), "nothing is left of the arena")
    arena = started(Arena(tmp_path, kills))
    for name, versions in taken.items():
        if not versions:
            continue
        status, answer = arena.ask("GET", name, "")
        assert 200 == status, answer
        found = {one["version"]: one for one in json.loads(answer)["versions"]}
        for number, data in versions.items():
            if number not in found:
                assert number < max(versions) - 40  # 50 others were there, nearly all of them newer
                continue
            assert found[number]["state"] in STATES
            assert hashlib.sha256(data).hexdigest() == found[number]["sha256"]
            assert (200, data) == arena.ask("GET", name, f"/{number}/source")
    _, answer = arena.ask("POST", "Dan", "?file=bot.py", BAD)

    def state():
        return json.loads(arena.ask("GET", "Dan", "/1")[1])["state"]

    wait_until(lambda: "refused" == state(), "the builder goes on")
    arena.signal(signal.SIGTERM)
    assert 0 == arena.wait()
    assert "Traceback" not in arena.err
    wait_until(lambda: not processes_in(tmp_path), "nothing is left of the arena")
