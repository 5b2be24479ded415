"""`lanista check`: plays a bot through a gauntlet of short matches, and judges it item by item.

A bout is one start of the bot, and the match or matches that it plays on its connection.
`gauntlet` decides which bouts are played, `bout` plays one, and `items` turns what happened into
findings.
"""
