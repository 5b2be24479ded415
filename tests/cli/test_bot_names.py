"""What a bot is called that is given as a command line, and how it is found."""

import sys

import pytest

from lanista.bots.command import parse_command
from lanista.errors import BadInputError
from lanista.games import registry
from lanista.hosting.host import distinct
from lanista.hosting.names import bot_command, name_of
from lanista_protocol import parse_hello

CAMPER_JOE = registry.house_bots("angrymob")["CamperJoe"]


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("./mybot", "mybot"),
        ("/opt/bots/MyBot.exe --fast", "MyBot"),
        ("python3 my_bot.py", "my_bot"),
        ("python3.12 -u -X dev dev.py", "dev"),
        ("python3 -W ignore best.py", "best"),
        ("/usr/bin/python3 bots/best.py --port {port}", "best"),
        ("python -m team.best_bot", "best_bot"),
        ("python3 -c 'import mybot'", "python3"),
        ("sh -c 'exec ./mybot'", "sh"),
        ("node -e 'play()'", "node"),
        ("java -jar Bot.jar", "Bot"),
        ("java -cp classes MyBot", "MyBot"),
        ("java -Xmx1g --class-path classes:lanista-client.jar org.team.MyBot", "MyBot"),
        ("java -cp classes mybot/MyBot.java", "MyBot"),
        ("'./my bot!.py'", "my-bot-"),
        ("python3", "python3"),
        ("./" + "x" * 40, "x" * 32),
        ("./---", "---"),
    ],
)
def test_a_command_line_gives_a_name(command, name):
    """The program's, or the script's behind an interpreter, without its ending."""
    assert name == name_of(parse_command(command))


@pytest.mark.parametrize("command", ["./mybot", "'./my bot!.py'", "./=", "./ä", "./" + "é" * 50])
def test_any_name_given_so_can_be_said_in_a_hello(command):
    name = name_of(parse_command(command))
    assert name == parse_hello(f"{name} v=1").name


def test_a_house_bot_is_found_by_its_name():
    """Before any program of that name; started so that nothing in the folder hides the client."""
    name, argv = bot_command("angrymob", "CamperJoe")
    assert ("CamperJoe", (sys.executable, "-P", "-c")) == (name, argv[:3])
    assert (CAMPER_JOE, "CamperJoe") == argv[4:]


def test_a_command_line_is_kept_as_its_words():
    assert ("sh", ("sh", "-c", "exec bot {port}")) == bot_command(
        "angrymob", "sh -c 'exec bot {port}'"
    )


@pytest.mark.parametrize(
    ("names", "given"),
    [
        (["A", "B"], ["A", "B"]),
        (["A", "A", "A"], ["A", "A-2", "A-3"]),
        (["A", "A-2", "A"], ["A", "A-2", "A-3"]),
        (["A-2", "A", "A"], ["A-2", "A", "A-3"]),
        (["x" * 32, "x" * 32], ["x" * 32, "x" * 30 + "-2"]),
    ],
)
def test_names_that_repeat_are_numbered(names, given):
    """Each different, at most the 32 characters of PROTOCOL.md 2."""
    assert given == distinct(names)


def test_a_program_here_is_found_by_its_path_alone(tmp_path, monkeypatch):
    """`./NAME` is a file of this folder, also when no NAME is on the PATH."""
    (tmp_path / "mybot").touch(0o755)
    monkeypatch.chdir(tmp_path)

    assert ("mybot", ("./mybot",)) == bot_command("angrymob", "./mybot")


@pytest.mark.parametrize(
    ("name", "mode", "words"),
    [
        ("mybot", 0o755, "mybot is a file, but not on the PATH; call it ./mybot"),
        ("mybot", 0o644, "(chmod +x) and call it ./mybot; a source has to be built first"),
        ("./mybot", 0o644, "(chmod +x) and call it ./mybot; a source has to be built first"),
        ("mybot.py", 0o644, "but not executable; run it as 'python3 mybot.py'"),
        ("./mybot.py", 0o644, "but not executable; run it as 'python3 ./mybot.py'"),
    ],
)
def test_a_file_that_is_no_command_is_told_how_to_run(tmp_path, monkeypatch, name, mode, words):
    (tmp_path / name).write_text("")
    (tmp_path / name).chmod(mode)
    monkeypatch.chdir(tmp_path)

    with pytest.raises(BadInputError) as error:
        bot_command("angrymob", name)
    assert str(error.value).endswith(words)


@pytest.mark.parametrize("bot", ["~/mybot", "DEPTH=3 ./mybot", "cd bots && ./mybot", "."])
def test_what_only_a_shell_would_understand_and_a_folder_are_no_programs(bot):
    program = bot.split()[0]
    why = f"no program '{program}' that could be run; a folder isn't one, and no shell reads a "
    with pytest.raises(BadInputError, match=why):
        bot_command("angrymob", bot)
