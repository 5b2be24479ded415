"""The classic dialect: byte for byte what the original Angry Mob arena speaks (PROTOCOL.md 6)."""

from lanista.rules.angrymob.game import AngryMob


class Classic:
    """The map alone, then the opponent's lines, then nothing."""

    def opening(self, game: AngryMob, seat: int) -> bytes:
        """The map, in which `A` is the receiver's own base."""
        board = game.board
        rows = (" ".join(board.tokens(row, own=seat)) for row in range(board.rows))
        return "\n".join((f"{board.rows} {board.cols}", *rows, "")).encode()

    def turn(self, game: AngryMob, seat: int) -> bytes:
        """What the opponent sent last turn, written anew."""
        numbers = game.moved[1 - seat]
        return f"{' '.join(map(str, numbers or ()))}\n".encode()

    def closing(self, game: AngryMob, seat: int) -> bytes:
        """The opponent's last line if both were in time and well formed, even illegal."""
        if None in game.moved:
            return b""
        return self.turn(game, seat)
