"""The session: any bytes in any pieces, any order of steps, bounded memory, its states."""

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from lanista_protocol import (
    LINE_LIMIT,
    ErrorCode,
    LocalProtocolError,
    RemoteProtocolError,
    Session,
    State,
)
from lanista_protocol.lines import HELLO_LIMIT
from lanista_protocol.session import LOG_LIMIT, TRANSITIONS, Step
from protocol.scripts import HandedOver, LineMachine, SessionMachine, play, scripts, without_words
from protocol.table import Feed


def sizes_for(script):
    """Read sizes to compare; byte by byte only what isn't long."""
    long = sum(len(step) for step in script if isinstance(step, bytes)) > 20_000
    return (0, None, 9_973) if long else (0, None, 1, 3)


@given(scripts())
def test_a_session_does_what_the_page_says_of_lines(script):
    """PROTOCOL.md 1 and 4, by the reference that knows whole lines alone: whole, byte by byte, and
    as the arena reads. Any bytes give an answer or RemoteProtocolError, and a step out of order
    LocalProtocolError.
    """
    expected = play(script, LineMachine())
    whole, *others = [play(script, SessionMachine(Feed(size))) for size in sizes_for(script)]
    assert without_words(expected) == without_words(whole)
    for other in others:
        assert whole == other
    event(whole[-1][0] if whole else "nothing")


@given(scripts(), st.frozensets(st.integers(0, 60)), st.sampled_from([0, None, 1, 3]))
def test_a_session_goes_on_where_another_was_given_away(script, cuts, size):
    """Anywhere in a conversation, in every state, and as often as one likes."""
    if size in {1, 3} and sum(len(step) for step in script if isinstance(step, bytes)) > 20_000:
        size = 9_973
    expected = play(script, SessionMachine(Feed(size)))
    assert expected == play(script, HandedOver(Feed(size), cuts=cuts))


# -- states ----------------------------------------------------------------------------------------


def session_in(state):
    """A session brought to a state, with an answer there to take where one is asked for."""
    session = Session()
    if state is State.GREETING:
        return session
    session.receive(b"Ann\n1\n")
    session.take_hello()
    if state is not State.WAITING:
        session.start()
    if state is State.ASKED:
        session.ask()
    if state is State.CLOSED:
        session.close()
    assert session.state is state
    return session


def playing():
    """A session in mid-match, with nothing that came unread."""
    session = session_in(State.ASKED)
    session.take_answer()
    return session


def take(session, step):
    """Do what carries out a step."""
    if step is Step.HELLO:
        if session.state is State.GREETING:
            session.receive(b"Ann\n")
        session.take_hello()
    elif step is Step.ANSWER:
        session.take_answer()
    else:
        getattr(session, step.name.lower())()


@pytest.mark.parametrize("state", State, ids=lambda state: state.name)
def test_every_state_can_be_given_away(state):
    """With what it holds, down to the pieces of lines."""
    session = session_in(state)
    if state is not State.CLOSED:
        session.receive(b"" if state is State.GREETING else b"# a log\n5\n# a piece")
    taken = Session.take_up(session.give_away())
    assert state is taken.state
    assert session.give_away() == taken.give_away()
    kinds = ("wants_data", "room_for", "has_answer", "has_more", "is_flooded", "ended", "owed")
    assert [getattr(session, kind) for kind in kinds] == [getattr(taken, kind) for kind in kinds]


@pytest.mark.parametrize("step", Step, ids=lambda step: step.name)
@pytest.mark.parametrize("state", State, ids=lambda state: state.name)
def test_steps_follow_the_table(state, step):
    """PROTOCOL.md 4, the states of a connection: each of all pairs is allowed or our error."""
    session = session_in(state)
    if (state, step) == (State.ASKED, Step.END):
        # Two rows of the table in one call: what is awaited is given up first.
        session.end()
        assert TRANSITIONS[TRANSITIONS[state, Step.GIVE_UP], Step.END] is session.state
    elif (state, step) in TRANSITIONS:
        take(session, step)
        assert TRANSITIONS[state, step] is session.state
    else:
        with pytest.raises(LocalProtocolError):
            take(session, step)
        assert state is session.state


def test_every_state_can_be_reached_and_closed():
    reached = {State.GREETING} | set(TRANSITIONS.values())
    assert set(State) == reached
    assert {(state, Step.CLOSE) for state in State} <= set(TRANSITIONS)


def test_no_bytes_after_the_close():
    session = session_in(State.CLOSED)
    assert not session.wants_data
    with pytest.raises(LocalProtocolError):
        session.receive(b"1\n")


def test_nothing_is_wanted_after_the_end_of_input():
    session = playing()
    assert session.wants_data
    session.receive(b"")
    assert session.ended
    assert not session.wants_data


# -- debts and faults ------------------------------------------------------------------------------


def test_a_fault_behind_the_answer_waits_until_the_answer_is_taken():
    """PROTOCOL.md 1: complete lines before the fault count."""
    session = playing()
    session.ask()
    session.receive(b"2\n\xff\n")
    assert session.take_answer() == "2"
    with pytest.raises(RemoteProtocolError) as caught:
        session.ask()
    assert caught.value.code is ErrorCode.NOT_UTF8
    assert caught.value.message == r"byte 0 of '\xff' is not UTF-8; lines must be text in UTF-8"


# -- memory ----------------------------------------------------------------------------------------

FLOODS = {
    "answers": b"1 2 3 0\n",
    "empty lines": b"\n",
    "log lines": b"# I can talk all day\n",
    "long lines": b"1 " * 32_768 + b"\n",
    "long log lines": b"#" + b"x" * 65_535 + b"\n",
    "log and answers": b"#" + b"x" * 5_000 + b"\n1\n",
}


def held_by(session):
    """Bytes of a bot that a session keeps."""
    return len(session._buffer) + len(session._answer or "") + len(session._log)


@pytest.mark.parametrize("flood", FLOODS.values(), ids=FLOODS)
@pytest.mark.parametrize("owed", [0, 3])
def test_a_flood_is_held_back(flood, owed):
    """PROTOCOL.md 4: at most one unread answer and 65,536 bytes (here with a line's newline), and
    the log that is kept; then nothing is wanted, whatever the bot has still to say."""
    session = playing()
    for _ in range(owed):
        session.ask()
        session.give_up()
    coming = flood * (1_000_000 // len(flood))
    bound = LINE_LIMIT + (LINE_LIMIT + 1) + (LOG_LIMIT + 1)
    for _ in range(6):  # turns
        session.ask()
        while coming and session.wants_data:
            size = session.room_for
            assert 1 <= size <= LINE_LIMIT + 1
            session.receive(coming[:size])
            coming = coming[size:]
            assert held_by(session) <= bound
        assert session.has_answer or not coming
        if session.take_answer() is None:
            break
        session.take_log()


def test_between_matches_a_flood_is_held_back_too():
    session = session_in(State.WAITING)
    received = 0
    while session.wants_data:
        size = session.room_for
        session.receive(b"1\n" * (size // 2 + 1))
        received += size
    assert received <= 2 * (LINE_LIMIT + 1)
    assert session.room_for >= 1


def test_a_hello_takes_no_more_room_than_it_may_have():
    session = Session()
    session.receive(b"x" * session.room_for)
    assert len(session._buffer) == HELLO_LIMIT + 1
    with pytest.raises(RemoteProtocolError) as caught:
        session.take_hello()
    assert caught.value.code is ErrorCode.LINE_TOO_LONG


@pytest.mark.parametrize("chunk", [97, 999, 65_536])
def test_chunks_bigger_than_asked_for_add_at_most_themselves(chunk):
    session = playing()
    session.ask()
    data = b"#" + b"x" * 60_000 + b"\n" + b"2 " * 10 + b"\n"
    coming = data * 4
    while coming and session.wants_data:
        session.receive(coming[:chunk])
        coming = coming[chunk:]
        assert len(session._buffer) <= LINE_LIMIT + chunk
    assert session.take_answer() == "2 " * 10
