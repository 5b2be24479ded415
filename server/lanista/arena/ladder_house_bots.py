"""The house bots of a ladder: from its spec to what can be started."""

from collections.abc import Sequence
from pathlib import Path

from lanista.arena.spec import LadderSpec, is_bot_name
from lanista.bots.limits import BotLimits, LimitsError, parse_limits
from lanista.hosting.bot_pool import Contestant, apart
from lanista.hosting.host import distinct
from lanista.hosting.names import UnusableNameError, bot_command
from lanista.hosting.spec_parts import SandboxName
from lanista.toml_spec import SpecError


def house_contestants(
    ladder: LadderSpec, folder: Path, private: Sequence[Path] = ()
) -> Sequence[Contestant]:
    """Look up the house bots of a ladder.

    A bot without a name is called like its program; several of the same name get numbers.

    Args:
        ladder: The ladder; its game must exist.
        folder: The folder in which the bots run, that of the arena's file.
        private: Files and folders that they must not see in their sandboxes.

    Raises:
        SpecError: A program or a limit doesn't exist, or a name can't be one; the message begins
            with the key within the ladder.
    """
    try:
        limits = BotLimits() if ladder.limits is None else parse_limits(ladder.limits)
    except LimitsError as error:
        raise SpecError(str(error)) from None
    names: list[str] = []
    commands: list[tuple[str, ...]] = []
    for number, bot in enumerate(ladder.house, 1):
        try:
            name, command = bot_command(ladder.game, bot.command, folder)
        except UnusableNameError as error:
            raise SpecError(f"house[{number}]: {error}") from None
        if not is_bot_name(bot.name or name):
            raise SpecError(
                f"house[{number}]: {name!a} can't be a name on a ladder; write "
                '{ name = "…", command = "…" }'
            )
        names.append(bot.name or name)
        commands.append(command)
    names = distinct(names)
    numbers: dict[str, int] = {}
    for number, (bot, name) in enumerate(zip(ladder.house, names, strict=True), 1):
        other = numbers.setdefault(name.lower(), number)
        if other != number or bot.name not in {None, name}:
            raise SpecError(
                f"house[{number}]: {bot.name or name} is the name of another house bot too; give "
                "each its own, which differs in more than upper and lower case"
            )
    return apart(
        [
            Contestant(
                name=name,
                command=command,
                folder=str(folder),
                limits=limits,
                sandboxed=ladder.sandbox is SandboxName.BWRAP,
                hidden=tuple(private),
                restart=False,
            )
            for name, command in zip(names, commands, strict=True)
        ]
    )
