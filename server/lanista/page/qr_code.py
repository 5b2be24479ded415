"""QR codes of addresses, as pictures in SVG."""

import io

LONGEST = 300
"""Maximum length of a text in characters; a code of more can hardly be read from a screen."""
QUIET = 4
"""Width of the empty border in modules, which the standard asks for."""


def qr_svg(text: str) -> bytes:
    """Return the QR code of a text as SVG, black on white. It takes some milliseconds."""
    import segno  # noqa: PLC0415 - it takes a while, and only the screen of a hall needs it

    picture = io.BytesIO()
    segno.make(text, error="m", micro=False).save(
        picture, kind="svg", border=QUIET, light="#fff", omitsize=True, xmldecl=False
    )
    return picture.getvalue()
