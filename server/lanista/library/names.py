"""The names that can be played with: of games and of house bots."""

from lanista.games import registry


def game_names() -> tuple[str, ...]:
    """Return the names of the installed games."""
    return registry.names()


def house_bots(game: str) -> tuple[str, ...]:
    """Return the names of the house bots of a game, from the weakest to the strongest.

    Raises:
        UnknownGameError: There is no such game.
    """
    return tuple(registry.house_bots(registry.get(game).name))
