"""The spec that `lanista tournament new` writes: every key with its default, ready to be played.

Text alone. A test reads it back and compares each default with the spec's own.
"""

import json
from collections.abc import Sequence

_TEXT = """\
# A tournament of {title}. Try its bots, then play it:
#
#     lanista tournament check {file}
#     lanista tournament run {file}
#
# What starts with a # is a default, or an example. docs/tournaments.md tells everything.

name = {name}
game = "{game}"

# round-robin  every pair of bots meets
# gauntlet     one bot meets all the others
# swiss        bots with like points meet
# knockout     who loses is out
# ladder       endless: the nearest rated meet
# sprt         a test whether the first of two bots is the stronger one
format = "round-robin"

# Who meets plays a block on each seed: the seed in all seatings. A list; or how many (10 without
# it), drawn from something that nobody can guess; or {{ count = 100, base = 42 }}, drawn from 42.
seeds = [1, 2, 3]

# Maps: files, or names from `lanista map list {game}`. Each seed is played on each map; without
# maps the seed makes one.
# maps = [{maps}]

# rotations: {rotations}; all: {all}.
# seatings = "rotations"

# Swiss: how many rounds; without it as many as leave one winner.
# rounds = 5

# Swiss, knockout: blocks a meeting on each map (1). Ladder, sprt: at most so many blocks in all.
# blocks = 1

# Gauntlet: who meets all others; without it the first bot.
# challenger = {first}

{fill}# What each bot may use, and whether it is shut off from this machine ("bwrap").
# limits = "memory=1G,cpu=3600,files=1024,file-size=256M,processes=64"
# sandbox = "none"

# Matches that a bot may fail running; then it is benched: it plays no more.
# bench_after = 5

# Blocks at the same time: "auto" measures what this machine holds without hurting clocks.
# concurrency = "auto"

# Give the blocks that run at the same time cores of their own.
# pin = false

# Who plays: "local", "dask-local" or "dask://HOST:PORT".
# executor = "local"

# Which records stay: "all", "failures" (of matches in which a bot failed) or "none".
# keep = "all"

# Where results go: a file, or postgresql://USER@HOST/NAME; and the folder of the records.
# database = {database}
# records = {records}

# The game's settings; see `lanista games`.
[settings]
{settings}

# Seconds that bots have; 0 is no limit for an answer.
[clock]
# first = 20.0         # for the first answer
# turn = 0.2           # for every other answer
# start = 30.0         # from a bot's start to its hello
# late_limit = 10      # late turns in a row that put a bot out, where late turns are skipped
# stall_margin = 0.05  # a stall of this machine above which a late answer makes a match void

# Of the format sprt: H0 says that the first bot is elo0 stronger, H1 elo1.
# [sprt]
# elo0 = 0.0
# elo1 = 10.0
# alpha = 0.05  # the chance of accepting H1 where H0 is true
# beta = 0.05   # the chance of accepting H0 where H1 is true

# The bots. A command is a house bot's name (`lanista bots {game}`), a command line, or
# "stdio: COMMAND LINE" for a bot that reads stdin and writes stdout; it is run in this folder.
{bots}
# A bot of your own, with all that can be said of one:
# [[bots]]
# name = "Mine"
# command = "python3 mybot.py"
# limits = "memory=512M"               # its own, in place of those above
# restart = false                      # true: started afresh for every match
# environment = {{ LEVEL = "3" }}        # variables that it gets besides
"""


_FILL = """\
# A house bot that takes the seats which too few bots leave free.
# fill = {bot}

"""
"""Not in games of two: no two bots leave a seat free."""


def example(
    *,
    stem: str,
    game: str,
    title: str,
    seats: int,
    house: Sequence[str],
    maps: Sequence[str],
    settings: Sequence[tuple[str, int, str]],
) -> str:
    """The text of a commented spec.

    Args:
        stem: The file's name without its ending, printable; results are named by it.
        game: The ruleset's name.
        title: And what people call it.
        seats: How many play a match.
        house: The house bots; they take part, the weakest several times where seats are left.
        maps: Shipped maps, for the example.
        settings: By setting: its name, its default and what it is.
    """
    entrants = [(bot, bot) for bot in house]
    entrants += [(f"{house[0]}-{at}", house[0]) for at in range(2, seats - len(house) + 2)]
    return _TEXT.format(
        title=title,
        file=f"{stem}.toml",
        name=_quoted(stem),
        game=game,
        maps=", ".join(map(_quoted, maps)) or '"my.map"',
        rotations="two seatings"
        if seats == 2
        else f"{seats} seatings, every bot once in each seat",
        all="the same" if seats == 2 else "every arrangement",
        first=_quoted(entrants[0][0]),
        fill="" if seats == 2 else _FILL.format(bot=_quoted(house[0])),
        database=_quoted(f"{stem}.db"),
        records=_quoted(f"{stem}.records"),
        settings="\n".join(
            f"# {key} = {default}  # {meaning}" for key, default, meaning in settings
        ),
        bots="".join(
            f"\n[[bots]]\nname = {_quoted(bot)}\ncommand = {_quoted(words)}\n"
            for bot, words in entrants
        ),
    )


def _quoted(text: str) -> str:
    """A TOML string; JSON's are ones, but for characters beyond the first plane."""
    return json.dumps(text, ensure_ascii=False)
