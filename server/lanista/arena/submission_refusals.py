"""Refusals of what authors ask for: of which kind each is, and why, in one line."""

import re
from enum import Enum
from http import HTTPStatus
from pathlib import Path

import structlog

from lanista.bots.building import ENDINGS
from lanista_protocol import shown

MAX_FILE_NAME = 80
_FILE_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")

log = structlog.get_logger()


class Refusal(Enum):
    """Kinds of reasons for which something is refused, with the status of HTTP for each."""

    BAD = HTTPStatus.BAD_REQUEST
    """The request itself can't be used, whatever is there already."""
    TOO_LARGE = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    NOT_FOUND = HTTPStatus.NOT_FOUND
    CONFLICT = HTTPStatus.CONFLICT
    """It isn't possible in the present state of the version."""
    CLOSED = HTTPStatus.FORBIDDEN
    """The deadline is over, or the operator has disabled the name."""
    TOO_MANY = HTTPStatus.TOO_MANY_REQUESTS
    NO_ROOM = HTTPStatus.INSUFFICIENT_STORAGE
    """The arena's disk, or the ladder's part of it, is full."""


class SubmissionRefusedError(Exception):
    """A request of an author is refused; the message is one line that says why."""

    def __init__(self, kind: Refusal, message: str) -> None:
        super().__init__(message)
        self.kind = kind


def check_file_name(file: str) -> None:
    """Refuse a file whose name can't be one.

    Raises:
        SubmissionRefusedError: It can't.
    """
    expected = f"expected NAME.ENDING, with one of {' '.join(ENDINGS)}"
    if len(file) > MAX_FILE_NAME or not _FILE_NAME.fullmatch(file):
        raise SubmissionRefusedError(
            Refusal.BAD,
            f"the file's name {shown(file, 100)}; {expected}; it is at most {MAX_FILE_NAME} of "
            "A-Z a-z 0-9 _ . - and begins with a letter, a digit or _",
        )
    if Path(file).suffix.lower() not in ENDINGS:
        raise SubmissionRefusedError(Refusal.BAD, f"the file's name {shown(file, 100)}; {expected}")


def no_disk(error: OSError) -> SubmissionRefusedError:
    """Return the refusal of what can't be stored, having logged why."""
    log.error("a submission can't be stored", path=error.filename, why=error.strerror)
    return SubmissionRefusedError(
        Refusal.NO_ROOM, f"the arena can't store it ({error.strerror}); try again later"
    )
