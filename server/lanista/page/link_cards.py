"""What a link to a match, a ladder or a tournament shows of itself, as in chats: a preview card.

Programs that make such cards run no script, so the server fills in the head of the page's document:
title, description, and a picture of a match that is over. Nothing in it tells how a match ended.
"""

from html import escape

import attrs

from lanista.bots.execute import printable
from lanista.page.view import View

TITLE = b"<title>Lanista</title>"
"""The part of the document's head that is replaced."""


@attrs.frozen(kw_only=True)
class Card:
    """What a link shows of itself."""

    title: str
    about: str
    """What there is to be seen, in a few words."""
    picture: str | None = None
    """The path of a picture; None: there is none."""


async def card_of(view: View, kind: str, name: str) -> Card | None:
    """Return the card of an address of the page; None if nothing is known of what it names.

    Args:
        view: What the page shows.
        kind: `match`, `ladder` or `tournament`, the first part of the address.
        name: The rest of it.
    """
    if kind == "match":
        return await _of_match(view, name)
    if kind == "ladder":
        return _of_ladder(view, name)
    for tournament in view.tournaments.summaries():
        if tournament["name"] == name:
            game = tournament["title"]
            return Card(title=name, about=f"A tournament of {game}" if game else "A tournament")
    return None


async def _of_match(view: View, match: str) -> Card | None:
    found = await view.match_json(match)
    if found is None:
        return None
    picture = None
    if found["state"] == "over" and found["turns"]:
        picture = f"/api/1/matches/{match}/picture?round={found['turns'] // 2}"
    where = found.get("tournament") or found["ladder"]
    return Card(
        title=f"{' – '.join(found['players'])} · {found['title']}",  # noqa: RUF001 - as in the page
        about=f"A match of {found['title']}" + (f", {where}" if where else ""),
        picture=picture,
    )


def _of_ladder(view: View, name: str) -> Card | None:
    ladder, _, rest = name.partition("/bot/")
    shown = view.ladders.ladders.get(ladder)
    if shown is None:
        return None
    bot, _, opponent = rest.partition("/against/")
    bots = [each for each in (bot, opponent) if each in shown.table.rows]
    title = " · ".join([" – ".join(bots), ladder] if bots else [ladder])  # noqa: RUF001
    return Card(title=title, about=f"A ladder of {shown.room.ruleset.title}")


def document(index: bytes, card: Card, origin: str) -> bytes:
    """Return the page's document with a card in its head.

    Args:
        index: The document.
        card: What the link shows.
        origin: Scheme and host by which the page was asked for.
    """
    title = f"{card.title} · Lanista"
    properties = {"og:title": title, "og:description": card.about, "og:type": "website"}
    if card.picture is not None:
        properties |= {"og:image": origin + card.picture, "twitter:card": "summary_large_image"}
    head = [f"<title>{_escaped(title)}</title>"]
    head += [
        f'<meta property="{name}" content="{_escaped(content)}">'
        for name, content in properties.items()
    ]
    return index.replace(TITLE, "\n    ".join(head).encode())


def _escaped(text: str) -> str:
    return escape(printable(text))
