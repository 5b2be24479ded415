"""`lanista check`: plays a bot through a gauntlet of short matches, and judges it item by item.

A bout is one start of the bot, and the match or matches that it plays on its connection.
`gauntlet` decides which bouts are played. `bout` plays one, judged as any match is. `channels`
has the scripted players of the other seats, and changes when and with what the tested bot's lines
come. `items` turns what happened into findings. Nothing is printed here, and the rules of a game
are known only through its ruleset and its module `check_boards`, if it has one.
"""
