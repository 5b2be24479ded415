"""Programs that are handed in: how long until the first match, and a contest beside connected bots.

`submissions.py [AUTHORS [VERSIONS [MINUTES]]]`. First a Python and a C++ starter are handed in to
an idle arena, one after another. Then authors hand in versions, spread over so many minutes, while
two connected bots that take no time play on another ladder of the same arena: their late turns and
void matches are what the building, the checks and the matches of the programs have cost them.
"""

import base64
import json
import random
import re
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections import Counter
from pathlib import Path

from measured import arena_of_file, keep, median, numbers_given

ROOT = Path(__file__).parents[2]
PROGRAMS = {
    "Python": ("bot.py", ROOT / "clients/python/starters/hogwarts.py"),
    "C++": ("bot.cpp", ROOT / "clients/cpp/starters/hogwarts.cpp"),
}
FILE = """
port = 0
data = "data"
drain = 0
[page]
listen = "127.0.0.1:0"
[[ladders]]
name = "class"
game = "hogwarts"
house = ["Demo", "Dummy", "Null"]
fill_after = 0
submissions = { per_hour = 1000 }
[[ladders]]
name = "pit"
game = "angrymob"
settings = { move_limit = 40 }
"""
QUICK = """
import socket, sys
with socket.create_connection(("127.0.0.1", int(sys.argv[1]))) as arena, arena.makefile("rw") as it:
    it.write(f"{sys.argv[2]} v=1 game=angrymob room=pit keep=1 token={sys.argv[2]}-token\\n")
    it.flush()
    for line in it:
        if line == "go\\n":
            it.write("\\n")
            it.flush()
"""


class Arena:
    """A running arena with two ladders."""

    def __init__(self, process, port, log):
        self.process, self.port, self.log = process, port, log
        self.page = process.stdout.readline().split()[1].rstrip("/")

    @property
    def text(self):
        return self.log.read_text(encoding="utf-8", errors="replace")

    def ask(self, name, path="", data=None):
        request = urllib.request.Request(
            f"{self.page}/api/1/ladders/class/submissions{path}", data=data
        )
        shown = base64.b64encode(f"{name}:{name}-token".encode()).decode()
        request.add_header("Authorization", f"Basic {shown}")
        with urllib.request.urlopen(request, timeout=120) as answer:
            return json.load(answer)

    def memory(self):
        """Return the resident memory of the arena's own process, in MiB."""
        status = Path(f"/proc/{self.process.pid}/status").read_text(encoding="ascii")
        return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024

    def matches(self):
        """Yield each match that is over: its players, its end and its faults."""
        began = {}
        for line in self.text.splitlines():
            match = re.search(r" match=(\w+)", line)
            if 'event="match begins"' in line:
                began[match[1]] = line
            elif 'event="match ends"' in line:
                players = re.search(r'players="(.*?)"', began[match[1]])[1]
                yield players, re.search(r"end=(\w+)", line)[1], line


def first_match(arena, language):
    """Return the seconds from handing in until each state, and until the first match is over."""
    file, source = PROGRAMS[language]
    name = "First" + language[0]
    began = time.monotonic()
    arena.ask(name, f"?file={file}", source.read_bytes())
    reached = {}
    while not any(name in players and end == "finished" for players, end, _ in arena.matches()):
        (version,) = arena.ask(name)["versions"]
        if version["state"] == "refused":
            raise SystemExit(f"{language}: refused: {version['why']}")
        reached.setdefault(version["state"], round(time.monotonic() - began, 1))
        time.sleep(0.1)
    return reached | {"first match over": round(time.monotonic() - began, 1)}


def contest(arena, authors, versions, minutes):
    """Have authors hand in versions; return what became of them, and of two connected bots."""
    bots = [
        subprocess.Popen([sys.executable, "-I", "-S", "-c", QUICK, str(arena.port), name])
        for name in ("Quick", "Quicker")
    ]
    chance = random.Random(1)
    moments = sorted(chance.uniform(0, minutes * 60) for _ in range(authors * versions))
    names = [f"Author{number % authors}" for number in range(authors * versions)]
    chance.shuffle(names)
    began, acknowledged, before = time.monotonic(), Counter(), arena.memory()
    taken = []
    for moment, name in zip(moments, names, strict=True):
        time.sleep(max(0.0, began + moment - time.monotonic()))
        file, source = PROGRAMS[chance.choice(["Python", "Python", "Python", "C++"])]
        asked = time.monotonic()
        comment = f"{'//' if file.endswith('cpp') else '#'} {moment}\n"
        arena.ask(name, f"?file={file}", source.read_bytes() + comment.encode())
        taken.append(time.monotonic() - asked)
        acknowledged[name] += 1
    states = Counter()
    until = time.monotonic() + 300
    while time.monotonic() < until:
        found = {name: arena.ask(name)["versions"] for name in acknowledged}
        states = Counter(one["state"] for some in found.values() for one in some)
        if not states.keys() & {"received", "building", "checking"}:
            break
        time.sleep(2)
    lost = sum(acknowledged[name] - max(one["version"] for one in found[name]) for name in found)
    for bot in bots:
        bot.kill()
        bot.wait()
    connected = [(end, line) for players, end, line in arena.matches() if "Quick" in players]
    programs = [end for players, end, _ in arena.matches() if "Quick" not in players]
    return {
        "authors": authors,
        "versions handed in": sum(acknowledged.values()),
        "minutes": round((time.monotonic() - began) / 60, 1),
        "lost": lost,
        "states": dict(states),
        "seconds to acknowledge (median, most)": [round(median(taken), 3), round(max(taken), 3)],
        "memory MiB (before, after)": [round(before, 1), round(arena.memory(), 1)],
        "matches of programs": dict(Counter(programs)),
        "matches of connected bots": dict(Counter(end for end, _ in connected)),
        "of these with a late turn": sum("late" in line for _, line in connected),
    }


def main():
    authors, versions, minutes = numbers_given(30, 2, 8.0)
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log"
        with log.open("wb") as told, arena_of_file(Path(folder), FILE, stderr=told) as running:
            arena = Arena(*running, log)
            figures = {language: first_match(arena, language) for language in PROGRAMS}
            print(json.dumps(figures, indent=1), flush=True)
            figures["contest"] = contest(arena, authors, versions, minutes)
    print(json.dumps(figures["contest"], indent=1))
    keep("submissions", figures)


if __name__ == "__main__":
    main()
