"""`lanista check`: a bot through a gauntlet of short matches, and what came of it, item by item.

`gauntlet` says which matches are played, `bout` plays one with the product's own judge,
`channels` holds the scripted other seats and what is done to the tested bot's bytes, `games` the
little that differs between games, `items` turns what happened into findings. Nothing is printed
here, and no rule of a game is known but through its ruleset.
"""
