"""Whole conversations of the vectors, from both ends.

The arena's side: `Session` understands what the bot says, the messages and the ruleset's facts
are the bytes that it is told. The bot's side: the Python client, over a real connection.
"""

import re
import socket
import threading
import typing
from collections.abc import Sequence
from contextlib import contextmanager

import pytest

import lanista_client
from lanista.games.angrymob.ruleset import RULESET
from lanista.games.base import Malformed, MalformedAnswerError, Refusal, RefusalCode
from lanista.games.outcome import Outcome, Termination
from lanista.match.clock import ClockInfo
from lanista.match.encoder import DialectEncoder, Version1Encoder
from lanista_client import Arena, ArenaError
from lanista_protocol import ErrorCode, MalformedLineError, NoteCode, parse_hello, tokenize
from protocol.table import MESSAGES, Feed, bytes_of, each, load

MALFORMED = Malformed(Refusal(RefusalCode.MALFORMED, "malformed"))


def said(vector, who):
    """All that one side says, in one piece."""
    return b"".join(bytes_of(step[who]) for step in vector["steps"] if who in step)


def line_of(answer):
    """An answer of a vector as its line, without the newline."""
    return " ".join(str(token) for submove in answer for token in submove)


# -- the arena's side ------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [0, 1, None], ids=["whole", "bytewise", "as there is room"])
@each("conversations")
def test_the_arena_reads_the_bots_lines(vector, size):
    """PROTOCOL.md 2, 4: hello, answers and logs, in step with what the arena says."""
    feed = Feed(size)
    answers = [(line_of(ask["answer"]), ask["log"]) for m in vector["matches"] for ask in m["asks"]]
    for step in vector["steps"]:
        if feed.session.state.name == "CLOSED":  # the bot connects again
            feed = Feed(size)
        feed.come(bytes_of(step.get("bot", "")))
        feed.read()
        if feed.session.state.name == "ASKED":
            answer, log = answers.pop(0)
            assert answer == feed.session.take_answer()
            assert "".join(f"# {line}\n" for line in log) == feed.session.take_log()
        for line in bytes_of(step.get("arena", "")).decode().split("\n"):
            if line.startswith("start "):
                feed.session.start()
            elif line == "go":
                feed.session.ask()
            elif line.startswith("end "):
                feed.session.end()
        if "closes" in step:
            feed.session.close()
    assert answers == []
    assert vector["connect"]["name"] == feed.hello.name
    for option in ("game", "room", "seat", "token"):
        assert vector["connect"].get(option) == getattr(feed.hello, option)
    for option in ("keep", "notes"):
        assert vector["connect"].get(option, False) is getattr(feed.hello, option)


READERS = {
    int: int,
    float: float,
    str: str,
    ErrorCode: ErrorCode,
    NoteCode: NoteCode,
    Sequence[float]: lambda words: list(map(float, words.split())),
    int | None: lambda word: None if word == "-" else int(word),
}
"""By type of a message's field: what makes it of the line's words."""


def written(line):
    """A line as its message makes it from its fields, of which the last takes all words left."""
    keyword, _, rest = line.partition(" ")
    kinds = typing.get_type_hints(MESSAGES[keyword])
    del kinds["return"]
    words = rest.split(" ", len(kinds) - 1) if kinds else []
    words += [""] * (len(kinds) - len(words))  # an error may have none
    fields = zip(kinds.values(), words, strict=True)
    return MESSAGES[keyword](*(READERS[kind](word) for kind, word in fields))


@each("conversations")
def test_the_arena_writes_its_messages(vector):
    """PROTOCOL.md 3, 7: each line that isn't the ruleset's comes out of its message's fields."""
    for line in said(vector, "arena").decode().split("\n")[:-1]:
        if line.split(" ")[0] in MESSAGES:
            assert f"{line}\n".encode() == written(line)


def test_the_conversations_use_every_message():
    keywords = {
        line.split(" ")[0]
        for vector in load("conversations")
        for line in said(vector, "arena").decode().split("\n")[:-1]
    }
    assert set(MESSAGES) - {"lag", "status"} <= keywords


def without_seed(data):
    """The seat's seed comes one-way from the match's, which a vector doesn't know."""
    return re.sub(rb"\nseed [0-9]+\n", b"\nseed *\n", data)


def played(game, positions):
    """Advance a game by the `moved` lines of each later position; its facts at each."""
    facts = [game.facts(0)]
    for position in positions[1:]:
        lines = [line.split(" ") for line in position.decode().split("\n")]
        moved = [" ".join(words[2:]) for words in lines if words[0] == "moved"]
        game.advance([game.parse(seat, tokenize(line)) for seat, line in enumerate(moved)])
        facts.append(game.facts(0))
    return facts


@each("conversations", where=lambda vector: vector["exact"] and vector["matches"])
def test_the_arena_tells_the_game(vector):
    """PROTOCOL.md 3, 5: opening, positions and end are those of the ruleset and the match."""
    matches = re.findall(
        rb"^start .*?(?=^start |^wait |^error |^note benched |\Z)",
        said(vector, "arena"),
        re.DOTALL | re.MULTILINE,
    )
    assert len(vector["matches"]) == len(matches)
    for match, told in zip(vector["matches"], matches, strict=True):
        opening, *rest = re.split(rb"(?<=\n)(?=turn |note |end )", told)
        positions = [part for part in rest if part.startswith(b"turn ")]
        rows = re.findall(rb"^row [0-9]+ (.*)\n", opening, re.MULTILINE)
        size = re.search(rb"^size (.*)\n", opening, re.MULTILINE).group(1)
        game = RULESET.new(
            match["settings"], RULESET.read_board(b"\n".join([size, *rows]).decode()), None
        )
        encoder = Version1Encoder(
            match=match["match"],
            ruleset=RULESET,
            settings=match["settings"],
            players=tuple(match["players"]),
            clock=ClockInfo(*match["clock"], 10),
            seed=0,
        )
        seat = match["seat"]
        assert without_seed(opening + positions[0]) == without_seed(encoder.opening(game, seat, ()))
        facts = played(game, positions)
        for number, (position, now) in enumerate(zip(positions, facts, strict=True)):
            go = b"go\n" if position.endswith(b"go\n") else b""
            assert position == b"turn %d\n%b%b" % (number, now, go)
        result = match["result"]
        if result is None:
            continue
        if result["end"] == "finished":
            outcome = game.outcome()
            assert outcome is not None
        else:
            assert game.outcome() is None
            outcome = Outcome(
                termination=Termination(result["end"]),
                ranks=tuple(result["ranks"]),
                scores=game.scores(),
                reason="not told on the wire",
            )
        keeps = not told.endswith(b"bye\n")
        closing = encoder.closing(game, seat, outcome, (), keeps=keeps)
        assert told.endswith(closing)
        assert result["scores"] == list(outcome.scores)
        assert result["ranks"] == list(outcome.ranks)


# -- the bot's side --------------------------------------------------------------------------------


@contextmanager
def arena_playing(vector):
    """The port of an arena that plays one conversation; a deviation is raised at the end."""
    trouble = []

    def serve(listener, steps):
        """Serve one connection, until the arena closes it."""
        connected, _ = listener.accept()
        with connected, connected.makefile("rb") as lines:
            connected.settimeout(10)
            # The order of its options is the bot's own affair.
            expected = parse_hello(bytes_of(next(steps)["bot"]).decode().strip())
            assert expected == parse_hello(lines.readline().decode().removesuffix("\n"))
            for step in steps:
                if "closes" in step:
                    break
                if "arena" in step:
                    connected.sendall(bytes_of(step["arena"]))
                else:
                    expected = bytes_of(step["bot"])
                    assert expected == lines.read(len(expected))
            connected.shutdown(socket.SHUT_WR)
            assert lines.read() == b"", "the bot said more"

    def play(listener):
        steps = iter(vector["steps"])
        try:
            for _ in range(vector["steps"].count({"closes": "arena"})):
                serve(listener, steps)
        except Exception as error:  # told to the test below
            trouble.append(error)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(10)
        thread = threading.Thread(target=play, args=(listener,))
        thread.start()
        try:
            yield listener.getsockname()[1]
        finally:
            thread.join()
    for error in trouble:
        raise error


def counted(units):
    """A dict of cells as the vectors write it."""
    return sorted([i, j, n] for (i, j), n in units.items())


def seen_of(state):
    """What the client made of a position."""
    return {
        "turn": state.turn,
        "mine": counted(state.mine),
        "theirs": counted(state.theirs),
        "neutral": counted(state.neutral),
        "totals": list(state.totals),
        "moved": [[list(submove) for submove in moved] for moved in state.moved],
    }


@each("conversations")
def test_the_python_client(vector, monkeypatch):
    """PROTOCOL.md 3 to 5, 7, 8: what a client tells its bot, and the bytes it answers by."""
    monkeypatch.setattr(lanista_client.time, "sleep", lambda _: None)
    for name in ("HOST", "PORT", "NAME", "TOKEN"):
        monkeypatch.delenv(f"LANISTA_{name}", raising=False)
    expected = iter([(match, ask) for match in vector["matches"] for ask in match["asks"]])
    states, notes, error = {}, {}, None
    with (
        arena_playing(vector) as port,
        Arena(host="127.0.0.1", port=port, **vector["connect"]) as arena,
    ):
        try:
            for state in arena:
                match, ask = next(expected)
                states[state.match], notes[state.match] = state, arena.notes
                assert {key: ask[key] for key in seen_of(state)} == seen_of(state)
                for text in ask["log"]:
                    arena.log(text)
                arena.send(ask["answer"])
        except ArenaError as caught:
            error = caught.code
        results = [vars_of(result) for result in arena.results]
    assert vector["error"] == error
    assert [] == list(expected)
    assert [m["result"] for m in vector["matches"] if m["result"] is not None] == results
    assert [match["match"] for match in vector["matches"]] == list(states)
    for match in vector["matches"]:
        state = states[match["match"]]
        for key in ("game", "seat", "seed", "settings", "rows", "cols"):
            assert match[key] == getattr(state, key)
        for key in ("players", "clock"):
            assert match[key] == list(getattr(state, key))
        assert match["bases"] == [list(base) for base in state.bases]
        told = [{"code": n.code, "turn": n.turn, "index": n.index} for n in notes[state.match]]
        assert match["notes"] == told
        if match["final"] is not None:
            assert match["final"] == seen_of(state)


def vars_of(result):
    return {"end": result.end, "ranks": list(result.ranks), "scores": list(result.scores)}


# -- the classic dialect ---------------------------------------------------------------------------


def verdict_of(game, seat, line):
    try:
        return game.parse(seat, tokenize(line))
    except (MalformedLineError, MalformedAnswerError):
        return MALFORMED


@each("classic")
def test_classic(vector):
    """PROTOCOL.md 6, byte for byte: the map with the receiver's own base as A, then lines alone."""
    steps = vector["steps"]
    seat = vector["seat"]
    opening = bytes_of(steps[1]["arena"])
    board = opening.decode()
    if seat == 1:  # a map file has A for seat 0
        board = board.translate(str.maketrans("AB", "BA"))
    game = RULESET.new({"move_limit": 2400}, RULESET.read_board(board), None)
    encoder = DialectEncoder(RULESET.classic)
    assert opening == encoder.opening(game, seat, ())

    feed = Feed(1)
    feed.come(bytes_of(steps[0]["bot"]))
    assert feed.read().version is None
    feed.session.start()
    turns = steps[2:-1]
    assert {"closes": "arena"} == steps[-1]
    for at, step in enumerate(turns):
        if "arena" in step:
            continue
        feed.session.ask()
        feed.come(bytes_of(step["bot"]))
        feed.read()
        own = verdict_of(game, seat, feed.session.take_answer())
        reply = bytes_of(turns[at + 1]["arena"]) if at + 1 < len(turns) else b""
        # Without a reply one of the two was at fault; where it wasn't we, it was the other.
        other = MALFORMED
        if reply or own is MALFORMED:
            other = verdict_of(game, 1 - seat, reply.decode().strip())
        game.advance([own, other] if seat == 0 else [other, own])
        outcome = game.outcome()
        if outcome is None:
            told = encoder.turn(game, seat, ())
        else:
            told = encoder.closing(game, seat, outcome, (), keeps=False)
            assert step is turns[-1] or turns[at + 1] is turns[-1], "the match is over before"
        assert reply == told
    assert game.outcome() is not None
