"""README.md: what its first page says of the first bot and the first tournament."""

import pytest

from docs.pages import CHECKOUT, Shell, fenced

PATIENT = ["--time-init", "100", "--time-move", "20", "--stall-margin", "600"]


@pytest.mark.parametrize(
    ("seed", "matches", "told"),
    [
        (4, 1, "MyBot wins (finished: "),
        pytest.param(
            *(1, 12),
            "12 matches: MyBot won 11, RandomRunners won 0, 1 drawn",
            marks=pytest.mark.long,
        ),
    ],
)
def test_the_first_bot_wins_and_the_tournament_has_nothing_to_warn_of(
    tmp_path, seed, matches, told
):
    """Eleven of twelve matches against RandomRunners, whatever the machine; no line begins with
    `warn` in `tournament check`.
    """
    bot, cup, *_ = (text for kind, text in fenced(CHECKOUT / "README.md") if kind)
    shell = Shell(tmp_path, {"play": PATIENT})
    (shell.folder / "mybot.py").write_text(bot)
    # By a patient clock no answer is slow, however busy the machine; and short matches will do.
    more = "[clock]\ntime_init = 100\ntime_move = 20\n[settings]\nmove_limit = 40\n"
    (shell.folder / "cup.toml").write_text(f"{cup}\n{more}")
    _, played = shell.run(
        f"lanista play angrymob 'python3 mybot.py' RandomRunners --console -n {matches} -s {seed}"
    )
    assert told in played
    _, checked = shell.run("lanista tournament check cup.toml")
    assert "ok    Mine: " in checked
    assert "warn" not in checked
