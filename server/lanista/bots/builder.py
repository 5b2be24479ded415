"""Builds a program from its source, inside a sandbox.

    python -I -S -B builder.py REQUEST SOURCE LIBRARY …

runs in a sandbox without a network, which shows the named files read-only. REQUEST is a JSON file
by `building`, SOURCE has the bytes that an author handed in, and each LIBRARY is a client library,
packed. Everything is written to the sandbox's scratch folder. What compilers print goes to
stdout and stderr. LANISTA_HOST and LANISTA_PORT are sent LANISTA_TOKEN in a line at once, as others
may connect there too, and then the result: a line of JSON, either

    {"command": ["./bot"], "language": "C++"}

followed by a tar file of the program, or `{"error": "one line that says why"}`.

The source may be hostile: nothing here protects this process from it. The sandbox does that, and
whoever reads the result trusts none of it. It imports only the standard library.
"""

import codecs
import contextlib
import io
import json
import lzma
import os
import re
import shlex
import shutil
import socket
import stat
import subprocess
import sys
import tarfile
import tomllib
import zipfile
import zlib
from pathlib import Path
from typing import Any, NamedTuple

WORK = Path("/tmp")  # noqa: S108 -- the sandbox's own, seen by nobody else
FOLDER = WORK / "bot"
"""The folder of the program, which is packed in the end; `unpacker` unpacks it at the same path."""
PYTHON = "{python}"
"""Word of a command line for which `unpacker` puts the Python that runs it, wherever it is then."""
LIBRARIES = WORK / "libraries"
"""The folder of the client libraries, as LANISTA_LIBRARIES says."""
RECIPE = "bot.toml"
"""The file of a ZIP that says how to build and run the program."""
STDIO = "stdio:"
"""Prefix of the command line of a program that reads stdin and writes stdout."""
KIT_PLAYER = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*["<]Player\.hh[">]', re.MULTILINE)
"""A line that only players of the original kits have."""
PACKAGES = """
import importlib.metadata, json
found = {one.metadata["Name"]: one.version for one in importlib.metadata.distributions()}
print(json.dumps({name: found[name] for name in found if name and name != "lanista"}))
"""
"""A program that prints the packages of the Python that runs it as JSON."""
MAX_NAME = 500
"""Maximum length of the path of a file in a ZIP, which so has no folders within thousands."""
FILE_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")
"""The form of the name of a file that is handed in, which no shell or terminal reads as more."""
MAX_FILES, MAX_UNPACKED = 2000, 64 << 20
"""Maximum number of files that are packed for handing them in, and of their bytes together; also
when they are unpacked outside of a sandbox."""
EXAMPLE = 'run = "python3 main.py", and if need be build = "make"'


class BuildError(Exception):
    """The program can't be built; the message is one line for its author."""


class UnpackError(Exception):
    """A ZIP can't be unpacked; the message says why."""


class Language(NamedTuple):
    """A language in which a program may be one source file."""

    name: str
    endings: tuple[str, ...]
    tool: str
    """The program that must be there."""
    version: tuple[str, ...]
    """The arguments with which the tool says its version."""


LANGUAGES = (
    Language("Python", (".py",), "python3", ("--version",)),
    Language("C++", (".cc", ".cpp"), "g++", ("--version",)),
    Language("Java", (".java",), "javac", ("-version",)),
    Language("JavaScript", (".js", ".mjs"), "node", ("--version",)),
    Language("Rust", (".rs",), "cargo", ("--version",)),
    Language("Go", (".go",), "go", ("version",)),
)
"""The languages, in the order in which the page lists them."""
END = "--"
"""Argument after which only names of tools follow."""
TOOLS = (*(language.tool for language in LANGUAGES), "java", "rustc", "make", "cmake")
"""The programs that a build may need; a command line that names them makes a sandbox show them."""


def languages(python: str) -> dict[str, str]:
    """Return the languages whose tools work here, each with what its tool says of its version."""
    found = {}
    for language in LANGUAGES:
        tool = python if language.name == "Python" else shutil.which(language.tool)
        if tool is None:
            continue
        try:
            tried = subprocess.run(
                [tool, *language.version], capture_output=True, text=True, timeout=20, check=False
            )
        except (OSError, subprocess.TimeoutExpired):
            continue
        said = (tried.stdout or tried.stderr).splitlines()
        if tried.returncode == 0 and said:
            found[language.name] = said[0][:80]
    return found


def packages(python: str) -> dict[str, str]:
    """Return the versions of the packages that programs can import besides Lanista, by name."""
    # This process has none: it was started with -S.
    tried = subprocess.run([python, "-c", PACKAGES], capture_output=True, text=True, check=False)
    try:
        found: dict[str, str] = json.loads(tried.stdout)
    except ValueError:
        return {}
    return {name: found[name] for name in sorted(found, key=str.lower)}


class Build:
    """One build."""

    def __init__(self, request: dict[str, Any], source: Path, libraries: list[Path]) -> None:
        stem, ending = os.path.splitext(request["file"])  # noqa: PTH122 -- a name, not a path
        # Compilers know a file by its ending, and not by .CC or .JAVA.
        self.file, self.ending = f"{stem}{ending.lower()}", ending.lower()
        self.game: str = request["game"]
        self.python: str = request["python"]
        self.most: int = request["most"]
        self.source = source
        self.libraries = {path.stem: path for path in libraries}

    def run(self) -> tuple[list[str], str]:
        """Build the program in `FOLDER`; return its command and language, or raise BuildError."""
        FOLDER.mkdir()
        if self.ending == ".zip":
            return self._zip(), "ZIP"
        language = next((one for one in LANGUAGES if self.ending in one.endings), None)
        if language is None:
            raise BuildError(f"{self.file}: no language has this ending")
        # Editors of Windows may put a mark before the text, which javac takes for a mistake.
        text = self.source.read_bytes().removeprefix(codecs.BOM_UTF8)
        if text.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            raise BuildError(f"{self.file} is text in UTF-16; save it as UTF-8")
        (FOLDER / self.file).write_bytes(text)
        make = getattr(self, f"_{language.tool.replace('+', 'p')}")
        return make(), language.name

    def _call(self, *command: str | Path, cwd: Path | None = None, what: str = "") -> None:
        """Run a command, by default in the program's folder; its author sees the output."""
        words = [*map(str, command)]
        shown = ["python3" if word == self.python else word for word in words]
        sys.stdout.write(f"$ {shlex.join(shown)}\n")
        sys.stdout.flush()
        try:
            done = subprocess.run(words, cwd=cwd or FOLDER, stdin=subprocess.DEVNULL, check=False)
            code = done.returncode
        except FileNotFoundError as error:  # the program, or the folder
            raise BuildError(f"there is no {error.filename} here") from None
        except (OSError, ValueError) as error:  # ValueError: a null byte in a command
            why = getattr(error, "strerror", None) or error
            raise BuildError(f"{words[0]}: {why}") from None
        if code < 0:
            raise BuildError(f"{what or words[0]} was killed by signal {-code}")
        if code:
            raise BuildError(f"{what or words[0]} failed with code {code}; see what it printed")

    def _library(self, name: str, into: Path) -> None:
        with zipfile.ZipFile(self.libraries[name]) as file:
            file.extractall(into)  # noqa: S202 -- our own file

    def _python3(self) -> list[str]:
        self._call(self.python, "-m", "py_compile", self.file, what="Python's compiler")
        return [PYTHON, "-u", self.file]

    def _gpp(self) -> list[str]:
        if KIT_PLAYER.search((FOLDER / self.file).read_bytes()):
            kit = self.python, "-P", "-m", "lanista", "build"
            self._call(*kit, self.file, "-o", "bot", "--game", self.game, what="the build")
        else:
            # Not by an option, which would show the author where Lanista is installed.
            os.environ["CPATH"] = str(self.libraries["lanista"].parent)
            self._call("g++", "-std=c++20", "-O2", "-pthread", self.file, "-o", "bot")
        return ["./bot"]

    def _javac(self) -> list[str]:
        self._library("java", WORK)
        path = WORK / "lanista-client/src/main/java"
        self._call("javac", "-encoding", "UTF-8", "-d", ".", "-sourcepath", path, self.file)
        name = self.file.removesuffix(".java")
        if not (FOLDER / f"{name}.class").exists():
            raise BuildError(
                f"{self.file} has no class {name} that is in no package; call the class with main "
                "like the file, and leave out a line that begins with package"
            )
        return ["java", "-cp", ".", name]

    def _node(self) -> list[str]:
        self._library("javascript", FOLDER / "node_modules")
        name = self.file
        if name.endswith(".js"):
            # The library is a module, and so are programs that import it.
            name = name.removesuffix(".js") + ".mjs"
            (FOLDER / self.file).rename(FOLDER / name)
        self._call("node", "--check", name)
        return ["node", name]

    def _cargo(self) -> list[str]:
        project = WORK / "project"
        (project / "src").mkdir(parents=True)
        self._library("rust", WORK)
        (FOLDER / self.file).rename(project / "src/main.rs")
        (project / "Cargo.toml").write_text(
            '[package]\nname = "bot"\nversion = "0.0.0"\nedition = "2021"\n\n'
            '[dependencies]\nlanista-client = { path = "../lanista-client" }\n'
        )
        self._call("cargo", "build", "--release", "--offline", cwd=project)
        shutil.move(project / "target/release/bot", FOLDER / "bot")
        return ["./bot"]

    def _go(self) -> list[str]:
        project = WORK / "project"
        project.mkdir()
        self._library("go", WORK)
        (FOLDER / self.file).rename(project / "main.go")
        (project / "go.mod").write_text(
            "module bot\n\ngo 1.19\n\nrequire lanista v0.0.0\n\n"
            "replace lanista => ../lanista-client\n"
        )
        self._call("go", "build", "-o", FOLDER / "bot", ".", cwd=project)
        if not os.access(FOLDER / "bot", os.X_OK):  # an archive, from which nothing can be run
            raise BuildError(f"{self.file} is no program; it must begin with package main")
        return ["./bot"]

    def _zip(self) -> list[str]:
        """Unpack the ZIP and build it as its recipe says."""
        for name, path in self.libraries.items():
            if path.suffix == ".zip":
                self._library(name, LIBRARIES / name)
            else:
                (LIBRARIES / "cpp").mkdir(parents=True)
                shutil.copy(path, LIBRARIES / "cpp")
        try:
            unpack(self.source, FOLDER)
        except UnpackError as error:
            raise BuildError(f"the ZIP can't be unpacked: {error}") from None
        if not (FOLDER / RECIPE).exists():
            # All is in one folder, as many programs pack it: that folder is the program's. What
            # macOS puts beside it, or a .gitignore, doesn't matter.
            top = [path for path in FOLDER.iterdir() if not path.name.startswith((".", "__MACOSX"))]
            if len(top) != 1 or not (top[0] / RECIPE).exists():
                # Named, as Windows shows a bot.toml.txt without its ending.
                place = top[0] if len(top) == 1 and top[0].is_dir() else FOLDER
                names = ", ".join(sorted(path.name for path in place.iterdir()))[:100] or "nothing"
                raise BuildError(
                    f"the ZIP has no {RECIPE} at its top or in its only folder, which says how to "
                    f"run it: {EXAMPLE}; there is: {names}"
                )
            top[0].rename(WORK / "inner")
            shutil.rmtree(FOLDER)
            (WORK / "inner").rename(FOLDER)
        build, run = self._recipe()
        for line in build:
            self._call("sh", "-c", line, what=f"`{line}`")
        return run

    def _recipe(self) -> tuple[list[str], list[str]]:
        """Return the commands that build the program, and the command line that runs it."""
        try:
            # Editors of Windows may put a mark before the text.
            recipe = tomllib.loads((FOLDER / RECIPE).read_text(encoding="utf-8-sig"))
        except (ValueError, RecursionError) as error:  # ValueError: also if it isn't UTF-8
            raise BuildError(f"{RECIPE} isn't TOML: {error}; expected {EXAMPLE}") from None
        except OSError as error:
            raise BuildError(f"{RECIPE}: {error.strerror}") from None
        for key in recipe:
            if key not in {"build", "run"}:
                raise BuildError(f"{RECIPE}: no such key {key!a}; known are build and run")
        build, run = recipe.get("build", []), recipe.get("run")
        build = [build] if isinstance(build, str) else build
        if not isinstance(build, list) or not all(isinstance(line, str) for line in build):
            raise BuildError(
                f"{RECIPE}: build is a command, or a list of commands, each a text in quotes"
            )
        line = run if isinstance(run, str) else ""
        words: list[str] = []
        with contextlib.suppress(ValueError):  # a quote that isn't closed
            words = shlex.split(line.removeprefix(STDIO))
        if not words:
            given = "missing" if run is None else ascii(run)[:80]
            raise BuildError(f"{RECIPE}: run is {given}; expected a command line: {EXAMPLE}")
        if words[0] in {"python", "python3"}:
            words[0] = PYTHON
        if line.startswith(STDIO):
            words = [PYTHON, "-P", "-m", "lanista.bots.bridge", *words]
        return build, words

    def check_size(self) -> None:
        """Raise BuildError if the program takes too much room."""
        size = sum(path.lstat().st_size for path in FOLDER.rglob("*"))
        if size > self.most:
            raise BuildError(
                f"the built program takes {size / 2**20:.1f} MiB; at most "
                f"{self.most / 2**20:.1f} MiB is kept: remove what it needs only to be built"
            )


def unpack(source: Path, folder: Path, *, is_bounded: bool = False) -> None:
    """Unpack a ZIP of somebody else's, or raise UnpackError; what was unpacked until then stays.

    If it `is_bounded`, as it must be outside of a sandbox, there are at most `MAX_FILES` files and
    folders, and `MAX_UNPACKED` bytes. No file gives more than the ZIP says.
    """
    try:
        with zipfile.ZipFile(source) as packed:
            members = packed.infolist()
            places: set[str] = set()  # of files and folders
            if is_bounded and sum(member.file_size for member in members) > MAX_UNPACKED:
                raise UnpackError(f"it has more than {MAX_UNPACKED >> 20} MiB")
            for member in members:
                # Some programs of Windows separate folders by a backslash.
                name = member.filename = member.filename.replace("\\", "/")
                is_outside = not name or name.startswith("/") or ".." in name.split("/")
                if is_outside or len(name) > MAX_NAME or not name.isprintable():
                    raise UnpackError(f"{name[:80]!a} is no path within it")
                if is_bounded:
                    places.update(name[: slash.start()] for slash in re.finditer("/|(?<!/)$", name))
                    if len(places) > MAX_FILES:
                        raise UnpackError(f"it has more than {MAX_FILES} files and folders")
                mode = member.external_attr >> 16
                if stat.S_IFMT(mode) not in {0, stat.S_IFREG, stat.S_IFDIR}:
                    raise UnpackError(f"{name[:80]!a} is a link or a device; pack files alone")
                place = Path(packed.extract(member, folder))
                if mode & stat.S_IXUSR and place.is_file():
                    place.chmod(0o755)
    except OSError as error:
        raise UnpackError(error.strerror or str(error)) from None
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, ValueError) as error:
        raise UnpackError(str(error)[:200]) from None  # a name of 64 KiB may be in it
    except (zlib.error, lzma.LZMAError, EOFError):
        raise UnpackError("it is damaged") from None
    except MemoryError:  # of LZMA, whose header says how much it needs, up to 4 GiB
        raise UnpackError("it takes too much memory") from None


def main(request: str, source: str, libraries: list[str]) -> None:
    """Build, and send the result."""
    os.nice(10)
    asked = json.loads(Path(request).read_text(encoding="utf-8"))
    address = os.environ["LANISTA_HOST"], int(os.environ["LANISTA_PORT"])
    os.environ["LANISTA_LIBRARIES"] = str(LIBRARIES)
    with socket.create_connection(address) as connection, connection.makefile("wb") as result:
        result.write(os.environ["LANISTA_TOKEN"].encode() + b"\n")
        result.flush()
        if source == "--tools":
            python = asked["python"]
            found = {"languages": languages(python), "packages": packages(python)}
            result.write(json.dumps(found).encode() + b"\n")
            return
        try:
            build = Build(asked, Path(source), [*map(Path, libraries)])
            command, language = build.run()
            build.check_size()
            # Packed before anything is answered, as it may fail: a build leaves whatever files.
            packed = io.BytesIO()
            with tarfile.open(fileobj=packed, mode="w") as files:
                files.add(FOLDER, arcname=".")
        except BuildError as error:
            result.write(json.dumps({"error": str(error)}).encode() + b"\n")
            return
        except OSError as error:
            why = f"{error.strerror or error}: {error.filename or 'the scratch folder'}"
            result.write(json.dumps({"error": why}).encode() + b"\n")
            return
        answer = {"command": command, "language": language}
        result.write(json.dumps(answer).encode() + b"\n")
        result.write(packed.getbuffer())


if __name__ == "__main__":
    end = sys.argv.index(END)  # after it come names of tools, for the sandbox
    main(sys.argv[1], sys.argv[2], sys.argv[3:end])
