"""The client libraries that the page serves (docs/api.md)."""

import io
import re
import shutil
import subprocess
import sys
import zipfile

import pytest

from lanista.bots.client_libraries import CLIENTS, HEADER, NAMES, SOURCES, STARTERS, library, packed

CODE = {".py", ".typed", ".java", ".js", ".go", ".rs"}
"""The endings of files that a library may be made of."""


def names_in(data):
    return zipfile.ZipFile(io.BytesIO(data)).namelist()


async def test_every_library_can_be_downloaded(lone):
    """And an unknown one is answered by the names of the known ones."""
    for name in NAMES:
        answer = await lone.get(f"/clients/{name}")
        assert (200, library(name)) == (answer.status, answer.body)
        assert f'attachment; filename="{name}"' == answer.header("Content-Disposition")
        kind = "text/plain; charset=utf-8" if name == HEADER.name else "application/zip"
        assert kind == answer.header("Content-Type")
    answer = await lone.get("/clients/ruby.zip")
    assert 404 == answer.status
    expected = f"there is no client library 'ruby.zip' here; known: {', '.join(NAMES)}"
    assert {"error": expected} == answer.json


async def test_every_language_has_a_starter_for_every_game(lone):
    """As text; there is none for games of others, nor in other languages."""
    for language in STARTERS:
        for game in ("angrymob", "hogwarts", "crematoria"):
            answer = await lone.get(f"/clients/starters/{language}/{game}")
            assert (200, True) == (answer.status, b"Starter" in answer.body)
    for path in ("python/chess", "ruby/angrymob"):
        assert 404 == (await lone.get(f"/clients/starters/{path}")).status


def test_every_client_has_its_file():
    folders = {path.name for path in CLIENTS.iterdir() if path.is_dir()}
    assert set(SOURCES) == folders == set(STARTERS)
    assert HEADER.samefile(CLIENTS / "cpp" / "include" / HEADER.name)


@pytest.mark.parametrize("language", SOURCES)
def test_a_library_is_packed_without_its_tests_and_nothing_else_is_left_out(language):
    """Compared with all files that may be code, so that a new folder can't be forgotten."""
    names = {name.removeprefix("lanista-client/") for name in names_in(packed(language))}
    files = [path.relative_to(CLIENTS / language) for path in (CLIENTS / language).rglob("*")]
    code = {
        file.as_posix()
        for file in files
        if file.suffix in CODE
        and not {"test", "tests", "arenatest", "node_modules", "target"} & set(file.parts)
        and not file.name.endswith("_test.go")
    }
    assert code == {name for name in names if f".{name.rpartition('.')[2]}" in CODE}
    assert {"LICENSE", "README.md"} < names
    assert (language == "cpp") == (f"include/{HEADER.name}" in names)  # a link in a checkout


@pytest.mark.parametrize("language", SOURCES)
def test_the_readme_of_a_packed_library_leads_to_nothing_outside_it(language):
    """Neither by a link nor by the name of a page: its reader may have no checkout."""
    file = zipfile.ZipFile(io.BytesIO(packed(language)))
    (readme,) = (name for name in file.namelist() if name.endswith("README.md"))
    text = file.read(readme).decode()
    linked = re.findall(r"\]\((?!https?://)([^)]*)\)", text)
    pages = re.findall(r"[\w./-]+\.md\b", text)
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    anchors = {f"#{heading.lower().replace(' ', '-')}" for heading in headings}
    folder = readme.removesuffix("README.md")
    known = anchors | {name.removeprefix(folder) for name in file.namelist()}
    assert set() == {*linked, *pages} - known


def test_a_library_is_packed_to_the_same_bytes_at_any_time(tmp_path, monkeypatch):
    """So a file that is downloaded again, or from another arena, is the same: nothing of the
    sources' times and rights is in it.
    """
    before = packed("python")
    shutil.copytree(CLIENTS / "python", tmp_path / "python", copy_function=shutil.copyfile)
    monkeypatch.setitem(packed.__globals__, "CLIENTS", tmp_path)
    for path in (tmp_path / "python").rglob("*"):
        path.chmod(0o700)
    assert before == packed("python")


def test_python_finds_the_library_in_its_file(tmp_path):
    """Without pip: the file on PYTHONPATH is enough."""
    (tmp_path / "python.zip").write_bytes(library("python.zip"))
    code = f"import sys; sys.path.insert(0, {str(tmp_path / 'python.zip')!r}); "
    code += "import lanista_client; print(lanista_client.__file__)"
    done = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True)
    expected = tmp_path / "python.zip" / "lanista_client" / "__init__.py"
    assert f"{expected}\n" == done.stdout, done.stderr
