"""Programs that were handed in to a ladder, as an arena would have stored them."""

import hashlib

from lanista.results.data_folder import DataFolder
from lanista.results.submissions import (
    Author,
    State,
    SubmissionFolder,
    Version,
    read_owner_salt,
    write_file,
)

RECEIVED = "2026-11-24T16:45:00.000+00:00"


def handed_in(data, name, *versions, ladder="pit", **about):
    """Store versions of a name's program, and return the ladder's folder.

    Args:
        data: The arena's data folder.
        name: The name.
        versions: For each version its file's name, its source, its state, and what else is known.
        ladder: The ladder's name.
        about: What else is known of the name.
    """
    submissions = DataFolder(data).submissions
    read_owner_salt(submissions)
    folder = SubmissionFolder.of_ladder(submissions, ladder)
    author = Author(name=name, owner="00", **about)
    for number, (file, source, state, known) in enumerate(versions, 1):
        write_file(folder.source(author.key, number), source)
        if state is State.READY:
            write_file(folder.program(author.key, number), b"packed " + source)
            known.setdefault("command", ("./bot",))
            known["built_size"] = 7 + len(source)
        author.versions[number] = Version(
            number=number,
            file=file,
            size=len(source),
            sha256=hashlib.sha256(source).hexdigest(),
            received=RECEIVED,
            state=state,
            **known,
        )
    author.next = len(versions) + 1
    folder.write(author)
    return folder


def ready(file, source, **known):
    """A version that can play."""
    return file, source, State.READY, known


def refused(file, source, why, **known):
    """A version that can't."""
    return file, source, State.REFUSED, {"why": why, **known}
