"""`lanista build`: compile a player's file of the original kits into a bot."""

import shlex
from pathlib import Path

import click

from lanista.errors import BadInputError


class CompileFailedError(click.ClickException):
    """The compiler refused the file; its output is on stderr before this line."""

    exit_code = 1


def _print_include(ctx: click.Context, _param: click.Parameter, wanted: bool) -> None:
    """Print the folder of the headers and exit."""
    if wanted and not ctx.resilient_parsing:
        from lanista.bots.kit.build import INCLUDE

        click.echo(INCLUDE)
        ctx.exit()


@click.command("build")
@click.argument("source", metavar="AINAME.cc")
@click.option(
    "--game", metavar="GAME", help="hogwarts or crematoria; without it, the one it compiles for."
)
@click.option("-o", "--output", metavar="FILE", show_default="./AINAME", help="The bot's file.")
@click.option(
    "--include",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_include,
    help="Print the folder of the headers, to compile without this command.",
)
def command(source: str, game: str | None, output: str | None) -> None:
    """Compile AINAME.cc, an unchanged player of an original kit, into a bot.

    The compiler is $CXX, else g++, else clang++; $CXXFLAGS adds options.
    """
    from lanista.bots.kit import build

    if game is not None and game not in build.GAMES:
        raise BadInputError(
            f"--game {game}: the games whose players are built are {' and '.join(build.GAMES)}"
        )
    file = Path(source)
    try:
        built = build.build(file, Path(output or file.stem), game)
    except (build.SourceError, build.NoCompilerError) as error:
        raise BadInputError(str(error)) from None
    except build.CompileError as error:
        click.echo(error.output, err=True)
        raise CompileFailedError(error.hint) from None
    if built.warnings:
        click.echo(built.warnings, err=True)
    bot = shlex.quote(str(built.output if built.output.is_absolute() else f"./{built.output}"))
    click.echo(f"{bot} plays {built.game}: lanista play {built.game} {bot} Demo Null Dummy")
