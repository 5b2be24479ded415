"""`lanista replay` on records that `lanista play` wrote."""

import gzip

from e2e.running import bot, read


def test_verify_takes_whole_packed_and_cut_records(lanista, record):
    """Exit code 0; a part that a crash left verifies as far as it goes, and that is said."""
    turns = record.read_text().count("\n") - 2
    packed, part = record.with_name("match.jsonl.gz"), record.with_name("match.jsonl.part")
    packed.write_bytes(gzip.compress(record.read_bytes()))
    part.write_bytes(b"".join(record.read_bytes().splitlines(keepends=True)[:-3]) + b'{"turn":')
    done = lanista("replay", "verify", record, packed, part)
    assert (
        f"{record}: verified {turns} moves\n"
        f"{packed}: verified {turns} moves\n"
        f"{part}: verified {turns - 2} moves; the match was cut off, there is no result\n"
    ) == done.out
    assert (0, "") == (done.code, done.err)


def test_verify_tells_a_record_that_differs(lanista, record):
    """Exit code 1 and the turn; the other records are checked all the same."""
    forged = record.with_name("forged.jsonl")
    lines = record.read_text().splitlines(keepends=True)
    digest = lines[3].split('"digest":"')[1][:16]
    lines[3] = lines[3].replace(digest, "0" * 16)
    forged.write_text("".join(lines))
    done = lanista("replay", "verify", forged, record)
    assert (1, "") == (done.code, done.err)
    assert (
        f"{forged}: DIFFERS: turn 2: digest {digest} by the rules, {'0' * 16} in the record\n"
    ) == done.out[: done.out.index("\n") + 1]
    assert f"{record}: verified " in done.out


def test_show_draws_a_position_and_the_result(lanista, record):
    """Not in a terminal: the last position, or the one of --turn, as text; then the result."""
    done = lanista("replay", "show", record, "--turn", 0)
    assert (0, "") == (done.code, done.err)
    legend, *rows = done.out.splitlines()
    assert legend.startswith("move 0 ")
    assert "version1: 1 unit" in legend
    # The first of the pit's seven rows.
    assert ["A1", ".", "2", "#", ".", ".", ".", "3", "."] == rows[0].split()
    assert "finished: " in done.out
    last = lanista("replay", "show", record)
    turns = record.read_text().count("\n") - 2
    assert f"move {turns} " in last.out
    assert "\x1b" not in last.out
    beyond = lanista("replay", "show", record, "--turn", turns + 1)
    assert (2, "") == (beyond.code, beyond.out)
    assert f"lanista: {record}: no turn {turns + 1}; the last one is {turns}\n" == beyond.err


def test_show_tells_what_a_bot_printed_in_a_turn(lanista):
    """docs/records.md, `output_turns`: a line's turn is the one in which the arena has read it."""
    done = lanista(
        *("play", "angrymob", bot("prints"), bot("nothing"), "-s", 3, "--set", "move_limit=6"),
        *("--no-clock", "--console", "-o", "match.jsonl"),
    )
    assert (0, "") == (done.code, done.err)
    path = done.folder / "match.jsonl"
    record = read(path)
    printed, silent = record.result.bots
    assert () == silent.output_turns
    assert "hello\n" + "".join(f"turn {n}\n" for n in range(6)) == printed.output
    parts = {turn: printed.written_in(turn) for turn, _ in printed.output_turns}
    assert printed.output.endswith("".join(parts.values()))
    lines = [(turn, line) for turn, part in parts.items() for line in part.splitlines()]
    # On a busy machine it may be read later, but not as late as that.
    assert all(int(line.split()[1]) <= turn for turn, line in lines if line != "hello")
    assert min(parts) < 6
    turn, line = lines[-1]
    shown = lanista("replay", "show", path, "--turn", turn)
    assert (0, "") == (shown.code, shown.err)
    assert f"A prints wrote: {line}\n" in shown.out
