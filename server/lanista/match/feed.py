"""The bytes that a seat of a recorded match was sent, rebuilt from the record.

They come from the same `encoder` as in the match and are the same bytes, so a bot can be fed them
again. The lines before the match (`welcome`, `wait`) aren't part of the match and aren't included.
"""

from collections.abc import Iterator

from lanista.games.base import Consequence, Ruleset
from lanista.match.encoder import DialectEncoder, Encoder, Version1Encoder
from lanista.match.record import Header, Record
from lanista.match.replay import judged_turns, seat_faults, start
from lanista.match.verdicts import REFUSAL_CODES
from lanista_protocol import Hello


def version1(header: Header) -> Version1Encoder:
    """Return the encoder of version 1 for a recorded match."""
    return Version1Encoder(
        match=header.match,
        game=header.game,
        players=tuple(player.name for player in header.players),
        clock=header.clock,
        seed=header.seed,
        seat_seeds=header.seat_seeds,
    )


def asked_turns(record: Record, seat: int) -> list[int]:
    """Return the turns in which a seat was asked for an answer: it was neither absent nor out."""
    turns = []
    was_absent = False
    for turn in record.turns:
        if turn.verdicts[seat] == "out":
            break
        if not was_absent or str(seat) in turn.rejoined:
            turns.append(turn.turn)
            was_absent = turn.was_absent(seat)
    return turns


def payloads(
    record: Record, ruleset: Ruleset, seat: int, hello: Hello | None = None
) -> Iterator[bytes]:
    """Yield the bytes that a seat was sent before each of its answers, from turn 0 on.

    For each turn in which it was asked: notes on its last answer, the position, `go`. If its bot
    has come back, the match's beginning instead of the notes. For a turn in which it was absent: no
    bytes. `hello` is that of the bot that is to be fed, which decides on the dialect and on notes;
    None means as in the match.

    Raises:
        MismatchError: The record contradicts the rules.
        BadRecordError: As for `replay.start`.
    """
    header = record.header
    player = header.players[seat]
    encoder: Encoder = version1(header)
    is_version1 = player.protocol == "1" if hello is None else hello.version is not None
    if not is_version1 and ruleset.classic is not None:
        encoder = DialectEncoder(ruleset.classic)
    wants_notes = player.notes if hello is None else hello.notes
    wants_notes |= ruleset.consequence is Consequence.FORFEIT
    no_time_used = (0.0,) * ruleset.seats
    notes = b""
    asked = frozenset(asked_turns(record, seat))
    game = start(record.header, ruleset)
    for judged in judged_turns(record, game):
        turn = judged.turn
        if turn.verdicts[seat] == "out":
            return
        is_back = str(seat) in turn.rejoined
        if is_back:
            notes = b""
            if hello is None:
                wants_notes = turn.rejoined[str(seat)].notes
        if turn.turn not in asked:
            yield b""
            continue
        status = turn.status or no_time_used
        encode = encoder.opening if is_back or not turn.turn else encoder.turn
        yield notes + encode(game, seat, status)
        if wants_notes:
            notes = b"".join(
                [
                    encoder.note(fault)
                    for fault in seat_faults(header, game, judged, seat)
                    if fault.code in REFUSAL_CODES
                ]
            )
