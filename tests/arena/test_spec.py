"""What `arena.toml` may say, and that each error names its place (docs/arena.md)."""

import os
from pathlib import Path

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lanista.arena.spec import (
    MAX_BYTES,
    MAX_WORKERS,
    ArenaSpec,
    HouseBot,
    LadderSpec,
    LogFormat,
    Page,
    Registration,
    Submissions,
    Tls,
    example,
    host_and_port,
    parse_spec,
    read_spec,
    toml_of,
)
from lanista.errors import SpecError
from lanista.games.base import complete_settings
from lanista.games.hogwarts.ruleset import RULESET
from lanista.hosting.inputs import SandboxName
from lanista.match.conditions import Clock

LADDER = '[[ladders]]\nname = "l"\ngame = "hogwarts"\n'


def error_of(text):
    with pytest.raises(SpecError) as caught:
        parse_spec(text, "arena.toml")
    assert str(caught.value).isprintable()
    return str(caught.value)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("por = 1", "por: no such key; known are host, port, game, data, store,"),
        ('tsl = "x"', "tls, page, friendly, ladders; did you mean 'tls'?"),
        (LADDER + "fillafter = 1", "clock; did you mean 'fill_after'?"),
        ('port = "7777"', "port: '7777'; expected a whole number"),
        ("port = 7777.0", "port: 7777.0; expected a whole number"),
        ("port = 65536", "port: 65536; expected at most 65535"),
        (f"port = {10**50}", "port: 1" + "0" * 50 + "; whole numbers have 40 digits at most"),
        ('registration = "public"', "registration: 'public'; it can be open, closed"),
        ('rooms = "ladder"', "rooms: 'ladder'; it can be any, ladders; did you mean 'ladders'?"),
        ('rooms = "ladders"', 'rooms: "ladders", but there is no [[ladders]]; add one, or "any"'),
        ("hello_timeout = 0", "hello_timeout: 0; expected a finite number above 0"),
        ("hello_timeout = 3601", "hello_timeout: 3601.0; expected at most 3600"),
        ("workers = 0", "workers: 0; expected at least 1"),
        ('tls = "x"', "tls: 'x'; expected a table"),
        ('[tls]\ncertificate = "x"', "tls.key: missing; it must be given"),
        ('[tls]\nkey = "x"\ncertificate = ""', "tls.certificate: ''; expected some text"),
        ('[page]\nlisten = "localhost"', "page.listen: 'localhost'; expected HOST:PORT, such as"),
        (
            '[page]\nembed = ["https://a.example; script-src *"]',
            "page.embed[1]: 'https://a.example; script-src *'; expected a site, such as https://",
        ),
        ('[page]\ntournaments = ["x", ""]', "page.tournaments[2]: ''; expected a file"),
        ('data = "a\\u0000"', "data: 'a\\x00'; expected some text; otherwise leave the key out"),
        ('[ladders]\nname = "x"', "ladders: {'name': 'x'}; expected [[ ]] tables"),
        ('[[ladders]]\ngame = "x"', "ladders[1].name: missing; it must be given"),
        ('[[ladders]]\nname = "a b"\ngame = "x"', "ladders[1].name: 'a b'; expected 1 to 64 of"),
        (
            '[[ladders]]\nname = ".."\ngame = "x"',
            "ladders[1].name: '..'; expected another name than . or ..",
        ),
        (
            f'[[ladders]]\nname = "{"x" * 65}"\ngame = "x"',
            f"ladders[1].name: '{'x' * 56}...; expected 1 to 64 of",
        ),
        (LADDER + LADDER, "ladders[2].name: l is the name of ladders[1] too; give each its own"),
        (LADDER + LADDER.replace('"l"', '"L"'), "ladders[2].name: L is the name of ladders[1] too"),
        (
            "".join(LADDER.replace('"l"', f'"l{number}"') for number in range(101)),
            "ladders: 101 entries; expected at most 100",
        ),
        ("port = 1\nport = 1", "not valid TOML: "),
    ],
)
def test_each_error_names_its_place_and_what_would_be_right(text, expected):
    told = error_of(text)
    assert told.startswith("arena.toml: ")
    assert expected in told


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("clock.time_mov = 1", "clock.time_mov: no such key; known are time_init,"),
        ('settings.x = "1"', "settings.x: '1'; expected a whole number"),
        ('house = "Demo"', "house: 'Demo'; expected a list, such as"),
        ('submissions = "true"', "submissions: 'true'; expected true, false or"),
        (
            "submissions.closes = 2026-12-18",
            "submissions.closes: 2026-12-18; expected a time, such as 2026-12-18T23:59",
        ),
        (
            'submissions.closes = "tomorrow"',
            "submissions.closes: 'tomorrow'; expected a time, such as 2026-12-18T23:59:00+01:00, w",
        ),
        ('house = [{ name = "x" }]', "house[1].command: missing"),
        (
            'house = [{ name = " x", command = "x" }]',
            "house[1].name: ' x'; expected 1 to 32 of A-Z a-z 0-9 . _ - and single",
        ),
        (
            'submissions.limits = "x"',
            "submissions.limits: 'x': 'x' isn't KEY=VALUE: write for example",
        ),
        ('sandbox = "docker"', "sandbox: 'docker'; it can be none, bwrap"),
        ("fill_after = -1", "fill_after: -1.0; expected at least 0"),
        ("fill_after = inf", "fill_after: inf; expected a finite number, at least 0"),
        ("lag_allowance = 0.3", "lag_allowance: 0.3; expected at most 0.25"),
        (
            "clock.time_move = inf",
            "clock.time_move: inf; expected a finite number of seconds from 0.0001;",
        ),
        ("house = [" + '"Demo",' * 65 + "]", "house: 65 entries; expected at most 64"),
    ],
)
def test_each_error_in_a_ladder_names_its_key(key, expected):
    assert error_of(LADDER + key).startswith(f"arena.toml: ladders[1].{expected}")


@pytest.mark.parametrize(
    "url", ["secret", "sqlite:///secret", "mysql://a:secret@b/c", "POSTGRESQL://a:secret@b", ""]
)
def test_a_store_is_postgresql_and_no_password_is_shown(url):
    told = error_of(f'store = "{url}"')
    assert told.startswith("arena.toml: store: not the URL of a PostgreSQL database; expected")
    assert "secret" not in told + repr(ArenaSpec(store="postgresql://arena:secret@db/arena"))


def test_a_file_that_is_too_long_is_refused(tmp_path):
    file = tmp_path / "arena.toml"
    file.write_text("#" * MAX_BYTES)
    assert ArenaSpec() == read_spec(file)
    file.write_text("#" * (MAX_BYTES + 1))
    with pytest.raises(SpecError, match="too long for a spec; at most 1 MiB is read"):
        read_spec(file)
    with pytest.raises(SpecError, match="too long for a spec"):
        read_spec(Path("/dev/zero"))


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("8080", ("127.0.0.1", 8080)),
        ("0.0.0.0:0", ("0.0.0.0", 0)),
        ("0", ("127.0.0.1", 0)),
        ("[::1]:80", ("::1", 80)),
        ("[fe80::1:2]:80", ("fe80::1:2", 80)),
        ("arena.example:65535", ("arena.example", 65535)),
    ],
)
def test_a_page_has_host_and_port_or_a_port(text, address):
    assert address == host_and_port(text)
    assert text == parse_spec(f'[page]\nlisten = "{text}"', "arena.toml").page.listen


def test_a_file_without_workers_has_one_for_each_core_that_the_process_may_use(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {1, 4, 5}, raising=False)
    assert 3 == parse_spec("", "arena.toml").workers
    assert 2 == parse_spec("workers = 2", "arena.toml").workers
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(1000)), raising=False)
    assert MAX_WORKERS == parse_spec("", "arena.toml").workers


def test_bots_without_a_game_play_that_of_the_first_ladder():
    assert "angrymob" == ArenaSpec().default_game
    ladders = tuple(LadderSpec(name=game, game=game) for game in ("hogwarts", "crematoria"))
    assert "hogwarts" == ArenaSpec(ladders=ladders).default_game
    assert "x" == ArenaSpec(game="x", ladders=ladders).default_game


# -- the example -----------------------------------------------------------------------------------

EXAMPLE = example(RULESET, "arena.toml")
SETTINGS = complete_settings(RULESET, {})


def uncommented(text, *left_out):
    """The example with its commented keys in effect, except for some."""
    lines = []
    for line in text.splitlines():
        plain = line.removeprefix("# ")
        is_setting = plain != line and (plain.startswith("[") or " = " in plain)
        lines.append(plain if is_setting and not plain.startswith(left_out) else line)
    return "\n".join(lines)


def test_the_example_says_nothing_but_defaults():
    house = tuple(HouseBot(command=bot) for bot in ("Null", "Demo", "Dummy"))
    ladder = LadderSpec(name="hogwarts", game="hogwarts", house=house)
    assert ArenaSpec(ladders=(ladder,)) == parse_spec(EXAMPLE, "arena.toml")


def test_what_the_example_shows_as_defaults_are_those():
    """Keys that have no default have an example there: these are left out."""
    examples = ("game =", "store =", "max_per_address", "[tls]", "certificate", "key =")
    examples += ("workers", "listen", "map = ", "maps", "limits", "window", "bots ")
    examples += (*SETTINGS, "closes", "build_limits", "slots")
    shown = parse_spec(uncommented(EXAMPLE, *examples), "arena.toml")
    (ladder,) = shown.ladders
    assert Submissions() == ladder.submissions
    without = attrs.evolve(shown, ladders=(attrs.evolve(ladder, submissions=None),))
    assert parse_spec(EXAMPLE, "arena.toml") == without


def test_the_example_has_every_key():
    text = uncommented(EXAMPLE, "bots ")
    # Programs are handed in to one arena, so not with `store`.
    spec = parse_spec(uncommented(EXAMPLE, "bots ", "store ="), "arena.toml")
    assert Tls(certificate="fullchain.pem", key="privkey.pem") == spec.tls
    for kind in (ArenaSpec, Tls, Page, LadderSpec, Clock, Submissions):
        for attribute in attrs.fields(kind):
            name = attribute.name
            assert f"\n{name} = " in text or f"[{name}]" in text or f".{name}]" in text, name
    assert SETTINGS == spec.ladders[0].settings


# -- writing ---------------------------------------------------------------------------------------

texts = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=8
)
listed = st.lists(texts, max_size=2).map(tuple)
names = st.from_regex(r"[A-Za-z0-9._-]{1,8}", fullmatch=True).filter(
    lambda name: name not in {".", ".."}
)


not_blank = texts.filter(str.strip)
clocks = st.builds(
    Clock,
    time_init=st.just(0.0) | st.floats(0.0001, 1e300),
    time_move=st.just(0.0) | st.floats(0.0001, 1),
    time_start=st.floats(0, 1, exclude_min=True),
    late_limit=st.integers(1, 10**30),
    stall_margin=st.floats(0, 1),
)
house_bots = st.builds(HouseBot, command=not_blank, name=st.none() | names)
ladders = st.builds(
    LadderSpec,
    name=names,
    game=texts,
    maps=listed,
    house=st.lists(house_bots, max_size=2).map(tuple),
    limits=st.none() | texts,
    sandbox=st.sampled_from(SandboxName),
    fill_after=st.floats(0, 86_400),
    window=st.none() | st.integers(1, 10**9),
    lag_allowance=st.floats(0, 0.25),
    settings=st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), st.integers()),
    clock=clocks,
)
arenas = st.builds(
    ArenaSpec,
    host=not_blank,
    port=st.integers(0, 65535),
    game=st.none() | texts,
    data=not_blank,
    store=st.none() | texts.map("postgresql://{}".format),
    registration=st.sampled_from(Registration),
    max_per_address=st.none() | st.integers(1, 1000),
    hello_timeout=st.floats(0, 3600, exclude_min=True),
    log_format=st.sampled_from(LogFormat),
    tls=st.none() | st.builds(Tls, certificate=not_blank, key=not_blank),
    page=st.builds(Page, listen=st.sampled_from([None, "[::]:1"]), tournaments=listed)
    | st.just(Page(listen="none")),
    ladders=st.lists(ladders, max_size=3, unique_by=lambda ladder: ladder.name.lower()).map(tuple),
)


@given(arenas)
def test_a_spec_that_is_written_is_read_as_the_same(spec):
    text = toml_of(spec)
    assert spec == parse_spec(text, "arena.toml")
    assert text == toml_of(parse_spec(text, "arena.toml"))


def test_the_least_that_is_written_has_every_default():
    text = toml_of(ArenaSpec())
    assert "\n\n\n" not in text
    assert text.endswith("\n")
    assert not text.endswith("\n\n")
    for line in ('host = "127.0.0.1"', "port = 7777", 'registration = "open"', "drain = 0.0"):
        assert line in text.splitlines()
