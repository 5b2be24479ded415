"""Compiling a player's file with the kit's headers, and saying plainly why it can't be done.

Finds the compiler, runs it, reads its words. Nothing is printed here and no bot is started.
"""

import contextlib
import hashlib
import os
import re
import shlex
import shutil
import subprocess
import tempfile
from codecs import BOM_UTF8
from collections.abc import Iterator, Sequence
from pathlib import Path

import attrs

KIT = Path(__file__).parent
INCLUDE = KIT / "include"
"""The folder of `lanista.hpp`, and of a folder of headers for each game."""
GAMES = ("hogwarts", "crematoria")
"""The games whose original kits had players in C++."""
STANDARD = "c++17"
"""What the players of the kits need: some use structured bindings and std::optional."""
FLAGS = (
    f"-std={STANDARD}",
    "-O2",
    # Where the library is clang's: random_shuffle, which C++17 took away and players use.
    "-D_LIBCPP_ENABLE_CXX17_REMOVED_RANDOM_SHUFFLE",
)
HOST_SPEED = "-O1"
"""For the main program: of a turn it takes far less than a millisecond, but of a build a half."""
LINES_SHOWN = 40
"""Lines of the compiler's words that are shown: a forgotten brace can bring thousands."""
COMPILERS = ("g++", "clang++", "c++")
_REGISTERED = re.compile(rb"\bRegisterPlayer\s*\(")
_NAMED = re.compile(rb"^[ \t]*#[ \t]*define[ \t]+PLAYER_NAME[ \t]+\w", re.MULTILINE)
_USES_NAME = re.compile(rb"\bPLAYER_NAME\b")
_PLAYER_HH = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*["<]Player\.hh[">]', re.MULTILINE)
_ERROR = re.compile(r"\b(?:fatal )?error:")


class SourceError(Exception):
    """The file, or the place for the bot, can't be used; one line says why."""


class NoCompilerError(Exception):
    """There is nothing to compile with; one line says what to install."""


class CompileError(Exception):
    """The compiler refused the file.

    Attributes:
        output: what the compiler said, cut to `LINES_SHOWN` lines.
        hint: our own explanation, in one line.
    """

    def __init__(self, output: str, hint: str) -> None:
        super().__init__(hint)
        self.output = output
        self.hint = hint


@attrs.frozen(kw_only=True)
class Built:
    """A bot that was built."""

    output: Path
    """The executable."""
    game: str
    """The game that it plays."""
    warnings: str
    """What the compiler said nevertheless; empty mostly."""


def compiler() -> tuple[str, ...]:
    """The words that begin a compiler's command line: `$CXX`, or the first that is installed.

    Raises:
        NoCompilerError: There is none.
    """
    chosen = os.environ.get("CXX", "").strip()
    if chosen:
        words = _words("CXX", chosen)
        if shutil.which(words[0]) is None:
            raise NoCompilerError(f"CXX={chosen}: there is no program {words[0]!r} to run")
        return words
    for name in COMPILERS:
        if shutil.which(name) is not None:
            return (name,)
    raise NoCompilerError(
        "no C++ compiler: install g++ (Debian, Ubuntu: apt-get install g++) or clang++, or name "
        "yours in CXX"
    )


def _words(variable: str, text: str) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(text))
    except ValueError as error:
        raise NoCompilerError(f"{variable}={text}: can't be split into words: {error}") from None


def build(source: Path, output: Path, game: str | None = None) -> Built:
    """Compile a player's file into a bot.

    `$CXX` names the compiler and `$CXXFLAGS` adds options to it, behind ours.

    Args:
        source: The file, `AIname.cc`.
        output: The executable to write; an older one is replaced once the new one is ready.
        game: One of `GAMES`; None: the one whose API the file keeps to.

    Raises:
        SourceError: The file or the place isn't usable, or the file keeps to the API of more
            than one game and none was said.
        NoCompilerError: There is nothing to compile with.
        CompileError: The compiler refused the file.
    """
    text = _text_of(source)
    _check_output(output, source)
    with tempfile.TemporaryDirectory(prefix="lanista-build-") as folder:
        work = _Work(
            compiler=compiler(),
            more=_words("CXXFLAGS", os.environ.get("CXXFLAGS", "")),
            source=source,
            folder=Path(folder),
        )
        work.copy.write_bytes(_marked(source, text))
        game = game or _game_of(work)
        warnings = _compile(work, game)
        _put(work.bot, output)
    return Built(output=output, game=game, warnings=warnings)


@attrs.frozen(kw_only=True)
class _Work:
    """One build: its tools and its scratch folder."""

    compiler: tuple[str, ...]
    more: tuple[str, ...]
    source: Path
    folder: Path

    @property
    def copy(self) -> Path:
        """The player's file where the compiler reads it.

        A copy, since `#include "Player.hh"` looks beside the file first, and beside the original
        there may be the original kit.
        """
        return self.folder / "player.cc"

    @property
    def bot(self) -> Path:
        return self.folder / "bot"

    def start(self, game: str, *words: str | Path) -> subprocess.Popen[str]:
        """Start the compiler with the headers of a game."""
        return subprocess.Popen(
            [
                *self.compiler,
                *FLAGS,
                # Warnings in our headers are no business of the player's author.
                *("-isystem", str(INCLUDE / game), "-idirafter", str(self.source.parent)),
                *self.more,
                *map(str, words),
            ],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
        )

    def run(self, game: str, *words: str | Path) -> tuple[int, str]:
        """Run the compiler to its end; its exit code and what it said."""
        with self.start(game, *words) as process:
            said, _ = process.communicate()
        return process.returncode, said


def _text_of(source: Path) -> bytes:
    """The player's file, once it is known to be one."""
    try:
        text = source.read_bytes().removeprefix(BOM_UTF8)
    except IsADirectoryError:
        raise SourceError(
            f"{source} is a folder; give a player's file, such as AIname.cc"
        ) from None
    except FileNotFoundError:
        raise SourceError(f"no file {source}; give a player's file, such as AIname.cc") from None
    except OSError as error:
        raise SourceError(f"can't read {source}: {error.strerror}") from None
    if not _PLAYER_HH.search(text):
        raise SourceError(
            f'{source} is no player of the kits: it has no line #include "Player.hh" '
            "(a bot of your own with lanista.hpp needs no `lanista build`)"
        )
    if not _REGISTERED.search(text):
        raise SourceError(
            f"{source} registers no player: its last line must be RegisterPlayer(PLAYER_NAME);"
        )
    if _USES_NAME.search(text) and not _NAMED.search(text):
        raise SourceError(
            f"{source} doesn't say its name: it needs a line #define PLAYER_NAME YourName"
        )
    return text


def _check_output(output: Path, source: Path) -> None:
    """Refuse a place where no bot can be written, before the time for compiling is spent."""
    with contextlib.suppress(OSError):
        if output.samefile(source):
            raise SourceError(f"{output} is the player's file itself; name the bot with -o")
    if output.is_dir():
        raise SourceError(f"{output} is a folder; name a file with -o")
    if output.exists() and not output.is_file():
        raise SourceError(f"{output} is no file that could be replaced; name another with -o")
    if not output.parent.is_dir():
        raise SourceError(f"can't write {output}: there is no folder {output.parent}")
    if not os.access(output.parent, os.W_OK):
        raise SourceError(f"can't write {output}: no permission to write in {output.parent}")


def _put(bot: Path, output: Path) -> None:
    """Move the bot to its place; one that runs from there goes on with its old file."""
    try:
        output.unlink(missing_ok=True)
        shutil.move(bot, output)
    except OSError as error:
        raise SourceError(f"can't write {output}: {error.strerror}") from None


def _marked(source: Path, text: bytes) -> bytes:
    """The file's text, with a first line by which the compiler's words name the original."""
    name = os.fsencode(source).replace(b"\\", rb"\\").replace(b'"', rb"\"")
    return b'#line 1 "%b"\n%b' % (name, text)


def _game_of(work: _Work) -> str:
    """The one game whose API the file keeps to."""
    said = dict(zip(GAMES, _check(work, GAMES), strict=True))
    keeps = [game for game in GAMES if said[game] is None]
    if len(keeps) == 1:
        return keeps[0]
    if keeps:
        raise SourceError(
            f"{work.source} could be a player of {' or of '.join(keeps)}: say which with --game"
        )
    nearest = min(GAMES, key=lambda game: len(_ERROR.findall(said[game] or "")))
    raise CompileError(
        cut(said[nearest] or ""),
        f"{work.source} compiles for no game; these are the errors for {nearest}, "
        "say --game to see another's",
    )


def _check(work: _Work, games: Sequence[str]) -> Iterator[str | None]:
    """Whether the file keeps to each game's API: None, or what the compiler says against it."""
    running = [work.start(game, "-fsyntax-only", work.copy) for game in games]
    for process in running:
        with process:
            said, _ = process.communicate()
        yield said if process.returncode else None


def _compile(work: _Work, game: str) -> str:
    """Compile the player, put the main program to it; the compiler's warnings."""
    player = work.folder / "player.o"
    code, warnings = work.run(game, "-c", work.copy, "-o", player)
    if code:
        raise CompileError(cut(warnings), _explained(work, game))
    code, words = work.run(game, player, _host(work, game), "-o", work.bot)
    if code:
        hint = f"{work.source} can't be linked to the kit"
        if "lanista_kit::make_player" in words and "undefined" in words.lower():
            hint = f"{work.source} registers no player: RegisterPlayer(PLAYER_NAME); is no comment"
        elif re.search(r"(multiple|duplicate).*\bmain\b", words):
            hint = f"{work.source} has a main(), which a player must not have"
        raise CompileError(cut(words), hint)
    return cut(warnings)


def _host(work: _Work, game: str) -> Path:
    """The main program, compiled: it is the same every time, and takes longer than most players."""
    kept = _kept_place(work, game)
    if kept is not None and kept.is_file():
        return kept
    host = work.folder / "host.o"
    code, words = work.run(game, HOST_SPEED, "-c", KIT / "src" / f"{game}.cc", "-o", host)
    if code:
        raise CompileError(cut(words), "the kit's own main program doesn't compile here")
    if kept is not None:
        _keep(host, kept)
    return host


def _kept_place(work: _Work, game: str) -> Path | None:
    """Where the compiled main program is kept for the next build; None if it isn't to be kept.

    Options of one's own may be good for this machine alone (-march=native), while a home may be
    shared.
    """
    home = os.environ.get("HOME")
    cache = os.environ.get("XDG_CACHE_HOME") or (home and f"{home}/.cache")
    if work.more or not cache:
        return None
    code, version = work.run(game, "--version")
    if code:
        return None
    key = hashlib.sha256(repr((work.compiler, version, FLAGS, HOST_SPEED, game)).encode())
    for folder in ("src", "include"):
        for path in sorted((KIT / folder).rglob("*.[hc]*")):
            key.update(path.read_bytes())
    return Path(cache, "lanista", f"kit-{game}-{key.hexdigest()[:16]}.o")


def _keep(host: Path, kept: Path) -> None:
    """Put the compiled main program where the next build looks for it; it does without."""
    with (
        contextlib.suppress(OSError),
        tempfile.TemporaryDirectory(dir=_made(kept.parent)) as folder,
    ):
        # Whoever looks sees all of it or nothing.
        Path(shutil.copy(host, folder)).replace(kept)


def _made(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _explained(work: _Work, game: str) -> str:
    """Why a file doesn't compile for a game, if it is a player of the other one."""
    others = [other for other in GAMES if other != game]
    for other, said in zip(others, _check(work, others), strict=True):
        if said is None:
            return f"{work.source} looks like a player of {other}: say --game {other}"
    return f"{work.source} doesn't compile as a player of {game}"


def cut(words: str) -> str:
    """The first lines of a compiler's words."""
    lines = words.splitlines()
    if len(lines) > LINES_SHOWN:
        lines[LINES_SHOWN:] = [f"... {len(lines) - LINES_SHOWN} more lines"]
    return "\n".join(lines)
