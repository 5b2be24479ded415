"""The part of the conformance suite that plays games with random answers and checks every turn.

Playing the recorded answers again, without looking at the game and with seats read in another
order, must give the same digests. Each function `require_…` checks one object against
`lanista.games.base`, `lanista.games.picture` and PROTOCOL.md, or raises AssertionError.
"""

import contextlib
import math
import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import attrs

from lanista.games.base import (
    Answer,
    ByHand,
    Consequence,
    DecodesAnswers,
    Game,
    Late,
    Malformed,
    MalformedAnswerError,
    Missing,
    Out,
    Refusal,
    RefusalCode,
    Ruleset,
    Setting,
    Token,
    TooManySubmovesError,
    Verdict,
    complete_settings,
    start_game,
    turn_word,
)
from lanista.games.outcome import Outcome, Termination
from lanista.games.picture import Frame, Mark, Place, Scene, Shape
from lanista.games.search import Copyable, SaysWhatIsLegal

NAME = re.compile(r"[a-z][a-z0-9-]*")
"""The pattern of a ruleset's name and of an outcome's reason."""
SETTING_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
KEYWORD = re.compile(r"[a-z][a-z0-9_]*")
"""The pattern of the first word of a fact."""
RESERVED = frozenset(
    (
        *("welcome", "wait", "start", "game", "seat", "player", "clock", "lag", "seed", "set"),
        *("turn", "status", "go", "end", "rank", "bye", "error", "note"),
    )
)
"""The keywords of the lines around the facts (PROTOCOL.md 3 and 7), with which no fact begins."""


def require(condition: object, message: str) -> None:
    """Raise AssertionError unless the condition holds, like an `assert` that -O doesn't remove."""
    if not condition:
        raise AssertionError(message)


@contextlib.contextmanager
def unharmed(what: str) -> Iterator[None]:
    """Turn any exception into an AssertionError that says what raised it."""
    try:
        yield
    except Exception as error:
        raise AssertionError(f"{what} raises {error!r}") from error


def require_texts(what: str, *texts: str) -> None:
    """Require texts for people: each one printable line, not empty."""
    for text in texts:
        if not text or not text.isprintable():
            raise AssertionError(f"{what} is {text!r}; it must be one printable line")


def require_lines(data: bytes, what: str) -> list[str]:
    """Require printable UTF-8 lines, each ended by a newline (PROTOCOL.md 1), and return them."""
    require(isinstance(data, bytes), f"{what}: {data!r:.80} must be bytes")
    try:
        lines = data.decode().split("\n")
    except UnicodeDecodeError as error:
        raise AssertionError(f"{what}: not UTF-8: {error}") from None
    require(not lines.pop(), f"{what}: the last line has no newline")
    require_texts(f"{what}: a line", *lines)
    return lines


def require_facts(data: bytes, what: str) -> None:
    """Require lines of a keyword and tokens (PROTOCOL.md 3)."""
    for line in require_lines(data, what):
        tokens = line.split(" ")
        require(all(tokens), f"{what}: {line!r}: tokens must be separated by single spaces")
        keyword = tokens[0]
        require(KEYWORD.fullmatch(keyword), f"{what}: {line!r} must begin with a keyword")
        require(
            keyword not in RESERVED,
            f"{what}: `{keyword}` is a keyword of the protocol itself; no fact can begin with it",
        )


def check_description(ruleset: Ruleset) -> None:
    """Check what a ruleset says of itself: all that is known of it before a match."""
    require(not isinstance(ruleset, type), f"{ruleset!r} is a class; it must be an object of one")
    missing = [part for part in vars(Ruleset) if part[0] != "_" and not hasattr(ruleset, part)]
    require(not missing, f"it has no {', '.join(missing)}; lanista.games.base.Ruleset has each")
    name = ruleset.name
    require(
        NAME.fullmatch(name),
        f"name {name!r} must be a lower-case letter, then letters, digits or `-`",
    )
    require_texts("title", ruleset.title)
    version = str(ruleset.version)  # it is easily written as a number
    require(
        version == ruleset.version and re.fullmatch(r"\S+", version),
        f"version {ruleset.version!r} must be a text of one word",
    )
    require(is_whole(ruleset.seats, 1), f"{ruleset.seats!r} seats; there must be at least 1")
    require(
        isinstance(ruleset.consequence, Consequence),
        f"consequence {ruleset.consequence!r} must be a Consequence",
    )
    match ruleset.seeds:
        case (int(low), int(high)) if -(2**63) <= low <= high < 2**63:
            pass
        case seeds:
            raise AssertionError(
                f"seeds {seeds!r} must be two signed 64-bit integers, the lowest and the highest"
            )
    described: Any = ruleset.settings
    require(
        isinstance(described, Sequence) and all(isinstance(each, Setting) for each in described),
        f"settings {described!r:.200} must be a tuple, and each of them a Setting",
    )
    names = [setting.name for setting in ruleset.settings]
    require(len(names) == len(set(names)), f"settings {names}: no name may repeat")
    for setting in ruleset.settings:
        what = f"setting {setting.name!r}"
        require(
            SETTING_NAME.fullmatch(setting.name),
            f"{what} must be a letter, then letters, digits or `_`",
        )
        for value in (setting.default, setting.low, setting.high):
            require(is_whole(value), f"{what}: {value!r} must be a whole number")
        require(
            setting.low <= setting.default <= setting.high,
            f"{what}: default {setting.default} isn't from {setting.low} to {setting.high}",
        )
        require_texts(f"help of {what}", setting.help)
    settings = complete_settings(ruleset, {})
    with unharmed("max_turns"):
        most = ruleset.max_turns(settings)
    require(is_whole(most, 1), f"max_turns is {most!r}; it must be a number, at least 1")
    by_hand = getattr(ruleset, "by_hand", None)
    require(by_hand is None or isinstance(by_hand, ByHand), f"by_hand {by_hand!r} must be a ByHand")
    require_texts("the word for a turn", turn_word(ruleset))
    endings = getattr(ruleset, "endings", {})
    require(isinstance(endings, Mapping), f"endings {endings!r:.200} must be a dictionary")
    for reason, text in endings.items():
        require_texts(f"the ending {reason!r}", text)


def is_whole(value: object, least: float = -math.inf) -> bool:
    """Return whether a value is a whole number that isn't below the least one."""
    return type(value) is int and value >= least


def require_scene(scene: Scene, seats: int) -> None:
    """Require a scene whose ground, owners and levels fit its size and whose legends have texts."""
    size = (scene.rows, scene.cols)
    require(min(size) >= 1, f"the scene's rows and columns are {size}; each must be at least 1")
    widths = [len(row) for row in scene.ground]
    require(
        widths == [scene.cols] * scene.rows,
        f"the scene's ground has rows of {widths} cells; expected {scene.rows} of {scene.cols}",
    )
    free_from = 0
    for level in sorted(scene.levels, key=lambda level: level.col):
        require_texts("a level's title", level.title)
        require(
            free_from <= level.col and level.cols >= 1 and level.col + level.cols <= scene.cols,
            f"{level}: its columns must be within the scene's {scene.cols} and in no other level",
        )
        free_from = level.col + level.cols
    require_places(scene.owners, "the scene's owner", scene, seats)
    require_texts("a title of stats", *scene.stats)
    require(len(set(scene.stats)) == len(scene.stats), f"stats {scene.stats}: no title may repeat")
    require_texts("the word for a turn", scene.turn_word)
    for text, meaning in scene.signs:
        require_texts("a sign's text", text)
        require_texts("a sign's meaning", meaning)
    for kind, text, meaning in scene.kinds:
        require(isinstance(kind, Shape), f"kind {kind!r} must be a Shape")
        require_texts("a kind's text", text)
        require_texts("a kind's meaning", meaning)


def require_places(places: Mapping[Place, int], what: str, scene: Scene, seats: int) -> None:
    """Require a mapping from cells of the scene to seats of the game."""
    for place, seat in places.items():
        require(
            is_inside(place, scene) and seat in range(seats),
            f"{what} {seat} of {place}: expected one of {seats} seats, and a cell in a level of "
            f"the scene's {scene.rows} rows and {scene.cols} columns",
        )


def is_inside(place: Place, scene: Scene) -> bool:
    """Return whether a cell is in the scene and in one of its levels, if it has any."""
    row, col = place
    levels = [range(level.col, level.col + level.cols) for level in scene.levels]
    is_drawn = any(col in level for level in levels) if levels else col in range(scene.cols)
    return row in range(scene.rows) and is_drawn


def require_frame(frame: Frame, scene: Scene, game: Game, seats: int) -> None:
    """Require a frame that fits its scene and turn, and one score per seat."""
    require(frame.turn == game.turn, f"the frame of turn {game.turn} says turn {frame.turn}")
    for mark in frame.marks:
        require_mark(mark, scene, seats)
    numbers = [mark.unit for mark in frame.marks if mark.unit is not None]
    twice = {number for number in numbers if numbers.count(number) > 1}
    require(
        not twice,
        f"units {sorted(twice)} have two marks in turn {game.turn}; each may have only one",
    )
    require(
        len(frame.captions) == seats,
        f"{len(frame.captions)} captions for {seats} seats; expected one per seat",
    )
    require_texts("a caption", *frame.captions)
    require_places(frame.owned, "the frame's owner", scene, seats)
    require(
        all(col in range(scene.cols) for col in frame.lit),
        f"lit columns {sorted(frame.lit)} must be within the scene's {scene.cols}",
    )
    require_stats(frame, scene, seats)
    require_past(frame, scene, seats)
    require_scores(game.scores(), seats)


def require_board(text: str) -> None:
    """Require that a board, as it is written, is a text."""
    require(isinstance(text, str), f"write_board returns {text!r:.80}; it must be a text")


def require_scores(scores: tuple[int, ...], seats: int) -> None:
    """Require one integer per seat."""
    require(
        type(scores) is tuple  # a list could be the game's own and change later
        and len(scores) == seats
        and all(type(score) is int for score in scores),
        f"scores {scores} must be a tuple of {seats} integers, one per seat",
    )


def require_mark(mark: Mark, scene: Scene, seats: int) -> None:
    """Require a mark inside the scene, of an existing seat or none, with printable texts."""
    if not is_inside((mark.row, mark.col), scene) or not (
        mark.seat is None or mark.seat in range(seats)
    ):
        raise AssertionError(
            f"{mark}: its cell must be in a level of the scene's {scene.rows} rows and "
            f"{scene.cols} columns, and its seat one of {seats} or None"
        )
    require_texts("a mark's text", mark.text)
    require(isinstance(mark.shape, Shape), f"shape {mark.shape!r} must be a Shape")
    require(mark.unit is None or mark.unit >= 0, f"{mark}: a unit's number must be 0 or more")
    require(mark.health is None or 0 <= mark.health <= 1, f"{mark}: health must be from 0 to 1")
    require_texts("a mark's detail", *mark.details)


def require_stats(frame: Frame, scene: Scene, seats: int) -> None:
    """Require one value per seat and title of the scene's stats; none if there are no titles."""
    wanted = [len(scene.stats)] * seats if scene.stats else []
    counts = [len(values) for values in frame.stats]
    require(
        counts == wanted,
        f"by seat, stats have {counts} values; the scene's titles need {wanted}",
    )
    for value in (value for values in frame.stats for value in values):
        if isinstance(value, str):
            require_texts("a value of stats", value)
        else:
            require(
                type(value) in (int, float) and math.isfinite(value),
                f"the value {value!r} of stats must be a finite number or a text",
            )


def require_past(frame: Frame, scene: Scene, seats: int) -> None:
    """Require a last turn that fits the scene's cells and the game's seats, told in texts."""
    for arrow in frame.arrows:
        require(
            is_inside(arrow.start, scene)
            and is_inside(arrow.end, scene)
            and arrow.seat in range(seats)
            and arrow.text.isprintable(),
            f"{arrow}: must lead from cell to cell, belong to a seat and have a printable text",
        )
    require_places(frame.captured, "the captor", scene, seats)
    for place, seat in frame.captured.items():
        require(
            frame.owned.get(place) == seat,
            f"{place} was captured by seat {seat}, but its owner is {frame.owned.get(place)}",
        )
    for event in frame.events:
        require(
            event.seat is None or event.seat in range(seats),
            f"{event}: its seat must be one of {seats} or None",
        )
        require_texts("an event's text", event.text)
        require(
            all(unit >= 0 for unit in event.units)
            and all(is_inside(place, scene) for place in event.cells),
            f"{event}: its units must be 0 or more, and its cells in a level of the scene",
        )
    require_texts("a reason in idle", *frame.idle.values())


def require_outcome(outcome: Outcome, game: Game, seats: int) -> None:
    """Require an outcome that the rules of a game can lead to."""
    require(
        outcome.termination in {Termination.FINISHED, Termination.FORFEIT},
        f"{outcome.termination}: a ruleset can end a match only as FINISHED or FORFEIT",
    )
    require(
        NAME.fullmatch(outcome.reason),
        f"the outcome's reason {outcome.reason!r} must be a lower-case word, like `move-limit`",
    )
    ranks = outcome.ranks
    require(len(ranks) == seats, f"ranks {ranks} must be {seats} numbers, one per seat")
    require_scores(game.scores(), seats)
    require(
        outcome.scores == game.scores(),
        f"the outcome's scores {outcome.scores} aren't the game's, {game.scores()}",
    )
    require(outcome == game.outcome(), "a second call of outcome() gives another outcome")


Player = Callable[[Any, int, random.Random], Sequence[Token]]
"""A function that makes up an answer's tokens from the game, a seat and a random generator.

Most answers should be plausible, so that the game goes on, and some should be refused.
"""

DIGEST = re.compile(r"[0-9a-f]{16}")
NOISE: tuple[tuple[Token, ...], ...] = (
    (2**31 - 1,),
    (-(2**31),) * 4,
    (0, 0, 2**31 - 1, 0, 2**31 - 1, 2**31 - 1),
    ("z",),
    (0, "a", 0, 0),
)
"""Answers that every game must be able to read and refuse: extreme numbers and letters."""
FAULTS: tuple[Verdict, ...] = (
    Late(),
    Malformed(Refusal(RefusalCode.MALFORMED, "made by the conformance suite")),
    Missing(),
    Out(),
)
"""The verdicts of a turn without a usable answer."""

SeatTurn = tuple[Token, ...] | Verdict
"""A seat's part in a turn of a transcript: its tokens, or the verdict when it didn't answer."""


@attrs.frozen
class Transcript:
    """The record of a playthrough with default settings, from which it can be played again."""

    seed: int
    turns: tuple[tuple[SeatTurn, ...], ...]
    """By turn and seat."""
    digests: tuple[str, ...]
    """The digests before the first turn and after each turn."""


def new_game(ruleset: Ruleset, settings: Mapping[str, int], seed: int) -> Game:
    """Start a game, which must not raise."""
    with unharmed(f"new with seed {seed} and {dict(settings)}"):
        return start_game(ruleset, settings, seed)


def parsed(game: Game, seat: int, tokens: Sequence[Token]) -> Verdict:
    """Return the verdict that the runner forms on tokens that came in time."""
    with unharmed(f"parse of seat {seat}'s {list(tokens[:12])}"):
        try:
            verdict: Verdict = game.parse(seat, tokens)
        except MalformedAnswerError as error:
            verdict = Malformed(error.refusal)
        except TooManySubmovesError as error:
            require_texts("a TooManySubmovesError's message", str(error))
            verdict = Missing()
    refusals: tuple[Refusal, ...] = ()
    if isinstance(verdict, Malformed):
        refusals = (verdict.refusal,)
    elif isinstance(verdict, Answer):
        refused = verdict.refused
        require(
            type(refused) is dict
            and all(type(index) is int for index in refused)
            and list(refused) == sorted(refused),
            f"refused is {refused!r:.200}; it must be a dictionary whose indexes ascend",
        )
        for reason in refused.values():
            require(
                type(reason) is tuple
                and all(isinstance(part, str | int | float) for part in reason)
                and isinstance(next(iter(reason), None), str),
                f"a reason is {reason!r:.200}; it must be a tuple of a text, and of the numbers "
                "and words that go into its {}",
            )
        with unharmed(f"writing the messages of {refused!r:.200}"):
            refusals = verdict.refusals()
    for refusal in refusals:
        require_texts("a refusal's message", refusal.message)
        require(
            refusal.index is None or 0 <= refusal.index <= len(tokens),
            f"a refusal's index is {refusal.index} for an answer of {len(tokens)} tokens",
        )
    return verdict


def judged(game: Game, seat: int, seat_turn: SeatTurn) -> Verdict:
    """Return the verdict on a seat's turn in the present position."""
    return parsed(game, seat, seat_turn) if isinstance(seat_turn, tuple) else seat_turn


def advance(game: Game, verdicts: Sequence[Verdict]) -> None:
    """Carry out a turn, which must not raise, whatever the verdicts are."""
    kinds = ", ".join(type(verdict).__name__ for verdict in verdicts)
    with unharmed(f"advance by {kinds} in turn {game.turn}"):
        game.advance(tuple(verdicts))


class Playthrough:
    """One game played with random answers and checked before every turn."""

    def __init__(
        self,
        ruleset: Ruleset,
        player: Player,
        seed: int,
        fault_share: float,
        seen: dict[str, object],
    ) -> None:
        self.ruleset, self.player, self.seed = ruleset, player, seed
        self.fault_share = fault_share
        self.seen = seen  # the position of each digest, over all playthroughs
        self.settings = complete_settings(ruleset, {})
        self.game = new_game(ruleset, self.settings, seed)
        self.pick = random.Random(repr((seed, fault_share)))  # noqa: S311 - tests, not secrets
        self.scene = self.game.scene()
        require_scene(self.scene, ruleset.seats)
        require(
            self.scene.turn_word == turn_word(ruleset),
            f"a turn is a {turn_word(ruleset)} by the ruleset, but the scene says "
            f"{self.scene.turn_word!r}",
        )
        self.start = [self.game.facts_at_start(seat) for seat in range(ruleset.seats)]

    def play(self, turns: int) -> Transcript:
        """Play to the end of the game, but at most this number of turns."""
        game, seats = self.game, range(self.ruleset.seats)
        played: list[tuple[SeatTurn, ...]] = []
        digests: list[str] = []
        out: dict[int, Verdict] = {}
        outcome: Outcome | None = None
        while True:
            digests.append(self.check_position(outcome))
            if outcome is not None or len(played) == turns:
                break
            require(
                len(played) < self.ruleset.max_turns(self.settings),
                f"the game goes on after the {len(played)} turns of max_turns",
            )
            turn: list[SeatTurn] = []
            for seat in seats:
                if self.pick.random() < self.fault_share and seat not in out:
                    fault = self.pick.choice(FAULTS)
                    turn.append(fault)
                    if isinstance(fault, Missing | Out):
                        out[seat] = Out()
                else:
                    tokens = tuple(self.player(game, seat, self.pick))
                    turn.append(out.get(seat, tokens))
            before = game.turn
            self.carry_out([judged(game, seat, turn[seat]) for seat in seats])
            played.append(tuple(turn))
            outcome = game.outcome()
            forfeited = outcome is not None and outcome.termination is Termination.FORFEIT
            require(
                game.turn == before + 1 or (forfeited and game.turn == before),
                f"advance leads from turn {before} to {game.turn}; it must carry out one turn",
            )
        return Transcript(self.seed, tuple(played), tuple(digests))

    def check_position(self, outcome: Outcome | None) -> str:
        """Check that neither views nor parsing noise change the position; return its digest."""
        game, seats = self.game, range(self.ruleset.seats)
        digest = game.digest()
        require(
            DIGEST.fullmatch(digest), f"digest {digest!r} must be 16 lower-case hexadecimal digits"
        )
        with unharmed(f"frame of turn {game.turn}"):
            frame, again = game.frame(), game.frame()
        require_frame(frame, self.scene, game, len(seats))
        require(frame == again, f"turn {game.turn}: a second frame differs from the first")
        # What happened in the last turn isn't part of the state that the digest covers.
        without_past = attrs.evolve(frame, arrows=(), captured={}, events=(), idle={})
        position = (without_past, game.scores(), outcome)
        require(
            self.seen.setdefault(digest, position) == position,
            f"two positions that differ have the digest {digest}; it must cover the whole state",
        )
        facts: list[bytes] = []
        for seat in seats:
            with unharmed(f"facts of turn {game.turn}"):
                facts.append(game.facts(seat))
            require_facts(facts[seat], f"facts of turn {game.turn}")
            first_equal = facts[facts.index(facts[seat])]
            require(
                first_equal is facts[seat],
                f"facts of turn {game.turn}: seats with equal facts must get the same object",
            )
        if outcome is None:
            for seat in seats:
                silent = parsed(game, seat, ())
                require(
                    isinstance(silent, Answer) and not silent.refused,
                    f"parse of an empty answer gives {silent}; it must be accepted (PROTOCOL.md 4)",
                )
                for tokens in (*NOISE, self.noise(), tuple(self.player(game, seat, self.pick))):
                    self.check_words(seat, tokens)
                self.check_legal(seat)
        else:
            require_outcome(outcome, game, len(seats))
        self.check_dialect(outcome)
        require(
            game.digest() == digest,
            f"turn {game.turn}: parse, facts, frame or another read-only method changes the game",
        )
        require(self.scene == game.scene(), "the scene changes during the match")
        require(
            self.start == [game.facts_at_start(seat) for seat in seats],
            "facts_at_start changes during the match",
        )
        return digest

    def carry_out(self, verdicts: Sequence[Verdict]) -> None:
        """Carry out a turn, first on a copy, if the game makes any, which must go the same way."""
        game, turn = self.game, self.game.turn
        twin = game.copy() if isinstance(game, Copyable) else None
        if twin is not None:
            before = game.digest()
            advance(twin, verdicts)
            require(game.digest() == before, f"turn {turn}: a copy that goes on changes the game")
        advance(game, verdicts)
        require(
            twin is None or twin.digest() == game.digest(),
            f"turn {turn}: the same answers lead a copy to another digest",
        )

    def check_words(self, seat: int, tokens: Sequence[Token]) -> None:
        """Check what is said of an answer: why submoves are refused, and what they order."""
        game = self.game
        if isinstance(parsed(game, seat, tokens), Answer) and isinstance(game, DecodesAnswers):
            with unharmed(f"decode of seat {seat}'s {list(tokens[:12])}"):
                texts = [submove.text for submove in game.decode(seat, tokens)]
            require_texts("a submove's text", *texts)

    def check_legal(self, seat: int) -> None:
        """Check that nothing is refused of a random choice of legal submoves."""
        game = self.game
        if isinstance(game, SaysWhatIsLegal):
            with unharmed(f"legal of seat {seat}"):
                chosen = [self.pick.choice(ways) for ways in game.legal(seat).values() if ways]
                tokens = tuple(token for submove in chosen for token in submove)
            verdict = parsed(game, seat, tokens)
            require(
                isinstance(verdict, Answer) and not verdict.refused,
                f"seat {seat}'s {chosen[:12]} are legal by `legal`, but parse gives {verdict}",
            )

    def noise(self) -> tuple[Token, ...]:
        """Return random tokens; a bot may send any of them (PROTOCOL.md 4)."""
        pick = self.pick
        length = 20_000 if pick.random() < 0.01 else pick.randrange(13)
        kinds: tuple[Sequence[Token], ...] = (
            range(-2, 12),
            range(-100, 100),
            (-(2**31), 2**31 - 1),
            "amzsAZ",
        )
        weights = (80, 10, 5, 5)
        return tuple(pick.choice(kind) for kind in pick.choices(kinds, weights, k=length))

    def check_dialect(self, outcome: Outcome | None) -> None:
        """Check that the classic dialect, if any, sends whole lines, or nothing at the end."""
        classic = self.ruleset.classic
        if classic is None:
            return
        for seat in range(self.ruleset.seats):
            with unharmed(f"the classic dialect in turn {self.game.turn}"):
                if outcome is not None:
                    data = classic.closing(self.game, seat) or b"\n"
                elif self.game.turn:
                    data = classic.turn(self.game, seat)
                else:
                    data = classic.opening(self.game, seat)
                # An empty line is valid later: the opponent may have sent an empty answer.
                whole = data.endswith(b"\n")
            if outcome is None and not self.game.turn:
                require_lines(data, "the classic opening")
            require(whole, f"the classic dialect sends {data!r}; it must send whole lines")


def check_again(ruleset: Ruleset, played: Transcript) -> None:
    """Check that a transcript played again gives the same game.

    This time nothing reads the game, and answers are parsed in a random order of seats.
    """
    game = new_game(ruleset, complete_settings(ruleset, {}), played.seed)
    pick = random.Random(played.seed)  # noqa: S311 - tests, not secrets
    for number, turn in enumerate(played.turns):
        order = list(range(ruleset.seats))
        pick.shuffle(order)
        verdicts = {seat: judged(game, seat, turn[seat]) for seat in order}
        advance(game, [verdicts[seat] for seat in range(ruleset.seats)])
        require(
            game.digest() == played.digests[number + 1],
            f"seed {played.seed}: the same answers give another game in turn {number}",
        )
