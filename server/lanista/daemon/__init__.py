"""Arenas: listening, hello, lobby and rooms, starting matches, shutting down.

`arena` serves whoever comes; `private` plays with bots that it starts itself. What happens in
a match is `lanista.match`'s.
"""
