"""Unpacks a built program into the sandbox's scratch folder and becomes it.

    python -I -S -B unpacker.py PROGRAM ARGUMENT …

runs in a sandbox, which shows PROGRAM, a tar file that `builder` made. The arguments are the
program's command line, which is executed in the folder of its files; a word `{python}` stands for
the Python that runs this, so that a program built on one machine runs on another. Only the standard
library is imported, because every bot pays for it.
"""

# Importing pathlib would double the time that this takes.
# ruff: noqa: PTH103

import os
import sys
import tarfile

FOLDER = "/tmp/bot"  # noqa: S108 -- the sandbox's own, seen by nobody else
PYTHON = "{python}"


def main(program: str, command: list[str]) -> None:
    """Unpack the program and execute its command line.

    Raises:
        OSError: There is no room, or the command can't be executed.
    """
    os.makedirs(FOLDER)
    with tarfile.open(program) as files:
        files.extractall(FOLDER, filter="data")
    os.chdir(FOLDER)
    command = [sys.executable if word == PYTHON else word for word in command]
    os.execvp(command[0], command)  # noqa: S606 -- without a shell, on purpose


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
