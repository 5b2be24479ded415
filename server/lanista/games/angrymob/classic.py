"""The classic dialect: the wire format of the original Angry Mob arena (PROTOCOL.md 6)."""

from lanista.games.angrymob.game import AngryMob


class Classic:
    """The original wire format: the map, then the opponent's answers, byte for byte."""

    def opening(self, game: AngryMob, seat: int) -> bytes:
        """Return the map, in which `A` is the receiver's own base."""
        board = game.board
        return "\n".join((f"{board.rows} {board.cols}", *board.lines(seat), "")).encode()

    def turn(self, game: AngryMob, seat: int) -> bytes:
        """Return the numbers that the opponent sent last turn, formatted uniformly."""
        numbers = game.moved[1 - seat]
        return f"{' '.join(map(str, numbers or ()))}\n".encode()

    def closing(self, game: AngryMob, seat: int) -> bytes:
        """Return the opponent's last answer if both answers were well formed and in time.

        Such an answer is sent even if it was illegal.
        """
        if None in game.moved:
            return b""
        return self.turn(game, seat)
