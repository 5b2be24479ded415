"""Builds and checks of programs that authors hand in, made up, so that no sandbox is needed."""

from lanista.arena import submission_queue, submissions
from lanista.bots.building import Builder, Built, NotBuiltError, Tools


async def build(_self, source, product, **_):
    """Take the source for the program, unless it begins with `bad`."""
    data = source.read_bytes()
    if data.startswith(b"bad"):
        raise NotBuiltError("it is bad")
    product.write_bytes(data)
    return Built(command=("bot",), size=len(data))


async def tools(_self):
    return Tools(languages={"Python": "Python 3"}, packages={"numpy": "1.26.4"})


async def check(_program, _command, **_):
    return ()


def make_up(monkeypatch):
    """Have everything built so that is handed in."""
    monkeypatch.setattr(Builder, "build", build)
    monkeypatch.setattr(Builder, "tools", tools)
    monkeypatch.setattr(submissions, "check_program", check)
    monkeypatch.setattr(submission_queue, "check_sandbox", lambda: None)
