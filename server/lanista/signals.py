"""Which signals ask a program of ours to stop."""

import signal
from collections.abc import Iterable

STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""The signals of Ctrl-C in a terminal, of a service manager, and of a terminal that closes."""


def heeded(numbers: Iterable[signal.Signals] = STOPPING) -> tuple[signal.Signals, ...]:
    """Return those of these signals that this process should heed.

    A shell starts a background job with SIGINT ignored, and `nohup` a program with SIGHUP ignored:
    what somebody had us ignore, we go on ignoring. SIGTERM is always heeded, so that there is a
    signal left that stops us.

    Args:
        numbers: The signals that would stop the caller.
    """
    return tuple(
        number
        for number in numbers
        if number == signal.SIGTERM or signal.getsignal(number) is not signal.SIG_IGN
    )
