"""Draw the ratings of a tournament, with their intervals: python3 ratings.py CUP.toml RATINGS.svg

The tournament is played first, or resumed.
"""

import sys
from html import escape
from pathlib import Path

import lanista

WIDTH, LINE = 600, 24


def main(spec: str, picture: str) -> None:
    """Play the tournament and write the picture."""
    rows = lanista.competition.run(spec).standings.rows
    rated = [(row.bot, row.rating) for row in rows if row.rating is not None]
    values = [rating.value for _, rating in rated]
    # A bot that won or lost every match has an interval that is open on one side.
    least = min([*values, *(rating.low for _, rating in rated if rating.low is not None)])
    most = max([*values, *(rating.high for _, rating in rated if rating.high is not None)])

    def x(rating: float) -> float:
        return 150 + (WIDTH - 170) * (rating - least) / ((most - least) or 1)

    height = LINE * len(rated)
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}">']
    for number, (bot, rating) in enumerate(rated):
        y = LINE * number + LINE // 2
        low = least if rating.low is None else rating.low
        high = most if rating.high is None else rating.high
        lines += [
            f'<text x="4" y="{y + 5}" font-size="14">{escape(bot)}</text>',
            f'<path d="M{x(low):.1f} {y}H{x(high):.1f}" stroke="black"/>',
            f'<circle cx="{x(rating.value):.1f}" cy="{y}" r="4"/>',
        ]
    Path(picture).write_text("\n".join([*lines, "</svg>"]) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
