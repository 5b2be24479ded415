"""The signals that ask one of our programs to stop."""

import signal
from collections.abc import Iterable

STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""Signals sent by Ctrl-C in a terminal, by a service manager, and by a terminal that closes."""


def heeded(numbers: Iterable[signal.Signals] = STOPPING) -> tuple[signal.Signals, ...]:
    """Return those of the given signals that this process should react to.

    A signal that was ignored when the process was started stays ignored: a shell starts background
    jobs with SIGINT ignored, and `nohup` starts programs with SIGHUP ignored. SIGTERM is always
    returned, so that one signal is left that stops the process.

    Args:
        numbers: The signals to choose from.
    """
    return tuple(
        number
        for number in numbers
        if number == signal.SIGTERM or signal.getsignal(number) is not signal.SIG_IGN
    )
