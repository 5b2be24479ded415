"""The example that `lanista arena new` writes: an arena that can be started, with every key.

It is only text here; a test compares each default with that of `ArenaSpec`.
"""

from lanista.games import registry
from lanista.games.base import Ruleset
from lanista.hosting.spec_parts import example_of
from lanista.toml_spec import quoted

_TEXT = """\
# An arena for bots, with a ladder of {title}. Check what it needs, then start it:
#
#     lanista arena check {file}
#     lanista arena run {file}
#
# Lines that start with a # are defaults or examples. docs/arena.md explains everything.

# Where bots connect: only from this machine, or "0.0.0.0" for the network; port 0 is a free one.
# host = "127.0.0.1"
# port = 7777

# The game of bots that name none; by default that of the first ladder.
# game = "{game}"

# The folder of records and results, in the folder of this file.
# data = "lanista-data"

# A PostgreSQL database for the results; without it they are in SQLite files in the data folder.
# store = "postgresql://USER:PASSWORD@HOST/NAME"

# Who may register a name for a ladder: "open" (whoever is first to send it, with a
# token) or "closed" (only you).
# registration = "open"

# Which rooms there are: "any", ladders and friendly rooms of any name; or "ladders" alone: then a
# bot that has mistyped its ladder's name is refused.
# rooms = "any"

# The most connections of bots at once, in all and from one address (100; from this machine no such
# limit), and the seconds from connecting to a bot's first line.
# max_connections = 1000
# max_per_address = 100
# hello_timeout = 10.0

# Seconds that running matches may take to end when the arena is told to stop.
# drain = 0.0

# The log's lines: "text", or "json" for one object per line.
# log_format = "text"

# Processes in which matches run, 1 to 256; by default one for each core. With 1, they run in the
# arena's own process, which suits a small machine, or one whose cores the bots need.
# workers = 1

# Encryption of the bots' port and the page: files in PEM.
# [tls]
# certificate = "fullchain.pem"
# key = "privkey.pem"

# The page for browsers: its address, or "none" (without it 127.0.0.1:8080, or a free port); whether
# everybody sees bots' logs while their match runs; files of tournaments that it shows; and sites
# that may show it within theirs.
[page]
# listen = "127.0.0.1:8080"
# open_logs = false
# tournaments = []
# embed = []

# The friendly rooms, which aren't ladders: whether their matches begin by themselves ("auto") or
# when you say so ("manual"). For the game of bots that name none there may be a map, and settings
# and a clock like those of the ladder below; an arena without ladders may end after some matches.
# [friendly]
# start = "auto"
# map = "my.map"

# A ladder: bots join it with room=NAME; the arena pairs and rates them.
[[ladders]]
name = {name}
game = "{game}"

# Maps: files, or names from `lanista map list {game}`; by default each seed makes its own.
# maps = [{maps}]

# House bots, started by the arena to fill free seats and to anchor the ratings: names from `lanista
# bots {game}`, command lines, or {{ name = "Mine", command = "python3 mybot.py" }}.
house = [{house}]

# The resources each house bot may use, and whether it is isolated from this machine ("bwrap").
# limits = "memory=1G,cpu=3600,files=1024,file-size=256M,processes=64"
# sandbox = "none"

# Seconds that a bot waits for others before house bots take the free seats.
# fill_after = 10.0

# Failed matches in a row after which a bot must rest.
# bench_after = 3

# How many of the latest matches count for the table and for pairing; by default all.
# window = 10000

# Seconds of a bot's round trip over the network that are added to its time limits, at most 0.25.
# lag_allowance = 0.0

# Programs that authors hand in, which the arena builds, checks and runs in sandboxes. The ladder's
# key `submissions`, if it is true, takes them with these defaults.
# [ladders.submissions]
# closes = 2026-12-18T23:59:00+01:00  # by default, never
# max_bytes = 1_048_576      # the size of what is handed in
# versions = 10              # of each name that are kept
# per_hour = 20              # versions of each name
# build_time = 120.0         # seconds
# build_limits = "memory=2G,cpu=300,file-size=512M,processes=64"
# built_bytes = 67_108_864   # the size of a built program
# limits = "memory=1G,cpu=3600,files=1024,file-size=256M,processes=64"
# max_disk = 4_294_967_296   # bytes of all versions together
# slots = 1                  # matches at once without a connected bot; by default cores // seats
# matches = 300              # from which on a version begins none

# The game's settings; see `lanista games`.
[ladders.settings]
{settings}

# Seconds that bots have; 0 is no limit for an answer.
[ladders.clock]
# time_init = 20.0     # for the first answer
# time_move = 0.2      # for every other answer
# time_start = 30.0    # from a house bot's start to its hello
# late_limit = 10      # late turns in a row that put a bot out, where late turns are skipped
# stall_margin = 0.05  # a stall of this machine above which a late answer makes a match void
"""


def example(ruleset: Ruleset, file: str) -> str:
    """Return the text of a commented spec with one ladder, on which the game's house bots play.

    Args:
        ruleset: The game, after which the ladder is named.
        file: The name of the file, printable.
    """
    return _TEXT.format(
        **example_of(ruleset),
        file=file,
        name=quoted(ruleset.name),
        house=", ".join(map(quoted, registry.house_bots(ruleset.name))),
    )
