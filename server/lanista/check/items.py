"""Judges the results of a check item by item: what happened, the evidence, and what to do.

Each fault is reported by the item that it belongs to. So an item with a bout of its own, such as
the one on the largest map, fails only because of something that didn't happen in the plain match
(`_survived`). An item that can't be judged because another fault came first is "not tried".
"""

import enum
from collections.abc import Iterable, Iterator, Sequence

import attrs

from lanista.check.bout import Bout, Slip, Times, round_trip_of, times_of
from lanista.check.gauntlet import (
    APART,
    CROWDED,
    KEPT,
    LARGEST,
    ONE,
    WORDS,
    Results,
    boards_of,
    shortened,
)
from lanista.games.base import Ruleset, submove_numbers
from lanista.games.picture import counted
from lanista.hosting.names import why_silent
from lanista.match.channel import RoundTrip
from lanista.match.conditions import VOID_TRIES

WRONG_ANSWER = {
    "malformed": "an answer is whole numbers and the game's letters, separated by spaces",
    "illegal": "check each submove against the position of its own turn, as the game's page says",
    "line-too-long": "a line has at most 65,536 bytes: end each answer by a newline",
    "not-utf8": "an answer is text: write it in ASCII, not in another encoding",
    "too-many-submoves": "send at most one submove for each unit",
}
"""The codes of faults in the contents of an answer, and what to do about each."""
LATE, LEFT = "late", "disconnected"
SHOWN = 3
"""The number of faults of one kind that are shown."""
LINE_SHOWN = 72
"""The number of characters of an answer that are shown."""
OUTPUT_LINES, OUTPUT_COLUMNS = 5, 200
"""The number of lines of the bot's own output that are shown, and of characters of each."""


class Status(enum.Enum):
    """The result of an item."""

    OK = "ok"
    WARNING = "warning"
    """Nothing is wrong yet."""
    FAILED = "failed"
    NOT_APPLICABLE = "not-applicable"
    """The item needs something that this bot, or this game, doesn't have."""
    NOT_TRIED = "not-tried"
    """The item couldn't be judged, so nothing is known about it."""


@attrs.frozen
class Item:
    """One finding."""

    name: str
    """The item's name for programs, one word."""
    title: str
    """A description for people of what a good bot does."""
    status: Status
    said: str = ""
    """A few words about what was seen."""
    evidence: tuple[str, ...] = ()
    """The lines of evidence, which may hold anything that the bot sent."""
    advice: str = ""


TITLES = {
    "name": "sends its name in time",
    "answers": "answers every turn with one line",
    "before-go": "sends nothing before go",
    "submoves": "sends well-formed, legal submoves",
    "unknown-keywords": "ignores keywords it doesn't know",
    "one-turn": "survives a match of one turn",
    "largest-map": "plays on the largest map",
    "out-numbered": "plays on when it is outnumbered",
    "end": "ends by itself, with exit code 0, when the match is over",
    "keep": "plays a second match on its connection (keep=1)",
    "times": "answers in time",
    "processes": "leaves no processes behind",
}
"""The titles of all items by name, in the order of the report."""


def passed(items: Sequence[Item]) -> bool:
    """Return whether no item failed, and none couldn't be tried."""
    return not any(item.status in {Status.FAILED, Status.NOT_TRIED} for item in items)


def judge(results: Results) -> list[Item]:
    """Return all items, in the order of the report."""
    plain = results.plain
    items = [_name(results)]
    if plain.not_there:
        return items + [_untried(name, "it never arrived") for name in TITLES if name != "name"]
    return [
        *items,
        _answers(results),
        _before_go(results),
        _submoves(results),
        _unknown_keywords(results),
        _one_turn(results),
        _largest(results),
        _crowded(results),
        _end(results),
        _keep(results),
        _times(results),
        _processes(results),
    ]


def _item(
    name: str, status: Status, said: str = "", *, evidence: Iterable[str] = (), advice: str = ""
) -> Item:
    return Item(name, TITLES[name], status, said, tuple(evidence), advice)


def _failed(name: str, evidence: Iterable[str], advice: str, said: str = "") -> Item:
    return _item(name, Status.FAILED, said, evidence=evidence, advice=advice)


def _untried(name: str, why: str) -> Item:
    return _item(name, Status.NOT_TRIED, why)


# -- one item each ---------------------------------------------------------------------------------


def _name(results: Results) -> Item:
    plain, limit = results.plain, results.tested.clock.time_start
    if not plain.not_there and plain.hello is not None:
        after = f"after {plain.hello_after:.2f} s of {limit:g} s"
        return _item("name", Status.OK, f"{plain.hello.name!r} {after}")
    if "unknown-game" in plain.not_there:
        advice = (
            "check it with --game and the game that it asks for, or leave game= out of the hello"
        )
    elif "bad-token" in plain.not_there:
        advice = "send token= with what LANISTA_TOKEN holds, or no token at all"
    elif "hello was refused" in plain.not_there:
        advice = "send `NAME v=1 token=TOKEN` as the first line, ended by a newline (PROTOCOL.md 2)"
    elif plain.not_there.startswith("no hello"):
        advice = (
            "connect to LANISTA_HOST and LANISTA_PORT, or {host} and {port} of the command line, "
            "and send your name as the first line before you read anything"
        )
    else:
        advice = "run the same command by hand: it must keep running, connect and send its name"
    crash = "" if plain.crash in plain.not_there else plain.crash  # a library repeats a refusal
    why = ": ".join(filter(None, [plain.not_there, crash]))
    return _failed("name", (why, *output_of(plain)), advice)


def _answers(results: Results) -> Item:
    """Judge whether the bot sent exactly one line for each turn (PROTOCOL.md 4)."""
    plain, command = results.plain, results.tested.bot.command
    if plain.void:
        return _untried("answers", _STALLED)
    left = [slip for slip in plain.slips() if slip.fault.code == LEFT]
    if left:
        advice = "find out why it ended: its own output, if there was any, is above"
        return _failed("answers", gone(plain, left[0]), advice)
    if not plain.answered and any(slip.fault.code == LATE for slip in plain.slips()):
        evidence = (f"no answer at all in {plain.spec.name}", *output_of(plain))
        usual = "answer every `go` with one line, an empty one for no submoves, and flush it"
        return _failed("answers", evidence, why_silent(command) or usual)
    extra = [
        (bout, bout.unasked[0])
        for bout in results.bouts.values()
        if bout.unasked and not bout.unasked[0].at_start
    ]
    if extra:
        lines = [
            f"{bout.spec.name}: before turn {unasked.turn} it sent a line that nobody had asked "
            f"for: {shown(unasked.line)}"
            for bout, unasked in extra[:SHOWN]
        ]
        advice = (
            "send exactly one line for each `go`; a second one is taken for the answer to the "
            "next turn. Messages for yourself go to stderr, or on lines that begin with #"
        )
        return _failed("answers", lines, advice)
    if any(bout.unasked for bout in results.bouts.values()):
        return _untried("answers", "lines sent before the first turn count as answers")
    turns = sum(bout.turns for bout in results.bouts.values())
    late = sum(slip.fault.code == LATE for bout in results.bouts.values() for slip in bout.slips())
    said = counted(turns, "turn") + (f", late in {late} of them" if late else "")
    return _item("answers", Status.OK, said)


def _before_go(results: Results) -> Item:
    early = [bout for bout in results.bouts.values() if bout.unasked and bout.unasked[0].at_start]
    apart = results.bouts.get(APART)
    if early:
        bout = early[0]
        line = bout.unasked[0].line
        evidence = f"{bout.spec.name}: it sent a line before its first turn: {shown(line)}"
    elif apart is not None and apart.tap is not None and apart.tap.too_soon:
        turn, line = apart.tap.too_soon[0]
        evidence = f"turn {turn}: it answered before `go` had been sent: {shown(line)}"
    elif not results.speaks_version1:
        return _item("before-go", Status.NOT_APPLICABLE, "the classic dialect has no go")
    else:
        return _survived("before-go", results, apart)
    advice = "send your name and then nothing until `go`: the turn's lines end there"
    return _failed("before-go", [evidence], advice)


def _submoves(results: Results) -> Item:
    """Judge the contents of all answers; the evidence has the refused ones with their bytes."""
    faults = [
        (bout, slip)
        for bout in results.bouts.values()
        for slip in bout.slips()
        if slip.fault.code in WRONG_ANSWER
    ]
    answers = sum(bout.answered for bout in results.bouts.values())
    if not faults:
        if not answers:
            return _untried("submoves", "there was no answer")
        return _item("submoves", Status.OK, counted(answers, "answer"))
    # The same fault in several matches is shown once.
    first = {slip.fault.words: (bout, slip) for bout, slip in reversed(faults)}
    chosen = list(reversed(first.values()))[:SHOWN]
    evidence = [line for bout, slip in chosen for line in wrong(bout, slip)]
    if len(faults) > len(chosen):
        evidence.append(f"and {len(faults) - len(chosen)} more like these")
    codes = {slip.fault.code for _, slip in faults}
    advice = "; ".join(text for code, text in WRONG_ANSWER.items() if code in codes)
    return _failed("submoves", evidence, advice)


def _unknown_keywords(results: Results) -> Item:
    if not results.speaks_version1:
        why = "the classic dialect has no keywords"
        return _item("unknown-keywords", Status.NOT_APPLICABLE, why)
    return _survived(
        "unknown-keywords",
        results,
        results.bouts.get(WORDS),
        advice="skip every line whose first word you don't know, wherever it appears, and settings "
        "that you don't know (PROTOCOL.md 3)",
    )


def _one_turn(results: Results) -> Item:
    return _survived(
        "one-turn",
        results,
        results.bouts.get(ONE),
        said=shortened(results.tested.ruleset, 1)[2],
        advice="after the first answer `end` may come at once: don't count on a second turn",
    )


def _largest(results: Results) -> Item:
    advice = (
        "allocate by the sizes that the arena sends, and watch out for work that grows with them"
    )
    if boards_of(results.tested.ruleset) is not None:
        bout = results.bouts.get(LARGEST)
        size = "" if bout is None or not bout.records else _size(bout)
        item = _survived("largest-map", results, bout, said=size, advice=advice)
        if bout is not None and item.status is Status.OK:
            item = _slow_there(item, bout, results)
        return item
    bout = results.bouts.get(CROWDED)
    said = "a whole match on a random map"
    return _survived("largest-map", results, bout, said=said, advice=advice)


def _slow_there(item: Item, bout: Bout, results: Results) -> Item:
    """Return the item, with a warning if the bot exceeded the time limit of the check.

    It isn't a failure: no map that is generated or shipped is even half as large.
    """
    limit = results.tested.clock.time_move
    slowest = times_of([bout], bout.spec.match.clock)[1].slowest
    if slowest is None or not limit or slowest.seconds <= limit:
        return item
    took = f"{slowest.seconds:.3f} s, over the usual {limit:g} s"
    evidence = (f"turn {slowest.turn}: {took}; the time limit of this match was longer",)
    advice = "reduce the work that grows with the map: on one of this size it would be late"
    return attrs.evolve(item, status=Status.WARNING, evidence=evidence, advice=advice)


def _size(bout: Bout) -> str:
    rows, columns = bout.records[0].header.board.split("\n", 1)[0].split()
    return f"{rows} rows, {columns} columns"


def _crowded(results: Results) -> Item:
    bout = results.bouts.get(CROWDED)
    said = ""
    if bout is not None and bout.records:
        rivals = ", ".join(name for seat, name in enumerate(bout.names) if seat != bout.spec.seat)
        said = f"against {rivals}: "
        if bout.outnumbered is None:
            said += "it was never behind"
        else:
            own, best, turn = bout.outnumbered
            said += f"{own} to {best} in turn {turn}"
    return _survived(
        "out-numbered",
        results,
        bout,
        said=said,
        advice="having few or no units against many must not be a special case",
    )


def _end(results: Results) -> Item:
    """Judge how the bot's process ended, in the bouts whose match came to its end."""
    bouts = list(results.bouts.values())
    if results.plain.ended_well:
        # A bad end after another match is reported by that match's own item.
        bouts = [results.plain]
    bad = [bout for bout in bouts if bout.ended_well is False]
    if not bad:
        if not any(bout.ended_well for bout in bouts):
            return _untried("end", "no match reached its end")
        return _item("end", Status.OK, "exit code 0")
    evidence = [f"after {bout.spec.name} its process: {bout.how_it_ended}" for bout in bad[:SHOWN]]
    evidence += output_of(bad[0])
    if any(bout.exit is not None and bout.exit.by_arena for bout in bad):
        advice = (
            "leave the loop at `end`, `bye` or the end of input, and exit; a thread or timer that "
            "goes on keeps a program alive"
        )
    else:
        advice = (
            "the end of the connection isn't an error: leave the loop at `end` or `bye`, close, "
            "and exit with code 0"
        )
    return _failed("end", evidence, advice)


def _keep(results: Results) -> Item:
    if not results.keeps:
        return _item("keep", Status.NOT_APPLICABLE, "it doesn't ask for it")
    bout = results.bouts.get(KEPT)
    advice = "at `start`, forget everything about the last match; after the scores, go on reading"
    if bout is not None and len(bout.records) == 1 and not bout.broken_off and not bout.void:
        evidence = ("its connection was closed after the first match", *output_of(bout))
        return _failed("keep", evidence, advice)
    return _survived("keep", results, bout, advice=advice)


def _times(results: Results) -> Item:
    bouts = list(results.bouts.values())
    late = [(bout, slip) for bout in bouts for slip in bout.slips() if slip.fault.code == LATE]
    if late:
        evidence = [f"{place(bout, slip)}: {slip.fault.words}" for bout, slip in late]
        if len(late) > SHOWN:
            evidence[SHOWN:] = [f"and {len(late) - SHOWN} more"]
        advice = "decide within half of the limit, and send each answer as one write, flushed"
        return _failed("times", evidence, advice)
    if any(bout.void for bout in bouts):
        return _untried("times", _STALLED)
    firsts, others = times_of(bouts, results.tested.clock)
    if not firsts.all:
        return _untried("times", "no first answer came after its turn")
    slow = [
        f"{time.bout}, turn {time.turn}: {time.seconds:.3f} s of {times.limit:g} s"
        for times in (firsts, others)
        if (time := times.slowest) is not None and times.limit and 2 * time.seconds > times.limit
    ]
    said = "; ".join(_summary(firsts, others, round_trip_of(bouts)))
    if slow:
        advice = "on a slower or busier machine this is too late; aim at half of the limit"
        return _item("times", Status.WARNING, said, evidence=slow, advice=advice)
    return _item("times", Status.OK, said)


def _summary(firsts: Times, others: Times, way: RoundTrip | None) -> Iterator[str]:
    if firsts.slowest is not None:
        yield f"first answer {firsts.slowest.seconds:.3f} s of {firsts.limit:g} s at the slowest"
    if others.slowest is not None:
        yield (
            f"others {1000 * others.quantile(0.5):.2f} ms median, "
            f"{1000 * others.quantile(0.99):.2f} ms 99 %, "
            f"{1000 * others.slowest.seconds:.2f} ms slowest, of {1000 * others.limit:g} ms"
        )
    if way is not None:
        yield f"round trip {way.smoothed / 1000:.2f} ms, at least {way.least / 1000:.2f} ms"


def _processes(results: Results) -> Item:
    bouts = [bout for bout in results.bouts.values() if bout.left_behind]
    if not bouts:
        return _item("processes", Status.OK)
    evidence = [
        f"after {bout.spec.name}: {counted(bout.left_behind, 'process')} of its own"
        for bout in bouts[:SHOWN]
    ]
    advice = "end the processes that you started, and wait for them, before you exit"
    return _failed("processes", evidence, advice)


# -- what several items share ----------------------------------------------------------------------

_STALLED = f"this machine stalled in all {VOID_TRIES} tries; check again when it is less busy"


def _survived(
    name: str, results: Results, bout: Bout | None, *, said: str = "", advice: str = ""
) -> Item:
    """Judge whether the bot played a bout to its end, without a fault that is new in it.

    Faults of the plain match are known from other items. A bout of None wasn't played. The words
    `said` about it are for an item that is OK or failed.
    """
    plain = results.plain
    if bout is None:
        return _untried(name, "the plain match went wrong")
    if bout.not_there:
        return _failed(name, (f"{bout.spec.name}: {bout.not_there}", *output_of(bout)), advice)
    if bout.void:
        return _untried(name, _STALLED)
    known = {slip.fault.code for slip in plain.slips()}
    slips = bout.slips()
    new = [slip for slip in slips if slip.fault.code not in known]
    if new:
        slip = new[0]
        evidence = gone(bout, slip) if slip.fault.code == LEFT else wrong(bout, slip)
        return _failed(name, evidence, advice, said)
    if bout.unasked and not plain.unasked:
        extra = bout.unasked[0]
        line = f"before turn {extra.turn} it sent one line too many: {shown(extra.line)}"
        return _failed(name, [line], advice, said)
    if bout.broken_off:
        slip = slips[-1]  # in games that skip a bad answer, earlier ones didn't end the match
        return _untried(
            name, f"it was {_CODES.get(slip.fault.code, slip.fault.code)} in turn {slip.fault.turn}"
        )
    if bout.ended_well is False and plain.ended_well:
        line = f"after {bout.spec.name} its process: {bout.how_it_ended}"
        return _failed(name, (line, *output_of(bout)), advice, said)
    turns = counted(bout.turns, "turn")
    return _item(name, Status.OK, f"{turns}; {said}" if said else turns)


_CODES = {LATE: "late", LEFT: "gone", "illegal": "refused", "malformed": "refused"}


# -- evidence: lines that may hold anything that a bot sent; whoever prints them escapes them ------


def gone(bout: Bout, slip: Slip) -> tuple[str, ...]:
    """Return how the bot left a match, how its process ended, and what it wrote last."""
    how = f"; its process: {bout.how_it_ended}" if bout.exit is not None else ""
    return (f"{place(bout, slip)}: {slip.fault.words}{how}", *output_of(bout))


def place(bout: Bout, slip: Slip) -> str:
    """Return where something went wrong, as `the plain match, turn 2, submove 0`."""
    where = bout.spec.name
    if bout.spec.matches > 1:
        where += f", match {slip.match}"
    return f"{where}, {slip.fault.place}"


def output_of(bout: Bout) -> list[str]:
    """Return the last lines that the bot wrote, under a heading; nothing if it wrote none."""
    lines = [line for line in bout.output.splitlines() if line.strip()]
    if not lines:
        return []
    return [
        "the last lines that it wrote:",
        *(f"  {line[:OUTPUT_COLUMNS]}" for line in lines[-OUTPUT_LINES:]),
    ]


def wrong(bout: Bout, slip: Slip) -> Iterator[str]:
    """Yield a fault of an answer, and the bytes that it is about."""
    # The message about a malformed line ends with the line, which is shown below.
    said = slip.fault.words.partition("; the line was ")[0]
    yield f"{place(bout, slip)}: {slip.fault.code}: {said}"
    if slip.raw is None:
        if slip.fault.code in WRONG_ANSWER and bout.tap is not None and bout.tap.last:
            yield f"  its bytes: {shown(bout.tap.last)}"
        return
    line = f"  the line: {shown(slip.raw.encode())}"
    if slip.fault.index is not None:
        submove = submove_at(bout.spec.match.ruleset, slip.raw.split(), slip.fault.index)
        if submove is not None and len(slip.raw) > LINE_SHOWN:
            yield f"  the submove: {shown(' '.join(submove).encode())}"
    yield line


def submove_at(ruleset: Ruleset, tokens: Sequence[str], index: int) -> Sequence[str] | None:
    """Return the tokens of an answer's submove; None if it can't be found."""
    size = submove_numbers(ruleset)
    if size is not None:
        return tokens[index * size : (index + 1) * size] or None
    starts = [start for start, token in enumerate(tokens) if len(token) == 1 and token.isalpha()]
    if index >= len(starts):
        return None
    end = starts[index + 1] if index + 1 < len(starts) else len(tokens)
    return tokens[starts[index] : end]


def shown(line: bytes) -> str:
    """Return a line of the bot's in quotes, cut; bytes that aren't text are escaped."""
    text = line[:LINE_SHOWN].decode("utf-8", "backslashreplace")
    cut = f" … ({counted(len(line), 'byte')})" if len(line) > LINE_SHOWN else ""
    return f'"{text}"{cut}'
