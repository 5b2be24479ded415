"""Whatever is given to a public function, it works or says what is wrong: by a `LanistaError`."""

import asyncio
import functools
import inspect
from concurrent.futures import ThreadPoolExecutor

import pytest

import lanista
from lanista import competition
from support.arguments import try_all

MAP = "4 5\n. A 2 . .\n. 3 . # .\n. # . 3 .\n. . 2 B .\n"
CUP = {
    "name": "cup",
    "game": "angrymob",
    "format": "round-robin",
    "seeds": [1],
    "bots": [{"name": "A", "command": "CamperJoe"}, {"name": "B", "command": "CamperJoe"}],
    "database": "no/cup.db",  # has no folder, so no match is played
}


def first(function):
    """What a generator, a coroutine or an async generator does until it would wait."""

    @functools.wraps(function)
    def begun(*args, **options):
        made = function(*args, **options)
        if inspect.isasyncgen(made):
            made = anext(made)
        if not inspect.isawaitable(made):
            return next(made)

        async def result():
            return await made

        # In a thread, as a browser of other tests leaves a running loop in the main one.
        with ThreadPoolExecutor(1) as threads:
            return threads.submit(lambda: asyncio.run(result())).result()

    return begun


@pytest.fixture(scope="module")
def replay(tmp_path_factory):
    record = tmp_path_factory.mktemp("match") / "match.jsonl.gz"
    match = lanista.play(
        "angrymob",
        ["CamperJoe", "CamperJoe"],
        map=MAP,
        settings={"move_limit": 1},
        no_clock=True,
        record=record,
    )
    return match.replay()


OPTIONS = dict.fromkeys(lanista.MatchOptions.__annotations__)
ONE = {"game": "angrymob", "bots": (), "seed": 1, "record": "r", "on_progress": print}
MANY = {
    "game": "angrymob",
    "pairings": (),
    "seeds": [1],
    "workers": 1,
    "seatings": "given",
    "records": "r",
    "keep": "all",
    "on_progress": print,
}
GAME = {"game": "angrymob", "seed": 1, "map": MAP, "settings": None}
SPEC = {
    "spec": CUP,
    "folder": ".",
    "executor": None,
    "concurrency": 1,
    "accept_changes": False,
    "unbench": (),
    "on_event": print,
}
BOT = {"command": "CamperJoe", "name": None, "limits": None, "environment": {}, "restart": False}


def seated(**bot):
    lanista.play("angrymob", [lanista.Bot(**bot), "nobody"])


FUNCTIONS = {
    # Without bots nothing is played; their number is checked last.
    "play": (lanista.play, ONE, [*ONE, *OPTIONS]),
    "aplay": (first(lanista.aplay), ONE, [*ONE, *OPTIONS]),
    "play_many": (first(lanista.play_many), MANY, [*MANY, *OPTIONS]),
    "aplay_many": (first(lanista.aplay_many), MANY, [*MANY, *OPTIONS]),
    "Bot": (seated, BOT, BOT),
    "new_game": (lanista.new_game, GAME, GAME),
    "house_bots": (lanista.house_bots, {}, ["game"]),
    "open_record": (lanista.open_record, {}, ["path"]),
    "load": (competition.load, {"spec": CUP}, ["spec", "folder"]),
    "run": (competition.run, SPEC, SPEC),
    "run_async": (first(competition.run_async), SPEC, SPEC),
}
METHODS = {
    "to_image": ("path", "turn", "size"),
    "to_gif": ("path", "first", "last", "delay", "size"),
    "to_html": ("path",),
    "first_difference": ("other",),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    function, others, arguments = FUNCTIONS[name]
    for argument in arguments:
        try_all(function, others, argument)


def test_a_method_of_a_game():
    game = lanista.new_game("angrymob", map=MAP)
    try_all(game.legal, {}, "seat")
    try_all(game.state, {}, "seat")
    try_all(game.explain, {"moves": []}, "seat")
    try_all(game.explain, {"seat": 0}, "moves")
    try_all(game.step, {}, "answers")
    try_all(game.state(0).to_game, {}, "seed")


def test_a_method_of_a_replay(replay, tmp_path, monkeypatch):
    """Only a folder is named for what could be written."""
    monkeypatch.chdir(tmp_path)
    for method, arguments in METHODS.items():
        others = {name: {"path": tmp_path, "size": 1}.get(name) for name in arguments}
        others |= {"first": 0, "delay": 20} if method == "to_gif" else {}
        for argument in arguments:
            try_all(getattr(replay, method), others, argument)
    try_all(replay[0].state_of, {}, "seat")


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: lanista.new_game(7), "game 7; expected its name"),
        (
            lambda: lanista.new_game("angrymob", map=7),
            "map 7; expected a shipped map's name, a path, or the text of a map file",
        ),
        (
            lambda: lanista.new_game("angrymob", settings={"move_limit": "9"}),
            "setting move_limit of Angry Mob is '9'; expected a whole number",
        ),
        (lambda: lanista.open_record(7), "record 7; expected a path"),
        (lambda: lanista.play("angrymob", [], on_progress=7), "on_progress 7; expected a function"),
        (
            lambda: competition.run(CUP, concurrency=0),
            'concurrency: 0; expected a whole number from 1 to 10000, or "auto"',
        ),
        (lambda: competition.run(CUP, concurency=1), "unknown option 'concurency'; did you mean "),
        (lambda: competition.load(7), "spec: 7; expected a table"),
    ],
)
def test_messages_name_the_argument(call, words):
    with pytest.raises(lanista.BadInputError) as caught:
        call()
    assert str(caught.value).startswith(words)
