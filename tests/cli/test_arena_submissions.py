"""`lanista arena submissions` where no arena runs, and what else reads what was handed in."""

import io
import zipfile

import pytest

from lanista.arena.backup import back_up
from lanista.arena.spec import read_spec
from lanista.bots import builder
from lanista.results.base import Database
from lanista.results.data_folder import DataFolder
from lanista.results.submissions import SubmissionFolder, write_file
from support.submissions import handed_in, ready, refused

FILE = """
[[ladders]]
name = "pit"
game = "angrymob"
submissions = true

[[ladders]]
name = "open"
game = "angrymob"
"""


@pytest.fixture
def folder(tmp_path):
    """The ladder's folder: Ada plays an older version, Bob has nothing that can."""
    (tmp_path / "arena.toml").write_text(FILE)
    data = tmp_path / "lanista-data"
    handed_in(
        data,
        "Ada",
        ready("bot.py", b"first"),
        refused("bot.py", b"second", "no \x1b[31m", findings=("failed: \x07",)),
        playing=1,
    )
    return handed_in(data, "..", refused("main.cc", b"int", "it doesn't compile"))


@pytest.fixture
def submissions(lanista, folder):
    def run(command, *words):
        return lanista("arena", "submissions", command, "arena.toml", *words)

    return run


def packed(*members):
    """A ZIP of these files: (path, content)."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in members:
            file.writestr(name, content)
    return buffer.getvalue()


def exported(folder):
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_the_list_says_what_plays_and_what_came_last(submissions):
    lines = [line.split() for line in submissions("list").out.splitlines()]
    assert ["Ada", "1", "2", "refused", "2026-11-24", "16:45", "2", "23", "bytes"] in lines


def test_words_of_authors_and_compilers_are_safe_for_the_terminal(submissions, folder):
    write_file(folder.output("ada", 2), b"\x1b]0;x\x07 error:\n\there\xff")
    printed = submissions("show", "ADA").printed
    assert "refused: no \\x1b[31m\nfailed: \\x07\n\\x1b]0;x\\x07 error:\n\there\ufffd\n" in printed
    assert "   1  playing " in submissions("show", "Ada", 1).out


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["show", "Adda"], "nothing was handed in to pit as 'Adda'; did you mean 'Ada'?"),
        (["show", "Ada", 3], "Ada has no version 3; there are: 1, 2"),
        (["list", "--ladder", "open"], "arena.toml: choose by --ladder one that takes prog"),
        (["list", "--ladder", "pot"], "arena.toml: no ladder 'pot'; its ladders are: pit, open"),
        (["disable", "Ada", "--why", " "], "--why: one line of 1 to 200 characters is expected"),
        (["export", "/"], "/: exists already, and isn't an empty folder"),
    ],
)
def test_what_is_refused(submissions, words, expected):
    done = submissions(*words)
    assert (2, True) == (done.code, done.err.startswith(f"lanista: {expected}")), done


def test_a_name_is_disabled_and_enabled_where_no_arena_runs(submissions, folder):
    assert 0 == submissions("disable", "ada", "--why", "copied").code
    assert "copied" == folder.read()["ada"].disabled
    assert "disabled: copied" in submissions("list").out
    assert 0 == submissions("enable", "Ada").code
    assert "" == folder.read()["ada"].disabled


def test_a_folder_for_each_name_is_exported(submissions, tmp_path):
    """What plays, or else the last one; and no name leads out of the folder."""
    assert "out: 2 programs of 2 names\n" == submissions("export", "out").out
    assert {"Ada/bot.py": b"first", "@../main.cc": b"int"} == exported(tmp_path / "out")
    assert 0 == submissions("export", "all", "--all").code
    expected = {"Ada/1/bot.py": b"first", "Ada/2/bot.py": b"second", "@../1/main.cc": b"int"}
    assert expected == exported(tmp_path / "all")


HOSTILE = {
    # What else no ZIP may have is in bots_start/test_building.py.
    "up": ([("../x", "")], "'../x' is no path within it"),
    "a long path": ([("x/" * 300, "")], "is no path within it"),
    "a bomb": ([("x", bytes(2000))], "it has more than 0 MiB"),
    "many files": ([(str(number), "") for number in range(6)], "it has more than 5 files"),
    "deep folders": ([("a/b/c/x", ""), ("d/e/x", "")], "it has more than 5 files and folders"),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_hostile_zip_is_exported_as_it_is(submissions, tmp_path, monkeypatch, kind):
    """Nothing is written outside of its folder, nor more than is allowed."""
    monkeypatch.setattr(builder, "MAX_UNPACKED", 1000)
    monkeypatch.setattr(builder, "MAX_FILES", 5)
    members, why = HOSTILE[kind]
    handed_in(tmp_path / "lanista-data", "Ada", ready("all.zip", packed(*members)))
    before = exported(tmp_path)
    done = submissions("export", "deep/out")
    assert 0 == done.code
    assert done.err.startswith("deep/out/Ada: all.zip isn't unpacked: ")
    assert why in done.err
    assert {"deep/out/Ada/all.zip", "deep/out/@../main.cc"} == exported(tmp_path).keys() - before


def test_a_good_zip_is_exported_unpacked(submissions, tmp_path):
    source = packed(("bot.toml", "run"), ("src\\main.py", "x"))  # as some programs of Windows
    handed_in(tmp_path / "lanista-data", "Ada", ready("all.zip", source))
    assert "" == submissions("export", "out").err
    assert {"bot.toml", "src/main.py"} == exported(tmp_path / "out" / "Ada").keys()


# -- backup and verify ---------------------------------------------------------------------------


def test_a_backup_has_what_was_handed_in(lanista, folder, tmp_path):
    file = tmp_path / "arena.toml"
    made = back_up(read_spec(file), file, tmp_path / "copy")
    copied = SubmissionFolder.of_ladder(made.data / "submissions", "pit")
    assert 3 == made.versions
    assert folder.read() == copied.read()
    assert b"packed first" == copied.program("ada", 1).read_bytes()
    assert 0o644 == copied.program("ada", 1).stat().st_mode & 0o777  # a sandbox's user reads it
    salts = [data / "submissions/owner.salt" for data in (made.data, tmp_path / "lanista-data")]
    assert salts[0].read_bytes() == salts[1].read_bytes()
    copied = "in other/lanista-data no database, 0 files of records, 3 versions handed in\n"
    assert lanista("arena", "backup", "arena.toml", "other").out.endswith(copied)


def test_a_version_that_goes_during_a_backup_is_gone_as_a_whole(folder, tmp_path, monkeypatch):
    """The copy is what the name was at one moment, not some files of one and some of another."""
    target = SubmissionFolder(tmp_path / "copied")
    looks = []

    def read_name(self, key):
        author = SubmissionFolder.read(self)[key]
        looks.append(key)
        if key == "ada" and looks.count("ada") == 1:  # it goes after this look
            changed = SubmissionFolder.read(self)[key]
            del changed.versions[2]
            self.write(changed)
            self.remove(key, 2)
        return author

    monkeypatch.setattr(SubmissionFolder, "read_name", read_name)
    assert 2 == folder.copy(target)
    assert folder.read() == target.read()
    assert ["1.program", "1.source", "versions.json"] == sorted(
        path.name for path in target.of_name("ada").iterdir()
    )


def test_verify_finds_sources_that_were_changed(lanista, folder, tmp_path):
    Database.of_arena(DataFolder(tmp_path / "lanista-data")).close()
    right = "pit: 3 versions handed in; nothing is wrong"
    assert right in lanista("arena", "verify", "arena.toml").out
    folder.source("ada", 1).write_bytes(b"another")
    folder.source("..", 1).unlink()
    another = FILE[: FILE.rindex("[[")].replace("pit", "another")
    (tmp_path / "arena.toml").write_text(FILE + another)
    done = lanista("arena", "verify", "arena.toml")
    assert 1 == done.code
    assert "pit: 3 versions handed in\n" in done.out
    assert "another: 0 versions handed in; nothing is wrong\n" in done.out
    assert "1.source: isn't what was handed in: its SHA-256 differs\n" in done.out
    assert "1.source: can't be read: No such file or directory\n" in done.out
