"""What a sandboxed house bot of a running arena sees of it, in all the places where it may lie."""

import importlib.util
import json
import os
import shutil
import sys
import tempfile
from pathlib import Path

import pytest

from bots_start.arena import needs_sandbox
from bots_start.boxed import python_for_all, users
from e2e.running import Program, command, environment, read, wait_until

pytestmark = [needs_sandbox, pytest.mark.usefixtures("one_sandbox")]

OUR_PATH = [*filter(None, sys.path)]
"""Where Python looks for modules; an ordinary user, who has no .venv, is told by PYTHONPATH."""
FILE = """
port = 0
data = "{data}"
page = {{ listen = "none" }}

[[ladders]]
name = "pit"
game = "angrymob"
sandbox = "bwrap"
settings = {{ move_limit = 1 }}
house = [{{ name = "Looker", command = "{python} bots/looker/looker.py" }}]
fill_after = 0
"""
LOOKER = """
import json, os, socket
seen = set()
tops = ["/" + name for name in os.listdir("/") if name not in ("proc", "sys", "usr")]
for top in [TOP, *[top for top in tops if not os.path.islink(top)]]:
    for folder, _, files in os.walk(top):
        seen |= {os.path.join(folder, file) for file in files}
seen = [file for file in seen if file.startswith(TOP) or not file.startswith(OWN)]
has_data = os.path.exists("bots/looker/data/lanista.db")
answer = json.dumps([sorted(seen)[:50], os.listdir("."), has_data])
address = os.environ["LANISTA_HOST"], int(os.environ["LANISTA_PORT"])
arena = socket.create_connection(address)
arena.sendall(f"Looker v=1 keep=1 token={os.environ['LANISTA_TOKEN']}\\n".encode())
for line in arena.makefile():
    if line.startswith("go"):
        arena.sendall(answer.encode() + b"\\n")
"""
"""Answers with the files that it sees, but for those of the system and of Lanista."""


class Arena(Program):
    """`lanista arena run` in a folder, by root or by an ordinary user, with the bot that looks."""

    def __init__(self, folder, data, user, log):
        python = sys.executable if user is None else python_for_all()
        for path in "bots/looker", "bots/other":
            (folder / path).mkdir(parents=True)
        (folder / "arena.toml").write_text(FILE.format(data=data, python=python))
        (folder / "bots/looker/looker.py").write_text(
            f"TOP, OWN = {str(folder)!r}, {known()!r}\n{LOOKER}"
        )
        (folder / "bots/looker/data").symlink_to(data)
        (folder / "bots/other/other.py").touch()
        words, env = command("arena", "run", "arena.toml"), environment()
        if user is not None:
            for path in folder, *folder.rglob("*"):
                os.lchown(path, user, user)
            as_user = ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups"]
            words = [*as_user, python, "-P", *words[1:]]
            env |= {"PYTHONPATH": os.pathsep.join(OUR_PATH), "HOME": "/"}
        super().__init__(["env", "-C", folder, *words], log, env=env)
        self.data = folder / data
        self.until(lambda: "\n" in self.out, "the arena says where it listens")
        self.port = int(self.out.split("\n")[0].rpartition(":")[2])


def known():
    """The folders of Python and of our packages, and the system's files in /etc."""
    names = "lanista", "lanista_client", "lanista_protocol", "lanista_maps"
    packages = [importlib.util.find_spec(name).submodule_search_locations[0] for name in names]
    folders = map(os.path.realpath, (sys.prefix, sys.base_prefix, *packages, *OUR_PATH))
    return (*folders, "/etc/", "/dev/")


PLACES = [
    # The folder of the arena's file, and the data: below it, or elsewhere.
    pytest.param("/srv", "lanista-data", marks=pytest.mark.long),
    ("/var/tmp", "data"),
    ("/usr/local/lib", "/usr/local/share/{name}"),
]


@pytest.mark.parametrize("user", users())
@pytest.mark.parametrize(("top", "data"), PLACES if os.geteuid() == 0 else PLACES[1:2])
def test_a_house_bot_sees_its_own_folder_and_nothing_of_the_arena(user, top, data, tmp_path, peers):
    """Whoever runs the arena: not its file, databases, the record that is written, other bots;
    whether they lie in the working directory, among the system's files or elsewhere."""
    with tempfile.TemporaryDirectory(dir=top) as name:
        folder = Path(os.path.realpath(name))
        folder.chmod(0o755)
        place = Path(data.format(name=folder.name))
        if place.is_absolute():
            place.mkdir()
            os.chown(place, user or -1, user or -1)
        arena = Arena(folder, place, user, tmp_path)
        try:
            bot = peers(arena, "Ada v=1 keep=1 room=pit token=x")
            bot.until("go")
            bot.say("\n")
            bot.until("end")
            bot.leave()
            records = arena.data / "records"
            wait_until(lambda: [*records.glob("*/*.gz")], "the record is there")
            record = read(*records.glob("*/*.gz"))
        finally:
            arena.end()
            if place.is_absolute():
                shutil.rmtree(place)
    (seat,) = (seat for seat, one in enumerate(record.header.players) if one.name == "Looker")
    seen, here, leads_to_data = json.loads(record.turns[0].raw[seat])
    own = folder / "bots/looker"
    assert [str(own / "looker.py")] == [file for file in seen if file != str(own / "data")]
    assert (["bots"], False) == (here, leads_to_data)
