"""Unpacks a built program into the sandbox's scratch folder and becomes it.

    python -I -S -B unpacker.py PROGRAM ARGUMENT …

runs in a sandbox, which shows PROGRAM, a tar file that `builder` made. The arguments are the
program's command line, which is executed in the folder of its files; a word `{python}` stands for
the Python that runs this, so that a program built on one machine runs on another.
"""

# Importing pathlib would double the time that this takes.
# ruff: noqa: PTH103

import os
import sys

FOLDER = "/tmp/bot"  # noqa: S108 -- the sandbox's own, seen by nobody else
PYTHON = "{python}"
"""Stands for the interpreter in a command line, so that it holds on every machine."""
NICENESS = 5
"""How much a program gives way to the arena, whose clock is that of bots that have connected too.
"""


def main(program: str, command: list[str]) -> None:
    """Unpack the program and execute its command line."""
    os.nice(NICENESS)
    os.makedirs(FOLDER)
    import tarfile  # noqa: PLC0415 - slow to import, for whoever only names this file

    with tarfile.open(program) as files:
        # As it is: the sandbox holds whatever it may be, and Python before 3.11.4 has no filters.
        files.extraction_filter = lambda member, _folder: member
        files.extractall(FOLDER)  # noqa: S202 -- see above
    os.chdir(FOLDER)
    command = [sys.executable if word == PYTHON else word for word in command]
    try:
        os.execvp(command[0], command)  # noqa: S606 -- without a shell, on purpose
    except OSError as error:
        why = error.strerror
        if os.path.lexists(command[0]):
            # A folder of PATH may be closed to this user, and then the search ends by that.
            if "/" not in command[0] and isinstance(error, FileNotFoundError | PermissionError):
                why = f"not along PATH; write ./{command[0]}, or what runs it before it"
            elif isinstance(error, FileNotFoundError):
                why = "what its first line (#!) names isn't here; does the line end as in Windows?"
        sys.exit(f"{command[0]}: {why}; see run in bot.toml")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
