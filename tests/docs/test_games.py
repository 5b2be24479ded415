"""docs/games: the examples are what the games say and take, the commands work."""

import shlex

import pytest

from docs.pages import CHECKOUT, DOCS, Shell, commands, fenced
from lanista.games import registry
from lanista.games.base import complete_settings
from lanista.match.encoder import facts_with_status

PAGES = ("angrymob", "crematoria", "hogwarts")
SHORT = {"angrymob": "move_limit=50", "crematoria": "nb_rounds=20", "hogwarts": "NUM_ROUNDS=20"}
LEFT_OUT = "…"


def page_of(name):
    """The players' page of a game."""
    return DOCS / "games" / f"{name}.md"


def block(name, heading):
    """A page's fenced block whose heading begins so: the rest of the heading, and the text."""
    ((rest, text),) = (
        (head.removeprefix(heading).strip(), text)
        for head, text in fenced(page_of(name))
        if head.startswith(heading)
    )
    return rest, text


def new_game(name):
    """The game of a page's example: on the page's map, or of the page's seed."""
    ruleset = registry.get(name)
    settings = complete_settings(ruleset, {})
    rest, text = block(name, "text match")
    chance = ruleset.chance(int(rest.removeprefix("seed ")) if rest else 0)
    if rest:
        board = ruleset.generate(settings, chance)
    else:
        board = ruleset.read_board(block(name, "text map")[1])
    return ruleset, ruleset.new(settings, board, chance), text.splitlines()


def tokens_of(line):
    """An answer's tokens, as the protocol reads them."""
    return [int(word) if word.lstrip("-").isdigit() else word for word in line.split()]


def told(ruleset, game):
    """What seat 0 reads of the present position."""
    facts = facts_with_status(ruleset, game.facts(0), (0.0,) * ruleset.seats)
    return [f"turn {game.turn}", *facts.decode().splitlines(), "go"]


def test_every_game_that_comes_with_lanista_has_a_page():
    """And no page is of another one."""
    pages = sorted(path.stem for path in (DOCS / "games").iterdir())
    assert sorted(registry.ours()) == pages == sorted(PAGES)


@pytest.mark.parametrize("name", PAGES)
def test_the_page_has_every_house_bot(name):
    assert [] == [
        bot for bot in registry.house_bots(name) if bot not in page_of(name).read_text("utf-8")
    ]


@pytest.mark.parametrize("name", PAGES)
def test_the_example_is_what_the_game_says_and_takes(name):
    """Lines from the arena come in this order, without a gap where no `…` is; every answer is taken
    without a refusal; the other seats, and ours in rounds left out, do nothing.
    """
    ruleset, game, lines = new_game(name)
    seats = ruleset.seats
    coming = [f"set {name} {value}" for name, value in complete_settings(ruleset, {}).items()]
    coming += [*game.facts_at_start(0).decode().splitlines(), *told(ruleset, game)]
    gap = False
    answers = 0
    for line in lines:
        if line.startswith(">"):
            assert [] == coming, f"an answer before `go`: {line}"
            answer = game.parse(0, tokens_of(line[1:]))
            assert {} == answer.refused
            game.advance([answer] + [game.parse(seat, []) for seat in range(1, seats)])
            coming = told(ruleset, game)
            answers += 1
        elif line == LEFT_OUT:
            gap = True
            continue
        else:
            if gap:
                while line.startswith("turn ") and f"turn {game.turn}" != line:
                    game.advance([game.parse(seat, []) for seat in range(seats)])
                    coming = told(ruleset, game)
                coming = coming[coming.index(line) :]
            assert coming[0] == line
            coming = coming[1:]
        gap = False
    assert 2 <= answers + (name == "crematoria")


@pytest.mark.parametrize("name", PAGES)
def test_the_commands_work(name, tmp_path):
    """All of them, one after the other in one folder, with the page's bot in it."""
    # Shorter than the page's, and no clock: how quick bots are is no matter of the page.
    shell = Shell(tmp_path, {"play": ["--no-clock", "--set", SHORT[name]]})
    for heading, text in fenced(page_of(name)):
        if heading.startswith("python "):
            (shell.folder / heading.split()[1]).write_text(text, encoding="utf-8")
    (shell.folder / "clients").symlink_to(CHECKOUT / "clients")
    run = commands(page_of(name), "lanista")
    assert {"play", "map", "replay"} <= {words[1] for words in run}
    for words in run:
        code, out = shell.run(shlex.join(words))
        assert 0 == code, f"{words}\n{out[-4000:]}"
    if name != "angrymob":
        assert "explained" in out  # the last command of these pages
