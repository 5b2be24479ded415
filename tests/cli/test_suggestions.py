"""Mistyped names: every message ends with what was probably meant."""

import pytest

from lanista.errors import did_you_mean

PAIR = ("CamperJoe", "CamperJoe")

MEANT = {
    "a game": (["play", "AngryMob", *PAIR], "angrymob"),
    "a game to list": (["bots", "hogwart"], "hogwarts"),
    "a house bot": (["play", "angrymob", "camperjo", "CamperJoe"], "CamperJoe"),
    "a setting": (["play", "angrymob", *PAIR, "--set", "Move_Limit=3"], "move_limit"),
    "a map": (["play", "angrymob", *PAIR, "-i", "Meadows"], "meadow"),
    "a limit": (["play", "angrymob", *PAIR, "--limits", "memry=1G"], "memory"),
}


@pytest.mark.parametrize(("words", "meant"), MEANT.values(), ids=MEANT.keys())
def test_a_mistyped_name_gets_a_suggestion(lanista, words, meant):
    assert lanista(*words).refusal.endswith(f"; did you mean {meant!r}?\n")


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (["paly"], "play"),
        (["replay", "shwo"], "show"),
        (["arena", "name", "rest"], "reset"),
        (["play", "--move-limt", 3, "angrymob", *PAIR], "--move-limit"),
    ],
)
def test_a_mistyped_command_or_option_gets_suggestions_of_click(lanista, words, meant):
    assert repr(meant) in lanista(*words).refusal.partition("Did you mean ")[2]


@pytest.mark.parametrize("words", [["xyz"], ["play", "chess", *PAIR]])
def test_a_name_that_is_like_no_other_gets_none(lanista, words):
    assert "did you mean" not in lanista(*words).refusal


def test_a_bot_of_another_game_is_told_so(lanista):
    done = lanista("play", "angrymob", "Dummy", "CamperJoe")
    assert done.err.endswith("; Dummy is a house bot of crematoria and hogwarts\n")


def test_a_long_name_costs_no_time():
    assert "" == did_you_mean("x" * 10**7, ["Null"] * 10)


def test_a_name_is_found_among_hundreds():
    """Only the likeliest ones are compared in earnest."""
    names = [f"Gravity Goers {number}" for number in range(500)]
    assert "; did you mean 'Gravity Goers 444'?" == did_you_mean("gravty goers 444", names)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["check"], "lanista check: Missing argument 'GAME'.\n"),
        (["check", "angrymob"], "lanista: one bot is checked at a time; 0 given: "),
        (["check", "angrymob", *PAIR], "lanista: one bot is checked at a time; 2 given: "),
        (["check", "--game", "angrymob"], "lanista: one bot is checked at a time; 0 given: "),
        (
            ["play", "--game", "angrymob", "hogwarts", *PAIR],
            "lanista: Angry Mob is for 2 bots; 3 given",
        ),
        (["play", "--game", "angrymob", "CamperJoe"], "lanista: Angry Mob is for 2 bots; 1 given"),
        (
            ["play", "--game", "angrymob", "angrymob", "CamperJoe"],
            "lanista: Angry Mob is for 2 bots; 1 given",
        ),
    ],
)
def test_the_game_is_said_first_or_by_an_option(lanista, words, message):
    assert lanista(*words).refusal.startswith(message)
