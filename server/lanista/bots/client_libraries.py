"""The client libraries as files: those that the page serves under /clients/.

A wheel has them packed, by hatch_build.py, which runs this file before anything is installed: it
needs the standard library alone. In a checkout they are packed when they are first asked for.
"""

import functools
import io
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

CLIENTS = Path(__file__).parents[3] / "clients"
"""The libraries' sources, in a checkout."""
PACKED = Path(__file__).parent / "clients"
"""The packed libraries, in an installed package."""
HEADER = Path(__file__).parent / "kit/include/lanista.hpp"
"""The C++ library."""
EVERYWHERE = ("LICENSE", "README.md")
SOURCES: Mapping[str, Sequence[str]] = {
    "python": ("lanista_client/*", "starters/*.py", "build_backend.py", "pyproject.toml"),
    "cpp": ("starters/*.cpp",),
    "java": ("src/main/java/**/*.java", "starters/*.java", "pom.xml"),
    "javascript": ("src/*.js", "starters/*.js", "package.json"),
    "go": ("**/*.go", "go.mod"),
    "rust": ("src/**/*.rs", "examples/*.rs", "Cargo.lock", "Cargo.toml"),
}
"""By folder of a library: which of its files are packed, besides `HEADER`; tests left out."""
STARTERS: Mapping[str, str] = {
    "python": "starters/{}.py",
    "cpp": "starters/{}.cpp",
    "java": "starters/{}Starter.java",
    "javascript": "starters/{}.js",
    "go": "starters/{}/main.go",
    "rust": "examples/{}.rs",
}
"""By folder of a library: where the starter bot of a game is, whatever the capitals of its name."""
NAMES = (*(f"{language}.zip" for language in SOURCES), HEADER.name)
"""The names of the files to download."""


@functools.cache
def library(name: str) -> bytes:
    """Return a file to download: one of `NAMES`."""
    if name == HEADER.name:
        return HEADER.read_bytes()
    if PACKED.is_dir():
        return (PACKED / name).read_bytes()
    return packed(name.removesuffix(".zip"))


def starter(language: str, game: str) -> bytes | None:
    """Return the starter bot for a game in a language, one of `STARTERS`; None if there is none."""
    end = f"/{STARTERS[language].format(game)}".lower()
    with zipfile.ZipFile(io.BytesIO(library(f"{language}.zip"))) as file:
        for name in file.namelist():
            if f"/{name}".lower().endswith(end):
                return file.read(name)
    return None


def packed(language: str) -> bytes:
    """Return a library as a ZIP file: the same bytes for the same sources.

    That of Python can be given to pip, or to Python itself as a part of its path; the others have
    one folder, `lanista-client`.
    """
    source = CLIENTS / language
    top = "" if language == "python" else "lanista-client/"
    globs = (*EVERYWHERE, *SOURCES[language])
    files = {
        path.relative_to(source).as_posix(): path for glob in globs for path in source.glob(glob)
    }
    if language == "cpp":  # where it is in a checkout is a link, which a source distribution lacks
        files[f"include/{HEADER.name}"] = HEADER
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as file:
        for name, path in sorted(files.items()):
            if path.is_file() and "test" not in name:
                member = zipfile.ZipInfo(top + name)  # without the file's own time and rights
                member.external_attr = 0o644 << 16
                file.writestr(member, path.read_bytes(), zipfile.ZIP_DEFLATED)
    return content.getvalue()
