"""Find the turns in which a bot is slow: python3 slow_turns.py RECORD SEAT [HOW MANY]"""

import sys

import lanista


def main(record: str, seat: int, most: int = 5) -> None:
    """Print the slowest turns after the first, with the bot's log in them."""
    replay = lanista.open_record(record)
    timed = [position for position in replay[1:] if position.times[seat] is not None]
    for position in sorted(timed, key=lambda one: one.times[seat], reverse=True)[:most]:
        milliseconds = 1000 * position.times[seat]
        print(f"turn {position.turn}: {milliseconds:.2f} ms {position.logs[seat]}".rstrip())


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
