"""The command `lanista`; `python -m lanista` where the script isn't on the path."""

from __future__ import annotations

import signal
import sys

TYPE_CHECKING = False  # as in __init__.py: importing typing takes a while
if TYPE_CHECKING:
    from typing import NoReturn


def main() -> NoReturn:
    """Run the command line and exit."""
    is_arena = sys.argv[1:3] == ["arena", "run"]
    if is_arena and signal.getsignal(signal.SIGHUP) is signal.SIG_DFL:
        # It would end the arena, which reads its file again at SIGHUP as soon as it can heed it.
        signal.signal(signal.SIGHUP, lambda *_: None)
    try:
        from lanista import cli  # noqa: PLC0415 - here Ctrl-C leaves no traceback

        cli.main()
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
