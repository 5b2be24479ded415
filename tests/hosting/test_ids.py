"""Ids and secrets."""

import re

from lanista.games.angrymob.ruleset import RULESET
from lanista.hosting.handshake import seat_token
from lanista.hosting.inputs import fresh_seed
from lanista.match.conditions import match_id
from lanista_protocol import parse_hello


def test_match_ids_sort_by_time(monkeypatch):
    """26 characters of Crockford's base 32, the milliseconds first."""
    made = []
    for moment in (0.0, 0.001, 1.0, 1_700_000_000.123, 1_700_000_000.124, 2.0**47 / 1000):
        monkeypatch.setattr("lanista.match.conditions.time.time", lambda moment=moment: moment)
        made.append(match_id())
    assert sorted(made) == made
    assert all(re.fullmatch("[0-9A-HJKMNP-TV-Z]{26}", one) for one in made)
    # 48 bits of milliseconds are 10 characters, so that the first needs 3 bits only.
    assert "0000000000" == made[0][:10]
    assert "0000000001" == made[1][:10]


def test_match_ids_of_a_moment_differ(monkeypatch):
    monkeypatch.setattr("lanista.match.conditions.time.time", lambda: 1.0)
    assert 1000 == len({match_id() for _ in range(1000)})


def test_a_seats_token_can_be_said_in_a_hello():
    """And is one nobody guesses: 24 random bytes."""
    tokens = {seat_token() for _ in range(100)}
    assert 100 == len(tokens)
    assert {32} == {len(token) for token in tokens}
    for token in tokens:
        assert token == parse_hello(f"Ada token={token}").token


def test_fresh_seeds_come_from_the_whole_range(monkeypatch):
    """Its lowest and its highest too."""
    low, high = RULESET.seeds
    for drawn, seed in [(0, low), (high - low, high)]:
        monkeypatch.setattr(
            "lanista.hosting.inputs.secrets.randbelow", lambda bound, drawn=drawn: drawn % bound
        )
        assert seed == fresh_seed(RULESET)
