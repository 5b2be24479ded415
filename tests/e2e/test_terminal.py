"""The board in a terminal: `play` and `replay show` under a pseudo-terminal."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time

import pytest

from e2e.running import PATIENCE, command, environment

ESCAPE = re.compile(r"\x1b\[([0-9;?]*)([A-Za-z])")


ROWS, COLS = 40, 120
TAKE_TERMINAL = """
import fcntl, os, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execv(sys.argv[1], sys.argv[1:])
"""
"""Makes the terminal on stdin the controlling one of this session, so that Ctrl-C is a signal."""


def run_in_terminal(folder, *words, interrupt_at=None, by=None):
    """Run `lanista` in a terminal: its exit code and all it wrote there.

    Presses Ctrl-C, or sends the signal `by`, when the text `interrupt_at` has appeared.
    """
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("4H", ROWS, COLS, 0, 0))
    process = subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", TAKE_TERMINAL, *command(*words)],
        cwd=folder,
        env=environment(TERM="xterm-256color", COLUMNS=str(COLS), LINES=str(ROWS)),
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    )
    os.close(theirs)
    written = b""
    deadline = time.monotonic() + PATIENCE
    try:
        while time.monotonic() < deadline:
            if not select.select([ours], [], [], 1)[0]:
                continue
            try:
                written += os.read(ours, 65536)
            except OSError:  # EIO: nobody has the terminal any more
                break
            if interrupt_at is not None and interrupt_at.encode() in written:
                if by is None:
                    os.write(ours, b"\x03")
                else:
                    process.send_signal(by)
                interrupt_at = None
        else:
            pytest.fail(f"still running after {PATIENCE} s: {written[-2000:]!r}")
        assert interrupt_at is None, f"never came to {interrupt_at!r}: {written[-2000:]!r}"
        return process.wait(PATIENCE), written.decode()
    finally:
        os.close(ours)
        if process.poll() is None:
            process.kill()
            process.wait()


def plain(written):
    """The text without colours and movements of the cursor."""
    return ESCAPE.sub("", written)


PLAY = ("play", "angrymob", "GravityGoers", "CamperJoe", "-i", "pit", "-s", 1, "--no-clock")


def test_the_board_is_drawn_live_and_the_result_printed(tmp_path):
    """Without --console: every position in colours with its legend, then the result."""
    code, written = run_in_terminal(tmp_path, *PLAY, "-o", "match.jsonl.gz", "--delay", 1)
    assert 0 == code, plain(written)
    text = plain(written)
    turns = int(re.search(r"GravityGoers wins \(finished: capture, (\d+) moves\)", text)[1])
    drawn = [int(move) for move in re.findall(r"move (\d+) ", text)]
    assert list(range(turns + 1)) == sorted(set(drawn))
    assert drawn == sorted(drawn)
    # The names that the bots said, how many units they have, and the neutral ones.
    assert re.search(r"GravityGoers: 1 unit, base .* CamperJoe: 1 unit, base .* neutral", text)
    # Colours, the cursor hidden while drawing and shown again at the end.
    parameters = [found.group(1) for found in ESCAPE.finditer(written)]
    assert any("48;5;" in parameter for parameter in parameters)
    assert written.index("\x1b[?25l") < written.rindex("\x1b[?25h")
    # The final result stands below the last board.
    assert text.rindex("GravityGoers wins") > text.rindex(f"move {turns} ")

    code, written = run_in_terminal(
        tmp_path, "replay", "show", "match.jsonl.gz", "--delay", 0, "--size", 3
    )
    assert 0 == code
    text = plain(written)
    assert list(range(turns + 1)) == sorted({int(m) for m in re.findall(r"move (\d+) ", text)})
    assert f"finished: capture, {turns} moves" in text


@pytest.mark.parametrize("option", ["--console", pytest.param("--json", marks=pytest.mark.long)])
def test_nothing_is_drawn_when_not_wanted(tmp_path, option):
    """--console and --json print the result alone, in a terminal too."""
    code, written = run_in_terminal(
        *(tmp_path, "play", "angrymob", "CamperJoe", "CamperJoe", "--move-limit", 2),
        *("--no-clock", option),
    )
    assert 0 == code
    assert "move-limit" in written
    assert "\x1b" not in written


def test_ctrl_c_in_the_terminal(tmp_path):
    """It ends the match: 130, the cursor is back, the record is there.

    SIGTERM ends what is shown, too.
    """
    code, written = run_in_terminal(
        *(tmp_path, "play", "angrymob", "CamperJoe", "CamperJoe", "-i", "pit", "--delay", 20),
        "--no-clock",
        interrupt_at="move 3 ",
    )
    assert 130 == code
    assert "interrupted (aborted: interrupted, " in plain(written)
    assert written.index("\x1b[?25l") < written.rindex("\x1b[?25h")
    (record,) = (tmp_path / "lanista-records").glob("*.jsonl.gz*")
    assert record.name.endswith(".jsonl.gz")
    for by in (None, signal.SIGTERM):
        show = "replay", "show", record, "--delay", 60_000
        code, written = run_in_terminal(tmp_path, *show, interrupt_at="move 0 ", by=by)
        assert 130 == code
        assert written.index("\x1b[?25l") < written.rindex("\x1b[?25h")
