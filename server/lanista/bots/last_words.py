"""Finding in what a bot wrote why it crashed: the uncaught exception, and where it was raised.

This knows what the runtimes of the client libraries' languages print, and those of other languages
whose last line says nothing. It only handles text.
"""

import re
from collections.abc import Callable, Iterable, Sequence

from lanista.errors import printable

LONGEST = 200
"""Maximum number of characters that are returned."""
TAIL = 5
"""Number of lines that may follow a stack trace in the output, such as Node's version."""
LINES = 2048
"""Number of lines, the last ones, that are looked at; Java prints at most 1024 frames."""

# A bot may print what it likes, and is read in an event loop: no pattern may take longer than in
# proportion to a line.

# Parts of the paths and names in stack traces that aren't the author's own code.
_FOREIGN = re.compile(
    r"""<frozen|/lib/python|/site-packages/|/lanista_client/  # Python
    |java\.base/|org\.lanista\.client  # Java
    |node:|/node_modules/|/clients/javascript/  # JavaScript
    |/go(?:-[\d.]+)?/src/|/clients/go/  # Go
    |/lanista-client/  # JavaScript and Go, as an arena's page serves them
    """,
    re.VERBOSE,
)
_PYTHON_FRAME = re.compile(r'\s+File "(?P<file>.+)", line (?P<line>\d+)')
# The margin of an exception group in Python, whose last line is margin alone.
_MARGIN = re.compile(r"^ +(?:\| ?|\+-.*)", re.MULTILINE)
_MARGIN_END = "+------------------------------------"
# The line after the reason, of `env` for a script without its interpreter, `go run`, `cargo run`.
_AFTERWORD = re.compile(
    r"\n(?:/usr/bin/env: use -.*|exit status \d+|error: process didn't exit successfully: .*)\Z"
)
_AT_FRAME = re.compile(
    r"\s+at .*?(?<=[\s()/:])(?P<file>[^\s()/:]+\.\w+):(?P<line>\d+)(?::\d+)?\)?(?: \{)?$"
)
_AT = re.compile(r"\s+(?:at |\.\.\. \d+ more)")
_THROWN = re.compile(
    r'(?:Exception in thread ".*?" |Caused by: |Uncaught )(?P<named>.+)'
    r"|(?P<message>\S*(?:Error|Exception)\b.*)"
)
# What Node prints last; before it, below the line of code and a caret, is whatever was thrown.
_NODE_VERSION = re.compile(r"Node\.js v\d")
_CARET = re.compile(r"\s*\^+$")
_REJECTED = "The promise rejected with the reason "
_GO_PANIC = re.compile(r"(?:panic|fatal error): (?P<message>.+)")
_GO_FRAME = re.compile(r"\t(?P<file>.+\.go):(?P<line>\d+)")
_RUST_PANIC = re.compile(
    r"thread '[^']*' (?:\(\d+\) )?panicked at "
    r"(?:'(?P<message>.*)', )?(?P<file>[^']+):(?P<line>\d+):\d+:?$"
)
# What Node says before a native stack trace, and a sanitizer of C, C++ or Rust before its map.
_FATAL = re.compile(
    r"(?:FATAL ERROR|SUMMARY): (?P<message>.*JavaScript heap out of memory|\w+Sanitizer: .+)"
)
# Above its trace, Lua names itself first; Ruby's message may have lines of code below it.
_LUA_TRACE = re.compile("stack traceback:$")
_LUA_ERROR = re.compile(r"[^\s:]+: (?P<file>[^:]+):(?P<line>\d+): (?P<message>.+)")
_RUBY_ERROR = re.compile(r"(?P<file>[^\s:][^:]*):(?P<line>\d+):in [`'][^`']*': (?P<message>.+)")
_PHP_END = re.compile(r"  thrown in (?P<file>.+) on line (?P<line>\d+)$")
_CPP_THROWN = re.compile(r"terminate called after throwing an instance of '(?P<message>.+)'")


def last_words(output: str) -> str:
    """Return in one printable line why a bot ended, as far as the end of its output says so.

    That is the uncaught exception or panic, otherwise the last line. Without output it is empty.
    """
    return uncaught(output) or printable(_lines(output)[-1].strip()[:LONGEST])


def uncaught(output: str) -> str:
    """Return in one printable line the uncaught exception with which a bot's output ends, if any.

    For an exception or a panic of Python, Java, JavaScript, Go, Rust, Lua, Ruby or PHP that is
    `FILE:LINE: MESSAGE`, with the innermost line of the author's own code; for an exception of C++
    its type and message.
    """
    lines = _lines(output)
    forms: Sequence[Callable[[Sequence[str]], str]]
    forms = (_python, _node, _thrown, _go, _rust, _lua, _ruby, _php, _cpp, _fatal)
    found = (form(lines) for form in forms)
    return printable(next(filter(None, found), "")[:LONGEST])


def _lines(output: str) -> list[str]:
    """Return the last lines of an output, without what isn't the bot's own."""
    output = _AFTERWORD.sub("", output.rstrip()).rstrip()
    if output.endswith(_MARGIN_END):
        output = _MARGIN.sub("", output).rstrip()
    # Not at a CR alone: bash quotes the line of a script that it can't read, which may end so.
    return re.split(r"\r?\n", output)[-LINES:]


def _python(lines: Sequence[str]) -> str:
    end = _last(lines, _PYTHON_FRAME)
    message = next((n for n in range(end + 1, len(lines)) if not lines[n].startswith(" ")), None)
    if end < 0 or message is None or len(lines) - message > TAIL:
        return ""
    begin = end
    while begin and lines[begin - 1].startswith(" "):
        begin -= 1
    return _raised(reversed(lines[begin : end + 1]), _PYTHON_FRAME, lines[message])


def _node(lines: Sequence[str]) -> str:
    """Return what Node says of an uncaught exception, which may be a text or have properties."""
    caret = _last(lines, _CARET)
    if caret < 2 or not _NODE_VERSION.match(lines[-1]):
        return ""
    message, *frames = filter(None, lines[caret + 1 :])
    thrown = f"    at {lines[caret - 2]}"  # a text that is thrown has no other frame
    return _raised([*frames, thrown], _AT_FRAME, message.rpartition(_REJECTED)[2])


def _thrown(lines: Sequence[str]) -> str:
    """Return the exception of the last stack trace of Java or JavaScript, which is the cause."""
    end = _last(lines, _AT)
    if end < 0 or len(lines) - end > TAIL:
        return ""
    begin = end
    while begin and _AT.match(lines[begin - 1]):
        begin -= 1
    for number in range(begin - 1, max(-1, begin - TAIL), -1):  # a message may have several lines
        if thrown := _THROWN.match(lines[number]):
            message = thrown["named"] or thrown["message"]
            return _raised(lines[begin : end + 1], _AT_FRAME, message)
    return ""


def _go(lines: Sequence[str]) -> str:
    panic = _last(lines, _GO_PANIC)
    if panic < 0 or not any(line.startswith("goroutine ") for line in lines[panic:]):
        return ""
    return _raised(lines[panic:], _GO_FRAME, lines[panic].partition(": ")[2])


def _rust(lines: Sequence[str]) -> str:
    panic = _last(lines, _RUST_PANIC)
    if panic < 0:
        return ""
    message = _RUST_PANIC.match(lines[panic])["message"]  # type: ignore[index]  # it has matched
    return _raised(lines[panic:], _RUST_PANIC, message or "".join(lines[panic + 1 : panic + 2]))


def _lua(lines: Sequence[str]) -> str:
    trace = _last(lines, _LUA_TRACE)
    error = _LUA_ERROR.match(lines[trace - 1]) if trace > 0 else None
    if error is None or not lines[-1].startswith("\t"):
        return ""
    return _raised([error[0]], _LUA_ERROR, error["message"])


def _ruby(lines: Sequence[str]) -> str:
    error = next(filter(None, map(_RUBY_ERROR.match, reversed(lines))), None)
    if error is None or not (lines[-1] == error[0] or lines[-1].startswith((" ", "\tfrom "))):
        return ""
    return _raised([error[0]], _RUBY_ERROR, error["message"])


def _php(lines: Sequence[str]) -> str:
    thrown = next((line for line in reversed(lines) if "Uncaught " in line), None)
    if thrown is None or not _PHP_END.match(lines[-1]):
        return ""
    message = thrown.partition("Uncaught ")[2]
    return _raised(lines[-1:], _PHP_END, message.rpartition(" in ")[0] or message)


def _cpp(lines: Sequence[str]) -> str:
    thrown = _last(lines, _CPP_THROWN)
    if thrown < 0:
        return ""
    kind = lines[thrown].split("'")[1]
    what = "".join(lines[thrown + 1 : thrown + 2]).partition("what():")[2].strip()
    return f"{kind}: {what}" if what else kind


def _fatal(lines: Sequence[str]) -> str:
    fatal = _last(lines, _FATAL)
    return "" if fatal < 0 else lines[fatal].partition(": ")[2]


def _last(lines: Sequence[str], form: re.Pattern[str]) -> int:
    """Return the number of the last line that begins with this form; -1 if none does."""
    return next((n for n in range(len(lines) - 1, -1, -1) if form.match(lines[n])), -1)


def _raised(frames: Iterable[str], form: re.Pattern[str], message: str) -> str:
    """Return a message after its place: that of the first frame of the author's own code."""
    places = [(frame, place) for frame in frames if (place := form.match(frame))]
    own = [place for frame, place in places if not _FOREIGN.search(frame)]
    for place in own or [place for _, place in places]:
        return f"{place['file'].rpartition('/')[2]}:{place['line']}: {message}"
    return message
