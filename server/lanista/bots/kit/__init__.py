"""The original kits' C++ API: compiles a student's unchanged player into a bot.

docs/bots/kits.md describes it. `include/GAME/` has the headers that a player of the game includes:
a folder for each game, since both kits use the same names. `include/kit/` has what the two share,
and `include/lanista.hpp` is the C++ client, which can be used by itself. `src/GAME.cc` is the main
program, and no rule of a game is there.

A build compiles the player's file, and links it to the main program. That is compiled apart, so
that the file's macros and `using namespace std` can't affect it. It takes longer to compile than
most players, so its object file is cached.
"""

import contextlib
import hashlib
import os
import re
import shlex
import shutil
import signal
import subprocess
import tempfile
from codecs import BOM_UTF8
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

import attrs

from lanista.errors import BadInputError
from lanista.system import STOPPING, undoing, write_whole
from lanista.temporary import TemporaryFolder

KIT = Path(__file__).parent
INCLUDE = KIT / "include"
"""The folder that has `lanista.hpp` and a folder of headers for each game."""
GAMES = tuple(sorted(path.parent.name for path in INCLUDE.glob("*/Player.hh")))
"""The games whose original kits had players in C++."""
STANDARD = "c++17"
"""The C++ standard that players need: some use structured bindings and std::optional."""
FLAGS = (
    f"-std={STANDARD}",
    "-O3",
    # At -O3 gcc 12 sees in std::string a free of what was never allocated, in right players too.
    "-Wno-free-nonheap-object",
    # With clang's library: brings back random_shuffle, which C++17 removed and players use.
    "-D_LIBCPP_ENABLE_CXX17_REMOVED_RANDOM_SHUFFLE",
)
ZEROED = "-ftrivial-auto-var-init=zero"
"""The flag by which automatic variables without a value begin as zero, if the compiler knows it.

Many players read variables that they never set, and play well only because memory happened to be
zero in the original program; here it happens to hold something else.
"""
HOST_SPEED = "-O1"
"""The optimization of the main program, which takes half of a build, but little of a turn."""
LINES_SHOWN = 40
"""The number of lines of compiler output that are shown: one missing brace can give thousands."""
COMPILERS = ("g++", "clang++", "c++")
"""The compilers that are looked for, in order."""
_REGISTERED = re.compile(rb"\bRegisterPlayer\s*\(")
_NAMED = re.compile(rb"^[ \t]*#[ \t]*define[ \t]+PLAYER_NAME[ \t]+\w", re.MULTILINE)
_USES_NAME = re.compile(rb"\bPLAYER_NAME\b")
_PLAYER_HH = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*["<]Player\.hh[">]', re.MULTILINE)
_ERROR = re.compile(r"\b(?:fatal )?error:")


class SourceError(BadInputError):
    """The player's file or the path for the bot can't be used; one line says why."""


class NoCompilerError(BadInputError):
    """No compiler can be run; one line says what to install or to correct."""


class CompileError(Exception):
    """The compiler refused the file: its output, which is cut, and a hint of ours in one line."""

    def __init__(self, output: str, hint: str) -> None:
        super().__init__(hint)
        self.output = output
        self.hint = hint


@attrs.frozen(kw_only=True)
class Built:
    """A bot that was built."""

    output: Path
    game: str
    warnings: str
    """The compiler's warnings, cut; empty if there are none."""


def compiler() -> tuple[str, ...]:
    """Return how a compiler's command line begins (`$CXX` or PATH), or raise NoCompilerError."""
    chosen = os.environ.get("CXX", "").strip()
    if chosen:
        argv = _split("CXX", chosen)
        if shutil.which(argv[0]) is None:
            raise NoCompilerError(f"CXX={chosen}: there is no program {argv[0]!r}")
        return argv
    for name in COMPILERS:
        if shutil.which(name) is not None:
            return (name,)
    raise NoCompilerError(
        "no C++ compiler: install g++ (Debian, Ubuntu: apt-get install g++) or clang++, or name "
        "yours in CXX"
    )


def _split(variable: str, text: str) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(text))
    except ValueError as error:
        raise NoCompilerError(f"{variable}={text}: can't be split into words: {error}") from None


def flags_of(compiler: tuple[str, ...]) -> tuple[str, ...]:
    """Return our options for a compiler: `FLAGS`, and `ZEROED` if the compiler knows it."""
    try:
        tried = subprocess.run(
            [*compiler, ZEROED, "-fsyntax-only", "-x", "c++", os.devnull],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=False,
        )
    except OSError:  # the build itself will say what is wrong with the compiler
        return FLAGS
    return FLAGS if tried.returncode else (*FLAGS, ZEROED)


def build(source: Path, output: Path, game: str | None = None) -> Built:
    """Compile a player's file into a bot for a game; None: the one for which it compiles.

    `$CXX` names the compiler, and `$CXXFLAGS` has options for it that come after ours. An older
    executable is replaced once the new one is ready.

    Raises:
        SourceError: The file or the path of the executable can't be used, or no game is given
            and the file compiles for several.
        NoCompilerError: There is no compiler to run.
        CompileError: The compiler refused the file.
    """
    text = _text_of(source)
    _check_output(output, source)
    with TemporaryFolder("lanista-build") as folder:
        chosen = compiler()
        work = _Work(
            compiler=chosen,
            flags=flags_of(chosen),
            more=_split("CXXFLAGS", os.environ.get("CXXFLAGS", "")),
            source=source,
            folder=folder.path,
        )
        work.copy.write_bytes(_with_line_directive(source, text))
        game = game or _game_of(work)
        warnings = _compile(work, game)
        _move(work.bot, output)
    return Built(output=output, game=game, warnings=warnings)


@attrs.frozen(kw_only=True)
class _Work:
    """One build: its compiler, its files and its temporary folder."""

    compiler: tuple[str, ...]
    flags: tuple[str, ...]
    """Our own options."""
    more: tuple[str, ...]
    """The options of `$CXXFLAGS`."""
    source: Path
    folder: Path

    @property
    def copy(self) -> Path:
        """The copy of the player's file that is compiled.

        `#include "Player.hh"` looks in the file's own folder first, and next to the original file
        there may be the original kit.
        """
        return self.folder / "player.cc"

    @property
    def bot(self) -> Path:
        return self.folder / "bot"

    @contextlib.contextmanager
    def started(self, game: str, *arguments: str | Path) -> Iterator[subprocess.Popen[str]]:
        """Yield the compiler, which runs with the headers of a game; end it if that fails.

        A signal to stop waits until it is known what there is to end.
        """
        before = signal.pthread_sigmask(signal.SIG_BLOCK, STOPPING)
        let_through = partial(signal.pthread_sigmask, signal.SIG_SETMASK, before)
        with undoing(let_through):
            process = subprocess.Popen(
                [
                    *self.compiler,
                    *self.flags,
                    # A system folder, as no author of players can do anything about its warnings.
                    *("-isystem", str(INCLUDE / game), "-idirafter", str(self.source.parent)),
                    *self.more,
                    *map(str, arguments),
                ],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                encoding="utf-8",
                errors="replace",
                process_group=0,  # a compiler starts others, which don't end with it
                preexec_fn=let_through,  # noqa: PLW1509 - there are no threads
            )
        with process:
            try:
                let_through()
                yield process
            except BaseException:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGTERM)
                raise

    def run(self, game: str, *arguments: str | Path) -> tuple[int, str]:
        with self.started(game, *arguments) as process:
            output, _ = process.communicate()
        return process.returncode, output


def _text_of(source: Path) -> bytes:
    """Return the text of the player's file, having checked that it is one."""
    try:
        text = source.read_bytes().removeprefix(BOM_UTF8)
    except OSError as error:
        raise SourceError(
            f"can't read {source}: {error.strerror}; give a player's file, such as AIname.cc"
        ) from None
    if not _PLAYER_HH.search(text):
        raise SourceError(
            f'{source} isn\'t a player of the kits: it has no line #include "Player.hh" '
            "(a bot of your own with lanista.hpp needs no `lanista build`)"
        )
    if not _REGISTERED.search(text):
        raise SourceError(
            f"{source} registers no player: its last line must be RegisterPlayer(PLAYER_NAME);"
        )
    if _USES_NAME.search(text) and not _NAMED.search(text):
        raise SourceError(
            f"{source} doesn't define its name: it needs a line #define PLAYER_NAME YourName"
        )
    return text


def _check_output(output: Path, source: Path) -> None:
    """Refuse a path at which something would be lost."""
    if output.exists() and (output.samefile(source) or not output.is_file()):
        raise SourceError(f"{output} isn't a file to be replaced by the bot; name another with -o")


def _move(bot: Path, output: Path) -> None:
    """Move the bot to its path; processes that run an older one from there keep the old file."""
    try:
        write_whole(output, [bot.read_bytes()], mode=0o777)
    except OSError as error:
        raise SourceError(f"can't write {output}: {error.strerror}") from None


def _with_line_directive(source: Path, text: bytes) -> bytes:
    """Return the text with a first line that makes the compiler name the original file."""
    name = os.fsencode(source).replace(b"\\", rb"\\").replace(b'"', rb"\"")
    return b'#line 1 "%b"\n%b' % (name, text)


def _game_of(work: _Work) -> str:
    errors = dict(zip(GAMES, _check(work, GAMES), strict=True))
    candidates = [game for game in GAMES if errors[game] is None]
    if len(candidates) == 1:
        return candidates[0]
    if candidates:
        raise SourceError(
            f"{work.source} could be a player of {' or of '.join(candidates)}: "
            "say which with --game"
        )
    nearest = min(GAMES, key=lambda game: len(_ERROR.findall(errors[game] or "")))
    raise CompileError(
        cut(errors[nearest] or ""),
        f"{work.source} compiles for no game; these are the errors for {nearest}; "
        "use --game to see those for another game",
    )


def _check(work: _Work, games: Sequence[str]) -> Iterator[str | None]:
    """Yield, for each game, None if the file compiles for it, else the compiler's output."""
    with contextlib.ExitStack() as stack:
        compilers = [work.started(game, "-fsyntax-only", work.copy) for game in games]
        for process in list(map(stack.enter_context, compilers)):
            output, _ = process.communicate()
            yield output if process.returncode else None


def _compile(work: _Work, game: str) -> str:
    """Compile the player and link it to the main program; return the compiler's warnings."""
    player = work.folder / "player.o"
    code, warnings = work.run(game, "-c", work.copy, "-o", player)
    if code:
        raise CompileError(cut(warnings), _hint(work, game))
    code, errors = work.run(game, player, _host(work, game), "-o", work.bot)
    if code:
        hint = f"{work.source} can't be linked to the kit"
        if "lanista_kit::make_player" in errors and "undefined" in errors.lower():
            hint = (
                f"{work.source} registers no player: RegisterPlayer(PLAYER_NAME); must not be in a "
                "comment or switched off"
            )
        elif re.search(r"(multiple|duplicate).*\bmain\b", errors):
            hint = f"{work.source} has a main(), which a player must not have"
        raise CompileError(cut(errors), hint)
    return cut(warnings)


def _host(work: _Work, game: str) -> Path:
    cached = _cache_path(work, game)
    if cached is not None and cached.is_file():
        return cached
    host = work.folder / "host.o"
    code, errors = work.run(game, HOST_SPEED, "-c", KIT / "src" / f"{game}.cc", "-o", host)
    if code:
        raise CompileError(cut(errors), "the kit's own main program doesn't compile here")
    if cached is not None:
        _cache(host, cached)
    return host


def _cache_path(work: _Work, game: str) -> Path | None:
    """Return where the compiled main program is cached; None if it must not be.

    It isn't with options in `$CXXFLAGS`: they may be good for this machine only (-march=native),
    while several machines may share a home.
    """
    home = os.environ.get("HOME")
    cache = os.environ.get("XDG_CACHE_HOME") or (home and f"{home}/.cache")
    if work.more or not cache:
        return None
    code, version = work.run(game, "--version")
    if code:
        return None
    key = hashlib.sha256(repr((work.compiler, version, work.flags, HOST_SPEED, game)).encode())
    for folder in ("src", "include"):
        for path in sorted((KIT / folder).rglob("*.[hc]*")):
            key.update(path.read_bytes())
    return Path(cache, "lanista", f"kit-{game}-{key.hexdigest()[:16]}.o")


def _cache(host: Path, cached: Path) -> None:
    """Store the compiled main program for the next build, or do nothing where that fails."""
    with contextlib.suppress(OSError):
        cached.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cached.parent) as folder:
            # Moved into place, so that a build at the same time never sees a part of it.
            Path(shutil.copy(host, folder)).replace(cached)


def _hint(work: _Work, game: str) -> str:
    """Return a line on why a file doesn't compile for a game: it may be another game's player."""
    others = [other for other in GAMES if other != game]
    for other, errors in zip(others, _check(work, others), strict=True):
        if errors is None:
            return f"{work.source} looks like a player of {other}: say --game {other}"
    return f"{work.source} doesn't compile as a player of {game}"


def cut(output: str) -> str:
    """Return the first lines of a compiler's output, and how many more there were."""
    lines = output.splitlines()
    if len(lines) > LINES_SHOWN:
        lines[LINES_SHOWN:] = [f"... {len(lines) - LINES_SHOWN} more lines"]
    return "\n".join(lines)
