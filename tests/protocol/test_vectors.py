"""The vectors through the arena's reader and writer; conversations are in test_conversations."""

import math
from itertools import pairwise

import attrs
import pytest

from lanista_protocol import (
    ErrorCode,
    LocalProtocolError,
    MalformedLineError,
    NoteCode,
    RemoteProtocolError,
    Session,
    tokenize,
)
from lanista_protocol.messages import number
from protocol.table import MESSAGES, VECTORS, Feed, bytes_of, each, load

WIRE_NAMES = {"version": "v"}  # a field that the wire calls otherwise


def fields_of(hello):
    return {WIRE_NAMES.get(key, key): value for key, value in attrs.asdict(hello).items()}


def test_every_file_is_described_and_every_description_has_its_file():
    page = (VECTORS / "README.md").read_text(encoding="utf-8")
    files = {path.name for path in VECTORS.glob("*.jsonl")}
    described = {line[4:-1] for line in page.splitlines() if line.startswith("## `")}
    assert files == described


@pytest.mark.parametrize("name", sorted(path.stem for path in VECTORS.glob("*.jsonl")))
def test_vectors_have_names_of_their_own_and_say_their_section(name):
    vectors = load(name)
    assert len(vectors) == len({vector["name"] for vector in vectors})
    assert {vector["rule"] for vector in vectors} <= set("123456789")


def test_a_vector_is_one_line_for_whatever_splits_lines():
    """Some languages also split at U+2028 and others: those are escaped."""
    for path in VECTORS.glob("*.jsonl"):
        text = path.read_text(encoding="utf-8")
        assert text.split("\n")[:-1] == text.splitlines(), path.name


@pytest.mark.parametrize("ending", [b"\n", b"\r\n"], ids=["LF", "CRLF"])
@each("hello")
def test_hello_read_from_bytes(vector, ending):
    """PROTOCOL.md 1, 2."""
    line = bytes_of(vector["line"])
    if ending == b"\r\n" and len(line) == 512:
        line = line[:-1]  # the \r counts, so this one would be too long
    session = Session()
    session.receive(line + ending)
    if "hello" in vector:
        assert vector["hello"] == fields_of(session.take_hello())
        return
    with pytest.raises(RemoteProtocolError) as caught:
        session.take_hello()
    assert vector["error"] == caught.value.code.value


@pytest.mark.parametrize("size", [0, 1, None], ids=["whole", "bytewise", "as there is room"])
@each("lines")
def test_lines(vector, size):
    """PROTOCOL.md 1, 4: the same hello, answers, logs and error however the bytes come."""
    feed = Feed(size)
    feed.come(bytes_of(vector["sent"]))
    feed.end()
    turns, error = [], None
    try:
        feed.read()
        if feed.hello is not None:
            feed.session.start()
        while feed.hello is not None:
            feed.session.ask()
            feed.read()
            answer = feed.session.take_answer()
            if answer is None:
                break
            turns.append((answer.encode(), feed.session.take_log().encode()))
    except RemoteProtocolError as caught:
        error = caught.code.value
    assert vector["hello"] == (feed.hello and feed.hello.name)
    assert [(bytes_of(turn["answer"]), bytes_of(turn["log"])) for turn in vector["turns"]] == turns
    assert vector["error"] == error


@pytest.mark.parametrize("size", [0, 1, None], ids=["whole", "bytewise", "as there is room"])
@each("debts")
def test_debts(vector, size):
    """PROTOCOL.md 4: every go is owed one answer, in order."""
    feed = Feed(size)
    session = feed.session
    for step in vector["steps"]:
        ((kind, value),) = step.items()
        match kind:
            case "bot":
                feed.come(bytes_of(value))
                feed.read()
            case "closes":
                feed.end()
                feed.read()
            case "start":
                session.start()
            case "go":
                session.ask()
                feed.read()
            case "deadline":
                session.give_up()
            case "answer":
                assert value == session.take_answer()
            case "log":
                assert value == session.take_log()
            case "end":
                session.end()
            case _:
                pytest.fail(f"unknown step {kind}")


@each("answers")
def test_answers(vector):
    """PROTOCOL.md 1, 4: tokens, or the place of the first that is none."""
    line = bytes_of(vector["line"]).decode()
    if "tokens" in vector:
        tokens = vector["tokens"]
        if isinstance(tokens, dict):
            tokens = [tokens["number"]] * tokens["times"]
        assert tokens == tokenize(line)
        return
    with pytest.raises(MalformedLineError, match=f"^token {vector['malformed']} is "):
        tokenize(line)


@pytest.mark.parametrize(
    "number", ["2147483648", "-2147483649", "9" * 10, "1" + 30 * "0", "-" + 11 * "1"]
)
def test_a_number_that_is_too_large_is_told_so(number):
    """It is a whole number, so to ask for whole numbers would be no help."""
    with pytest.raises(MalformedLineError, match=r"^token 1 is .* must fit in 32 bits$"):
        tokenize(f"0 {number}")


@each("numbers")
def test_numbers(vector):
    """PROTOCOL.md 1: decimal, at most 4 digits after the point, no trailing zeros."""
    assert vector["text"] == number(vector["value"])


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_a_number_that_has_no_digits_is_ours_to_avoid(value):
    with pytest.raises(LocalProtocolError):
        number(value)


def make(keyword, fields):
    """The message of a keyword, as a writer makes it."""
    if "code" in fields:
        codes = {"error": ErrorCode, "note": NoteCode}[keyword]
        fields = fields | {"code": codes(fields["code"])}
    return MESSAGES[keyword](**fields)


@each("messages")
def test_messages(vector):
    """PROTOCOL.md 3, 7: the bytes, or the refusal of what would be no such line."""
    if vector["bytes"] is None:
        with pytest.raises(LocalProtocolError):
            make(vector["message"], vector["fields"])
        return
    assert vector["bytes"].encode() == make(vector["message"], vector["fields"])


def test_every_message_and_every_code_has_its_vector():
    told = [vector for vector in load("messages") if vector["bytes"] is not None]
    assert set(MESSAGES) == {vector["message"] for vector in told}
    for keyword, codes in (("error", ErrorCode), ("note", NoteCode)):
        said = {v["fields"]["code"] for v in told if v["message"] == keyword}
        assert {code.value for code in codes} == said


def test_lines_reach_both_sides_of_every_limit():
    """The vectors of lines go to each limit and one beyond (PROTOCOL.md 1)."""
    sizes = set()
    for vector in load("lines"):
        ends = [-1]
        sent = bytes_of(vector["sent"])
        ends += [at for at, byte in enumerate(sent) if byte == 10]
        sizes |= {b - a - 1 for a, b in pairwise(ends)}
    assert {512, 513, 65_536, 65_537} <= sizes
