"""Strict reading of TOML files into attrs classes, for what people write: tournaments, arenas.

Every key must be known, every value of its type and in its range. An error is one line with the
place in the file, what is wrong there and what would be right. Only text becomes data here.
`toml_text` writes such files.
"""

import enum
import json
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, datetime, time
from pathlib import Path
from typing import Any, Generic, TypeVar, get_args, get_origin

import attrs
import cattrs
from cattrs.cols import is_mapping, mapping_structure_factory
from cattrs.errors import ForbiddenExtraKeysError

from lanista.errors import SpecError, did_you_mean
from lanista.ranges import ValueOfKeyError, rule

MAX_DIGITS = 40
"""Maximum number of digits of a whole number."""
_TEXT_OF: Mapping[type, str] = {
    str: "text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
}

T = TypeVar("T")


@rule
def given(value: str) -> str | None:
    """Validate that a text can be a path, a command or the like: it says something, without NUL."""
    if value.strip() and "\0" not in value:
        return None
    return f"{shown(value)}; expected some text; otherwise leave the key out"


# -- reading ----------------------------------------------------------------------------------


def strict_converter() -> cattrs.Converter:
    """Return a converter of tables into attrs classes; their enumerations are `StrEnum`s."""
    converter = cattrs.Converter(detailed_validation=True, forbid_extra_keys=True)

    def strict(kind: type) -> Callable[[Any, Any], Any]:
        def structure(value: Any, _: Any) -> Any:
            if isinstance(value, bool) != (kind is bool) or not isinstance(
                value, (int, float) if kind is float else kind
            ):
                raise TypeError(f"{shown(value)}; expected {_TEXT_OF[kind]}")
            return kind(whole(value) if isinstance(value, int) else value)

        return structure

    for kind in _TEXT_OF:
        converter.register_structure_hook(kind, strict(kind))
    converter.register_structure_hook(enum.StrEnum, _structure_choice)  # and what is derived
    converter.register_structure_hook_factory(_is_list, lambda kind: _list_of(converter, kind))
    converter.register_structure_hook_factory(
        is_mapping, lambda kind: _of_table(mapping_structure_factory(kind, converter))
    )
    converter.register_structure_hook_factory(
        attrs.has, lambda kind: _of_table(converter.gen_structure_attrs_fromdict(kind))
    )
    return converter


@attrs.frozen
class SpecReader(Generic[T]):
    """Reads specs of one kind."""

    kind: type[T]
    """The class of the specs."""
    converter: cattrs.Converter
    """A converter that `strict_converter` made."""
    most: int
    """Maximum size of a file in bytes."""

    def read(self, path: Path) -> T:
        """Read a spec from its file; raise SpecError if it can't be read or isn't one."""
        try:
            with path.open("rb") as file:
                data = file.read(self.most + 1)  # what was named may never end (`/dev/zero`)
        except OSError as error:
            raise SpecError(f"{path}: can't be read: {error.strerror}") from None
        if len(data) > self.most:
            raise SpecError(f"{path}: too long for a spec; at most {self.most >> 20} MiB is read")
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise SpecError(f"{path}: not UTF-8, from byte {error.start} on") from None
        return self.parse(text, str(path))

    def parse(self, text: str, where: str) -> T:
        """Read a spec from the text of its TOML file; a SpecError says where that is."""
        try:
            value = tomllib.loads(text)
        except (ValueError, RecursionError) as error:  # ValueError: also Python's limit of digits
            raise SpecError(f"{where}: not valid TOML: {error}") from None
        return self.of(value, where)

    def of(self, value: Mapping[str, Any], where: str = "spec") -> T:
        """Return a spec from the content of its TOML file; a SpecError says where that is.

        That is nowhere if its keys were given as options or arguments.
        """
        place = f"{where}: " if where else ""
        try:
            return self.converter.structure(value, self.kind)
        except (TypeError, cattrs.BaseValidationError) as error:
            kind: Any = self.kind
            keys = [attribute.name for attribute in attrs.fields(kind)]
            first, *others = _problems(error, "", keys)
            more = f" (and {len(others)} more)" if others else ""
            raise SpecError(f"{place}{first}{more}") from None


def _is_list(kind: Any) -> bool:
    return get_origin(kind) is tuple and get_args(kind)[1:] == (...,)


def _list_of(converter: cattrs.Converter, kind: Any) -> Callable[[Any, Any], Any]:
    inner = get_args(kind)[0]

    def structure(value: Any, _: Any) -> Any:
        if not isinstance(value, (list, tuple)):
            wanted = "[[ ]] tables" if attrs.has(inner) else 'a list, such as ["a", "b"]'
            raise TypeError(f"{shown(value)}; expected {wanted}")
        return tuple(converter.structure(value, list[inner]))  # type: ignore[valid-type]

    return structure


def _of_table(structure: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Return a function that does the same with a table, and refuses all else."""

    def checked(value: Any, of: Any) -> Any:
        if not isinstance(value, Mapping):
            raise TypeError(f"{shown(value)}; expected a table")
        return structure(value, of)

    return checked


def _structure_choice(value: Any, kind: type[enum.StrEnum]) -> Any:
    known = [member.value for member in kind]
    if value not in known:
        meant = did_you_mean(value, known) if isinstance(value, str) else ""
        raise ValueError(f"{shown(value)}; it can be {', '.join(known)}{meant}")
    return kind(value)


def whole(value: int) -> int:
    """Return a whole number; raise ValueError if it is longer than messages can bear."""
    if abs(value) >= 10**MAX_DIGITS:
        raise ValueError(f"{shown(value)}; whole numbers have {MAX_DIGITS} digits at most")
    return value


def shown(value: Any) -> str:
    """Return a value of a file in a form that is safe and short enough for a message."""
    try:
        return _short(value.isoformat() if isinstance(value, date | time) else ascii(value))
    except ValueError:  # it has more digits than Python converts
        return "a number too long to be shown"


def _short(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "..."


def _problems(error: BaseException, path: str, file_keys: Sequence[str]) -> Iterator[str]:
    """Yield a line for each mistake that an error of cattrs contains, about a place in the file.

    Of a table, unknown keys come first: one that is mistyped is why another one is missing. The
    keys of the file itself are often written below a table by mistake.
    """
    if isinstance(error, cattrs.IterableValidationError):
        for inner, note in error.group_exceptions()[0]:
            index = note.index
            place = f"[{index + 1}]" if isinstance(index, int) else f".{_key(index)}"
            yield from _problems(inner, path + place, file_keys)
    elif isinstance(error, cattrs.ClassValidationError):
        with_notes, without = error.group_exceptions()
        for inner in without:
            yield from _problems(inner, path, file_keys)
        for inner, attribute in with_notes:
            place = f"{path}.{attribute.name}" if path else attribute.name
            yield from _problems(inner, place, file_keys)
    elif isinstance(error, ForbiddenExtraKeysError):
        known = [attribute.name for attribute in attrs.fields(error.cl)]
        for key in sorted(error.extra_fields, key=str):
            inside = f"{path}." if path else ""
            line = f"{inside}{_key(key)}: no such key; known are {', '.join(known)}"
            if path and key in file_keys:
                line += f"; {key} is a key of the file: put it above the first table"
            yield line + did_you_mean(str(key), known)
    elif isinstance(error, KeyError):
        # `path` already ends with the missing key.
        yield f"{path}: missing; it must be given"
    elif isinstance(error, ValueOfKeyError):
        place = f"{path}.{error.key}" if path and path != error.key else error.key
        yield f"{place}: {error}"
    else:
        yield f"{path}: {error}" if path else str(error)


def _key(key: object) -> str:
    """Return a key of the file in a form that is safe and short enough for a message."""
    is_plain = isinstance(key, str) and key.isidentifier()
    return _short(ascii(key)[1:-1] if is_plain else ascii(key))


# -- writing -----------------------------------------------------------------------------------


def toml_text(table: Mapping[str, Any], path: str = "") -> str:
    """Return the text of a TOML file with this content, without keys whose value is None.

    The names of tables begin with `path`: nothing, or `NAME.` for the content of a table.
    """
    lines = []
    tables: list[tuple[str, Mapping[str, Any]]] = []  # a value below their names would be theirs
    for key, value in table.items():
        name = f"{path}{key_text(key)}"
        if isinstance(value, Mapping):
            tables += [(f"[{name}]", value)] if value else []
        elif isinstance(value, (list, tuple)) and value and all(map(_is_table, value)):
            tables += [(f"[[{name}]]", inner) for inner in value]
        elif value is not None:
            lines.append(f"{key_text(key)} = {_value_text(value)}\n")
    lines += [f"\n{head}\n{toml_text(inner, head.strip('[]') + '.')}" for head, inner in tables]
    return "".join(lines)


def _is_table(value: Any) -> bool:
    return isinstance(value, Mapping)


def _value_text(value: Any) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case int() | float():
            return repr(value)
        case str():
            return quoted(value)
        case datetime():
            return value.isoformat()
        case Mapping():
            items = (f"{key_text(key)} = {_value_text(inner)}" for key, inner in value.items())
            return f"{{ {', '.join(items)} }}"
        case _:
            return f"[{', '.join(map(_value_text, value))}]"


def quoted(text: str) -> str:
    """Return a text as a TOML string."""
    # A JSON string is one too, but for escaped characters outside of the Basic Multilingual Plane,
    # and for DEL, which TOML doesn't allow.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def key_text(key: str) -> str:
    """Return a key as it must be written in TOML."""
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else quoted(key)
