"""What a seat of a recorded match was told, made again from its record. Bytes only: no socket.

The same bytes as in the match, from the same `encoder`: a bot can be fed them again. The lines
before the match (`welcome`, `wait`) are not the match's and not here.
"""

from collections.abc import Iterator

from lanista.match.clock import Limits
from lanista.match.encoder import DialectEncoder, Encoder, MatchInfo, Version1Encoder
from lanista.match.record import Record, TurnInfo
from lanista.match.replay import positions, verdict
from lanista.rules.base import Answer, Consequence, Game, Ruleset
from lanista_protocol import Hello, Note, NoteCode

_NOTES = frozenset(code.value for code in NoteCode)


def told(
    record: Record, ruleset: Ruleset, seat: int, hello: Hello | None = None
) -> Iterator[bytes]:
    """The bytes that a seat got before each of its answers, from turn 0 on.

    Args:
        record: The match.
        ruleset: Its rules.
        seat: Whose.
        hello: What a bot says that is to be told it now, by which its dialect and its notes go;
            None: as in the match.

    Yields:
        For each turn that the seat was asked in: notes on the answer before, the position, `go`.

    Raises:
        MismatchError: The record says something else than the rules.
        BadRecordError: As `replay.start`.
    """
    header = record.header
    info = MatchInfo(
        match=header.match,
        game=header.game,
        players=tuple(player.name for player in header.players),
        limits=Limits(header.clock.first, header.clock.turn),
        seed=header.seed,
    )
    player = header.players[seat]
    encoder: Encoder = Version1Encoder(info)
    is_version1 = player.protocol == "1" if hello is None else hello.version is not None
    if not is_version1 and ruleset.classic is not None:
        encoder = DialectEncoder(ruleset.classic)
    wants_notes = player.notes if hello is None else hello.notes
    wants_notes |= ruleset.consequence is Consequence.FORFEIT
    nothing_used = (0.0,) * ruleset.seats
    noted = b""
    for turn, game in zip(record.turns, positions(record, ruleset), strict=False):
        if turn.verdicts[seat] == "out":
            return
        status = turn.status or nothing_used
        tell = encoder.turn if turn.turn else encoder.opening
        yield noted + tell(game, seat, status)
        if wants_notes:
            noted = b"".join(map(encoder.note, _notes(game, turn, seat)))


def _notes(game: Game, turn: TurnInfo, seat: int) -> Iterator[Note]:
    """The notes on a seat's answer to the turn that comes next in the game."""
    told = [fault for fault in turn.faults if fault.seat == seat]
    for fault in told:
        if fault.code in _NOTES:
            yield Note(NoteCode(fault.code), fault.turn, fault.index, fault.words)
    if str(seat) in turn.more_faults:
        found = verdict(game, turn, seat)
        assert isinstance(found, Answer)  # any other has one fault at most, which is told
        for refusal in found.refused[len(told) :]:
            yield Note(NoteCode(refusal.code.value), turn.turn, refusal.index, refusal.message)
