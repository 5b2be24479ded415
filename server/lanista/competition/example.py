"""The example spec that `lanista tournament new` writes: playable, with every key and its default.

It is only text here; a test compares each default with that of `Spec`.
"""

from lanista.errors import BadInputError
from lanista.games import registry
from lanista.games.base import Ruleset
from lanista.hosting.spec_parts import example_of
from lanista.toml_spec import quoted

_TEXT = """\
# A tournament of {title}. Try its bots, then play it:
#
#     lanista tournament check {file}
#     lanista tournament run {file}
#
# Lines that start with a # are defaults or examples. docs/tournaments.md explains everything.

name = {name}
game = "{game}"

# round-robin  every pair of bots meets
# gauntlet     one bot meets all the others
# swiss        bots with similar points meet
# knockout     the loser is eliminated
# ladder       endless: bots with similar ratings meet
# sprt         tests whether the first of two bots is the stronger one
format = "round-robin"

# Bots that meet play each seed in all seatings. This is a list of seeds; or their number (default:
# 10), drawn from a secret; or {{ count = 100, base = 42 }}, drawn from 42.
seeds = [1, 2, 3]

# Maps: files, or names from `lanista map list {game}`. Each seed is played on each map; by
# default each seed makes its own.
# maps = [{maps}]

# rotations: {rotations}; all: {all}.
# seatings = "rotations"

# Swiss: the number of rounds; by default as many as leave one winner.
# rounds = 5

# Swiss, knockout: blocks per meeting and map (1). Ladder, sprt: the most blocks in all.
# blocks = 1

# Gauntlet: the bot that meets all others; by default the first one.
# challenger = {first}

{fill}# The resources each bot may use, and whether it is isolated from this machine ("bwrap").
# limits = "memory=1G,cpu=3600,files=1024,file-size=256M,processes=64"
# sandbox = "none"

# Seconds of processor time for a whole match, without limits for each turn if the clock below is 0;
# every bot is then started anew for every match.
# match_cpu = 60

# Failed matches in a row after which a bot is benched: it plays no more.
# bench_after = 5

# Blocks at the same time: "auto" plays as many as give each bot a core of its own.
# concurrency = "auto"

# Give the blocks that run at the same time cores of their own.
# pin = false

# Where blocks are played: "local", "dask-local" or "dask://HOST:PORT".
# executor = "local"

# Which records are kept: "all", "failures" (of matches in which a bot failed) or "none".
# keep = "all"

# Where results are stored: a file, or postgresql://USER@HOST/NAME; and the folder of the records.
# database = {database}
# records = {records}

# The game's settings; see `lanista games`.
[settings]
{settings}

# Seconds that bots have; 0 is no limit for an answer.
[clock]
# time_init = 20.0     # for the first answer
# time_move = 0.2      # for every other answer
# time_start = 30.0    # from a bot's start to its hello
# late_limit = 10      # late turns in a row that put a bot out, where late turns are skipped
# stall_margin = 0.05  # a stall of this machine above which a late answer makes a match void

# For the format sprt: H0 says that the first bot is elo0 Elo stronger, H1 elo1 Elo.
# [sprt]
# elo0 = 0.0
# elo1 = 10.0
# alpha = 0.05  # the probability of accepting H1 if H0 is true
# beta = 0.05   # the probability of accepting H0 if H1 is true

# The bots. A command is a house bot's name (`lanista bots {game}`), a command line, or
# "stdio: COMMAND LINE" for a bot that reads stdin and writes stdout; it is run in this folder.
{bots}
# A bot of your own, with every key that a bot can have:
# [[bots]]
# name = "Mine"
# command = "python3 mybot.py"
# program = "mine.program"              # built by an arena, and unpacked in its sandbox
# limits = "memory=512M"               # its own, instead of those above
# restart = false                      # true: started anew for every match
# environment = {{ LEVEL = "3" }}        # additional environment variables
"""


_FILL = """\
# A house bot that takes the seats left free if there are fewer bots than seats.
# fill = {bot}

"""
"""The part about fillers; left out for games of two, as two bots leave no seat free."""


def example(ruleset: Ruleset, stem: str) -> str:
    """Return the text of a commented spec.

    All house bots take part; the first one several times if seats were left free.

    Args:
        ruleset: The game.
        stem: The name of the file without its ending, printable; results are named after it.

    Raises:
        BadInputError: The game has no house bots.
    """
    seats, house = ruleset.seats, list(registry.house_bots(ruleset.name))
    if not house:
        raise BadInputError(f"{ruleset.title} has no house bots, which an example needs")
    entries = [(bot, bot) for bot in house]
    entries += [(f"{house[0]}-{copy}", house[0]) for copy in range(2, seats - len(house) + 2)]
    return _TEXT.format(
        **example_of(ruleset),
        file=f"{stem}.toml",
        name=quoted(stem),
        rotations="two seatings"
        if seats == 2
        else f"{seats} seatings, every bot once in each seat",
        all="the same" if seats == 2 else "every arrangement",
        first=quoted(entries[0][0]),
        fill="" if seats == 2 else _FILL.format(bot=quoted(house[0])),
        database=quoted(f"{stem}.db"),
        records=quoted(f"{stem}.records"),
        bots="".join(
            f"\n[[bots]]\nname = {quoted(name)}\ncommand = {quoted(command)}\n"
            for name, command in entries
        ),
    )
