"""`lanista replay html` and `lanista replay export`: matches written as other files."""

import shutil
from pathlib import Path

import pytest
from PIL import Image

from lanista.page import image
from match.playing import answers
from page.records import absent_in_a_row, captured, changed, played, unpacked, wandering

TRACES = Path(__file__).parents[1] / "traces"
HOGWARTS = TRACES / "hogwarts" / "01_s1_Null-Null-Null-Null.res.gz"


@pytest.fixture
def match(tmp_path):
    """A record of six turns."""
    return wandering(tmp_path / "records", 6)


@pytest.fixture
def export(lanista, match):
    """Run `lanista replay export` on that record."""
    return lambda *words: lanista("replay", "export", match, *words)


def picture(path):
    with Image.open(path) as image:
        image.load()
        return image


def animation(path):
    """How many pictures a GIF has, and how long the first is shown in ms."""
    with Image.open(path) as image:
        return image.n_frames, image.info["duration"]


def test_html_goes_to_the_match_s_name_or_where_it_is_told(lanista, tmp_path, match):
    """Without -o into this folder; an older file of the name is replaced."""
    done = lanista("replay", "html", match)
    written = (tmp_path / "m1.html").read_bytes()
    told = f"m1.html: {len(written)} bytes\n"
    assert (0, told, "") == done
    assert written.startswith(b"<!doctype html>\n")
    assert b"Angry Mob: Ann, Bob" in written
    (tmp_path / "other.html").write_text("old")
    again = lanista("replay", "html", match, "-o", "other.html")
    assert (0, f"other.html: {len(written)} bytes\n") == (again.code, again.out)
    assert written == (tmp_path / "other.html").read_bytes()


def test_html_of_a_record_that_the_rules_stop_at_says_so(lanista, tmp_path, match):
    """Written as far as it goes; exit code 1."""
    forged = tmp_path / "forged.jsonl"
    forged.write_bytes(b"".join(changed(unpacked(match), 3, digest="0" * 16)))
    done = lanista("replay", "html", "forged.jsonl")
    assert 1 == done.code
    assert done.err.startswith("forged.jsonl: the replay stops here: turn 2: digest ")
    assert (tmp_path / "forged.html").exists()


def test_png_is_of_the_last_round_or_of_the_one_asked_for(export, tmp_path):
    last = export("--format", "png")
    size = (tmp_path / "m1-round6.png").stat().st_size
    assert f"m1-round6.png: {size} bytes\n" == last.printed
    assert max(picture("m1-round6.png").size) <= 1200
    assert export("--format", "png", "--round", 3, "--size", 30).printed
    image = picture("m1-round3.png")
    # Too narrow for the board alone to say how wide: 4 cells of 30 pixels; the strip needs more.
    assert "PNG" == image.format
    export("--format", "png", "--round", 3, "--size", 60, "-o", "x.png")
    # Two rows more of 30 pixels each; the strip above stays as it is.
    assert 2 * 30 == picture("x.png").height - image.height
    export("--format", "png", "--round", 0, "--size", 30, "-o", "0.png")
    assert image.tobytes() != picture("0.png").tobytes()


def test_gif_shows_the_rounds_asked_for(export, tmp_path):
    done = export("--format", "gif")
    assert f"m1.gif: {(tmp_path / 'm1.gif').stat().st_size} bytes\n" == done.printed
    assert (7, 200) == animation("m1.gif")
    how = ("--from", 2, "--to", 4, "--delay", 500, "--size", 20)
    export("--format", "gif", "-o", "part.gif", *how)
    assert (3, 500) == animation("part.gif")


def test_pictures_of_an_original_game_s_match_file(lanista, tmp_path):
    """It may be packed."""
    shutil.copy(HOGWARTS, tmp_path / "match.res.gz")
    assert lanista("replay", "export", "match.res.gz", "--format", "png", "--round", 5).printed
    image = picture("match-round5.png")
    assert 1000 < max(image.size) <= 1200


def test_a_match_file_that_lacks_rounds_is_said_to_lack_them(lanista, tmp_path):
    """Whoever exported a match in which all were put out wasn't told that nothing can read it."""
    whole = absent_in_a_row(tmp_path)
    (tmp_path / "cut.jsonl").write_bytes(b"".join(unpacked(whole)[:10]))
    notes = {
        record: lanista("replay", "export", record, "--format", "res", "-o", "m.res").err
        for record in (whole, "cut.jsonl")
    }
    assert "20 rounds" not in notes[whole]
    assert "note: the match ended after 9 of 20 rounds; " in notes["cut.jsonl"]
    assert 2 == lanista("explain", "m.res").code


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--format", "png", "--round", 7], "no move 7; the last one is 6"),
        (["--format", "gif", "--from", 7], "no move 7; the last one is 6"),
        (["--format", "gif", "--to", 9], "no move 9; the last one is 6"),
        (["--format", "gif", "--from", 4, "--to", 3], "--to 3 comes before --from 4"),
        (["--format", "gif", "--round", 3], "--round has no meaning for gif"),
        (["--format", "png", "--delay", 100], "--delay has no meaning for png"),
        (["--format", "png", "--from", 1], "--from has no meaning for png"),
        (["--format", "res", "--size", 10], "--size has no meaning for res"),
        (["--format", "res"], "Angry Mob has no match files (.res); its matches are records"),
        (["--format", "png", "--size", 0], "Invalid value for '--size'"),
        (["--format", "jpg"], "'jpg' is not one of 'res', 'png', 'gif'"),
        (["--format", "png", "-o", "none/x.png"], "can't write none/x.png: No such file"),
        (["--format", "gif", "-o", "."], "can't write .: Is a directory"),
    ],
)
def test_what_cannot_be_exported_is_one_line(export, tmp_path, words, expected):
    """And leaves no file behind."""
    assert expected in export(*words).refusal
    assert ["records"] == [path.name for path in tmp_path.iterdir()]


def test_a_picture_too_large_is_refused(lanista, tmp_path):
    wide = "2 200\nA " + ". " * 198 + ".\n" + ". " * 199 + "B\n"
    record = played(
        tmp_path, answers("", ""), answers("", ""), board=wide, settings={"move_limit": 2}
    )
    done = lanista("replay", "export", record, "--format", "png", "--size", 60)
    words = "lanista: size 60: tiles of 60 pixels make an image of 12024 x "
    assert done.refusal.startswith(words)


def test_a_board_too_large_for_any_picture_is_refused(lanista, tmp_path, monkeypatch):
    """Without `--size`, which could make it no smaller."""
    record = played(tmp_path, answers("", ""), answers("", ""), settings={"move_limit": 2})
    monkeypatch.setattr(image, "LONGEST", 1)
    monkeypatch.setattr(image, "MOST", 20)
    done = lanista("replay", "export", record, "--format", "png")
    assert done.refusal.startswith(f"lanista: {record}: even the smallest tiles make an image of ")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"{}\n", "not the header of a record"),
        (b"hello\n", "not a record, and line 1: not a file of an original game"),
        (b"\x1f\x8bnonsense", "damaged gzip data"),
    ],
)
def test_a_picture_of_what_is_no_match_is_one_line(lanista, tmp_path, content, words):
    (tmp_path / "bad").write_bytes(content)
    assert words in lanista("replay", "export", "bad", "--format", "gif").refusal
    assert [tmp_path / "bad"] == list(tmp_path.iterdir())


@pytest.mark.parametrize("format_", ["png", "gif", "res"])
def test_a_record_of_other_rules_is_named(lanista, tmp_path, format_):
    """A shell's loop may export many records, and one of them fails."""
    lines = unpacked(absent_in_a_row(tmp_path / "records"))
    (tmp_path / "old.jsonl").write_bytes(b"".join(changed(lines, 0, game_version="0")))
    done = lanista("replay", "export", "old.jsonl", "--format", format_)
    assert 2 == done.code
    assert done.err.splitlines()[-1].startswith("lanista: old.jsonl: ")
    assert done.err.endswith("the record is of hogwarts version 0; installed is version 1\n")


@pytest.mark.parametrize("command", [["html"], ["export", "--format", "png"]])
def test_a_missing_file_is_one_line(lanista, tmp_path, command):
    refusal = lanista("replay", *command, "none.jsonl.gz").refusal
    assert "lanista: can't read none.jsonl.gz: No such file or directory\n" == refusal
    assert [] == list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "command", [["html"], ["export", "--format", "gif"], ["export", "--format", "res"]]
)
def test_the_match_itself_is_not_written_over(lanista, tmp_path, command):
    """A record was lost by that."""
    record = absent_in_a_row(tmp_path / "records")
    before = record.read_bytes()
    done = lanista("replay", *command, record, "-o", record)
    assert 2 == done.code
    assert f"lanista: {record} is the file to read; give another name\n" in done.err
    assert before == record.read_bytes()


def test_a_file_that_cannot_be_finished_changes_nothing(lanista, tmp_path):
    """The record is wrong in the middle: an earlier picture stays, and there is no half one."""
    record = captured(tmp_path / "records")
    lines = unpacked(record)
    forged = tmp_path / "records" / "forged.jsonl"
    forged.write_bytes(b"".join(changed(lines, 2, digest="0" * 16)))
    (tmp_path / "forged.gif").write_bytes(b"earlier")
    done = lanista("replay", "export", forged, "--format", "gif")
    assert "the record doesn't fit the rules: turn 1: digest" in done.refusal
    assert b"earlier" == (tmp_path / "forged.gif").read_bytes()
    assert ["forged.gif", "records"] == sorted(path.name for path in tmp_path.iterdir())
