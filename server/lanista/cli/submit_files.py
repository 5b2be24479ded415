"""Packs the files that `lanista submit` hands in, and keeps their authors' names and tokens."""

import io
import os
import stat
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import attrs
import click

from lanista.bots.builder import EXAMPLE, RECIPE
from lanista.errors import BadInputError, FileError
from lanista.toml_spec import SpecReader, strict_converter, toml_text

MAX_FILES, MAX_PACKED = 2000, 64 << 20
"""Maximum number of files that are packed, and of their bytes together."""
LEFT_OUT = frozenset({"__pycache__", "node_modules", "target"})
"""Names of folders that are made by building; those that begin with a dot are left out too."""
MAX_KEPT = 1 << 20
"""Maximum size of the file of names in bytes."""


# -- files ---------------------------------------------------------------------------------------


def packed(files: Sequence[Path]) -> tuple[str, bytes]:
    """Return the name and the content of the one file to hand in.

    Several files and folders, or one folder, are packed into a ZIP.
    """
    try:
        if len(files) == 1 and not files[0].is_dir():
            return files[0].name, files[0].read_bytes()
        name, members = _members(files)
        if RECIPE not in members:
            raise BadInputError(
                f"several files need a {RECIPE} among them, which says how to run them: {EXAMPLE}"
            )
        return name, _zip(members)
    except OSError as error:
        raise FileError.of("can't read", error.filename or files[0], error) from None


def _members(files: Sequence[Path]) -> tuple[str, dict[str, Path]]:
    """Return the name of the ZIP, and by path within it the files."""
    members: dict[str, Path] = {}
    for given in files:
        base = given if len(files) == 1 else given.absolute().parent
        for path in _files(given.absolute()):
            name = path.relative_to(base.absolute()).as_posix()
            if name in members:
                raise BadInputError(f"{name} is there twice: {members[name]} and {path}")
            members[name] = path
            if len(members) > MAX_FILES:
                raise BadInputError(f"{given}: more than {MAX_FILES} files; name those it needs")
    stem = files[0].absolute().name if len(files) == 1 else "bot"
    cleaned = "".join(char if char.isascii() and char.isalnum() else "_" for char in stem)[:40]
    return f"{cleaned or 'bot'}.zip", members


def _files(path: Path) -> Iterator[Path]:
    """Yield a file; or those of a folder, without hidden ones and what building has made."""
    if not path.is_dir():
        yield path
        return
    for top, folders, names in os.walk(path):
        folders[:] = sorted(
            name for name in folders if not name.startswith(".") and name not in LEFT_OUT
        )
        for name in sorted(names):
            file = Path(top, name)
            if not name.startswith(".") and not name.endswith((".pyc", ".class", ".o")):
                yield file


def _zip(members: dict[str, Path]) -> bytes:
    """Return a ZIP; of the same files it is always the same."""
    buffer, left = io.BytesIO(), MAX_PACKED
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as file:
        for name, path in members.items():
            info = path.stat()
            left -= info.st_size
            if left < 0 or not stat.S_ISREG(info.st_mode):
                raise BadInputError(
                    f"{path}: no ordinary file, or more than {MAX_PACKED >> 20} MiB together; name "
                    "those files that it needs"
                )
            member = zipfile.ZipInfo(name)
            member.compress_type = zipfile.ZIP_DEFLATED
            mode = 0o755 if info.st_mode & stat.S_IXUSR else 0o644
            member.external_attr = (stat.S_IFREG | mode) << 16
            file.writestr(member, path.read_bytes())
    return buffer.getvalue()


# -- names and tokens ----------------------------------------------------------------------------


@attrs.frozen(kw_only=True)
class KeptName:
    """A name with its token."""

    arena: str
    """The address of the arena's page."""
    name: str
    token: str = attrs.field(repr=False)


@attrs.frozen(kw_only=True)
class KeptNames:
    """The names with which programs were handed in, the latest one last."""

    names: tuple[KeptName, ...] = ()

    def of(self, arena: str, name: str | None) -> KeptName | None:
        """Return a name at an arena; or if no name is given, the only one there."""
        here = [one for one in self.names if one.arena == arena]
        if name is not None:
            here = [one for one in here if one.name.casefold() == name.casefold()]
        if len(here) > 1:
            names = ", ".join(one.name for one in here)
            raise BadInputError(f"programs were handed in as {names}; choose one by --name")
        return here[0] if here else None


_READER = SpecReader(KeptNames, strict_converter(), MAX_KEPT)


def kept_path() -> Path:
    """Return the file with the names; outside of a program's folder, so that none packs it."""
    return Path(click.get_app_dir("lanista"), "names.toml")


def kept_names() -> KeptNames:
    """Read the names that are kept."""
    path = kept_path()
    return _READER.read(path) if path.exists() else KeptNames()


def keep(name: KeptName) -> None:
    """Keep a name instead of its earlier token, in a file that only its owner reads."""
    others = [
        one
        for one in kept_names().names
        if (one.arena, one.name.casefold()) != (name.arena, name.name.casefold())
    ]
    head = "# Names for `lanista submit`. Whoever has a token can hand in under its name.\n"
    tables = [attrs.asdict(one) for one in (*others, name)]
    path = kept_path()
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(head + toml_text({"names": tables}))
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise FileError.of("can't write", path, error) from None
