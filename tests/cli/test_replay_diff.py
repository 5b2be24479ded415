"""`lanista replay diff`: its lines, its JSON, its exit codes."""

import json

from match.playing import answers
from page.records import AWAY, BACK, changed, played, unpacked


def match(folder, last=BACK, **how):
    """A match of two turns, in which seat 0 goes away and then answers so."""
    return played(folder, answers(AWAY, last), answers("", ""), settings={"move_limit": 2}, **how)


def two(tmp_path, last="0 1 1 0"):
    """Two matches that differ in turn 1, unless `last` is BACK."""
    return match(tmp_path / "a"), match(tmp_path / "b", last, hellos=("Ann2 v=1", "Bob v=1"))


def test_the_first_difference_in_words(lanista, tmp_path):
    a, b = two(tmp_path)
    done = lanista("replay", "diff", a, b)
    assert (1, "") == (done.code, done.err)
    assert [
        f"A: {a}",
        f"B: {b}",
        "They start differently:",
        "  seat 0 is 'Ann' in A, 'Ann2' in B",
        "First difference: turn 1.",
        "  seat 0 (Ann in A) answered differently:",
        "    A: '0 1 1 2'",
        "      only in A: 1 unit from (0, 1) go left",
        "    B: '0 1 1 0'",
        "      only in B: 1 unit from (0, 1) go right",
        "Positions differ from that after turn 1 on:",
        "  (0, 0): 1 unit of seat 0 in A; nothing in B",
        "  (0, 2): nothing in A; 1 unit of seat 0 in B",
    ] == done.out.splitlines()


def test_the_first_difference_as_json(lanista, tmp_path):
    a, b = two(tmp_path)
    done = lanista("replay", "diff", a, b, "--json")
    told = json.loads(done.out)
    assert (1, True, 1) == (done.code, told["differs"], told["turn"])
    assert ["answer", "'0 1 1 0'"] == [told["seats"][0]["b"][key] for key in ("verdict", "raw")]


def test_the_same_match_is_no_difference(lanista, tmp_path):
    record = match(tmp_path)
    done = lanista("replay", "diff", record, record)
    assert 0 == done.code
    last = done.out.splitlines()[-1]
    assert "No difference: the same answers in 2 turns, and the same result." == last


def test_a_forged_record_is_no_record_to_compare(lanista, tmp_path):
    """Its digest contradicts the rules."""
    a, b = two(tmp_path)
    forged = tmp_path / "forged.jsonl"
    forged.write_bytes(b"".join(changed(unpacked(b), 2, digest="0" * 16)))
    done = lanista("replay", "diff", a, forged)
    assert "contradicts the rules" in done.refusal
    assert ": turn 1: digest " in done.refusal


def test_both_matches_in_one_html_file(lanista, tmp_path):
    """The file is written beside what is printed, and never over one of the records."""
    a, b = two(tmp_path)
    page = tmp_path / "diff.html"
    done = lanista("replay", "diff", a, b, "--html", page)
    assert (1, "") == (done.code, done.err)
    assert f"{page}: {page.stat().st_size} bytes" == done.out.splitlines()[-1]
    assert page.read_bytes().startswith(b"<!doctype html>")
    before = b.read_bytes()
    done = lanista("replay", "diff", a, b, "--html", b)
    assert 2 == done.code
    assert f"lanista: {b} is the file to read; give another name\n" == done.err
    assert before == b.read_bytes()
    assert json.loads(lanista("replay", "diff", a, b, "--json", "--html", page).out)["differs"]


def test_matches_that_begin_differently_are_not_written(lanista, tmp_path):
    a, b = match(tmp_path / "a"), match(tmp_path / "b", seed=8)
    page = tmp_path / "diff.html"
    done = lanista("replay", "diff", a, b, "--html", page)
    assert 2 == done.code
    assert f"lanista: {page} isn't written: these matches can't be compared\n" == done.err
    assert "the seeds differ: 7 in A, 8 in B" in done.out
    assert not page.exists()
